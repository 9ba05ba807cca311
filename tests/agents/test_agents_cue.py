from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recallreach.agents.cue import COLORS, CuePhrase, named, read_cue


@pytest.mark.parametrize(
    ("goal", "color", "words"),
    [
        ("Find the chair whose picture had a purple eye sleep mask in it.", "purple", "eye sleep mask"),
        ("Earlier you saw a TEAL thing and a Red Tennis Ball next to a lamp.", "red", "tennis ball"),
        ('Find the product shown with "teal eye sleep mask" and save it.', "", "teal eye sleep mask"),
        ("Find the product with 'the black hourglass'.", "black", "hourglass"),
        ("Which page showed a white, folded note? It had a beige wool scarf.", "beige", "wool scarf"),
        ("Return to the item with the red-handled brush.", "red", "handled brush"),
        ("It had knit socks (brown knit socks) on it", "brown", "knit socks"),
    ],
)
def test_read_cue_finds_colour_and_object(goal: str, color: str, words: str) -> None:
    phrase = read_cue(goal)
    assert phrase is not None
    assert (phrase.color, phrase.object) == (color, words)


@pytest.mark.parametrize("goal", ["", "Find the chair you liked.", "Something green.", "'"])
def test_read_cue_says_when_there_is_none(goal: str) -> None:
    assert read_cue(goal) is None


OBJECT = st.lists(
    st.sampled_from(["eye", "mask", "tulip", "stem", "ball", "clock"]), min_size=1, max_size=3, unique=True
)
TEMPLATE = st.sampled_from(
    [
        "Find the product whose picture had a {}.",
        "In an earlier session a {} was visible on some page. Which?",
        "Look for: {}",
        "You saw the {} near something. Open that page and add it to your wishlist.",
    ]
)


@settings(deadline=None)
@given(TEMPLATE, st.sampled_from(COLORS), OBJECT)
def test_read_cue_round_trip(template: str, color: str, words: list[str]) -> None:
    assert read_cue(template.format(" ".join([color, *words]))) == CuePhrase(color, tuple(words))


@settings(deadline=None)
@given(st.text(max_size=300))
def test_read_cue_takes_any_text(goal: str) -> None:
    phrase = read_cue(goal)
    assert phrase is None or phrase.words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A purple eye sleep mask lies on it.", (True, 1.0)),
        ("Two eye masks.", (False, 2 / 3)),
        ("The sleep of the just.", (False, 0.0)),
        ("A mask.", (False, 0.0)),
        ("A purple chair", (True, 0.0)),
        ("", (False, 0.0)),
    ],
)
def test_named(text: str, expected: tuple[bool, float]) -> None:
    assert named(CuePhrase("purple", ("eye", "sleep", "mask")), text) == expected
