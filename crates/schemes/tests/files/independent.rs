//! Reads files by the words of `docs/file-format.md` alone, bit by bit and with schoolbook
//! products: what the document says is what the library writes.

use super::lab::{Lab, RECIPES, records};
use cyclotron_ring::Modulus;
use cyclotron_ring::sample::{Seed, uniform};
use cyclotron_schemes::files::Stored;

/// The payloads of a file's records.
fn payloads(bytes: &[u8]) -> Vec<Cursor<'_>> {
    records(bytes)
        .into_iter()
        .map(|range| Cursor(&bytes[range.start + 56..range.end - 32]))
        .collect()
}

/// What is left of a payload.
#[derive(Clone, Copy)]
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn word(&mut self) -> u64 {
        u64::from_le_bytes(self.take(8).try_into().unwrap())
    }

    fn seed(&mut self) -> Seed {
        Seed::new(self.take(32).try_into().unwrap())
    }

    /// `count` values of `width` bits, least significant first.
    fn bits(&mut self, count: usize, width: usize) -> Vec<u64> {
        let bytes = self.take(count * width / 8);
        let bit = |at: usize| u64::from(bytes[at / 8] >> (at % 8) & 1);
        (0..count).map(|j| (0..width).map(|b| bit(j * width + b) << b).sum()).collect()
    }

    fn limb(&mut self, n: usize, q: u64) -> Vec<u64> {
        let limb = self.bits(n, (u64::BITS - q.leading_zeros()) as usize);
        assert!(limb.iter().all(|&residue| residue < q));
        limb
    }
}

fn secret(lab: &Lab) -> Vec<i64> {
    let bytes = lab.secret.to_bytes(&lab.context).unwrap();
    let coefficients = payloads(&bytes)[0].bits(lab.context.capacity(), 2);
    let secret: Vec<i64> = coefficients.iter().map(|&c| [0, 1, 9, -1][c as usize]).collect();
    assert!(secret.iter().all(|c| c.abs() <= 1) && secret.iter().any(|&c| c != 0));
    secret
}

/// `b + a s mod q` in `[-q/2, q/2)`, modulo `x^n + 1`.
fn phase(b: &[u64], a: &[u64], s: &[i64], q: u64) -> Vec<i128> {
    let n = s.len();
    let q = i128::from(q);
    let mut sum: Vec<i128> = b.iter().map(|&c| c.into()).collect();
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in s.iter().enumerate() {
            let sign = if i + j < n { 1 } else { -1 };
            sum[(i + j) % n] += sign * i128::from(x) * i128::from(y);
        }
    }
    sum.into_iter().map(|c| super::lab::centred(c, q)).collect()
}

fn expand(seed: &Seed, polynomial: u32, limb: usize, n: usize, q: u64) -> Vec<u64> {
    let mut out = vec![0; n];
    uniform::fill(seed, polynomial, limb as u32, Modulus::new(q).unwrap(), &mut out);
    out
}

#[test]
fn ciphertexts_decrypt_by_hand() {
    let lab = Lab::new(RECIPES[1]);
    let literal = lab.context.parameters().first().literal();
    let (n, t, s) = (literal.degree, literal.plaintext_modulus as i128, secret(&lab));
    let unsigned = lab.samples()[2].vector.to_bytes(&lab.context).unwrap();
    let mut payload = payloads(&unsigned)[0];
    assert_eq!(payload.take(8), [1, 0, 0, 0, 1, 0, 0, 1], "channels and layout");
    assert_eq!(payload.word(), 3);
    assert_eq!(payload.take(8), [1, 0, 0, 0, 2, 0, 0, 0], "level and parts");
    assert_eq!(payload.word(), 1, "factor");
    let noise = [0; 3].map(|_| f64::from_bits(payload.word()));
    let own = lab.samples()[2].vector.channels()[0].noise();
    assert_eq!(noise, [own.inf_log2(), own.l2_log2(), own.can_log2()]);
    let [c0, c1] = [0; 2]
        .map(|_| -> Vec<Vec<u64>> { literal.moduli.iter().map(|&q| payload.limb(n, q)).collect() });
    assert!(payload.0.is_empty());
    let phases: Vec<_> = (0..2).map(|i| phase(&c0[i], &c1[i], &s, literal.moduli[i])).collect();
    let mut message = vec![0; n];
    for j in 0..n {
        // The noise fits in one limb, so both limbs have the same centred phase.
        assert_eq!(phases[0][j], phases[1][j]);
        message[j] = phases[0][j].rem_euclid(t);
    }
    assert_eq!(message, [1, 2, 90, 0, 0, 0, 0, 0]);
}

#[test]
fn seeds_expand_by_the_document() {
    for recipe in [RECIPES[0], RECIPES[1]] {
        let lab = Lab::new(recipe);
        let literal = lab.context.parameters().first().literal();
        let (n, t, s) = (literal.degree, literal.plaintext_modulus as i128, secret(&lab));
        let small = |phase: &[i128]| phase.iter().all(|c| c.abs() < 40 * t);

        let public = lab.public.to_bytes(&lab.context).unwrap();
        let mut payload = payloads(&public)[0];
        assert_eq!(payload.take(4), [1, 0, 0, 0]);
        let seed = payload.seed();
        for (limb, &q) in literal.moduli.iter().enumerate() {
            let (b, a) = (payload.limb(n, q), expand(&seed, 0, limb, n, q));
            assert!(small(&phase(&b, &a, &s, q)), "{} limb {limb}", recipe.name);
        }
        assert!(payload.0.is_empty());

        let seeded = lab.samples()[1].vector.to_bytes(&lab.context).unwrap();
        let mut payload = payloads(&seeded)[0];
        payload.take(16 + 40);
        let seed = payload.seed();
        let first: Vec<_> = literal.moduli.iter().map(|&q| payload.limb(n, q)).collect();
        assert!(payload.0.is_empty());
        if recipe.name == "bgv" {
            let q = literal.moduli[1];
            assert!(small(&phase(&first[1], &expand(&seed, 0, 1, n, q), &s, q)));
        }
    }
}

/// Modulo the primes of `P` a switching key encrypts zero, whatever it switches from.
#[test]
fn switching_keys_are_digit_by_digit_over_q_and_p() {
    let lab = Lab::new(RECIPES[0]);
    let literal = lab.context.parameters().first().literal();
    let (n, s) = (literal.degree, secret(&lab));
    let moduli: Vec<u64> = [&literal.moduli[..], &literal.special_moduli[..]].concat();
    let bytes = lab.keys.to_bytes(&lab.context).unwrap();
    let mut payloads = payloads(&bytes);
    let elements = lab.keys.galois_elements();
    let contents = &mut payloads[0];
    assert_eq!(contents.take(12), [1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0]);
    assert_eq!(elements, [0; 3].map(|_| contents.word()));
    for (index, payload) in payloads[1..].iter_mut().enumerate() {
        assert_eq!(payload.take(4), [1, 0, 0, 0]);
        if index > 0 {
            assert_eq!(payload.word(), elements[index - 1]);
        }
        let seed = payload.seed();
        for digit in 0..2 {
            for (limb, &q) in moduli.iter().enumerate() {
                let (b, a) = (payload.limb(n, q), expand(&seed, digit, limb, n, q));
                let largest = phase(&b, &a, &s, q).iter().map(|c| c.abs()).max().unwrap();
                // Digit j holds the key itself modulo limb j, and noise modulo all others.
                assert_eq!(largest > 100, limb == digit as usize, "{index} {digit} {limb}");
            }
        }
        assert!(payload.0.is_empty());
    }
}
