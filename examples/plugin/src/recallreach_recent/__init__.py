"""A memory, a delivery and an agent for recallreach."""
