"""Who keeps the semantic store of M2A: a language model with tools, or a rule (arXiv 2602.07624)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from recallreach.errors import RecallReachError
from recallreach.memory.asking import json_objects, system_message, user_message
from recallreach.memory.bank import Bank
from recallreach.memory.errors import MissingRecordError, ReplyError
from recallreach.memory.lexical import record_text
from recallreach.memory.parts import Parts
from recallreach.memory.systems.base import VERBAL, page_of
from recallreach.memory.systems.m2a_search import SemanticSearch
from recallreach.memory.types import Experience, LanguageModel, Message, Record, TextPart

MOST_ROWS, MOST_CALLS = 20, 15


class ToolError(RecallReachError):
    """A tool that was used wrongly; the manager is told so."""


class Workbench:
    """What a manager may do: search the store, fetch raw rows, add and delete entries.

    Args:
        store: the semantic store, changed in place.
        log: the raw log, only read.
        parts: encoders for what is added.
        search: the search that retrieval uses too.
    """

    def __init__(self, store: Bank, log: Bank, parts: Parts, search: SemanticSearch) -> None:
        self.store, self._log, self._parts, self._search = store, log, parts, search

    def search(self, query: str) -> list[Record]:
        """Up to eight entries of the store, best first."""
        if not len(self.store):
            return []
        order = self._search.rank(self.store, query).order(SemanticSearch.FINAL)
        return [self.store[int(position)] for position in order]

    def rows(self, first: int, last: int) -> list[Record]:
        """Raw rows by id, both ends included.

        Raises:
            ToolError: more than 20 rows, or none.
        """
        if not 0 < last - first + 1 <= MOST_ROWS:
            raise ToolError(f"raw takes 1 to {MOST_ROWS} rows, got {first} to {last}")
        return [record for record in self._log if first <= record.id <= last]

    def add(self, text: str, caption: str, evidence: Sequence[int]) -> Record:
        """A new entry; page, picture and date are those of its last raw row.

        Raises:
            ToolError: no text, or evidence that is not in the raw log.
        """
        if not (text.strip() or caption.strip()):
            raise ToolError("an entry needs a text or a caption")
        last = self._rows_of(evidence)[-1]
        picture = self._log.picture(last)
        view = Experience(last.url, last.title, last.text, picture, last.session, last.step, last.seen_at)
        vectors = {} if picture is None else self._search.visual.vectors(picture)
        said = "\n".join(filter(None, [text, caption]))
        vectors[VERBAL] = self._parts.text_encoder.encode_texts([said])[0]
        sources = tuple(sorted(set(evidence)))
        return self.store.append(view, vectors, text=text, caption=caption, sources=sources)

    def delete(self, number: int) -> None:
        """Take an entry out.

        Raises:
            ToolError: there is no such entry.
        """
        try:
            self.store.delete([number])
        except MissingRecordError as error:
            raise ToolError(f"the store has no entry {number}") from error

    def _rows_of(self, evidence: Sequence[int]) -> list[Record]:
        if not evidence:
            raise ToolError("an entry needs evidence: the ids of raw rows")
        try:
            return [self._log[self._log.position(number)] for number in sorted(set(evidence))]
        except MissingRecordError as error:
            raise ToolError(f"evidence must be ids of raw rows: {error}") from error


class Manager(Protocol):
    """Brings the store up to date after a session."""

    def manage(self, bench: Workbench, new: Sequence[Record]) -> None:
        """Decide what of the new raw rows is kept, and what of the store goes."""


class PageManager:
    """The deterministic manager: one entry a page.

    The new rows of a page become one entry with the text and the caption of the last of them; an older entry
    of that page is deleted and its evidence goes into the new one.
    """

    def manage(self, bench: Workbench, new: Sequence[Record]) -> None:
        """As every manager."""
        by_page: dict[str, list[Record]] = {}
        for row in new:
            by_page.setdefault(page_of(row), []).append(row)
        older = {page_of(entry): entry for entry in bench.store if page_of(entry) in by_page}
        bench.store.delete([entry.id for entry in older.values()])
        for page, rows in by_page.items():
            before = older[page].sources if page in older else ()
            bench.add(rows[-1].text, rows[-1].caption, [*before, *(row.id for row in rows)])


class ModelManager:
    """A language model that works with tools, at most 15 replies a session.

    What cannot be used is answered with what is wrong, and counts. What the model has added when its replies
    are spent stays.

    Args:
        model: any chat model.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    def manage(self, bench: Workbench, new: Sequence[Record]) -> None:
        """As every manager.

        Raises:
            ReplyError: no reply held a tool.
            RecallReachError: the model gave no reply.
        """
        told = "\n".join(["New rows of the raw log:", *map(_row, new)])
        messages = [system_message("m2a"), user_message(told)]
        used = 0
        for _ in range(MOST_CALLS):
            text = self._model.complete(messages).text
            calls = json_objects(text)
            work = [call for call in calls if call.get("tool") != "done"]
            results = [_used(bench, call) for call in work]
            used += len(calls)
            if len(work) < len(calls):
                return
            answer = "\n".join(results) or 'That holds no JSON object; end with {"tool": "done"}.'
            messages += [Message("assistant", (TextPart(text),)), user_message(answer)]
        if not used:
            raise ReplyError(
                f"{self._model.name} used no tool in {MOST_CALLS} replies; the store is as it was"
            )


def _used(bench: Workbench, call: Mapping[str, Any]) -> str:
    """What a tool answers, in words."""
    tools: dict[str, Callable[[], str]] = {
        "search": lambda: _listed(bench.search(_text(call, "query"))),
        "raw": lambda: _listed(bench.rows(_number(call, "first"), _number(call, "last"))),
        "add": lambda: f"added as entry {bench.add(*_entry(call)).id}",
        "delete": lambda: _deleted(bench, _number(call, "id")),
    }
    name = call.get("tool")
    if not isinstance(name, str) or name not in tools:
        return f"there is no tool {name!r}; there are {', '.join(tools)} and done"
    try:
        return tools[name]()
    except ToolError as error:
        return f"{name} failed: {error}"


def _deleted(bench: Workbench, number: int) -> str:
    bench.delete(number)
    return f"deleted entry {number}"


def _entry(call: Mapping[str, Any]) -> tuple[str, str, list[int]]:
    evidence = call.get("evidence")
    if not isinstance(evidence, list) or not all(type(number) is int for number in evidence):
        raise ToolError("evidence is a list of ids of raw rows")
    return _text(call, "text"), _text(call, "caption", ""), evidence


def _text(call: Mapping[str, Any], key: str, otherwise: str | None = None) -> str:
    value = call.get(key, otherwise)
    if not isinstance(value, str):
        raise ToolError(f"{key} is a text, got {value!r}")
    return value


def _number(call: Mapping[str, Any], key: str) -> int:
    value = call.get(key)
    if type(value) is not int:
        raise ToolError(f"{key} is a whole number, got {value!r}")
    return value


def _listed(records: Sequence[Record]) -> str:
    return "\n".join(map(_row, records)) or "nothing found"


def _row(record: Record) -> str:
    said = " ".join(record_text(record).split())
    return f"[{record.id}] {record.seen_at} user at {record.url} ({record.title}): {said}"
