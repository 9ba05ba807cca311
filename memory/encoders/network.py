"""The network behind both embedded encoders: a small depthwise CNN beside object and colour embeddings."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional

STRIDE = 16
DIMENSION = 96
_STAGES = ((16, 32, 2), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 160, 2), *[(160, 160, 1)] * 3)


class Network(nn.Module):
    """Pictures to a dense map, texts to object embedding + colour embedding.

    Trained with the sigmoid pairwise loss of SigLIP (Zhai et al. 2023, arXiv 2303.15343, section 3.2): a
    learned temperature and bias turn each similarity into the log odds that picture and text belong together.

    Args:
        objects, colors: sizes of the vocabulary.
        stride: pixels of the picture a step of the dense map, 16, or 8 for pictures so small that the first
            convolution must keep every pixel.
    """

    def __init__(self, objects: int, colors: int, *, stride: int = STRIDE) -> None:
        super().__init__()
        width = _STAGES[-1][1]
        self.stem = _convolution(3, _STAGES[0][0], stride=stride // 8)
        self.blocks = nn.Sequential(*(_Block(*stage) for stage in _STAGES))
        self.head = nn.Conv2d(width, DIMENSION, 1)
        self.objects = nn.Parameter(torch.randn(objects, DIMENSION) * 0.1)
        self.colors = nn.Parameter(torch.randn(colors, DIMENSION) * 0.1)
        self.log_scale = nn.Parameter(torch.tensor(math.log(10.0)))
        self.bias = nn.Parameter(torch.tensor(-5.0))

    def dense(self, images: Tensor) -> Tensor:
        """(n, 3, h, w) pictures in [-1, 1] to (n, DIMENSION, h / stride, w / stride)."""
        features: Tensor = self.head(self.blocks(self.stem(images)))
        return features

    def pooled(self, images: Tensor) -> Tensor:
        """(n, DIMENSION) of length 1: the maximum over the positions of the dense map."""
        vectors: Tensor = functional.normalize(self.dense(images).amax((2, 3)), dim=1)
        return vectors

    def pair_texts(self) -> Tensor:
        """(objects, colors, DIMENSION) of length 1: every phrase of the vocabulary."""
        return functional.normalize(self.objects[:, None] + self.colors[None], dim=2)

    def whole_logits(self, images: Tensor) -> Tensor:
        """(n, objects, colors) log odds, from one vector a picture."""
        similarity = torch.einsum("nd,ocd->noc", self.pooled(images), self.pair_texts())
        return similarity * self.log_scale.exp() + self.bias

    def local_logits(self, images: Tensor) -> Tensor:
        """(n, objects, colors) log odds: the best position of the dense map for each phrase."""
        features = self.dense(images).flatten(2)
        scale = self.log_scale.exp() / DIMENSION**0.5
        names = torch.einsum("ndp,od->nop", features, self.objects)
        colors = torch.einsum("ndp,cd->ncp", features, self.colors)
        best: Tensor = (names[:, :, None] + colors[:, None]).amax(3)
        logits: Tensor = best * scale + self.bias
        return logits


class _Block(nn.Module):
    """Depthwise 3 x 3, pointwise, each with batch norm; a residual where the shape stays."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.spatial = _convolution(inputs, inputs, stride, groups=inputs)
        self.mixing = nn.Sequential(nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.residual = stride == 1 and inputs == outputs

    def forward(self, features: Tensor) -> Tensor:
        mixed: Tensor = self.mixing(self.spatial(features))
        activated: Tensor = functional.relu(features + mixed if self.residual else mixed)
        return activated


def _convolution(inputs: int, outputs: int, stride: int, groups: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, padding=1, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """Run with that many torch threads and restore the former number."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
