"""A vision-language model in this process, through the Auto classes of `transformers`."""

from __future__ import annotations

import importlib.metadata
import io
import json
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from recallreach.agents.errors import ModelError
from recallreach.agents.patches import PatchRule, count_by, image_token_id
from recallreach.agents.redaction import redacted
from recallreach.agents.types import Completion, Message, Usage
from recallreach.errors import ConfigError
from recallreach.files import sha256
from recallreach.hub import only_local
from recallreach.memory.types import ImagePart, Part
from recallreach.vision import mend_torchvision

_LOADING = threading.Lock()


class LocalModel:
    """An image-text-to-text model: Qwen2.5-VL, Qwen3-VL, SmolVLM, LLaVA and others.

    Weights come from a folder or, once, from the Hugging Face hub; agents that name the same model share one
    copy. One reply is generated at a time.

    Args:
        model: hub id or folder.
        revision: branch, tag or commit on the hub.
        device: "cuda", "cuda:1", "mps", "cpu"; "auto" takes the first there is.
        device_map: "auto" spreads a large model over all GPUs (needs `accelerate`) instead of `device`.
        dtype: "auto" (as saved), "bfloat16", "float16" or "float32".
        temperature: 0 for the most probable answer; else tokens are sampled, the same for the same request
            and `seed`.
        max_tokens: longest reply in tokens.
        seed: of the sampling.
        min_pixels, max_pixels: area within which a picture is scaled, for processors that take them
            (Qwen-VL); fewer pixels, fewer visual tokens.
        template: options of the chat template, for instance `{ enable_thinking = false }`.

    Raises:
        ModelNotFoundError: there is no such model here, and no hub.
        ConfigError: it is no such model, a package that it needs is missing, or a setting cannot be.
    """

    def __init__(
        self,
        model: str,
        *,
        revision: str | None = None,
        device: str = "auto",
        device_map: str | None = None,
        dtype: str = "auto",
        temperature: float = 0.0,
        max_tokens: int = 512,
        seed: int = 0,
        min_pixels: int | None = None,
        max_pixels: int | None = None,
        template: Mapping[str, Any] | None = None,
    ) -> None:
        self.look_ahead(model, revision=revision, temperature=temperature, max_tokens=max_tokens)
        self.name, self.max_tokens = f"transformers:{Path(model).name}", max_tokens
        self._temperature, self._seed, self._template = temperature, seed, dict(template or {})
        pixels = {"min_pixels": min_pixels, "max_pixels": max_pixels}
        self._pixels = {name: value for name, value in pixels.items() if value is not None}
        with _LOADING:
            self._processor = load_processor(model, revision, **self._pixels)
            self._network = _network(model, revision, device, device_map, dtype)
        self._weights = _weights(model, self._network)
        self._busy = threading.Lock()
        self.patch_rule: PatchRule = count_by(self._processor)

    @staticmethod
    def look_ahead(
        model: str,
        *,
        revision: str | None = None,
        temperature: float = 0.0,
        max_tokens: int = 512,
        **_: object,
    ) -> None:
        """Raise what making one with these options would, without loading it.

        Raises:
            ModelNotFoundError: there is no such model here, and no hub.
            ConfigError: a setting cannot be.
        """
        if temperature < 0 or max_tokens < 1:
            raise ConfigError(f"temperature={temperature} is from 0 and max_tokens={max_tokens} from 1")
        only_local(model, revision)

    def identity(self) -> dict[str, Any]:
        """Model, weights and decoding settings."""
        return {
            "backend": "transformers",
            "model": self.name,
            "weights": self._weights,
            "dtype": str(self._network.dtype),
            "settings": {"temperature": self._temperature, "max_tokens": self.max_tokens, "seed": self._seed},
            "processor": {**self._pixels, **self._template},
        }

    def complete(self, messages: Sequence[Message]) -> Completion:
        """One completion; all tokens are counted by the model's own processor.

        Raises:
            ModelError: the request is longer than the model's context ("too-long"), the device has not
                enough memory ("memory"), or the model wrote nothing ("empty").
        """
        import torch

        inputs = self._inputs(messages)
        length = int(inputs["input_ids"].shape[1])
        try:
            with self._busy, torch.inference_mode(), torch.random.fork_rng(enabled=self._temperature > 0):
                if self._temperature > 0:
                    torch.manual_seed(self._draw(messages))
                output = self._network.generate(**inputs.to(self._network.device), **self._decoding())
        except torch.OutOfMemoryError as error:
            raise ModelError("memory", f"{self.name}: {redacted(str(error))}") from error
        written = output[0, length:]
        text = str(self._processor.tokenizer.decode(written, skip_special_tokens=True))
        if not text.strip():
            raise ModelError("empty", f"{self.name} replied with nothing")
        return Completion(text, self._usage(messages, inputs, len(written)))

    def _inputs(self, messages: Sequence[Message]) -> Any:
        said = [{"role": message.role, "content": _content(message)} for message in messages]
        images = [_picture(part) for message in messages for part in message.parts if _is_image(part)]
        prompt = self._processor.apply_chat_template(
            said, add_generation_prompt=True, tokenize=False, **self._template
        )
        inputs = self._processor(
            text=[prompt], images=[images] if images else None, return_tensors="pt", add_special_tokens=False
        )
        self._check_length(int(inputs["input_ids"].shape[1]))
        return inputs

    def _check_length(self, length: int) -> None:
        config = self._network.config.get_text_config()
        most = getattr(config, "max_position_embeddings", None)
        if most is not None and length + self.max_tokens > most:
            raise ModelError(
                "too-long",
                f"{self.name}: a request of {length} tokens and a reply of {self.max_tokens} pass the "
                f"model's context of {most}; lower k, page_pictures, max_pixels or max_tokens",
            )

    def _decoding(self) -> dict[str, Any]:
        chosen: dict[str, Any] = {"max_new_tokens": self.max_tokens, "do_sample": self._temperature > 0}
        if self._temperature > 0:
            return {**chosen, "temperature": self._temperature}
        return {**chosen, "temperature": None, "top_p": None, "top_k": None}

    def _draw(self, messages: Sequence[Message]) -> int:
        """The seed of one reply: the same for the same request."""
        from recallreach.agents.replies import reply_key

        return int(reply_key({"seed": self._seed}, messages, 0)[:15], 16)

    def _usage(self, messages: Sequence[Message], inputs: Any, written: int) -> Usage:
        images = sum(_is_image(part) for message in messages for part in message.parts)
        visual = int((inputs["input_ids"] == image_token_id(self._processor)).sum())
        text = int(inputs["input_ids"].shape[1]) - visual
        return Usage(1, images, visual, text + written, written, tries=1)


