"""The study of the BGV accelerator: its tables beside the paper's, and the page."""

from __future__ import annotations

import dataclasses
import json
import stat
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
from cyclotron.report import bgv, bgv_paper, bgv_study, tables

FAKE = """#!/usr/bin/env python3
import json, sys
arguments = sys.argv[1:]
value = lambda name, default: (
    arguments[arguments.index(name) + 1] if name in arguments else default
)
assert arguments[:3] == ["rtl", "run", "bgv-core"] and "--acknowledge-insecure" in arguments
name = value("--operation", None)
alone = {"add": 70, "mod-switch": 70, "add-chain": 2000, "multiply-chain": 3600}.get(name, 880)
step = {"add": 64, "mod-switch": 400, "multiply-chain": 1800}.get(name, 500)
if "evaluations" in arguments:
    alone, step = alone - 1000, step - 600
if int(value("--units", 0)) == 2:
    step = 475
rows = [
    {"operation": name, "items": items, "processor_seconds": items * 4e-6,
     "compute_cycles": alone + step * (items - 1) + (300 if k == 0 else 0)}
    for k, items in enumerate(map(int, value("--items", "").split(",")))
]
print(json.dumps({
    "description": "a fake", "processor": "none", "rows": rows,
    "carried": {"message": 134, "ciphertext": 265, "result": 269, "keys": 926},
}))
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that answers ``rtl run bgv-core`` with cycles that are easy to tell apart."""
    script = folder / "cyclotron"
    script.write_text(FAKE, encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv(tables.COMMAND_VARIABLE, str(script))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> bgv_study.Study:
    with pytest.MonkeyPatch.context() as monkeypatch:
        install(tmp_path_factory.mktemp("bgv"), monkeypatch)
        monkeypatch.setattr(bgv_study, "FAILURES", bgv_study.FAILURES[:1])
        return bgv_study.measure(quick=True)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No results of a synthesis but those that a test writes."""
    monkeypatch.chdir(tmp_path)


def row(text: str, name: str) -> list[str]:
    """The cells of the first row that begins with a name."""
    line = next(line for line in text.splitlines() if line.startswith(f"| {name} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_intervals_are_differences_of_long_programs(study: bgv_study.Study) -> None:
    assert study.counts["encrypt"] == bgv_study.Count(1180, 880, 500, pytest.approx(4))
    assert study.kept["multiply-chain"].alone == 2600
    assert study.fewest["decrypt"] == 475
    (failures,) = study.failures
    assert (failures["operations"], failures["digits"]) == (200, "unsigned")


def test_floors_follow_from_the_transforms() -> None:
    floors = {kind.name: (kind.floor_alone, kind.floor_interval) for kind in bgv_study.KINDS}
    # 448 cycles a transform, 64 of each shared with the next.
    assert floors["multiply"] == (2 * 448 - 64, 448)
    assert floors["add"] == (64, 64)
    assert floors["multiply-chain"] == (8 * 448 - 7 * 64, 19 * 64)


def test_rows_that_are_worse_than_the_papers_or_the_goal_say_so(study: bgv_study.Study) -> None:
    intervals = bgv.interval_table(study)
    assert row(intervals, "HomMult")[-3:] == ["512, met", "1,025", "0.49"]
    worse = ["**512, not met**", "1,025", "**1.76, worse**"]
    assert row(intervals, "HomMult_Enc_Dec")[-3:] == worse
    assert row(intervals, "ModSwitch")[-1] == "**1.27, worse**"
    alone = bgv.alone_table(study)
    assert row(alone, "HomMult_Enc_Dec")[1:] == [
        "3,136", "3,900", "3,600", "1.15", "3,900, met", "8,341", "0.43",
    ]  # fmt: skip
    assert row(alone, "HomMult_Enc_Dec, as evaluations")[3] == "2,600"
    assert "which this one does not" not in bgv.section(study, quick=False)
    same = dataclasses.replace(study, kept={"multiply-chain": study.counts["multiply-chain"]})
    assert "which this one does not" in bgv.section(same, quick=False)


def test_what_was_not_synthesised_says_so(study: bgv_study.Study, tmp_path: Path) -> None:
    assert row(bgv.table_3(), "NTT")[2:] == ["not synthesised", "not synthesised", "-"]
    assert row(bgv.table_6(study), "ours, ciphertexts")[4] == "not synthesised"
    assert "UltraScale: not synthesised" in bgv.table_5()
    counts = {"lut": 60000, "lutram": 4000, "ff": 50000, "bram": 20, "dsp": 60}
    table = {"lut": 234, "lutram": 0, "ff": 142, "bram": 0, "dsp": 0}
    results = {
        "bgv_core.paper_128.xc7": {"counts": counts},
        "modular.reduce_lut_54.xcu": {"counts": table},
    }
    folder = tmp_path / "rtl" / "syn"
    folder.mkdir(parents=True)
    (folder / "results.json").write_text(json.dumps({"results": results}), encoding="utf-8")
    found = row(bgv.table_3(), "complete design, without ModSwitch")
    assert found[2:] == ["not synthesised", "64,000 / 50,000 / 20 / 60", "0.12"]
    assert row(bgv.table_3(), "reduction after multiplication")[2] == "234 / 142 / 0 / 0"
    # 128 words of 27 bits in 500 cycles of 150 MHz, over 64,000 LUTs.
    assert row(bgv.table_6(study), "ours, ciphertexts")[-2:] == ["1,037", "16.2"]
    assert row(bgv.table_7(study), "ours, at an assumed clock")[4:6] == ["64,000", "0.427"]
    assert row(bgv.throughput_table(study), "HomMult")[1:3] == ["300,000", "146,341"]


def test_the_papers_own_figures_are_reproduced() -> None:
    # Its throughput, and throughput by LUT, of table 6.
    us, lut = bgv_paper.TABLE_6[-1][-1], bgv_paper.TABLE_6[-1][4]
    rate = bgv_paper.megabits(bgv_paper.DEGREE, bgv_paper.BITS, us)
    assert rate == pytest.approx(505.26, abs=0.005)
    assert bgv.efficiency(rate, lut) == "11.6"
    assert row(bgv.table_2(), "sum")[1:] == ["2,304", "1,920", "896"]


def test_the_study_prints_its_tables_and_writes_its_page(
    study: bgv_study.Study,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(bgv, "measure", lambda *, quick: study)
    bgv.run(tmp_path / "docs", quick=True)
    text = (tmp_path / "docs" / bgv.PAGE).read_text(encoding="utf-8")
    assert text.startswith("# Performance of the BGV accelerator\n")
    assert "| `PAPER_128`, unsigned digits | a b |" in text
    for number in range(2, 8):
        assert f"### Table {number}: " in text
    assert "ASSUMED" in text
    assert "shortened run" in text
    assert (tmp_path / "docs" / "figures" / "bgv-cycles.png").read_bytes()[:4] == b"\x89PNG"
    assert text.split("<!-- bgv: begin -->\n")[1][:200] in capsys.readouterr().out
