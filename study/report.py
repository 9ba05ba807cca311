"""The report of a run folder: one HTML file that opens offline, its chart and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from recallreach.env.trajectory import TrajectoryStore
from recallreach.env.types import Trajectory
from recallreach.errors import DataError
from recallreach.files import write_atomically
from recallreach.study import charts_files, charts_page, gallery
from recallreach.study.charts import Curves, Stacks, retention_chart
from recallreach.study.failures import MEANINGS, failures_chart
from recallreach.study.folder import REPORT, RESULTS, TRAJECTORIES
from recallreach.study.manifest import FILE as MANIFEST
from recallreach.study.manifest import read_manifest
from recallreach.study.pictures import RunPictures
from recallreach.study.protocol import Compliance, compliance
from recallreach.study.run_tables import chance_table, compliance_table, failures_table, run_tables
from recallreach.study.scoring import (
    ChanceCheck,
    SystemScore,
    by_system,
    chance_check,
    chance_curve,
    score_system,
)
from recallreach.study.stats import RESAMPLES, Interval
from recallreach.study.store import ResultStore, Unit, results_digest
from recallreach.study.tables import Kind, Table, Value, write_tables
from recallreach.study.tree import Forest, design

FEW_CHAINS = 10
"""Below this number of chains the report warns that intervals are rough."""
MANY_SYSTEMS = 8
"""Above this number of systems the gallery shows one right and one wrong probe of each."""
FOLDED = 20
"""Tables with more rows than this are folded away until they are asked for."""
MANY_REACHES = 8
"""With more reaches than this, and than systems, the retention table has a row a reach."""
FACTS = ("seed", "chains", "sessions", "agent", "products", "systems", "started_at")
MEDIA_TYPES = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf"}


@dataclass(frozen=True, slots=True)
class Results:
    """All figures of a run, ready for the terminal, the tables and the page."""

    manifest: Mapping[str, Any]
    scores: tuple[SystemScore, ...]
    checks: tuple[ChanceCheck, ...]
    chance: Mapping[int, float]
    compliance: tuple[Compliance, ...]
    retention: Curves
    failures: Stacks
    forest: Forest
    clusters: int
    digest: str
    path: Path

    @property
    def cluster(self) -> str:
        """What intervals draw whole and `clusters` counts: chains, or trees of chains that share sessions."""
        return "tree" if self.forest.branching > 1 else "chain"

    @property
    def complete(self) -> bool:
        """Whether the run went to its end."""
        return self.manifest["finished_at"] is not None


def write_report(folder: Path) -> Results:
    """Score the run in `folder` and write report.html, its charts (PNG, SVG, PDF, JSON) and its tables.

    Raises:
        DataError: not a run folder, damaged, or without a single answered probe.
    """
    manifest = read_manifest(folder)
    check_facts(folder, manifest)
    if not (folder / RESULTS).is_file():
        raise DataError(f"{folder} holds no results yet: run `recallreach resume {folder}`.")
    with ResultStore(folder / RESULTS) as store:
        units = store.units()
        if not units:
            raise DataError(f"{folder} holds no answered probe yet: run `recallreach resume {folder}`.")
        results = _score(folder, manifest, units)
        tables = {table.name: table for table in _tables(results, units)}
        write_tables(folder, units, tables.values())
        twins = {
            stem: charts_files.save(chart, folder, stem)
            for stem, chart in (("retention", results.retention), ("failures", results.failures))
        }
        write_atomically(results.path, _page(results, tables, twins, store, units))
    return results


def _tables(results: Results, units: Sequence[Unit]) -> Iterator[Table]:
    config = results.manifest["config"]
    lengths = sorted({*config.get("lengths", ()), config.get("sessions", 1)})
    grouped = by_system(units, [score.system for score in results.scores])
    yield from run_tables(grouped, results.scores, results.chance, lengths, config["seed"])
    yield failures_table(results.failures)
    yield chance_table(results.checks)
    yield compliance_table(results.compliance)


def check_facts(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Refuse a manifest that lacks what report and viewer cannot do without.

    Raises:
        DataError: says what it lacks.
    """
    facts = {**manifest.get("config", {}), **manifest}
    missing = [key for key in FACTS if key not in facts]
    if missing:
        raise DataError(
            f"{folder / MANIFEST} lacks {', '.join(missing)}: restore it, or run again with --fresh"
        )


