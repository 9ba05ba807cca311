"""Bake the storefront pictures. Run with the interpreter of the baking environment; see README.md."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from toolkit.cli import main

if __name__ == "__main__":
    sys.exit(main())
