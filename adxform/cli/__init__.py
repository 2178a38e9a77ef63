"""The command line: show, check and explain derivatives, list the rules, and look after the cache on the disk."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, CycloptsError, Parameter
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table

from adxform.api import checked_engine, source
from adxform.backends.registry import BACKENDS
from adxform.cli.kept_rules import cache
from adxform.cli.known_functions import MODULES, listing, told, undecided
from adxform.cli.op_values import run_values
from adxform.cli.stages import UNCOMPILED, dump_stages, staged
from adxform.cli.target import UsageError, argument_numbers, example_arguments, load_function
from adxform.errors import AdxError
from adxform.frontend.derivative_operators import PYTHON, EngineName
from adxform.frontend.language import LANGUAGE
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.testing import check_derivatives

Mode = Literal["reverse", "forward", "hvp", "hessian", "jacobian"]
Target = Annotated[str, Parameter(help="FILE.py:FUNC or module:FUNC")]
At = Annotated[str | None, Parameter(help="example arguments: Python expressions, with `np` and the names of the module")]
Sig = Annotated[str | None, Parameter(help='types of the arguments, such as "f64[n], float"')]
On = Annotated[
    EngineName,
    Parameter(name="--engine", help=f"what runs it: {', '.join(each.description for each in BACKENDS.values())}, or what pays"),
]
Fastmath = Annotated[bool, Parameter(help="let kernels add up in any order, and call functions that vectorise")]
Wrt = Annotated[str | None, Parameter(help="arguments to differentiate, by name or position")]

app = App(name="adxform", help="Derivatives of ordinary Python and NumPy code, as Python source.")
app.command(cache)


@app.command
def show(
    target: Target,
    /,
    *,
    at: At = None,
    sig: Sig = None,
    mode: Mode = "reverse",
    wrt: Wrt = None,
    stage: Annotated[
        str, Parameter(help="ast, ssa, typed, clean, adjoint, optimised, a pass as list:pass, or python")
    ] = "python",
    engine: On = "auto",
    fastmath: Fastmath = True,
    output: Annotated[Path | None, Parameter(help="write to this file")] = None,
    dump: Annotated[Path | None, Parameter(help="also write what each pass made of it to files in this folder")] = None,
    values: Annotated[bool, Parameter(help="run it, and print each op of the IR with its value")] = False,
) -> int:
    """Print the generated derivative, or what an earlier stage made of the function."""
    fn, module = load_function(target)
    chosen = PYTHON if stage in UNCOMPILED and dump is None else checked_engine(engine, fastmath)

    def derived() -> DerivedRule:
        return source.rule_of(fn, example_arguments(fn, module, at, sig), mode, argument_numbers(fn, wrt), chosen)[1]

    if dump is not None:
        dump_stages(derived(), dump)
    if values:
        text = run_values(fn, example_arguments(fn, module, at, sig), mode, argument_numbers(fn, wrt))
    else:
        text = staged(fn, stage, derived)
    if output is not None:
        output.write_text(text)
    elif sys.stdout.isatty():
        coloured = Syntax("", "python", background_color="default").highlight(text)
        Console().print(coloured, soft_wrap=True, end="")
    else:
        sys.stdout.write(text)
    return 0


@app.command
def check(target: Target, /, *, at: At = None, sig: Sig = None, wrt: Wrt = None) -> int:
    """Compare value, reverse, forward and Hessian-vector product with central differences; exit with 1 where they differ."""
    fn, module = load_function(target)
    args = example_arguments(fn, module, at, sig)
    argnums = None if wrt is None else argument_numbers(fn, wrt)
    records = check_derivatives(fn, *args, argnums=argnums)
    table = Table("check", "error", "tolerance", "")
    for record in records:
        row = record.name, f"{record.error:.1e}", f"{record.tolerance:.1e}", "ok" if record.ok else record.note or "differs"
        table.add_row(*row, style=None if record.ok else "bold red")
    Console().print(table)
    return 0 if all(record.ok for record in records) else 1


@app.command
def explain(
    target: Target,
    /,
    *,
    at: At = None,
    sig: Sig = None,
    mode: Mode = "reverse",
    wrt: Wrt = None,
    engine: On = "auto",
    fastmath: Fastmath = True,
    times: Annotated[bool, Parameter(help="compile, and say how long each phase took")] = False,
) -> int:
    """Say of each value whether the reverse sweep keeps it, recomputes it or does not need it; and what the engine compiles."""
    fn, module = load_function(target)
    args = example_arguments(fn, module, at, sig)
    argnums = argument_numbers(fn, wrt)
    text = source.explain(fn, *args, mode=mode, argnums=argnums, engine=engine, fastmath=fastmath, times=times)
    sys.stdout.write(text + "\n")
    return 0


@app.command
def rules(
    name: Annotated[str | None, Parameter(help="all that is known of this function: `np.pad`, `pad`")] = None,
    *,
    missing: Annotated[str | None, Parameter(help="list functions of this package left undecided")] = None,
) -> int:
    """List the functions that are known, each with its kind, and how many there are of each kind.

    A rule states the derivative; a definition says what a function means by others; what is zero almost everywhere steps, or
    gives whole numbers; what is refused has a reason, which the error names. Of one function: which parameters are covered,
    whether complex numbers are, and the source.
    """
    if missing is not None and missing not in MODULES:
        raise UsageError(f"--missing knows {', '.join(MODULES)}")
    sys.stdout.write("".join(f"{line}\n" for line in undecided(missing)) if missing else told(name) if name else listing())
    return 0


@app.command
def language() -> int:
    """Say of each statement, expression and construct of Python whether derivatives flow through it, or it is refused, and how.

    What is inactive only runs as it would where no derivative flows. The errors are in docs/errors.md, by their codes.
    """
    for group, entries in LANGUAGE.items():
        sys.stdout.write(f"{group}\n")
        sys.stdout.write("".join(f"  {entry.construct:<74}  {entry.said}\n" for entry in entries))
    return 0


def run(tokens: Sequence[str]) -> int:
    """Carry out the command line `tokens`; return the exit status."""
    try:
        result = app(tokens, exit_on_error=False, result_action="return_value")
    except CycloptsError:
        return 2
    except (UsageError, AdxError) as error:
        sys.stderr.write(f"{error}\n" if isinstance(error, AdxError) else f"error: {error}\n")
        return 2
    return result if isinstance(result, int) else 0


def main() -> None:
    """The entry point of ``adxform``."""
    sys.exit(run(sys.argv[1:]))
