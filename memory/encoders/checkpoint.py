"""Checkpoints of the embedded encoders: safetensors with vocabulary and training facts in the header."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import safetensors
import torch
from safetensors.torch import load, save

from recallreach.errors import DataError
from recallreach.files import sha256, write_atomically
from recallreach.memory.encoders.network import Network
from recallreach.memory.encoders.vocabulary import Vocabulary

Kind = Literal["coarse", "eye"]
STRIDES: Mapping[Kind, int] = {"coarse": 8, "eye": 16}
SHIPPED = Path(__file__).parent / "weights"
_ENTRY = "recallreach-encoder-1"
REBUILD = "Rebuild it with `python -m recallreach.study.train_encoders`."


@dataclass(frozen=True)
class Checkpoint:
    """A trained network and what it was trained on.

    Attributes:
        kind: "coarse" for retrieval, "eye" for the matcher.
        network: in evaluation mode, without gradients.
        vocabulary: what its text side knows.
        facts: training facts (steps, seed, art hash, calibration, ...), JSON values.
        hash: SHA-256 of the file.
    """

    kind: Kind
    network: Network
    vocabulary: Vocabulary
    facts: Mapping[str, Any]
    hash: str


def save_checkpoint(
    path: Path, kind: Kind, network: Network, vocabulary: Vocabulary, facts: Mapping[str, Any]
) -> None:
    """Write a checkpoint atomically; equal weights and facts give equal bytes.

    All facts share one entry of the header, because safetensors writes several in random order.
    """
    header = {
        "kind": kind,
        "objects": vocabulary.objects,
        "slugs": vocabulary.slugs,
        "colors": vocabulary.colors,
        "facts": facts,
    }
    tensors = {name: tensor.contiguous() for name, tensor in network.state_dict().items()}
    write_atomically(path, save(tensors, {_ENTRY: json.dumps(header, sort_keys=True)}))


def load_checkpoint(path: Path | str, kind: Kind) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        DataError: the file is missing, damaged, or of the other kind.
    """
    try:
        raw = Path(path).read_bytes()
        with safetensors.safe_open(path, "pt") as file:
            header = json.loads((file.metadata() or {})[_ENTRY])
        found = header["kind"]
        if found != kind:
            raise DataError(
                f"{path} holds {found!r} weights, asked for {kind!r} (of {', '.join(get_args(Kind))})"
            )
        vocabulary = Vocabulary(*(tuple(header[part]) for part in ("objects", "slugs", "colors")))
        network = Network(len(vocabulary.objects), len(vocabulary.colors), stride=STRIDES[kind])
        network.load_state_dict(load(raw))
        network.eval().requires_grad_(False)
        return Checkpoint(kind, network, vocabulary, header["facts"], sha256(raw))
    except FileNotFoundError as error:
        raise DataError(f"the {kind} encoder weights {path} do not exist. {REBUILD}") from error
    except (OSError, safetensors.SafetensorError, KeyError, ValueError, RuntimeError) as error:
        raise DataError(f"the {kind} encoder weights {path} are damaged: {error}. {REBUILD}") from error


def fresh_network(kind: Kind, vocabulary: Vocabulary, seed: int) -> Network:
    """An untrained network that depends on its kind, the seed and the vocabulary's size only."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Network(len(vocabulary.objects), len(vocabulary.colors), stride=STRIDES[kind])
