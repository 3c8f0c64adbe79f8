"""Contexts and keys that the tests share: small, insecure, quick."""

from __future__ import annotations

from collections.abc import Callable

import cyclotron as cy
import pytest

SCHEMES = ("bfv", "bgv")


@pytest.fixture(scope="session", params=SCHEMES)
def ctx(request: pytest.FixtureRequest) -> cy.Context:
    """Either scheme, n = 1024, t = 65537, depth 3."""
    return cy.Context.preset("TOY_1024", request.param, acknowledge_insecure=True)


@pytest.fixture(scope="session")
def keys(ctx: cy.Context) -> cy.Keys:
    return ctx.keygen()


@pytest.fixture(scope="session")
def tiny() -> cy.Context:
    """BFV, n = 64, t = 257, two primes: where the scheme does not matter."""
    return cy.Context.preset("TOY_64", acknowledge_insecure=True)


@pytest.fixture(scope="session")
def tiny_keys(tiny: cy.Context) -> cy.Keys:
    return tiny.keygen()


@pytest.fixture(scope="session")
def make() -> Callable[..., cy.Context]:
    """Contexts from a literal, insecurity acknowledged."""

    def context(**literal: object) -> cy.Context:
        moduli = literal.pop("plaintext_moduli", None)
        return cy.Context.from_literal(literal, plaintext_moduli=moduli, acknowledge_insecure=True)

    return context
