"""Folders and files that are the user's alone: who may write to the cache may run code as whoever reads it."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

if sys.platform != "win32":
    import grp
    import pwd

FOLDER, FILE = 0o700, 0o600
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class NotPrivateError(Exception):
    """Another user owns a folder or a file, or may write to it."""


def within_working_directory(folder: Path) -> bool:
    """Whether `folder` lies under the working directory, other than as the user's home lies there.

    What is unpacked or checked out often lies in the working directory, and may bring a folder of that name along. The home is
    that of the system's list of users: the environment may name any folder.
    """
    try:
        here = Path.cwd().resolve()
    except OSError:  # it was removed
        return False
    home = _home()
    return here in (folder, *folder.parents) and here not in (home, *home.parents)


def _home() -> Path:
    if sys.platform != "win32":
        try:
            return Path(pwd.getpwuid(os.getuid()).pw_dir).resolve()
        except KeyError:  # a user without an entry
            pass
    return Path.home().resolve()


def refuse_links(*folders: Path) -> None:
    """Make sure that none of `folders` is a link: who made it chose where it leads.

    Raises:
        NotPrivateError: one is.
    """
    for folder in folders:
        if folder.is_symlink():
            raise NotPrivateError(f"{folder} is a link")


def make_folder(folder: Path) -> None:
    """Make `folder`, and what is missing above it, for the user alone, whatever the mask of the process says.

    Raises:
        NotPrivateError: another user owns a folder above, or may write there: nothing is made in it.
    """
    _refuse_foreign(folder)
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        try:
            each.mkdir(FOLDER)
        except FileExistsError:  # another process was faster
            continue
        each.chmod(FOLDER)


def claim_folder(folder: Path) -> None:
    """Make sure that `folder` is the user's, that nobody else reads it, and that nobody can put another in its place.

    Raises:
        NotPrivateError: another user owns it or something in it, or may write there or above.
    """
    if sys.platform == "win32":  # the system keeps the user's folders to the user
        return
    _refuse_foreign(folder)
    real = folder.resolve()
    _claim(real, FOLDER)
    for each in real.iterdir():
        _claim(each, FOLDER if each.is_dir() else FILE)


def _refuse_foreign(folder: Path) -> None:
    """Make sure that nobody but the user, or root, can put another folder in the place of `folder`, as far as it is there."""
    if sys.platform == "win32":
        return
    for above in folder.resolve().parents:
        if above.exists():
            state = above.stat()
            others = state.st_mode & _OTHERS_WRITE and not state.st_mode & stat.S_ISVTX and not _own_group(state)
            if state.st_uid not in (0, os.geteuid()) or others:
                raise NotPrivateError(f"another user owns {above}, or may write to it")


def claim_file(file: Path) -> None:
    """Make `file`, for the user alone, where it is not there yet.

    Raises:
        NotPrivateError: it is a link.
    """
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), FILE))
    except FileExistsError:
        if file.is_symlink():
            raise NotPrivateError(f"{file} is a link") from None
        return
    file.chmod(FILE)


def _claim(path: Path, mode: int) -> None:
    try:
        state = path.lstat()
        if stat.S_ISLNK(state.st_mode):
            raise NotPrivateError(f"{path} is a link")
        if state.st_uid != os.geteuid() or state.st_mode & _OTHERS_WRITE:
            raise NotPrivateError(f"another user owns {path}, or may write to it")
        if stat.S_IMODE(state.st_mode) & ~mode:
            path.chmod(mode)
    except FileNotFoundError:  # the journal of a transaction that has ended
        pass


def _own_group(state: os.stat_result) -> bool:
    """Whether only the group may write beside the user, and the user is alone in it, as many systems set users up."""
    if sys.platform == "win32" or state.st_mode & stat.S_IWOTH:
        return False
    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(state.st_gid)
    except KeyError:
        return False
    return group.gr_gid == user.pw_gid and group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
