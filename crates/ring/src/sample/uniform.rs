//! Uniform residues from a public seed: `a` in `[0, q)^n`, the same on every engine.
//!
//! The rule, which is part of the file format and of the hardware interface:
//!
//! 1. Coefficients are cut into blocks of [`BLOCK`] = 256; block `b` holds coefficients
//!    `256 b .. 256 b + 255`, and a polynomial that ends within a block takes the block's first
//!    coefficients.
//! 2. Block `b` of limb `l` of stream `s` has its own keystream: ChaCha20 (RFC 8439), key the
//!    32 bytes of the seed, block counter from 0, and the 96-bit nonce the three little-endian
//!    32-bit words `s, l, b`.
//! 3. The keystream is read as little-endian 64-bit words. Each word is masked to its low
//!    [`q.bits()`](Modulus::bits) bits; a result below `q` is the next coefficient of the block, any
//!    other is dropped. (A power of two never drops one; any other `q` drops less than one in two.)
//!
//! Exactly uniform, given uniform keystream. Blocks are independent, so engines work in parallel.
//! The limb enters by its number and not by its modulus: a caller that expands one seed for several
//! polynomials gives each its own `stream`.
//!
//! The time depends on the values, which are public.

use super::Seed;
use crate::error::{Result, RingError};
use crate::modulus::Modulus;
use chacha20::cipher::StreamCipher;
use chacha20::{ChaCha20, Key, KeyIvInit, Nonce};

/// Coefficients of one block.
pub const BLOCK: usize = 256;

/// Bytes of keystream drawn at once at most: enough for a block when nothing is dropped.
const DRAW: usize = 8 * BLOCK;

/// Fills limb number `limb` of a polynomial, from its first coefficient on.
pub fn fill(seed: &Seed, stream: u32, limb: u32, modulus: Modulus, out: &mut [u64]) {
    debug_assert!(out.len().div_ceil(BLOCK) <= 1 << 32, "the block number has 32 bits");
    for (block, coefficients) in out.chunks_mut(BLOCK).enumerate() {
        expand(seed, [stream, limb, block as u32], modulus, coefficients);
    }
}

/// Fills the first `out.len()` coefficients of block number `block` of a limb.
///
/// # Errors
/// [`RingError::OutOfRange`] when `out` is longer than a block.
pub fn fill_block(
    seed: &Seed,
    stream: u32,
    limb: u32,
    block: u32,
    modulus: Modulus,
    out: &mut [u64],
) -> Result<()> {
    if out.len() > BLOCK {
        return Err(RingError::OutOfRange {
            what: "coefficients of a uniform block",
            value: out.len().to_string(),
            min: 0.to_string(),
            max: BLOCK.to_string(),
        });
    }
    expand(seed, [stream, limb, block], modulus, out);
    Ok(())
}

