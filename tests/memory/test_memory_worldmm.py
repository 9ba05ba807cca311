"""WorldMM: triples, PageRank, episodes and rounds by hand, and its two minds."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from recallreach.memory.check import check_memory
from recallreach.memory.errors import ReplyError
from recallreach.memory.parts import Parts, embedded_parts
from recallreach.memory.systems.worldmm import WorldMM
from recallreach.memory.systems.worldmm_facts import Facts, Triple
from recallreach.memory.systems.worldmm_writer import ModelMind, RuleMind
from recallreach.memory.types import Experience, Message, Query, Record, TextPart

MakeParts = Callable[..., Parts]
MakeView = Callable[..., Experience]


@dataclass
class Said:
    text: str


class Model:
    """Answers by a function of the system prompt's first words and what it is told."""

    name = "function"

    def __init__(self, answer: Callable[[str, str], object]) -> None:
        self._answer = answer
        self.calls = 0

    def complete(self, messages: Sequence[Message]) -> Said:
        self.calls += 1
        system, told = (message.parts[0] for message in (messages[0], messages[-1]))
        assert isinstance(system, TextPart)
        assert isinstance(told, TextPart)
        answer = self._answer(system.text, told.text)
        return Said(answer if isinstance(answer, str) else json.dumps(answer))


def _view(number: int, title: str = "", caption: str = "") -> Record:
    return Record(number, f"/p/{number}", title, "", None, 0, number, caption=caption)


def _facts(parts: Parts, rows: dict[str, Sequence[float]]) -> Facts:
    parts.text_encoder._rows.update(rows)  # type: ignore[attr-defined]
    return Facts(parts)


@pytest.mark.parametrize(("cosine", "facts"), [(0.61, 1), (0.59, 2)])
def test_triples_merge_at_a_cosine_of_six_tenths(make_parts: MakeParts, cosine: float, facts: int) -> None:
    rows = {"a shows b": [1.0, 0.0], "c shows d": [cosine, float(np.sqrt(1 - cosine**2))]}
    known = _facts(make_parts([], []), rows)
    stated = [(_view(0), Triple("a", "shows", "b")), (_view(1), Triple("c", "shows", "d"))]
    known.learn(stated, lambda new, old: True)
    assert len(known.bank) == facts
    assert [fact.sources for fact in known.bank] == ([(0, 1)] if facts == 1 else [(0,), (1,)])


def test_triples_that_differ_in_meaning_do_not_merge_however_near(make_parts: MakeParts) -> None:
    known = _facts(make_parts([], []), {"a shows b": [1.0, 0.0], "a shows c": [1.0, 0.0]})
    stated = [(_view(0), Triple("a", "shows", "b")), (_view(1), Triple("a", "shows", "c"))]
    known.learn(stated, RuleMind().same)
    assert len(known.bank) == 2
    known.learn([(_view(2), Triple("A", "Shows", "B"))], RuleMind().same)
    assert len(known.bank) == 3
    known.learn([(_view(3), Triple("a", "shows", "b"))], RuleMind().same)
    assert sorted(fact.sources for fact in known.bank) == [(0, 3), (1,), (2,)]


def test_page_rank_by_hand(make_parts: MakeParts) -> None:
    """Two edges, a-b and c-d, restarted at b alone: all rank stays on the first."""
    rows = {"b": [1.0, 0.0], "a x b": [0.0, 1.0], "c x d": [0.1, -0.9]}
    known = _facts(make_parts([], []), rows)
    known.learn(
        [(_view(0), Triple("a", "x", "b")), (_view(1), Triple("c", "x", "d"))], lambda new, old: False
    )
    best, other = known.rank("q")
    # p(b) = 0.15 + 0.85 p(a), p(a) = 0.85 p(b)
    on_b = 0.15 / (1 - 0.85**2)
    ranks = known._page_rank("q")
    assert ranks["b"] == pytest.approx(on_b, abs=1e-5)
    assert ranks["a"] == pytest.approx(0.85 * on_b, abs=1e-5)
    assert best[0].text == "a | x | b"
    assert best[1] == pytest.approx(1.0, abs=1e-5)
    assert other[1] == pytest.approx(0.0, abs=1e-5)


