"""Studies: plan, runner, result store, scoring, report and the command line."""
