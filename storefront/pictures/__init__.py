"""Product photos: baked layers recoloured and composed, with and without the cue."""

from recallreach.storefront.pictures.compose import Placement
from recallreach.storefront.pictures.renderer import Pictures, Rendered

__all__ = ["Pictures", "Placement", "Rendered"]
