"""``python -m cyclotron.report``: makes a study's figures and tables."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

STUDIES = ("prng", "bfv", "mini", "bgv")


def main() -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m cyclotron.report", description=__doc__)
    parser.add_argument("study", choices=[*STUDIES, "all"], help="which study")
    parser.add_argument(
        "--out", type=Path, default=Path("docs"), help="folder of pages and figures [docs]"
    )
    parser.add_argument(
        "--quick", action="store_true", help="less work: to see that it runs, not to be quoted"
    )
    options = parser.parse_args()
    # Imported when asked for: each study loads its own tools.
    from cyclotron.report import bfv, bgv, mini, prng, tables

    try:
        for name, study in (("prng", prng), ("bfv", bfv), ("mini", mini), ("bgv", bgv)):
            if options.study in (name, "all"):
                study.run(options.out, quick=options.quick)
    except tables.StudyError as error:
        print(f"{options.study}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
