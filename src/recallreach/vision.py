"""A torchvision that was built for another torch than the one installed."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import cache
from typing import Any

_SCHEMAS = ("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", "qnms(Tensor dets) -> Tensor")
"""Compiled operators that torchvision describes while it is imported; no image processor uses them."""


@cache
def mend_torchvision() -> bool:
    """Make torchvision importable where its compiled operators do not load.

    A CPU build of torch beside the torchvision of PyPI, which is built for CUDA, is such a case: pip installs
    the two together without a complaint, the import of torchvision fails, and with it every image processor
    of `transformers`, although these use plain tensors alone. With the missing operators declared, the import
    succeeds. Call it before `transformers` loads a processor; it does nothing where all is well or where
    there is no torchvision.

    Returns:
        Whether torchvision can be imported.
    """
    if importlib.util.find_spec("torchvision") is None:
        return False
    try:
        importlib.import_module("torchvision")
    except RuntimeError:
        return _declared()
    return True


def _declared() -> bool:
    libraries: Any = importlib.import_module("torch.library")
    library = libraries.Library("torchvision", "FRAGMENT")
    for schema in _SCHEMAS:
        library.define(schema)
    _KEPT.append(library)
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]
    importlib.import_module("torchvision")
    return True


_KEPT: list[object] = []
"""Declarations last as long as the object that made them."""
