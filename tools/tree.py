"""The files of the project: what git tracks or would track."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

NOT_OURS = {".git", ".venv", "target", "dist", "__pycache__"}


def files(root: Path) -> Iterator[Path]:
    """Every file that is tracked or neither tracked nor ignored, in order.

    In a folder without git (an unpacked archive) every file outside build folders.
    """
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    if done.returncode == 0:
        paths = [root / name for name in done.stdout.decode().split("\0") if name]
    else:
        paths = [p for p in root.rglob("*") if not NOT_OURS.intersection(p.relative_to(root).parts)]
    return (path for path in sorted(set(paths)) if path.is_file())
