"""The grammar of one action: a name and at most one argument, tolerant in form and strict in meaning."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from recallreach.env.types import Action, AddToWishlist, Back, Click, Done, Invalid, Navigate, Open, Search

KNOWN = 'navigate("/path"), click_index(N), search("words"), back, open(M2), add_to_wishlist, done'

_SEP = r"(?:\\?[ _-])?"
_NAMES = {
    "navigate": rf"navigate(?:{_SEP}to)?|go{_SEP}to|visit",
    "click_index": rf"click(?:{_SEP}(?:index|link|on))?",
    "search": rf"search(?:{_SEP}for)?",
    "back": rf"go{_SEP}back|back",
    "open": "open",
    "add_to_wishlist": rf"add{_SEP}to{_SEP}(?:the{_SEP}|my{_SEP})?wish{_SEP}list",
    "done": "done|finish",
}
_NAME = re.compile("|".join(f"(?P<{name}>(?:{form}))(?!\\w)" for name, form in _NAMES.items()), re.I)
_CALL = re.compile(r"(?<![\w.])(?:" + "|".join(_NAMES.values()) + r")\s{0,3}[(（](?=[^\n]{0,500}[)）])", re.I)
_DECORATION = " \t\r\n`*_>#-•~\"'“”‘’«»„「『[(<{"
_ENUMERATION = re.compile(r"\(?\d{1,3}[.)]\s+(?=[A-Za-z`*])")
_FILLER = re.compile(
    r"(?:I will|I'll|I’ll|I should|let me|let's|let’s|now|next|use|call|execute|perform)[,:]?\s+", re.I
)
_NEGATION = re.compile(r"\b(?:not|never|avoid|cannot|instead|without|no)\b|n['’]t\b", re.I)
_KEYWORD = re.compile(
    r"(?:url|path|target|page|href|to|index|link|number|n|i|id|query|q|words|text|term|keywords?|tag|item|label)"
    r"\s{0,3}[=:：]\s{0,3}(?![/\\])",
    re.I,
)
_OPENERS, _CLOSERS = "([{（【<", ")]}）】>"
_QUOTES = {
    '"': '"',
    "'": "'",
    "“": "”",
    "‘": "’",
    "«": "»",
    "„": "“",
    "「": "」",
    "『": "』",
    "`": "`",
    "”": "”",
}
_INDEX = re.compile(r"(?:(?:on|the|link|index|number|no\.)\s+)*[#\[(\"'“]*([+-]?)(\d+)[\])\"'”]*")
_TAG = re.compile(r"[\[(\"'“]*([A-Za-z]{1,3})[ _-]?(\d{1,4})[\])\"'”]*")
_ENDS = re.compile(r"\s*(?:$|\n|[.!;:](?:\s|$)|[.!]?\s*(?:#|//|<|\(|—|–|- |\*\*|```|`))")
_ENDS_LOOSELY = re.compile(r"\s*,\s|\s+to (?:the )?(?:previous|last) page\b", re.I)
_MAX_DIGITS = 9
_CALLS_READ = 20


@dataclass(frozen=True, slots=True)
class Argument:
    """What stands behind an action's name.

    Attributes:
        text: the argument without brackets and quotes, or None where there is none.
        exact: it stood in quotes or brackets, so it has a definite end.
        rest: the text behind it.
    """

    text: str | None
    exact: bool
    rest: str


@dataclass(frozen=True, slots=True)
class Reading:
    """One action and the text behind it."""

    action: Action
    rest: str = ""


def read_action(text: str, *, lone: bool = False) -> Reading:
    """Read the action that `text` begins with.

    Args:
        text: an action, perhaps decorated, perhaps followed by other words.
        lone: the text is a line of prose rather than what followed "Action:"; only unmistakable forms count.
    """
    start = _undecorated(text)
    found = _NAME.match(start)
    if found is None:
        return _call_inside(start) or Reading(Invalid(_unknown(start)))
    name = str(found.lastgroup)
    return _read_named(name, start[found.end() :], lone)


def has_call(text: str) -> bool:
    """Whether a call such as `click_index(3)` stands anywhere in `text`."""
    return _CALL.search(text) is not None


def calls_in(text: str) -> list[Action]:
    """The valid calls in a text of prose, in order, but for those that the words before them may deny."""
    actions: list[Action] = []
    for found in islice(_CALL.finditer(text), _CALLS_READ):
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        reading = read_action(text[found.start() :]) if not _NEGATION.search(line) else None
        if reading is not None and not isinstance(reading.action, Invalid):
            actions.append(reading.action)
    return actions


def name_of(text: str) -> str | None:
    """The canonical name when `text` is an action's name and nothing else, else None."""
    found = _NAME.fullmatch(text.strip())
    return str(found.lastgroup) if found else None