def load_processor(model: str, revision: str | None = None, **pixels: int) -> Any:
    """The processor of a model.

    Raises:
        ModelNotFoundError: there is no such model here, and no hub.
        ConfigError: it has none, or a package that it needs is missing.
    """
    local = only_local(model, revision)
    mend_torchvision()
    import transformers

    auto: Any = transformers.AutoProcessor
    try:
        found = auto.from_pretrained(model, revision=revision, local_files_only=local, **pixels)
    except (OSError, ValueError, ImportError, KeyError) as error:
        raise _cannot_load("processor", model, error) from error
    if not hasattr(found, "image_token"):
        raise ConfigError(
            f"{model!r} has no image token in its processor: it is no model that reads pictures"
        )
    return found


@lru_cache(maxsize=4)
def _network(model: str, revision: str | None, device: str, device_map: str | None, dtype: str) -> Any:
    mend_torchvision()
    import torch
    import transformers

    auto: Any = transformers.AutoModelForImageTextToText
    placed: dict[str, Any] = {"device_map": device_map} if device_map else {}
    placed |= {"revision": revision, "local_files_only": only_local(model, revision)}
    try:
        network = auto.from_pretrained(model, **{_dtype_option(): dtype}, **placed)
        moved = network if device_map else network.to(_device(torch, device))
    except (OSError, ValueError, ImportError, KeyError) as error:
        raise _cannot_load("model", model, error) from error
    except (torch.OutOfMemoryError, RuntimeError) as error:
        raise ConfigError(
            f"model {model!r} cannot be placed on {device!r}: {redacted(str(error))}"
        ) from error
    return moved.eval()


def _dtype_option() -> str:
    """`dtype`, or `torch_dtype` for `transformers` before 4.56."""
    major, minor = importlib.metadata.version("transformers").split(".")[:2]
    return "dtype" if (int(major), int(minor)) >= (4, 56) else "torch_dtype"


def _device(torch: Any, device: str) -> str:
    if device != "auto":
        return device
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _cannot_load(what: str, model: str, error: Exception) -> ConfigError:
    todo = "name a folder or a model of the Hugging Face hub that AutoModelForImageTextToText knows"
    return ConfigError(f"the {what} of {model!r} cannot be loaded: {redacted(str(error))} ({todo})")


def _weights(model: str, network: Any) -> str:
    """What tells weights apart: the hub's commit, or names, sizes and times of a folder's files."""
    commit = getattr(network.config, "_commit_hash", None)
    folder = Path(model)
    if commit or not folder.is_dir():
        return str(commit or "")
    files = sorted(path for path in folder.iterdir() if path.is_file())
    facts = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return sha256(json.dumps(facts).encode())


def _is_image(part: Part) -> bool:
    return isinstance(part, ImagePart)


def _content(message: Message) -> list[dict[str, str]]:
    return [
        {"type": "image"} if isinstance(part, ImagePart) else {"type": "text", "text": part.text}
        for part in message.parts
    ]


def _picture(part: Part) -> Any:
    from PIL import Image

    assert isinstance(part, ImagePart)
    return Image.open(io.BytesIO(part.data)).convert("RGB")
