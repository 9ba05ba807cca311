"""A hash of everything that decides how an asset looks: its builder, the code that builder reaches, and
the settings.

Names are followed from the builder through its module and the toolkit, so adding an unrelated model or
helper does not make every other asset stale. Comments, docstrings and layout do not count.
"""

from __future__ import annotations

import ast
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

PIPELINE = ("bake_cue", "bake_furniture", "render_passes", "layers_of", "fit_cue", "studio")
LOOK = ("scene", "materials", "shapes", "inflate", "parts", "scatter", "styles", "render", "pack", "settings")


def fingerprint(module_path: Path, builder: str, settings: dict[str, Any]) -> str:
    """Sixteen hex digits; equal means that baking again would give the same picture."""
    symbols = {**_toolkit_symbols(), **_symbols(module_path)}
    reached = _reach(symbols, (builder, *PIPELINE))
    text = "\n".join(symbols[name] for name in sorted(reached))
    return hashlib.sha256((text + json.dumps(settings, sort_keys=True)).encode()).hexdigest()[:16]


def _reach(symbols: dict[str, str], start: tuple[str, ...]) -> set[str]:
    reached: set[str] = set()
    waiting = [name for name in start if name in symbols]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [used for used in _names(symbols[name]) if used in symbols]
    return reached


@cache
def _names(source: str) -> frozenset[str]:
    nodes = ast.walk(ast.parse(source))
    return frozenset(
        n.id if isinstance(n, ast.Name) else n.attr for n in nodes if isinstance(n, ast.Name | ast.Attribute)
    )


@cache
def _toolkit_symbols() -> dict[str, str]:
    folder = Path(__file__).parent
    return {name: text for stem in LOOK for name, text in _symbols(folder / f"{stem}.py").items()}


@cache
def _symbols(path: Path) -> dict[str, str]:
    """Top-level definitions and constants of a file: name to normalised source."""
    found: dict[str, str] = {}
    for node in ast.parse(path.read_text()).body:
        for name in _defined(node):
            found[name] = ast.unparse(_undocumented(node))
    return found


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    return [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]


def _undocumented(node: ast.stmt) -> ast.stmt:
    for part in ast.walk(node):
        if (
            isinstance(part, ast.FunctionDef | ast.ClassDef)
            and ast.get_docstring(part, clean=False) is not None
        ):
            part.body = part.body[1:] or [ast.Pass()]
    return node
