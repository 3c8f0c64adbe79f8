"""Threads share everything; the GIL is free while the library computes; forks are refused."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import cyclotron as cy
import numpy as np
import pytest


def test_threads_share_keys_and_ciphertexts(keys: cy.Keys) -> None:
    values = np.arange(-20, 20)
    x = keys.encrypt(values)
    expected = (x * x + 3 * x).to_bytes()

    def work(i: int) -> tuple[bytes, list[int]]:
        y = keys.encrypt(values + i)
        return (x * x + 3 * x).to_bytes(), keys.decrypt((x * y).sum()).tolist()

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(40)))
    for i, (same, total) in enumerate(results):
        assert same == expected
        assert total == [(values * (values + i)).sum()]


def longest_pause(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds of a call in another thread, and the longest that this one stood still."""
    times: list[float] = []
    started, done = threading.Event(), threading.Event()

    def work() -> None:
        times.append(time.perf_counter())
        started.set()
        call()
        times.append(time.perf_counter())
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    pause, last = 0.0, times[0]
    while True:
        now = time.perf_counter()
        pause, last = max(pause, now - last), now
        if done.is_set():
            break
    thread.join()
    return times[1] - times[0], pause


def test_the_gil_is_free_while_the_library_computes() -> None:
    """While one thread is inside one long call, this thread runs Python code."""
    ctx = cy.Context("bgv", bits=30, depth=3, slots=16_384, threads=1)
    secret = ctx.secret_key()
    duration, pause = longest_pause(secret.evaluation_keys)
    assert pause < duration / 2
    # The measurement can fail: a built-in that keeps the GIL stops this thread.
    duration, pause = longest_pause(lambda: sum(range(30_000_000)))
    assert pause > duration / 2


def child(connection) -> None:
    try:
        INHERITED.encrypt([1, 2])
        connection.send("computed")
    except cy.EngineError as error:
        connection.send(str(error))


INHERITED: cy.Keys


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_is_an_error_and_not_a_deadlock(threads: int) -> None:
    global INHERITED
    INHERITED = cy.Context.preset("TOY_64", acknowledge_insecure=True, threads=threads).keygen()
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=child, args=(there,))
    process.start()
    assert here.poll(30), "the child hangs"
    answer = here.recv()
    process.join(30)
    if threads == 1:
        assert answer == "computed"
    else:
        assert "forked process" in answer
        assert "spawn" in answer
