"""recallreach: what does a multimodal agent still remember, by eye, after its context was wiped?"""

__version__ = "0.1.0"
