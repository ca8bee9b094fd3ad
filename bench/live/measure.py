"""What the suites measure with: CPU time of one thread, memory of the process, bytes of a directory."""

import os
import pathlib
import time


def cpu(ask):
    """CPU seconds of this thread for a call, and what it gave: databases have one thread, so queries run in it."""
    started = time.thread_time()
    answer = ask()
    return time.thread_time() - started, answer


def resident():
    """Resident bytes of this process now."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def written():
    """Bytes that this process has given to the system to be written."""
    lines = pathlib.Path("/proc/self/io").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("wchar")))


def folder_bytes(folder):
    """Bytes of all files below a folder; files that go meanwhile are not counted."""
    total = 0
    for path in pathlib.Path(folder).rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            pass
    return total


def megabytes(size):
    return f"{size / 1e6:.0f} MB"
