"""Judges of open answers: a rubric, any chat model, and a record of exactly what was said.

The answer under judgement is quoted between the question and the reference and may try to talk the judge
round; a judge's level is read from its own reply alone, and a reply without one is no level.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from recallreach.agents.models import build_model
from recallreach.agents.prompting import load_prompts
from recallreach.agents.types import ChatModel, Message, Usage
from recallreach.errors import ConfigError
from recallreach.memory.types import TextPart

CORRECTNESS: Mapping[int, str] = {
    0: "wrong, or no answer to the question",
    1: "partly right: something asked for agrees with the reference, something is wrong or missing",
    2: "right: everything asked for agrees with the reference, in whatever words",
}
"""The default rubric."""

_LEVEL = re.compile(r"^[ \t>*_#`\-]{0,12}level[*_`]{0,3}[ \t]{0,3}[:=][*_`\s]{0,5}(-?\d{1,3})\b", re.I | re.M)
_REASONING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.I | re.S)
_LONGEST_ANSWER = 20_000


@dataclass(frozen=True, slots=True)
class Judgement:
    """One graded answer.

    Attributes:
        level: the level, or None where the reply names none of the rubric.
        raw: the judge's reply as it came.
        judge: name of the judging model.
        protocol: version of the prompts and the rubric.
        problem: why there is no level, or "".
        usage: what the call took.
    """

    level: int | None
    raw: str
    judge: str
    protocol: str
    problem: str = ""
    usage: Usage = field(default_factory=Usage)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


class RubricJudge:
    """Grades an answer by the levels of a rubric.

    Args:
        model: the judging model, or the name of one in the registry `models`.
        model_options: options for a model given by name.
        answerer: name of the model whose answers are graded ("openai:gemini-2.5-flash").
        allow_self: let a model grade its own answers; models favour what they wrote themselves, so that is
            off unless asked for.
        levels: what each level means.
        prompts: version of the prompt files.

    Raises:
        ConfigError: the judge is the answerer, or the rubric has fewer than two levels.
    """

    def __init__(
        self,
        model: ChatModel | str,
        *,
        model_options: dict[str, Any] | None = None,
        answerer: str = "",
        allow_self: bool = False,
        levels: Mapping[int, str] = CORRECTNESS,
        prompts: str = "rubric-1",
    ) -> None:
        self.model = build_model(model, **(model_options or {})) if isinstance(model, str) else model
        if self.model.name == answerer and not allow_self:
            raise ConfigError(
                f"the judge {answerer!r} would grade its own answers: name another model, or say "
                "allow_self = true"
            )
        if len(levels) < 2:
            raise ConfigError(f"a rubric has at least two levels, got {dict(levels)}")
        self._prompts, self._levels = load_prompts(prompts, "rubric"), dict(sorted(levels.items()))
        self.protocol = f"{self._prompts.version}/{_fingerprint(self._levels)}"

    def messages(self, question: str, reference: str, answer: str) -> list[Message]:
        """The exact messages of a grading."""
        levels = "\n".join(f"{level}: {meaning}" for level, meaning in self._levels.items())
        quoted = answer.strip()[:_LONGEST_ANSWER] or "(nothing)"
        asked = self._prompts.fill("question", question=question, reference=reference, answer=quoted)
        return [
            Message("system", (TextPart(self._prompts.fill("system", levels=levels)),)),
            Message("user", (TextPart(asked),)),
        ]

    def grade(self, question: str, reference: str, answer: str) -> Judgement:
        """Grade one answer.

        Args:
            question: what was asked.
            reference: the right answer.
            answer: what is to be graded; an empty one is graded, too.

        Raises:
            ModelError: the judge gave no usable reply.
        """
        completion = self.model.complete(self.messages(question, reference, answer))
        level, problem = self._read(completion.text)
        facts = (completion.text, self.model.name, self.protocol)
        return Judgement(level, *facts, problem=problem, usage=completion.usage)

    def _read(self, reply: str) -> tuple[int | None, str]:
        said = _stated(_REASONING.sub("", reply))
        if not said:
            return None, "the reply names no level"
        if len(set(said)) > 1:
            return None, f"the reply names several levels: {', '.join(map(str, said))}"
        if said[0] not in self._levels:
            return None, f"the reply names level {said[0]}, which the rubric does not have"
        return said[0], ""


def _stated(reply: str) -> list[int]:
    """The levels that a reply states on lines of their own, or as JSON."""
    found = [int(number) for number in _LEVEL.findall(reply)]
    if found:
        return found
    start, end = reply.find("{"), reply.rfind("}")
    try:
        value = json.loads(reply[start : end + 1]) if 0 <= start < end else None
    except ValueError:
        return []
    level = value.get("level") if isinstance(value, dict) else None
    return [level] if isinstance(level, int) and not isinstance(level, bool) else []


def _fingerprint(levels: Mapping[int, str]) -> str:
    from recallreach.files import dump_json, sha256

    return sha256(dump_json({str(level): meaning for level, meaning in levels.items()}).encode())[:8]
