"""The environment: actions, observations, transports, sessions and probes on top of the shop."""

from recallreach.env.registration import register

register()
