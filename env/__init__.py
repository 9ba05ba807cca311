"""The environment: actions, observations, transports, sessions and probes on top of the shop."""
