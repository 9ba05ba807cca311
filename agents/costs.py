"""What a turn costs, counted the same way for every agent that has no tokenizer of its own."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, UnidentifiedImageError

from recallreach.agents.patches import ESTIMATE, PatchRule
from recallreach.agents.types import Message, Usage
from recallreach.env.types import Observation
from recallreach.memory.delivery.cost import text_tokens, visual_tokens
from recallreach.memory.errors import PictureError
from recallreach.memory.types import Delivered, ImagePart, Part


def parts_usage(parts: Sequence[Part], rule: PatchRule = ESTIMATE) -> Usage:
    """Images, visual tokens (by the model's rule) and text tokens (characters / 4) of interleaved parts."""
    images = [part for part in parts if isinstance(part, ImagePart)]
    written = sum(text_tokens(part.text) for part in parts if not isinstance(part, ImagePart))
    visual = sum(rule(image.width, image.height) for image in images)
    return Usage(images=len(images), visual_tokens=visual, text_tokens=written)


def messages_usage(messages: Sequence[Message], rule: PatchRule = ESTIMATE) -> Usage:
    """The same over whole messages, as one call."""
    return Usage(calls=1) + parts_usage([part for message in messages for part in message.parts], rule)


def reply_usage(text: str, tokens: int | None = None) -> Usage:
    """What a reply adds: its tokens as the server or the tokenizer counted them, else characters / 4."""
    count = text_tokens(text) if tokens is None else tokens
    return Usage(text_tokens=count, reply_tokens=count)


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
