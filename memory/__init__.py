"""Memory: experience -> bank -> retrieval -> delivery. Knows nothing of the other rooms."""
