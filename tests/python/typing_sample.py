"""What users write, for the type checker: `test_types.py` runs mypy on it, nobody runs it."""

import cyclotron as cy
import numpy as np
from typing_extensions import assert_type

ctx = cy.Context("bfv", bits=20, depth=1, security=128, threads=2)
keys = ctx.keygen(rotations=[1, 2, -3])
x = keys.encrypt(np.array([1, 2, 3]), signed=True)
w = np.arange(3)

assert_type(keys, cy.Keys)
assert_type(x, cy.Ciphertext)
assert_type(2 * x + w - [1, 2, 3], cy.Ciphertext)
assert_type((x * x).sum(), cy.Ciphertext)
assert_type(x @ w, cy.Ciphertext)
assert_type(x**2, cy.Ciphertext)
assert_type(len(x), int)
assert_type(ctx.range(), tuple[int, int])
assert_type(x.evaluator.keys, cy.EvaluationKeys | None)
assert_type(cy.engines()[0]["simd"], list[str])
assert_type(cy.Ciphertext.load(keys.evaluator, "x.ct"), cy.Ciphertext)

try:
    keys.decrypt(x)
except cy.NoiseExhaustedError as error:
    assert_type(error.capacity, float)

x + 1.5  # type: ignore[operator]
x + "a"  # type: ignore[operator]
cy.Context("ckks", 1, 1)  # type: ignore[arg-type]
keys.encrypt("abc")  # type: ignore[arg-type]
x.evaluator = keys.evaluator  # type: ignore[misc]
