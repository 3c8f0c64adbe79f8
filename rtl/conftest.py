"""Benches: pytest finds helper modules in every block's bench folder, and runs ahead of itself.

A bench is two processes of one thread each, the compiler and the simulator, so as many benches as
there are jobs (CARGO_BUILD_JOBS, set by make) run at once; pytest collects their results in order.
One job turns this off, so that `--durations` shows the time of each bench alone.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

BENCHES = Path(__file__).resolve().parent
for _folder in sorted(BENCHES.glob("*/tb")):
    if str(_folder) not in sys.path:
        sys.path.append(str(_folder))

_POOL = pytest.StashKey[ThreadPoolExecutor]()
_RUNNING = pytest.StashKey[dict[str, "Future[Any]"]]()


def _arguments(item: pytest.Function) -> dict[str, Any] | None:
    """What a bench function is called with; None for one that needs more than its parameters."""
    given = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    skipped = any(mark.name in {"skip", "skipif", "xfail"} for mark in item.iter_markers())
    return given if set(item.fixturenames) == set(given) and not skipped else None


def pytest_collection_finish(session: pytest.Session) -> None:
    jobs = int(os.environ.get("CARGO_BUILD_JOBS", "2"))
    if jobs < 2 or session.config.option.collectonly:
        return
    pool = session.config.stash[_POOL] = ThreadPoolExecutor(jobs)
    running = session.config.stash[_RUNNING] = {}
    for item in session.items:
        if not isinstance(item, pytest.Function) or BENCHES not in item.path.parents:
            continue
        arguments = _arguments(item)
        if arguments is not None:
            running[item.nodeid] = pool.submit(item.obj, **arguments)


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    found = pyfuncitem.config.stash.get(_RUNNING, {}).pop(pyfuncitem.nodeid, None)
    if found is None:
        return None  # pytest calls the function itself
    found.result()
    return True


def pytest_sessionfinish(session: pytest.Session) -> None:
    pool = session.config.stash.get(_POOL, None)
    if pool is not None:
        pool.shutdown(wait=True, cancel_futures=True)
