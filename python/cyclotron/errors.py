"""The exceptions: one class for each thing that is refused, its values as attributes.

All derive from `CyclotronError`, and from the builtin exception that is nearest in meaning. Every
message has the values and names the remedy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cyclotron._native import Evaluator


class CyclotronError(Exception):
    """Everything that this library refuses."""


class ParameterError(CyclotronError, ValueError):
    """A parameter outside its range: ``value`` given for ``what``; ``remedy`` says what is
    accepted. The three are missing when a modulus or prime itself is at fault."""

    what: str
    value: str
    remedy: str


class InsecureParametersError(ParameterError):
    """``log_qp`` bits of modulus where ``table`` allows ``limit`` for ``security`` bits at
    ``degree``."""

    log_qp: float
    limit: int
    security: int
    degree: int
    table: str


class NoParametersError(ParameterError):
    """No parameters satisfy the ``request``, for this ``reason``."""

    request: str
    reason: str


class ParameterMismatchError(CyclotronError, ValueError):
    """``what`` belongs to the parameters ``found``, not to those ``expected``."""

    what: str
    found: str
    expected: str


class EvaluatorMismatchError(CyclotronError, ValueError):
    """Operands are attached to two evaluators, ``left`` and ``right``."""

    left: Evaluator
    right: Evaluator


class NoiseError(CyclotronError, ArithmeticError):
    """Decryption would not be certain to be right."""


class NoiseExhaustedError(NoiseError):
    """``operation`` would bring the noise bound to 2^``bound``, above the ``capacity`` (log2)."""

    operation: str
    bound: float
    capacity: float


class NoiseMeasuredError(NoiseError):
    """Decryption found noise of ``fraction`` of the modulus, above ``limit``, whatever was
    ``claimed`` (log2): a wrong key or an altered ciphertext."""

    fraction: float
    limit: float
    claimed: float


class LevelError(CyclotronError, ValueError):
    """A level, factor or number of polynomials that does not fit."""


class LevelMismatchError(LevelError):
    """Operands of ``operation`` are at the levels ``left`` and ``right`` (mode "strict")."""

    operation: str
    left: int
    right: int


class FactorMismatchError(LevelError):
    """Operands of ``operation`` have the BGV factors ``left`` and ``right`` (mode "strict")."""

    operation: str
    left: int
    right: int


class LevelOutOfRangeError(LevelError):
    """``level`` is outside ``min`` to ``max``."""

    level: int
    min: int
    max: int


class NotLinearError(LevelError):
    """An operand of ``operation`` has ``parts`` polynomials where two are needed."""

    operation: str
    parts: int


class MissingKeyError(CyclotronError, LookupError):
    """``operation`` needs the key ``wanted``; ``present`` are those that there are."""

    operation: str
    wanted: str
    present: str
    remedy: str


class EncodingError(CyclotronError, ValueError):
    """Values that cannot be encoded."""


class ValueOutOfRangeError(EncodingError):
    """The ``value`` at ``index`` is outside ``min`` to ``max``."""

    index: int
    value: int
    min: int
    max: int


class TooManyValuesError(EncodingError):
    """``found`` values where at most ``capacity`` fit."""

    found: int
    capacity: int


class EncodingMismatchError(EncodingError):
    """Operands of ``operation`` are encoded as ``left`` and ``right``."""

    operation: str
    left: str
    right: str


class NoSlotsError(EncodingError):
    """The plaintext ``modulus`` has no slots at ``degree``."""

    modulus: int
    degree: int


class ArrayError(EncodingError, TypeError):
    """Not a one-dimensional array of integers: its ``dtype`` (or type) and, for an array, its
    ``shape``; for an item of a list, its ``index``."""

    dtype: str
    shape: tuple[int, ...]
    index: int
    remedy: str


class ComparisonError(CyclotronError, TypeError):
    """A question about the values of a ciphertext that only the secret key can answer."""


class FileFormatError(CyclotronError, ValueError):
    """``what`` (a file or record) is not what it should be: ``reason``."""

    what: str
    reason: str


class SecretPickleError(CyclotronError, TypeError):
    """Secrets are not pickled."""


class EngineError(CyclotronError, RuntimeError):
    """The engine cannot be opened, or failed."""


class EngineMemoryError(EngineError, MemoryError):
    """``requested`` bytes do not fit into the ``available`` ones of the engine's memory limit."""

    requested: int
    available: int


class DeviceError(CyclotronError, RuntimeError):
    """An encryption device refused or failed."""


class DeviceUnsupportedError(DeviceError, ValueError):
    """``device`` cannot do ``what``, or there is none of that name; ``remedy`` says what there
    is."""

    what: str
    device: str
    remedy: str


class DeviceMismatchError(DeviceError, ValueError):
    """``what`` of the device is ``found`` where the parameters need ``expected``."""

    what: str
    found: str
    expected: str


class DeviceTimeoutError(DeviceError, TimeoutError):
    """``operation`` was not finished after the time ``waited``."""

    operation: str
    waited: str
    remedy: str


class DeviceRefusedError(DeviceError):
    """The device reports the error ``code``, called ``name``."""

    code: int
    name: str
    remedy: str


class RunCounterError(DeviceError, ValueError):
    """The run counter ``given`` would repeat randomness; ``next`` is the smallest unused one,
    missing when there is none."""

    given: int
    next: int
