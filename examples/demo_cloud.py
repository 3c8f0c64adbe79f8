"""The cloud of the demo: computes on ciphertexts it cannot read.

Gets one folder: parameters, evaluation keys, one ciphertext a column, and the task (column names
and the public weights of a linear score). Writes the results beside them, and how long each took.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import cyclotron as cy


def main(folder: Path) -> int:
    secrets = [str(path) for path in folder.iterdir() if "secret" in path.name]
    if secrets:
        print(f"the cloud must not be given secrets: {secrets}", file=sys.stderr)
        return 1
    context = cy.Context.load(folder / "parameters.cyc")
    keys = cy.EvaluationKeys.load(context, folder / "evaluation.key")
    evaluator = cy.Evaluator(context, keys)
    task = json.loads((folder / "task.json").read_text())
    columns = {
        name: evaluator.attach(cy.Ciphertext.load(context, folder / f"{name}.ct"))
        for name in task["columns"]
    }
    report: dict[str, float] = {}

    def finish(name: str, start: float, result: cy.Ciphertext) -> None:
        report[name] = time.perf_counter() - start
        result.shrink().save(folder / f"{name}.result")

    for name, x in columns.items():
        start = time.perf_counter()
        total = x.sum()
        finish(f"sum.{name}", start, total)
        # n^2 times the variance: n sum(x^2) - (sum x)^2.
        start = time.perf_counter()
        spread = len(x) * (x * x).sum() - total * total
        finish(f"spread.{name}", start, spread)

    start = time.perf_counter()
    weighted = [w * x for w, x in zip(task["weights"], columns.values(), strict=True)]
    score = sum(weighted[1:], weighted[0]) + task["bias"]
    finish("score", start, score)
    (folder / "report.json").write_text(json.dumps(report))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
