"""The one parser between an agent's reply and the environment's typed actions.

Rules, for replies in ReAct form ("Thought: ... / Action: click_index(3)"):

- Reasoning blocks (`<think>...</think>`) are ignored.
- The first "Action:" line counts, and the first action on it. A reply that plans several steps is carried out
  one step at a time; what a model writes behind its own "Observation:" was never observed. Both are noted as
  problems.
- Without an "Action:" line, a JSON tool call counts, then an action alone on its line, then the only call in
  the prose.
- Form is tolerated (case, quotes, brackets, keywords, markdown); meaning is not guessed: "not done yet" is no
  `done`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from recallreach.env.grammar import KNOWN, Reading, calls_in, has_call, name_of, read_action, render_action
from recallreach.env.toolcalls import find_json
from recallreach.env.types import Action, Invalid

__all__ = ["Reply", "parse_action", "parse_reply", "product_id_of", "render_action"]

_REASONING = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|reflection)>", re.I)
_WORDS = (
    "action|acción|accion|aktion|ação|acao|azione|actie|действие|行动|动作|操作|行動|アクション|액션|행동"
)
_MARKER_LINE = re.compile(
    r"^[ \t>*_#`\-•\d.]{0,20}<?(?:(?:next|final|my|chosen) )?"
    rf"(?:{_WORDS})(?: \d{{1,3}})?[ \t*_`>]{{0,8}}(?:[:：=]|(?<=>))",
    re.I | re.M,
)
_MARKER_INLINE = re.compile(rf"(?<!\w)(?:{_WORDS})[*_`]{{0,3}}[ \t]{{0,3}}[:：]", re.I)
_OBSERVATION = re.compile(r"^[ \t>*_#`]{0,12}observation[*_`]{0,3}[ \t]{0,3}[:：]", re.I | re.M)
_THOUGHT = re.compile(
    r"(?<!\w)(?:thought|reasoning|pensamiento|gedanke|pensée|мысль|思考|想法|考え)[*_`]{0,3}[ \t]{0,3}[:：]",
    re.I,
)
_INPUT = re.compile(r"^[ \t>*_#`]{0,12}action input[*_`]{0,3}[ \t]{0,3}[:：]", re.I | re.M)
_PRODUCT = re.compile(r"/product/([0-9a-fA-F]{8})/?")
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]{0,20}://[^/?#]*)?([^?#]*)", re.I)
_PROSE_LINES = 400
_FENCES = 3


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply says.

    Attributes:
        thought: the reasoning in front of the action.
        action: what to do; `Invalid` where the reply holds no usable action.
        problems: oddities worth counting ("several actions"), empty for a clean reply.
    """

    thought: str
    action: Action
    problems: tuple[str, ...] = ()


def parse_reply(text: str) -> Reply:
    """Read one reply of an agent; never raises, whatever the text.

    Source of the reply form: ReAct (arXiv 2210.03629) as used by DMV-Bench (arXiv 2606.27499).
    """
    body, problems = _without_reasoning(text)
    marker = _MARKER_LINE.search(body) or _MARKER_INLINE.search(body)
    if marker is None:
        return _unmarked(body, problems)
    tail, noted = _own_words(body[marker.end() :])
    reading = _marked(tail)
    if _goes_on(reading.rest):
        noted.append("several actions: the first was taken")
    return Reply(_thought(body[: marker.start()]), reading.action, tuple(problems + noted))


def parse_action(text: str) -> Action:
    """Read one bare action such as `click_index(3)`; `Invalid` where it is none. Never raises."""
    return _marked(text).action


def product_id_of(url: str) -> str | None:
    """The product id of a product page's address, or None for any other address.

    A trailing slash, a query, a fragment, upper case and the absolute form do not matter.
    """
    path = _URL.match(url.strip())
    found = _PRODUCT.fullmatch(path.group(1)) if path else None
    return found.group(1).lower() if found else None


def _without_reasoning(text: str) -> tuple[str, list[str]]:
    """The text outside reasoning blocks; a block never closed hides all behind it."""
    kept: list[str] = []
    position, depth = 0, 0
    for tag in _REASONING.finditer(text):
        if tag.group(1) and depth == 0:
            kept.clear()
        elif depth == 0:
            kept.append(text[position : tag.start()])
        depth = max(0, depth - 1) if tag.group(1) else depth + 1
        position = tag.end()
    if depth:
        return "".join(kept), ["the reasoning block was never closed"]
    return "".join([*kept, text[position:]]), []


