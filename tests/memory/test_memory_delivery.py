"""Deliveries: golden parts, purity, stamps, odd pictures, costs."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from recallreach.errors import ConfigError, DataError, UnknownNameError
from recallreach.files import sha256
from recallreach.memory.check import QUERY, check_delivery, sample_hits, sample_picture
from recallreach.memory.delivery import build_delivery, deliveries
from recallreach.memory.delivery.cost import DeliveryCost, delivery_cost, text_tokens, visual_tokens
from recallreach.memory.delivery.decisions import Dates, Identity, Modality, Time, shortened
from recallreach.memory.delivery.stamp import as_part, stamped
from recallreach.memory.errors import PictureError
from recallreach.memory.pictures import decode
from recallreach.memory.types import Delivered, ImagePart, Record, Retrieved, TextPart

HITS = sample_hits()
DATE = "[2024/05/11 (Sat) 19:33]"


def _lines(delivered: Delivered) -> list[str]:
    return [part.text if isinstance(part, TextPart) else "<image>" for part in delivered.parts]


def _encoded(image: Image.Image, form: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("name", deliveries.names())
def test_every_delivery_keeps_the_contract(name: str) -> None:
    check_delivery(lambda: build_delivery(name))


def test_delivermem_states_tag_and_date_and_binds_each_picture_to_its_line() -> None:
    assert _lines(build_delivery("delivermem").deliver(QUERY, HITS)) == [
        "Memory found 3 items, most relevant first. Each item has a tag, M1 for the most relevant, shown on "
        "its line and in the top-left corner of its picture. Each picture follows the line of its item. "
        "Dates in brackets say when the item was seen.",
        f"M1 {DATE} /product/00000000 | Chair 0: A photograph of chair 0.",
        "<image>",
        f"M2 {DATE} /product/00000001 | Chair 1: A photograph of chair 1.",
        "<image>",
        f"M3 {DATE} /product/00000002 | Chair 2: Page text.",
    ]


def test_caption_and_pixels_delivers_the_stored_bytes_unstamped() -> None:
    delivered = build_delivery("caption+pixels").deliver(QUERY, HITS)
    images = [item.image for item in delivered.items]
    assert [image and sha256(image.data) for image in images] == [hit.record.picture for hit in HITS]
    assert "corner" not in _lines(delivered)[0]
    assert _lines(delivered)[1] == f"M1 {DATE} /product/00000000 | Chair 0: A photograph of chair 0."


def test_text_delivers_no_picture_and_pixels_no_proxy() -> None:
    text = build_delivery("text").deliver(QUERY, HITS)
    assert delivery_cost(text).images == 0
    assert _lines(text)[1] == f"M1 {DATE} /product/00000000 | Chair 0: A photograph of chair 0."
    pixels = build_delivery("pixels").deliver(QUERY, HITS)
    assert _lines(pixels)[1:] == [f"M1 {DATE}", "<image>", f"M2 {DATE}", "<image>", f"M3 {DATE}"]


def test_nothing_delivers_nothing_and_no_hits_deliver_nothing() -> None:
    assert build_delivery("nothing").deliver(QUERY, HITS) == Delivered()
    for name in deliveries.names():
        assert build_delivery(name).deliver(QUERY, []) == Delivered()


def test_without_tags_and_dates_the_line_is_the_proxy_alone() -> None:
    delivered = build_delivery("caption+pixels", tags="none", dates="none").deliver(QUERY, HITS)
    assert _lines(delivered)[1] == "/product/00000000 | Chair 0: A photograph of chair 0."
    assert {item.tag for item in delivered.items} == {""}
    assert "tag" not in _lines(delivered)[0]


def test_stamped_only_names_the_item_but_does_not_state_it() -> None:
    delivered = build_delivery("delivermem", tags="stamped").deliver(QUERY, HITS[:1])
    assert delivered.items[0].tag == "M1"
    assert _lines(delivered)[1].startswith(DATE)
    assert "shown in the top-left corner" in _lines(delivered)[0]


def test_the_stamp_changes_the_corner_of_the_copy_and_nothing_else() -> None:
    picture = sample_picture(3, 512)
    before, after = np.asarray(decode(picture), int), np.asarray(decode(stamped(picture, "M1").data), int)
    changed = np.abs(before - after).max(axis=2) > 40
    rows, columns = np.nonzero(changed)
    assert rows.max() < 40
    assert columns.max() < 64
    assert changed[:30, :40].mean() > 0.8


@pytest.mark.parametrize("ground", ["white", "black", "#808080"])
def test_the_stamp_reads_white_on_black_on_any_ground(ground: str) -> None:
    part = stamped(_encoded(Image.new("RGB", (512, 512), ground), "PNG"), "M7")
    corner = np.asarray(decode(part.data).convert("L"), int)[2:29, 2:30]
    assert corner.min() < 20
    assert corner.max() > 235
    assert (corner < 60).mean() > 0.4


def test_stamps_of_different_tags_differ_and_grow_with_the_picture() -> None:
    picture = sample_picture(0, 256)
    assert stamped(picture, "M1").data != stamped(picture, "M2").data
    heights = []
    for size in (256, 1024):
        plain = Image.new("RGB", (size, size), "white")
        dark = np.asarray(decode(stamped(_encoded(plain, "PNG"), "M1").data).convert("L")) < 128
        heights.append(int(np.nonzero(dark)[0].max()))
    assert heights[1] > 3 * heights[0]


def test_a_picture_without_room_for_a_stamp_is_delivered_as_it_is() -> None:
    tiny = _encoded(Image.new("RGB", (1, 1), "red"), "PNG")
    assert stamped(tiny, "M1") == ImagePart(tiny, 1, 1, "image/png")


def test_odd_pictures_are_delivered_as_upright_rgb_jpegs() -> None:
    wide = Image.new("RGB", (60, 40), "red")
    exif = Image.Exif()
    exif[0x0112] = 6
    frames = [Image.new("RGB", (60, 40), "red"), Image.new("RGB", (60, 40), "blue")]
    cases = {
        "cmyk": (_encoded(wide.convert("CMYK"), "JPEG"), (60, 40)),
        "rotated": (_encoded(wide, "JPEG", exif=exif), (40, 60)),
        "animated": (_encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]), (60, 40)),
    }
    for name, (picture, size) in cases.items():
        part = as_part(picture)
        assert (part.width, part.height, part.media_type) == (*size, "image/jpeg"), name
        red, _, blue = np.asarray(decode(part.data))[20, 20]
        assert red > 200 > 100 > blue, name


def test_bytes_that_are_no_picture_are_an_error() -> None:
    for build in (as_part, lambda data: stamped(data, "M1")):
        with pytest.raises(PictureError, match="cannot be decoded"):
            build(b"no picture")


def test_a_lost_picture_is_an_error_and_not_a_silent_gap() -> None:
    lost = replace(HITS[0], picture=None)
    with pytest.raises(PictureError, match="record 0 lost its picture"):
        build_delivery("delivermem").deliver(QUERY, [lost])
    assert build_delivery("text").deliver(QUERY, [lost]).items[0].image is None


def _record(**changes: object) -> Record:
    return replace(HITS[0].record, **changes)


def _dates(*moments: str, dates: Dates = "stated", seed: int = 0) -> list[str]:
    records = [_record(seen_at=moment) for moment in moments]
    return Time(dates).stamps(records, np.random.default_rng(seed))


def test_dates_are_in_the_published_form_and_absent_when_unknown() -> None:
    found = _dates("2024-05-11T19:33:00", "2025-01-05T08:04:59", "")
    assert found == [DATE, "[2025/01/05 (Sun) 08:04]", ""]
    assert _dates("2024-05-11T19:33:00", dates="none") == [""]
    with pytest.raises(DataError, match="'yesterday'"):
        _dates("yesterday")


def test_the_proxy_is_the_caption_or_else_the_page_text_on_one_line() -> None:
    def proxy(note: str = "", **changes: object) -> str:
        return Modality().proxy_text(Retrieved(_record(**changes), 1.0, note=note))

    assert proxy(caption="Said.", text="Page") == "/product/00000000 | Chair 0: Said."
    assert proxy(caption="", text="A\n  B\tC", title="Two\nlines") == "/product/00000000 | Two lines: A B C"
    assert proxy(caption="", text="", title="") == "/product/00000000"
    assert proxy("(sure)", caption="Said.") == "/product/00000000 | Chair 0: Said. (sure)"


def test_long_text_is_cut_at_a_word() -> None:
    assert shortened("one two three", 13) == "one two three"
    assert shortened("one two three", 12) == "one two…"
    assert shortened("abcdefghij", 5) == "abcd…"
    delivered = build_delivery("text", text_limit=20).deliver(
        QUERY, [Retrieved(_record(caption="word " * 50), 1.0)]
    )
    assert delivered.items[0].text.endswith("word word word…")


def test_two_hundred_items_are_tagged_in_rank_order() -> None:
    hits = [Retrieved(_record(id=index, picture=None), 1.0) for index in range(200)]
    delivered = build_delivery("delivermem").deliver(QUERY, hits)
    assert [item.tag for item in delivered.items] == [f"M{rank + 1}" for rank in range(200)]
    found = delivered.by_tag(" m200 ")
    assert found is not None
    assert found.record_id == 199


def test_one_item_is_one_item() -> None:
    assert _lines(build_delivery("text").deliver(QUERY, HITS[:1]))[0].startswith("Memory found 1 item, ")


def test_identity_without_either_form_gives_no_tag() -> None:
    (name,) = Identity("none").names(1, np.random.default_rng(0))
    assert (name.tag, name.stated, name.stamped) == ("", "", "")
    assert Identity("stamped").rule(pixels=False) == "Each item has a tag, M1 for the most relevant."


def test_unknown_names_and_options_say_what_is_known() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'delivermem'"):
        build_delivery("delivermen")
    with pytest.raises(ConfigError, match=r"'tag'.*It knows: pictures, tags, dates, text_limit, seed"):
        build_delivery("text", tag=1)
    with pytest.raises(ConfigError, match="text_limit"):
        build_delivery("text", text_limit=0)


def test_costs_follow_the_patch_rule() -> None:
    assert visual_tokens(512, 512) == 18 * 18
    assert visual_tokens(640, 480) == 23 * 17
    assert visual_tokens(1, 1) == 1
    assert visual_tokens(512, 512, patch=32) == 256
    assert [text_tokens(text) for text in ("", "abcd", "abcde")] == [0, 1, 2]
    delivered = Delivered(
        (TextPart("abcd"), ImagePart(b"", 512, 512), TextPart("abcde"), ImagePart(b"", 56, 28))
    )
    assert delivery_cost(delivered) == DeliveryCost(2, 326, 3)
