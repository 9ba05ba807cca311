"""The sessions and recall probes of recallreach as BrowserGym tasks, so that AgentLab's agents run on them.

Importing it registers every task of the running shop that the environment variable RECALLREACH_TASKS names
(as `recallreach-browsergym` prints it); without it, `register()` starts a shop of its own.
"""

import os

from recallreach_browsergym.chromium import use_chromium
from recallreach_browsergym.desk import ADDRESS, Desk, DeskError, find_desk, start_desk
from recallreach_browsergym.tasks import RecallReachTask, register

__all__ = [
    "Desk",
    "DeskError",
    "RecallReachTask",
    "find_desk",
    "register",
    "start_desk",
    "use_chromium",
]

if os.environ.get(ADDRESS):
    register()
