"""The table at the end of a run stays readable for long curves."""

from __future__ import annotations

import pytest

from recallreach.study.summary import MOST_REACHES, _spread


@pytest.mark.parametrize("count", [1, 2, MOST_REACHES])
def test_short_curves_are_shown_whole(count: int) -> None:
    assert _spread(list(range(count))) == list(range(count))


@pytest.mark.parametrize("count", [MOST_REACHES + 1, 15, 50, 500])
def test_of_long_curves_some_reaches_are_shown_with_both_ends(count: int) -> None:
    shown = _spread(list(range(count)))
    assert len(set(shown)) == MOST_REACHES
    assert shown == sorted(shown)
    assert (shown[0], shown[-1]) == (0, count - 1)
