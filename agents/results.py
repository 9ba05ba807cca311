"""What a recall probe leaves behind: closed types that turn into JSON and back."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

from recallreach.agents.types import Usage
from recallreach.files import sha256
from recallreach.memory.types import Delivered, ImagePart, Part, Retrieved

Status = Literal["ok", "error", "invalid"]


@dataclass(frozen=True, slots=True)
class TurnTrace:
    """One turn of a recall.

    Attributes:
        url: page that was open when the agent replied.
        reply: its raw text.
        asked: canonical action as the agent wrote it, for instance "open(M2)".
        action: canonical action as it was carried out, for instance 'navigate("/product/0a1b2c3d")'.
        problems: what the parser found odd about the reply.
        message: the environment's word on the action.
        after: page that was open afterwards.
    """

    url: str
    reply: str
    asked: str
    action: str
    problems: tuple[str, ...]
    message: str
    after: str


@dataclass(frozen=True, slots=True)
class HitTrace:
    """One retrieved record: which, where it was seen, and how it scored per channel."""

    record: int
    url: str
    session: int
    step: int
    score: float
    channels: dict[str, float]

    @classmethod
    def of(cls, hit: Retrieved) -> Self:
        """The trace of one hit."""
        channels = {name: float(score) for name, score in hit.channels.items()}
        record = hit.record
        return cls(record.id, record.url, record.session, record.step, float(hit.score), channels)


@dataclass(frozen=True, slots=True)
class PartTrace:
    """One delivered part: its text, or the SHA-256, size and media type of its picture."""

    kind: Literal["text", "image"]
    text: str = ""
    sha256: str = ""
    width: int = 0
    height: int = 0
    media_type: str = ""

    @classmethod
    def of(cls, part: Part) -> Self:
        """The trace of one part."""
        if isinstance(part, ImagePart):
            return cls("image", "", sha256(part.data), part.width, part.height, part.media_type)
        return cls("text", part.text)


@dataclass(frozen=True, slots=True)
class ItemTrace:
    """One delivered item: tag, page, record, the SHA-256 of its delivered picture ("" without one), and what
    stood in for its own picture ("" where nothing did)."""

    tag: str
    url: str
    record: int
    image: str
    control: str = ""


@dataclass(frozen=True, slots=True)
class RecallResult:
    """One probe, asked once.

    Attributes:
        probe: id of the probe.
        agent, memory, delivery: names of the parts that took part.
        status: "ok" (graded), "error" (a technical failure, never a miss), "invalid" (the question cannot be
            asked).
        correct: whether the graded product is the target; None unless status is "ok".
        answer: product id graded at the final action; None when the final page was no product page.
        tag: tag of the delivered item that the last thought names ("" without one).
        tag_answer: product id of that item's page, so that answers by tag can be compared with answers by
            action.
        kind, reason: kind of the error and its message; reason alone for "invalid".
        turns: what happened, in order.
        retrieved, delivered, items: what memory returned, and what the agent was given of it.
        bank: number of stored records while the question was asked.
        stored: whether one of them is of the target's page; None where the memory cannot list its records.
        usage: cost of all turns together.
        seconds: wall-clock time of the probe, retrieval and delivery included; not part of equality.
    """

    probe: str
    agent: str
    memory: str
    delivery: str
    status: Status
    correct: bool | None = None
    answer: str | None = None
    tag: str = ""
    tag_answer: str | None = None
    kind: str = ""
    reason: str = ""
    turns: tuple[TurnTrace, ...] = ()
    retrieved: tuple[HitTrace, ...] = ()
    delivered: tuple[PartTrace, ...] = ()
    items: tuple[ItemTrace, ...] = ()
    bank: int = 0
    stored: bool | None = None
    usage: Usage = field(default_factory=Usage)
    seconds: float = field(default=0.0, compare=False)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; `from_json` restores an equal result."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The result that `to_json` wrote."""
        nested = {
            "turns": tuple(
                TurnTrace(**turn | {"problems": tuple(turn["problems"])}) for turn in data["turns"]
            ),
            "retrieved": tuple(HitTrace(**hit) for hit in data["retrieved"]),
            "delivered": tuple(PartTrace(**part) for part in data["delivered"]),
            "items": tuple(ItemTrace(**item) for item in data["items"]),
            "usage": Usage(**data["usage"]),
        }
        return cls(**data | nested)


def item_traces(delivered: Delivered) -> tuple[ItemTrace, ...]:
    """The traces of the delivered items, in order."""
    return tuple(
        ItemTrace(
            item.tag, item.url, item.record_id, sha256(item.image.data) if item.image else "", item.control
        )
        for item in delivered.items
    )
