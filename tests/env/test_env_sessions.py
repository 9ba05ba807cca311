"""Session plans and probes: what they depend on, and what they say."""

import itertools
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest

from recallreach.env.probes import plan_probes, probe_goal
from recallreach.env.sessions import FEWEST_STEPS, MOST_STEPS, plan_session, seen_at
from recallreach.env.types import SessionPlan, Trajectory
from recallreach.errors import ConfigError, DataError, UnknownNameError
from recallreach.storefront.types import Cue

SLUGS = ("chair", "plant-pot", "table-lamp", "rug")
SHOP = SimpleNamespace(
    categories=tuple(SimpleNamespace(slug=slug, name=slug.replace("-", " ").title() + "s") for slug in SLUGS)
)
CUES = {f"{number:08x}": Cue(f"thing {number}", "teal", f"thing-{number}") for number in range(100)}


class Cues:
    """A catalogue that only knows its cues."""

    def cue_of(self, product_id: str) -> Cue:
        if product_id not in CUES:
            raise UnknownNameError("product", product_id, CUES)
        return CUES[product_id]


def session(chain: int, index: int, *numbers: int) -> Trajectory:
    plan = SessionPlan(chain, index, "chair", "", 22, "2024-05-11T19:33:00")
    return Trajectory(plan, (), tuple(f"{number:08x}" for number in numbers))


CHAIN = [session(0, 0, 1, 2, 3), session(0, 1, 4, 2), session(0, 2, 5, 1)]


def planned(*args, **options):
    options = {"seed": 0, **options}
    return plan_probes(*args, Cues(), **options)


def test_every_category_comes_once_in_each_round_and_rounds_differ() -> None:
    plans = [plan_session(SHOP, 7, 0, index) for index in range(40)]
    rounds = [tuple(plan.category for plan in plans[start : start + 4]) for start in range(0, 40, 4)]
    assert all(sorted(turn) == sorted(SLUGS) for turn in rounds)
    assert len(set(rounds)) > 1


def test_plans_depend_on_seed_chain_and_index_only() -> None:
    again = [plan_session(SHOP, 7, 3, index) for index in (9, 2, 5)]
    assert again == [[plan_session(SHOP, 7, 3, index) for index in range(10)][index] for index in (9, 2, 5)]
    assert plan_session(SHOP, 8, 3, 2) != plan_session(SHOP, 7, 3, 2)
    assert len({plan_session(SHOP, 7, chain, 0).started_at for chain in range(20)}) > 10
    assert len({plan_session(SHOP, 7, chain, 0).category for chain in range(20)}) == len(SLUGS)


def test_budgets_cover_the_published_range() -> None:
    budgets = Counter(plan_session(SHOP, 0, chain, 0).budget for chain in range(200))
    assert sorted(budgets) == list(range(FEWEST_STEPS, MOST_STEPS + 1))


def test_sessions_lie_days_apart_at_waking_hours() -> None:
    for chain in range(10):
        starts = [
            datetime.fromisoformat(plan_session(SHOP, 1, chain, index).started_at) for index in range(30)
        ]
        gaps = [later - earlier for earlier, later in itertools.pairwise(starts)]
        assert min(gaps) > timedelta(days=1)
        assert max(gaps) < timedelta(days=5)
        assert all(8 <= start.hour < 22 for start in starts)


def test_steps_are_twenty_to_sixty_seconds_apart() -> None:
    plan = plan_session(SHOP, 1, 0, 0)
    times = [datetime.fromisoformat(seen_at(plan, 1, step)) for step in range(29)]
    gaps = [(later - earlier).total_seconds() for earlier, later in itertools.pairwise(times)]
    assert times[0].isoformat() == plan.started_at
    assert min(gaps) >= 20
    assert max(gaps) <= 60
    assert len(set(gaps)) > 5


def test_the_goal_says_what_to_compare_and_how_to_end() -> None:
    plan = plan_session(SHOP, 1, 0, 0)
    name = next(entry.name for entry in SHOP.categories if entry.slug == plan.category).lower()
    for words in (name, "three collections", "dozen", "add_to_wishlist", str(plan.budget)):
        assert words in plan.goal


