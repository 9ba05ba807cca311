"""Product photos: baked layers recoloured and composed, with and without the cue."""
