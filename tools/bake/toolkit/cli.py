"""The ``bake.py`` command line."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .assets import OUT, Asset, UnknownAssetError, all_assets, find, load_models, published_cues
from .colour import colour_report
from .parallel import run_chunks
from .preview import compact_cue_sheet, compact_furniture_sheet, cue_sheet, furniture_sheet, save_sheet
from .settings import FINAL, PREVIEW


def parser() -> argparse.ArgumentParser:
    """The argument parser."""
    top = argparse.ArgumentParser(prog="bake.py", description="Bake the storefront pictures with Blender.")
    commands = top.add_subparsers(dest="command", required=True)
    for kind in ("cue", "furniture"):
        one = commands.add_parser(kind, help=f"bake the named {kind} assets")
        one.add_argument(
            "names", nargs="+", metavar="NAME", help="slugs; for furniture also a category for all styles"
        )
        one.add_argument(
            "--preview", action="store_true", help="quick look: write only a sheet to tools/bake/out"
        )
        one.add_argument("--fresh-only", action="store_true", help="skip assets that are up to date")
        one.add_argument("--threads", type=int, default=1, help="Cycles threads (default 1)")
    every = commands.add_parser("all", help="bake everything that is missing or out of date")
    every.add_argument("--jobs", type=int, default=1, help="processes at a time (default 1)")
    every.add_argument("--threads", type=int, default=1, help="Cycles threads per process (default 1)")
    sheet = commands.add_parser("sheet", help="contact sheet of the baked assets")
    sheet.add_argument("kind", choices=("cues", "furniture"))
    sheet.add_argument("names", nargs="*", metavar="NAME", help="only these, in full (default: all, compact)")
    commands.add_parser("list", help="models that exist and cues that are missing")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = parser().parse_args(arguments)
    os.nice(15 - os.nice(0))
    load_models()
    commands = {"cue": _bake, "furniture": _bake, "all": _all, "sheet": _sheet, "list": _list}
    try:
        return commands[options.command](options)
    except UnknownAssetError as error:
        print(error, file=sys.stderr)
        return 2


def _bake(options: argparse.Namespace) -> int:
    failed = 0
    assets = find(options.command, options.names)
    if options.preview:
        return _preview(assets, options.threads)
    for asset in assets:
        if options.fresh_only and asset.is_fresh():
            continue
        failed += not _bake_one(asset, options.threads)
    return 1 if failed else 0


def _bake_one(asset: Asset, threads: int) -> bool:
    started = time.perf_counter()
    try:
        with quiet():
            layers, record, warnings = asset.bake(FINAL[asset.kind], threads)
            asset.write(layers, record)
    except Exception as error:  # noqa: BLE001 - one broken model must not stop the others; it is reported and counted
        print(f"{asset.slug}: failed: {type(error).__name__}: {error}", flush=True)
        return False
    print(f"{asset.slug}: {time.perf_counter() - started:.1f} s{_said(warnings)}", flush=True)
    return True


def _preview(assets: list[Asset], threads: int) -> int:
    for asset in assets:
        started = time.perf_counter()
        with quiet():
            layers, record, warnings = asset.bake(PREVIEW[asset.kind], threads)
        if asset.kind == "cue":
            warnings += colour_report(layers)
            sheet = cue_sheet([(asset.slug, layers)])
        else:
            sheet = furniture_sheet([(asset.slug, layers, record)], 256)
        path = save_sheet(sheet, OUT / f"{asset.slug}.png")
        print(f"{path}: {time.perf_counter() - started:.1f} s{_said(warnings)}", flush=True)
    return 0


def _said(warnings: list[str]) -> str:
    return "".join(f"\n  warning: {w}" for w in warnings)


def _all(options: argparse.Namespace) -> int:
    assets = all_assets()
    stale = [a for a in assets if not a.is_fresh()]
    print(f"{len(assets) - len(stale)} assets up to date, {len(stale)} to bake.", flush=True)
    return run_chunks(stale, options.jobs, options.threads)


def _sheet(options: argparse.Namespace) -> int:
    kind = "cue" if options.kind == "cues" else "furniture"
    chosen = find(kind, options.names) if options.names else [a for a in all_assets() if a.kind == kind]
    items: list[Any] = [(a.slug, a.read(), a.record()) for a in chosen if a.record()]
    if not items:
        print(f"No baked {options.kind} yet.")
        return 1
    if kind == "cue":
        pairs = [(slug, layers) for slug, layers, _ in items]
        sheet = cue_sheet(pairs) if options.names else compact_cue_sheet(pairs)
        _report_colours(pairs)
    else:
        sheet = furniture_sheet(items) if options.names else compact_furniture_sheet(items)
    print(save_sheet(sheet, OUT / f"sheet-{options.kind}.png"))
    return 0


def _report_colours(pairs: list[tuple[str, Any]]) -> None:
    for slug, layers in pairs:
        for line in colour_report(layers):
            print(f"{slug}: {line}")


def _list(options: argparse.Namespace) -> int:
    assets = all_assets()
    for asset in assets:
        state = "up to date" if asset.is_fresh() else "out of date" if asset.record() else "not baked"
        print(f"{asset.kind:9} {asset.slug:28} {state}")
    made = {a.slug for a in assets}
    missing = [c["slug"] for c in published_cues() if c["slug"] not in made]
    print(f"\n{len(missing)} published cues have no model: {', '.join(missing)}")
    return 0


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide what Blender prints."""
    sys.stdout.flush()
    kept = os.dup(1)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        try:
            yield
        finally:
            sys.stdout.flush()
            os.dup2(kept, 1)
            os.close(kept)
