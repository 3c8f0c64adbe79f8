"""The studies of the devices: their tables, and the page that they write to."""

from __future__ import annotations

import json
import math
import stat
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")
from cyclotron.report import bfv, mini, tables


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A command that answers ``rtl run`` with ``n`` cycles a polynomial."""
    script = tmp_path / "cyclotron"
    script.write_text(
        """#!/usr/bin/env python3
import json, sys
arguments = sys.argv[1:]
value = lambda name: arguments[arguments.index(name) + 1]
degree = int(value("--degree"))
if value("--device") == "broken":
    sys.exit("error: no such device")
rows = []
for operation in value("--operation").split(","):
    paper, polynomials = operation.startswith("paper"), 2 if operation.endswith("encrypt") else 1
    for items in map(int, value("--items").split(",")):
        cycles = items * polynomials * degree * (2 if paper else 1) + 4
        rows.append({
            "operation": operation.replace("-", "_"), "items": items, "runs": 1,
            "compute_cycles": cycles, "transfer_cycles": 3 * items * degree,
            "processor_seconds": None if paper else items * 25e-6,
        })
print(json.dumps({
    "device": value("--device"), "description": "a fake: for tests", "processor": "none",
    "degree": degree, "rows": rows,
}))
""",
        encoding="utf-8",
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv(tables.COMMAND_VARIABLE, str(script))
    monkeypatch.chdir(tmp_path)
    return script


def test_measurements_carry_cycles_and_times(fake: Path) -> None:
    one, many = tables.measure_device(
        "bfv-crypt", degree=1024, items=[1, 16], operations=["encrypt"]
    )
    assert (one.compute_cycles, many.compute_cycles) == (2052, 32772)
    assert many.device_us(100, transfer=False) == pytest.approx(20.4825)
    assert many.device_us(100, transfer=True) == pytest.approx(20.4825 + 30.72)
    assert many.processor_us == pytest.approx(25)
    (paper,) = tables.measure_device(
        "bfv-crypt", degree=16, items=[1], operations=["paper-decrypt"]
    )
    assert paper.operation == "paper-decrypt"
    assert math.isnan(paper.processor_us)


def test_a_refusal_of_the_command_is_told(fake: Path) -> None:
    with pytest.raises(tables.StudyError, match="no such device"):
        tables.measure_device("broken", degree=16, items=[1], operations=["encrypt"])


def test_numbers_have_three_digits_and_no_exponent() -> None:
    values = [0.0175, 0.5, 9.2, 41.04, 371.85, 1234.5]
    assert [tables.number(value) for value in values] == [
        "0.0175", "0.5", "9.2", "41", "372", "1,234",
    ]  # fmt: skip
    assert tables.number(math.nan) == "-"
    assert tables.quoted(1202.5) == "1,202.5"
    assert [tables.cycles(value) for value in (2048.25, 1024.0)] == ["2,048.2", "1,024"]


def test_a_section_is_replaced_and_the_rest_of_the_page_kept(tmp_path: Path) -> None:
    page = tables.write_section(tmp_path, "one", "first")
    tables.write_section(tmp_path, "two", "second")
    page.write_text(page.read_text(encoding="utf-8") + "\nby hand\n", encoding="utf-8")
    tables.write_section(tmp_path, "one", "third")
    text = page.read_text(encoding="utf-8")
    assert "first" not in text
    assert text.index("third") < text.index("second") < text.index("by hand")


def test_the_bfv_study_writes_tables_and_pictures(fake: Path, tmp_path: Path) -> None:
    bfv.run(tmp_path / "docs", quick=True)
    text = (tmp_path / "docs" / tables.PAGE).read_text(encoding="utf-8")
    # Quoted and measured, the paper's schedule and ours.
    for cell in ("371.85", "40.97", "4,100", "2,048.2", "32,772", "not synthesised yet"):
        assert cell in text, cell
    assert "the device is faster from 1 on" in text
    for name in ("bfv-times.png", "bfv-break-even.png"):
        assert (tmp_path / "docs" / "figures" / name).read_bytes()[:4] == b"\x89PNG"
        assert f"figures/{name}" in text


def test_the_break_even_point_is_where_the_device_stays_faster(fake: Path) -> None:
    study = bfv.measure(quick=True)
    assert "- encrypt, with transfers: the processor is faster up to 16" in bfv.break_even(study)


def test_table_6_takes_the_resources_of_the_last_synthesis(fake: Path, tmp_path: Path) -> None:
    counts = {"lut": 40000, "lutram": 2000, "ff": 60000, "bram": 97, "dsp": 0}
    results: dict[str, Any] = {"results": {"bfv_crypt.paper_1024.xc7": {"counts": counts}}}
    folder = tmp_path / "rtl" / "syn"
    folder.mkdir(parents=True)
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    assert tables.resources("bfv_crypt.paper_1024") == counts
    assert tables.resources("bfv_crypt.toy16") is None
    assert "42.0K / 0 / 97" in bfv.table_6(bfv.measure(quick=True))


def test_the_mini_study_writes_tables_and_a_picture(fake: Path, tmp_path: Path) -> None:
    mini.run(tmp_path / "docs", quick=True)
    text = (tmp_path / "docs" / tables.PAGE).read_text(encoding="utf-8")
    for cell in ("| encrypt | 4 |", "1,202.5", "12,427", "| 1000 |", "no\nsecurity whatever"):
        assert cell.replace("\n", " ") in text.replace("\n", " "), cell
    assert (tmp_path / "docs" / "figures" / "mini-times.png").is_file()
