"""What may upset a process that derives: short stacks, forks, signals, threads that need each other, its end, damaged pickles,
and folders that are not its own.

`python -m benchmarks.upsets KIND SEED ROUNDS` is one trial: a process that checks what it derives against derivatives by hand,
and prints how often that was right, how often refused, and what was wrong. `benchmarks.trials` kills it when it takes too long.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import linecache
import os
import pickle
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import adxform
from adxform.errors import PreparationMismatchError
from adxform.runtime.persistence import store

LIMIT = 30.0
"""Seconds for whatever a trial waits for."""
CASES = 40
TEXT = """
import numpy as np
import adxform

def inner(x):
    return np.sum(np.sin(x) * x)

def slope(x):
    return np.sum(adxform.grad(inner)(x) ** 2)

def walk(x):
    total = 0.0
    for i in range(1, x.shape[0]):
        total += x[i] * x[i - 1] ** 2
    return total

def chain(x):
    k = int(x[0])
    y = x * 1.0
    {cases}
    return np.sum(y * adxform.grad(inner)(x))

def one(f):
    def first(x):
        return 2.0 * f(x) + np.sum(adxform.grad(f)(x) ** 2) * 0.0
    return first

def other(f):
    def second(x):
        return 3.0 * f(x) + np.sum(adxform.grad(f)(x) ** 2) * 0.0
    return second

def failing(x):
    return np.sum(np.linalg.inv(np.outer(x, x) * 0.0))
"""
X = np.array([1.3, 0.7, -0.4])


def once(x: Any) -> Any:
    """The first derivative of ``sin(x) x``."""
    return np.cos(x) * x + np.sin(x)


def twice(x: Any) -> Any:
    """The second one."""
    return 2.0 * np.cos(x) - x * np.sin(x)


def walked(x: Any) -> Any:
    """The gradient of `walk`."""
    found = np.zeros_like(x)
    found[1:] += x[:-1] ** 2
    found[:-1] += 2.0 * x[:-1] * x[1:]
    return found


BY_HAND: dict[str, Callable[[Any], Any]] = {
    "inner": once,
    "slope": lambda x: 2.0 * once(x) * twice(x),
    "walk": walked,
    "chain": lambda x: 2.0 * (once(x) + x * twice(x)),
}
"""The gradients of the functions of `TEXT`; of `chain` where the first number is from one to two."""


def program(number: int) -> dict[str, Any]:
    """The functions of `TEXT`, made anew: those of another number are others."""
    lines = [f"{'elif' if case else 'if'} k == {case}:\n        y = y * {case + 1}.0" for case in range(CASES)]
    text = TEXT.format(cases="\n    ".join(lines)) + f"# {number}\n"
    file = f"<upset {os.getpid()} {number}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names: dict[str, Any] = {"__name__": f"upset_{number}"}
    exec(compile(text, file, "exec"), names)
    return names


@dataclass
class Told:
    """What a trial tells: how often it was right, how often refused, and what was wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def check(self, what: str, derive: Callable[[], Any], expected: Any, *refusals: type[BaseException]) -> None:
        """Count what `derive` returns, or raises."""
        try:
            found = derive()
        except refusals:
            self.counts["refused"] += 1
        except Exception as error:
            self.counts["wrong"] += 1
            self.wrong.append(f"{what}: {type(error).__name__}: {error}")
        else:
            right = np.allclose(found, expected, rtol=1e-10, atol=1e-12)
            self.counts["right" if right else "wrong"] += 1
            if not right:
                self.wrong.append(f"{what}: {found}, should be {expected}")

    def gradient(self, what: str, names: dict[str, Any], name: str, engine: Any, *refusals: type[BaseException]) -> None:
        """Check the gradient of one of the functions of a program."""
        self.check(f"{what}: {name}", lambda: adxform.grad(names[name], engine=engine)(X), BY_HAND[name](X), *refusals)

    def holds(self, what: str, truth: bool) -> None:
        """Count `what`, which is to hold."""
        self.counts["right" if truth else "wrong"] += 1
        if not truth:
            self.wrong.append(what)


def engine_of(chance: random.Random) -> str:
    """Mostly Python, which is quick."""
    return chance.choice(("python", "python", "auto", "numba"))


def deep(calls: int, work: Callable[[], Any]) -> Any:
    """What `work` returns, called from so many calls inside of one another."""
    return deep(calls - 1, work) if calls else work()


def depths(chance: random.Random, told: Told, rounds: int) -> None:
    """First calls where little of the stack is left. That there is too little even for a thread is a `RecursionError`."""
    limit = sys.getrecursionlimit()
    for number in range(rounds):
        names, calls, engine = program(number), chance.randrange(limit - 300, limit - 10), chance.choice(("python", "auto"))
        for name in chance.sample(list(BY_HAND), 2):

            def called(calls: int = calls, names: dict[str, Any] = names, name: str = name, engine: Any = engine) -> Any:
                return deep(calls, lambda: adxform.grad(names[name], engine=engine)(X))

            told.check(f"{name} at {calls}", called, BY_HAND[name](X), RecursionError)
    told.holds("the recursion limit is what it was", sys.getrecursionlimit() == limit)


