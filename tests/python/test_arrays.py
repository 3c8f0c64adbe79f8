"""Arrays in and out: which are read where they stand, which are converted, which refused."""

from __future__ import annotations

import tracemalloc

import cyclotron as cy
import numpy as np
import pytest

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_every_integer_dtype(keys: cy.Keys, dtype) -> None:
    values = np.array([0, 1, 100], dtype)
    x = keys.encrypt(values)
    assert x.signed == np.issubdtype(dtype, np.signedinteger)
    result = keys.decrypt(x)
    assert result.dtype == np.int64
    assert result.tolist() == values.tolist()


def test_other_layouts_of_the_same_integers(tiny_keys: cy.Keys) -> None:
    values = np.arange(-10, 10)
    misaligned = np.frombuffer(b"\0" + values.tobytes(), np.uint8)[1:].view(np.int64)
    assert not misaligned.flags.aligned
    read_only = values.copy()
    read_only.flags.writeable = False
    for same in (
        values.astype(">i8"),
        np.repeat(values, 2)[::2],
        values[::-1][::-1],
        misaligned,
        read_only,
        values.tolist(),
        tuple(values.tolist()),
        values.astype(object),
        [np.int16(v) for v in values],
    ):
        assert tiny_keys.decrypt(tiny_keys.encrypt(same)).tolist() == values.tolist()


def test_booleans_are_zero_and_one(tiny_keys: cy.Keys) -> None:
    mask = np.array([True, False, True])
    x = tiny_keys.encrypt(np.array([5, 6, 7]))
    assert tiny_keys.decrypt(x * mask).tolist() == [5, 0, 7]
    assert tiny_keys.decrypt(tiny_keys.encrypt(mask)).tolist() == [1, 0, 1]
    assert tiny_keys.decrypt(x + True).tolist() == [6, 7, 8]


def allocated_by_numpy(keys: cy.Keys, values: np.ndarray) -> int:
    """Most bytes of Python memory, numpy's included, that encrypting takes."""
    keys.encrypt(values)
    tracemalloc.start()
    try:
        keys.encrypt(values)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_words_are_not_copied(keys: cy.Keys, dtype) -> None:
    values = np.arange(1024).astype(dtype)
    assert allocated_by_numpy(keys, values) < values.nbytes / 2
    values.flags.writeable = False
    assert allocated_by_numpy(keys, values) < values.nbytes / 2
    # The measurement can fail: another dtype is copied.
    assert allocated_by_numpy(keys, values.astype(np.int32)) >= values.nbytes


def test_input_is_not_changed(keys: cy.Keys) -> None:
    values = np.arange(-512, 512)
    kept = values.copy()
    x = keys.encrypt(values)
    values[:] = 7
    assert keys.decrypt(x).tolist() == kept.tolist()


@pytest.fixture(scope="module")
def wide() -> cy.Keys:
    """T of 120 bits, in two plaintext moduli."""
    return cy.Context("bgv", bits=118, depth=0, channel_bits=60).keygen()


def test_results_take_the_narrowest_dtype(wide: cy.Keys) -> None:
    assert len(wide.context.plaintext_moduli) == 2
    for values, dtype in (
        ([-(2**63), 2**63 - 1], np.int64),
        ([0, 2**63], np.uint64),
        ([0, 2**64 - 1], np.uint64),
        ([0, 2**64], object),
        ([-1, 2**63], object),
        ([-(2**100), 2**117], object),
    ):
        result = wide.decrypt(wide.encrypt(values))
        assert result.dtype == dtype
        assert result.tolist() == values
        assert all(type(v) is int for v in result.tolist())


def test_wide_values_compute(wide: cy.Keys) -> None:
    values = np.array([2**90, -(2**70)], dtype=object)
    x = wide.encrypt(values)
    assert wide.decrypt(x + 2**80).tolist() == (values + 2**80).tolist()
    assert wide.decrypt(np.array([2**100, 1], dtype=object) - x).tolist() == [
        2**100 - 2**90,
        1 + 2**70,
    ]


