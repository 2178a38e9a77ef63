"""The cache on the disk is the user's alone: who may write to it may run code, so what others may write is not read."""

from __future__ import annotations

import os
import pickle
import pickletools
import random
import stat
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import PreparationMismatchError
from adxform.runtime.persistence import disk, portable, private, store
from tests.test_persistence import forget_rules

ROOT = Path(__file__).parent.parent
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes of files are POSIX's")
AS_ROOT = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
DERIVE = "import adxform\ndef f(x):\n    return x * x\nprint(adxform.grad(f)(3.0))\n"


def square(x):
    return x * x


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of this test's own, of which nothing was said yet."""
    monkeypatch.setenv("ADXFORM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(store, "_warned", [])
    monkeypatch.setattr(store, "_stores", {})
    forget_rules(monkeypatch)
    monkeypatch.setattr(disk, "_announced", set())
    adxform.clear_cache()
    yield tmp_path
    adxform.clear_cache()


def derived() -> dict[str, int]:
    adxform.clear_cache()
    assert adxform.grad(square)(3.0) == 6.0
    return adxform.stats()


def modes(folder: Path) -> dict[str, int]:
    return {each.name: stat.S_IMODE(each.stat().st_mode) for each in (folder, *folder.rglob("*"))}


@POSIX
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o777])
def test_folders_and_files_are_the_users_alone_whatever_the_mask(here: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        assert derived()["disk_writes"] > 0
    finally:
        os.umask(before)
    assert modes(here / "cache") == {"cache": 0o700, "rules": 0o700, "cache.db": 0o600}


@POSIX
def test_what_others_may_read_is_closed(here: Path) -> None:
    assert derived()["disk_writes"] > 0
    (here / "cache" / "rules").chmod(0o755)
    (here / "cache" / "rules" / "cache.db").chmod(0o644)
    store._stores.clear()
    assert derived()["disk_hits"] > 0
    assert modes(here / "cache") == {"cache": 0o700, "rules": 0o700, "cache.db": 0o600}


def opened(path: Path) -> None:
    path.chmod(0o777 if path.is_dir() else 0o666)


def given_away(path: Path) -> None:
    os.chown(path, 65534, 65534)


def linked(path: Path) -> None:
    aside = path.with_name("aside")
    path.rename(aside)
    path.symlink_to(aside)


@POSIX
@pytest.mark.parametrize("place", ["cache", "cache/rules", "cache/rules/cache.db"])
@pytest.mark.parametrize("change", [opened, pytest.param(given_away, marks=AS_ROOT)])
def test_what_others_own_or_may_write_is_not_read_and_that_is_said_once(
    here: Path, change: Callable[[Path], None], place: str
) -> None:
    assert derived()["disk_writes"] > 0
    store.close()
    store._stores.clear()
    change(here / place)
    with pytest.warns(store.CacheWarning, match="another user owns"):
        stats = derived()
    assert stats["disk_hits"] == stats["disk_writes"] == 0
    assert stats["rule_builds"] > 0
    assert derived()["disk_hits"] == 0  # and a second warning would be an error


@POSIX
@pytest.mark.parametrize("change", [opened, pytest.param(given_away, marks=AS_ROOT)])
def test_nothing_is_made_in_a_folder_that_others_own_or_may_write(here: Path, change: Callable[[Path], None]) -> None:
    (here / "cache").mkdir()
    change(here / "cache")
    with pytest.warns(store.CacheWarning, match="another user owns"):
        assert derived()["disk_writes"] == 0
    assert not list((here / "cache").iterdir())


@POSIX
def test_a_linked_file_is_not_read(here: Path) -> None:
    assert derived()["disk_writes"] > 0
    store.close()
    store._stores.clear()
    linked(here / "cache" / "rules" / "cache.db")
    with pytest.warns(store.CacheWarning, match="is a link"):
        assert derived()["disk_hits"] == 0


@POSIX
@pytest.mark.parametrize("place", ["cache", "cache/rules"])
def test_a_linked_folder_is_neither_read_nor_written(here: Path, place: str) -> None:
    behind = here / "behind"
    behind.mkdir()
    (here / place).parent.mkdir(exist_ok=True)
    (here / place).symlink_to(behind)
    with pytest.warns(store.CacheWarning, match="is a link"):
        assert derived()["disk_hits"] == 0
    assert not list(behind.iterdir())


def run(folder: Path, **environment: str) -> str:
    """Derive in a process that works in `folder`, with nothing but `environment` to say where the cache is."""
    script = folder / "script.py"
    script.write_text(DERIVE)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ADXFORM", "XDG", "HOME"))}
    env = {**kept, "PYTHONPATH": str(ROOT), "ADXFORM_ENGINE": "python", **environment}
    command = [sys.executable, "script.py"]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "6.0\n"
    return done.stderr


@POSIX
@pytest.mark.parametrize(
    "environment",
    [
        {"HOME": "{here}"},
        {"HOME": "/nonexistent", "XDG_CACHE_HOME": "{here}/cache"},
        {"HOME": "/nonexistent", "XDG_CACHE_HOME": "{here}"},
        {"ADXFORM_CACHE_DIR": "cache"},
        {"ADXFORM_CACHE_DIR": "./cache"},
        {"HOME": "home", "ADXFORM_CACHE_DIR": "~/cache"},
        {"HOME": "{here}", "ADXFORM_CACHE_DIR": "~/cache"},
    ],
    ids=str,
)
def test_nothing_is_written_under_the_working_directory(tmp_path: Path, environment: dict[str, str]) -> None:
    said = run(tmp_path, **{name: value.format(here=tmp_path) for name, value in environment.items()})
    assert said.count("CacheWarning:") == 1
    assert [each.name for each in tmp_path.iterdir()] == ["script.py"]


def test_a_relative_folder_of_the_platform_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADXFORM_CACHE_DIR")
    for folder in (".cache/adxform", ".", "~/adxform"):
        monkeypatch.setattr("platformdirs.user_cache_dir", lambda *_, folder=folder, **__: folder)
        monkeypatch.setattr(store, "_warned", [])
        with pytest.warns(store.CacheWarning, match="working directory"):
            assert store.store() is None


@POSIX
def test_the_home_may_be_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private, "_home", lambda: tmp_path.resolve())
    monkeypatch.chdir(tmp_path)
    assert not private.within_working_directory((tmp_path / ".cache" / "adxform").resolve())
    monkeypatch.setattr(private, "_home", lambda: tmp_path.resolve() / "other")
    assert not private.within_working_directory((tmp_path / "other" / ".cache").resolve())
    monkeypatch.setattr(private, "_home", lambda: Path("/nowhere"))
    assert private.within_working_directory((tmp_path / ".cache" / "adxform").resolve())


