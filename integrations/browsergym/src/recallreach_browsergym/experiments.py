"""Our tasks as a benchmark that AgentLab runs; needs `browsergym-experiments`."""

from __future__ import annotations

from browsergym.experiments.benchmark.base import Benchmark, HighLevelActionSetArgs
from browsergym.experiments.loop import EnvArgs

from recallreach_browsergym.desk import Desk
from recallreach_browsergym.tasks import PREFIX, register, shared_desk


def benchmark(desk: Desk | None = None, *, probes_only: bool = False) -> Benchmark:
    """Every task of the desk, in the order in which its chains live through them.

    Workers find the same desk through RECALLREACH_TASKS.

    Args:
        desk: where the tasks come from; `find_desk()` where None.
        probes_only: leave the browsing sessions out, which are not graded.

    Raises:
        DeskError: there is no desk.
    """
    source = desk or shared_desk()
    register(source)
    return Benchmark(
        name=PREFIX,
        high_level_action_set_args=HighLevelActionSetArgs(subsets=("chat", "nav", "bid"), multiaction=False),
        is_multi_tab=False,
        supports_parallel_seeds=True,
        backends=[],
        env_args_list=[
            EnvArgs(f"{PREFIX}.{entry['task']}", task_seed=0, max_steps=int(entry["budget"]))
            for entry in source.listing()
            if entry["kind"] == "probe" or not probes_only
        ],
    )
