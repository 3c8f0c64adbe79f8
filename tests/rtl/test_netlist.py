"""The blocks' benches on the netlist that synthesis makes, one small configuration each.

What this finds and the benches of the source do not: constructs that the two front ends read in two
ways, and faults of mapping. Block RAMs are not mapped (Yosys has no model of them that simulates).
"""

from __future__ import annotations

import pytest

from bench import run_bench
from configurations import configuration
from core_files import Library
from netlist import netlist
from synth import top_of

TARGET = "xc7"


@pytest.mark.full
@pytest.mark.parametrize(
    ("block", "name", "tests"),
    [
        ("random", "gauss_20", ["shared_vectors_a_sample_a_cycle"]),
        ("random", "both_16", ["shared_vectors", "the_first_plaintext_is_ready_in_time"]),
        ("bfv_mini", "n4", ["says_what_it_is", "batches", "flags_wrong_words"]),
        (
            "bfv_crypt",
            "toy16",
            ["encrypts", "decrypts", "paper_mode_encrypts", "paper_mode_decrypts"],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_netlist(block: str, name: str, tests: list[str]) -> None:
    library = Library.load()
    one = configuration(block, name)
    run_bench(
        block=block,
        dut=top_of(library, one),
        configuration=name,
        testcase=tests,
        public_depth=1,
        netlist=netlist(library, one, TARGET),
        # Megabytes of C++ for a few thousand cycles: the compiler's time is nearly all.
        build_args=["-CFLAGS", "-O0"],
    )
