"""Keep a shop and its tasks open, for any number of BrowserGym processes."""

from __future__ import annotations

import sys
import threading

from recallreach_browsergym.desk import ADDRESS, DeskError, start_desk


def main() -> None:
    """`recallreach-browsergym [options of shop_side.py]`: print the address, and wait for Ctrl-C."""
    try:
        desk = start_desk(tuple(sys.argv[1:]))
    except DeskError as error:
        sys.exit(f"recallreach-browsergym: {error}")
    names = [entry["task"] for entry in desk.listing()]
    sys.stderr.write(f"{len(names)} tasks: {', '.join(names)}\n")
    sys.stdout.write(f"export {ADDRESS}='{desk.address}'\n")
    sys.stdout.flush()
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        sys.stderr.write("Closed.\n")
