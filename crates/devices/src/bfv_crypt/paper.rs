//! The paper's mode: the published schedule and the published randomness, to reproduce its figures.
//!
//! **It is insecure.** One `u` serves all plaintexts of a run, so the difference of two ciphertexts
//! shows the difference of their plaintexts; the noise comes from a register of 20 bits, all states
//! of which can be tried. `docs/device-randomness.md` has the default's rules.

use super::{
    BfvCrypt, Direction, POLYS_A_PLAINTEXT, PublicPolynomials, Region, check_encrypt, regs, scale,
};
use crate::bus::Bus;
use cyclotron_ring::sample::{SecretSeed, SmallPoly};
use cyclotron_schemes::bfv_pow2::{Cost, DeviceError, DeviceResult, EncryptRun};
use zeroize::Zeroizing;

/// Says that the caller knows the paper's mode to be insecure.
#[derive(Debug, Clone, Copy)]
pub struct InsecurePaperMode(());

impl InsecurePaperMode {
    /// The plaintexts of a run can be told apart and the noise can be searched: not for secrets.
    #[must_use]
    pub fn acknowledge() -> Self {
        Self(())
    }
}

/// One run of encryptions in the paper's mode.
#[derive(Debug, Clone, Copy)]
pub struct PaperRun<'a> {
    /// The key.
    pub key: PublicPolynomials<'a>,
    /// `batch n` words in `[0, t)`.
    pub messages: &'a [u64],
    /// The ternary `u` of all plaintexts of the run.
    pub u: &'a SmallPoly,
    /// State of the noise generator: 1 to `2^20 - 1`.
    pub noise_seed: u32,
}

impl<B: Bus> BfvCrypt<B> {
    /// Encrypts with the published schedule, `u` and noise.
    ///
    /// # Errors
    /// As [`encrypt`](cyclotron_schemes::bfv_pow2::CryptDevice::encrypt);
    /// [`DeviceError::SeedZero`] for a noise seed of 0, [`DeviceError::OutOfRange`] for one of more
    /// than 20 bits; [`DeviceError::NotTernary`] for `u`; [`DeviceError::Unsupported`] when the
    /// device has no paper's mode.
    pub fn encrypt_paper(
        &mut self,
        _: InsecurePaperMode,
        run: &PaperRun<'_>,
        c0: &mut [u64],
        c1: &mut [u64],
    ) -> DeviceResult<Cost> {
        let &PaperRun { key, messages, u, noise_seed } = run;
        // The operands are those of any encryption; seed and counter play no part.
        let seed = &SecretSeed::new([1; 32]);
        let shape = EncryptRun { key, messages, seed, run_counter: 0 };
        let batch = check_encrypt(&self.description, &shape, c0, c1)?;
        let degree = self.description.degree;
        if u.len() != degree {
            return Err(DeviceError::WrongSize { what: "u", found: u.len(), expected: degree });
        }
        if u.as_slice().iter().any(|c| !(-1..=1).contains(c)) {
            return Err(DeviceError::NotTernary);
        }
        if noise_seed == 0 {
            return Err(DeviceError::SeedZero);
        }
        let max = regs::CONTROL_LFSR_SEED.mask() >> regs::CONTROL_LFSR_SEED.low;
        if noise_seed > max {
            return Err(DeviceError::OutOfRange {
                what: "noise seed",
                index: 0,
                found: noise_seed.into(),
                max: max.into(),
            });
        }
        self.need_paper()?;
        self.costed(|device| {
            device.prepare(true, Direction::Encrypt, POLYS_A_PLAINTEXT * batch)?;
            device.load_key(key)?;
            device.load_multiplier(u)?;
            // The published schedule adds something to every polynomial: 0 to the second ones.
            let mut addends = Zeroizing::new(vec![0; POLYS_A_PLAINTEXT * messages.len()]);
            let pairs = addends.chunks_exact_mut(POLYS_A_PLAINTEXT * degree);
            for (pair, message) in pairs.zip(messages.chunks_exact(degree)) {
                scale(message, &mut pair[..degree]);
            }
            device.write_polys(Region::Addend, 0, &addends)?;
            let spent = device.run(Direction::Encrypt, POLYS_A_PLAINTEXT * batch, noise_seed)?;
            device.read_ciphertexts(c0, c1)?;
            // Only a reset leaves the published state machine's last state.
            device.link.reset()?;
            Ok(spent)
        })
    }

    /// Decrypts with the published schedule; the results are those of the default one.
    ///
    /// # Errors
    /// As [`decrypt`](cyclotron_schemes::bfv_pow2::CryptDevice::decrypt);
    /// [`DeviceError::Unsupported`] when the device has no paper's mode.
    pub fn decrypt_paper(
        &mut self,
        secret: &SmallPoly,
        c0: &[u64],
        c1: &[u64],
        messages: &mut [u64],
    ) -> DeviceResult<Cost> {
        self.need_paper()?;
        let cost = self.decrypt_run(true, secret, c0, c1, messages)?;
        self.link.reset()?;
        Ok(cost)
    }

    fn need_paper(&mut self) -> DeviceResult<()> {
        if regs::CONFIG1_PAPER.is_set(self.link.read(regs::CONFIG1)?) {
            return Ok(());
        }
        Err(DeviceError::Unsupported {
            what: "the paper's mode".to_owned(),
            device: self.description.name.clone(),
            remedy: "use the default mode, or a device built with both".to_owned(),
        })
    }
}
