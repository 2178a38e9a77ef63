"""What the race found: tables on the terminal and in Markdown, numbers in JSON, a plot."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.race.contenders import CONTENDERS, LIMIT
from benchmarks.race.heat import Finding

OURS = "adxform"
PACKAGES = ("numpy", "numba", "jax", "torch", "autograd", "casadi", "tangent-ad")
COLUMNS = ("contender", "median", "quartiles", "× limit", "× peer", "first call", "peak", "why not")
SUMMARY = ("problem", "size", "threads", "limit", "fastest peer", "its time", "adxform", "its engine", "× limit", "× peer")


def seconds(value: float | None) -> str:
    """A time as people read it.

    >>> seconds(0.00123), seconds(None)
    ('1.23 ms', '')
    """
    if value is None:
        return ""
    scale, unit = (1.0, "s") if value >= 1.0 else (1e3, "ms") if value >= 1e-3 else (1e6, "µs")
    return f"{value * scale:.3g} {unit}"


def ratio(value: float | None) -> str:
    """A ratio in three digits."""
    return "" if value is None else f"{value:.3g}"


def cells(entry: Finding) -> tuple[str, ...]:
    """A line of a problem's table."""
    spread = "" if entry.median is None else f"{seconds(entry.low)} – {seconds(entry.high)}"
    peak = "" if entry.peak is None else f"{entry.peak / 2**20:.0f} MiB"
    times = seconds(entry.median), spread, ratio(entry.over_limit), ratio(entry.over_peer), seconds(entry.first), peak
    return (entry.contender, *times, entry.reason or "")


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """The fastest first; who has no time last, in the order of the contenders."""
    names = [entry.name for entry in CONTENDERS]
    return sorted(findings, key=lambda entry: (entry.median is None, entry.median or 0.0, names.index(entry.contender)))


def title(findings: Sequence[Finding], titles: dict[str, str]) -> str:
    """What stands over a table."""
    first = findings[0]
    return f"{titles[first.problem]}, {first.size}, {first.threads} thread{'s' * (first.threads > 1)}"


def show(console: Console, findings: Sequence[Finding], titles: dict[str, str]) -> None:
    """Print the table of one heat."""
    table = Table(*COLUMNS, title=title(findings, titles), title_justify="left")
    for entry in ordered(findings):
        table.add_row(*cells(entry))
    console.print(table)


def summary(heats: Sequence[Sequence[Finding]]) -> list[tuple[str, ...]]:
    """A line for each heat: the limit, the fastest peer, and the fastest of adxform's engines."""
    rows = []
    for findings in heats:
        first = findings[0]
        ours, peer, limit = best(findings, is_ours), best(findings, lambda entry: entry.peer), best(findings, is_limit)
        rows.append(
            (
                first.problem,
                first.size,
                str(first.threads),
                seconds(limit.median) if limit else "",
                peer.contender if peer else "none",
                seconds(peer.median) if peer else "",
                seconds(ours.median) if ours else "",
                ours.contender.removeprefix(OURS).strip() if ours else "none",
                ratio(ours.over_limit) if ours else "",
                ratio(ours.over_peer) if ours else "",
            )
        )
    return rows


def is_ours(entry: Finding) -> bool:
    """Whether it is one of adxform's engines."""
    return entry.contender.startswith(OURS)


def is_limit(entry: Finding) -> bool:
    """Whether it is the adjoint by hand that all are measured by."""
    return entry.contender == LIMIT


def best(findings: Iterable[Finding], which: Callable[[Finding], bool]) -> Finding | None:
    """The fastest of those."""
    return min(
        (entry for entry in findings if which(entry) and entry.median), key=lambda entry: entry.median or 0.0, default=None
    )


def geometric(values: Iterable[float | None]) -> float | None:
    """The geometric mean of those that are there."""
    known = [value for value in values if value]
    return statistics.geometric_mean(known) if known else None


def means(heats: Sequence[Sequence[Finding]]) -> str:
    """The geometric means of adxform's ratios."""
    ours = [entry for findings in heats if (entry := best(findings, is_ours)) is not None]
    to_limit, to_peer = geometric(entry.over_limit for entry in ours), geometric(entry.over_peer for entry in ours)
    found = f"{ratio(to_limit) or '–'} × the limit, {ratio(to_peer) or '–'} × the fastest peer"
    return f"Geometric means of adxform's fastest engine: {found}."


def machine() -> dict[str, Any]:
    """Where it ran, and with which versions."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "absent"
    return {"python": platform.python_version(), "processor": platform.machine(), "cores": os.cpu_count(), "versions": versions}


def lines(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table."""
    return [f"| {' | '.join(row)} |" for row in (columns, ["---"] * len(columns), *rows)]


def write_markdown(path: Path, heats: Sequence[Sequence[Finding]], titles: dict[str, str]) -> None:
    """Write the summary and every table."""
    where = machine()
    versions = ", ".join(f"{name} {version}" for name, version in where["versions"].items())
    text = [
        "# The race",
        "",
        f"Python {where['python']}, {where['processor']}, {where['cores']} cores; {versions}.",
        "",
        *lines(SUMMARY, summary(heats)),
        "",
        means(heats),
    ]
    for findings in heats:
        text += ["", f"## {title(findings, titles)}", "", *lines(COLUMNS, map(cells, ordered(findings)))]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


def write_json(path: Path, heats: Sequence[Sequence[Finding]]) -> None:
    """Write every finding."""
    numbers = {"machine": machine(), "findings": [asdict(entry) for findings in heats for entry in findings]}
    path.write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")


def read_json(path: Path) -> list[list[Finding]]:
    """The heats of an earlier race, to be reported again or added to."""
    heats: dict[tuple[str, str, int], list[Finding]] = {}
    for entry in json.loads(path.read_text(encoding="utf-8"))["findings"]:
        found = Finding(**entry)
        heats.setdefault((found.problem, found.size, found.threads), []).append(found)
    return list(heats.values())


def plot(path: Path, heats: Sequence[Sequence[Finding]]) -> None:
    """Draw every contender's time over the limit, a line of dots for each heat, on a logarithmic axis."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    heats = [findings for findings in heats if best(findings, is_limit)]
    if not heats:
        return
    figure, axes = plt.subplots(figsize=(10.0, 1.5 + 0.28 * max(len(heats), len(CONTENDERS) // 2)), layout="constrained")
    heights = range(len(heats), 0, -1)
    colours = plt.colormaps["tab20"]
    for number, contender in enumerate(CONTENDERS):
        dots = [
            (entry.over_limit, height)
            for height, findings in zip(heights, heats, strict=True)
            for entry in findings
            if entry.contender == contender.name and entry.over_limit
        ]
        if dots:
            marker = "D" if contender.name.startswith(OURS) else "|" if contender.name == LIMIT else "o"
            axes.scatter(*zip(*dots, strict=True), label=contender.name, marker=marker, color=colours(number), s=28, alpha=0.8)
    axes.set_xscale("log")
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_yticks(list(heights), [f"{h[0].problem} {h[0].size}, {h[0].threads}" for h in heats])
    axes.set_ylabel("problem, size, threads")
    axes.set_xlabel("time over that of the adjoint written by hand, compiled by Numba")
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    figure.savefig(path, dpi=130)
    plt.close(figure)
