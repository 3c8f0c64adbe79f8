"""An independent reader and writer of the file format, from docs/file-format.md alone."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from math import inf

from blake3 import blake3
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

from model import ring
from model.ring import Poly
from model.rlwe import Ciphertext, Parameters

MAGIC = b"\x89CYC\r\n\x1a\n"
PARAMETERS, SECRET, PUBLIC, RELINEARIZATION, GALOIS, CIPHERTEXT, EVALUATION = range(1, 8)
BLOCK = 256


# ---- records ------------------------------------------------------------------------------------


@dataclass
class Record:
    kind: int
    identity: bytes
    payload: bytes


def read_records(data: bytes) -> list[Record]:
    """Every record; raises for a wrong checksum."""
    records = []
    at = 0
    while at < len(data):
        magic, version, kind, flags = struct.unpack_from("<8sHHI", data, at)
        assert (magic, version, flags) == (MAGIC, 1, 0)
        identity = data[at + 16 : at + 48]
        (length,) = struct.unpack_from("<Q", data, at + 48)
        end = at + 56 + length
        assert data[end : end + 32] == blake3(data[at:end]).digest()
        records.append(Record(kind, identity, data[at + 56 : end]))
        at = end + 32
    assert at == len(data)
    return records


def write_record(record: Record) -> bytes:
    head = struct.pack("<8sHHI", MAGIC, 1, record.kind, 0) + record.identity
    body = head + struct.pack("<Q", len(record.payload)) + record.payload
    return body + blake3(body).digest()


def identity(parameters: Parameters) -> bytes:
    """Of one channel."""
    p = parameters
    assert list(p.digits) in (["limbs"], ["words"])
    words = [p.n, p.t, len(p.moduli), *p.moduli, len(p.special), *p.special]
    words += [0 if "limbs" in p.digits else 1, *p.digits.values()]
    text = p.scheme.encode() + struct.pack(f"<{len(words)}Q", *words)
    text += struct.pack("<Qd", 0, p.sigma)
    return blake3(text, derive_key_context="cyclotron parameters v1").digest()


# ---- polynomials --------------------------------------------------------------------------------


def unpack(data: bytes, width: int, count: int) -> list[int]:
    """Values of `width` bits, least significant first."""
    bits = int.from_bytes(data, "little")
    assert bits >> (width * count) == 0
    return [(bits >> (width * i)) % (1 << width) for i in range(count)]


def pack(values: list[int], width: int) -> bytes:
    bits = sum(value << (width * i) for i, value in enumerate(values))
    return bits.to_bytes(-(-width * len(values) // 8), "little")


def limb_bytes(n: int, q: int) -> int:
    return n * q.bit_length() // 8


def expand(seed: bytes, polynomial: int, limb: int, q: int, n: int) -> Poly:
    """Uniform residues from a seed."""
    out: Poly = []
    width = q.bit_length()
    for block in range(-(-n // BLOCK)):
        # The library's counter and nonce, as RFC 8439 has them.
        nonce = struct.pack("<4I", 0, polynomial, limb, block)
        stream = Cipher(algorithms.ChaCha20(seed, nonce), mode=None).encryptor()
        wanted = min(BLOCK, n - BLOCK * block)
        found: Poly = []
        while len(found) < wanted:
            (word,) = struct.unpack("<Q", stream.update(bytes(8)))
            candidate = word % (1 << width)
            if candidate < q:
                found.append(candidate)
        out += found
    return out


class Reader:
    """A payload, from its beginning."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        assert self.at + count <= len(self.data)
        self.at += count
        return self.data[self.at - count : self.at]

    def word(self, layout: str) -> int:
        (value,) = struct.unpack(f"<{layout}", self.take(struct.calcsize(f"<{layout}")))
        return int(value)

    def residues(self, moduli: list[int], n: int) -> list[Poly]:
        """A polynomial, limb by limb."""
        limbs = [unpack(self.take(limb_bytes(n, q)), q.bit_length(), n) for q in moduli]
        for limb, q in zip(limbs, moduli, strict=True):
            assert max(limb) < q
        return limbs

    def polynomial(self, moduli: list[int], n: int) -> Poly:
        return ring.crt(self.residues(moduli, n), moduli)

    def end(self) -> None:
        assert self.at == len(self.data)


def masks(seed: bytes, polynomial: int, moduli: list[int], n: int) -> Poly:
    """A polynomial from a seed, modulo the product of the moduli."""
    limbs = [expand(seed, polynomial, limb, q, n) for limb, q in enumerate(moduli)]
    return ring.crt(limbs, moduli)


# ---- keys ---------------------------------------------------------------------------------------


def read_secret(data: bytes, parameters: Parameters) -> Poly:
    (record,) = read_records(data)
    assert record.kind == SECRET
    values = unpack(record.payload, 2, parameters.n)
    return [{0: 0, 1: 1, 3: -1}[value] for value in values]


def write_secret(secret: Poly, parameters: Parameters) -> bytes:
    payload = pack([value % 4 for value in secret], 2)
    return write_record(Record(SECRET, identity(parameters), payload))


