"""Operators on ciphertexts: what they compute, and with what they go."""

from __future__ import annotations

import operator

import cyclotron as cy
import numpy as np
import pytest

X = np.array([1, -2, 3, 40, -50])
Y = np.array([7, 0, -9, 11, 13])


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul])
@pytest.mark.parametrize("right", ["ciphertext", "array", "list", "int", "numpy int", "0-d array"])
def test_binary_operators_equal_numpy(keys: cy.Keys, op, right: str) -> None:
    x = keys.encrypt(X)
    other = {
        "ciphertext": (keys.encrypt(Y), Y),
        "array": (Y, Y),
        "list": (Y.tolist(), Y),
        "int": (-6, -6),
        "numpy int": (np.int32(-6), -6),
        "0-d array": (np.array(-6), -6),
    }[right]
    assert keys.decrypt(op(x, other[0])).tolist() == op(X, other[1]).tolist()
    assert keys.decrypt(op(other[0], x)).tolist() == op(other[1], X).tolist()


def test_unary_operators_and_powers(keys: cy.Keys) -> None:
    x = keys.encrypt(X)
    assert keys.decrypt(-x).tolist() == (-X).tolist()
    assert +x is x
    for exponent in (1, 2, 3, 4):
        assert keys.decrypt(keys.encrypt(Y) ** exponent).tolist() == (Y**exponent).tolist()
    # Ceil(log2) levels, so depth three reaches eight.
    assert keys.decrypt(keys.encrypt([3, -2]) ** 7).tolist() == [3**7, -(2**7)]
    for bad in (0, -1, 1.5, "2"):
        with pytest.raises(cy.ParameterError, match="positive integer"):
            x**bad


def test_a_public_vector_is_not_applied_element_by_element(keys: cy.Keys) -> None:
    """`__array_ufunc__ = None`: numpy hands the whole array over."""
    result = Y + keys.encrypt(X)
    assert isinstance(result, cy.Ciphertext)
    with pytest.raises(TypeError):
        np.add(Y, keys.encrypt(X))


def test_in_place_operators_make_new_ciphertexts(keys: cy.Keys) -> None:
    x = y = keys.encrypt(X)
    y += 1
    y *= 2
    assert keys.decrypt(x).tolist() == X.tolist()
    assert keys.decrypt(y).tolist() == (2 * (X + 1)).tolist()


def test_sum_and_dot(keys: cy.Keys) -> None:
    x, y = keys.encrypt(X), keys.encrypt(Y)
    assert keys.decrypt(x.sum()).tolist() == [X.sum()]
    assert keys.decrypt(x @ y).tolist() == [X @ Y]
    assert keys.decrypt(x @ Y).tolist() == keys.decrypt(Y @ x).tolist() == [X @ Y]
    assert keys.decrypt(x.dot(Y.tolist())).tolist() == [X @ Y]
    # A sum stands in every place: it goes with vectors of any length.
    assert keys.decrypt(x - x.sum()).tolist() == (X - X.sum()).tolist()
    with pytest.raises(cy.ArrayError, match="dot with a str"):
        x.dot("abc")


def test_rotations_are_of_two_rows(keys: cy.Keys) -> None:
    half = keys.context.degree // 2
    values = np.arange(2 * half)
    rows = values.reshape(2, half)
    x = keys.encrypt(values)
    for steps in (0, 1, -1, 5, half - 1, -half - 3):
        expected = np.roll(rows, -steps, axis=1).ravel()
        assert keys.decrypt(x.rotate(steps)).tolist() == expected.tolist()
    assert keys.decrypt(x.swap_rows()).tolist() == rows[::-1].ravel().tolist()


def test_only_the_rotations_asked_for_have_keys(ctx: cy.Context) -> None:
    keys = ctx.keygen(rotations=[1, -2], relinearize=False)
    assert not keys.evaluation.has_relinearization
    assert len(keys.evaluation.galois_elements) == 3
    x = keys.encrypt(X)
    assert keys.decrypt(x.rotate(1))[:4].tolist() == X[1:].tolist()
    assert keys.decrypt(x.rotate(-2))[2:7].tolist() == X.tolist()
    with pytest.raises(cy.MissingKeyError) as caught:
        x.rotate(2)
    assert caught.value.operation == "rotate"
    assert "Galois element" in caught.value.wanted
    assert str(keys.evaluation.galois_elements[0]) in caught.value.present
    none = ctx.keygen(rotations=None)
    assert none.evaluation.galois_elements == []
    with pytest.raises(cy.MissingKeyError, match="present: none"):
        none.encrypt(X).sum()


