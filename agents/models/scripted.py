"""A chat model that says what it was told to: for tests of agents, loops and studies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recallreach.agents.costs import messages_usage, reply_usage
from recallreach.agents.errors import ModelError
from recallreach.agents.types import Completion, Message

Script = Sequence[str | Exception] | Callable[[Sequence[Message]], str]


class ScriptedModel:
    """Replies in order, or whatever a function makes of the messages.

    Args:
        replies: texts in order (an exception among them is raised in its place), or a function of the
            messages.

    `calls` keeps the messages of every call.
    """

    name = "scripted"

    def __init__(self, replies: Script) -> None:
        self._replies = replies
        self.calls: list[tuple[Message, ...]] = []

    def complete(self, messages: Sequence[Message]) -> Completion:
        """The next reply.

        Raises:
            ModelError: of kind "exhausted" when no reply is left, or the error that the script holds here.
        """
        self.calls.append(tuple(messages))
        text = self._next(messages)
        return Completion(text, messages_usage(messages) + reply_usage(text))

    def _next(self, messages: Sequence[Message]) -> str:
        if callable(self._replies):
            return self._replies(messages)
        if len(self.calls) > len(self._replies):
            raise ModelError(
                "exhausted", f"the script has {len(self._replies)} replies and was asked for one more"
            )
        reply = self._replies[len(self.calls) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply
