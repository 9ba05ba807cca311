"""Messages of servers without what belongs to the account: keys, headers, organisations, addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST_REASON = 300

_PRIVATE: tuple[tuple[str, str], ...] = (
    (r"(?i)\b(bearer|basic)\s+[^\s\"',;]+", r"\1 <key>"),
    (
        r"(?i)((?:x-)?(?:goog-)?api[-_]?key|authorization|key|token)([\"']?\s*[=:]\s*[\"']?)[^\s\"',;&]{6,}",
        r"\1\2<key>",
    ),
    (r"\b(?:sk|pk|rk|hf|gsk|xai)[-_][\w*.-]{4,}", "<key>"),
    (r"\bAIza[\w-]{10,}", "<key>"),
    (r"\beyJ[\w-]+\.[\w-]+\.[\w-]+", "<key>"),
    (r"\b(?:org|proj|user|acct|team|workspace)[-_][A-Za-z0-9]{6,}", "<account>"),
    (
        r"(?i)\b(organi[sz]ations?|projects?|accounts?)([/:= ]+[\"']?)(?=[\w.-]*[\d-])[\w.-]{4,}",
        r"\1\2<account>",
    ),
    (r"[\w.+-]+@[\w-]+\.[\w.-]+", "<account>"),
    (r"(https?://)[^\s/@]+@", r"\1"),
)


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` on one line, without the given secrets and whatever looks like a key or an account, cut short.

    Args:
        text: what a server or a library said.
        secrets: strings that must not appear, for instance the key in use.
    """
    found = " ".join(text.split())
    for secret in secrets:
        found = found.replace(secret, "<key>") if secret else found
    for form, instead in _PRIVATE:
        found = re.sub(form, instead, found)
    return found if len(found) <= LONGEST_REASON else found[: LONGEST_REASON - 1] + "…"
