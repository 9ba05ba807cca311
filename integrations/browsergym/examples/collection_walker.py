"""An agent of a few lines that runs through BrowserGym: it walks into the shop and takes what it finds there.

    export RECALLREACH_PYTHON=/path/to/recallreach/.venv/bin/python
    python examples/collection_walker.py

It reads BrowserGym's accessibility tree and answers in BrowserGym's action language, as an agent of AgentLab
does; it has no memory and guesses, so its score is that of chance.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from typing import Any

import gymnasium
import recallreach_browsergym
from browsergym.utils.obs import flatten_axtree_to_str

LINK = re.compile(r"\[(\w+)\] link '([^']+)'")
WISH = re.compile(r"\[(\w+)\] button 'Add to wishlist'")
PRODUCT = re.compile(r" No\. \d+")


class CollectionWalker:
    """Clicks at random until a product page is open, then puts it on the wishlist."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def get_action(self, observation: dict[str, Any]) -> str:
        """One action of BrowserGym for one of its observations."""
        tree = flatten_axtree_to_str(observation["axtree_object"])
        wish = WISH.search(tree)
        if wish:
            return f"click('{wish[1]}')"
        links = LINK.findall(tree)
        products = [bid for bid, label in links if PRODUCT.search(label)]
        return f"click('{self._random.choice(products or [bid for bid, _ in links])}')"


def run(name: str, seed: int) -> tuple[float, dict[str, Any]]:
    """One episode; its reward and the last task info."""
    env, agent = gymnasium.make(name), CollectionWalker(seed)
    observation, info = env.reset(seed=seed)
    reward, ended = 0.0, False
    while not ended:
        observation, reward, terminated, truncated, info = env.step(agent.get_action(observation))
        ended = terminated or truncated
    env.close()
    return reward, info["task_info"]


def main() -> None:
    """Run every task, or the ones named, in the order of their chains."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", nargs="*", help="environment ids; default: all")
    arguments = parser.parse_args()
    for seed, name in enumerate(arguments.tasks or recallreach_browsergym.register()):
        reward, info = run(name, seed)
        steps = f"{info['steps']} of {info['budget']} steps"
        sys.stdout.write(f"{name}: reward {reward:g}, answered {info['graded']} after {steps}\n")


if __name__ == "__main__":
    main()
