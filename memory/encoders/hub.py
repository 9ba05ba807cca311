"""Encoders from a model hub or a local folder: `transformers` dual encoders and sentence-transformers."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from recallreach.errors import ConfigError
from recallreach.hub import ModelNotFoundError, only_local
from recallreach.memory.pictures import decode
from recallreach.memory.types import Vectors
from recallreach.vision import mend_torchvision

SIGLIP_2, MINI_LM = "google/siglip2-base-patch16-384", "sentence-transformers/all-MiniLM-L6-v2"
_SIGLIP = ("siglip", "siglip2")


class DualEncoder:
    """Any dual encoder of `transformers` (SigLIP, SigLIP 2, CLIP, ...): one space for pictures and texts.

    Texts for the SigLIP family are lower-cased and padded to the full length of its text tower (64), and the
    padding is not masked, as those models were trained; otherwise retrieval collapses.

    Args:
        model: hub id or local folder.
        revision: commit, tag or branch on the hub.
        device: a torch device.
        dtype: "float32", "float16" or "bfloat16" of the weights; vectors are float32 in any case.
        batch: items a forward pass.

    Raises:
        ModelNotFoundError: there is no such model here, and none can be fetched.
        ConfigError: the model has no picture or no text tower, or the dtype or the batch cannot be used.
    """

    def __init__(
        self,
        model: str = SIGLIP_2,
        revision: str | None = None,
        device: str = "cpu",
        dtype: str = "float32",
        batch: int = 16,
    ) -> None:
        weights, local = _looked(model, revision, dtype, batch)
        self._batch = batch
        place: dict[str, Any] = {"revision": revision, "local_files_only": local}
        mend_torchvision()
        from transformers import AutoImageProcessor, AutoModel, AutoTokenizer

        processors: Any = AutoImageProcessor
        with _fetching(model):
            network: Any = AutoModel.from_pretrained(model, **place)
            self._tokenizer: Any = AutoTokenizer.from_pretrained(model, **place)
            self._processor: Any = processors.from_pretrained(model, **place)
        if not hasattr(network, "get_image_features") or not hasattr(network, "get_text_features"):
            raise ConfigError(f"{model!r} ({type(network).__name__}) does not embed both pictures and texts")
        self.name = f"{model}@{_version(model, network)}-{dtype}"
        self._network = network.eval().to(device, weights)
        self._device = device
        self._siglip = network.config.model_type in _SIGLIP
        self.dimension = int(self.encode_texts(["a"]).shape[1])

    @staticmethod
    def look_ahead(
        model: str = SIGLIP_2,
        revision: str | None = None,
        dtype: str = "float32",
        batch: int = 16,
        **_: object,
    ) -> None:
        """Raise what making one with these options would, without loading it.

        Raises:
            ModelNotFoundError, ConfigError: as the class itself.
        """
        _looked(model, revision, dtype, batch)

    def encode_images(self, pictures: Sequence[bytes]) -> Vectors:
        """(n, dimension) from n encoded pictures; rows have length 1.

        Raises:
            PictureError: bytes that cannot be decoded.
        """
        return self._in_batches(pictures, self._images)

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """(n, dimension) from n texts, cut at the length of the text tower; rows have length 1."""
        return self._in_batches(texts, self._texts)

    def _images(self, pictures: Sequence[bytes]) -> Any:
        inputs = self._processor([decode(picture) for picture in pictures], return_tensors="pt")
        return self._network.get_image_features(**self._moved(inputs))

    def _texts(self, texts: Sequence[str]) -> Any:
        longest = int(self._network.config.text_config.max_position_embeddings)
        inputs = self._tokenizer(
            [text.lower() for text in texts] if self._siglip else list(texts),
            padding="max_length" if self._siglip else True,
            truncation=True,
            max_length=longest,
            return_tensors="pt",
        )
        if self._siglip:
            inputs.pop("attention_mask", None)
        return self._network.get_text_features(**self._moved(inputs))

    def _moved(self, inputs: Any) -> dict[str, torch.Tensor]:
        dtype = self._network.dtype
        return {
            name: value.to(self._device, dtype if value.is_floating_point() else value.dtype)
            for name, value in inputs.items()
        }

    def _in_batches(self, items: Sequence[Any], encode: Any) -> Vectors:
        rows = [np.zeros((0, getattr(self, "dimension", 0)), np.float32)] if not items else []
        for start in range(0, len(items), self._batch):
            with torch.no_grad():
                output = encode(items[start : start + self._batch])
            features = output if isinstance(output, torch.Tensor) else output.pooler_output
            rows.append(functional.normalize(features.float(), dim=1).cpu().numpy())
        return np.concatenate(rows)


class SentenceTransformerEncoder:
    """Any text model of sentence-transformers.

    Args:
        model: hub id or local folder.
        revision: commit, tag or branch on the hub.
        device: a torch device.
        dtype: as in `DualEncoder`.
        batch: texts a forward pass.

    Raises:
        ModelNotFoundError: there is no such model here, and none can be fetched.
        ConfigError: the dtype or the batch cannot be used.
    """

    def __init__(
        self,
        model: str = MINI_LM,
        revision: str | None = None,
        device: str = "cpu",
        dtype: str = "float32",
        batch: int = 32,
    ) -> None:
        weights, local = _looked(model, revision, dtype, batch)
        self._batch = batch
        place: dict[str, Any] = {"revision": revision, "local_files_only": local}
        mend_torchvision()
        from sentence_transformers import SentenceTransformer

        with _fetching(model):
            network = SentenceTransformer(model, device=device, **place)
        self.name = f"{model}@{_version(model, network)}-{dtype}"
        self._network = network.to(weights)
        self.dimension = int(self.encode_texts(["a"]).shape[1])

    @staticmethod
    def look_ahead(
        model: str = MINI_LM,
        revision: str | None = None,
        dtype: str = "float32",
        batch: int = 32,
        **_: object,
    ) -> None:
        """Raise what making one with these options would, without loading it.

        Raises:
            ModelNotFoundError, ConfigError: as the class itself.
        """
        _looked(model, revision, dtype, batch)

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """(n, dimension) from n texts, cut at the model's length; rows have length 1."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        rows = self._network.encode(
            list(texts),
            batch_size=self._batch,
            convert_to_tensor=True,
            show_progress_bar=False,
        )
        vectors: Vectors = functional.normalize(rows.float(), dim=1).cpu().numpy()
        return vectors


