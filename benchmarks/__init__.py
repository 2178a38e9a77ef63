"""How long derivatives take to build and to run. `python -m benchmarks --help`."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a thread of BLAS that waits for a busy machine would count as time
