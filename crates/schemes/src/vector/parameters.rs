//! Parameters of a vector: one set a channel, alike but for the plaintext modulus.

use super::residues::{MAX_PRODUCT_BITS, PlaintextModuli};
use crate::error::{Error, Result};
use crate::rlwe::parameters::MAX_PLAINTEXT_BITS;
use crate::rlwe::select::{PlaintextRequest, Request, select};
use crate::rlwe::{Parameters, ParametersId, ParametersLiteral, SchemeKind};
use cyclotron_ring::primes::primes_below;
use serde::{Deserialize, Serialize};

/// Version of the pinned form.
const PIN_VERSION: u32 = 1;

/// What is to be computed on vectors; `base.plaintext` is ignored in favour of the fields here.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorRequest {
    /// Scheme, depth, security and so on.
    pub base: Request,
    /// Bits of the values: the product `T` of the plaintext moduli is at least `2^value_bits`.
    pub value_bits: u32,
    /// Widest single plaintext modulus, in bits; wider values take several channels.
    pub channel_bits: u32,
    /// This plaintext modulus exactly, in one channel, in place of `value_bits`.
    pub plaintext_modulus: Option<u64>,
}

impl VectorRequest {
    /// A request with the defaults of [`Request::new`], channels of at most 45 bits.
    #[must_use]
    pub fn new(scheme: SchemeKind, value_bits: u32, depth: usize) -> Self {
        let base = Request::new(scheme, PlaintextRequest::SlotBits(value_bits), depth);
        Self { base, value_bits, channel_bits: 45, plaintext_modulus: None }
    }
}

/// Parameters of every channel.
#[derive(Debug, Clone)]
pub struct VectorParameters {
    channels: Vec<Parameters>,
    plaintext: PlaintextModuli,
    reasons: Vec<String>,
}

/// The pinned form, as JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pinned {
    version: u32,
    /// Why these were chosen; for people, ignored on reading but for being kept.
    reasons: Vec<String>,
    /// The first channel.
    parameters: ParametersLiteral,
    /// Plaintext moduli of all channels.
    plaintext_moduli: Vec<u64>,
}

impl VectorParameters {
    /// Parameters with one channel for each plaintext modulus; the literal's own is ignored.
    ///
    /// # Errors
    /// As [`Parameters::new`]; [`Error::Parameter`] for no modulus, or a product above
    /// `2^126`; [`Error::Ring`] for moduli that are not coprime.
    pub fn new(literal: &ParametersLiteral, plaintext_moduli: &[u64]) -> Result<Self> {
        // More cannot have a product that fits; refused before each is checked at length.
        let most = MAX_PRODUCT_BITS as usize;
        if !(1..=most).contains(&plaintext_moduli.len()) {
            return Err(Error::Parameter {
                what: "number of plaintext moduli",
                value: plaintext_moduli.len().to_string(),
                remedy: format!("give 1 to {most}"),
            });
        }
        let channels = plaintext_moduli
            .iter()
            .map(|&plaintext_modulus| {
                Parameters::new(ParametersLiteral { plaintext_modulus, ..literal.clone() })
            })
            .collect::<Result<Vec<_>>>()?;
        let moduli: Vec<_> = channels.iter().map(Parameters::plaintext_modulus).collect();
        let plaintext = PlaintextModuli::new(&moduli)?;
        Ok(Self { channels, plaintext, reasons: Vec::new() })
    }

    /// Chooses parameters, and says why.
    ///
    /// # Errors
    /// As [`select`].
    pub fn select(request: &VectorRequest) -> Result<Self> {
        if let Some(t) = request.plaintext_modulus {
            let plaintext = PlaintextRequest::Modulus(t);
            let selection = select(&Request { plaintext, ..request.base.clone() })?;
            let mut parameters = Self::new(selection.parameters.literal(), &[t])?;
            parameters.reasons = selection.reasons;
            return Ok(parameters);
        }
        if !(1..MAX_PRODUCT_BITS).contains(&request.value_bits) {
            return Err(Error::Parameter {
                what: "bits of values",
                value: request.value_bits.to_string(),
                remedy: format!("choose 1 to {}", MAX_PRODUCT_BITS - 1),
            });
        }
        // All channels together must reach 2^value_bits: each takes its share and one bit more,
        // since its prime lies just below a power of two.
        let widest = request.channel_bits.clamp(2, MAX_PLAINTEXT_BITS);
        let count = request.value_bits.div_ceil(widest - 1).max(1);
        let narrowest = request.value_bits.div_ceil(count) + 1;
        let channels = count as usize;
        let choose = |bits: u32| {
            let plaintext = PlaintextRequest::SlotBits(bits);
            Ok((bits, select(&Request { plaintext, channels, ..request.base.clone() })?))
        };
        // Narrow moduli cost the least noise, but there may not be enough such primes.
        let mut choice = choose(narrowest);
        for bits in narrowest + 1..=widest {
            if !matches!(choice, Err(Error::NoParameters { .. })) {
                break;
            }
            choice = choose(bits).or(choice);
        }
        let (bits, selection) = choice?;
        let literal = selection.parameters.literal();
        let moduli = primes_below(bits, 2 * literal.degree as u64, channels, &[])?;
        let mut parameters = Self::new(literal, &moduli)?;
        parameters.reasons = selection.reasons;
        if count > 1 {
            let line = format!(
                "{} bits of values in {count} channels of {bits} bits (CRT): {count} ciphertexts \
                 a vector",
                request.value_bits
            );
            parameters.reasons.push(line);
        }
        Ok(parameters)
    }

