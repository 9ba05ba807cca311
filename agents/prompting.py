"""Prompts in files: one folder per version, templates with `$names`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Template

from recallreach.errors import UnknownNameError
from recallreach.files import sha256


@dataclass(frozen=True)
class Prompts:
    """The templates of one version.

    Attributes:
        name: folder name, for instance "react-1".
        version: name and the first eight digits of the SHA-256 over all templates; part of every cache key.
        templates: text by file name without ending.
    """

    name: str
    version: str
    templates: dict[str, str]

    def fill(self, template: str, **slots: object) -> str:
        """One template with its slots filled; a slot without a value is an error of this package."""
        return Template(self.templates[template]).substitute(
            {name: str(value) for name, value in slots.items()}
        )


@cache
def load_prompts(name: str = "react-1", kind: str = "react") -> Prompts:
    """Read one version of the prompts.

    Args:
        name: the version.
        kind: what they are for: "react" (the agent) or "rubric" (judges).

    Raises:
        UnknownNameError: no such version of that kind.
    """
    root = resources.files("recallreach.agents").joinpath("prompts")
    known = sorted(
        folder.name for folder in root.iterdir() if folder.is_dir() and folder.name.startswith(f"{kind}-")
    )
    if name not in known:
        raise UnknownNameError("prompt version", name, known)
    files = sorted(root.joinpath(name).iterdir(), key=lambda file: file.name)
    templates = {
        file.name.removesuffix(".md"): file.read_text(encoding="utf-8")
        for file in files
        if file.name.endswith(".md")
    }
    digest = sha256("\0".join(f"{key}\0{text}" for key, text in templates.items()).encode())
    return Prompts(name, f"{name}-{digest[:8]}", templates)
