"""Who summarises, extracts and searches for WorldMM: a language model, or rules (arXiv 2512.02425)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from recallreach.memory.asking import ask, json_objects, one_object, system_message, user_message
from recallreach.memory.lexical import record_text
from recallreach.memory.systems.ports import EPISODIC, LOOKS, SEMANTIC, route
from recallreach.memory.systems.worldmm_facts import Triple
from recallreach.memory.types import LanguageModel, Record

MODULES = (EPISODIC, SEMANTIC, LOOKS)
Round = tuple[str, str]
"""A module and what it is asked."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class Mind(Protocol):
    """The decisions of WorldMM that need understanding."""

    def summary(self, texts: Sequence[str]) -> str:
        """One text of several."""

    def triples(self, view: Record) -> list[Triple]:
        """What a view states."""

    def same(self, new: Triple, known: Triple) -> bool:
        """Whether two triples that are near in meaning say the same."""

    def next_round(
        self, question: str, past: Sequence[Round], found: Sequence[Sequence[Record]]
    ) -> Round | None:
        """Where to look next, given the rounds so far and what each found, best first; None to stop."""


class RuleMind:
    """The deterministic mind.

    A summary holds each text's first line once, in order. A view states its title "shows" each sentence of
    its caption, and "was seen in" its session. Triples are the same when their words are. Modules are read
    in the order of the question's keywords (`ports.route`), with the question as it is, until two of them
    agree on the best view.
    """

    def summary(self, texts: Sequence[str]) -> str:
        """As every mind."""
        return "\n".join(dict.fromkeys(text.strip().split("\n")[0] for text in texts if text.strip()))

    def triples(self, view: Record) -> list[Triple]:
        """As every mind."""
        subject = view.title.strip() or view.url
        shown = [sentence for sentence in _SENTENCE.split(view.caption.strip()) if sentence]
        stated = [(subject, "shows", sentence) for sentence in shown]
        return [
            Triple.clean(*fields) for fields in (*stated, (subject, "was seen in", f"session {view.session}"))
        ]

    def same(self, new: Triple, known: Triple) -> bool:
        """As every mind."""
        return new.sentence.casefold() == known.sentence.casefold()

    def next_round(
        self, question: str, past: Sequence[Round], found: Sequence[Sequence[Record]]
    ) -> Round | None:
        """As every mind."""
        firsts = [hits[0].id for hits in found if hits]
        if len(past) == len(MODULES) or len(set(firsts)) < len(firsts):
            return None
        return route(question)[len(past)], question


class ModelMind:
    """A language model, asked once for each decision.

    Args:
        model: any chat model.

    Its methods raise ReplyError where the model's replies cannot be used, and what the model raises.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    def summary(self, texts: Sequence[str]) -> str:
        """As every mind."""
        return ask(self._model, [system_message("worldmm-summary"), user_message("\n\n".join(texts))], _words)

    def triples(self, view: Record) -> list[Triple]:
        """As every mind."""
        told = f"Title: {view.title}\nSession: {view.session}\n{record_text(view)}"
        return ask(self._model, [system_message("worldmm-triples"), user_message(told)], _triples)

    def same(self, new: Triple, known: Triple) -> bool:
        """As every mind."""
        told = f"{new.sentence}\n{known.sentence}"
        return ask(self._model, [system_message("worldmm-merge"), user_message(told)], _verdict)

    def next_round(
        self, question: str, past: Sequence[Round], found: Sequence[Sequence[Record]]
    ) -> Round | None:
        """As every mind."""
        told = [f"Question: {question}"]
        for (module, query), hits in zip(past, found, strict=True):
            listed = [f"- {hit.title}: {' '.join(hit.caption.split())}" for hit in hits] or ["- nothing"]
            told.append("\n".join([f"{module} was asked {query!r} and found:", *listed]))
        return ask(self._model, [system_message("worldmm-reader"), user_message("\n\n".join(told))], _round)


def mind_of(model: LanguageModel | None) -> Mind:
    """The mind of a model, or the rules where there is none."""
    return RuleMind() if model is None else ModelMind(model)


def _words(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text.strip()


def _triples(text: str) -> list[Triple]:
    found = json_objects(text)
    if not found:
        raise ValueError("it holds no JSON object")
    return [Triple.clean(*(str(one.get(key) or "") for key in Triple._fields)) for one in found]


def _verdict(text: str) -> bool:
    same = one_object(text).get("same")
    if not isinstance(same, bool):
        raise ValueError('it does not say {"same": true} or {"same": false}')
    return same


def _round(text: str) -> Round | None:
    answer = one_object(text)
    if answer.get("stop") is True:
        return None
    module, query = answer.get("module"), answer.get("query")
    if module not in MODULES or not isinstance(query, str) or not query.strip():
        raise ValueError(f"module is one of {', '.join(MODULES)}, and query a text")
    return str(module), query
