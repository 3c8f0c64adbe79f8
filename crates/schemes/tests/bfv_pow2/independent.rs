//! Reads files of the kinds 8 to 13 by the words of `docs/file-format.md` alone, byte by byte and
//! with schoolbook products: what the document says is what the library writes.

use super::golden::{message, sets, values};
use super::lab::Lab;
use cyclotron_ring::Modulus;
use cyclotron_ring::sample::{Seed, uniform};
use cyclotron_schemes::bfv_pow2::{Plaintext, Pow2Parameters};
use cyclotron_schemes::files::{Pow2Stored, write_pow2_parameters};
use cyclotron_schemes::vector::Values;

/// Kind and payload of a file's records.
fn records(mut bytes: &[u8]) -> Vec<(u16, Cursor<'_>)> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        assert_eq!(bytes[..10], *b"\x89CYC\r\n\x1a\n\x01\x00");
        assert_eq!(bytes[12..16], [0; 4], "flags");
        let length = u64::from_le_bytes(bytes[48..56].try_into().unwrap()) as usize;
        let (contents, rest) = bytes.split_at(56 + length);
        assert_eq!(rest[..32], *blake3::hash(contents).as_bytes());
        found.push((u16::from_le_bytes([bytes[10], bytes[11]]), Cursor(&contents[56..])));
        bytes = &rest[32..];
    }
    found
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

    fn word(&mut self, bytes: usize) -> u128 {
        self.take(bytes).iter().rev().fold(0, |word, &byte| word << 8 | u128::from(byte))
    }

    /// `n` coefficients of `bits` bits.
    fn polynomial(&mut self, n: usize, bits: u32) -> Vec<u128> {
        let polynomial: Vec<u128> = (0..n).map(|_| self.word(bits.div_ceil(8) as usize)).collect();
        assert!(polynomial.iter().all(|c| c >> bits == 0));
        polynomial
    }
}

