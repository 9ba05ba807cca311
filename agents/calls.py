"""The one desk that every model call of a run passes: cache, budget, retries, and the books.

How a run uses it:

    with ModelCalls(
        folder / "calls.sqlite",            # the books of this run; limits hold over all its resumes
        Path(config.out) / "replies.sqlite",  # kept replies, shared by the studies beside each other
        limits=Limits(max_calls=config.max_calls, max_cost=config.max_cost),
        prices=Prices.load(path) if path else None,
        replay=config.replay,               # from the cache alone; ReplayMissError on the first miss
        trial=config.trial,                 # another number draws sampled replies anew
    ) as calls:
        shopper = calls.govern(make_agent(config.shopper))
        agent = calls.govern(make_agent(config.agent))
        ...
        calls.totals()

`govern` takes any agent; one without a model comes back as it is. A model on its own (a judge, a captioner)
is governed by `calls.model(model)`. Each worker process opens the two files itself: the limits are kept in
the first, so they hold over all workers together. `BudgetSpentError`, `ReplayMissError` and `CallsFileError`
are no `ModelError`: they pass through the loops and stop the run, which can be resumed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

from recallreach.agents.budget import BudgetSpentError, Ledger, Limits, Prices, Totals
from recallreach.agents.costs import messages_usage
from recallreach.agents.errors import ModelError, ReplayMissError
from recallreach.agents.patches import ESTIMATE, PatchRule
from recallreach.agents.replies import ReplyCache, reply_key
from recallreach.agents.retrying import Gate, Retry, persist
from recallreach.agents.types import ChatModel, Completion, Message, Usage

QUICK_TRIES = 2
"""Requests at most where somebody waits for one answer."""
LONGEST_REPLY = 1024
"""Tokens that a reply is expected to take at most where the model does not say."""

AgentT = TypeVar("AgentT")


@runtime_checkable
class RepeatableModel(ChatModel, Protocol):
    """A chat model whose replies can be kept: it says what decides them."""

    def identity(self) -> Mapping[str, Any]:
        """Model, revision and decoding settings, as JSON values; never a key or an account."""


@runtime_checkable
class RemoteModel(ChatModel, Protocol):
    """A chat model behind a connection that may fail: one request at a time, tried again by others."""

    retry: Retry
    gate: Gate

    def request(self, messages: Sequence[Message]) -> Completion:
        """One request, or a ModelError."""


@runtime_checkable
class _UsesModel(Protocol):
    model: ChatModel


class ModelCalls:
    """Cache, budget and books of one run; a context manager.

    Args:
        ledger: file of the run's own books, made if missing.
        replies: file of kept replies, made if missing; may be shared.
        limits: what the run may spend in all.
        prices: what models cost.
        replay: answer from the cache alone.
        trial: number of the repetition; part of every key.

    Raises:
        ConfigError: `max_cost` without prices.
        CallsFileError: a file cannot be used.
    """

    def __init__(
        self,
        ledger: Path,
        replies: Path,
        *,
        limits: Limits | None = None,
        prices: Prices | None = None,
        replay: bool = False,
        trial: int = 0,
    ) -> None:
        self.ledger = Ledger(ledger, limits, prices)
        try:
            self.replies = ReplyCache(replies)
        except BaseException:
            self.ledger.close()
            raise
        self.replay, self.trial = replay, trial

    def model(self, inner: ChatModel) -> ChatModel:
        """`inner`, with every call passing this desk and no other.

        Raises:
            UnknownNameError: there are prices, and none for this model.
        """
        bare = inner.inner if isinstance(inner, GovernedModel) else inner
        self.ledger.price(bare.name)
        return GovernedModel(bare, self)

    def govern(self, agent: AgentT) -> AgentT:
        """`agent`, its model governed where it has one.

        Raises:
            UnknownNameError: there are prices, and none for its model.
        """
        if isinstance(agent, _UsesModel):
            agent.model = self.model(agent.model)
        return agent

    def totals(self) -> Totals:
        """What the run has spent since it was first started."""
        return self.ledger.totals()

    def close(self) -> None:
        """Close both files; a second call does nothing."""
        self.ledger.close()
        self.replies.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class GovernedModel:
    """A chat model whose calls pass the desk of a run; made by `ModelCalls.model`.

    Attributes:
        inner: the model itself.
    """

    def __init__(self, inner: ChatModel, desk: ModelCalls) -> None:
        self.inner, self.name = inner, inner.name
        self._desk = desk

    def complete(self, messages: Sequence[Message]) -> Completion:
        """The kept reply, or a new one within the budget.

        Raises:
            ModelError: the model gave no usable answer, after all tries.
            BudgetSpentError, ReplayMissError, CallsFileError: the run stops.
        """
        started = time.perf_counter()
        key = self._key(messages)
        kept = self._desk.replies.get(key) if key else None
        if kept is not None:
            self._desk.ledger.cached(self.name)
            spent = time.perf_counter() - started
            return Completion(kept.text, replace(kept.usage, tries=0, cached=1, seconds=spent))
        if self._desk.replay:
            raise ReplayMissError(self._missed(key))
        return self._ask(messages, key)

    def uncached(self, messages: Sequence[Message]) -> Completion:
        """A new reply whatever was kept, within the budget and a few tries; it is not kept.

        Raises:
            ModelError, BudgetSpentError, CallsFileError: as `complete`.
        """
        return self._ask(messages, "", QUICK_TRIES)

    def _ask(self, messages: Sequence[Message], key: str, tries: int | None = None) -> Completion:
        ledger = self._desk.ledger
        call = ledger.begin(self.name, most_of(self.inner, messages))
        started = time.perf_counter()
        try:
            answer, sent = ask(self.inner, messages, tries, lambda: ledger.again(call))
        except (ModelError, BudgetSpentError) as error:
            kind = error.kind if isinstance(error, ModelError) else "stopped"
            ledger.end(call, Usage(seconds=time.perf_counter() - started), failed=kind)
            raise
        usage = replace(answer.usage, tries=sent, seconds=time.perf_counter() - started)
        answer = Completion(answer.text, usage)
        if key:
            self._desk.replies.put(key, self.name, answer)
        ledger.end(call, usage)
        return answer

    def _key(self, messages: Sequence[Message]) -> str:
        """The key of a request, or "" where the model does not say what decides its replies."""
        if not isinstance(self.inner, RepeatableModel):
            return ""
        return reply_key(self.inner.identity(), messages, self._desk.trial)

    def _missed(self, key: str) -> str:
        if not key:
            return (
                f"model {self.name!r} keeps no replies (it has no identity()), so it cannot be replayed; "
                "run without replay"
            )
        return (
            f"the cache of replies {self._desk.replies.path} holds no reply of {self.name!r} to this "
            f"request (key {key[:12]}). It holds {len(self._desk.replies)} replies; the model, its settings, "
            "the prompts or the study changed since. Run without replay to ask the model."
        )


def ask(
    model: ChatModel,
    messages: Sequence[Message],
    tries: int | None = None,
    before_retry: Callable[[], None] = lambda: None,
) -> tuple[Completion, int]:
    """A model's completion, and how many requests it took.

    Args:
        model: one behind a connection is asked again as its `retry` says.
        messages: the request.
        tries: requests at most, where that is fewer.
        before_retry: called before each further request.

    Raises:
        ModelError: no usable answer after all tries.
    """
    if not isinstance(model, RemoteModel):
        return model.complete(messages), 1
    retry = replace(model.retry, tries=min(model.retry.tries, tries or model.retry.tries))
    return persist(lambda: model.request(messages), retry, model.gate, before_retry)


def rule_for(model: object) -> PatchRule:
    """The patch rule that a model states as `patch_rule`, else the estimate."""
    inner = model.inner if isinstance(model, GovernedModel) else model
    rule: PatchRule = getattr(inner, "patch_rule", ESTIMATE)
    return rule


def most_of(model: ChatModel, messages: Sequence[Message]) -> Usage:
    """The most that one request should take: what is sent, and the longest reply."""
    longest = int(getattr(model, "max_tokens", LONGEST_REPLY))
    sent = messages_usage(messages, rule_for(model))
    return sent + Usage(text_tokens=longest, reply_tokens=longest)
