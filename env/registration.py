"""The names under which Gymnasium knows the environment; light, because it is imported with the package."""

from __future__ import annotations

import gymnasium

BROWSE, RECALL = "recallreach/Browse-v0", "recallreach/Recall-v0"
_FACTORIES = {
    BROWSE: "recallreach.env.ready_made:browse_env",
    RECALL: "recallreach.env.ready_made:recall_env",
}


def register() -> None:
    """Make both environments known to `gymnasium.make`; a second call does nothing."""
    for name, factory in _FACTORIES.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, factory)
