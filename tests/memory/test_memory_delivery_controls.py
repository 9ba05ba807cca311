"""Controls: golden parts of each, and that two of them differ in the variable they name and nothing else."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from typing import Any, get_args

import numpy as np
import pytest
from PIL import Image

from recallreach.errors import ConfigError
from recallreach.files import sha256
from recallreach.memory.check import QUERY, check_delivery, sample_picture
from recallreach.memory.delivery import build_delivery
from recallreach.memory.delivery.controls import Counterpart, Pictures, encoded
from recallreach.memory.delivery.cost import delivery_cost
from recallreach.memory.delivery.decisions import Dates, Identity, Tags, Time, deranged
from recallreach.memory.errors import PictureError
from recallreach.memory.pictures import decode
from recallreach.memory.types import Delivered, ImagePart, Record, Retrieved, TextPart


class Shop:
    """Stand-in pictures of a fixed size that differ by kind."""

    def __init__(self, size: int = 96) -> None:
        self.size = size
        self.asked: list[tuple[str, str, set[str]]] = []

    def picture(self, kind: Counterpart, url: str, avoid: Collection[str]) -> bytes:
        self.asked.append((kind, url, set(avoid)))
        return sample_picture(100 + get_args(Counterpart).index(kind), self.size)


def hits(count: int = 4) -> list[Retrieved]:
    """Hits on different days, JPEG and PNG in turn; the last one has no date."""
    found = []
    for index in range(count):
        plain = sample_picture(index, 96)
        picture = encoded(decode(plain)) if index % 2 else plain
        seen = "" if index == count - 1 else f"2024-05-{11 + 3 * (index % 5):02d}T19:3{index % 10}:00"
        record = Record(
            index,
            f"/product/{index:08x}",
            f"Chair {index}",
            "",
            sha256(picture),
            0,
            index,
            seen,
            f"Said {index}.",
        )
        found.append(Retrieved(record, 1.0 - index / 10, {}, picture))
    return found


HITS = hits()


def deliver(name: str = "delivermem", given: list[Retrieved] | None = None, **options: Any) -> Delivered:
    shop = options.pop("shop", None) or Shop()
    return build_delivery(name, counterparts=shop, **options).deliver(QUERY, HITS if given is None else given)


def texts(delivered: Delivered) -> list[str]:
    return [part.text for part in delivered.parts if isinstance(part, TextPart)]


def images(delivered: Delivered) -> list[ImagePart]:
    return [part for part in delivered.parts if isinstance(part, ImagePart)]


def shape(delivered: Delivered) -> list[tuple[str, int, int]]:
    return [
        ("image", part.width, part.height) if isinstance(part, ImagePart) else ("text", 0, 0)
        for part in delivered.parts
    ]


def digest(pieces: list[bytes]) -> str:
    return hashlib.sha256(b"\0".join(pieces)).hexdigest()[:10]


def prints(delivered: Delivered) -> tuple[str, str]:
    """Short hashes of all texts and of the pixels of all pictures (files may differ by compressor)."""
    told, shown = texts(delivered), images(delivered)
    pixels = [np.asarray(decode(image.data)).tobytes() for image in shown]
    return digest([text.encode() for text in told]), digest(pixels)


GOLDEN: dict[str, tuple[str, str]] = {
    "delivermem": ("9782a3df43", "f0e59956f9"),
    "pictures=withheld": ("71e43395a4", "e3b0c44298"),
    "pictures=blank": ("9782a3df43", "8c8852c25b"),
    "pictures=noise": ("9782a3df43", "873465bc58"),
    "pictures=blurred": ("9782a3df43", "f5cef474d3"),
    "pictures=uncued": ("9782a3df43", "ebd631604e"),
    "pictures=same-collection": ("9782a3df43", "4c8d0809b1"),
    "pictures=other-category": ("9782a3df43", "04fc69b325"),
    "tags=stated": ("3ce206a015", "8eb5108218"),
    "tags=stamped": ("e4fdf10485", "f0e59956f9"),
    "tags=none": ("ad5926eeb6", "8eb5108218"),
    "tags=constant": ("f64d5ef2b4", "94aeaa157f"),
    "tags=shuffled": ("9782a3df43", "6d2ef5a5ed"),
    "dates=none": ("c85b8d7ad5", "f0e59956f9"),
    "dates=ordinal": ("a9727e49ed", "f0e59956f9"),
    "dates=shuffled": ("5a8d195088", "f0e59956f9"),
    "caption+pixels": ("3ce206a015", "8eb5108218"),
    "pixels": ("71baf33a32", "8eb5108218"),
    "text": ("5541afb2fa", "e3b0c44298"),
    "pipeline": ("9782a3df43", "f0e59956f9"),
    "nothing": ("e3b0c44298", "e3b0c44298"),
}

VARIANTS: dict[str, dict[str, Any]] = {
    "delivermem": {},
    **{f"pictures={kind}": {"pictures": kind} for kind in get_args(Pictures)[1:]},
    **{f"tags={tags}": {"tags": tags} for tags in get_args(Tags)[1:]},
    **{f"dates={dates}": {"dates": dates} for dates in get_args(Dates)[1:]},
    "caption+pixels": {"name": "caption+pixels"},
    "pixels": {"name": "pixels"},
    "text": {"name": "text"},
    "pipeline": {"name": "pipeline"},
    "nothing": {"name": "nothing"},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_decision_and_control_delivers_its_golden_parts(variant: str) -> None:
    assert prints(deliver(**VARIANTS[variant])) == GOLDEN[variant]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_control_keeps_the_contract(variant: str) -> None:
    options = dict(VARIANTS[variant])
    name = options.pop("name", "delivermem")
    check_delivery(lambda: build_delivery(name, counterparts=Shop(128), **options))


REPLACED = [kind for kind in get_args(Pictures) if kind not in ("own", "withheld")]


@pytest.mark.parametrize("kind", REPLACED)
def test_a_picture_control_changes_what_the_slots_show_and_nothing_else(kind: str) -> None:
    own, control = deliver(), deliver(pictures=kind)
    assert texts(own) == texts(control)
    assert shape(own) == shape(control)
    assert [item.tag for item in own.items] == [item.tag for item in control.items]
    assert {item.control for item in own.items} == {""}
    assert {item.control for item in control.items} == {kind}
    for one, two in zip(images(own), images(control), strict=True):
        before, after = (np.asarray(decode(image.data), int) for image in (one, two))
        assert np.abs(before - after)[14:].max() > 40
        assert np.abs(before - after)[:11, :11].max() < 40, "the tag stays where it was"


@pytest.mark.parametrize("kind", REPLACED)
def test_without_stamps_the_same_holds(kind: str) -> None:
    own, control = deliver("pixels"), deliver("pixels", pictures=kind)
    assert texts(own) == texts(control)
    assert shape(own) == shape(control)
    assert not {image.data for image in images(own)} & {image.data for image in images(control)}


def test_withheld_empties_the_slot_and_says_so_on_the_line() -> None:
    own, control = deliver(), deliver(pictures="withheld")
    assert images(control) == []
    assert texts(control)[0] == texts(own)[0]
    assert texts(control)[1:] == [f"{text} (picture withheld)" for text in texts(own)[1:]]
    assert [item.control for item in control.items] == ["withheld"] * 4


def test_the_three_drawn_controls_show_what_they_say() -> None:
    blank = np.asarray(decode(images(deliver("pixels", pictures="blank"))[0].data), int)
    assert np.abs(blank - 128).max() <= 2
    noise = np.asarray(decode(images(deliver("pixels", pictures="noise"))[0].data), int)
    assert noise.std() > 50
    blurred = np.asarray(decode(images(deliver("pixels", pictures="blurred"))[0].data), int)
    plain = np.asarray(decode(HITS[0].picture or b""), int)
    assert np.abs(np.diff(blurred, axis=0)).max() < np.abs(np.diff(plain, axis=0)).max() / 4
    assert np.abs(blurred.mean((0, 1)) - plain.mean((0, 1))).max() < 10


def test_noise_depends_on_picture_and_seed_only() -> None:
    one, two = (images(deliver("pixels", pictures="noise", seed=seed)) for seed in (0, 1))
    assert len({image.data for image in [*one, *two]}) == 8
    swapped = images(deliver("pixels", given=HITS[::-1], pictures="noise"))
    assert [image.data for image in swapped] == [image.data for image in one[::-1]]


def test_pictures_of_the_shop_are_asked_for_by_page_and_fitted_to_the_slot() -> None:
    shop = Shop(size=200)
    control = deliver(pictures="same-collection", shop=shop)
    pages = [hit.record.url for hit in HITS]
    assert shop.asked == [("same-collection", page, set(pages)) for page in pages]
    assert shape(control) == shape(deliver())


def test_without_a_shop_such_a_control_says_what_to_do() -> None:
    with pytest.raises(ConfigError, match="pictures='uncued' takes its pictures from the shop"):
        build_delivery("delivermem", pictures="uncued").deliver(QUERY, HITS)
    with pytest.raises(ConfigError, match="'text' delivers none"):
        build_delivery("text", pictures="blank")


def test_values_that_no_decision_knows_are_refused_with_the_near_one() -> None:
    for option, near in (("pictures", "blurred"), ("tags", "stamped"), ("dates", "ordinal")):
        with pytest.raises(ConfigError, match=f"value of {option}.*Did you mean '{near}'"):
            build_delivery("delivermem", **{option: near[:-1]})
    with pytest.raises(ConfigError, match="seed from 0"):
        build_delivery("delivermem", seed=-1)


def _corners(delivered: Delivered) -> list[bytes]:
    return [np.asarray(decode(image.data))[:12, :20].tobytes() for image in images(delivered)]


def test_tag_controls_change_tags_and_nothing_else() -> None:
    both = deliver()
    for tags in get_args(Tags)[1:]:
        control = deliver(tags=tags)
        assert shape(control) == shape(both)
        for one, two in zip(images(both), images(control), strict=True):
            before, after = (np.asarray(decode(image.data), int) for image in (one, two))
            assert not np.abs(before - after)[16:].any(), "below the plate's rows not one pixel changes"
    assert texts(deliver(tags="constant"))[1].startswith("M0 [2024/05/11")
    assert texts(deliver(tags="constant"))[0] == texts(both)[0]
    assert texts(deliver(tags="shuffled")) == texts(both)
    assert [text.removeprefix(f"M{n} ") for n, text in enumerate(texts(both)[1:], 1)] == texts(
        deliver(tags="none")
    )[1:]


def test_a_constant_tag_addresses_nothing_and_is_the_same_on_all() -> None:
    constant = deliver(tags="constant")
    assert {item.tag for item in constant.items} == {""}
    assert constant.by_tag("M0") is None
    assert len(set(_corners(constant))) <= 4
    assert all(text.startswith("M0 ") for text in texts(constant)[1:])


def test_shuffled_tags_stamp_every_picture_with_the_tag_of_another() -> None:
    plain = {"dates": "none"}
    same = [replace(hit, picture=HITS[0].picture) for hit in HITS]
    right, wrong = (_corners(deliver(given=same, tags=tags, **plain)) for tags in ("both", "shuffled"))
    assert sorted(right) == sorted(wrong)
    assert all(one != two for one, two in zip(right, wrong, strict=True))
    assert [item.tag for item in deliver(tags="shuffled").items] == ["M1", "M2", "M3", "M4"]


def test_date_controls_change_dates_and_nothing_else() -> None:
    stated = deliver()
    for dates in get_args(Dates)[1:]:
        control = deliver(dates=dates)
        assert [image.data for image in images(control)] == [image.data for image in images(stated)]
    assert texts(deliver(dates="shuffled"))[0] == texts(stated)[0]
    assert texts(deliver(dates="ordinal"))[2] == "M2 [seen 2 of 3] /product/00000001 | Chair 1: Said 1."
    assert texts(deliver(dates="none"))[2] == "M2 /product/00000001 | Chair 1: Said 1."


def _records(*moments: str) -> list[Record]:
    return [replace(HITS[0].record, id=index, seen_at=moment) for index, moment in enumerate(moments)]


def test_shuffled_dates_are_the_same_dates_each_on_another_item() -> None:
    records = _records("2024-05-11T19:33:00", "", "2024-05-12T19:33:00", "2024-05-13T19:33:00")
    random = np.random.default_rng(5)
    right, wrong = Time("stated").stamps(records, random), Time("shuffled").stamps(records, random)
    assert sorted(right) == sorted(wrong)
    assert wrong[1] == right[1] == ""
    assert all(one != two for one, two in zip(right, wrong, strict=True) if one)


def test_equal_dates_share_their_ordinal() -> None:
    records = _records("2024-05-13", "2024-05-11", "2024-05-13", "")
    assert Time("ordinal").stamps(records, np.random.default_rng(0)) == [
        "[seen 2 of 2]",
        "[seen 1 of 2]",
        "[seen 2 of 2]",
        "",
    ]


def test_a_derangement_moves_everything_and_repeats() -> None:
    for count in range(2, 9):
        for seed in range(20):
            places = deranged(count, np.random.default_rng(seed))
            assert sorted(places) == list(range(count))
            assert all(place != index for index, place in enumerate(places))
    assert deranged(1, np.random.default_rng(0)) == [0]
    assert deranged(0, np.random.default_rng(0)) == []
    assert deranged(6, np.random.default_rng(3)) == deranged(6, np.random.default_rng(3))


def test_controls_of_one_item_and_of_two_hundred() -> None:
    one = HITS[:1]
    assert texts(deliver(given=one, tags="shuffled")) == texts(deliver(given=one))
    assert texts(deliver(given=one, dates="shuffled")) == texts(deliver(given=one))
    many = deliver(given=hits(200), tags="shuffled", dates="ordinal", pictures="blank")
    assert len(images(many)) == 200
    assert [item.tag for item in many.items] == [f"M{rank}" for rank in range(1, 201)]


def test_no_control_touches_what_is_stored() -> None:
    def state() -> str:
        facts = [(hit.record, hit.score, dict(hit.channels), sha256(hit.picture or b"")) for hit in HITS]
        return sha256(repr(facts).encode())

    before = state()
    for options in VARIANTS.values():
        deliver(**options)
    assert state() == before


@pytest.mark.parametrize("kind", [*REPLACED])
def test_a_picture_of_one_pixel_stays_one_pixel(kind: str) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (1, 1), "red").save(buffer, "PNG")
    tiny = replace(HITS[0], picture=buffer.getvalue())
    (image,) = images(deliver(given=[tiny], pictures=kind))
    assert (image.width, image.height) == (1, 1)


@pytest.mark.parametrize("kind", [*REPLACED])
def test_a_damaged_picture_is_an_error_under_every_control(kind: str) -> None:
    damaged = replace(HITS[0], picture=b"no picture")
    with pytest.raises(PictureError, match="cannot be decoded"):
        deliver(given=[damaged], pictures=kind)


def test_costs_of_matched_controls_are_equal() -> None:
    costs = [delivery_cost(deliver(pictures=kind)) for kind in ("own", *REPLACED)]
    assert all(one == two for one, two in pairwise(costs))


def test_names_by_identity() -> None:
    random = np.random.default_rng(0)
    assert [name.stamped for name in Identity("stated").names(2, random)] == ["", ""]
    assert [name.stated for name in Identity("stamped").names(2, random)] == ["", ""]
    assert [name.tag for name in Identity("stamped").names(2, random)] == ["M1", "M2"]
