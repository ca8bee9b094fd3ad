"""Questions in SPARQL about a museum's catalogue, as people ask them of data that they did not make."""
