"""Writes bgv_word.json from the independent model: keys, encryption, sums, products, switches.

    python tests/vectors/make_bgv_word.py [--check]

`--check` compares the file with the model instead of writing it.
"""

from __future__ import annotations

import argparse
import cmath
import json
import math
import random
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

from model import bgv_word, ring  # noqa: E402
from model.bgv_word import Parameters  # noqa: E402

PAPER = (257, 257, 257)
# A primitive 256-th root of unity modulo 257^3, the paper's e.
PAPER_ROOT = 3259673
# Parameters, root and run counter. The root serves the transform alone.
CASES = [
    (Parameters(8, PAPER, 5, 13, "ternary"), pow(PAPER_ROOT, 16, 257**3), 0),
    (Parameters(8, PAPER, 1, 6, "binomial"), pow(PAPER_ROOT, 16, 257**3), 1),
    (Parameters(16, PAPER, 5, 13, "ternary"), pow(PAPER_ROOT, 8, 257**3), 2),
    (Parameters(16, (12289, 10753), 8, 9, "binomial"), 0, 2**64 - 2),
    (Parameters(32, PAPER, 1, 13, "ternary"), pow(PAPER_ROOT, 4, 257**3), 3),
    (Parameters(64, (174337, 769), 1, 5, "ternary"), 0, 0x0123_4567_89AB_CDEF),
    (Parameters(128, PAPER, 5, 13, "ternary"), PAPER_ROOT, 0),
]


def root_of(parameters: Parameters) -> int:
    """Some primitive 2n-th root of unity modulo a product of different primes."""
    n, residues = parameters.n, []
    for q in parameters.factors:
        powers = (pow(base, (q - 1) // (2 * n), q) for base in range(2, q))
        residues.append([next(root for root in powers if pow(root, n, q) == q - 1)])
    return ring.crt(residues, parameters.factors)[0]


def secret_key(random_numbers: random.Random, n: int) -> ring.Poly:
    """Ternary, with the bound on |s(zeta)| that keys have: sqrt(2n/3 (ln(n/2) + 1))."""
    bound = math.sqrt(2 * n / 3 * (math.log(n / 2) + 1)) * (1 - 2**-20)
    while True:
        s = [random_numbers.randrange(-1, 2) for _ in range(n)]
        roots = (cmath.exp(1j * math.pi * (2 * k + 1) / n) for k in range(n))
        if max(abs(sum(x * zeta**i for i, x in enumerate(s))) for zeta in roots) <= bound:
            return s


def case(parameters: Parameters, root: int, run: int, number: int) -> dict[str, object]:
    random_numbers = random.Random(number)
    n, q, p = parameters.n, parameters.modulus(parameters.top), parameters.p
    root = root or root_of(parameters)
    assert pow(root, n, q) == q - 1

    def uniform(modulus: int) -> ring.Poly:
        return [random_numbers.randrange(modulus) for _ in range(n)]

    def error() -> ring.Poly:
        words = [random_numbers.getrandbits(64) for _ in range(n)]
        return bgv_word.errors(words, parameters.error)

    s = secret_key(random_numbers, n)
    p1, e = uniform(q), error()
    p0 = bgv_word.key_body(parameters, p1, s, e)
    rows = []
    for i in range(parameters.digits):
        a, row_error = uniform(q), error()
        b = bgv_word.relinearization_row(parameters, i, a, s, row_error)
        rows.append({"a": a, "e": row_error, "b": b})
    pairs = [(row["b"], row["a"]) for row in rows]

    seed = random_numbers.randbytes(32)
    encryptions, ciphertexts = [], []
    for k in range(2):
        # Both ends of the range among the coefficients.
        message = [p // 2, p - 1, p // 2 - 1, *uniform(p)[3:]]
        drawn = bgv_word.samples(parameters, seed, run, k)
        parts = bgv_word.encrypt(parameters, (p0, p1), drawn, message)
        ciphertexts.append(parts)
        values = bgv_word.transform(parts[0], root, q)
        names = {"k": k, "message": message, **drawn, "c0": parts[0], "c1": parts[1]}
        encryptions.append(names | {"c0_values": values})

    top = parameters.top
    total = bgv_word.add(parameters, top, *ciphertexts)
    steps: list[dict[str, object]] = []
    operands = ciphertexts
    for level in (top, top - 1):
        tensor = bgv_word.tensor(parameters, level, *operands)
        switched = {}
        for name, signed in (("signed", True), ("unsigned", False)):
            switched[name] = {
                "digits": bgv_word.decompose(parameters, level, tensor[2], signed),
                "parts": bgv_word.key_switch(parameters, level, pairs, tensor, signed),
            }
        product = switched["signed"]["parts"]
        step: dict[str, object] = {"level": level, "tensor": tensor, "key_switch": switched}
        step["product_message"] = bgv_word.decrypt(parameters, level, s, product)
        if level > 0:
            low = bgv_word.mod_switch(parameters, level, product)
            other = bgv_word.mod_switch(parameters, level, operands[1])
            message = bgv_word.decrypt(parameters, level - 1, s, low)
            step["mod_switch"] = {"product": low, "right": other, "product_message": message}
            operands = [low, other]
        steps.append(step)
    return {
        "n": n,
        "factors": list(parameters.factors),
        "root": root,
        "log_p": parameters.log_p,
        "digit_bits": parameters.digit_bits,
        "error": parameters.error,
        "secret": s,
        "public": {"p1": p1, "e": e, "p0": p0},
        "relinearization": rows,
        "seed": seed.hex(),
        "run_counter": str(run),
        "encryptions": encryptions,
        "fresh_messages": [bgv_word.decrypt(parameters, top, s, c) for c in ciphertexts],
        "sum": total,
        "sum_message": bgv_word.decrypt(parameters, top, s, total),
        "steps": steps,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    about = (
        "docs/bgv-word.md: keys, two encryptions (k = 0, 1), their sum, their product, key "
        "switched with signed and unsigned digits, mod switched (the signed product, and the "
        "right operand), and the same once more one level below. c0_values are c0 at "
        "root^(2 brv(i) + 1). Polynomials are coefficients, the constant term first. Made by "
        "make_bgv_word.py."
    )
    cases = [case(*arguments, number) for number, arguments in enumerate(CASES)]
    lines = ",\n".join(f"    {json.dumps(entry, separators=(',', ':'))}" for entry in cases)
    text = f'{{\n  "about": {json.dumps(about)},\n  "cases": [\n{lines}\n  ]\n}}\n'
    path = HERE / "bgv_word.json"
    if not check:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        print(f"{path} differs from the model; run this script without --check and review")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
