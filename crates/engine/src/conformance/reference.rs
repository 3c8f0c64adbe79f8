//! Plain scalar code for what engines compute, written for itself: no vector kernels, no tables
//! but the scalar transform, no sharing with any engine.

use super::fixture::Fixture;
use super::trial::{Host, Outcome};
use crate::engine::BinaryOp;
use crate::shape::{LimbSet, Shape};
use cyclotron_ring::{Modulus, Result, SimdLevel};

/// Largest degree at which products are made by the definition.
const SCHOOLBOOK: usize = 64;

/// `a op b` residue by residue; [`BinaryOp::Mul`] is not asked of coefficients.
pub fn linear(op: BinaryOp, q: Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
    let op = |(&x, &y)| if op == BinaryOp::Add { q.add(x, y) } else { q.sub(x, y) };
    a.iter().zip(b).map(op).collect()
}

/// The product in `Z_q[x]/(x^n + 1)` for the ring's limb `index`: by the definition, or for large
/// degrees by the scalar transform.
fn product(fixture: &Fixture, index: usize, a: &[u64], b: &[u64]) -> Result<Vec<u64>> {
    let q = fixture.ring.limbs()[index].modulus;
    match fixture.transform(index)? {
        Some(table) if a.len() > SCHOOLBOOK => {
            let (mut a, mut b) = (a.to_vec(), b.to_vec());
            table.forward(SimdLevel::Scalar, &mut a);
            table.forward(SimdLevel::Scalar, &mut b);
            let mut product: Vec<u64> = a.iter().zip(&b).map(|(&x, &y)| q.mul(x, y)).collect();
            table.inverse(SimdLevel::Scalar, &mut product);
            Ok(product)
        }
        _ => Ok(definition(q, a, b)),
    }
}

/// The product in `Z_q[x]/(x^n + 1)` by its definition.
pub fn definition(q: Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
    let n = a.len();
    (0..n)
        .map(|k| {
            // x^k = x^i x^(k-i), and x^k = -x^i x^(n+k-i).
            let direct = (0..=k).fold(0, |sum, i| q.mul_add(a[i], b[k - i], sum));
            let wrapped = (k + 1..n).fold(0, |sum, i| q.mul_add(a[i], b[n + k - i], sum));
            q.sub(direct, wrapped)
        })
        .collect()
}

/// Products of the polynomials of two operands, limbs and batch of `shape`; a batch of 1 serves
/// every polynomial.
pub fn products(fixture: &Fixture, shape: &Shape, a: &Host, b: &Host) -> Outcome<Host> {
    Host::build(shape, |poly, index, _| {
        Ok(product(fixture, index, a.limb(poly, index)?, b.limb(poly, index)?)?)
    })
}

/// `sum_j a[j] b[j]` of pairs of polynomials, given by batch index, over `limbs`.
pub fn sum_of_products(
    fixture: &Fixture,
    limbs: &LimbSet,
    a: &Host,
    b: &Host,
    pairs: &[(usize, usize)],
) -> Outcome<Host> {
    let shape = Shape::new(&fixture.ring, limbs, 1)?;
    Host::build(&shape, |_, index, q| {
        let mut sum = vec![0; shape.degree()];
        for &(i, j) in pairs {
            let term = product(fixture, index, a.limb(i, index)?, b.limb(j, index)?)?;
            sum.iter_mut().zip(term).for_each(|(s, t)| *s = q.add(*s, t));
        }
        Ok(sum)
    })
}

/// The polynomials of several hosts as one batch.
pub fn stack(hosts: &[Host]) -> Outcome<Host> {
    let missing = || super::Failure::new("the suite stacks nothing".to_owned());
    let first = hosts.first().ok_or_else(missing)?;
    let batch = hosts.iter().map(|host| host.shape.batch).sum();
    let words = hosts.iter().flat_map(|host| host.words.iter().copied()).collect();
    Ok(Host { shape: first.shape.with_batch(batch), words })
}

/// `a(x^g)` by its definition.
pub fn automorphism(q: Modulus, g: u64, a: &[u64]) -> Vec<u64> {
    let n = a.len() as u64;
    let mut out = vec![0; a.len()];
    for (i, &x) in a.iter().enumerate() {
        let power = i as u64 * g % (2 * n);
        out[(power % n) as usize] = if power < n { x } else { q.neg(x) };
    }
    out
}
