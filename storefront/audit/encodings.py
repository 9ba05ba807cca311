"""L1, the disguises: what a text says once it is decoded."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterator
from urllib.parse import unquote_plus

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")
_BASE32 = re.compile(r"\b[A-Z2-7]{8,}={0,6}")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}[ :]?){4,}")
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})|\\u\{([0-9A-Fa-f]{1,5})\}")
_CODES = re.compile(r"\b\d{2,3}(?:[ ,;-]\d{2,3}){2,}\b")
_READABLE = re.compile(r"[\x20-\x7e\t\r\n]{3,}")
_LETTERS = re.compile(r"[A-Za-z]{3,}")


def unveil(text: str) -> Iterator[tuple[str, str]]:
    """The text itself as ("", text), then (name of the encoding, what it says) for each that applies."""
    yield "", text
    if "\x00" in text:
        yield "with NUL bytes", text.replace("\x00", "")
    if "%" in text:
        yield "percent encoding", unquote_plus(unquote_plus(text))
    if "&" in text:
        yield "HTML entities", html.unescape(html.unescape(text))
    if "\\" in text:
        yield "escapes", _ESCAPE.sub(_unescaped, text)
    for token in _BASE64.findall(text):
        yield from (("base64", said) for said in _from_base64(token))
    for token in _BASE32.findall(text):
        yield from (("base32", said) for said in _readable(_decoded32(token)))
    for token in _HEX.findall(text):
        yield from (("hexadecimal", said) for said in _readable(_decoded16(token)))
    for token in _CODES.findall(text):
        yield from (("character codes", said) for said in _from_codes(token))
    if _LETTERS.search(text):
        yield "rot13", codecs.encode(text, "rot13")
        yield "reversed", text[::-1]


def _unescaped(match: re.Match[str]) -> str:
    return chr(min(int(match[1] or match[2] or match[3], 16), 0x10FFFF))


def _from_base64(token: str) -> Iterator[str]:
    """Readable decodings; a token that was glued to a prefix is tried from each of four offsets."""
    plain = token.rstrip("=").translate(str.maketrans("-_", "+/"))
    for offset in range(min(4, len(plain) - 4)):
        part = plain[offset:]
        part = part[: len(part) - 1] if len(part) % 4 == 1 else part
        try:
            raw = base64.b64decode(part + "=" * (-len(part) % 4))
        except binascii.Error:
            continue
        yield from _readable(raw)


def _decoded32(token: str) -> bytes:
    part = token.rstrip("=")
    try:
        return base64.b32decode(part + "=" * (-len(part) % 8))
    except binascii.Error:
        return b""


def _decoded16(token: str) -> bytes:
    digits = re.sub(r"[^0-9A-Fa-f]", "", token)
    return bytes.fromhex(digits[: len(digits) // 2 * 2])


def _from_codes(token: str) -> Iterator[str]:
    codes = [int(code) for code in re.findall(r"\d+", token)]
    if all(code < 256 for code in codes):
        yield from _readable(bytes(codes))


def _readable(raw: bytes) -> Iterator[str]:
    """The text of bytes that are text as a whole; anything else is chance."""
    try:
        said = raw.decode("ascii")
    except UnicodeDecodeError:
        return
    if _READABLE.fullmatch(said) and _LETTERS.search(said):
        yield said