def _score(folder: Path, manifest: Mapping[str, Any], units: Sequence[Unit]) -> Results:
    seed, products = manifest["config"]["seed"], manifest["products"]
    memory_of = {system["label"]: system["memory"]["name"] for system in manifest["systems"]}
    grouped = by_system(units, list(memory_of))
    scores = tuple(score_system(label, rows, seed) for label, rows in grouped.items())
    chance = chance_curve(units)
    checks = (chance_check(memory_of.get(label, label), rows, products) for label, rows in grouped.items())
    forest, clusters = _forest(manifest["config"]), len({unit.tree for unit in units})
    note = _note(clusters, "trees" if forest.branching > 1 else "chains")
    return Results(
        manifest=manifest,
        scores=scores,
        checks=tuple(check for check in checks if check is not None),
        chance=chance,
        compliance=compliance(_trajectories(folder)),
        retention=retention_chart(scores, chance, note),
        failures=failures_chart(grouped),
        forest=forest,
        clusters=clusters,
        digest=results_digest(units),
        path=folder / REPORT,
    )


def _forest(config: Mapping[str, Any]) -> Forest:
    return Forest(
        config["chains"], config["sessions"], config.get("branching", 1), config.get("first_chain", 0)
    )


def _trajectories(folder: Path) -> list[Trajectory]:
    recorded = TrajectoryStore(folder / TRAJECTORIES)
    places = recorded.keys()
    return [recorded.load(*place) for place in places]


def _note(clusters: int, name: str) -> str:
    bands = f"Bands: 95 % intervals, bootstrap over {clusters} {name}. " if clusters > 1 else ""
    return f"{bands}Thin, grey and dashed: a guess among the products seen so far."


def _page(
    results: Results,
    tables: Mapping[str, Table],
    twins: Mapping[str, Mapping[str, bytes]],
    store: ResultStore,
    units: Sequence[Unit],
) -> str:
    seed = results.manifest["config"]["seed"]
    grouped = by_system(units, [score.system for score in results.scores])
    kept = RunPictures(store, TrajectoryStore(results.path.parent / TRAJECTORIES).pictures)
    most = gallery.PER_VERDICT if len(grouped) <= MANY_SYSTEMS else 1
    exhibits = {
        label: [gallery.exhibit(store, kept, unit) for unit in gallery.pick(rows, seed, most)]
        for label, rows in grouped.items()
    }
    return (
        _templates()
        .get_template("report.html.j2")
        .render(
            results=results,
            tables=tables,
            config=results.manifest["config"],
            manifest=results.manifest,
            chart_style=charts_page.style(),
            retention=charts_page.drawing(results.retention),
            failures=charts_page.drawing(results.failures),
            meanings=MEANINGS,
            twins={stem: dict(_links(stem, made)) for stem, made in twins.items()},
            reaches=sorted(results.chance),
            exhibits=exhibits,
            troubles=[unit for unit in units if not unit.ok],
            few=results.clusters < FEW_CHAINS,
            floor=least_sign_p(results.clusters, len(tables["differences"].rows)),
            folded=FOLDED,
            many_reaches=MANY_REACHES,
            resamples=RESAMPLES,
        )
    )


def least_sign_p(clusters: int, comparisons: int) -> float:
    """The least p that a sign test over so many chains can give after Holm's correction of the family."""
    return min(1.0, comparisons * 2.0 ** (1 - clusters))


def _links(stem: str, made: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """File name and data URI of each drawing, so that a report sent alone still has its figures."""
    for kind, data in made.items():
        yield f"{stem}.{kind}", gallery.data_uri(data, MEDIA_TYPES[kind])


def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("recallreach.study"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(percent=percent, between=between, cell=cell, design=design)
    return environment


def percent(share: float | None) -> str:
    """A share as the report writes it: 0.8712 -> "87.1 %"."""
    return "–" if share is None else f"{100 * share:.1f} %"


def between(interval: Interval | None, scale: float = 100.0) -> str:
    """An interval as the report writes it: "[82.0, 91.3]"."""
    return f"[{scale * interval.low:.1f}, {scale * interval.high:.1f}]" if interval else "–"


def cell(value: Value, kind: Kind) -> str:
    """A value of a table as the report writes it."""
    if value is None or isinstance(value, str) or kind == "text":
        return "–" if value is None else str(value)
    if kind == "p":
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    if kind == "points":
        return f"{100 * value:+z.1f}"
    if kind == "share":
        return f"{100 * value:.1f}"
    return f"{value:,}" if kind == "count" else f"{value:.2f}"
