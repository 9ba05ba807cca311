"""The report as one HTML file that opens offline."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from recallreach.files import dump_json, write_atomically
from recallreach.storefront.audit.report import AuditReport

LEVELS = {
    "L1": (
        "Words",
        "no cue word, synonym, encoding or hash of a cue anywhere, and no search that answers to one",
    ),
    "L2": ("Statistics", "no channel and no attacker knows more of the cue than a permutation of the cues"),
    "L3": ("Meaning", "a sentence encoder ranks the target of a cue phrase no better than any other product"),
    "L4": ("Behaviour", "agents that see no picture are right as often as a guess"),
}


def write_audit(report: AuditReport, folder: Path) -> tuple[Path, Path]:
    """Write `audit.html` and `audit.json` into `folder`; returns both paths.

    Raises:
        DataError: the folder cannot be written.
    """
    page, data = folder / "audit.html", folder / "audit.json"
    write_atomically(data, dump_json(report.to_json()))
    write_atomically(page, render_audit(report))
    return page, data


def render_audit(report: AuditReport) -> str:
    """The report as HTML."""
    environment = Environment(
        loader=PackageLoader("recallreach.storefront.audit"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(p_value=p_value, percent=lambda share: f"{share:.1%}")
    return environment.get_template("audit.html").render(report=report, levels=LEVELS)


def p_value(value: float) -> str:
    """A probability as a reader wants it: three digits, small ones as a power of ten."""
    return f"{value:.0e}" if value < 0.001 else f"{value:.3f}"
