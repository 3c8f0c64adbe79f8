"""The S-BFV paper's noise generators, bit by bit from its sections III.F, III.G and IV.G.

What the paper leaves open (tap rotations, scale, the 60-bit polynomial) is chosen in
rtl/random/README.md. The state is a string of bits, most significant stage first, as the paper
writes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Generator:
    """`exponents`: those of the connection polynomial beside 1, the last one the width."""

    exponents: tuple[int, int]
    rotations: tuple[int, int, int, int]
    split: bool

    @property
    def width(self) -> int:
        return self.exponents[1]


GENERATORS = {
    "split20": Generator((17, 20), (0, 2, 5, 7), split=True),
    "split60": Generator((59, 60), (0, 7, 15, 22), split=True),
    "rotation11": Generator((9, 11), (0, 3, 6, 9), split=False),
    "rotation20": Generator((17, 20), (0, 5, 10, 15), split=False),
}


def step(generator: Generator, state: int) -> int:
    """s_j = s_{j-a} + s_{j-m} for 1 + x^a + x^m; stage i holds s_{j-m+i}."""
    bits = f"{state:0{generator.width}b}"
    stages = [int(bit) for bit in reversed(bits)]
    new = sum(stages[generator.width - exponent] for exponent in generator.exponents) % 2
    return int(f"{new}{bits[:-1]}", 2)


def sample(generator: Generator, state: int) -> int:
    """The output of a state."""
    bits = f"{state:0{generator.width}b}"
    level = []
    for k in generator.rotations:
        rotated = bits[len(bits) - k :] + bits[: len(bits) - k]
        half = len(rotated) // 2
        parts = [rotated[:half], rotated[half:]] if generator.split else [rotated]
        level += [int(part, 2) for part in parts]
    width = len(parts[0])
    while len(level) > 1:
        level = [(level[i] + level[i + 1]) // 2 for i in range(0, len(level), 2)]
    return (level[0] + (1 << (width - 6)) + 1) // (1 << (width - 5)) - 16


def run(generator: Generator, state: int) -> Iterator[tuple[int, int]]:
    """(state, sample) of each clock."""
    while True:
        yield state, sample(generator, state)
        state = step(generator, state)