class Trap:
    """What runs code when it is unpickled."""

    def __reduce__(self) -> Any:
        return sprung, ()


def sprung() -> None:
    raise SystemExit("something was unpickled that nobody sealed")


@pytest.mark.parametrize("columns", ["mode = 4", "mode = 2, filename = '../../victim', value = NULL", "value = 5", "mode = 9"])
def test_columns_of_the_index_are_not_believed(here: Path, columns: str) -> None:
    where = store.store()
    assert where is not None
    victim = here / "victim"
    victim.write_text("kept")
    assert where.put(b"key", b"data")
    where._do(lambda cache: cache._sql("UPDATE Cache SET value = ?", (pickle.dumps(Trap()),)), None)
    where._do(lambda cache: cache._sql(f"UPDATE Cache SET {columns}"), None)
    with pytest.warns(store.CacheWarning, match="damaged"):
        assert where.get(b"key") is None
    assert where.put(b"key", b"data")
    assert where.get(b"key") == b"data"
    assert victim.read_text() == "kept"


@pytest.mark.parametrize("other", [(), {"a": 1}, "text", 3.0, (1, 2), None], ids=repr)
def test_an_entry_of_another_class_is_derived_anew(here: Path, monkeypatch: pytest.MonkeyPatch, other: Any) -> None:
    """Under the right key, behind the right digest, stands something else."""
    assert derived()["disk_writes"] > 0
    get = store.Store.get

    def exchanged(where: store.Store, key: bytes) -> bytes | None:
        return None if get(where, key) is None else portable.dumps(other)

    monkeypatch.setattr(store.Store, "get", exchanged)
    assert derived()["rule_builds"] > 0


@pytest.mark.parametrize("kept", ["volume", "rule"])
def test_an_entry_of_another_shape_is_derived_anew(here: Path, monkeypatch: pytest.MonkeyPatch, kept: str) -> None:
    """Instances of the right class, in which the fields are nothing."""
    assert derived()["disk_writes"] > 0
    read = disk.read

    def hollow(data: bytes) -> Any:
        found = read(data)
        if (kept == "volume") == isinstance(found, disk.Specialized):
            return object.__new__(type(found))
        return found

    monkeypatch.setattr(disk, "read", hollow)
    assert derived()["rule_builds"] > 0


def test_a_flipped_bit_in_a_pickle_gives_one_error() -> None:
    """Every bit of what adxform writes is behind the digest; the few bytes around it are `pickle`'s own."""
    data = pickle.dumps(adxform.prepare_gradient(square, 1.0))
    ours = next(len(arg) for _, arg, _ in pickletools.genops(data) if isinstance(arg, bytes))
    start = data.index(b"adxform prepared derivative")
    assert len(data) - ours < 100
    chance = random.Random(0)
    for place in (*range(start, start + 64), *(chance.randrange(start, start + ours) for _ in range(300))):
        broken = bytearray(data)
        broken[place] ^= 1 << chance.randrange(8)
        with pytest.raises(PreparationMismatchError, match="damaged"):
            pickle.loads(broken)
    assert pickle.loads(data)(3.0) == 6.0


def test_around_the_digest_a_flipped_bit_gives_no_number(tmp_path: Path) -> None:
    data = pickle.dumps(adxform.prepare_gradient(square, 1.0))
    start = data.index(b"adxform prepared derivative")
    right = 0
    for place in (*range(start), len(data) - 3, len(data) - 2, len(data) - 1):
        for bit in range(8):
            broken = bytearray(data)
            broken[place] ^= 1 << bit
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made = pickle.loads(bytes(broken))
            except Exception:  # pickle's own errors have many classes
                continue
            if isinstance(made, type(adxform.prepare_gradient(square, 1.0))):
                assert made(3.0) == 6.0
                right += 1
    assert right < 8 * start


def test_a_pickle_of_another_form_is_refused() -> None:
    data = pickle.dumps(adxform.prepare_gradient(square, np.float64(1.0)))
    with pytest.raises(PreparationMismatchError, match="another version"):
        pickle.loads(data.replace(b"prepared derivative 1", b"prepared derivative 2"))