def test_levels_fall_and_ciphertexts_shrink(keys: cy.Keys) -> None:
    x = keys.encrypt(X)
    assert x.level == keys.context.max_level
    low = x.mod_switch(1)
    assert low.level == 1
    assert low.size_in_bytes < x.size_in_bytes
    assert keys.decrypt(low).tolist() == X.tolist()
    # Automatic: levels are aligned.
    assert keys.decrypt(low + x).tolist() == (2 * X).tolist()
    small = (x * x).shrink()
    assert small.margin >= 1.0
    assert small.size_in_bytes < (x * x).size_in_bytes
    assert keys.decrypt(small).tolist() == (X * X).tolist()
    assert (x * x).shrink(margin=30.0).margin >= 30.0
    with pytest.raises(cy.LevelOutOfRangeError) as caught:
        low.mod_switch(2)
    assert (caught.value.level, caught.value.min, caught.value.max) == (2, 0, 1)


def test_noise_margins_fall_until_an_error(keys: cy.Keys) -> None:
    """Never silently wrong: every result before the refusal is right."""
    x, expected = keys.encrypt([3]), 3
    assert keys.secret.measured_margin(x) >= x.margin
    t = keys.context.plaintext_modulus

    def square() -> cy.Ciphertext:
        y = x * x
        assert keys.decrypt(y)[0] % t == expected * expected % t
        assert keys.secret.measured_margin(y) >= y.margin > 0
        return y

    refused = None
    while refused is None:
        try:
            x = square()
        except cy.NoiseExhaustedError as error:
            refused = error
        expected = expected * expected % t
    assert refused.operation in {"mul", "relinearize", "mod_switch"}
    assert refused.bound > refused.capacity
    assert "greater depth" in str(refused)


def test_results_wrap_around_modulo_t(keys: cy.Keys) -> None:
    low, high = keys.context.range()
    assert keys.decrypt(keys.encrypt([high]) + 1).tolist() == [low]


def test_products_of_coefficients_are_negacyclic(keys: cy.Keys) -> None:
    n = keys.context.degree
    x = keys.encrypt(np.array([1, 2] + [0] * (n - 3) + [3]), encoding="coefficients")
    assert x.encoding == "coefficients"
    # (1 + 2X + 3X^(n-1)) X = X + 2X^2 - 3
    expected = [-3, 1, 2] + [0] * (n - 3)
    assert keys.decrypt(x * [0, 1] + [0] * n).tolist() == expected
    with pytest.raises(cy.EncodingMismatchError, match="coefficients"):
        x + keys.encrypt(np.arange(n))
    with pytest.raises(cy.EncodingMismatchError, match="slots"):
        x.sum()


def test_lengths_and_signs_must_agree(keys: cy.Keys) -> None:
    x = keys.encrypt(X)
    with pytest.raises(cy.EncodingMismatchError, match="5 signed values") as caught:
        x + np.array([1, 2, 3])
    assert caught.value.operation == "add"
    assert caught.value.right.startswith("3 ")
    with pytest.raises(cy.EncodingMismatchError, match="unsigned"):
        x * keys.encrypt(X.astype(np.uint8) & 1)


def test_the_sign_of_results_is_chosen_at_encryption(keys: cy.Keys) -> None:
    t = keys.context.plaintext_modulus
    assert keys.decrypt(keys.encrypt(np.array([1], np.uint16)) - 2).tolist() == [t - 1]
    assert keys.decrypt(keys.encrypt(np.array([1], np.uint16), signed=True) - 2).tolist() == [-1]
    x = keys.encrypt([1], signed=False)
    assert not x.signed
    assert keys.decrypt(x - 2).tolist() == [t - 1]


def test_transparent_results_are_marked(keys: cy.Keys) -> None:
    x = keys.encrypt(X)
    assert not x.is_transparent
    for zero in (x * 0, x - x):
        assert zero.is_transparent
        assert "transparent" in repr(zero)
        assert keys.decrypt(zero).tolist() == [0] * len(X)


def test_length_and_repr_need_no_key(tiny_keys: cy.Keys) -> None:
    x = tiny_keys.secret.encrypt(np.array([1, 2, 3]))
    assert len(x) == 3
    text = repr(x)
    for part in ("bfv", "n=64", "3 signed values in slots", "level 1", "margin ", "976 B"):
        assert part in text
    assert f"{x.margin:.1f} bits" in text


def test_ciphertexts_are_not_compared(tiny_keys: cy.Keys) -> None:
    x = tiny_keys.encrypt([1])
    for question in (
        lambda: x == x,
        lambda: x == 1,
        lambda: x < 2,
        lambda: np.array([1]) == x,
        lambda: bool(x),
    ):
        with pytest.raises(cy.ComparisonError, match="secret key"):
            question()
    assert {x: 1}[x] == 1  # by identity


def test_foreign_objects_are_left_to_python(tiny_keys: cy.Keys) -> None:
    class Other:
        def __radd__(self, _left: object) -> str:
            return "theirs"

    x = tiny_keys.encrypt([1])
    assert x + Other() == "theirs"
    for foreign in (None, "abc", object(), {}):
        with pytest.raises(TypeError, match="unsupported operand"):
            x + foreign
