"""The suites by name; each has `run(race)`."""
