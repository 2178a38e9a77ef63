"""The command line, called as a function and as a process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from adxform.cli import run
from adxform.cli.target import UsageError, argument_numbers, of_types
from adxform.ir.text import read, show
from adxform.runtime.persistence import store

MODEL = """\
import numpy as np

SCALE = 2.0


def spring(x, k):
    stretch = x[1:] - x[:-1]
    return 0.5 * k * np.sum(stretch**2)


def annotated(x: float, n: int) -> float:
    return x**n


def wrong(x):
    try:
        x = 1.0 / x
    except* ZeroDivisionError:
        pass
    return x
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "springs.py"
    path.write_text(MODEL)
    return str(path)


def test_show_prints_clean_source(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", f"{model}:spring", "--at", "np.arange(4.0), SCALE"]) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    space: dict[str, object] = {}
    exec(text, space)
    assert "def spring_vjp(x, k, " in text


@pytest.mark.parametrize("mode", ["reverse", "forward", "hvp", "hessian"])
@pytest.mark.parametrize("stage", ["ast", "ssa", "typed", "adjoint", "optimised", "python"])
def test_every_stage_of_every_mode(model: str, capsys: pytest.CaptureFixture[str], mode: str, stage: str) -> None:
    assert run(["show", f"{model}:spring", "--at", "np.arange(4.0), 2.0", "--mode", mode, "--stage", stage]) == 0
    assert "spring" in capsys.readouterr().out


@pytest.mark.parametrize("stage", ["clean:sink-stores", "optimise:algebra", "loops:fuse", "kernel:scalar-forms"])
def test_what_a_pass_made(model: str, capsys: pytest.CaptureFixture[str], stage: str) -> None:
    pytest.importorskip("numba")
    assert run(["show", f"{model}:spring", "--at", "np.arange(4.0), 2.0", "--engine", "numba", "--stage", stage]) == 0
    shown = read(capsys.readouterr().out)
    assert shown.name.startswith("spring")


@pytest.mark.parametrize("mode", ["reverse", "forward", "hvp", "hessian", "jacobian"])
def test_the_values_of_ops(model: str, capsys: pytest.CaptureFixture[str], mode: str) -> None:
    assert run(["show", f"{model}:spring", "--at", "np.arange(4.0), 2.0", "--mode", mode, "--values"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.startswith("spring_")
    assert any("  # " in line for line in lines)


def test_a_pass_that_there_is_not(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", f"{model}:spring", "--at", "np.arange(4.0), 2.0", "--engine", "python", "--stage", "loops:fuse"]) == 2
    assert "optimise:algebra" in capsys.readouterr().err


def test_every_change_is_dumped(model: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert (
        run(["show", f"{model}:spring", "--at", "np.arange(4.0), 2.0", "--engine", "python", "--dump", str(tmp_path / "new")])
        == 0
    )
    *stages, last = sorted((tmp_path / "new").iterdir())
    assert last.read_text() == capsys.readouterr().out
    texts = {path.name.split("-", 1)[1]: path.read_text() for path in stages}
    assert texts["typed-spring.ir"] != texts["adjoint-spring_vjp.ir"]
    assert all(show(read(text)) == text.rstrip() for text in texts.values())


def test_wrt_and_output(model: str, tmp_path: Path) -> None:
    target = tmp_path / "out.py"
    assert run(["show", f"{model}:spring", "--at", "np.arange(4.0), 2.0", "--wrt", "x,k", "--output", str(target)]) == 0
    assert "return" in target.read_text()
    assert run(["show", f"{model}:spring", "--sig", "f64[n], float", "--wrt", "1"]) == 0


def test_signatures(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["show", f"{model}:spring", "--at", "np.arange(4.0), 2.0"])
    first = capsys.readouterr().out
    run(["show", f"{model}:spring", "--sig", "f64[n], float"])
    assert capsys.readouterr().out == first
    assert run(["show", f"{model}:annotated"]) == 0
    assert "def annotated_vjp(x, n, " in capsys.readouterr().out


def test_types() -> None:
    x, y, n, z = of_types("f64[n, 3], f32[n], int, f64")
    assert (x.shape[1], x.dtype, y.dtype) == (3, np.float64, np.float32)
    assert x.shape[0] == y.shape[0] != 3 or x.shape[0] == y.shape[0]
    assert (type(n), type(z)) == (int, np.float64)
    with pytest.raises(UsageError):
        of_types("complex[n]")


def test_argument_numbers() -> None:
    def f(x, k):
        return x * k

    assert argument_numbers(f, None) == 0
    assert argument_numbers(f, "k") == 1
    assert argument_numbers(f, "x,k") == (0, 1)
    with pytest.raises(UsageError):
        argument_numbers(f, "z")


def test_check(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", f"{model}:spring", "--at", "np.arange(4.0) ** 2, 2.0"]) == 0
    assert "hvp" in capsys.readouterr().out


def test_check_of_a_simulation_is_to_seven_digits(capsys: pytest.CaptureFixture[str]) -> None:
    models = Path(__file__).parent / "corpus" / "models.py"
    assert run(["check", f"{models}:relax", "--at", "0.3, np.array([0.5, 1.2, -0.3, 0.8, 1.1]), 3"]) == 0
    rows = [line.split("\u2502")[1:4] for line in capsys.readouterr().out.splitlines() if "\u2502" in line]
    found = {name.strip(): (float(error), float(tolerance)) for name, error, tolerance in rows}
    for name in ("forward", "reverse", "hvp"):
        assert found[name][0] <= found[name][1] == 1e-7


def test_explain(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", f"{model}:spring", "--at", "np.arange(4.0), 2.0"]) == 0
    assert "spring(x, k): reverse mode with respect to x" in capsys.readouterr().out


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == 0
    listed = capsys.readouterr().out
    assert "np.sin" in listed
    assert "zero almost everywhere" in listed
    assert "adxform." not in listed  # functions that only derivatives call
    assert run(["rules", "sinc"]) == 0
    assert "np.sinc" in (told := capsys.readouterr().out)
    assert "without out= and kernels" in told
    assert run(["rules", "--missing", "numpy"]) == 0
    assert "np.sin" not in capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("np.pad", ("rule", "stat_length", "def _pad(")),
        ("np.maximum", ("rule", "refused: the rule is for real numbers")),
        ("numpy.corrcoef", ("definition", "value of its own call", "rowvar")),
        ("roots", ("refused", "instead", "np.roots(p).real")),
        ("np.seterr", ("gives a setting",)),
        ("np.floor", ("zero almost everywhere",)),
        ("polyva", ("np.polyval  definition",)),
        ("nothing_of_that_name", ("nothing is known",)),
    ],
)
def test_rules_tells_of_one_function(capsys: pytest.CaptureFixture[str], name: str, words: tuple[str, ...]) -> None:
    assert run(["rules", name]) == 0
    told = capsys.readouterr().out
    assert [word for word in words if word not in told] == []


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (["show", "nowhere.py:f"], "no file"),
        (["show", "{model}:nothing"], "no function"),
        (["show", "{model}"], "FILE.py:FUNC"),
        (["show", "{model}:spring", "--at", "1 +"], "not a list"),
        (["show", "{model}:spring", "--at", "nothing, 1.0"], "NameError"),
        (["show", "{model}:spring"], "--at"),
        (["check", "{model}:spring", "--at", "np.ones(3)"], "spring(): missing a required argument: 'k'"),
        (["show", "{model}:wrong", "--at", "1.0"], "error[ADX102]"),
        (["show", "{model}:spring", "--at", "np.ones(3), 1.0", "--wrt", "z"], "no argument"),
        (["rules", "--missing", "pandas"], "knows"),
    ],
)
def test_mistakes_exit_with_two(model: str, capsys: pytest.CaptureFixture[str], tokens: list[str], words: str) -> None:
    assert run([token.replace("{model}", model) for token in tokens]) == 2
    assert words in capsys.readouterr().err


def test_a_bad_option_exits_with_two() -> None:
    assert run(["show", "--no-such-option"]) == 2


def test_a_wrong_rule_makes_check_fail(tmp_path: Path) -> None:
    path = tmp_path / "faulty.py"
    path.write_text(
        "import adxform\n\n\ndef box(x):\n    return x * x\n\n\n@adxform.rule(box)\ndef _(x):\n    def pullback(ct):\n"
        "        return 3.0 * ct\n\n    return x * x, pullback\n\n\ndef f(x):\n    return box(x)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "adxform", "check", f"{path}:f", "--at", "2.0"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "differs" in done.stdout


def test_as_a_process(model: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "adxform", "show", "springs:spring", "--at", "np.arange(4.0), 2.0"],
        cwd=Path(model).parent,
        env={"PYTHONPATH": str(Path(__file__).parent.parent), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("def spring_vjp") == 1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ADXFORM_CACHE_DIR", str(tmp_path / "kept"))
    yield tmp_path / "kept"
    store.close()


def test_cache_is_looked_at_and_removed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cache", "path"]) == 0
    assert capsys.readouterr().out == f"{folder}\n"
    assert run(["cache", "info"]) == 0
    assert "entries  0" in capsys.readouterr().out
    assert not folder.exists()
    where = store.store()
    assert where is not None
    where.put(b"key", bytes(50_000))
    assert run(["cache", "info"]) == 0
    told = capsys.readouterr().out
    assert str(folder) in told
    assert "entries  1" in told
    assert "of at most 256 MiB" in told
    assert run(["cache", "clear"]) == 0
    assert capsys.readouterr().out.startswith("removed 1 entries, ")
    assert list(folder.iterdir()) == []
    assert run(["cache", "clear"]) == 0
    assert where.get(b"key") is None
    assert where.put(b"key", b"again")


def test_cache_switched_off(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("ADXFORM_CACHE_DIR", "off")
    assert run(["cache", "info"]) == 0
    assert capsys.readouterr().out == "switched off by ADXFORM_CACHE_DIR\n"
    for command in ("path", "clear"):
        assert run(["cache", command]) == 2
        assert "switched off" in capsys.readouterr().err
