"""Tasks are done once, whatever happens to the workers: a crew of puppets, and a clock of our own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from recallreach.agents.results import RecallResult
from recallreach.env.types import Probe, SessionPlan, Trajectory
from recallreach.study.config import Part
from recallreach.study.engines.crew import Hand
from recallreach.study.engines.dispatch import STARTING, Dispatcher
from recallreach.study.events import Trace
from recallreach.study.units import Unit
from recallreach.study.work import (
    Answered,
    Ask,
    Began,
    Died,
    Failed,
    Finished,
    Message,
    Question,
    Recorded,
    Result,
    Session,
    Task,
    WorkError,
    spread,
)

MakeUnit = Callable[..., Unit]
MEMORY = Part(name="dualmem")
LIMIT = 10.0


def question(number: int, session: int = 0) -> Question:
    probe = Probe(f"p{number}", 0, session, "t", "red mug", "find it", 0, 0, 8)
    return Question(f"k{number}", "dualmem", 0, 0, 1, 1, (0, session), probe)


def ask(*numbers: int) -> Ask:
    return Ask(MEMORY, 0, tuple(question(number) for number in numbers))


def answer(key: str, make_unit: MakeUnit) -> Answered:
    result = RecallResult(key, "a", "m", "d", "ok", True)
    return Answered(make_unit(key=key, probe=key), Trace("goal", {}, result))


def draft(key: str, make_unit: MakeUnit) -> Began:
    result = RecallResult(key, "a", "m", "d", "error", kind="hung")
    unit = make_unit(key=key, probe=key, status="error", correct=False, kind="hung")
    return Began(f"probe {key}", (unit, Trace("goal", {}, result)))


@dataclass(eq=False)
class Puppet:
    """A worker that says what its script has for its task; silent where the script ends."""

    name: str
    script: Callable[[Task], Sequence[Message]]
    lines: deque[Message] = field(default_factory=deque)
    tasks: list[Task] = field(default_factory=list)
    dismissed: bool = False

    def give(self, task: Task) -> None:
        self.tasks.append(task)
        self.lines.extend(self.script(task))

    def dismiss(self) -> None:
        self.dismissed = True


class Puppets:
    """A crew; silence lets the clock run to the end of the patience."""

    def __init__(self, *scripts: Callable[[Task], Sequence[Message]], room: int | None = None) -> None:
        self.room = room
        self.scripts, self.hired, self.now = deque(scripts), list[Puppet](), 0.0

    def has_room(self) -> bool:
        return self.room is None or len([hand for hand in self.hired if not hand.dismissed]) < self.room

    def hire(self) -> Puppet:
        script = self.scripts.popleft() if len(self.scripts) > 1 else self.scripts[0]
        self.hired.append(Puppet(f"puppet {len(self.hired)}", script))
        return self.hired[-1]

    def wait(self, hands: Sequence[Hand], seconds: float) -> list[tuple[Hand, Message]]:
        heard = [(hand, hand.lines.popleft()) for hand in self.hired if hand in hands and hand.lines]
        if not heard:
            self.now += seconds
        return list(heard)

    def close(self) -> None:
        """Nothing to end."""


def run(crew: Puppets, tasks: Sequence[Task], workers: int = 1) -> list[Result]:
    found: list[Result] = []
    Dispatcher(crew, workers, LIMIT, lambda: crew.now).run(tasks, found.append)
    return found


@pytest.fixture
def diligent(make_unit: MakeUnit) -> Callable[[Task], list[Message]]:
    def script(task: Task) -> list[Message]:
        if isinstance(task, Session):
            plan = SessionPlan(*task.place, "chair", "goal", 22, "")
            return [Began(str(task)), Recorded(Trajectory(plan, ()), {}), Finished("9")]
        lines: list[Message] = []
        for entry in task.questions:
            lines += [draft(entry.key, make_unit), answer(entry.key, make_unit)]
        return [*lines, Finished("9")]

    return script


def keys(results: Sequence[Result]) -> list[str]:
    return [result.unit.key for result in results if isinstance(result, Answered)]


def test_all_tasks_are_done_once_by_no_more_workers_than_asked_for(
    diligent: Callable[[Task], list[Message]],
) -> None:
    crew = Puppets(diligent)
    results = run(crew, [ask(0, 1), ask(2), ask(3), Session((0, 0))], workers=2)
    assert sorted(keys(results)) == ["k0", "k1", "k2", "k3"]
    assert sum(isinstance(result, Recorded) for result in results) == 1
    assert len(crew.hired) == 2
    assert sum(len(hand.tasks) for hand in crew.hired) == 4


def test_nobody_waits_for_a_worker_that_cannot_start(diligent: Callable[[Task], list[Message]]) -> None:
    crew = Puppets(diligent, room=1)
    assert sorted(keys(run(crew, [ask(0), ask(1), ask(2)], workers=3))) == ["k0", "k1", "k2"]
    assert len(crew.hired) == 1


def test_an_idle_worker_takes_over_from_one_that_never_began(
    diligent: Callable[[Task], list[Message]],
) -> None:
    crew = Puppets(lambda task: [], diligent, room=2)
    assert sorted(keys(run(crew, [ask(0), ask(1)], workers=2))) == ["k0", "k1"]
    assert [hand.dismissed for hand in crew.hired] == [True, False]
    assert crew.now < STARTING


def test_a_dead_worker_is_replaced_and_its_unit_asked_again(
    diligent: Callable[[Task], list[Message]], make_unit: MakeUnit
) -> None:
    def dying(task: Task) -> list[Message]:
        return [draft("k0", make_unit), answer("k0", make_unit), draft("k1", make_unit), Died("signal 9")]

    crew = Puppets(dying, diligent)
    results = run(crew, [ask(0, 1, 2)])
    assert keys(results) == ["k0", "k1", "k2"]
    assert all(result.unit.ok for result in results if isinstance(result, Answered))
    assert [entry.key for task in crew.hired[1].tasks for entry in task.questions] == ["k1", "k2"]  # type: ignore[union-attr]


def test_a_unit_that_kills_every_worker_becomes_an_error_and_the_rest_goes_on(
    diligent: Callable[[Task], list[Message]], make_unit: MakeUnit
) -> None:
    def deadly(task: Task) -> list[Message]:
        assert isinstance(task, Ask)
        if task.questions[0].key == "k0":
            return [draft("k0", make_unit), Died("signal 11")]
        return diligent(task)

    results = run(Puppets(deadly), [ask(0, 1)])
    assert keys(results) == ["k0", "k1"]
    assert isinstance(results[0], Answered)
    assert (results[0].unit.status, results[0].unit.kind) == ("error", "died")
    assert "signal 11" in results[0].unit.reason
    assert results[0].trace.result.reason == results[0].unit.reason


def test_a_unit_that_hangs_is_cut_at_its_limit_and_becomes_an_error(
    diligent: Callable[[Task], list[Message]], make_unit: MakeUnit
) -> None:
    def hanging(task: Task) -> list[Message]:
        return [draft("k0", make_unit)]

    crew = Puppets(hanging, diligent)
    results = run(crew, [ask(0, 1)])
    assert isinstance(results[0], Answered)
    assert (results[0].unit.kind, results[0].unit.status) == ("hung", "error")
    assert "longer than 10 seconds" in results[0].unit.reason
    assert keys(results) == ["k0", "k1"]
    assert crew.hired[0].dismissed
    assert crew.now == pytest.approx(LIMIT)


def test_a_worker_has_longer_to_set_up_its_bench() -> None:
    crew = Puppets(lambda task: [])
    with pytest.raises(WorkError, match="workers in a row came to nothing"):
        run(crew, [ask(0)])
    assert crew.now == pytest.approx(len(crew.hired) * (LIMIT + STARTING))


def test_workers_that_die_at_once_stop_the_run_with_their_last_words() -> None:
    crew = Puppets(lambda task: [Died("exit status 1: ImportError: no module named mine")])
    with pytest.raises(WorkError, match="no module named mine"):
        run(crew, [ask(0)])


def test_a_session_that_never_succeeds_stops_the_run() -> None:
    crew = Puppets(lambda task: [Began(str(task)), Died("signal 9")])
    with pytest.raises(WorkError, match=r"session 1 of chain 4 cannot be done: .*3 times over"):
        run(crew, [Session((4, 1))])


def test_a_failure_stops_the_run_with_its_reason_and_keeps_the_traceback_for_debug() -> None:
    crew = Puppets(lambda task: [Failed("the budget is spent", "Traceback ...")])
    with pytest.raises(WorkError, match="the budget is spent") as caught:
        run(crew, [ask(0)])
    assert caught.value.__notes__ == ["Traceback ..."]


def test_work_is_divided_only_where_there_is_too_little_and_no_session_is_split() -> None:
    many = Ask(MEMORY, 0, tuple(question(number, number // 3) for number in range(12)))
    assert spread([many], 1) == [many]
    parts = spread([many], 2)
    assert len(parts) == 4
    assert sorted(entry.key for part in parts for entry in part.questions) == sorted(
        entry.key for entry in many.questions
    )
    assert all(len({entry.at for entry in part.questions}) == 1 for part in parts)
    single = ask(0, 1, 2)
    assert spread([single], 4) == [single]
    assert spread([many, replace(many, tree=1)], 1) == [many, replace(many, tree=1)]
