"""Homomorphic encryption on accelerators: compute on encrypted integers.

    >>> import numpy as np
    >>> import cyclotron as cy
    >>> ctx = cy.Context("bfv", bits=20, depth=1)  # parameters: ctx.explain() says why
    >>> keys = ctx.keygen()
    >>> x = keys.encrypt(np.array([1, 2, 3]))
    >>> y = (x * x + 3 * x - 1).sum()
    >>> keys.decrypt(y)
    array([29])

Nothing is global: contexts, keys and ciphertexts are immutable objects, which threads may share.
The examples of the docstrings use ``ctx = cy.Context.preset("TOY_64", acknowledge_insecure=True)``
and ``keys = ctx.keygen()``. The guide is docs/python.md.
"""

from cyclotron import bgv_word, pow2
from cyclotron._native import (
    Ciphertext,
    Context,
    EvaluationKeys,
    Evaluator,
    Keys,
    PublicKey,
    SecretKey,
    __version__,
    engines,
    inspect,
    presets,
)
from cyclotron.errors import (
    ArrayError,
    ComparisonError,
    CyclotronError,
    DeviceError,
    DeviceMismatchError,
    DeviceRefusedError,
    DeviceTimeoutError,
    DeviceUnsupportedError,
    EncodingError,
    EncodingMismatchError,
    EngineError,
    EngineMemoryError,
    EvaluatorMismatchError,
    FactorMismatchError,
    FileFormatError,
    InsecureParametersError,
    LevelError,
    LevelMismatchError,
    LevelOutOfRangeError,
    MissingKeyError,
    NoiseError,
    NoiseExhaustedError,
    NoiseMeasuredError,
    NoParametersError,
    NoSlotsError,
    NotLinearError,
    ParameterError,
    ParameterMismatchError,
    RunCounterError,
    SecretPickleError,
    TooManyValuesError,
    ValueOutOfRangeError,
)

__all__ = [
    "ArrayError",
    "Ciphertext",
    "ComparisonError",
    "Context",
    "CyclotronError",
    "DeviceError",
    "DeviceMismatchError",
    "DeviceRefusedError",
    "DeviceTimeoutError",
    "DeviceUnsupportedError",
    "EncodingError",
    "EncodingMismatchError",
    "EngineError",
    "EngineMemoryError",
    "EvaluationKeys",
    "Evaluator",
    "EvaluatorMismatchError",
    "FactorMismatchError",
    "FileFormatError",
    "InsecureParametersError",
    "Keys",
    "LevelError",
    "LevelMismatchError",
    "LevelOutOfRangeError",
    "MissingKeyError",
    "NoParametersError",
    "NoSlotsError",
    "NoiseError",
    "NoiseExhaustedError",
    "NoiseMeasuredError",
    "NotLinearError",
    "ParameterError",
    "ParameterMismatchError",
    "PublicKey",
    "RunCounterError",
    "SecretKey",
    "SecretPickleError",
    "TooManyValuesError",
    "ValueOutOfRangeError",
    "__version__",
    "bgv_word",
    "engines",
    "inspect",
    "pow2",
    "presets",
]
