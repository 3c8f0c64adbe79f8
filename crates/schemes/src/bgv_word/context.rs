//! Parameters with the tables that computing with them takes.

use super::parameters::WordParameters;
use crate::error::Result;
use cyclotron_ring::ntt::NttTable;
use cyclotron_ring::sample::{SmallPoly, small};
use cyclotron_ring::{Modulus, SimdLevel, kernels};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Parameters and tables, shared by keys and devices. Polynomials are `n` words in `[0, Q)`, or in
/// `[0, Q_l)` where a level is named.
#[derive(Debug)]
pub struct WordContext {
    parameters: WordParameters,
    table: NttTable,
    simd: SimdLevel,
}

impl WordContext {
    /// A context.
    ///
    /// # Errors
    /// [`crate::Error::Ring`] when `CYCLOTRON_SIMD` forces a level that the machine has not.
    pub fn new(parameters: &WordParameters) -> Result<Arc<Self>> {
        let chain = parameters.chain();
        let table = NttTable::with_root(parameters.degree(), chain.top(), chain.root())?;
        let simd = SimdLevel::from_environment()?;
        Ok(Arc::new(Self { parameters: parameters.clone(), table, simd }))
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &WordParameters {
        &self.parameters
    }

    /// The instructions it computes with.
    #[must_use]
    pub fn simd(&self) -> SimdLevel {
        self.simd
    }

    /// `Q`.
    pub(super) fn top(&self) -> Modulus {
        self.table.modulus()
    }

    /// Coefficients to values at the odd powers of `psi`, in bit-reversed order, in place.
    pub(super) fn forward(&self, words: &mut [u64]) {
        self.table.forward(self.simd, words);
    }

    /// The inverse of [`Self::forward`].
    pub(super) fn inverse(&self, words: &mut [u64]) {
        self.table.inverse(self.simd, words);
    }

    /// `accumulator + a b`, value by value.
    pub(super) fn multiply_add(&self, accumulator: &mut [u64], a: &[u64], b: &[u64]) {
        kernels::mul_add_assign(self.simd, self.top(), accumulator, a, b);
    }

    /// `accumulator + a`.
    pub(super) fn add(&self, accumulator: &mut [u64], a: &[u64]) {
        kernels::add_assign(self.simd, self.top(), accumulator, a);
    }

    /// `n` coefficients in `[0, Q)` as values at the odd powers of the root of these parameters, in
    /// bit-reversed order: the form in which devices take keys. A secret's values are as secret.
    #[must_use]
    pub fn evaluations(&self, coefficients: &[u64]) -> Vec<u64> {
        self.transformed(coefficients)
    }

    /// The values of a copy.
    pub(super) fn transformed(&self, words: &[u64]) -> Vec<u64> {
        let mut values = words.to_vec();
        self.forward(&mut values);
        values
    }

    /// The values of a small secret polynomial.
    pub(super) fn transformed_small(&self, secret: &SmallPoly) -> Result<Zeroizing<Vec<u64>>> {
        let mut values = self.residues(secret)?;
        self.forward(&mut values);
        Ok(values)
    }

    /// The residues of a small secret polynomial.
    pub(super) fn residues(&self, secret: &SmallPoly) -> Result<Zeroizing<Vec<u64>>> {
        let mut words = Zeroizing::new(vec![0; self.parameters.degree()]);
        small::to_residues(self.top(), secret.as_slice(), &mut words)?;
        Ok(words)
    }

    /// `a b` for coefficients `a` and values `b`, as coefficients.
    pub(super) fn product(&self, a: &[u64], b: &[u64]) -> Vec<u64> {
        let mut words = self.transformed(a);
        kernels::mul_assign(self.simd, self.top(), &mut words, b);
        self.inverse(&mut words);
        words
    }
}
