//! Residues packed to the width of their modulus.
//!
//! Value `i` takes the bits `[i w, (i + 1) w)` of the stream, least significant first; bit `b` of
//! the stream is bit `b mod 8` of byte `b / 8`. The last byte is filled with zeros.

/// Widest value: the widest modulus.
pub(super) const MAX_BITS: u32 = 61;

/// Bytes beyond the packed ones that [`unpack`] may read.
pub(super) const SLACK: usize = 16;

/// Bytes of `count` values of `bits` bits.
pub(super) const fn packed_bytes(count: usize, bits: u32) -> usize {
    (count * bits as usize).div_ceil(8)
}

/// Packs values below `2^bits`; `out` is cleared first.
pub(super) fn pack(values: &[u64], bits: u32, out: &mut Vec<u8>) {
    debug_assert!((1..=MAX_BITS).contains(&bits));
    out.clear();
    out.reserve(packed_bytes(values.len(), bits));
    // Bits not yet written, and how many.
    let (mut pending, mut filled) = (0u64, 0u32);
    for &value in values {
        debug_assert!(value >> bits == 0);
        pending |= value << filled;
        let end = filled + bits;
        if end >= 64 {
            out.extend_from_slice(&pending.to_le_bytes());
            // filled > 0, because bits < 64.
            pending = value >> (64 - filled);
            filled = end - 64;
        } else {
            filled = end;
        }
    }
    out.extend_from_slice(&pending.to_le_bytes()[..filled.div_ceil(8) as usize]);
}

/// Unpacks `out.len()` values of `bits` bits. `packed` holds their bytes and [`SLACK`] more, of
/// any contents. Returns whether the bits that fill the last byte are zero.
pub(super) fn unpack(packed: &[u8], bits: u32, out: &mut [u64]) -> bool {
    debug_assert!((1..=MAX_BITS).contains(&bits));
    let bytes = packed_bytes(out.len(), bits);
    debug_assert!(packed.len() >= bytes + SLACK);
    let mask = u64::MAX >> (64 - bits);
    let mut position = 0;
    for value in &mut *out {
        let at = position / 8;
        let mut window = [0; SLACK];
        window.copy_from_slice(&packed[at..at + SLACK]);
        *value = (u128::from_le_bytes(window) >> (position % 8)) as u64 & mask;
        position += bits as usize;
    }
    position % 8 == 0 || packed[bytes - 1] >> (position % 8) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unpacked(packed: &[u8], bits: u32, count: usize) -> (Vec<u64>, bool) {
        let padded = [packed, &[0xA5; SLACK]].concat();
        let mut out = vec![0; count];
        let zero = unpack(&padded, bits, &mut out);
        (out, zero)
    }

    #[test]
    fn known_answers() {
        let mut packed = Vec::new();
        pack(&[0b101, 0b011, 0b110], 3, &mut packed);
        // 110 011 101, least significant first: 1001_1101 and 1.
        assert_eq!(packed, [0b1001_1101, 0b1]);
        assert_eq!(unpacked(&packed, 3, 3), (vec![0b101, 0b011, 0b110], true));
        pack(&[0x1234, 0xABCD], 16, &mut packed);
        assert_eq!(packed, [0x34, 0x12, 0xCD, 0xAB]);
        pack(&[], 5, &mut packed);
        assert!(packed.is_empty());
        assert_eq!(unpacked(&[], 5, 0), (vec![], true));
    }

    #[test]
    fn the_filling_of_the_last_byte_is_watched() {
        for bit in 1..8 {
            assert!(!unpacked(&[0b101, 1 << bit], 3, 3).1);
        }
        assert!(unpacked(&[0b101, 1], 3, 3).1);
    }

    proptest! {
        #[test]
        fn unpacking_undoes_packing(
            bits in 1..=MAX_BITS,
            values in prop::collection::vec(any::<u64>(), 0..200),
        ) {
            let values: Vec<u64> = values.iter().map(|v| v >> (64 - bits)).collect();
            let mut packed = Vec::new();
            pack(&values, bits, &mut packed);
            prop_assert_eq!(packed.len(), packed_bytes(values.len(), bits));
            prop_assert_eq!(unpacked(&packed, bits, values.len()), (values.clone(), true));
            // The rule of the document, bit by bit.
            for (i, value) in values.iter().enumerate() {
                for b in 0..bits as usize {
                    let at = i * bits as usize + b;
                    prop_assert_eq!(u64::from(packed[at / 8] >> (at % 8) & 1), value >> b & 1);
                }
            }
        }
    }
}