    /// The set of each channel.
    #[must_use]
    pub fn channels(&self) -> &[Parameters] {
        &self.channels
    }

    /// The set of the first channel, for what all have in common.
    #[must_use]
    pub fn first(&self) -> &Parameters {
        &self.channels[0]
    }

    /// The plaintext moduli.
    #[must_use]
    pub fn plaintext(&self) -> &PlaintextModuli {
        &self.plaintext
    }

    /// Why these parameters were chosen; empty when they were given.
    #[must_use]
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }

    /// Identity: that of the only channel, or the BLAKE3 of all channels' identities.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        if let [only] = &self.channels[..] {
            return only.id();
        }
        let mut hasher = blake3::Hasher::new_derive_key("cyclotron channels v1");
        for channel in &self.channels {
            hasher.update(channel.id().bytes());
        }
        ParametersId::from_bytes(*hasher.finalize().as_bytes())
    }

    /// The pinned form: JSON that gives the same parameters for ever.
    ///
    /// # Errors
    /// Never for checked parameters.
    pub fn to_json(&self) -> Result<String> {
        let moduli = self.plaintext.moduli().iter();
        let pinned = Pinned {
            version: PIN_VERSION,
            reasons: self.reasons.clone(),
            parameters: self.first().literal().clone(),
            plaintext_moduli: moduli.map(|t| t.value()).collect(),
        };
        serde_json::to_string_pretty(&pinned).map_err(|error| pin_error(&error.to_string()))
    }

    /// Parameters from their pinned form, checked anew.
    ///
    /// # Errors
    /// [`Error::File`] for what is not the pinned form; otherwise as [`VectorParameters::new`].
    pub fn from_json(text: &str) -> Result<Self> {
        let pinned: Pinned =
            serde_json::from_str(text).map_err(|error| pin_error(&error.to_string()))?;
        if pinned.version != PIN_VERSION {
            let reason = format!("version {} where {PIN_VERSION} is known", pinned.version);
            return Err(pin_error(&reason));
        }
        let mut parameters = Self::new(&pinned.parameters, &pinned.plaintext_moduli)?;
        parameters.reasons = pinned.reasons;
        Ok(parameters)
    }
}

fn pin_error(reason: &str) -> Error {
    Error::File { what: "parameters".to_owned(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_values_take_several_channels_and_pin() {
        let parameters =
            VectorParameters::select(&VectorRequest::new(SchemeKind::Bfv, 64, 1)).unwrap();
        assert_eq!(parameters.channels().len(), 2);
        assert!(parameters.plaintext().product() >> 64 > 0, "all of 64 bits fit");
        let text = parameters.to_json().unwrap();
        let again = VectorParameters::from_json(&text).unwrap();
        assert_eq!(again.id(), parameters.id());
        assert_eq!(again.reasons(), parameters.reasons());
        let newer = text.replacen("\"version\": 1", "\"version\": 2", 1);
        assert!(VectorParameters::from_json(&newer).unwrap_err().to_string().contains("version 2"));
        assert!(VectorParameters::from_json("{}").is_err());
    }

    #[test]
    fn a_plaintext_modulus_can_be_given() {
        let mut request = VectorRequest::new(SchemeKind::Bfv, 1, 1);
        request.plaintext_modulus = Some(1000);
        let parameters = VectorParameters::select(&request).unwrap();
        assert_eq!(parameters.plaintext().product(), 1000);
        assert!(parameters.reasons().iter().any(|line| line.contains("coefficients only")));
    }

    #[test]
    fn one_channel_has_its_own_identity() {
        let parameters =
            VectorParameters::select(&VectorRequest::new(SchemeKind::Bgv, 17, 1)).unwrap();
        assert_eq!(parameters.id(), parameters.first().id());
        assert!(VectorParameters::new(parameters.first().literal(), &[]).is_err());
    }
}
