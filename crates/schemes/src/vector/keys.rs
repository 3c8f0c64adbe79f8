//! Keys of all channels.

use crate::rlwe::{EvaluationKeys, PublicKey, SecretKey};
use std::sync::Arc;

/// The secret key: one ternary polynomial, prepared for every channel.
#[derive(Debug, Clone)]
pub struct VectorSecretKey {
    pub(crate) channels: Vec<Arc<SecretKey>>,
}

/// The public key of every channel.
#[derive(Debug, Clone)]
pub struct VectorPublicKey {
    pub(crate) channels: Vec<Arc<PublicKey>>,
}

/// The evaluation keys of every channel: what a server gets.
#[derive(Debug, Clone)]
pub struct VectorEvaluationKeys {
    pub(crate) channels: Vec<EvaluationKeys>,
}

impl VectorSecretKey {
    /// The key of each channel.
    #[must_use]
    pub fn channels(&self) -> &[Arc<SecretKey>] {
        &self.channels
    }
}

impl VectorPublicKey {
    /// The key of each channel.
    #[must_use]
    pub fn channels(&self) -> &[Arc<PublicKey>] {
        &self.channels
    }
}

impl VectorEvaluationKeys {
    /// The keys of each channel.
    #[must_use]
    pub fn channels(&self) -> &[EvaluationKeys] {
        &self.channels
    }

    /// The Galois elements that there are keys for.
    #[must_use]
    pub fn galois_elements(&self) -> Vec<u64> {
        let keys = self.channels.first().and_then(|keys| keys.galois.as_ref());
        keys.map(|keys| keys.elements().collect()).unwrap_or_default()
    }

    /// Whether products can be relinearised.
    #[must_use]
    pub fn has_relinearization(&self) -> bool {
        self.channels.iter().all(|keys| keys.relinearization.is_some())
    }
}

/// Rotations to make keys for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Rotations {
    /// None.
    None,
    /// Powers of two and the row swap: sums over all slots, and any rotation in several steps.
    #[default]
    Sums,
    /// These steps to the left, and the row swap.
    Steps(Vec<i64>),
}