@pytest.mark.parametrize(
    ("values", "dtype", "shape"),
    [
        (np.array([1.0, 2.5]), "float64", (2,)),
        (np.array([1, 2], np.float16), "float16", (2,)),
        (np.array([1j]), "complex128", (1,)),
        (np.array(["a"]), "<U1", (1,)),
        (np.array(["2020-01-01"], "datetime64[D]"), "datetime64[D]", (1,)),
        (np.array([[1, 2], [3, 4]]), "int64", (2, 2)),
        (np.array(5), "int64", ()),
        (5, "int", ()),
        (2.5, "float", ()),
    ],
)
def test_other_arrays_are_refused_by_dtype_and_shape(tiny_keys, values, dtype, shape) -> None:
    with pytest.raises(cy.ArrayError) as caught:
        tiny_keys.encrypt(values)
    error = caught.value
    assert error.dtype == dtype
    assert error.shape == shape
    assert dtype in str(error)
    assert str(shape) in str(error)
    assert error.remedy in str(error)
    assert isinstance(error, TypeError)


def test_floats_are_told_how_to_become_integers(tiny_keys: cy.Keys) -> None:
    x = np.array([0.25, -1.5])
    with pytest.raises(cy.ArrayError, match=r"np\.round\(x \* 10\*\*k\)\.astype\(np\.int64\)"):
        tiny_keys.encrypt(x)
    k = 2
    scaled = tiny_keys.encrypt(np.round(x[:1] * 10**k).astype(np.int64))
    assert (tiny_keys.decrypt(scaled) / 10**k).tolist() == [0.25]
    with pytest.raises(cy.ArrayError, match="NaN or infinity"):
        tiny_keys.encrypt(np.array([1.0, np.nan]))
    with pytest.raises(cy.ArrayError, match="NaN or infinity"):
        tiny_keys.encrypt(np.array([np.inf]))


def test_public_operands_are_checked_alike(tiny_keys: cy.Keys) -> None:
    x = tiny_keys.encrypt([1, 2])
    for bad in (1.5, np.array([0.5, 1]), [0.5, 1], np.float32(1), np.ones((2, 2), int), 1j):
        with pytest.raises(cy.ArrayError):
            x * bad
        with pytest.raises(cy.ArrayError):
            bad + x


def test_items_are_named_by_index(tiny_keys: cy.Keys) -> None:
    for values in ([1, 2, 3.5], (1, 2, "3"), np.array([1, 2, None], dtype=object)):
        with pytest.raises(cy.ArrayError, match="at index 2") as caught:
            tiny_keys.encrypt(values)
        assert caught.value.index == 2


def test_objects_that_are_no_arrays(tiny_keys: cy.Keys) -> None:
    for values in ("abc", None, {1: 2}, object()):
        with pytest.raises(cy.ArrayError, match="no array"):
            tiny_keys.encrypt(values)


def test_objects_with_an_array_inside(tiny_keys: cy.Keys) -> None:
    class Column:
        def __array__(self, dtype=None, copy=None) -> np.ndarray:
            return np.array([4, 5])

    x = tiny_keys.encrypt(Column())
    assert tiny_keys.decrypt(x).tolist() == [4, 5]
    assert tiny_keys.decrypt(x + Column()).tolist() == [8, 10]


def test_values_out_of_range_name_place_and_bounds(tiny_keys: cy.Keys) -> None:
    for value in (129, -129, 2**70, -(2**200)):
        with pytest.raises(cy.ValueOutOfRangeError) as caught:
            tiny_keys.encrypt([0, value])
        error = caught.value
        assert error.index == 1
        assert error.value == value
        assert error.min <= -128
        assert error.max >= 128
        assert str(value) in str(error)
    with pytest.raises(cy.ValueOutOfRangeError) as caught:
        tiny_keys.encrypt(np.array([-1]), signed=False)
    assert (caught.value.value, caught.value.min, caught.value.max) == (-1, 0, 256)
    with pytest.raises(cy.ValueOutOfRangeError):
        tiny_keys.encrypt([1]) * 129


def test_too_many_values(tiny_keys: cy.Keys) -> None:
    with pytest.raises(cy.TooManyValuesError, match="65 values") as caught:
        tiny_keys.encrypt(np.zeros(65, int))
    assert (caught.value.found, caught.value.capacity) == (65, 64)


def test_empty_vectors(tiny_keys: cy.Keys) -> None:
    for empty in ([], np.array([], int)):
        x = tiny_keys.encrypt(empty)
        assert len(x) == 0
        assert tiny_keys.decrypt(x).shape == (0,)
