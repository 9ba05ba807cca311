"""Gold retrieval, counterparts, designs, analysis, growth and the three conditions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from recallreach.errors import ConfigError, DataError
from recallreach.files import sha256
from recallreach.memory.check import check_memory
from recallreach.memory.delivery import build_delivery
from recallreach.memory.delivery.stamp import plate_for, stamped
from recallreach.memory.encoders.hashed import HashedTextEncoder
from recallreach.memory.parts import Parts
from recallreach.memory.pictures import decode
from recallreach.memory.types import Experience, Query, Record, Retrieved
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.pictures import Pictures
from recallreach.study.config import Part
from recallreach.study.decompose.analysis import analyse
from recallreach.study.decompose.conditions import conditions_of, help_of, judged
from recallreach.study.decompose.designs import ladder, terms, tiles
from recallreach.study.decompose.gold import GoldRetrieval
from recallreach.study.decompose.growth import delivered_cost, growth_of
from recallreach.study.decompose.shop import ShopCounterparts, answers_of
from recallreach.study.decompose.shown import growth_table, probes_table, tables_of
from recallreach.study.store import Unit

MakeUnit = Callable[..., Unit]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.synthetic(
        3,
        categories=("bookshelf", "chair"),
        styles=("modern",),
        variants=4,
        objects=("ceramic-mug", "plush-teddy"),
    )


class Listing:
    """A retriever that returns its records in the order written, best first."""

    name, default_delivery = "listing", "text"

    def __init__(self) -> None:
        self.bank: list[Record] = []

    def write(self, view: Experience) -> None:
        self.bank.append(Record(len(self.bank), view.url, "", "", None, 0, len(self.bank)))

    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        return [Retrieved(record, 1.0 - record.id / 100) for record in self.bank][:k]

    def end_session(self) -> None:
        """Nothing to do."""

    def fork(self) -> Listing:
        twin = Listing()
        twin.bank = list(self.bank)
        return twin

    def __len__(self) -> int:
        return len(self.bank)


NO_PARTS = cast("Parts", None)
PRODUCTS = [f"{number:08x}" for number in range(6)]
ASK = Query("find the Red Mug again")


def gold(place: Any = "kept", target: int = 4, products: Sequence[str] = PRODUCTS) -> GoldRetrieval:
    memory = GoldRetrieval(NO_PARTS, Listing(), place)
    for product in products:
        memory.write(Experience(f"/product/{product}", "", "", None, 0, 0))
    return memory.with_answers({"red mug": PRODUCTS[target], "mug": PRODUCTS[0]})


def found(memory: GoldRetrieval, k: int = 3) -> list[int]:
    return [hit.record.id for hit in memory.retrieve(ASK, k)]


def test_gold_takes_the_place_of_the_last_item_where_the_retriever_missed_it() -> None:
    assert found(gold()) == [0, 1, 4]
    assert found(gold("first")) == [4, 0, 1]
    assert found(gold(target=1)) == [0, 1, 2]
    assert found(gold("first", target=1)) == [1, 0, 2]
    assert found(gold(), k=1) == [4]
    assert found(gold(), k=0) == []
    assert found(gold(), k=99) == [0, 1, 2, 3, 4, 5]


def test_a_drawn_place_depends_on_the_question_and_covers_every_rank() -> None:
    memory = gold("drawn")
    places = set()
    for number in range(40):
        hits = memory.retrieve(Query(f"red mug {number}"), 3)
        assert sorted(hit.record.id for hit in hits) == [0, 1, 4]
        places.add([hit.record.id for hit in hits].index(4))
    assert places == {0, 1, 2}
    assert found(memory) == found(gold("drawn"))


def test_gold_cannot_deliver_what_was_never_stored() -> None:
    assert found(gold(products=PRODUCTS[:3])) == [0, 1, 2]
    assert found(gold(products=[])) == []


def test_gold_refuses_questions_that_it_has_no_answer_for() -> None:
    with pytest.raises(DataError, match="which product this question means: 'a blue hat'"):
        gold().retrieve(Query("a blue hat"), 3)
    untold = GoldRetrieval(NO_PARTS, Listing())
    untold.write(Experience("/product/0000000a", "", "", None, 0, 0))
    with pytest.raises(DataError, match="was not told"):
        untold.retrieve(ASK, 3)
    with pytest.raises(ConfigError, match=r"place of the gold item 'fist'.*Did you mean 'first'"):
        GoldRetrieval(NO_PARTS, Listing(), "fist")  # type: ignore[arg-type]


def test_gold_keeps_the_contract_of_a_memory() -> None:
    unused = cast("Any", SimpleNamespace(name="unused", dimension=1))
    parts = Parts(unused, HashedTextEncoder(), unused)
    answers = {"red ceramic mug": "00000003"}
    check_memory(lambda given: GoldRetrieval(given, "text-only").with_answers(answers), parts)


def test_counterparts_come_from_where_they_say(catalog: Catalog) -> None:
    class Named:
        """Pictures that say which product they are of."""

        def picture(self, product_id: str) -> bytes:
            return f"cued {product_id}".encode()

        def base(self, product_id: str) -> bytes:
            return f"base {product_id}".encode()

    shop = ShopCounterparts(catalog, Named())
    for product in catalog:
        url = f"/product/{product.id}"
        assert shop.picture("uncued", url, ()) == f"base {product.id}".encode()
        siblings = [one.id for one in catalog.products_in(product.collection)]
        sibling = shop.picture("same-collection", url, ()).decode().removeprefix("cued ")
        assert sibling in siblings
        assert sibling != product.id
        assert shop.picture("same-collection", url, ()).decode() == f"cued {sibling}"
        other = shop.picture("same-collection", url, [f"/product/{sibling}?a=b"]).decode()
        assert other.removeprefix("cued ") in set(siblings) - {sibling, product.id}
        stranger = shop.picture("other-category", url, ()).decode().removeprefix("cued ")
        assert catalog.by_id(stranger).category != product.category
    first = next(iter(catalog))
    everyone = [f"/product/{product.id}" for product in catalog]
    with pytest.raises(DataError, match=f"no other product for /product/{first.id}"):
        shop.picture("same-collection", f"/product/{first.id}", everyone)
    with pytest.raises(DataError, match="'/cart' is no product page"):
        shop.picture("uncued", "/cart", ())


def test_answers_name_every_product_once(catalog: Catalog) -> None:
    answers = answers_of(catalog)
    assert sorted(answers.values()) == sorted(product.id for product in catalog)
    assert all(catalog.cue_of(product).phrase.casefold() == phrase for phrase, product in answers.items())


def test_a_stamp_covers_no_cue_and_keeps_every_pixel_below_it(catalog: Catalog) -> None:
    pictures = Pictures(catalog)
    for product in catalog:
        rendered, stored = pictures.render(product.id), pictures.picture(product.id)
        for tag in ("M1", "M200"):
            plate = plate_for(tag, (512, 512))
            assert not rendered.mask[: plate.height, : plate.width].any()
            below = -(-plate.height // 8) * 8
            one, two = np.asarray(decode(stored)), np.asarray(decode(stamped(stored, tag).data))
            assert np.array_equal(one[below:], two[below:])
            assert not np.array_equal(one[:below], two[:below])


def test_an_uncued_control_shows_the_product_without_its_cue_and_nothing_else(catalog: Catalog) -> None:
    pictures, product = Pictures(catalog), next(iter(catalog))
    stored = pictures.picture(product.id)
    record = Record(0, f"/product/{product.id}", "", "", sha256(stored), 0, 0)
    delivery = build_delivery("pixels", pictures="uncued", counterparts=ShopCounterparts(catalog, pictures))
    (item,) = delivery.deliver(Query("q"), [Retrieved(record, 1.0, {}, stored)]).items
    assert item.image is not None
    changed = pictures.render(product.id).changed
    one, two = np.asarray(decode(stored), int), np.asarray(decode(item.image.data), int)
    difference = np.abs(one - two).max(2)
    assert difference[changed].max() > 40
    rows, columns = np.nonzero(changed)
    outside = np.ones(changed.shape, bool)
    outside[max(0, rows.min() - 8) : rows.max() + 9, max(0, columns.min() - 8) : columns.max() + 9] = False
    assert not difference[outside].any()


# Designs.


def test_the_decomposition_varies_one_argument_at_a_time() -> None:
    design = terms([Part(name="dualmem"), Part(name="caption")])
    assert [part.title for part in design.memories] == ["gold", "own dualmem", "own caption"]
    assert design.memories[0].options == {"memory": "dualmem", "place": "kept"}
    delivery, retrieval = design.families
    assert (delivery.corner, delivery.others) == ("gold + pixels", ("gold + text",))
    assert (retrieval.corner, retrieval.others) == (
        "gold + pixels",
        ("own dualmem + pixels", "own caption + pixels"),
    )
    with pytest.raises(ConfigError, match="two deliveries or more"):
        terms(deliveries=[Part(name="text")])


def test_the_ladder_holds_every_control_against_the_delivery_as_it_is() -> None:
    design = ladder()
    assert [len(family.others) for family in design.families] == [7, 5, 3]
    assert {family.corner for family in design.families} == {"gold + as it is"}
    assert len({part.title for part in design.deliveries}) == 16
    for part in design.deliveries:
        build_delivery(part.name, **part.options)
        assert len(part.options) <= 1


def test_tiles_are_compared_within_one_alpha() -> None:
    design = tiles()
    assert len(design.memories) == 8
    assert [family.corner for family in design.families] == [
        "1x1, alpha 0.75 + delivermem",
        "1x1, alpha 1.0 + delivermem",
    ]
    assert design.families[1].others[-1] == "4x4, alpha 1.0 + delivermem"


# From units to tables.


def _trace(
    *, line: str, control: str = "", tag: str = "M1", image: bool = True, goal: str = "find it"
) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"kind": "text", "text": "x" * 40}, {"kind": "text", "text": line}]
    parts += [{"kind": "image", "text": "", "width": 56, "height": 28}] if image else []
    item = {"tag": tag, "url": "/product/aaaaaaaa", "image": "ab" if image else "", "control": control}
    other = {"tag": "M2", "url": "/product/bbbbbbbb", "image": "", "control": ""}
    return {"goal": goal, "delivered": [*parts, {"kind": "text", "text": "M2"}], "items": [item, other]}


def test_delivery_costs_are_counted_once_per_probe() -> None:
    cost = delivered_cost(_trace(line="abcd"))
    assert (cost.images, cost.visual_tokens, cost.text_tokens) == (1, 2, 10 + 1 + 1)


def test_growth_is_the_slope_over_sessions(make_unit: MakeUnit) -> None:
    units, traces = [], {}
    for tree in range(3):
        for session in range(4):
            unit = make_unit(1, tree=tree, chain=tree, session=session, system="s")
            units.append(unit)
            traces[unit.key] = _trace(line="x" * 4 * (10 + 3 * session))
    images, visual, text = growth_of(units, traces.__getitem__, seed=0)
    assert [one.measure for one in (images, visual, text)] == ["images", "visual_tokens", "text_tokens"]
    assert (images.slope, visual.slope) == (0.0, 0.0)
    assert text.slope == pytest.approx(3.0)
    assert text.interval is not None
    assert (text.interval.low, text.interval.high) == (pytest.approx(3.0), pytest.approx(3.0))
    assert text.means == {1: 21, 2: 24, 3: 27, 4: 30}
    (row,) = growth_table([text], 3).rows
    assert row == ("s", "text tokens", "21.0", "30.0", "+3.00", "3.00 to 3.00")
    assert growth_of(units[:1], traces.__getitem__, seed=0)[0].interval is None


@pytest.mark.parametrize(
    ("decision", "arm", "without", "expected"),
    [
        ("modality", {"line": "M1"}, {"line": "M1", "image": False}, (True, True, False)),
        ("modality", {"line": "M1"}, {"line": "M1 a red mug", "image": False}, (True, True, True)),
        (
            "modality",
            {"line": "M1", "control": "blank"},
            {"line": "M1", "image": False},
            (False, True, False),
        ),
        ("identity", {"line": "M1"}, {"line": "", "tag": ""}, (True, True, False)),
        ("identity", {"line": "M1"}, {"line": "/product/aaaaaaaa", "tag": ""}, (True, True, True)),
        ("time", {"line": "M1 [2024/05/11 (Sat) 19:33]"}, {"line": "M1"}, (True, False, False)),
        (
            "time",
            {"line": "M1 [2024/05/11 (Sat) 19:33]", "goal": "which did you see most recently?"},
            {"line": "M1 [seen 1 of 2]"},
            (True, True, True),
        ),
    ],
)
def test_the_three_conditions(
    make_unit: MakeUnit, decision: Any, arm: Mapping[str, Any], without: Mapping[str, Any], expected: Any
) -> None:
    made = conditions_of(decision, make_unit(1), _trace(**arm), _trace(**without))
    assert (made.survived, made.needed, made.there) == expected
    assert made.met == (expected == (True, True, False))


def test_help_is_counted_apart_where_a_condition_fails(make_unit: MakeUnit) -> None:
    traces, pairs = {}, []
    for number, (line, with_it, without_it) in enumerate(
        [("M1", True, False), ("M1", True, True), ("M1 red mug", True, True), ("M1 red mug", False, True)]
    ):
        one = make_unit(number, system="with", correct=with_it)
        two = make_unit(number, system="without", correct=without_it)
        traces |= {one.key: _trace(line="M1"), two.key: _trace(line=line, image=False)}
        pairs.append((one, two))
    probes = judged("modality", pairs, traces.__getitem__)
    assert [probe.conditions.met for probe in probes] == [True, True, False, False]
    told = help_of("modality", probes)
    assert (told.probes, told.gained, told.lost) == (2, 1, 0)
    assert (told.other_probes, told.other_gained, told.other_lost) == (2, 0, 1)
    assert (told.survived, told.needed, told.there) == (4, 4, 2)


def test_an_analysis_by_hand(make_unit: MakeUnit) -> None:
    design = terms([Part(name="dualmem")])
    right = {"gold + pixels": 5, "gold + text": 1, "own dualmem + pixels": 4, "own dualmem + text": 1}
    units, traces = [], {}
    for system, count in right.items():
        for number in range(12):
            wrong = number % 6 >= count
            unit = make_unit(
                number,
                system=system,
                tree=number // 6,
                correct=not wrong,
                stage="misread" if wrong else "",
                rank=1,
            )
            units.append(replace(unit, rank=None) if wrong and "own" in system else unit)
            traces[unit.key] = _trace(line="M1", image="pixels" in system)
    told = analyse(design, "matcher", units, traces.__getitem__, seed=0)
    assert [(row.system, row.correct, row.probes) for row in told.rows] == [
        (system, 2 * count, 12) for system, count in right.items()
    ]
    assert told.rows[2].among == pytest.approx(8 / 12)
    assert told.rows[0].stages["misread"] == 2
    delivery, retrieval = (comparison.tests[0] for comparison in told.comparisons)
    assert (delivery.difference, delivery.only_second, delivery.only_first) == (pytest.approx(-8 / 12), 8, 0)
    assert retrieval.difference == pytest.approx(-2 / 12)
    assert told.comparisons[0].helps()[0][1].gained == 8
    assert told.comparisons[1].helps() == []
    by_probe = probes_table(told).rows
    assert len(by_probe) == 12
    assert by_probe[0] == ("gold + text", "modality", units[0].probe, "1", "1", "0", "1", "1", "1")
    rates, differences, stages, helps = tables_of(told)
    assert rates.rows[0][:3] == ("gold + pixels", "10 of 12", "83.3")
    assert differences.rows[0][2:5] == ("-66.7", "-66.7 to -66.7", "8 / 0")
    assert stages.head == ("system", "misread")
    assert helps.rows[0][-4:] == ("12", "8 / 0", "0", "0 / 0")
    assert rates.markdown().splitlines()[2].startswith("| system | right |")
    assert rates.csv().splitlines()[1].startswith("gold + pixels,10 of 12,83.3")
