"""Questions and updates in SPARQL that nobody thought of: drawn from a seed, over any file of N-Triples or N-Quads (`../ask_drawn.py`)."""