def takes_argument(name: str) -> bool:
    """Whether the action of that canonical name needs an argument."""
    return name in _BUILDERS


def build(name: str, argument: str) -> Action:
    """The action of a canonical name and its argument's text."""
    if name in _BUILDERS:
        return _BUILDERS[name](argument.strip())
    if argument.strip().casefold() not in ("", "none", "null"):
        return Invalid(f"{name} takes no argument: it concerns the page now open")
    return _PLAIN[name]()


def render_action(action: Action) -> str:
    """The canonical text of an action; `parse_action` reads it back as the same action."""
    match action:
        case Navigate(target):
            return f"navigate({json.dumps(target, ensure_ascii=False)})"
        case Click(index):
            return f"click_index({index})"
        case Search(words):
            return f"search({json.dumps(words, ensure_ascii=False)})"
        case Open(tag):
            return f"open({tag})"
        case Back():
            return "back"
        case AddToWishlist():
            return "add_to_wishlist"
        case Done():
            return "done"
        case Invalid():
            return "invalid"


def _undecorated(text: str) -> str:
    start = text.lstrip(_DECORATION)
    enumerated = _ENUMERATION.match(start)
    if enumerated:
        start = start[enumerated.end() :].lstrip(_DECORATION)
    filler = _FILLER.match(start)
    return start[filler.end() :].lstrip(_DECORATION) if filler else start


def _call_inside(text: str) -> Reading | None:
    """The first call in a line of prose, unless the words before it may deny it."""
    line = text.partition("\n")[0]
    call = _CALL.search(line)
    if call is None or _NEGATION.search(line[: call.start()]):
        return None
    found = _NAME.match(line, call.start())
    return _read_named(str(found.lastgroup), text[found.end() :], lone=False) if found else None


def _unknown(text: str) -> str:
    word = re.match(r"[^\s(\[{:=]{1,40}", text)
    asked = f"{word.group()!r} is not an action" if word else "no action"
    return f"{asked}; known: {KNOWN}"


def _read_named(name: str, rest: str, lone: bool) -> Reading:
    if name not in _BUILDERS:
        return _read_plain(name, rest)
    argument = _argument(rest)
    if argument.text is None:
        return Reading(Invalid(f"{name} needs an argument; known: {KNOWN}"), rest)
    if lone and name == "search" and not argument.exact:
        return Reading(Invalid(_unknown(name + rest)), rest)
    if not argument.exact:
        return _read_bare(name, argument)
    return Reading(build(name, argument.text), argument.rest)


def _read_plain(name: str, rest: str) -> Reading:
    called = rest.lstrip(" \t")
    if called[:1] in ("(", "（", "["):
        argument = _argument(rest)
        return Reading(build(name, argument.text or ""), argument.rest)
    bare = rest.lstrip("*_`\"'”’»」』)]}>")
    if _ENDS.match(bare) or (name != "done" and _ENDS_LOOSELY.match(bare)):
        return Reading(_PLAIN[name](), bare)
    words = " ".join(rest.split())[:60]
    return Reading(Invalid(f"{name} stands alone, without the words {words!r} behind it"), rest)


def _read_bare(name: str, argument: Argument) -> Reading:
    """`click 3`, `navigate to /path`, `search for oak chair`: an argument without brackets or quotes."""
    line = argument.text or ""
    if name in ("click_index", "open"):
        shape = _INDEX if name == "click_index" else _TAG
        found = shape.match(line)
        if found and re.match(r"\s*(?:$|[-–—,;:(#.`*<])", line[found.end() :]):
            return Reading(build(name, found.group()), line[found.end() :] + argument.rest)
        line = line.partition(" ")[0] if name == "open" else line
    if name in ("navigate", "open"):
        target, _, behind = line.partition(" ")
        target = target.strip("<>`*\"'“”").rstrip(".,;)")
        if "/" not in target and not target.startswith("?"):
            return Reading(Invalid(f"{name} needs a path such as /category/chair, not {line[:60]!r}"))
        return Reading(build(name, target), behind + argument.rest)
    return Reading(build(name, line.rstrip("`*. \t")), argument.rest)


