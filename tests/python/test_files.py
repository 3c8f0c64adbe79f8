"""Bytes, files and pickles."""

from __future__ import annotations

import copy
import os
import pickle
import stat
from pathlib import Path

import cyclotron as cy
import numpy as np
import pytest

X = np.array([1, -2, 3])


@pytest.fixture
def stored(keys: cy.Keys) -> list[tuple[str, object]]:
    x = keys.encrypt(X)
    return [
        ("secret key", keys.secret),
        ("public key", keys.public),
        ("evaluation keys", keys.evaluation),
        ("ciphertext", x),
        ("ciphertext", keys.secret.encrypt(X)),
        ("ciphertext", x * x),
        ("ciphertext", keys.public.encrypt(X) * keys.public.encrypt(X)),
    ]


def test_bytes_and_files_round_trip_and_have_the_announced_size(keys, stored, tmp_path) -> None:
    path = tmp_path / "object.cyc"
    for kind, thing in stored:
        data = thing.to_bytes()
        assert thing.size_in_bytes == len(data)
        assert cy.inspect(data)[0]["kind"] == kind
        thing.save(path)
        assert path.read_bytes() == data
        cls = type(thing)
        assert cls.load(keys.context, path).to_bytes() == data
        assert cls.load(keys.context, str(path)).to_bytes() == data
        assert cls.from_bytes(keys.context, data).to_bytes() == data
        assert cls.from_bytes(keys.context, bytearray(data)).to_bytes() == data
    assert os.listdir(tmp_path) == ["object.cyc"], "no temporary file is left"


def test_loaded_keys_work(keys: cy.Keys, tmp_path: Path) -> None:
    """Client, server, client, with only files between them."""
    keys.context.save(tmp_path / "parameters.cyc")
    keys.evaluation.save(tmp_path / "evaluation.key")
    keys.secret.save(tmp_path / "secret.key")
    keys.encrypt(X).save(tmp_path / "x.ct")

    ctx = cy.Context.load(tmp_path / "parameters.cyc")
    assert ctx == keys.context
    server = cy.Evaluator(ctx, cy.EvaluationKeys.load(ctx, tmp_path / "evaluation.key"))
    x = cy.Ciphertext.load(server, tmp_path / "x.ct")
    assert x.evaluator == server
    (x * x).sum().shrink().save(tmp_path / "y.ct")

    secret = cy.SecretKey.load(keys.context, tmp_path / "secret.key")
    y = cy.Ciphertext.load(keys.context, tmp_path / "y.ct")
    assert secret.decrypt(y).tolist() == [14]


def test_secret_files_are_for_their_owner(keys: cy.Keys, tmp_path: Path) -> None:
    keys.secret.save(tmp_path / "secret.key")
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600


def test_fresh_symmetric_ciphertexts_take_half(keys: cy.Keys) -> None:
    symmetric, public = keys.secret.encrypt(X), keys.public.encrypt(X)
    assert symmetric.size_in_bytes < 0.55 * public.size_in_bytes
    assert symmetric.margin > public.margin


def test_missing_files_are_pythons_own_errors(keys: cy.Keys, tmp_path: Path) -> None:
    path = tmp_path / "nothing.cyc"
    for load in (
        lambda: cy.SecretKey.load(keys.context, path),
        lambda: cy.Ciphertext.load(keys.context, path),
        lambda: cy.Context.load(path),
        lambda: cy.inspect(path),
    ):
        with pytest.raises(FileNotFoundError, match=r"nothing\.cyc") as caught:
            load()
        assert str(caught.value.filename) == str(path)
    with pytest.raises(cy.FileFormatError, match="nowhere"):
        keys.public.save(tmp_path / "nowhere" / "public.key")


def test_altered_bytes_are_refused(tiny_keys: cy.Keys) -> None:
    ctx = tiny_keys.context
    data = tiny_keys.secret.encrypt([1, 2, 3]).to_bytes()
    for position in range(len(data)):
        altered = bytearray(data)
        altered[position] ^= 1
        with pytest.raises((cy.FileFormatError, cy.ParameterMismatchError)):
            cy.Ciphertext.from_bytes(ctx, altered)
    for length in range(len(data)):
        with pytest.raises(cy.FileFormatError) as caught:
            cy.Ciphertext.from_bytes(ctx, data[:length])
        assert caught.value.what
        assert caught.value.reason in str(caught.value)
    with pytest.raises(cy.FileFormatError):
        cy.Ciphertext.from_bytes(ctx, data + b"x")
    with pytest.raises(cy.FileFormatError, match="public key"):
        cy.PublicKey.from_bytes(ctx, data)