def read_public(data: bytes, channels: list[Parameters]) -> list[tuple[Poly, Poly]]:
    """(b, a) of every channel, modulo Q."""
    (record,) = read_records(data)
    assert record.kind == PUBLIC
    reader = Reader(record.payload)
    assert reader.word("I") == len(channels)
    seeds = [reader.take(32) for _ in channels]
    pairs = [
        (reader.polynomial(p.moduli, p.n), masks(seed, 0, p.moduli, p.n))
        for p, seed in zip(channels, seeds, strict=True)
    ]
    reader.end()
    return pairs


@dataclass
class SwitchingKey:
    """(b_j, a_j) modulo QP for every digit; the Galois element, or None for s^2."""

    element: int | None
    pairs: list[tuple[Poly, Poly]]


def gadget(parameters: Parameters) -> list[int]:
    """g_j modulo Q: sum_j digit_j(x) g_j = x."""
    p = parameters
    total = p.q(p.top)

    def unit(group: list[int]) -> int:
        """1 modulo the primes of the group, 0 modulo the others."""
        return ring.crt([[int(q in group)] for q in p.moduli], p.moduli)[0]

    if "limbs" in p.digits:
        size = p.digits["limbs"]
        groups = [p.moduli[i : i + size] for i in range(0, len(p.moduli), size)]
        return [unit(group) for group in groups]
    width = p.digits["words"]
    return [
        unit([q]) * (1 << (width * i)) % total
        for q in p.moduli
        for i in range(-(-q.bit_length() // width))
    ]


def read_evaluation(data: bytes, parameters: Parameters) -> list[SwitchingKey]:
    """The keys of the only channel, in order."""
    p = parameters
    contents, *records = read_records(data)
    assert contents.kind == EVALUATION
    reader = Reader(contents.payload)
    assert reader.word("I") == 1
    products, rotations = reader.word("I"), reader.word("I")
    elements = [reader.word("Q") for _ in range(rotations)]
    reader.end()
    assert elements == sorted(set(elements))
    expected: list[int | None] = [None] * products + list(elements)
    moduli = p.moduli + p.special
    keys = []
    for element, record in zip(expected, records, strict=True):
        assert record.kind == (RELINEARIZATION if element is None else GALOIS)
        reader = Reader(record.payload)
        assert reader.word("I") == 1
        if element is not None:
            assert reader.word("Q") == element
        seed = reader.take(32)
        pairs = [
            (reader.polynomial(moduli, p.n), masks(seed, j, moduli, p.n))
            for j in range(len(gadget(p)))
        ]
        reader.end()
        keys.append(SwitchingKey(element, pairs))
    return keys


# ---- ciphertexts --------------------------------------------------------------------------------


@dataclass
class Vector:
    """A ciphertext file."""

    channels: list[Ciphertext]
    length: int
    encoding: int = 0
    signed: int = 1
    replicated: int = 0
    clean: int = 1
    transparent: list[int] = field(default_factory=list)
    seeded: list[int] = field(default_factory=list)
    # (inf, l2, can) of every channel
    noise: list[tuple[float, float, float]] = field(default_factory=list)


def read_ciphertext(data: bytes, channels: list[Parameters]) -> Vector:
    (record,) = read_records(data)
    assert record.kind == CIPHERTEXT
    reader = Reader(record.payload)
    assert reader.word("I") == len(channels)
    encoding, signed, replicated, clean = reader.take(4)
    vector = Vector([], reader.word("Q"), encoding, signed, replicated, clean)
    heads = []
    for _ in channels:
        level, parts = reader.word("I"), reader.word("B")
        transparent, seeded, reserved = reader.take(3)
        factor = reader.word("Q")
        noise = struct.unpack("<3d", reader.take(24))
        assert reserved == 0
        assert noise[0] <= noise[1] <= noise[2] < inf
        seed = reader.take(32) if seeded else None
        vector.transparent.append(transparent)
        vector.seeded.append(seeded)
        vector.noise.append(noise)
        heads.append((level, parts, factor, seed))
    for p, (level, parts, factor, seed) in zip(channels, heads, strict=True):
        moduli = p.moduli[: level + 1]
        stored = [reader.polynomial(moduli, p.n) for _ in range(parts - (seed is not None))]
        if seed is not None:
            stored.append(masks(seed, 0, moduli, p.n))
        vector.channels.append(Ciphertext(stored, level, factor))
    reader.end()
    return vector


def write_ciphertext(vector: Vector, parameters: Parameters) -> bytes:
    """A file of one channel, not seeded."""
    p = parameters
    (ciphertext,), (noise,) = vector.channels, vector.noise
    v = vector
    payload = struct.pack("<I4BQ", 1, v.encoding, v.signed, v.replicated, v.clean, v.length)
    payload += struct.pack(
        "<I4BQ", ciphertext.level, len(ciphertext.parts), 0, 0, 0, ciphertext.factor
    )
    payload += struct.pack("<3d", *noise)
    for part in ciphertext.parts:
        for q in p.moduli[: ciphertext.level + 1]:
            payload += pack(ring.mod(part, q), q.bit_length())
    return write_record(Record(CIPHERTEXT, identity(p), payload))
