"""The `recallreach` command; `python -m recallreach` is the same."""

from __future__ import annotations

import sys

from recallreach.errors import INTERRUPTED


def main() -> None:
    """Load the command line, which takes seconds and may be interrupted, and run it."""
    try:
        from recallreach.study.cli import main as run
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    run()


if __name__ == "__main__":
    main()
