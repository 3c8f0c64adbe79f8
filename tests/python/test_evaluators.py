"""Which evaluation keys an operator uses, and what mode "strict" leaves to the caller."""

from __future__ import annotations

import copy
import pickle

import cyclotron as cy
import pytest


def test_keys_attach_their_evaluator(keys: cy.Keys) -> None:
    x = keys.encrypt([1, 2])
    assert x.evaluator == keys.evaluator
    assert (x * x + 1).sum().evaluator == keys.evaluator
    assert keys.evaluator.mode == "automatic"
    assert keys.evaluator.keys is not None
    assert keys.evaluator.context == keys.context


def test_without_keys_there_are_sums_and_public_products(keys: cy.Keys) -> None:
    x = keys.public.encrypt([1, 2])
    assert x.evaluator.keys is None
    assert keys.decrypt(3 * x + x).tolist() == [4, 8]
    with pytest.raises(cy.MissingKeyError):
        x.sum()
    product = x * x
    assert product.parts == 3
    assert keys.decrypt(product).tolist() == [1, 4]
    with pytest.raises(cy.MissingKeyError, match="relinearisation"):
        product.relinearize()
    # Attached later, it has the keys that its operators need.
    attached = keys.evaluator.attach(product)
    assert attached.relinearize().parts == 2
    assert keys.decrypt(attached.sum()).tolist() == [5]
    assert product.evaluator.keys is None, "attaching makes another object"


@pytest.mark.parametrize("swap", [False, True])
def test_a_ciphertext_without_keys_adopts_the_others_evaluator(keys: cy.Keys, swap: bool) -> None:
    x, y = keys.encrypt([1, 2]), keys.secret.encrypt([5, 6])
    if swap:
        x, y = y, x
    z = x * y
    assert z.evaluator == keys.evaluator
    assert z.parts == 2
    assert keys.decrypt(z).tolist() == [5, 12]


def test_two_evaluators_are_not_guessed_between(keys: cy.Keys) -> None:
    server = cy.Evaluator(keys.context, keys.evaluation)
    strict = cy.Evaluator(keys.context, mode="strict")
    assert server != keys.evaluator
    x = keys.encrypt([1])
    for other in (server, strict):
        y = other.attach(x)
        with pytest.raises(cy.EvaluatorMismatchError, match="attach") as caught:
            x + y
        assert caught.value.left == keys.evaluator
        assert caught.value.right == other
        assert keys.decrypt(other.attach(x) + y).tolist() == [2]


def test_strict_does_what_was_said(keys: cy.Keys) -> None:
    strict = cy.Evaluator(keys.context, keys.evaluation, mode="strict")
    x = strict.attach(keys.public.encrypt([3, 4]))
    product = x * x
    assert product.parts == 3, "no relinearisation unless asked for"
    assert product.level == x.level, "no level switched unless asked for"
    with pytest.raises(cy.NotLinearError) as caught:
        product * x
    assert (caught.value.operation, caught.value.parts) == ("mul", 3)
    with pytest.raises(cy.LevelMismatchError, match="mod_switch") as caught:
        product + product.mod_switch(1)
    levels = keys.context.max_level, 1
    assert (caught.value.left, caught.value.right) == levels
    linear = product.relinearize()
    assert linear.parts == 2
    assert keys.decrypt(linear).tolist() == [9, 16]
    assert repr(strict).endswith("strict)")


def test_strict_refuses_unlike_factors() -> None:
    """BGV: a product of switched ciphertexts has another factor than a fresh one switched."""
    ctx = cy.Context.preset("TOY_1024", "bgv", acknowledge_insecure=True)
    keys = ctx.keygen()
    strict = cy.Evaluator(ctx, keys.evaluation, mode="strict")
    x = strict.attach(keys.public.encrypt([3]))
    low = x.mod_switch(2)
    with pytest.raises(cy.FactorMismatchError) as caught:
        (low * low).relinearize() + low
    assert caught.value.left != caught.value.right
    automatic = keys.evaluator.attach(low)
    assert keys.decrypt(automatic * automatic + automatic).tolist() == [12]


def test_modes_are_checked(tiny: cy.Context) -> None:
    with pytest.raises(cy.ParameterError, match='mode is "lazy"; choose "automatic" or "strict"'):
        cy.Evaluator(tiny, mode="lazy")


def test_keys_are_put_together_from_parts(tiny: cy.Context) -> None:
    secret = tiny.secret_key()
    keys = cy.Keys(secret, secret.public_key(), secret.evaluation_keys(rotations=[1]))
    x = keys.encrypt([1, 2, 3])
    assert keys.decrypt((x * x).rotate(1))[:2].tolist() == [4, 9]
    assert keys.secret is secret
    assert repr(keys) == "Keys(bfv, n=64, relinearisation, 2 Galois elements)"


def test_evaluators_are_copied_and_pickled(tiny_keys: cy.Keys) -> None:
    assert copy.deepcopy(tiny_keys.evaluator) == tiny_keys.evaluator
    strict = cy.Evaluator(tiny_keys.context, tiny_keys.evaluation, mode="strict")
    again = pickle.loads(pickle.dumps(strict))
    assert again.mode == "strict"
    x = again.attach(tiny_keys.public.encrypt([2, 3]))
    assert tiny_keys.decrypt((x * x).relinearize()).tolist() == [4, 9]
