"""tools/check_snippets.py: good pages pass, a snippet that raises or contradicts its page fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CHECK = Path(__file__).parents[2] / "tools" / "check_snippets.py"


def check(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    page = folder / "page.md"
    page.write_text(text)
    return subprocess.run(
        [sys.executable, CHECK, page], capture_output=True, text=True, check=False
    )


def test_blocks_of_a_page_share_one_interpreter(tmp_path: Path) -> None:
    done = check(tmp_path, "```python\nx = 1\n```\ntext\n```python\nassert x == 1\n```\n")
    assert done.returncode == 0
    assert "2 snippets, 0 pages failed" in done.stdout


def test_a_failing_block_is_reported_with_the_line_of_the_page(tmp_path: Path) -> None:
    done = check(tmp_path, "# Page\n\n```python\nassert 1 + 1 == 3\n```\n")
    assert done.returncode == 1
    assert "page.md" in done.stderr
    assert "line 4" in done.stderr


def test_other_blocks_are_not_run(tmp_path: Path) -> None:
    done = check(tmp_path, "```python no-run\n1 / 0\n```\n```sh\nfalse\n```\n")
    assert done.returncode == 0
    assert "0 snippets" in done.stdout
