"""The main job on real data: a client encrypts, a cloud without the key computes.

The data are the breast-cancer measurements of Wolberg, Street and Mangasarian (569 patients),
read from the scikit-learn package. Every decimal is kept: columns are scaled to integers. The
cloud (`demo_cloud.py`) is a separate process that gets one folder with parameters, evaluation
keys and ciphertexts, and computes sums, variances and a linear score, with BFV and then BGV.
At last the columns go through the simulated encryption device (`demo_device.py`).

Exit code 1 if any decrypted result differs from the exact one.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import cyclotron as cy
import numpy as np
from demo_device import run_device
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

COLUMNS = ["mean radius", "mean texture", "mean perimeter", "mean area", "mean smoothness"]
CLOUD = Path(__file__).with_name("demo_cloud.py")
# n * sum(x^2) of the area, kept to its decimal, reaches 2^48; signed values need one bit more.
VALUE_BITS = 50


@dataclass
class Column:
    """One measurement, as exact integers: value = integers / 10^decimals."""

    name: str
    integers: np.ndarray
    decimals: int

    @property
    def file(self) -> str:
        return self.name.replace(" ", "_")


@dataclass
class Row:
    """One line of the table."""

    scheme: str
    what: str
    encrypted: Fraction
    plain: Fraction
    milliseconds: float
    size: int
    margin: float


def read_columns() -> tuple[list[Column], np.ndarray]:
    """The chosen columns as integers, and the diagnoses."""
    data = load_breast_cancer()
    names = list(data.feature_names)
    columns = []
    for name in COLUMNS:
        # The shortest decimal of a float is the one that the data file has.
        values = [Decimal(repr(float(v))) for v in data.data[:, names.index(name)]]
        decimals = max(-int(v.as_tuple().exponent) for v in values)
        integers = np.array([int(v.scaleb(decimals)) for v in values], dtype=np.int64)
        columns.append(Column(name, integers, decimals))
    return columns, data.target


def fit_score(columns: list[Column], target: np.ndarray) -> tuple[list[int], int]:
    """A public linear model with integer weights: its sign tells benign from malignant."""
    matrix = np.stack([column.integers for column in columns], axis=1).astype(float)
    mean, deviation = matrix.mean(axis=0), matrix.std(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression().fit((matrix - mean) / deviation, target)
    weights = model.coef_[0] / deviation
    scale = 2**20 / np.abs(weights).max()
    bias = model.intercept_[0] - float(weights @ mean)
    return [round(w * scale) for w in weights], round(bias * scale)


def run(scheme: str, columns: list[Column], weights: list[int], bias: int) -> list[Row]:
    """One scheme from keys to table rows."""
    start = time.perf_counter()
    context = cy.Context(scheme, bits=VALUE_BITS, depth=2, slots=len(columns[0].integers))
    keys = context.keygen()
    made = time.perf_counter() - start
    print(f"\n{scheme.upper()}: {context!r}")
    print(
        f"  client: keys in {made:.2f} s, "
        f"evaluation keys {megabytes(keys.evaluation.size_in_bytes)}"
    )

    with tempfile.TemporaryDirectory(prefix="cyclotron-cloud-") as folder:
        cloud = Path(folder)
        start = time.perf_counter()
        context.save(cloud / "parameters.cyc")
        keys.evaluation.save(cloud / "evaluation.key")
        for column in columns:
            keys.secret.encrypt(column.integers).save(cloud / f"{column.file}.ct")
        names = [column.file for column in columns]
        task = {"columns": names, "weights": weights, "bias": bias}
        (cloud / "task.json").write_text(json.dumps(task))
        sent = sum(path.stat().st_size for path in cloud.glob("*.ct"))
        took = time.perf_counter() - start
        print(
            f"  client: {len(columns)} columns encrypted and saved in {took:.2f} s, "
            f"{megabytes(sent)}"
        )

        # The cloud: another process, which gets this folder and nothing else.
        start = time.perf_counter()
        subprocess.run([sys.executable, str(CLOUD), folder], check=True)
        took = time.perf_counter() - start
        report = json.loads((cloud / "report.json").read_text())
        back = sum(path.stat().st_size for path in cloud.glob("*.result"))
        print(f"  cloud:  computed on ciphertexts in {took:.2f} s, sends {megabytes(back)} back")

        rows = []
        for name, seconds in report.items():
            path = cloud / f"{name}.result"
            ciphertext = cy.Ciphertext.load(context, path)
            values = [int(v) for v in keys.decrypt(ciphertext)]
            size = path.stat().st_size
            margin = keys.secret.measured_margin(ciphertext)
            rows += table_rows(scheme, name, columns, weights, bias, values, seconds, size, margin)
        return rows


def table_rows(
    scheme: str,
    name: str,
    columns: list[Column],
    weights: list[int],
    bias: int,
    values: list[int],
    seconds: float,
    size: int,
    margin: float,
) -> list[Row]:
    """What a result means, beside the same computed exactly in the clear."""
    count = len(columns[0].integers)
    if name == "score":
        integers = [[int(v) for v in column.integers] for column in columns]
        terms = zip(*integers, strict=True)
        plain = [sum(w * v for w, v in zip(weights, row, strict=True)) + bias for row in terms]
        differing = sum(a != b for a, b in zip(values, plain, strict=True))
        what = f"largest score of {count} patients"
        # One line for the column: an error unless the score of every patient is exact.
        encrypted = Fraction(max(values) if differing == 0 else max(plain) + differing)
        return [Row(scheme, what, encrypted, Fraction(max(plain)), seconds * 1e3, size, margin)]
    kind, file = name.split(".", 1)
    column = next(column for column in columns if column.file == file)
    unit = 10**column.decimals
    exact = [Fraction(int(v), unit) for v in column.integers]
    mean = sum(exact, Fraction(0)) / count
    if kind == "sum":
        encrypted, plain = Fraction(values[0], count * unit), mean
        what = f"average {column.name}"
    else:
        encrypted = Fraction(values[0], (count * unit) ** 2)
        plain = sum((v * v for v in exact), Fraction(0)) / count - mean * mean
        what = f"variance of {column.name}"
    return [Row(scheme, what, encrypted, plain, seconds * 1e3, size, margin)]


def megabytes(size: int) -> str:
    return f"{size / 1e6:.2f} MB"


def print_table(rows: list[Row]) -> bool:
    """The table; whether every result is exact."""
    widths = f"{'':4} {'':30} {'encrypted':>17} {'in the clear':>17} {'error':>5}"
    print(f"\n{widths} {'ms':>4} {'kB':>4} {'margin':>6}")
    for row in rows:
        error = row.encrypted - row.plain
        print(
            f"{row.scheme:4} {row.what:30} {float(row.encrypted):17.6f} {float(row.plain):17.6f} "
            f"{float(error):5.0g} {row.milliseconds:4.0f} {row.size / 1e3:4.0f} {row.margin:6.1f}"
        )
    print(
        "\nerror: against exact rational arithmetic in the clear. ms: on ciphertexts, in the cloud."
    )
    print("kB: of the result sent back. margin: bits of noise left, measured with the key.")
    return all(row.encrypted == row.plain for row in rows)


def main() -> int:
    start = time.perf_counter()
    columns, target = read_columns()
    weights, bias = fit_score(columns, target)
    count = len(target)
    print(f"Data: {count} patients, {len(columns)} measurements, every decimal kept")
    print(f"Engine: {cy.Context.preset('TOY_64', acknowledge_insecure=True).engine}")
    rows = []
    for scheme in ("bfv", "bgv"):
        rows += run(scheme, columns, weights, bias)
    exact = print_table(rows)
    names, integers = [c.name for c in columns], [c.integers for c in columns]
    exact &= run_device(names, integers)
    peak = max(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    verdict = "every result is exact" if exact else "RESULTS DIFFER"
    print(
        f"\n{verdict}; {time.perf_counter() - start:.1f} s in all, "
        f"peak memory {peak / 1024:.0f} MB a process"
    )
    return 0 if exact else 1


if __name__ == "__main__":
    sys.exit(main())
