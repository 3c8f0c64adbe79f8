//! Wiping whole slices of secrets at the speed of memory.
//!
//! [`Zeroize`](zeroize::Zeroize) writes a slice element by element, each a write of its own that no
//! compiler may join: a microsecond for four thousand bytes. Scratch that is wiped after every run
//! takes the ordinary fill, and behind it the barrier of the same crate, which has the compiler
//! believe that the zeros are read.

/// Overwrites a slice with zeros, which no optimisation leaves out.
pub fn wipe<T: zeroize::DefaultIsZeroes>(slice: &mut [T]) {
    slice.fill(T::default());
    zeroize::optimization_barrier(slice);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_zero() {
        let (mut bytes, mut words, mut small) = ([7u8; 301], vec![u64::MAX; 77], [-1i32; 5]);
        wipe(&mut bytes);
        wipe(&mut words);
        wipe(&mut small[..4]);
        assert_eq!((bytes, words, small), ([0; 301], vec![0; 77], [0, 0, 0, 0, -1]));
        wipe::<u8>(&mut []);
    }
}