/// One block, `out.len() <= BLOCK`.
fn expand(seed: &Seed, nonce: [u32; 3], modulus: Modulus, out: &mut [u64]) {
    let mut nonce_bytes = [0; 12];
    for (bytes, word) in nonce_bytes.as_chunks_mut::<4>().0.iter_mut().zip(nonce) {
        *bytes = word.to_le_bytes();
    }
    let mut cipher = ChaCha20::new(&Key::from(*seed.as_bytes()), &Nonce::from(nonce_bytes));
    let q = modulus.value();
    let mask = (1u64 << modulus.bits()) - 1;
    let mut keystream = [0; DRAW];
    let mut filled = 0;
    while filled < out.len() {
        // Whole groups of four ChaCha20 blocks, which the cipher computes side by side. The
        // keystream ends after 2^38 bytes, of which a block needs 2^35 with probability 2^-(2^32).
        let wanted = (8 * (out.len() - filled)).next_multiple_of(256).min(DRAW);
        cipher.write_keystream(&mut keystream[..wanted]);
        for word in keystream[..wanted].as_chunks::<8>().0 {
            // Written always and kept if below q: the dropping of words is not predictable.
            let candidate = u64::from_le_bytes(*word) & mask;
            let Some(slot) = out.get_mut(filled) else { break };
            *slot = candidate;
            filled += usize::from(candidate < q);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{SEED, checksum};
    use super::*;
    use proptest::prelude::*;

    fn residues(stream: u32, limb: u32, q: u64, n: usize) -> Vec<u64> {
        let mut out = vec![u64::MAX; n];
        fill(&SEED, stream, limb, Modulus::new(q).unwrap(), &mut out);
        out
    }

    /// Stream, limb, modulus, length; first two values, values 256 and 257, last, checksum. See
    /// `test_support` for their source.
    type Known = (u32, u32, u64, usize, [u64; 2], [u64; 2], u64, u64);

    #[rustfmt::skip]
    const KNOWN: [Known; 7] = [
        (0, 0, (1 << 50) - 27, 600, [499_012_875_320_633, 805_634_782_248_333],
            [802_594_096_551_982, 757_289_157_442_001], 424_602_502_913_125, 0xb497_1ea0_6dde_7d01),
        (1, 2, 65_537, 600, [43_128, 61_699], [24_431, 12_120], 16_623, 0x648b_fe4b_b6d9_d665),
        (7, 3, 1 << 32, 600, [1_067_366_297, 1_379_877_103],
            [3_384_291_051, 2_536_187_036], 3_078_148_072, 0xcdd0_3072_f2f3_d0fa),
        (0xdead_beef, 0x0102_0304, (1 << 61) - 1, 300,
            [111_747_365_315_337_441, 898_776_983_733_809_491],
            [246_486_212_668_698_984, 969_552_135_747_958_464],
            2_221_639_381_689_819_538, 0x881b_24af_e2d8_65ee),
        (0, 1, 2, 300, [1, 0], [1, 0], 0, 0x8eee_851c_c421_8284),
        (0, 1, 3, 1000, [2, 1], [1, 0], 2, 0x672f_5ace_50e9_5366),
        (u32::MAX, 0, (1 << 60) + 33, 513, [72_041_762_924_214_462, 797_326_665_860_007_062],
            [306_918_298_257_269_377, 458_162_148_982_837_301],
            585_892_638_982_697_043, 0x7124_0924_2c68_2b7d),
    ];

    #[test]
    fn known_answers() {
        for (stream, limb, q, n, first, second, last, sum) in KNOWN {
            let out = residues(stream, limb, q, n);
            assert_eq!(out[..2], first, "q = {q}");
            assert_eq!(out[256..258], second, "q = {q}");
            assert_eq!(out[n - 1], last, "q = {q}");
            assert_eq!(checksum(out.iter().flat_map(|x| x.to_le_bytes())), sum, "q = {q}");
        }
        let mut block = [0; 4];
        let q = Modulus::new(65_537).unwrap();
        fill_block(&SEED, 1, 2, 1_000_000, q, &mut block).unwrap();
        assert_eq!(block, [62_454, 24_668, 23_753, 7334]);
    }

    #[test]
    fn a_block_longer_than_a_block_is_refused() {
        let error = fill_block(&SEED, 0, 0, 0, Modulus::new(17).unwrap(), &mut [0; 257]);
        assert!(matches!(error, Err(RingError::OutOfRange { .. })));
    }

    #[test]
    fn chi_square_of_small_moduli() {
        for q in [2u64, 3, 5, 17, 257] {
            let out = residues(9, 9, q, 1 << 18);
            let mut counts = vec![0u32; q as usize];
            out.iter().for_each(|&x| counts[x as usize] += 1);
            let expected = out.len() as f64 / q as f64;
            let statistic: f64 =
                counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
            let freedom = q as f64 - 1.0;
            assert!(statistic < freedom + 6.0 * (2.0 * freedom).sqrt() + 20.0, "{q}: {statistic}");
        }
    }

    proptest! {
        /// Blocks and prefixes are what `fill` writes, and every residue is reduced.
        #[test]
        fn blocks_and_prefixes_agree(
            q in prop_oneof![2u64..1000, 2u64..1 << 61, (2u32..61).prop_map(|k| (1 << k) + 1)],
            (stream, limb) in any::<(u32, u32)>(),
            n in 0usize..1000,
        ) {
            let whole = residues(stream, limb, q, 1024);
            prop_assert!(whole.iter().all(|&x| x < q));
            prop_assert_eq!(&residues(stream, limb, q, n), &whole[..n]);
            let modulus = Modulus::new(q).unwrap();
            for (block, expected) in whole.chunks(BLOCK).enumerate() {
                let mut out = [u64::MAX; BLOCK];
                let length = n % (BLOCK + 1);
                fill_block(&SEED, stream, limb, block as u32, modulus, &mut out[..length]).unwrap();
                prop_assert_eq!(&out[..length], &expected[..length]);
                prop_assert!(out[length..].iter().all(|&x| x == u64::MAX));
            }
        }

        /// Seed, stream, limb and block each enter the keystream.
        #[test]
        fn every_coordinate_matters(stream in 0u32..1 << 31, limb in 0u32..1 << 31, bit in 0u32..32) {
            let q = Modulus::new(1 << 60).unwrap();
            let flip = 1 << bit;
            let mut other_seed = *SEED.as_bytes();
            other_seed[bit as usize] ^= 1;
            let mut values = Vec::new();
            for (seed, stream, limb, block) in [
                (SEED, stream, limb, 5),
                (Seed::new(other_seed), stream, limb, 5),
                (SEED, stream ^ flip, limb, 5),
                (SEED, stream, limb ^ flip, 5),
                (SEED, stream, limb, 5 ^ flip),
            ] {
                let mut out = [0; 2];
                fill_block(&seed, stream, limb, block, q, &mut out).unwrap();
                values.push(out);
            }
            values.sort_unstable();
            values.dedup();
            prop_assert_eq!(values.len(), 5);
        }
    }
}
