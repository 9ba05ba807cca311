"""What an audit found, in plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from recallreach.storefront.audit.attacker import Attack
from recallreach.storefront.audit.information import Information
from recallreach.storefront.audit.reading import Coverage
from recallreach.storefront.audit.semantic import Ranking

Level = Literal["L1", "L2", "L3", "L4"]
KIND = "recallreach-leak-audit"


@dataclass(frozen=True, slots=True)
class Finding:
    """One leak.

    Attributes:
        level: which of the four levels found it.
        channel: where, for instance "attribute alt".
        what: one sentence.
        place: an address at which it can be seen, or "".
        bits: mutual information with `target`, where it was measured.
        target: "colour", "object", "product" or "".
    """

    level: Level
    channel: str
    what: str
    place: str = ""
    bits: float | None = None
    target: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """One channel held against one property of the cue.

    Attributes:
        target: "colour" or "object".
        entropy: bits that could leak at most.
        information: what was measured; None where the channel is the same for all products.
        adjusted: Holm-adjusted p-value over all channels and properties.
        leaks: whether that is below the level's alpha.
    """

    target: str
    entropy: float
    information: Information | None
    adjusted: float
    leaks: bool


@dataclass(frozen=True, slots=True)
class ChannelReport:
    """One channel: what was read, and what the levels say of it.

    Attributes:
        name: of the channel.
        coverage: how much was read.
        words: texts in which L1 found something.
        held: L2, colour and object.
    """

    name: str
    coverage: Coverage
    words: int
    held: tuple[Held, ...]

    @property
    def leaks(self) -> bool:
        """Whether L1 or L2 found something."""
        return self.words > 0 or any(entry.leaks for entry in self.held)


@dataclass(frozen=True, slots=True)
class Behaviour:
    """L4: an agent that cannot see pictures, in the real environment.

    Attributes:
        system: memory that it had.
        rule: how a guess is made, in words.
        probes, correct: questions and right answers.
        expected: share of right answers of a guess.
        bound: right answers that chance passes with probability alpha at most.
        errors: probes that ended without an answer.
    """

    system: str
    rule: str
    probes: int
    correct: int
    expected: float
    bound: int
    errors: int = 0

    @property
    def leaks(self) -> bool:
        """Whether it was right more often than chance allows."""
        return self.correct > self.bound


@dataclass(frozen=True)
class Power:
    """Which leaks would have been found.

    Attributes:
        share: by property, the share of products whose property a channel must give away to be found in 9 of
            10 audits.
        bits: the same as mutual information.
        phrases: share of cue phrases that must rank their target first for L3 to find it.
    """

    share: Mapping[str, float] = field(default_factory=dict)
    bits: Mapping[str, float] = field(default_factory=dict)
    phrases: float | None = None


@dataclass(frozen=True)
class AuditReport:
    """Everything of one audit.

    Attributes:
        catalog: name, hash and counts.
        source: how the shop was read.
        alpha: probability of any false alarm over all levels together.
        levels: levels that ran.
        tests: number of L2 tests that Holm's correction is over.
        channels, attacks, rankings, behaviours: results by level.
        findings: the leaks.
        power: which leaks would have been found.
        declared: declared phrases the shop said: (phrase, reason, texts).
        answers: requests answered by kind of page.
        notes: what could not be done.
        encoder: sentence encoder of L3, or "".
        seconds: wall time by part.
    """

    catalog: Mapping[str, Any]
    source: str
    alpha: float
    levels: tuple[Level, ...]
    tests: int
    channels: tuple[ChannelReport, ...]
    findings: tuple[Finding, ...]
    attacks: tuple[Attack, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    behaviours: tuple[Behaviour, ...] = ()
    power: Power = field(default_factory=Power)
    declared: tuple[tuple[str, str, int], ...] = ()
    answers: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    encoder: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Whether no level found a leak."""
        return not self.findings

    def of(self, level: Level) -> tuple[Finding, ...]:
        """The findings of one level."""
        return tuple(finding for finding in self.findings if finding.level == level)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"kind": KIND, "format": 1, "clean": self.clean, **asdict(self)}
