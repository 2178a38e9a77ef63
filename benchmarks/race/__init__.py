"""Generated derivatives against those written by hand and those of other systems. `python -m benchmarks race --help`."""