def forks(chance: random.Random, told: Told, rounds: int) -> None:
    """Forks while a thread derives, compiles and writes to the disk: children derive the same, and other functions."""
    engine, running = engine_of(chance), threading.Event()
    names = program(0)
    running.set()

    def derive() -> None:
        number = 1
        while running.is_set() and number < 200:
            current["names"] = program(number)
            for name in BY_HAND:
                told.gradient("the thread", current["names"], name, engine if number % 4 == 0 else "python")
            number += 1

    current = {"names": names}
    thread = threading.Thread(target=derive, daemon=True)
    thread.start()
    for number in range(rounds):
        time.sleep(chance.uniform(0.0, 0.15))
        same = current["names"]
        child = os.fork()
        if not child:
            os._exit(in_child(same, number, chance.choice(("python", engine))))
        told.holds(f"child {number} was right, and came to an end", ended(child) == 0)
    running.clear()
    thread.join(LIMIT)
    told.holds("the thread came to an end", not thread.is_alive())


def beginnings(chance: random.Random, told: Told, rounds: int) -> None:
    """Forks while a thread makes the first call of its process, which imports what adxform needs for it: children make it too."""
    for number in range(rounds):
        engine, pause = engine_of(chance), chance.uniform(0.0, 0.6)
        fresh = os.fork()  # this process imports nothing, so that each of these is one that has not called anything
        if not fresh:
            os._exit(_begun(number, engine, pause))
        told.holds(f"first calls around a fork ({engine}, {pause:.3f} s) came to an end", ended(fresh, 3 * LIMIT) == 0)


def _begun(number: int, engine: str, pause: float) -> int:
    """0 if the child of a fork in the middle of a first call derives what it should, and this process as well."""
    own, same = Told(), program(number)
    thread = threading.Thread(target=own.gradient, args=("the thread", same, "walk", engine), daemon=True)
    thread.start()
    time.sleep(pause)
    child = os.fork()
    if not child:
        os._exit(in_child(same, number, engine))
    own.holds("the child was right, and came to an end", ended(child) == 0)
    thread.join(LIMIT)
    for wrong in own.wrong:
        print(wrong, file=sys.stderr, flush=True)
    return 1 if own.wrong or thread.is_alive() else 0


def in_child(same: dict[str, Any], number: int, engine: str) -> int:
    """0 if the child of a fork derives what it should."""
    own = Told()
    for name in ("slope", "walk"):
        own.gradient("the same", same, name, engine)
        own.gradient("another", program(1000 + number), name, "python")
    thread = threading.Thread(target=own.gradient, args=("in a thread", program(2000 + number), "slope", "python"), daemon=True)
    thread.start()
    thread.join(LIMIT)
    own.holds("the collector works", gc.isenabled())
    own.holds("the recursion limit is the usual one", sys.getrecursionlimit() == 1000)
    for wrong in own.wrong:
        print(wrong, file=sys.stderr, flush=True)
    return 1 if own.wrong or thread.is_alive() else 0


def ended(child: int, limit: float = LIMIT) -> int:
    """The exit code of a process, which is killed when it takes too long."""
    until = time.monotonic() + limit + 5.0
    while time.monotonic() < until:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGABRT)
    os.waitpid(child, 0)
    return -99


class Struck(BaseException):
    """What the handler of a signal raises, as Ctrl-C does."""


def strike(_signal: int, _frame: FrameType | None) -> None:
    """Raise from the handler of a signal."""
    raise Struck


def signals(chance: random.Random, told: Told, rounds: int) -> None:
    """Signals whose handlers raise, anywhere in a derivation; afterwards this thread and another one derive the same."""
    signal.signal(signal.SIGALRM, strike)
    engine, limit = engine_of(chance), sys.getrecursionlimit()
    told.gradient("ahead", program(0), "walk", engine)
    for number in range(1, 2 * rounds + 1):
        names, name = program(number), chance.choice(list(BY_HAND))
        calls = chance.choice((0, 0, limit - 150))
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.0005, 0.06))
        try:
            deep(calls, lambda names=names, name=name: adxform.grad(names[name], engine=engine)(X))
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            told.counts["not struck"] += 1
        except Struck:
            told.counts["struck"] += 1
        thread = threading.Thread(target=told.gradient, args=("in a thread", names, name, engine), daemon=True)
        thread.start()
        told.gradient("afterwards", names, name, engine)
        thread.join(LIMIT)
        told.holds(f"the thread came to an end ({name}, {engine})", not thread.is_alive())
    until = time.monotonic() + LIMIT
    while sys.getrecursionlimit() != limit and time.monotonic() < until:
        time.sleep(0.01)  # what was interrupted goes on in a thread
    told.holds("the recursion limit is what it was", sys.getrecursionlimit() == limit)
    told.holds("the collector works", gc.isenabled())


