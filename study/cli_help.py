"""The help of every command in readable words: STUDY, PATH and N where the library shows types and braces."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

_WORDS = {
    "<int>": "N",
    "<float>": "X",
    "<str>": "TEXT",
    "<path>": "PATH",
    "<list[str]>": "TEXT",
}


class ReadableCommand(TyperCommand):
    """A command whose arguments are words in capitals and whose options name what they take."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for parameter in self.params:
            if parameter.param_type_name == "argument" and parameter.metavar is None and parameter.name:
                parameter.metavar = parameter.name.removesuffix("_id").upper()

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words of the usage line."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections of arguments, options, and further options by their panel."""
        listed: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                argument = parameter.param_type_name == "argument"
                panel = getattr(parameter, "rich_help_panel", None) or "Options"
                section = listed.setdefault("Arguments" if argument else panel, [])
                section.append((_words(record[0], argument), record[1]))
        for title, records in listed.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def make_readable(app: typer.Typer) -> None:
    """Have all commands of `app` and its groups show their help in readable words."""
    for command in app.registered_commands:
        command.cls = ReadableCommand
    for group in app.registered_groups:
        if group.typer_instance is not None:
            make_readable(group.typer_instance)


def _words(name: str, argument: bool) -> str:
    if argument:
        return name.split(" ")[0]
    for raw, word in _WORDS.items():
        name = name.replace(raw, word)
    return name
