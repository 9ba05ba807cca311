"""The closed types and the contracts of memory; everything a plug-in author implements is here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Box = tuple[float, float, float, float]
"""Left, top, right and bottom of a part of a picture, as shares of its width and height."""


@dataclass(frozen=True, slots=True)
class Experience:
    """One page view as it is offered to memory.

    Attributes:
        url: path of the page.
        title: its title.
        text: its visible text.
        picture: encoded bytes of its product picture, or None.
        session: number of the session in its chain, from 0.
        step: step in the session, from 0.
        seen_at: simulated time, ISO 8601, or "" when unknown.
    """

    url: str
    title: str
    text: str
    picture: bytes | None
    session: int
    step: int
    seen_at: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One entry of a bank; never changed once written.

    Attributes:
        id: never given twice in a bank; larger is younger, and gaps are deleted records.
        picture: SHA-256 of the stored picture, or None; the bank resolves it to bytes.
        caption: text that a captioner made of the picture, or "".
        sources: ids of the records it was made from, in systems that condense what they saw.
        (url, title, text, session, step, seen_at as in `Experience`)
    """

    id: int
    url: str
    title: str
    text: str
    picture: str | None
    session: int
    step: int
    seen_at: str = ""
    caption: str = ""
    sources: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of memory.

    Attributes:
        text: the recall instruction.
        url: the page now open; part of the retrieval text in the published protocol.
    """

    text: str
    url: str = ""

    @property
    def retrieval_text(self) -> str:
        """Instruction and current URL, as DMV-Bench retrieves."""
        return f"{self.text}\n{self.url}".strip()


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One hit, best first in the list it comes in.

    Attributes:
        record: the stored entry.
        score: fused score, larger is better.
        channels: score of each channel before fusion, by name.
        picture: encoded bytes of the stored picture, or None.
        tile: the part of the picture that matched best, where retrieval looked at tiles.
        note: what the system wants the reader to know of this hit, for instance how far to trust it;
            delivered after the proxy text.
    """

    record: Record
    score: float
    channels: Mapping[str, float] = field(default_factory=dict)
    picture: bytes | None = None
    tile: Box | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of delivered text."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A delivered picture: encoded bytes, width and height in pixels, media type."""

    data: bytes
    width: int
    height: int
    media_type: str = "image/jpeg"


Part = TextPart | ImagePart


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message: interleaved text and image parts."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class DeliveredItem:
    """One memory item as delivered.

    Attributes:
        tag: name of the item in the prompt ("M1"), or "" where delivery gives none.
        url: page it was seen on.
        record_id: which stored record it is.
        text: the item's own line(s), as in `parts`.
        image: the delivered copy of its picture, or None.
        control: what stands in for the item's own picture ("blank", "uncued", ...), or "" where nothing does.
    """

    tag: str
    url: str
    record_id: int
    text: str
    image: ImagePart | None = None
    control: str = ""


@dataclass(frozen=True, slots=True)
class Delivered:
    """What the answering agent is given: parts in reading order, each image right after its own line."""

    parts: tuple[Part, ...] = ()
    items: tuple[DeliveredItem, ...] = ()

    def by_tag(self, tag: str) -> DeliveredItem | None:
        """The item with that tag (case does not matter), or None."""
        wanted = tag.strip().casefold()
        return next((item for item in self.items if item.tag.casefold() == wanted), None)


class Encoder(Protocol):
    """Texts and pictures to one space; rows are L2-normalised float32 and independent of the batch."""

    name: str
    dimension: int

    def encode_images(self, pictures: Sequence[bytes]) -> Vectors:
        """(n, dimension) from n encoded pictures."""

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """(n, dimension) from n texts; a text without meaning to the encoder gives a zero row."""


class TextEncoder(Protocol):
    """Texts only; rows are L2-normalised float32 and independent of the batch."""

    name: str
    dimension: int

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """(n, dimension) from n texts."""


class Captioner(Protocol):
    """A picture to two or three sentences; failure is an error, never a text."""

    name: str

    def caption(self, picture: bytes) -> str:
        """Describe one encoded picture."""


class Reply(Protocol):
    """What a language model answers."""

    @property
    def text(self) -> str:
        """The answer itself."""


class LanguageModel(Protocol):
    """What memory needs of a model that captions or manages; every `ChatModel` of the agents room is one."""

    name: str

    def complete(self, messages: Sequence[Message]) -> Reply:
        """One completion, or an error; never an empty stand-in."""


class MemorySystem(Protocol):
    """A memory under test. Only this survives between sessions."""

    @property
    def name(self) -> str:
        """What users type."""

    @property
    def default_delivery(self) -> str:
        """Name of the delivery that suits what this system stores."""

    def write(self, experience: Experience) -> None:
        """Offer one page view, in order."""

    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        """At most k hits, best first; ties go to the older record. Reads only."""

    def end_session(self) -> None:
        """The session is over and its context wiped."""

    def fork(self) -> Self:
        """An independent continuation: later writes to either are not seen by the other."""

    def __len__(self) -> int:
        """Number of stored records."""


class Delivery(Protocol):
    """The stage between retrieval and answer (DeliverMem, arXiv 2609.32590). Pure."""

    @property
    def name(self) -> str:
        """What users type."""

    def deliver(self, query: Query, hits: Sequence[Retrieved]) -> Delivered:
        """Turn hits into what the agent reads; never changes a stored record."""
