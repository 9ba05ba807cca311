"""Models from a folder, the cache or the Hugging Face hub: whether one can be had, before it is loaded."""

from __future__ import annotations

import ssl
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path

from recallreach.errors import RecallReachError

PATIENCE = 5.0
"""Seconds to wait for the hub's first answer."""
_MARKS = ("config.json", "modules.json")
"""Files of which every model has one."""


class ModelNotFoundError(RecallReachError):
    """A model that is neither a folder nor cached, with no hub to get it from."""

    def __init__(self, model: str, reason: str) -> None:
        self.model, self.reason = model, reason
        super().__init__(
            f"the model {model!r} is neither a local folder nor in the local cache, and could not be fetched "
            f"({reason}). Where there is a network run `hf download {model}` once, or give the path of a "
            "folder that holds the model."
        )

    def __reduce__(self) -> tuple[type[ModelNotFoundError], tuple[str, str]]:
        return type(self), (self.model, self.reason)


def only_local(model: str, revision: str | None = None) -> bool:
    """Whether a model is to be loaded without asking the hub, which libraries try for a minute in vain.

    Args:
        model: hub id or local folder.
        revision: commit, tag or branch on the hub.

    Returns:
        True for a folder, and for a cached model where there is no hub; False where the hub answers.

    Raises:
        ModelNotFoundError: there is no such model here, and no hub, or it is no name that a hub could know.
    """
    if Path(model).is_dir():
        return True
    cached, unreachable = _cached(model, revision), _unreachable()
    if unreachable and not cached:
        raise ModelNotFoundError(model, unreachable)
    return bool(unreachable)


def _cached(model: str, revision: str | None) -> bool:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    names = [model] if "/" in model else [model, f"sentence-transformers/{model}"]
    asked = [(name, mark) for name in names for mark in _MARKS]
    try:
        found = [try_to_load_from_cache(*one, revision=revision or "main") for one in asked]
    except HFValidationError as error:
        raise ModelNotFoundError(model, "it is no name on a hub either") from error
    return any(isinstance(path, str) for path in found)


def _unreachable() -> str:
    """Why the hub cannot be asked, or ""; any answer at all will do, a refused certificate among them."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE forbids to ask the hub"
    try:
        request = urllib.request.Request(constants.ENDPOINT, method="HEAD")
        with urllib.request.urlopen(request, timeout=PATIENCE):
            return ""
    except (urllib.error.HTTPError, HTTPException, ssl.SSLError):
        return ""
    except OSError as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(reason, ssl.SSLError):
            return ""
        return f"{constants.ENDPOINT} cannot be reached: {getattr(reason, 'strerror', '') or reason}"
