"""The rollout tree: its counts, its paths, and what its sessions share."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recallreach.env.sessions import plan_session
from recallreach.storefront.catalog import Category
from recallreach.study.tree import Forest


class Shop:
    """Six departments."""

    categories = tuple(Category(f"c{number}", f"C {number}", "") for number in range(6))


forests = st.builds(
    Forest,
    trees=st.integers(1, 3),
    sessions=st.integers(1, 5),
    branching=st.integers(1, 3),
    first=st.integers(0, 2),
)


@pytest.mark.parametrize(
    ("branching", "depth", "runs", "paths"), [(3, 5, 121, 81), (2, 3, 7, 4), (1, 50, 50, 1), (10, 1, 1, 1)]
)
def test_counts_follow_the_formula(branching: int, depth: int, runs: int, paths: int) -> None:
    forest = Forest(2, depth, branching)
    assert (forest.runs, forest.paths) == (2 * runs, 2 * paths)
    assert forest.saved == 2 * (paths * depth - runs)


@given(forests)
def test_every_session_is_there_once_after_its_parent(forest: Forest) -> None:
    places = list(forest.places())
    assert len(places) == len(set(places)) == forest.runs
    for index, place in enumerate(places):
        path = forest.path_to(place)
        assert path[-1] == place
        assert [session for _, session in path] == list(range(place[1] + 1))
        assert set(path) <= set(places[: index + 1])
        assert {forest.tree_of(chain) for chain, _ in path} == {forest.tree_of(place[0])}


@given(forests)
def test_children_and_paths_agree(forest: Forest) -> None:
    leaves = [place for place in forest.places() if place[1] == forest.sessions - 1]
    assert len({forest.path_to(leaf) for leaf in leaves}) == forest.paths
    for place in forest.places():
        children = forest.children(place)
        assert len(children) == (forest.branching if place[1] < forest.sessions - 1 else 0)
        assert all(forest.path_to(child)[:-1] == forest.path_to(place) for child in children)


@given(forests)
def test_a_first_child_goes_on_with_its_parents_streams_and_no_two_sessions_share_theirs(
    forest: Forest,
) -> None:
    for place in forest.places():
        chains = [chain for chain, _ in forest.children(place)]
        assert chains[:1] in ([], [place[0]])
        assert len(chains) == len(set(chains))


def test_paths_do_not_visit_a_category_twice_and_siblings_go_apart() -> None:
    forest = Forest(1, 4, 3)
    plans = {place: plan_session(Shop(), 5, *place, forest.branch(place)) for place in forest.places()}
    for place in plans:
        visited = [plans[step].category for step in forest.path_to(place)]
        assert len(visited) == len(set(visited))
        times = [plans[step].started_at for step in forest.path_to(place)]
        assert times == sorted(times)
        siblings = Counter(plans[child].category for child in forest.children(place))
        assert set(siblings.values()) <= {1}


def test_the_first_path_of_a_tree_is_the_plain_chain() -> None:
    forest = Forest(2, 4, 3)
    for tree in range(2):
        first = tree * forest.paths_per_tree
        for session in range(4):
            plain = plan_session(Shop(), 5, first, session)
            assert plan_session(Shop(), 5, first, session, forest.branch((first, session))) == plain


def test_without_branching_the_places_are_chains_and_sessions() -> None:
    forest = Forest(2, 2, 1, first=3)
    assert list(forest.places()) == [(3, 0), (3, 1), (4, 0), (4, 1)]
    assert forest.branch((3, 1)) is None
    assert forest.saved == 0
