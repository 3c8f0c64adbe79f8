//! The cumulative table of the discrete Gaussian distribution, in exact fixed point.
//!
//! `P(x) = rho(x) / sum rho` with `rho(x) = exp(-x^2 / (2 sigma^2))` on the integers. The table
//! holds `C_k = round(2^126 P(|x| <= k))` for `k = 0, 1, ...` while `C_k < 2^126`, that is, until
//! the remaining probability rounds to zero. A uniform 126-bit number `u` gives the magnitude
//! `#{k : C_k <= u}`, which is `m` with probability `(C_m - C_{m-1}) / 2^126`.
//!
//! Each of the `K + 1` probabilities is off by at most two roundings, `2^-126`, so the statistical
//! distance to the true distribution is at most `(K + 1) 2^-126`: below `2^-120` for
//! `sigma = 3.19` (K = 41), below `2^-117` for the largest `sigma`.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

/// Bits of a table entry.
pub(super) const PRECISION: u32 = 126;

/// Fractional bits of the computation. Truncations add up to less than `2^20` units of the last
/// place: the result is exact to `2^-230`, and its rounding to 126 bits with it.
const FRACTION: u32 = 256;

/// The table for `sigma` in `[2^-1, 2^5]`, taken as the exact rational number that the `f64` is.
pub(super) fn cumulative_table(sigma: f64) -> Vec<u128> {
    // sigma = mantissa 2^exponent, hence 1 / (2 sigma^2) = 2^(-2 exponent - 1) / mantissa^2.
    let bits = sigma.to_bits();
    let mantissa = BigUint::from((bits & ((1 << 52) - 1)) | (1 << 52));
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1075;
    debug_assert!((-53..=-47).contains(&exponent), "sigma in [0.5, 64)");
    let shift = FRACTION.saturating_add_signed(-2 * exponent - 1);
    let x = (BigUint::one() << shift) / (&mantissa * &mantissa);

    let multiply = |a: &BigUint, b: &BigUint| (a * b) >> FRACTION;
    let one = BigUint::one() << FRACTION;
    // rho(k + 1) = rho(k) e^((2 k + 1)), where e = exp(-x); the power grows by e^2 each time.
    let decay = (&one << FRACTION) / exponential(&x);
    let decay_squared = multiply(&decay, &decay);
    let mut power = decay;
    let mut density = one;
    // Cumulative sums rho(0), rho(0) + 2 rho(1), ... up to where rho vanishes at this precision.
    let mut sums = vec![density.clone()];
    loop {
        density = multiply(&density, &power);
        power = multiply(&power, &decay_squared);
        if density.is_zero() {
            break;
        }
        let next = &sums[sums.len() - 1] + (&density << 1u32);
        sums.push(next);
    }
    let total = sums[sums.len() - 1].clone();
    let half = &total >> 1u32;
    sums.iter()
        .map(|sum| (((sum << PRECISION) + &half) / &total).to_u128().unwrap_or(u128::MAX))
        .take_while(|&entry| entry < 1 << PRECISION)
        .collect()
}

/// `exp(x)` of a fixed-point number `x <= 2`, by its series.
fn exponential(x: &BigUint) -> BigUint {
    let mut term = BigUint::one() << FRACTION;
    let mut sum = term.clone();
    let mut k = 1u32;
    while !term.is_zero() {
        term = ((term * x) >> FRACTION) / k;
        sum += &term;
        k += 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::test_support::checksum;
    use super::*;

    /// Entries 0, 1, 10 (or the last) and the last, the length and the checksum of the table, by
    /// `mpmath` (see `test_support`).
    #[test]
    fn known_tables() {
        #[rustfmt::skip]
        let known = [
            (3.19, 41, [0x0800_fcd0_d965_4a3d_e139_783e_1542_e904, 0x173e_79f7_83c1_b675_1a42_3ef5_9372_2734,
                0x3ff0_7083_bd77_9c8d_d92d_c582_abfe_3c7e, 0x3fff_ffff_ffff_ffff_ffff_ffff_ffff_ffe3], 0x45ff_27db_b333_21a9),
            (0.5, 6, [0x3257_2ca9_af27_208a_61f0_f1a3_4659_b0a4, 0x3ff7_5a70_5660_a9e5_86f3_b68a_5ac2_9a8a,
                0x3fff_ffff_ffff_ffff_ffff_ffff_ff92_2239, 0x3fff_ffff_ffff_ffff_ffff_ffff_ff92_2239], 0xb377_67e4_fe8e_982c),
            (32.0, 418, [0x00cc_4229_9ea1_b284_687e_59e2_805d_5c71, 0x0264_936f_8264_0ba4_80ce_030b_6db3_0497,
                0x1075_d963_f3e5_5877_da83_1800_f23c_9015, 0x3fff_ffff_ffff_ffff_ffff_ffff_ffff_ffff], 0xa75e_f93e_7249_be64),
            (1.0, 13, [0x1988_4531_8977_3c68_7f02_359e_e000_4589, 0x3881_2abc_f4cc_0e33_eb53_8111_75e2_02bb,
                0x3fff_ffff_ffff_ffff_ffff_ffac_1067_076e, 0x3fff_ffff_ffff_ffff_ffff_ffff_ffff_fff2], 0x50ba_306d_aca3_de1a),
        ];
        for (sigma, length, entries, sum) in known {
            let table = cumulative_table(sigma);
            assert_eq!(table.len(), length, "sigma = {sigma}");
            let last = length - 1;
            assert_eq!([table[0], table[1], table[last.min(10)], table[last]], entries);
            assert_eq!(checksum(table.iter().flat_map(|c| c.to_le_bytes())), sum);
        }
    }

    #[test]
    fn tables_rise_and_end_below_one() {
        for sigma in [0.5, 0.51, 0.999, 1.0, 2.0, 3.19, 3.2, 8.0, 31.999, 32.0] {
            let table = cumulative_table(sigma);
            assert!(table.is_sorted(), "sigma = {sigma}");
            assert!(table.iter().all(|&entry| entry < 1 << PRECISION));
            // -log2 rho at the largest magnitude drawn, and at the first one that is not.
            let exponent = |k: usize| (k as f64 / sigma).powi(2) / 2.0 / std::f64::consts::LN_2;
            assert!(exponent(table.len()) < 128.0, "sigma = {sigma}");
            assert!(exponent(table.len() + 1) > 118.0, "sigma = {sigma}");
        }
    }
}
