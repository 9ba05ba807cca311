"""Which tables a run has: success, retention, differences, slopes, controls, errors, precision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from recallreach.study.analysis import (
    HALF_WIDTHS,
    Cell,
    by_bank,
    by_length,
    by_position,
    paired,
    precision,
    slopes,
)
from recallreach.study.charts import Stacks
from recallreach.study.protocol import Compliance
from recallreach.study.scoring import ChanceCheck, SystemScore
from recallreach.study.stats import Interval
from recallreach.study.tables import Column, Table, Value
from recallreach.study.units import Unit

SYSTEM = Column("system", "System", "text")
PROBES, CORRECT = Column("probes", "Probes"), Column("correct", "Right")
RATE = Column("rate", "TSR (%)", "share")
LOW, HIGH = Column("low", "from", "share"), Column("high", "to", "share")


def run_tables(
    systems: Mapping[str, Sequence[Unit]],
    scores: Sequence[SystemScore],
    chance: Mapping[int, float],
    lengths: Sequence[int],
    seed: int,
) -> Iterator[Table]:
    """All tables of a run.

    Args:
        systems: units by system, in the order of the study.
        scores: their figures.
        chance: expected success of a guess by reach.
        lengths: chain lengths to report.
        seed: the study's seed, which the bootstrap's draws depend on.
    """
    yield _summary(scores)
    yield _retention(scores, chance)
    yield _slopes(systems, seed)
    yield _differences(systems, seed)
    yield _cells("lengths", "Success by chain length J.", "length", "J", by_length(systems, lengths, seed))
    yield _banks(by_bank(systems, seed))
    yield _cells(
        "positions",
        "Success by where in its session the target was seen.",
        "position",
        "Seen in",
        by_position(systems, seed),
    )
    yield _errors(scores)
    yield _precision(systems)


def _summary(scores: Sequence[SystemScore]) -> Table:
    columns = (
        SYSTEM,
        PROBES,
        CORRECT,
        Column("tsr", "TSR (%)", "share"),
        LOW,
        HIGH,
        Column("errors", "Errors"),
        Column("invalid", "Invalid"),
        Column("error_rate", "Errors (%)", "share"),
        Column("retrieved", "Retrieved (%)", "share"),
        Column("images", "Images", "number"),
        Column("visual_tokens", "Visual tokens", "number"),
        Column("text_tokens", "Text tokens", "number"),
        Column("calls", "Agent turns", "number"),
        Column("steps", "Steps", "number"),
        Column("seconds", "Seconds", "number"),
    )
    caption = "Target success rate with 95 % intervals over chains, and mean costs of a probe."
    return Table("summary", caption, columns, tuple(map(_summary_row, scores)))


def _summary_row(score: SystemScore) -> tuple[Value, ...]:
    costs = score.costs
    means: tuple[Value, ...] = (None,) * 6
    if costs:
        means = (
            costs.images,
            costs.visual_tokens,
            costs.text_tokens,
            costs.calls,
            costs.steps,
            costs.seconds,
        )
    errors = (sum(score.errors.values()), sum(score.invalid.values()), score.error_rate)
    counts = (score.system, score.probes, score.correct, score.tsr)
    return (*counts, *_ends(score.interval), *errors, score.retrieved, *means)


def _retention(scores: Sequence[SystemScore], chance: Mapping[int, float]) -> Table:
    columns = (SYSTEM, Column("reach", "Reach"), PROBES, CORRECT, RATE, LOW, HIGH)
    rows = tuple(
        (
            score.system,
            point.reach,
            point.probes,
            point.correct,
            point.rate,
            *_ends(point.interval),
            chance.get(point.reach),
        )
        for score in scores
        for point in score.retention
    )
    caption = "Retention: target success rate by recall reach, with 95 % intervals over chains."
    return Table("retention", caption, (*columns, Column("chance", "Guess (%)", "share")), rows)


def _slopes(systems: Mapping[str, Sequence[Unit]], seed: int) -> Table:
    columns = (
        SYSTEM,
        Column("slope", "Points a session", "points"),
        Column("low", "from", "points"),
        Column("high", "to", "points"),
    )
    found = slopes(systems, seed)
    rows = tuple((label, fitted.value, *_ends(fitted.interval)) for label, fitted in found.items())
    return Table("slopes", "Change of the success rate for one more session of reach.", columns, rows)


def _differences(systems: Mapping[str, Sequence[Unit]], seed: int) -> Table:
    columns = (
        Column("first", "System", "text"),
        Column("second", "against", "text"),
        PROBES,
        Column("difference", "Points", "points"),
        Column("low", "from", "points"),
        Column("high", "to", "points"),
        Column("only_first", "Only first"),
        Column("only_second", "Only second"),
        Column("mcnemar", "McNemar p", "p"),
        Column("mcnemar_holm", "Holm", "p"),
        Column("sign", "Sign p", "p"),
        Column("sign_holm", "Holm", "p"),
    )
    rows = tuple(
        (
            test.first,
            test.second,
            test.probes,
            test.difference,
            *_ends(test.interval),
            test.only_first,
            test.only_second,
            test.mcnemar,
            test.holm_mcnemar,
            test.sign.p,
            test.holm_sign,
        )
        for test in paired(systems, seed)
    )
    caption = (
        "Paired differences with 95 % intervals over chains; McNemar over probes, sign test over chains."
    )
    return Table("differences", caption, columns, rows)


def _cells(name: str, caption: str, key: str, head: str, cells: Sequence[Cell]) -> Table:
    columns = (SYSTEM, Column(key, head, "text"), PROBES, CORRECT, RATE, LOW, HIGH)
    rows = tuple(
        (cell.system, cell.condition, cell.probes, cell.correct, cell.rate, *_ends(cell.interval))
        for cell in cells
    )
    return Table(name, caption, columns, rows)


def _banks(cells: Sequence[Cell]) -> Table:
    place = (Column("reach", "Reach"), Column("session", "Session"), Column("bank", "Records", "number"))
    columns = (SYSTEM, *place, PROBES, CORRECT, RATE, LOW, HIGH)
    rows = tuple(
        (
            cell.system,
            cell.reach,
            cell.condition,
            cell.bank,
            cell.probes,
            cell.correct,
            cell.rate,
            *_ends(cell.interval),
        )
        for cell in cells
    )
    return Table("banks", "Success by bank size at fixed reach.", columns, rows)


def _errors(scores: Sequence[SystemScore]) -> Table:
    columns = (SYSTEM, Column("status", "Status", "text"), Column("kind", "Kind", "text"), PROBES)
    rows = tuple(
        (score.system, status, kind, count)
        for score in scores
        for status, counts in (("error", score.errors), ("invalid", score.invalid))
        for kind, count in sorted(counts.items())
    )
    return Table("errors", "Probes that do not count for accuracy.", columns, rows)


def failures_table(chart: Stacks) -> Table:
    """What became of the probes of each system, the table beside the chart."""
    kinds = (Column(kind.replace(" ", "_"), kind) for kind in chart.kinds)
    rows: tuple[tuple[Value, ...], ...] = tuple((bar.label, *bar.counts, bar.total) for bar in chart.bars)
    caption = "Every probe once, by the first stage at which it went wrong."
    return Table("failures", caption, (SYSTEM, *kinds, Column("all", "all")), rows)


def chance_table(checks: Sequence[ChanceCheck]) -> Table:
    """Systems that hold no pictures, held against guessing."""
    columns = (
        SYSTEM,
        CORRECT,
        PROBES,
        Column("expected", "Guess (%)", "share"),
        Column("low", "from"),
        Column("high", "to"),
        Column("verdict", "Verdict", "text"),
        Column("rule", "Chance means", "text"),
    )
    rows = tuple(
        (
            check.system,
            check.correct,
            check.probes,
            check.expected,
            check.low,
            check.high,
            check.verdict,
            check.rule,
        )
        for check in checks
    )
    caption = "Right answers of systems that hold no pictures, and the central 95 % range of guessing."
    return Table("chance", caption, columns, rows)


def compliance_table(found: Sequence[Compliance]) -> Table:
    """Recorded sessions against the protocol."""
    columns = (
        Column("what", "Per session", "text"),
        Column("protocol", "Protocol", "text"),
        Column("low", "Least"),
        Column("mean", "Mean", "number"),
        Column("high", "Most"),
    )
    rows = tuple((entry.what, entry.protocol, entry.low, entry.mean, entry.high) for entry in found)
    return Table("compliance", "Browsing sessions against the protocol.", columns, rows)


def _precision(systems: Mapping[str, Sequence[Unit]]) -> Table:
    widths = tuple(
        Column(f"chains_for_{100 * half:g}_points", f"for ±{100 * half:g} points") for half in HALF_WIDTHS
    )
    columns = (
        Column("what", "What", "text"),
        Column("chains", "Chains here"),
        Column("spread", "SD (points)", "share"),
        *widths,
        Column("chains_for_difference", "to find 5 points"),
    )
    rows = tuple(
        (
            entry.what,
            entry.chains,
            entry.spread,
            *(entry.widths or (None,) * len(HALF_WIDTHS)),
            entry.difference,
        )
        for entry in precision(systems)
    )
    caption = "Chains that a 95 % interval of a given half width takes, or a difference with a power of 80 %."
    return Table("precision", caption, columns, rows)


def _ends(interval: Interval | None) -> tuple[Value, Value]:
    return (interval.low, interval.high) if interval else (None, None)
