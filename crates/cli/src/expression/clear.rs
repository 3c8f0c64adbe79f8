//! Arithmetic in the clear: exact, or refused when it leaves 127 bits and a sign.

use super::Binary;

/// One number, or a vector of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clear {
    /// Stands for one in every place.
    Scalar(i128),
    /// One a place.
    Vector(Vec<i128>),
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// A result beyond 127 bits and a sign.
    Overflow,
    /// Vectors of different lengths.
    Lengths(usize, usize),
    /// An exponent that is negative or no scalar.
    Exponent,
    /// A rotation of public values.
    Rotation,
}

impl Clear {
    /// What it is, for messages.
    pub fn describe(&self) -> String {
        match self {
            Self::Scalar(_) => "a public number".to_owned(),
            Self::Vector(values) => format!("a public vector of {}", values.len()),
        }
    }

    /// The numbers.
    pub fn values(&self) -> &[i128] {
        match self {
            Self::Scalar(value) => std::slice::from_ref(value),
            Self::Vector(values) => values,
        }
    }

    fn map(&self, f: impl Fn(i128) -> Option<i128>) -> Result<Self, Trouble> {
        Ok(match self {
            Self::Scalar(value) => Self::Scalar(f(*value).ok_or(Trouble::Overflow)?),
            Self::Vector(values) => {
                let values = values.iter().map(|&value| f(value)).collect::<Option<_>>();
                Self::Vector(values.ok_or(Trouble::Overflow)?)
            }
        })
    }

    fn zip(&self, other: &Self, f: impl Fn(i128, i128) -> Option<i128>) -> Result<Self, Trouble> {
        match (self, other) {
            (_, Self::Scalar(b)) => self.map(|a| f(a, *b)),
            (Self::Scalar(a), _) => other.map(|b| f(*a, b)),
            (Self::Vector(a), Self::Vector(b)) if a.len() == b.len() => {
                let values = a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect::<Option<_>>();
                Ok(Self::Vector(values.ok_or(Trouble::Overflow)?))
            }
            (Self::Vector(a), Self::Vector(b)) => Err(Trouble::Lengths(a.len(), b.len())),
        }
    }

    /// `-a`.
    pub fn negate(&self) -> Result<Self, Trouble> {
        self.map(i128::checked_neg)
    }

    /// The sum of all values.
    pub fn sum(&self) -> Result<Self, Trouble> {
        let sum = self.values().iter().try_fold(0i128, |sum, &value| sum.checked_add(value));
        sum.map(Self::Scalar).ok_or(Trouble::Overflow)
    }

    /// An operation of two.
    pub fn binary(operation: Binary, a: &Self, b: &Self) -> Result<Self, Trouble> {
        match operation {
            Binary::Add => a.zip(b, i128::checked_add),
            Binary::Sub => a.zip(b, i128::checked_sub),
            Binary::Mul => a.zip(b, i128::checked_mul),
            Binary::Dot => a.zip(b, i128::checked_mul)?.sum(),
            Binary::Rotate => Err(Trouble::Rotation),
            Binary::Power => {
                let Self::Scalar(exponent) = *b else { return Err(Trouble::Exponent) };
                if exponent < 0 {
                    return Err(Trouble::Exponent);
                }
                // Only 0, 1 and -1 have powers that high; parity is all that counts for them.
                let capped = u32::try_from(exponent).unwrap_or(1 << 20 | (exponent & 1) as u32);
                a.map(|a| a.checked_pow(capped))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_spread_and_vectors_must_agree() {
        let (two, v) = (Clear::Scalar(2), Clear::Vector(vec![1, 2, 3]));
        assert_eq!(Clear::binary(Binary::Sub, &two, &v), Ok(Clear::Vector(vec![1, 0, -1])));
        assert_eq!(Clear::binary(Binary::Sub, &v, &two), Ok(Clear::Vector(vec![-1, 0, 1])));
        assert_eq!(Clear::binary(Binary::Dot, &v, &v), Ok(Clear::Scalar(14)));
        assert_eq!(Clear::binary(Binary::Dot, &v, &two), Ok(Clear::Scalar(12)));
        assert_eq!(Clear::binary(Binary::Dot, &two, &two), Ok(Clear::Scalar(4)));
        let w = Clear::Vector(vec![1, 2]);
        assert_eq!(Clear::binary(Binary::Add, &v, &w), Err(Trouble::Lengths(3, 2)));
        assert_eq!(Clear::binary(Binary::Rotate, &v, &two), Err(Trouble::Rotation));
    }

    #[test]
    fn overflow_is_refused() {
        let large = Clear::Scalar(i128::MAX);
        assert_eq!(Clear::binary(Binary::Add, &large, &Clear::Scalar(1)), Err(Trouble::Overflow));
        assert_eq!(Clear::Scalar(i128::MIN).negate(), Err(Trouble::Overflow));
        assert_eq!(Clear::Vector(vec![i128::MAX, 1]).sum(), Err(Trouble::Overflow));
    }

    #[test]
    fn powers() {
        let power = |a, b| Clear::binary(Binary::Power, &Clear::Scalar(a), &Clear::Scalar(b));
        assert_eq!(power(-3, 3), Ok(Clear::Scalar(-27)));
        assert_eq!(power(5, 0), Ok(Clear::Scalar(1)));
        assert_eq!(power(-1, (1 << 70) + 1), Ok(Clear::Scalar(-1)));
        assert_eq!(power(2, 1 << 70), Err(Trouble::Overflow));
        assert_eq!(power(2, -1), Err(Trouble::Exponent));
        let vector = Clear::Vector(vec![1]);
        assert_eq!(Clear::binary(Binary::Power, &vector, &vector), Err(Trouble::Exponent));
    }
}
