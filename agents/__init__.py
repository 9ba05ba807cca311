"""Agents: who acts. The one browse loop, the one recall loop, model back-ends and built-in agents."""
