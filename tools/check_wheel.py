"""Build the wheel, unpack it elsewhere, and import every room from there with its data in place."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROBE = """
import importlib, pathlib, sys
home = pathlib.Path(sys.argv[1]).resolve()
for room in ("storefront", "env", "memory", "agents", "study", "study.cli"):
    module = importlib.import_module(f"recallreach.{room}")
    assert home in pathlib.Path(module.__file__).resolve().parents, module.__file__
package = home / "recallreach"
wanted = ["py.typed", "storefront/art/cue_names.json", "storefront/templates", "storefront/static",
          "memory/encoders/weights", "agents/prompts", "study/templates"]
missing = [name for name in wanted if not (package / name).exists()]
assert not missing, f"the wheel lacks {missing}"
print(f"wheel ok: {sum(1 for p in package.rglob('*') if p.is_file())} files")
"""


def main() -> None:
    """Exit non-zero with the failing import or the missing data named."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pip = [sys.executable, "-m", "pip", "--quiet"]
        subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)], check=True)
        (wheel,) = folder.glob("*.whl")
        target = folder / "site"
        subprocess.run([*pip, "install", "--no-deps", "--target", str(target), str(wheel)], check=True)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
        environment = {**os.environ, "PYTHONPATH": str(target)}
        command = [sys.executable, "-c", PROBE, str(target)]
        subprocess.run(command, check=True, cwd=folder, env=environment)


if __name__ == "__main__":
    main()
