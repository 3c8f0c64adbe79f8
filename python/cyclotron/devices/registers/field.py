"""Bit fields of registers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """Adjacent bits of a register: ``width`` of them from bit ``low``."""

    low: int
    width: int

    @property
    def mask(self) -> int:
        """The field's bits in the register."""
        return ((1 << self.width) - 1) << self.low

    def get(self, word: int) -> int:
        """The field's value in a register's contents."""
        return (word & self.mask) >> self.low

    def put(self, value: int) -> int:
        """Register contents with ``value`` in this field and 0 elsewhere."""
        if not 0 <= value < 1 << self.width:
            raise ValueError(f"{value} where 0 to {(1 << self.width) - 1} fits")
        return value << self.low