def _argument(rest: str) -> Argument:
    """Split what follows a name into its argument and the rest."""
    start = rest.lstrip(" \t*`_") if rest[:1] in "*`_" else rest.lstrip(" \t")
    if start[:1] in tuple(":：="):
        start = start[1:].lstrip(" \t*`")
    if start[:1] and start[:1] in _OPENERS:
        return _bracketed(start[1:])
    if start[:1] in _QUOTES:
        return _quoted(start) or _line(start)
    return _line(start)


def _line(text: str) -> Argument:
    line, _, rest = text.partition("\n")
    return Argument(line.strip() or None, False, rest)


def _bracketed(text: str) -> Argument:
    inner = text.lstrip(" \t\r\n" + _OPENERS)
    keyword = _KEYWORD.match(inner)
    if keyword:
        inner = inner[keyword.end() :].lstrip()
    if inner[:1] in _QUOTES:
        quoted = _quoted(inner)
        if quoted is not None:
            return Argument(quoted.text, True, quoted.rest.lstrip(" \t\r\n,;" + _CLOSERS))
    end = _closing(inner)
    return Argument(inner[:end].strip(" \t\r\n]}】>") or None, True, inner[end:].lstrip(_CLOSERS))


def _closing(text: str) -> int:
    """Where the bracket that is open before `text` closes: the matching one, or the end of the line."""
    depth = 0
    for found in re.finditer(r"[()（）\n]", text):
        mark = found.group()
        if mark == "\n" or (mark in ")）" and depth == 0):
            return found.start()
        depth += 1 if mark in "(（" else -1
    bare = re.search(r"[\]}】>\n]|$", text)
    return bare.start() if bare else len(text)


def _quoted(text: str) -> Argument | None:
    """The string that `text` begins with; JSON escapes count in double quotes."""
    if text[0] == '"':
        decoded = _json_string(text)
        if decoded is not None:
            return decoded
    close = _QUOTES[text[0]]
    line, newline, after = text[1:].partition("\n")
    ending = re.search(rf"{re.escape(close)}\s{{0,3}}[,;]?\s{{0,3}}(?:[)\]}}）】>]|$)", line)
    end = ending.start() if ending else line.rfind(close)
    if end < 0:
        return None
    return Argument(line[:end], True, line[end + 1 :] + newline + after)


def _json_string(text: str) -> Argument | None:
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text)
    except ValueError:
        return None
    follows = text[end:].lstrip(" \t")[:1]
    if follows and follows not in _CLOSERS + ",;.\n\r`*#":
        return None
    return Argument(str(value), True, text[end:])


def _click(text: str) -> Action:
    found = _INDEX.fullmatch(text.strip())
    if found is None:
        return Invalid(
            f"click_index needs the number of one link, for instance click_index(3), not {text[:60]!r}"
        )
    sign, digits = found.groups()
    if sign == "-" or len(digits) > _MAX_DIGITS:
        return Invalid(f"there is no link {text[:60]}: links are numbered from 0")
    return Click(int(digits))


def _navigate(text: str) -> Action:
    return Navigate(text) if text else Invalid("navigate needs a path such as /category/chair")


def _search(text: str) -> Action:
    return Search(text) if text else Invalid("search needs words to look for")


def _open(text: str) -> Action:
    found = _TAG.fullmatch(text)
    if found:
        return Open(found.group(1).upper() + found.group(2))
    if text.startswith(("/", "http://", "https://")):
        return _navigate(text)
    return Invalid(f"open needs the tag of a delivered item, for instance open(M2), not {text[:60]!r}")


_BUILDERS: dict[str, Callable[[str], Action]] = {
    "navigate": _navigate,
    "click_index": _click,
    "search": _search,
    "open": _open,
}
_PLAIN: dict[str, Callable[[], Action]] = {"back": Back, "add_to_wishlist": AddToWishlist, "done": Done}