def test_unusable_plans_are_refused() -> None:
    with pytest.raises(ConfigError, match="category"):
        plan_session(SimpleNamespace(categories=()), 0, 0, 0)
    with pytest.raises(ConfigError, match="-1"):
        plan_session(SHOP, 0, 0, -1)


def test_every_product_seen_so_far_is_asked_after_every_session() -> None:
    probes = planned(CHAIN)
    asked = {(probe.session, int(probe.target, 16)): probe for probe in probes}
    assert set(asked) == {(0, n) for n in (1, 2, 3)} | {(1, n) for n in (1, 2, 3, 4)} | {
        (2, n) for n in (1, 2, 3, 4, 5)
    }
    assert len(probes) == len(asked)
    reaches = {key: probe.reach for key, probe in asked.items()}
    assert reaches[0, 1] == 0
    assert reaches[1, 1] == 1
    assert reaches[2, 1] == 0
    assert reaches[2, 2] == 1
    assert reaches[2, 3] == 2
    assert (asked[2, 2].first_seen, asked[2, 2].last_seen) == (0, 1)
    assert asked[1, 2].id == "c0-s1-00000002"
    assert asked[1, 2].budget == 8


def test_reach_can_be_counted_from_the_first_view() -> None:
    probes = planned(CHAIN, reach="first_seen")
    assert {int(probe.target, 16): probe.reach for probe in probes if probe.session == 2} == {
        1: 2,
        2: 2,
        3: 2,
        4: 1,
        5: 0,
    }


def test_a_sample_is_so_many_per_session_and_reach() -> None:
    chain = [session(0, index, *range(index * 12, index * 12 + 12)) for index in range(4)]
    probes = planned(chain, per_reach=3)
    counts = Counter((probe.session, probe.reach) for probe in probes)
    assert counts == {(s, r): 3 for s in range(4) for r in range(s + 1)}
    assert len({probe.id for probe in probes}) == len(probes)
    everything = {probe.id for probe in planned(chain)}
    assert {probe.id for probe in probes} < everything
    assert planned(chain, per_reach=100) == planned(chain)


@pytest.mark.parametrize("seed", range(5))
def test_a_sample_counts_reach_as_it_was_asked_to(seed: int) -> None:
    probes = planned(CHAIN, per_reach=1, reach="first_seen", seed=seed)
    assert Counter((probe.session, probe.reach) for probe in probes) == {
        (session, reach): 1 for session in range(3) for reach in range(session + 1)
    }


def test_a_sample_depends_on_its_own_chain_session_and_reach_only() -> None:
    chain = [session(0, index, *range(index * 12, index * 12 + 12)) for index in range(4)]
    other = [replace(entry, plan=replace(entry.plan, chain=1)) for entry in chain]
    long = planned([*reversed(other), *reversed(chain)], per_reach=2)
    assert [probe for probe in long if probe.chain == 0 and probe.session < 3] == planned(
        chain[:3], per_reach=2
    )
    assert planned(chain, per_reach=2) != planned(chain, per_reach=2, seed=1)
    targets = [[probe.target for probe in long if probe.chain == number] for number in (0, 1)]
    assert targets[0] != targets[1]


def test_the_question_names_the_cue_and_nothing_else() -> None:
    probe = planned(CHAIN)[0]
    assert probe.goal == probe_goal(probe.phrase)
    assert probe.phrase in probe.goal
    assert probe.target not in probe.goal
    assert "a teal thing" in probe_goal("teal thing")
    assert "an orange thing" in probe_goal("orange thing")
    assert "showed brown knit socks." in probe_goal("brown knit socks")
    assert "showed a red glass." in probe_goal("red glass")


def test_chains_that_cannot_be_asked_about_are_refused() -> None:
    with pytest.raises(DataError, match="lacks session 1"):
        planned([CHAIN[0], CHAIN[2]])
    with pytest.raises(DataError, match="twice"):
        planned([CHAIN[0], CHAIN[0]])
    with pytest.raises(DataError, match="another catalogue"):
        planned([session(0, 0, 4000)])
    for options in ({"per_reach": 0}, {"budget": 0}):
        with pytest.raises(ConfigError, match="at least 1"):
            planned(CHAIN, **options)
    assert planned([]) == []