/// The one record of an object, as a payload.
fn payload<T: Pow2Stored>(lab: &Lab, object: &T, kind: u16, read: impl FnOnce(&mut Cursor<'_>)) {
    let bytes = object.to_bytes(&lab.context).unwrap();
    let [(found, mut payload)] = records(&bytes)[..] else { panic!("one record") };
    assert_eq!(found, kind);
    read(&mut payload);
    assert!(payload.0.is_empty());
}

/// Limb by limb; the modulus of the last one is what is left.
fn expand(seed: &[u8], n: usize, bits: u32) -> Vec<u128> {
    let seed = Seed::new(seed.try_into().unwrap());
    let mut out = vec![0; n];
    for limb in 0..bits.div_ceil(32) {
        let width = (bits - 32 * limb).min(32);
        let mut residues = vec![0; n];
        uniform::fill(&seed, 0, limb, Modulus::new(1 << width).unwrap(), &mut residues);
        for (x, residue) in out.iter_mut().zip(residues) {
            *x |= u128::from(residue) << (32 * limb);
        }
    }
    out
}

fn multiply(a: &[u128], s: &[i128]) -> Vec<u128> {
    let n = s.len();
    let mut out = vec![0u128; n];
    for (i, x) in a.iter().enumerate() {
        for (j, &y) in s.iter().enumerate() {
            let term = x.wrapping_mul(y as u128);
            let at = &mut out[(i + j) % n];
            *at = if i + j < n { at.wrapping_add(term) } else { at.wrapping_sub(term) };
        }
    }
    out
}

/// `a + b` modulo `2^bits`, nearest to zero.
fn sum(a: &[u128], b: &[u128], bits: u32) -> Vec<i128> {
    let centred =
        |(x, y): (&u128, &u128)| (x.wrapping_add(*y) << (128 - bits)) as i128 >> (128 - bits);
    a.iter().zip(b).map(centred).collect()
}

fn secret(lab: &Lab) -> Vec<i128> {
    let n = lab.parameters.degree();
    let mut secret: Vec<i128> = Vec::new();
    payload(lab, &*lab.keys.secret, 9, |payload| {
        let bytes = payload.take(n.div_ceil(4));
        secret =
            (0..n).map(|i| [0, 1, 9, -1][usize::from(bytes[i / 4] >> (2 * (i % 4)) & 3)]).collect();
    });
    assert!(secret.iter().all(|c| c.abs() <= 1) && secret.iter().any(|&c| c != 0));
    secret
}

/// The message of a record of kind 12, whose noise is below the bound that it carries.
fn decrypt(payload: &mut Cursor<'_>, s: &[i128], parameters: &Pow2Parameters) -> Vec<u128> {
    let (k, n) = (parameters.log_q(), parameters.degree());
    assert_eq!(payload.take(8), [2, 0, 0, 0, 0, 0, 0, 0], "two polynomials, reserved");
    let noise = [0; 3].map(|_| f64::from_bits(payload.word(8) as u64));
    assert!(noise.is_sorted() && noise[0] > 0.0);
    let [c0, c1] = [0; 2].map(|_| payload.polynomial(n, k));
    assert!(payload.0.is_empty());
    let shift = k - parameters.log_t();
    let phase = sum(&c0, &multiply(&c1, s), k);
    let rounded = phase.iter().map(|x| {
        let m = (x + (1 << (shift - 1))) >> shift;
        assert!(((x - (m << shift)).abs() as f64).log2() <= noise[0]);
        m as u128 & u128::from(parameters.mask_t())
    });
    rounded.collect()
}

#[test]
fn keys_are_those_of_the_document() {
    for (_, parameters) in sets() {
        let lab = Lab::new(&parameters);
        let (n, k, r) = (parameters.degree(), parameters.log_q(), parameters.log_p());
        let s = secret(&lab);

        let mut bytes = Vec::new();
        write_pow2_parameters(&parameters, &mut bytes).unwrap();
        let [(8, text)] = records(&bytes)[..] else { panic!("one record of kind 8") };
        let json: serde_json::Value = serde_json::from_slice(text.0).unwrap();
        let fields = ["degree", "log_q", "log_t", "log_p"].map(|key| json[key].as_u64().unwrap());
        let log_t = parameters.log_t();
        assert_eq!(fields, [n as u64, k.into(), log_t.into(), r.into()]);
        assert_eq!(json.as_object().unwrap().len(), 5);
        assert!(json["security"].is_string());

        payload(&lab, &*lab.keys.public, 10, |payload| {
            let p1 = expand(payload.take(32), n, k);
            let p0 = payload.polynomial(n, k);
            let noise = sum(&p0, &multiply(&p1, &s), k);
            assert!(noise.iter().all(|e| e.abs() <= 21) && noise.iter().any(|&e| e != 0));
        });
        payload(&lab, lab.relinearization.as_ref().unwrap(), 11, |payload| {
            let a = expand(payload.take(32), n, k + r);
            let body = payload.polynomial(n, k + r);
            // Less p s^2.
            let lifted: Vec<u128> = s.iter().map(|&c| (c as u128) << r).collect();
            let square: Vec<u128> =
                multiply(&lifted, &s).iter().map(|c| c.wrapping_neg()).collect();
            let product = multiply(&a, &s);
            let rest: Vec<u128> =
                product.iter().zip(&square).map(|(x, y)| x.wrapping_add(*y)).collect();
            let noise = sum(&body, &rest, k + r);
            assert!(noise.iter().all(|e| e.abs() <= 21) && noise.iter().any(|&e| e != 0));
        });
    }
}

#[test]
fn ciphertexts_and_vectors_decrypt_by_hand() {
    for (_, parameters) in sets() {
        let mut lab = Lab::new(&parameters);
        let (n, s) = (parameters.degree(), secret(&lab));
        let message = message(&parameters);
        let plaintext = Plaintext::new(&parameters, message.clone()).unwrap();
        let fresh = lab.encryptor.encrypt(&plaintext).unwrap();
        payload(&lab, &fresh, 12, |payload| {
            let message: Vec<u128> = message.iter().map(|&m| m.into()).collect();
            assert_eq!(decrypt(payload, &s, &parameters), message);
        });

        for signed in [true, false] {
            let values = values(&parameters, signed);
            let given = Values::I64(&values);
            let (vector, _) = lab.encryptor.encrypt_vector(&lab.context, given, signed).unwrap();
            let bytes = vector.to_bytes(&lab.context).unwrap();
            let mut records = records(&bytes);
            let (kind, mut contents) = records.remove(0);
            assert_eq!((kind, contents.word(4)), (13, 3));
            assert_eq!(contents.take(4), [u8::from(signed), 0, 0, 0]);
            assert_eq!(contents.word(8), values.len() as u128);
            assert!(contents.0.is_empty());
            let mut words = Vec::new();
            for (kind, mut payload) in records {
                assert_eq!(kind, 12);
                words.extend(decrypt(&mut payload, &s, &parameters));
            }
            assert_eq!(words.len(), 3 * n);
            let mask = u128::from(parameters.mask_t());
            let expected = values.iter().map(|&value| value as u128 & mask);
            assert!(expected.chain(std::iter::repeat(0)).take(3 * n).eq(words));
        }
    }
}
