"""The parts of the leak audit that need a browser or agents, and the audit as a whole."""
