"""Ways to the shop: real Chromium, or the Flask application in this process."""

from recallreach.env.transports.chromium import ChromiumTransport
from recallreach.env.transports.driver import Screenshot
from recallreach.env.transports.in_process import InProcessTransport

__all__ = ["ChromiumTransport", "InProcessTransport", "Screenshot"]
