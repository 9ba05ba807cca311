"""Tables of a finished run folder, as the commands print them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from recallreach.study.decompose.analysis import TraceOf, analyse
from recallreach.study.decompose.designs import Design
from recallreach.study.decompose.growth import growth_of
from recallreach.study.decompose.shown import Shown, growth_table, probes_table, tables_of
from recallreach.study.folder import RESULTS
from recallreach.study.manifest import read_manifest
from recallreach.study.store import StoreReader

REMEMBERED = 4096


def analysed(folder: Path, design: Design, agent: str) -> tuple[list[Shown], Shown]:
    """The tables of a design that ran in `folder`, and its conditions probe by probe.

    Raises:
        DataError: not a run folder, or damaged.
    """
    seed = read_manifest(folder)["config"]["seed"]
    with StoreReader(folder / RESULTS) as store:
        found = analyse(design, agent, store.units(), _remembering(store), seed)
    return tables_of(found), probes_table(found)


def stages_and_costs(folder: Path) -> list[Shown]:
    """Rates, stages and costs at delivery of any run.

    Raises:
        DataError: not a run folder, or damaged.
    """
    manifest = read_manifest(folder)
    seed, agent = manifest["config"]["seed"], manifest["config"]["agent"]["name"]
    with StoreReader(folder / RESULTS) as store:
        units, trace_of = store.units(), _remembering(store)
        design, order = Design(folder.name, (), (), ()), [system["label"] for system in manifest["systems"]]
        rates, _, stages = tables_of(analyse(design, agent, units, trace_of, seed, order))
        chains = len({unit.tree for unit in units})
        return [rates, stages, growth_table(growth_of(units, trace_of, seed, order), chains)]


def _remembering(store: StoreReader) -> TraceOf:
    return lru_cache(maxsize=REMEMBERED)(store.trace)