def test_pinned_parameters(keys: cy.Keys, tmp_path: Path) -> None:
    ctx = keys.context
    assert cy.Context.from_json(ctx.to_json()) == ctx
    ctx.save(tmp_path / "p.cyc")
    assert cy.Context.load(tmp_path / "p.cyc", threads=1).id == ctx.id
    chosen = cy.Context("bfv", 17, 1)
    assert cy.Context.from_json(chosen.to_json()).explain() == chosen.explain()
    with pytest.raises(cy.FileFormatError, match="version 2"):
        cy.Context.from_json(ctx.to_json().replace('"version": 1', '"version": 2'))
    (tmp_path / "p.cyc").write_bytes(b"garbage")
    with pytest.raises(cy.FileFormatError, match=r"p\.cyc"):
        cy.Context.load(tmp_path / "p.cyc")


def test_inspect_tells_what_a_file_is(keys: cy.Keys, tmp_path: Path) -> None:
    ctx = keys.context
    x = keys.encrypt(X)
    x.save(tmp_path / "x.ct")
    (record,) = cy.inspect(tmp_path / "x.ct")
    assert record["kind"] == "ciphertext"
    assert record["parameters"] == ctx.id
    assert record["bytes"] == x.size_in_bytes
    assert record["version"] == 1
    assert record["layout"] == "3 signed values in slots"
    assert record == cy.inspect(x.to_bytes())[0]
    records = cy.inspect(keys.evaluation.to_bytes())
    assert [r["kind"] for r in records[:2]] == ["evaluation keys", "relinearisation key"]
    assert len(records) == 2 + len(keys.evaluation.galois_elements)
    with pytest.raises(cy.FileFormatError, match="binary"):
        cy.inspect(b"x" * 100)


def test_public_things_are_pickled(keys: cy.Keys) -> None:
    x = keys.encrypt(X)
    product = x * x
    ctx, public, evaluation, y, z = pickle.loads(
        pickle.dumps((keys.context, keys.public, keys.evaluation, x, product))
    )
    assert ctx == keys.context
    assert public.to_bytes() == keys.public.to_bytes()
    assert evaluation.to_bytes() == keys.evaluation.to_bytes()
    assert y.to_bytes() == x.to_bytes()
    assert len(pickle.dumps(x)) < x.size_in_bytes + 10_000, "no evaluation keys inside"
    # One pickle, one context: what was pickled together computes together.
    server = cy.Evaluator(ctx, evaluation)
    assert keys.decrypt(server.attach(y) * z).tolist() == (X**3).tolist()
    assert y.evaluator.keys is None


def test_pickles_of_several_processes_compute_together(keys: cy.Keys) -> None:
    x = keys.encrypt(X)
    a, b = pickle.loads(pickle.dumps(x)), pickle.loads(pickle.dumps(x))
    assert keys.decrypt(a + b).tolist() == (2 * X).tolist()
    product = a * x
    assert product.evaluator == keys.evaluator, "the operand with keys decides"
    assert keys.decrypt(product.sum()).tolist() == [14]


def test_engine_options_survive_a_pickle() -> None:
    ctx = cy.Context.preset("TOY_64", acknowledge_insecure=True, threads=1, simd="scalar")
    assert pickle.loads(pickle.dumps(ctx)).engine == ctx.engine


def test_secrets_are_not_pickled(keys: cy.Keys) -> None:
    for secret in (keys.secret, keys, {"inside": keys.secret}):
        with pytest.raises(cy.SecretPickleError, match=r"save\(path\)"):
            pickle.dumps(secret)
    assert copy.deepcopy(keys.secret) is keys.secret


def test_secrets_are_not_printed(keys: cy.Keys) -> None:
    assert repr(keys.secret) == f"SecretKey({keys.context.scheme}, n=1024, contents hidden)"
    assert str(keys.secret) == repr(keys.secret)


def test_errors_are_pickled_with_their_values(tiny_keys: cy.Keys) -> None:
    """So that a pool of processes can hand them on."""
    with pytest.raises(cy.TooManyValuesError) as caught:
        tiny_keys.encrypt(np.zeros(65, int))
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is cy.TooManyValuesError
    assert (str(again), again.found) == (str(caught.value), 65)
