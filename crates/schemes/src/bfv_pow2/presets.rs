//! Named parameter sets.
//!
//! `PAPER_*` sets are those of the hardware papers, and variants of them that leave noise for
//! products. None is secure enough: [`super::Pow2Parameters::new`] refuses them until their
//! `security` is set to [`SecurityPolicy::InsecureAcknowledged`]; [`Pow2Preset::caution`] says why.
//! `POW2_*` sets have 128 bits of security by the default table.

use super::parameters::Pow2Literal;
use crate::error::{Error, Result};
use crate::rlwe::SecurityPolicy;

/// A named set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pow2Preset {
    /// Its name.
    pub name: &'static str,
    /// Where it comes from, and what it can do.
    pub purpose: &'static str,
    /// Why it must not protect anything; none for secure sets.
    pub caution: Option<&'static str>,
    degree: usize,
    log_q: u32,
    log_t: u32,
    log_p: u32,
}

/// `n = 1024`, `q = 2^32`, as estimated with the lattice estimator's MATZOV model.
const BITS_106: &str = "log q = 32 at n = 1024 has about 106 bits of security, below the 128 \
                        that the tables give up to log q = 26";
/// `n = 1024` with a relinearisation key.
const FAR_BELOW: &str = "log(qp) = 128 at n = 1024 is far above the 26 bits that the tables \
                         allow for 128 bits of security";
/// `n <= 16`.
const NONE: &str = "a ring degree up to 16 has no security at all: the key is found by lattice \
                    reduction in an instant";

const fn preset(
    name: &'static str,
    [degree, log_q, log_t, log_p]: [usize; 4],
    purpose: &'static str,
    caution: Option<&'static str>,
) -> Pow2Preset {
    let (log_q, log_t, log_p) = (log_q as u32, log_t as u32, log_p as u32);
    Pow2Preset { name, purpose, caution, degree, log_q, log_t, log_p }
}

const MINI: &str = "S-MINI's set: encryption, decryption and sums; the noise of full-range products \
                    passes q/(2t) = 2^15";
const MINI_T8: &str = "S-MINI's degree and q with t = 2^8, which leaves noise for one product";
const MINI_Q64: &str = "S-MINI's degree and t with q = 2^64, which leaves noise for products";

/// Every set.
pub const PRESETS: [Pow2Preset; 13] = [
    preset(
        "PAPER_BFV_1024",
        [1024, 32, 8, 0],
        "S-BFV's set: encryption, decryption, sums and small plaintext factors",
        Some(BITS_106),
    ),
    preset(
        "PAPER_BFV_1024_Q64",
        [1024, 64, 16, 64],
        "S-BFV's degree with q = 2^64 and t = 2^16: products and relinearisation",
        Some(FAR_BELOW),
    ),
    preset("PAPER_BFV_MINI_4", [4, 32, 16, 32], MINI, Some(NONE)),
    preset("PAPER_BFV_MINI_8", [8, 32, 16, 32], MINI, Some(NONE)),
    preset("PAPER_BFV_MINI_16", [16, 32, 16, 32], MINI, Some(NONE)),
    preset("PAPER_BFV_MINI_4_T8", [4, 32, 8, 32], MINI_T8, Some(NONE)),
    preset("PAPER_BFV_MINI_8_T8", [8, 32, 8, 32], MINI_T8, Some(NONE)),
    preset("PAPER_BFV_MINI_16_T8", [16, 32, 8, 32], MINI_T8, Some(NONE)),
    preset("PAPER_BFV_MINI_4_Q64", [4, 64, 16, 64], MINI_Q64, Some(NONE)),
    preset("PAPER_BFV_MINI_8_Q64", [8, 64, 16, 64], MINI_Q64, Some(NONE)),
    preset("PAPER_BFV_MINI_16_Q64", [16, 64, 16, 64], MINI_Q64, Some(NONE)),
    preset(
        "POW2_2048",
        [2048, 32, 8, 0],
        "S-BFV's q and t at 128 bits of security: encryption, decryption and sums",
        None,
    ),
    preset(
        "POW2_4096",
        [4096, 64, 12, 42],
        "128 bits of security with products: log(qp) = 106, the limit at n = 4096",
        None,
    ),
];

impl Pow2Preset {
    /// The set called `name`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an unknown name.
    pub fn named(name: &str) -> Result<Self> {
        PRESETS.into_iter().find(|preset| preset.name == name).ok_or_else(|| Error::Parameter {
            what: "preset",
            value: name.to_owned(),
            remedy: format!("choose one of {}", PRESETS.map(|preset| preset.name).join(", ")),
        })
    }

    /// Its literal, demanding 128 bits by the default table.
    #[must_use]
    pub fn literal(&self) -> Pow2Literal {
        let &Self { degree, log_q, log_t, log_p, .. } = self;
        Pow2Literal { degree, log_q, log_t, log_p, security: SecurityPolicy::default() }
    }

    /// Its literal for whoever has read [`Self::caution`] and uses it all the same.
    #[must_use]
    pub fn acknowledged(&self) -> Pow2Literal {
        let security = match self.caution {
            Some(_) => SecurityPolicy::InsecureAcknowledged,
            None => SecurityPolicy::default(),
        };
        Pow2Literal { security, ..self.literal() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bfv_pow2::Pow2Parameters;

    #[test]
    fn paper_sets_must_be_acknowledged_and_the_others_are_secure() {
        for preset in PRESETS {
            let checked = Pow2Parameters::new(preset.literal());
            match preset.caution {
                Some(_) => assert!(matches!(checked, Err(Error::Insecure { .. })), "{preset:?}"),
                None => assert!(checked.is_ok(), "{preset:?}: {checked:?}"),
            }
            let parameters = Pow2Parameters::new(preset.acknowledged()).unwrap();
            assert_eq!(Pow2Preset::named(preset.name).unwrap(), preset);
            assert_eq!(preset.name.starts_with("PAPER_"), preset.caution.is_some());
            assert!(parameters.noise().margin(&parameters.noise().fresh()) > 1.0);
        }
        let unknown = Pow2Preset::named("PAPER_1").unwrap_err().to_string();
        assert!(unknown.contains("PAPER_1") && unknown.contains("POW2_4096"), "{unknown}");
    }

    /// What the purposes promise of products.
    #[test]
    fn margins_of_products() {
        for preset in PRESETS {
            let parameters = Pow2Parameters::new(preset.acknowledged()).unwrap();
            let noise = parameters.noise();
            let fresh = (noise.fresh(), true);
            let product = noise.multiply(fresh, fresh) + noise.relinearization(true);
            let left = noise.margin(&product);
            println!(
                "{}: fresh 2^{:.1}, capacity 2^{:.1}, after a product {left:.2} bits left",
                preset.name,
                fresh.0.inf_log2(),
                noise.capacity()
            );
            let promised = preset.log_q == 64 || preset.name.ends_with("_T8");
            assert_eq!(left > 0.0, promised, "{}: {left}", preset.name);
        }
    }
}
