"""The shop: catalogue, pictures and the Flask application. Knows nothing of the other rooms."""
