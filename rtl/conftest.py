"""Benches: pytest finds helper modules in every block's bench folder."""

from __future__ import annotations

import sys
from pathlib import Path

for _folder in sorted(Path(__file__).resolve().parent.glob("*/tb")):
    if str(_folder) not in sys.path:
        sys.path.append(str(_folder))