@contextlib.contextmanager
def _fetching(model: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        told = str(error).strip().splitlines()
        raise ModelNotFoundError(model, told[0] if told else type(error).__name__) from error


def _looked(model: str, revision: str | None, dtype: str, batch: int) -> tuple[torch.dtype, bool]:
    """The type of the weights, and whether the model is taken from this machine alone."""
    if not isinstance(batch, int) or batch < 1:
        raise ConfigError(f"batch is a number of items from 1, got {batch!r}")
    return _dtype(dtype), only_local(model, revision)


def _dtype(name: str) -> torch.dtype:
    known = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
    if name not in known:
        raise ConfigError(f"dtype is {', '.join(known)}; got {name!r}")
    return known[name]


def _version(model: str, network: torch.nn.Module) -> str:
    """The commit of a hub model, or a hash over all files of a local one, preprocessing included."""
    folder = Path(model)
    if not folder.exists():
        return _commit(network)
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]


def _commit(network: torch.nn.Module) -> str:
    """The commit that a network was fetched at; sentence-transformers keep it in their first module."""
    for module in network.modules():
        commit = getattr(getattr(module, "config", None), "_commit_hash", None)
        if commit:
            return str(commit)[:12]
    digest = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().float().numpy().tobytes())
    return digest.hexdigest()[:12]
