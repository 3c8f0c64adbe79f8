"""Half-rounds against the quarter-round of RFC 8439."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import Timer
from random_bench import parameter, rng

from bench import run_bench

M32 = 0xFFFFFFFF


def half_round(state: list[int], rotate_d: int, rotate_b: int, diagonal: bool) -> list[int]:
    """By the text of the RFC: d, then b, each an add, a xor and a rotation."""
    out = list(state)
    for i in range(4):
        shift = 1 if diagonal else 0
        a, b, c, d = (4 * row + (i + shift * row) % 4 for row in range(4))
        out[a] = (out[a] + out[b]) & M32
        out[d] ^= out[a]
        out[d] = (out[d] << rotate_d | out[d] >> (32 - rotate_d)) & M32
        out[c] = (out[c] + out[d]) & M32
        out[b] ^= out[c]
        out[b] = (out[b] << rotate_b | out[b] >> (32 - rotate_b)) & M32
    return out


def pack(words: list[int]) -> int:
    return sum(word << (32 * i) for i, word in enumerate(words))


@cocotb.test()
async def the_model_gives_the_quarter_round_of_section_2_1_1(dut: Any) -> None:
    state = [0] * 16
    state[0], state[4], state[8], state[12] = 0x11111111, 0x01020304, 0x9B8D6F43, 0x01234567
    state = half_round(half_round(state, 16, 12, False), 8, 7, False)
    found = [state[0], state[4], state[8], state[12]]
    assert found == [0xEA2A92F4, 0xCB1CF8CE, 0x4581472E, 0x5881C4BB]
    await Timer(1, "ns")
    assert dut.state_o.value.is_resolvable


@cocotb.test()
async def corners_and_random_states(dut: Any) -> None:
    shape = (parameter("RotateD", 16), parameter("RotateB", 12), bool(parameter("Diagonal", 0)))
    random = rng()
    states = [[0] * 16, [M32] * 16, [1 << 31] * 16]
    states += [[int(i == j) for i in range(16)] for j in range(16)]
    states += [[random.getrandbits(32) for _ in range(16)] for _ in range(300)]
    for state in states:
        dut.state_i.value = pack(state)
        await Timer(1, "ns")
        assert int(dut.state_o.value) == pack(half_round(state, *shape)), state


@pytest.mark.parametrize("diagonal", [0, 1])
@pytest.mark.parametrize("rotations", [(16, 12), (8, 7)])
def test_half_round(rotations: tuple[int, int], diagonal: int) -> None:
    parameters = {"RotateD": rotations[0], "RotateB": rotations[1], "Diagonal": f"1'b{diagonal}"}
    run_bench(
        block="random",
        dut="chacha20_half_round",
        parameters={**parameters, "Diagonal": diagonal},
    )
