"""Keystream and sampler together: the shared vectors, and the array's rates at full size."""

from __future__ import annotations

import hashlib
from typing import Any

import cocotb
import pytest
from random_bench import (
    FIRST_WORD_LATENCY,
    NOISE_LATENCY,
    RING_FLUSH_CYCLES,
    SEEDS,
    TERNARY_LATENCY,
    cycle,
    key,
    parameter,
    reset,
    rng,
    until_idle,
    vectors,
)

from bench import run_bench
from model.device_randomness import plaintext

VALUES = {0b00: 0, 0b01: 1, 0b11: -1}


def degree() -> int:
    return 1 << parameter("LogN", 10)


async def prepare(dut: Any) -> None:
    inputs = ["start_i", "flush_i", "seed_i", "run_i", "e_pop_i", "u_free_i"]
    await reset(dut, **dict.fromkeys([*inputs, "u_raddr_a_i", "u_raddr_b_i"], 0))
    assert await until_idle(dut, 5 * degree() + 50) == max(RING_FLUSH_CYCLES, 4 * degree() + 2)


async def start(dut: Any, seed: bytes, run: int) -> None:
    dut.seed_i.value = key(seed)
    dut.run_i.value = run
    dut.start_i.value = 1
    await cycle(dut)
    dut.start_i.value = 0


async def read_u(dut: Any, k: int, port: str = "a") -> list[int]:
    """All coefficients of a complete plaintext, one a cycle; nothing is given back."""
    n = degree()
    values = []
    for index in range(n + 1):
        if index:
            values.append(VALUES[int(getattr(dut, f"u_{port}_o").value)])
        getattr(dut, f"u_raddr_{port}_i").value = (k % 2) * n + index % n
        await cycle(dut)
    return values


async def read_noise(dut: Any) -> list[int]:
    """e1 and e2 of a plaintext."""
    values = []
    while len(values) < 2 * degree():
        there = int(dut.e_valid_o.value)
        dut.e_pop_i.value = there
        if there:
            values.append(dut.e_o.value.to_signed())
        await cycle(dut)
    dut.e_pop_i.value = 0
    return values


async def read_plaintext(dut: Any, k: int) -> dict[str, list[int]]:
    """Waits for plaintext k, reads it and gives it back."""
    n = degree()
    for _ in range(7 * n + 200):
        if int(dut.plaintexts_ready_o.value):
            break
        await cycle(dut)
    u = await read_u(dut, k, "ab"[k % 2])
    dut.u_free_i.value = 1
    for _ in range(n):
        await cycle(dut)
    dut.u_free_i.value = 0
    e = await read_noise(dut)
    return {"u": u, "e1": e[:n], "e2": e[n:]}


def digest(values: list[int]) -> str:
    as_bytes = b"".join(value.to_bytes(1, "little", signed=True) for value in values)
    return hashlib.sha256(as_bytes).hexdigest()


@cocotb.test()
async def shared_vectors(dut: Any) -> None:
    n = degree()
    cases = [case for case in vectors("device_randomness.json") if case["n"] == n]
    # At full size the first stream only: what differs in others is tested at small degrees.
    runs = sorted({(case["seed"], int(case["run_counter"])) for case in cases})
    await prepare(dut)
    for seed, run in runs if n < 1024 else runs[:1]:
        await start(dut, bytes.fromhex(seed), run)
        of_run = [c for c in cases if (c["seed"], int(c["run_counter"])) == (seed, run)]
        by_index = {case["k"]: case for case in of_run}
        for k in range(16):
            found = await read_plaintext(dut, k)
            if k not in by_index:
                continue
            for part, values in found.items():
                vector = by_index[k][part]
                if "values" in vector:
                    assert values == vector["values"], (seed, run, k, part)
                else:
                    assert values[:16] == vector["first"], (seed, run, k, part)
                    assert digest(values) == vector["sha256"], (seed, run, k, part)