def _own_words(tail: str) -> tuple[str, list[str]]:
    invented = _OBSERVATION.search(tail)
    if invented is None:
        return tail, []
    return tail[: invented.start()], ["the reply goes on with an invented observation"]


def _goes_on(rest: str) -> bool:
    return has_call(rest) or _MARKER_LINE.search(rest) is not None


def _marked(tail: str) -> Reading:
    """Read what follows "Action:"."""
    expression = _unfenced(tail)
    if re.match(r"(?:<tool_call>)?\s*[\[{]", expression):
        found = find_json(expression)
        if (
            found is not None
            and not expression[: found[1]].strip("[{ \n\t").removeprefix("<tool_call>").strip()
        ):
            return Reading(found[0], expression[found[2] :])
    separate = _INPUT.search(expression)
    if separate is not None:
        name = name_of(expression[: separate.start()].strip(" \t\r\n*`_()"))
        if name is not None:
            return _with_input(name, expression[separate.end() :])
    return read_action(expression)


def _with_input(name: str, given: str) -> Reading:
    """`Action: click_index` with its argument on a line of its own, `Action Input: 3`."""
    found = find_json('{"action": "' + name + '", "args": ' + given.strip() + "}")
    if found is not None and found[1] == 0:
        return Reading(found[0])
    line, _, rest = given.strip().partition("\n")
    return Reading(read_action(f"{name}({line.strip()})").action, rest)


def _unfenced(text: str) -> str:
    """Without the blank lines and the code fence in front."""
    start = text.lstrip(" \t\r\n*_")
    for _ in range(_FENCES):
        if not start.startswith("```"):
            break
        first, _, rest = start.partition("\n")
        inline = first.strip("`").strip()
        start = (
            rest.lstrip() if re.fullmatch(r"\w{0,12}", inline) and rest else first.strip("` ") + "\n" + rest
        )
    return start


def _unmarked(body: str, problems: list[str]) -> Reply:
    noted = [*problems, "no 'Action:' line"]
    found = find_json(body)
    if found is not None and not isinstance(found[0], Invalid):
        called, start, end = found
        several = ["several actions: the first was taken"] if find_json(body[end:]) else []
        return Reply(_thought(body[:start]), called, tuple(noted + several))
    lines = body.split("\n")
    for number, line in enumerate(lines[:_PROSE_LINES]):
        action = _lone(line)
        if action is not None:
            rest = "\n".join(lines[number + 1 :])
            several = ["several actions: the first was taken"] if has_call(rest) else []
            return Reply(_thought("\n".join(lines[:number])), action, tuple(noted + several))
    return _only_call(body, noted)


def _lone(line: str) -> Action | None:
    """The action that stands alone on a line, or None."""
    stripped = line.strip(" \t\r*`_>-•")
    if not stripped:
        return None
    reading = read_action(stripped, lone=True)
    if isinstance(reading.action, Invalid) or reading.rest.strip(" \t`*.;!"):
        return None
    return reading.action if _starts_with_name(stripped) else None


def _starts_with_name(line: str) -> bool:
    head = re.match(
        r"[\[(<\"'“]{0,2}([A-Za-z][A-Za-z_\\-]*(?: (?:to|the|on|for|back|wish|list|wishlist|index|link))*)",
        line,
    )
    return head is not None and any(name_of(part) for part in _prefixes(head.group(1)))


def _prefixes(words: str) -> list[str]:
    parts = words.split(" ")
    return [" ".join(parts[: count + 1]) for count in range(len(parts))]


def _only_call(body: str, noted: list[str]) -> Reply:
    """The one call in a text of prose; two different ones are not guessed between."""
    calls = list(dict.fromkeys(calls_in(body)))
    if len(calls) == 1:
        return Reply(_thought(body), calls[0], tuple(noted))
    reason = "several different actions" if calls else f"no action found; known: {KNOWN}"
    return Reply(_thought(body), Invalid(reason), tuple(noted))


def _thought(head: str) -> str:
    found = _THOUGHT.search(head)
    words = head[found.end() :] if found else head
    return words.strip(" \t\r\n*_`#")
