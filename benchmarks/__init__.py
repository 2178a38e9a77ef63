"""How long derivatives take to build and to run. `python -m benchmarks --help`."""
