"""Captions by a chat model, as DualMem asks for them (DMV-Bench, arXiv 2606.27499)."""

from __future__ import annotations

from recallreach.files import dump_json, sha256
from recallreach.memory.asking import prompt_version, system_message
from recallreach.memory.delivery.stamp import as_part
from recallreach.memory.errors import CaptionError
from recallreach.memory.types import LanguageModel, Message


class ModelCaptioner:
    """Two or three sentences by any chat model on what would let someone find the product again.

    The published setting is temperature 0 and 200 tokens, which are options of the model.

    Args:
        model: any chat model.
        prompt: file name of the request, among the prompts of this room.
    """

    def __init__(self, model: LanguageModel, prompt: str = "caption") -> None:
        self._model, self._prompt = model, prompt
        self.name = f"{model.name}{_settings(model)}/{prompt_version(prompt)}"

    def caption(self, picture: bytes) -> str:
        """The model's description.

        Raises:
            CaptionError: it is blank.
            PictureError: the bytes cannot be decoded.
            RecallReachError: the model gave no answer.
        """
        asked = [system_message(self._prompt), Message("user", (as_part(picture),))]
        text = self._model.complete(asked).text.strip()
        if not text:
            raise CaptionError(f"{self._model.name} described a picture with nothing")
        return text


def _settings(model: LanguageModel) -> str:
    """Digest of what decides a model's answers, where it says so itself."""
    identity = getattr(model, "identity", None)
    return f"-{sha256(dump_json(identity()).encode())[:8]}" if callable(identity) else ""
