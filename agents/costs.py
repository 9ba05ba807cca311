"""What a turn costs, counted the same way for every agent that has no tokenizer of its own."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, UnidentifiedImageError

from recallreach.agents.types import Message, Usage
from recallreach.env.types import Observation
from recallreach.memory.delivery.cost import delivery_cost, text_tokens, visual_tokens
from recallreach.memory.errors import PictureError
from recallreach.memory.types import Delivered, ImagePart, Part


def parts_usage(parts: Sequence[Part]) -> Usage:
    """Images, visual tokens (28-pixel rule) and text tokens (characters / 4) of interleaved parts."""
    cost = delivery_cost(Delivered(tuple(parts)))
    return Usage(images=cost.images, visual_tokens=cost.visual_tokens, text_tokens=cost.text_tokens)


def messages_usage(messages: Sequence[Message]) -> Usage:
    """The same over whole messages, as one call."""
    return Usage(calls=1) + parts_usage([part for message in messages for part in message.parts])


def image_part(picture: bytes) -> ImagePart:
    """An encoded picture as a part; only its header is read.

    Raises:
        PictureError: the bytes are no picture.
    """
    try:
        with Image.open(io.BytesIO(picture)) as image:
            media_type = Image.MIME.get(image.format or "", "image/jpeg")
            return ImagePart(picture, image.width, image.height, media_type)
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise PictureError(f"a picture of {len(picture)} bytes cannot be read: {error}") from error


def turn_usage(
    observation: Observation, delivered: Delivered | None, *, looked: bool, seconds: float
) -> Usage:
    """What one turn of an embedded agent took in; a model's call would have held at least this.

    Args:
        observation: the page it read: title, text and link labels.
        delivered: the memory items it was given, or None.
        looked: whether it looked at the page's product picture.
        seconds: its own time.
    """
    page = "\n".join([observation.title, observation.text, *(link.label for link in observation.links)])
    usage = Usage(calls=1, text_tokens=text_tokens(page), seconds=seconds)
    if looked and observation.picture is not None:
        image = image_part(observation.picture)
        usage += Usage(images=1, visual_tokens=visual_tokens(image.width, image.height))
    return usage if delivered is None else usage + parts_usage(delivered.parts)
