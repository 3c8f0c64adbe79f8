//! Exact decimals: text times a power of ten is an integer, or refused.

use bigdecimal::{BigDecimal, Zero};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::fmt;
use std::str::FromStr;

/// Longest decimal that is read, in bytes.
const LONGEST: usize = 400;

/// A power of ten, `10^0` to `10^38`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Power(u32);

/// Largest exponent: `10^38` is the last power below `2^127`.
const LARGEST: u32 = 38;

impl Power {
    /// The exponent.
    pub const fn exponent(self) -> u32 {
        self.0
    }
}

impl FromStr for Power {
    type Err = String;

    /// `1000` or `10^3`.
    fn from_str(text: &str) -> Result<Self, String> {
        let exponent = match text.strip_prefix("10^") {
            Some(exponent) => exponent.parse().ok(),
            None => text
                .strip_prefix('1')
                .filter(|zeros| zeros.chars().all(|c| c == '0'))
                .and_then(|zeros| u32::try_from(zeros.len()).ok()),
        };
        exponent.filter(|&exponent| exponent <= LARGEST).map(Self).ok_or_else(|| {
            format!("not a power of ten from 1 to 10^{LARGEST}, such as 1000 or 10^3")
        })
    }
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "10^{}", self.0)
    }
}

/// Why text is no integer after scaling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing there.
    Empty,
    /// A missing value or an infinity.
    NotFinite,
    /// Not a decimal number.
    NotANumber,
    /// Digits are left behind the point; this power of ten would do.
    NeedsScale(u32),
    /// Not within 127 bits and a sign.
    TooLarge,
}

/// `text * scale` as an integer; without a scale, `text` must be an integer in plain digits.
pub fn parse(text: &str, scale: Option<Power>) -> Result<i128, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Refusal::Empty);
    }
    // Nearly all values are short integers: no big arithmetic for them.
    if scale.is_none()
        && let Ok(value) = text.parse()
    {
        return Ok(value);
    }
    let lower = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    if ["nan", "inf", "infinity", "na", "n/a", "null", "none"].contains(&lower.as_str()) {
        return Err(Refusal::NotFinite);
    }
    let allowed = |c: char| c.is_ascii_digit() || "+-.e".contains(c);
    if text.len() > LONGEST || !lower.chars().all(allowed) {
        return Err(Refusal::NotANumber);
    }
    let number = BigDecimal::from_str(text).map_err(|_| Refusal::NotANumber)?;
    if number.is_zero() {
        return Ok(0);
    }
    // digits * 10^-places, the last digit not zero.
    let (digits, places) = number.normalized().into_bigint_and_scale();
    let power = scale.unwrap_or_default();
    let zeros = i64::from(power.exponent()).checked_sub(places).ok_or(Refusal::TooLarge)?;
    if zeros < 0 {
        return Err(Refusal::NeedsScale(u32::try_from(places).unwrap_or(u32::MAX)));
    }
    let zeros = u32::try_from(zeros).ok().filter(|&zeros| zeros <= LARGEST);
    let scaled = digits * BigInt::from(10).pow(zeros.ok_or(Refusal::TooLarge)?);
    scaled.to_i128().ok_or(Refusal::TooLarge)
}

/// Whether text is a number, of any size.
pub fn is_number(text: &str) -> bool {
    matches!(parse(text, None), Ok(_) | Err(Refusal::NeedsScale(_) | Refusal::TooLarge))
}

/// `value / divisor`, exactly, without trailing zeros.
pub fn divided(value: i128, divisor: Power) -> String {
    let number = BigDecimal::from_bigint(BigInt::from(value), i64::from(divisor.exponent()));
    number.normalized().to_plain_string()
}