def test_without_a_near_phrase_page_rank_starts_anywhere(make_parts: MakeParts) -> None:
    known = _facts(make_parts([], []), {"a x b": [0.0, 1.0]})
    known.learn([(_view(0), Triple("a", "x", "b"))], RuleMind().same)
    assert known._page_rank("q") == pytest.approx({"a": 0.5, "b": 0.5})
    assert Facts(make_parts([], [])).rank("q") == []


def test_the_best_twenty_triples_count(make_parts: MakeParts) -> None:
    known = _facts(make_parts([], []), {})
    stated = [(_view(number), Triple(f"s{number}", "x", f"o{number}")) for number in range(25)]
    known.learn(stated, RuleMind().same)
    assert [fact.sources[0] for fact, _ in known.rank("q")] == list(range(20))


def test_forks_of_facts_are_independent(make_parts: MakeParts) -> None:
    trunk = _facts(make_parts([], []), {})
    trunk.learn([(_view(0), Triple("a", "x", "b"))], RuleMind().same)
    twin = trunk.fork()
    twin.learn([(_view(1), Triple("c", "x", "d"))], RuleMind().same)
    assert (len(trunk.bank), len(twin.bank), len(trunk.phrases), len(twin.phrases)) == (1, 2, 2, 4)
    assert set(trunk._page_rank("q")) == {"a", "b"}


def test_the_rule_states_what_a_caption_says_and_when(make_parts: MakeParts) -> None:
    mind = RuleMind()
    view = _view(0, "Oak Chair", "A chair | tall. Placed with it: a mug!")
    assert mind.triples(view) == [
        Triple("Oak Chair", "shows", "A chair / tall."),
        Triple("Oak Chair", "shows", "Placed with it: a mug!"),
        Triple("Oak Chair", "was seen in", "session 0"),
    ]
    assert mind.triples(_view(3))[0].subject == "/p/3"
    assert mind.summary(["one\nmore", "two", "one", " "]) == "one\ntwo"


def test_the_rule_reads_on_until_two_modules_agree() -> None:
    mind, question = RuleMind(), "the picture with a mug"
    first, second = [_view(0)], [_view(1)]
    assert mind.next_round(question, [], []) == ("visual", question)
    past = [("visual", question)]
    assert mind.next_round(question, past, [first]) == ("episodic", question)
    past.append(("episodic", question))
    assert mind.next_round(question, past, [first, first]) is None
    assert mind.next_round(question, past, [first, second]) == ("semantic", question)
    assert mind.next_round(question, [*past, ("semantic", question)], [first, second, []]) is None


@pytest.fixture
def system(make_parts: MakeParts, make_view: MakeView) -> WorldMM:
    parts = make_parts(visual=[0.9, 0.1, 0.4], verbal=[0, 0, 0])
    cosines = {
        "caption 0": 0.2,
        "caption 1": 0.8,
        "caption 2": 0.5,
        "Item 0: caption 0\nItem 1: caption 1": 0.6,
        "Item 2: caption 2": 0.3,
        "Item 0: caption 0\nItem 2: caption 2": 0.9,
    }
    rows = {text: [cosine, float(np.sqrt(1 - cosine**2))] for text, cosine in cosines.items()}
    parts.text_encoder._rows.update(rows)  # type: ignore[attr-defined]
    made = WorldMM(parts)
    for index, session in ((0, 0), (1, 0), (2, 1)):
        made.write(replace(make_view(index), session=session))
        if index:
            made.end_session()
    return made


def test_episodes_have_three_scales_and_one_chain(system: WorldMM) -> None:
    assert [(one.title, one.sources, one.session) for one in system.episodes] == [
        ("session", (0, 1), 0),
        ("session", (2,), 1),
        ("chain", (0, 1, 2), 1),
    ]
    assert system.episodes[0].text == "Item 0: caption 0\nItem 1: caption 1"


def test_the_episodic_score_is_the_mean_over_the_scales(system: WorldMM) -> None:
    wanted = [(0.2 + 0.6 + 0.9) / 3, (0.8 + 0.6 + 0.9) / 3, (0.5 + 0.3 + 0.9) / 3]
    np.testing.assert_allclose(system._episodic("q"), wanted, rtol=1e-5)


