"""Type stubs, docstrings, and the examples in them."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import cyclotron as cy
import numpy as np
import pytest

HERE = Path(__file__).parent
CLASSES = [
    cy.Context,
    cy.Keys,
    cy.SecretKey,
    cy.PublicKey,
    cy.EvaluationKeys,
    cy.Evaluator,
    cy.Ciphertext,
]
FUNCTIONS = [cy.engines, cy.inspect, cy.presets]


def members() -> list[tuple[str, object]]:
    """Every class, public method and property, with its name."""
    found: list[tuple[str, object]] = [(c.__name__, c) for c in CLASSES]
    found += [(f.__name__, f) for f in FUNCTIONS]
    for cls in CLASSES:
        found += [
            (f"{cls.__name__}.{name}", value)
            for name, value in vars(cls).items()
            if not name.startswith("_")
        ]
    return found


@pytest.mark.parametrize(("name", "member"), members(), ids=[name for name, _ in members()])
def test_examples_in_docstrings(name: str, member: object, tiny, tiny_keys) -> None:
    text = inspect.getdoc(member)
    assert text, f"{name} has no docstring"
    names = {"cy": cy, "np": np, "ctx": tiny, "keys": tiny_keys}
    example = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(optionflags=flags).run(example)
    assert result.failed == 0


def test_the_example_of_the_package() -> None:
    example = doctest.DocTestParser().get_doctest(cy.__doc__, {}, "cyclotron", None, 0)
    result = doctest.DocTestRunner().run(example)
    assert result.attempted > 5
    assert result.failed == 0


def test_enough_examples() -> None:
    parser = doctest.DocTestParser()
    assert sum(bool(parser.get_examples(inspect.getdoc(m) or "")) for _, m in members()) >= 15


def run(tmp_path: Path, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,  # the installed package is checked, not the source tree
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_stubs_agree_with_the_module(tmp_path: Path) -> None:
    # The slot of `**` brings a reflected operator that only refuses.
    (tmp_path / "allowed").write_text("cyclotron._native.Ciphertext.__rpow__\n")
    run(tmp_path, "mypy.stubtest", "cyclotron", "--allowlist", "allowed")


@pytest.mark.slow
def test_users_code_passes_mypy_strict(tmp_path: Path) -> None:
    run(tmp_path, "mypy", "--strict", str(HERE / "typing_sample.py"))


def test_version_is_the_packages() -> None:
    from importlib.metadata import version

    assert cy.__version__ == version("cyclotron-fhe")