@cocotb.test()
async def the_first_plaintext_is_ready_in_time(dut: Any) -> None:
    await prepare(dut)
    await start(dut, SEEDS[1], 3)
    cycles = 1
    noise_at = 0
    while not int(dut.plaintexts_ready_o.value):
        if int(dut.e_valid_o.value) and not noise_at:
            noise_at = cycles
        await cycle(dut)
        cycles += 1
        assert cycles < 4 * degree() + 100
    assert noise_at == FIRST_WORD_LATENCY + NOISE_LATENCY
    # The last word is taken 2n - 1 cycles after the first.
    assert cycles == FIRST_WORD_LATENCY + 2 * degree() - 1 + TERNARY_LATENCY


async def as_the_array(dut: Any, seed: bytes, run: int, plaintexts: int) -> list[Any]:
    """The array's use in overlap mode, a step a cycle; checks every value, gives the trace.

    Product 2k emerges in period 2k + 1 and takes e1, product 2k + 1 in period 2k + 2 and takes e2;
    u_k is begun in period 2k and given back in period 2k + 2, coefficient by coefficient.
    """
    n = degree()
    await start(dut, seed, run)
    while int(dut.plaintexts_ready_o.value) < 2:
        await cycle(dut)
    model = [plaintext(seed, run, k, n) for k in range(plaintexts)]
    trace = []
    late: tuple[int, int] | None = None
    for step in range(n * (2 * plaintexts + 1)):
        period, index = divmod(step, n)
        trace.append((int(dut.u_count_o.value), int(dut.e_valid_o.value)))
        begun = period // 2
        if period % 2 == 0 and begun < plaintexts:
            first = 0 if period == 0 else begun - 1
            ahead = n * (begun - first) + index - (index if period else 0)
            assert int(dut.u_count_o.value) > ahead, f"step {step}: u of {begun} is late"
        if late is not None:
            assert VALUES[int(dut.u_b_o.value)] == model[late[0]]["u"][late[1]]
        if begun < plaintexts:
            dut.u_raddr_b_i.value = (begun % 2) * n + index
            late = (begun, index)
        else:
            late = None
        if period:
            k, part = (period - 1) // 2, ("e1", "e2")[(period - 1) % 2]
            assert int(dut.e_valid_o.value), f"step {step}: noise is late"
            assert dut.e_o.value.to_signed() == model[k][part][index], f"step {step}"
        dut.e_pop_i.value = period > 0
        dut.u_free_i.value = period >= 2 and period % 2 == 0
        await cycle(dut)
    dut.e_pop_i.value = 0
    dut.u_free_i.value = 0
    return trace


@cocotb.test()
async def the_array_never_waits_and_timing_depends_on_no_secret(dut: Any) -> None:
    await prepare(dut)
    plaintexts = 16 if degree() < 1024 else 4
    traces = [
        await as_the_array(dut, seed, run, plaintexts)
        for seed, run in ((SEEDS[0], 1), (SEEDS[1], 2**64 - 2))
    ]
    assert traces[0] == traces[1]


@cocotb.test()
async def restarts_and_flushes_at_any_time(dut: Any) -> None:
    await prepare(dut)
    random = rng()
    n = degree()
    for turn in range(12):
        seed, run = SEEDS[turn % 4], random.getrandbits(64)
        await start(dut, seed, run)
        found = await read_plaintext(dut, 0)
        assert found == plaintext(seed, run, 0, n), turn
        for _ in range(random.randrange(3 * min(n, 64))):
            await cycle(dut)
        if turn % 3:
            continue
        dut.flush_i.value = 1
        await cycle(dut)
        dut.flush_i.value = 0
        if turn % 2:
            continue  # the next start comes while memories are wiped, and waits for them
        await until_idle(dut, 5 * n + 50)
        for _ in range(60):
            assert int(dut.u_count_o.value) == 0
            assert not int(dut.e_valid_o.value)
            await cycle(dut)


@pytest.mark.parametrize("log_degree", [2, 4, 10])
def test_device_random(log_degree: int) -> None:
    run_bench(block="random", dut="device_random", parameters={"LogN": log_degree})