def test_views_are_ranked_by_reciprocal_rank_over_the_rounds(system: WorldMM) -> None:
    class Twice(RuleMind):
        def next_round(self, question: str, past: object, found: object) -> tuple[str, str] | None:
            return [("visual", "q"), ("visual", "r"), None][len(past)]  # type: ignore[arg-type]

    system.parts.encoder._rows["r"] = [0.0, 1.0]  # type: ignore[attr-defined]
    system._mind = Twice()
    hits = system.retrieve(Query("q"), 5)
    first, second = [0, 2, 1], [1, 2, 0]
    wanted = {view: sum(1 / (61 + order.index(view)) for order in (first, second)) for view in range(3)}
    assert {hit.record.id: hit.score for hit in hits} == pytest.approx(wanted)
    assert [hit.record.id for hit in hits] == [0, 1, 2]


def test_there_are_at_most_five_rounds_of_ten_views(system: WorldMM, make_view: MakeView) -> None:
    asked: list[object] = []

    class Endless(RuleMind):
        def next_round(self, question: str, past: object, found: object) -> tuple[str, str]:
            asked.append(found)
            return "visual", "q"

    system._mind = Endless()
    for _ in range(12):
        system.write(make_view(0))
    hits = system.retrieve(Query("q"), 50)
    assert len(asked) == 5
    assert len(hits) == 10
    assert hits[0].score == pytest.approx(5 / 61)


def test_a_mind_that_stops_at_once_finds_nothing(system: WorldMM) -> None:
    system._mind = ModelMind(Model(lambda prompt, told: {"stop": True}))
    assert system.retrieve(Query("q"), 5) == []


def _answers(prompt: str, told: str) -> object:
    if prompt.startswith("Summarise"):
        return f"summary of {len(told)}"
    if prompt.startswith("Extract"):
        title = told.split("\n")[0].removeprefix("Title: ")
        return {"subject": title, "relation": "is", "object": "seen"}
    if prompt.startswith("Do these"):
        first, second = told.split("\n")
        return {"same": first == second}
    return {"stop": True} if "found:" in told else {"module": "visual", "query": "mug"}


def test_a_model_decides_in_its_place(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts([0.2, 0.9], [0, 0])
    parts.encoder._rows["mug"] = [1.0, 0.0]  # type: ignore[attr-defined]
    made = WorldMM(replace(parts, model=Model(_answers)))
    made.write(make_view(0))
    made.write(make_view(1))
    made.end_session()
    assert [one.text.startswith("summary of") for one in made.episodes] == [True, True]
    assert [fact.text for fact in made.facts.bank] == ["Item 0 | is | seen", "Item 1 | is | seen"]
    assert [hit.record.id for hit in made.retrieve(Query("anything"), 5)] == [1, 0]


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("", "it is empty"),
        ("words", "no JSON object"),
    ],
)
def test_a_model_that_cannot_be_understood_is_an_error_after_three_tries(
    make_parts: MakeParts, make_view: MakeView, answer: str, complaint: str
) -> None:
    model = Model(lambda prompt, told: answer)
    made = WorldMM(replace(make_parts([0.2], [0]), model=model))
    made.write(make_view(0))
    with pytest.raises(ReplyError, match=rf"asked 3 times.*{complaint}"):
        made.end_session()
    assert model.calls == (3 if answer == "" else 5)
    assert (len(made.episodes), len(made.facts.bank), len(made)) == (0, 0, 1)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ({"module": "smell", "query": "x"}, "module is one of episodic, semantic, visual"),
        ({"module": "visual", "query": " "}, "query a text"),
        ({"stop": "no"}, "module is one of"),
    ],
)
def test_a_reader_that_asks_for_nothing_there_is_told(
    system: WorldMM, answer: object, complaint: str
) -> None:
    model = Model(lambda prompt, told: {"stop": True} if complaint in told else answer)
    system._mind = ModelMind(model)
    assert system.retrieve(Query("q"), 5) == []
    assert model.calls == 2


def test_the_model_says_whether_triples_are_the_same() -> None:
    one, other = Triple("a", "is", "b"), Triple("a", "is", "c")
    mind = ModelMind(Model(_answers))
    assert mind.same(one, one)
    assert not mind.same(one, other)
    with pytest.raises(ReplyError, match="does not say"):
        ModelMind(Model(lambda prompt, told: {"same": "perhaps"})).same(one, other)


def test_with_a_model_the_contract_holds_too() -> None:
    check_memory(WorldMM, replace(embedded_parts(), model=Model(_answers)))
