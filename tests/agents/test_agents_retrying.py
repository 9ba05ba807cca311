"""When a server is asked again, and how many requests go out at once. No test waits."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from recallreach.agents.errors import ModelError
from recallreach.agents.retrying import Gate, Retry, persist
from recallreach.errors import ConfigError


class Clock:
    """Time passes by sleeping alone."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, [0.0]

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)


def gate(most: int = 8) -> tuple[Gate, Clock]:
    clock = Clock()
    return Gate(most, clock=clock, sleep=clock.sleep), clock


def failing(*errors: ModelError | None) -> Any:
    left = list(errors)

    def send() -> str:
        error = left.pop(0)
        if error is not None:
            raise error
        return "answer"

    return send


def error(kind: Any, after: float | None = None) -> ModelError:
    return ModelError(kind, "why", retry_after=after)


def test_waits_double_up_to_the_longest_and_jitter_takes_at_most_half() -> None:
    retry = Retry(tries=9, first=2.0, longest=20.0)
    waits = [retry.wait(tried, error("server"), 0.0) for tried in range(1, 7)]
    assert waits == [2.0, 4.0, 8.0, 16.0, 20.0, 20.0]
    assert retry.wait(3, error("server"), 1.0) == 4.0
    assert retry.wait(8, error("server"), 0.0) == 20.0
    assert retry.wait(9, error("server"), 0.0) is None


def test_a_server_is_waited_for_as_long_as_it_asks() -> None:
    retry = Retry(first=1.0, patience=30.0)
    assert retry.wait(1, error("rate-limit", 17.0), 0.5) == 17.0
    assert retry.wait(1, error("rate-limit", 0.1), 0.0) == 1.0
    assert retry.wait(1, error("rate-limit", 31.0), 0.5) is None


@pytest.mark.parametrize("kind", ["request", "too-long", "authentication", "refusal", "memory", "exhausted"])
def test_what_another_try_cannot_mend_is_not_tried_again(kind: Any) -> None:
    free, clock = gate()
    with pytest.raises(ModelError, match="why") as caught:
        persist(failing(error(kind), None), Retry(), free)
    assert caught.value.kind == kind
    assert "tries" not in str(caught.value)
    assert clock.now == 0.0


def test_a_passing_error_is_tried_again() -> None:
    free, clock = gate()
    before: list[int] = []
    send = failing(error("server"), error("rate-limit", 7.0), error("timeout"), None)
    assert persist(send, Retry(first=1.0), free, lambda: before.append(1)) == ("answer", 4)
    assert len(before) == 3
    assert 0.5 + 7.0 + 2.0 <= clock.now <= 1.0 + 7.0 + 4.0


def test_the_last_error_says_how_often_it_was_tried() -> None:
    free, _ = gate()
    with pytest.raises(ModelError, match=r"why \(after 3 tries\)"):
        persist(failing(*[error("connection")] * 3), Retry(tries=3), free)
    with pytest.raises(ModelError, match="asks to wait 900 s; patience is 600 s"):
        persist(failing(error("rate-limit", 900.0)), Retry(), free)


def test_what_stops_the_run_ends_the_call() -> None:
    free, _ = gate()

    def stop() -> None:
        raise KeyError("budget")

    with pytest.raises(KeyError):
        persist(failing(error("server"), None), Retry(), free, stop)


def test_a_busy_server_gets_fewer_requests_at_once() -> None:
    free, _ = gate(8)
    allowed = []
    for _ in range(4):
        free.busy(0.0)
        allowed.append(free.allowed)
    assert allowed == [4, 2, 1, 1]
    for _ in range(1 + 2 + 3):
        free.good()
    assert free.allowed == 4
    for _ in range(100):
        free.good()
    assert free.allowed == 8


def test_a_wait_that_the_server_asked_for_holds_all() -> None:
    free, clock = gate()
    free.busy(12.0)
    with free.request():
        assert clock.now == 12.0
    with free.request():
        assert clock.now == 12.0


def test_no_more_requests_run_than_are_allowed() -> None:
    free, _ = gate(3)
    running, most, lock = 0, 0, threading.Lock()
    together = threading.Barrier(3)

    def work(number: int) -> None:
        nonlocal running, most
        with free.request():
            with lock:
                running += 1
                most = max(most, running)
            if number < 3:
                together.wait(30)
            with lock:
                running -= 1

    first = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in first:
        thread.start()
    for thread in first:
        thread.join()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(3, 12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 3


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(ConfigError, match="at least one try"):
        Retry(tries=0)
    with pytest.raises(ConfigError, match="concurrency"):
        Gate(0)
