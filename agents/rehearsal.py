"""What a model would be sent: the ReAct agent's requests, made while somebody else does the talking."""

from __future__ import annotations

from collections.abc import Sequence

from recallreach.agents.costs import messages_usage, reply_usage
from recallreach.agents.errors import ModelError
from recallreach.agents.patches import ESTIMATE, PatchRule
from recallreach.agents.react import ReActAgent
from recallreach.agents.types import Agent, Message, Turn, Usage
from recallreach.env.types import Observation
from recallreach.memory.types import Delivered


class Rehearsal:
    """An agent whose requests are those of a ReAct agent and whose replies are another agent's.

    `requests` keeps the messages of every call of the present episode and `usage` what they come to; no model
    is called.

    Args:
        react: makes the requests.
        speaker: says what is replied.
        rule: how pictures are counted.
    """

    name = "react"

    def __init__(self, react: ReActAgent, speaker: Agent, rule: PatchRule = ESTIMATE) -> None:
        self._react, self._speaker, self._rule = react, speaker, rule
        self.requests: list[list[Message]] = []
        self.usage = Usage()

    def begin(self, goal: str, seed: int) -> None:
        """A new episode for both."""
        self.requests, self.usage = [], Usage()
        self._react.begin(goal, seed)
        self._speaker.begin(goal, seed)

    def act(self, observation: Observation, delivered: Delivered | None = None) -> Turn:
        """The speaker's turn, at the cost of the model's.

        Raises:
            ModelError: the speaker has nothing more to say; the request is kept all the same.
        """
        messages = self._react.messages(observation, delivered)
        self.requests.append(messages)
        reply = self._speaker.act(observation, delivered).reply
        self._react.hear(messages, reply)
        usage = messages_usage(messages, self._rule) + reply_usage(reply)
        self.usage += usage
        return Turn(reply, usage)


class Reciter:
    """Says recorded replies in order.

    Args:
        replies: the texts.
    """

    name = "reciter"

    def __init__(self, replies: Sequence[str]) -> None:
        self._replies = list(replies)
        self._said = 0

    def begin(self, goal: str, seed: int) -> None:
        """From the first reply on."""
        self._said = 0

    def act(self, observation: Observation, delivered: Delivered | None = None) -> Turn:
        """The next reply.

        Raises:
            ModelError: none is left.
        """
        if self._said >= len(self._replies):
            raise ModelError("exhausted", f"only {len(self._replies)} replies were recorded")
        self._said += 1
        return Turn(self._replies[self._said - 1])