def threads(chance: random.Random, told: Told, rounds: int) -> None:
    """Threads that derive functions which need each other, the same ones in another order, and some that raise."""
    engine = engine_of(chance)
    for number in range(rounds // 2 + 1):
        names = program(number)
        first = names["one"](names["other"](names["one"](names["inner"])))
        second = names["other"](names["one"](names["other"](names["inner"])))
        barrier = threading.Barrier(6)

        def derive(
            f: Callable[[Any], Any], factor: float, barrier: threading.Barrier = barrier, names: dict[str, Any] = names
        ) -> None:
            barrier.wait(LIMIT)
            told.check("a raising one", lambda: adxform.grad(names["failing"])(X), 0.0, np.linalg.LinAlgError)
            told.check("needing another", lambda: adxform.grad(f)(X), factor * once(X))
            told.gradient("beside", names, chance.choice(list(BY_HAND)), engine)

        running = [
            threading.Thread(target=derive, args=((first, 12.0) if i % 2 else (second, 18.0)), daemon=True) for i in range(6)
        ]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join(LIMIT)
        told.holds("all threads came to an end", not any(thread.is_alive() for thread in running))


def endings(chance: random.Random, told: Told, _rounds: int) -> None:
    """The end of the process while threads derive; this one derives once more when it is told that the end has come."""
    engine = engine_of(chance)

    def derive() -> None:
        number = 1
        while True:
            names = program(number)
            for name in BY_HAND:
                adxform.grad(names[name], engine=engine)(X)
            number += 1

    for _ in range(2):
        threading.Thread(target=derive, daemon=True).start()
    time.sleep(chance.uniform(0.0, 0.5))
    told.gradient("beside", program(0), "slope", "python")


def pickles(chance: random.Random, told: Told, rounds: int) -> None:
    """Pickles of prepared derivatives in which bits were flipped, or of which the end is missing."""
    data = pickle.dumps(adxform.prepare_gradient(sloped, X))
    told.check("whole", lambda: pickle.loads(data)(X), once(X))
    for _ in range(rounds * 10):
        broken = bytearray(data)
        if chance.random() < 0.1:
            del broken[chance.randrange(len(broken)) :]
        else:
            broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
        # Around what is behind the digest stand a few dozen bytes of pickle's own, which raises what it likes.
        own = bytes(broken[:60]) != data[:60] or len(broken) < len(data) or bytes(broken[-3:]) != data[-3:]
        refusals = (Exception,) if own else (PreparationMismatchError,)
        told.check("a damaged pickle", lambda broken=broken: pickle.loads(bytes(broken))(X), once(X), *refusals)


def sloped(x: Any) -> Any:
    """``sin(x) x``, summed."""
    return np.sum(np.sin(x) * x)


def folders(chance: random.Random, told: Told, rounds: int) -> None:
    """Folders and files of the cache that another user owns or may write, links in their place, and relative ones."""
    for number in range(rounds):
        with tempfile.TemporaryDirectory(prefix="adxform-folders-") as top:
            folder = Path(top) / "cache"
            os.environ["ADXFORM_CACHE_DIR"] = str(folder)
            kept = program(chance.randrange(1000))
            told.gradient("a cache of one's own", kept, "walk", "python")
            read = _read_again(told, kept)
            place = folder / chance.choice((".", "rules", "rules/cache.db"))
            told.holds(f"{number}: what was written is read", read)
            spoilt = _spoil(place, chance)
            store.close()
            store._stores.clear()
            again = _read_again(told, kept)
            told.holds(f"{number}: what others may write is not read", spoilt and not again)
            os.environ["ADXFORM_CACHE_DIR"] = "relative"
            told.holds("no relative folder", not _read_again(told, kept) and not Path("relative").exists())
            store.close()
            store._stores.clear()


def _read_again(told: Told, names: dict[str, Any]) -> bool:
    """Whether a derivative that was forgotten is found on the disk."""
    adxform.clear_cache()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told.gradient("again", names, "walk", "python")
    return adxform.stats()["disk_hits"] > 0


def _spoil(place: Path, chance: random.Random) -> bool:
    """Let others write to `place`, give it to another user, or put a link in the place of a file; return whether that worked."""
    way = chance.choice(("open", "give", "link"))
    if way == "give" and os.geteuid() == 0:
        os.chown(place, 65534, 65534)
    elif way == "link" and place.is_file():
        aside = place.with_name("aside")
        place.rename(aside)
        place.symlink_to(aside)
    else:
        place.chmod(0o777 if place.is_dir() else 0o666)
    return True


Trial = Callable[[random.Random, Told, int], None]
KINDS: dict[str, Trial] = {
    "depths": depths, "forks": forks, "beginnings": beginnings, "signals": signals, "threads": threads, "endings": endings,
    "pickles": pickles, "folders": folders,
}  # fmt: skip


def main() -> None:
    """One trial; prints what it tells as JSON."""
    faulthandler.enable()  # who kills a trial has it tell where its threads are
    told = Told()
    try:
        KINDS[sys.argv[1]](random.Random(int(sys.argv[2])), told, int(sys.argv[3]))
    except BaseException:
        told.counts["wrong"] += 1
        told.wrong.append(traceback.format_exc())
    print(json.dumps({"counts": told.counts, "wrong": told.wrong}), flush=True)


if __name__ == "__main__":
    main()
