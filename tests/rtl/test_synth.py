"""Which results synthesis makes, what it says of those it cannot, and where they are quoted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from catalogue import resources
from configurations import configurations
from core_files import REPOSITORY, Library
from programs import ToolError
from synth import chosen, count_parts, load_results, overfull, parts_of, stale, targets

TARGETS = {
    "small": {
        "device": "a small one",
        "room": {"lut": 100, "ff": 200},
        "place": {"configurations": ["a.tiny"]},
    },
    "large": {"device": "a large one", "room": {}, "skip": {"a.paper": "takes a day"}},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "rtl" / "syn").mkdir(parents=True)
    (tmp_path / "rtl" / "configs.yaml").write_text(
        "a:\n  tiny: {}\n  other: {}\n  paper: {full: true}\n"
    )
    (tmp_path / "rtl" / "syn" / "targets.yaml").write_text(yaml.safe_dump(TARGETS, sort_keys=False))
    return tmp_path


def names(root: Path, what: list[str], only: list[str] | None = None) -> list[str]:
    return [f"{one.name}.{target}" for one, target in chosen(root, what, only)]


def test_full_and_placed_ones_are_made_and_skipped_ones_are_not(root: Path) -> None:
    assert names(root, []) == ["tiny.small", "paper.small"]
    assert names(root, ["a.other"]) == ["other.small", "other.large"]
    assert names(root, ["a"], ["large"]) == ["tiny.large", "other.large"]


def test_what_lacks_room_is_read_from_the_log() -> None:
    log = """Info: Device utilisation:
Info: 	              DP16KD:     252/    208   121%
Info: 	          TRELLIS_FF:   10760/  83640    12%
Info: 	        TRELLIS_COMB:   93728/  83640   112%
"""
    assert overfull(log) == ["252 DP16KD of 208", "93,728 TRELLIS_COMB of 83,640"]
    assert overfull(log.replace("252", "12").replace("93728", "99")) == []


def test_the_table_says_what_is_left_out_and_what_has_no_room(root: Path) -> None:
    common = {"block": "a", "top": "a", "parameters": {}, "target": "small", "date": "today"}
    counts = {"lut": 90, "lutram": 20, "ff": 7, "bram": 0, "dsp": 0}
    results: dict[str, dict[str, Any]] = {
        "a.tiny.small": {"counts": counts, "fmax_mhz": None},
        "a.other.small": {"counts": counts | {"lutram": 0}, "fmax_mhz": None},
        "a.paper.small": {"counts": counts | {"lut": 9}, "fmax_mhz": 80.4},
    }
    for key, result in results.items():
        result |= common | {"configuration": key.split(".")[1]}
    text = json.dumps({"made_with": {}, "results": results})
    (root / "rtl" / "syn" / "results.json").write_text(text)
    page = resources(Library(root))
    rows = {line.split("`")[3]: line for line in page.splitlines() if line.startswith("| `a`")}
    assert "| no room: 110 LUT of 100 |" in rows["tiny"]
    assert "| not placed |" in rows["other"]
    assert "| 80 |" in rows["paper"]
    assert "- `a.paper` for large: takes a day" in page


def test_parts_are_counted_without_those_inside_and_add_up() -> None:
    modules = {
        "\\top": {"num_cells_by_type": {"LUT6": 3, "unit$top.a": 1, "unit$top.b": 1}},
        "\\unit$top.a": {"num_cells_by_type": {"LUT6": 10, "FDRE": 2, "inner$top.a.i": 1}},
        "\\unit$top.b": {"num_cells_by_type": {"LUT5": 11}},
        "\\inner$top.a.i": {"num_cells_by_type": {"FDRE": 5}},
    }
    rules = {"lut": {"LUT[1-6]": 1.0}, "ff": {"FDRE": 1.0}}
    assert count_parts(modules, "top", rules) == {
        "top": {"instances": 1, "lut": 3, "ff": 0},
        "unit": {"instances": 2, "lut": 21, "ff": 2},
        "inner": {"instances": 1, "lut": 0, "ff": 5},
    }
    with pytest.raises(ToolError, match="other"):
        count_parts(modules, "other", rules)


def test_parts_are_those_of_whole_blocks(root: Path) -> None:
    (root / "rtl" / "configs.yaml").write_text("a:\n  tiny: {}\n  one: {top: m}\n  whole: {}\n")
    tiny, one, whole = configurations("a", root)
    rules = TARGETS["small"] | {"parts": {"synth": "s", "modules": {"a": ["m"]}}}
    assert parts_of(whole, rules) == ["m"]
    assert parts_of(one, rules) == []  # the part itself
    assert parts_of(tiny, rules) == []  # is placed: one flat netlist
    assert parts_of(whole, TARGETS["small"]) == []


@pytest.mark.full
def test_every_full_configuration_has_a_result_or_a_reason() -> None:
    results, rules = load_results(REPOSITORY), targets(REPOSITORY)
    missing = [
        f"{one.block}.{one.name}.{target}"
        for one, target in chosen(REPOSITORY, [], None)
        if f"{one.block}.{one.name}.{target}" not in results
    ]
    assert missing == [], "make synth"
    known = {f"{one.block}.{one.name}" for one in configurations()}
    for rule in rules.values():
        assert set(rule.get("skip", {})) | set(rule.get("place", {}).get("configurations", ())) <= (
            known
        )


@pytest.mark.full
def test_results_are_of_the_sources_that_are_there() -> None:
    assert list(stale(Library.load())) == [], "make synth"


@pytest.mark.parametrize(
    ("page", "configuration"),
    [
        ("rtl/bfv_crypt/README.md", "bfv_crypt.paper_1024"),
        ("rtl/bfv_crypt/README.md", "random.both_1024"),
        ("docs/attacks.md", "bfv_crypt.paper_1024"),
        ("docs/attacks.md", "random.both_1024"),
        ("rtl/bfv_mini/README.md", "bfv_mini.n4"),
        ("rtl/bfv_mini/README.md", "bfv_mini.n8"),
        ("rtl/bfv_mini/README.md", "bfv_mini.n16"),
        ("rtl/bgv_core/README.md", "bgv_core.paper_128"),
        ("rtl/bgv_core/README.md", "bgv_core.ntt_128"),
        ("rtl/bgv_core/README.md", "bgv_core.ntt_rt_1024"),
        ("rtl/random/README.md", "random.chacha_1024"),
        ("rtl/random/README.md", "random.sampler_1024"),
        ("rtl/random/README.md", "random.both_1024"),
        ("docs/prng-study.md", "random.both_1024"),
        ("docs/prng-study.md", "random.gauss_60"),
    ],
)
def test_pages_quote_the_results(page: str, configuration: str) -> None:
    counts = load_results(REPOSITORY)[f"{configuration}.xc7"]["counts"]
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    for column in ("lut", "ff"):
        assert f"{counts[column]:,}" in text, f"{page}: {column} of {configuration}: {counts}"
