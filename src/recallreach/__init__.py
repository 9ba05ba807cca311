"""recallreach: what does a multimodal agent still remember, by eye, after its context was wiped?"""

from recallreach.env.registration import register

__version__ = "0.1.0"

register()
