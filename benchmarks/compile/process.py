"""One system in a process of its own: its first gradient, and the same asked for again. Prints what it measured as JSON.

It is started as ``python -m benchmarks.compile.process SYSTEM PROBLEM``.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import warnings
from functools import partial
from typing import Any

SYSTEMS = {
    "adxform numba": ("adxform", "adxform.backends.numba.machine.kernels"),
    "adxform python": ("adxform",),
    "jax": ("jax",),
    "torch": ("torch",),
    "torch.compile": ("torch",),
}
"""The systems by name, and what they import."""
TOLERANCE = 1e-8


def processor() -> float:
    """The seconds that processors have spent on this process and on those that it started and that are done."""
    spent = os.times()
    return time.process_time() + spent.children_user + spent.children_system


def measured(system: str, name: str) -> dict[str, Any]:
    """Seconds by the clock on the wall (``wall``) and by the processor's, of the parts of a first call.

    `import`, `first` (until there is a gradient), `again` (once more, by the same way); for adxform also the phases of the first.
    """
    import numpy as np

    stamps = [(time.perf_counter(), processor())]

    def stamp() -> None:
        stamps.append((time.perf_counter(), processor()))

    for module in SYSTEMS[system]:
        importlib.import_module(module)
    stamp()

    import adxform
    from benchmarks.race.contenders import CONTENDERS, prepared
    from benchmarks.race.peers import UnableError
    from benchmarks.race.problems import PROBLEMS
    from benchmarks.race.worker import flat

    problem = PROBLEMS[name]
    arguments = problem.make(problem.sizes[0])
    expected = flat(problem.by_hand(*arguments))
    if system.startswith("adxform"):
        start: Any = partial(prepared, engine=system.partition(" ")[2])
    else:
        start = next(contender.start for contender in CONTENDERS if contender.name == system)
    phases = adxform.times()
    stamp()
    try:
        found = flat(start(problem, arguments)())
    except UnableError as reason:
        return {"reason": str(reason)}
    stamp()
    phases = {phase: seconds - phases[phase] for phase, seconds in adxform.times().items()}
    stamp()
    start(problem, arguments)()
    stamp()
    error = float(np.max(np.abs(found - expected))) / (float(np.max(np.abs(expected))) or 1.0)
    if not error <= TOLERANCE:
        return {"reason": f"wrong: off by {error:.1e} of the largest component"}
    parts = {"import": (0, 1), "first": (2, 3), "again": (4, 5)}
    clocks = {
        clock: {part: stamps[end][which] - stamps[begin][which] for part, (begin, end) in parts.items()}
        for which, clock in enumerate(("wall", "processor"))
    }
    share = clocks["processor"]["first"] / clocks["wall"]["first"]
    if system.startswith("adxform"):
        clocks["wall"] |= {phase: seconds for phase, seconds in phases.items() if phase != "import"}
        clocks["processor"] |= {phase: seconds * share for phase, seconds in phases.items() if phase != "import"}
    return clocks


def main() -> int:
    """Measure, and print."""
    warnings.simplefilter("ignore")
    shown = os.dup(1)  # what libraries print, C code among them, goes elsewhere
    os.dup2(2, 1)
    with os.fdopen(shown, "w") as stream:
        stream.write(json.dumps(measured(sys.argv[1], sys.argv[2])) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
