"""tools/check_names.py on fabricated trees (bad names are put together here, not spelled out)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[2] / "tools" / "check_names.py"


def check(folder: Path, text: str, local: str = "") -> tuple[int, str]:
    """The exit status and the complaints of the check on a folder with one file."""
    (folder / "page.md").write_text(text)
    done = subprocess.run(
        [sys.executable, CHECK, folder],
        env={**os.environ, "CYCLOTRON_FORBIDDEN_NAMES": local},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("package host", "see " + "pypi" + ".org"),
        ("package index option", "--index-url" + " somewhere"),
        ("private address", "http://" + "10.0.0.7/simple"),
        ("credential", "https://me:" + "secret@example.org"),
        ("machine path", "in /" + "root/.cargo"),
        ("machine path", "in /" + "home/somebody/cyclotron"),
    ],
)
def test_a_forbidden_name_is_found_with_its_line(tmp_path: Path, kind: str, text: str) -> None:
    status, complaints = check(tmp_path, f"# Page\n{text}\n")
    assert status == 1
    assert f"page.md:2: {kind}" in complaints


def test_a_name_can_be_forbidden_on_one_machine_alone(tmp_path: Path) -> None:
    assert check(tmp_path, "the vault\n")[0] == 0
    assert check(tmp_path, "the Vault\n", local=r"\bvault\b")[0] == 1


def test_ordinary_text_passes(tmp_path: Path) -> None:
    text = "https://www.apache.org/licenses a@b.org $HOME/work/x src/root/a.rs 1/work/y ~/root/z\n"
    assert check(tmp_path, text) == (0, "")