impl Refusal {
    /// Why, and the remedy. `option` is how the scale is given here.
    pub fn explain(&self, text: &str, scale: Option<Power>, option: &str) -> (String, String) {
        let shown: String = text.chars().take(60).collect();
        match self {
            Self::Empty => {
                ("no value".to_owned(), "fill in or leave out missing values".to_owned())
            }
            Self::NotFinite => (
                format!("{shown:?} is not a finite number"),
                "fill in or leave out missing values".to_owned(),
            ),
            Self::NotANumber => {
                (format!("{shown:?} is not a number"), "choose numeric columns".to_owned())
            }
            Self::NeedsScale(places) => {
                let factor = scale.map_or_else(|| "1".to_owned(), |scale| scale.to_string());
                let message = format!("{shown} times {factor} is not an integer");
                let remedy = if *places <= LARGEST {
                    format!("{option}10^{places} keeps every decimal of it")
                } else {
                    format!("round the data: at most {LARGEST} decimals can be kept")
                };
                (message, remedy)
            }
            Self::TooLarge => {
                let factor = scale.map_or_else(String::new, |scale| format!(" times {scale}"));
                (format!("{shown}{factor} needs more than 127 bits"), "a smaller scale".to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn power(text: &str) -> Option<Power> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn powers_of_ten() {
        assert_eq!("1".parse(), Ok(Power(0)));
        assert_eq!("1000".parse(), Ok(Power(3)));
        assert_eq!("10^38".parse(), Ok(Power(38)));
        for wrong in ["0", "", "2", "10^39", "100^2", "10.0", "-10", "10^", "20", "01"] {
            assert!(wrong.parse::<Power>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn exact_or_refused() {
        assert_eq!(parse(" 17 ", None), Ok(17));
        assert_eq!(parse("17.00", None), Ok(17));
        assert_eq!(parse("17.99", power("100")), Ok(1799));
        assert_eq!(parse("-0.5", power("10^3")), Ok(-500));
        assert_eq!(parse("1e3", None), Ok(1000));
        assert_eq!(parse("0e-99999", None), Ok(0));
        assert_eq!(parse("17.990", power("10")), Err(Refusal::NeedsScale(2)));
        assert_eq!(parse("0.1", None), Err(Refusal::NeedsScale(1)));
        assert_eq!(parse("", None), Err(Refusal::Empty));
        assert_eq!(parse("NaN", None), Err(Refusal::NotFinite));
        assert_eq!(parse("-inf", power("10")), Err(Refusal::NotFinite));
        for wrong in ["abc", "1,5", "1_000", "0x10", "1.2.3", "--1", "1 2", "e5", "."] {
            assert_eq!(parse(wrong, None), Err(Refusal::NotANumber), "{wrong}");
        }
    }

    #[test]
    fn hostile_exponents_cost_nothing() {
        assert_eq!(parse("1e999999999", None), Err(Refusal::TooLarge));
        assert_eq!(parse("1e-999999999", None), Err(Refusal::NeedsScale(999_999_999)));
        assert!(parse("1e-9223372036854775808", power("10")).is_err());
        assert!(parse("1e99999999999999999999", None).is_err());
        assert_eq!(parse(&"9".repeat(401), None), Err(Refusal::NotANumber));
        assert_eq!(parse(&"9".repeat(39), None), Err(Refusal::TooLarge));
        assert_eq!(parse(&i128::MIN.to_string(), None), Ok(i128::MIN));
    }

    #[test]
    fn the_remedy_is_the_scale_that_works() {
        let refusal = parse("17.995", power("10")).unwrap_err();
        let (message, remedy) = refusal.explain("17.995", power("10"), "--scale ");
        assert!(message.contains("17.995 times 10^1"), "{message}");
        assert!(remedy.contains("--scale 10^3"), "{remedy}");
        assert_eq!(parse("17.995", power("10^3")), Ok(17_995));
    }

    proptest! {
        #[test]
        fn division_undoes_scaling(value: i64, exponent in 0u32..20) {
            let power = Power(exponent);
            let text = divided(i128::from(value), power);
            prop_assert_eq!(parse(&text, Some(power)), Ok(i128::from(value)));
        }
    }
}
