"""The CSV files of a run: one row per probe, per system, and per system and reach."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from recallreach.files import write_atomically
from recallreach.study.scoring import SystemScore
from recallreach.study.stats import Interval
from recallreach.study.units import COLUMNS, Unit


def write_tables(
    folder: Path, units: Sequence[Unit], scores: Sequence[SystemScore], chance: Mapping[int, float]
) -> None:
    """Write results.csv, summary.csv and retention.csv."""
    _write(folder / "results.csv", COLUMNS, (_result_row(unit) for unit in units))
    _write(folder / "summary.csv", SUMMARY, map(_summary_row, scores))
    _write(folder / "retention.csv", RETENTION, (row for score in scores for row in _curve(score, chance)))


SUMMARY = (
    "system",
    "probes",
    "correct",
    "tsr",
    "low",
    "high",
    "errors",
    "invalid",
    "error_rate",
    "retrieved",
    "images",
    "visual_tokens",
    "text_tokens",
    "steps",
    "seconds",
)
RETENTION = ("system", "reach", "probes", "correct", "rate", "low", "high", "chance")


def _result_row(unit: Unit) -> list[object]:
    values = {name: getattr(unit, name) for name in COLUMNS}
    values.update(correct=int(unit.correct), actions=" | ".join(unit.actions))
    return [values[name] for name in COLUMNS]


def _summary_row(score: SystemScore) -> list[object]:
    costs = score.costs
    means = (
        (costs.images, costs.visual_tokens, costs.text_tokens, costs.steps, costs.seconds)
        if costs
        else [""] * 5
    )
    counts = [score.system, score.probes, score.correct, score.tsr, *_ends(score.interval)]
    errors = [sum(score.errors.values()), sum(score.invalid.values()), score.error_rate]
    return [*counts, *errors, score.retrieved, *means]


def _curve(score: SystemScore, chance: Mapping[int, float]) -> Iterable[list[object]]:
    for point in score.retention:
        figures = [point.reach, point.probes, point.correct, point.rate, *_ends(point.interval)]
        yield [score.system, *figures, chance.get(point.reach)]


def _ends(interval: Interval | None) -> tuple[float, float] | tuple[str, str]:
    return (interval.low, interval.high) if interval else ("", "")


def _write(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    write_atomically(path, buffer.getvalue())
