//! NumPy's `.npy`: arrays of one or two dimensions, integers or (with a scale) floats.

use super::decimal::{self, Power, Refusal};
use super::{Column, Reading, choose};
use crate::failure::{Failure, Result};
use npyz::{AutoSerialize, NpyFile, NpyHeader, Order, TypeChar, WriterBuilder};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Longest header that is read, as in NumPy.
const LONGEST_HEADER: usize = 10_000;
/// Brackets in the header of a plain array: of the dictionary and of the shape.
const BRACKETS: usize = 2;

/// Reads columns of an array: the only one of a vector, those of a matrix.
pub fn read(path: &Path, reading: &Reading) -> Result<Vec<Column>> {
    let bytes = fs::read(path).map_err(|error| Failure::io(path, &error))?;
    let refused = |reason: String| Failure::file("npy", path, reason);
    check_header(&bytes).map_err(&refused)?;
    let mut data = &bytes[..];
    let header = NpyHeader::from_reader(&mut data).map_err(|error| refused(error.to_string()))?;
    let (rows, width) = match *header.shape() {
        [rows] => (rows, 1),
        [rows, width] => (rows, width),
        ref other => {
            let reason = format!("{} dimensions where 1 or 2 are read", other.len());
            return Err(refused(reason).remedy("reshape the array"));
        }
    };
    let item = header.dtype().num_bytes().unwrap_or(0) as u64;
    let expected = rows.checked_mul(width).and_then(|count| count.checked_mul(item));
    if expected != Some(data.len() as u64) || item == 0 {
        return Err(refused(format!(
            "{} bytes of data where shape {:?} of {} needs {}",
            data.len(),
            header.shape(),
            header.dtype().descr(),
            expected.map_or_else(|| "more than 2^64".to_owned(), |bytes| bytes.to_string())
        )));
    }
    if rows == 0 || width == 0 {
        return Err(Failure::file("empty", path, "the array has no values"));
    }
    let (rows, width) = (rows as usize, width as usize);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let names: Vec<String> = match header.shape() {
        [_] => vec![stem],
        _ => (0..width).map(|i| format!("{stem}_{i}")).collect(),
    };
    let places = choose(path, &names, &reading.columns)?;
    let order = header.order();
    let cells = Cells::read(path, header, data, reading.scale)?;
    let index = |row: usize, column: usize| match order {
        Order::C => row * width + column,
        Order::Fortran => column * rows + row,
    };
    let column = |&i: &usize| {
        let values = (0..rows).map(|row| {
            cells.get(index(row, i), reading.scale).map_err(|(text, refusal)| {
                let (message, remedy) = refusal.explain(&text, reading.scale, "--scale ");
                let place = format!("row {}, column `{}`", row + 1, names[i]);
                Failure::file("value", path, format!("{place}: {message}")).remedy(remedy)
            })
        });
        Ok(Column { name: names[i].clone(), values: values.collect::<Result<_>>()? })
    };
    places.iter().map(column).collect()
}

/// Refuses headers that are long or nested, as the parser behind is recursive, and shapes of more
/// values than a word counts: the parser multiplies them out unchecked, which wraps in a release
/// build and panics in one with overflow checks.
fn check_header(bytes: &[u8]) -> std::result::Result<(), String> {
    let truncated = || "truncated header".to_owned();
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err("not a .npy file".to_owned());
    }
    let at = |i: usize| bytes.get(i).copied().map(usize::from).ok_or_else(truncated);
    let (start, length) = match at(6)? {
        1 => (10, at(8)? | at(9)? << 8),
        _ => (12, at(8)? | at(9)? << 8 | at(10)? << 16 | at(11)? << 24),
    };
    if length > LONGEST_HEADER {
        return Err(format!("a header of {length} bytes, at most {LONGEST_HEADER} are read"));
    }
    let header = bytes.get(start..start + length).ok_or_else(truncated)?;
    if header.iter().filter(|byte| b"([{".contains(byte)).count() > BRACKETS {
        return Err("structured arrays are not read".to_owned());
    }
    // The only parenthesis opens the shape. What is no number there is the parser's to refuse; a
    // zero counts as one, since it multiplies parts of the shape too.
    let shape = header.split(|&byte| byte == b'(').nth(1).unwrap_or_default();
    let shape = shape.split(|&byte| byte == b')').next().unwrap_or_default();
    let counts = shape.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let product = counts
        .flat_map(std::str::from_utf8)
        .try_fold(1u64, |product, digits| product.checked_mul(digits.parse::<u64>().ok()?.max(1)));
    if product.is_none() {
        let shape = String::from_utf8_lossy(shape);
        return Err(format!("shape ({shape}): its product passes 2^64"));
    }
    Ok(())
}

/// Integers, or floats that a scale makes integers.
enum Cells {
    Integers(Vec<i128>),
    Floats(Vec<String>),
}

impl Cells {
    fn read(path: &Path, header: NpyHeader, data: &[u8], scale: Option<Power>) -> Result<Self> {
        let dtype = header.dtype();
        let unsupported = || {
            Failure::file("dtype", path, format!("dtype {} is not read", dtype.descr()))
                .remedy("arrays of int8 ... int64, uint8 ... uint64, float32 or float64")
        };
        let npyz::DType::Plain(kind) = &dtype else { return Err(unsupported()) };
        let float = kind.type_char() == TypeChar::Float;
        if float && scale.is_none() {
            return Err(Failure::file(
                "dtype",
                path,
                format!("dtype {} holds no integers", dtype.descr()),
            )
            .remedy(
                "--scale 10^k multiplies decimals exactly; --scale 1 for floats that are integers",
            ));
        }
        let file = NpyFile::with_header(header, data);
        macro_rules! values {
            ($own:ty, $into:expr) => {
                file.into_vec::<$own>()
                    .map_err(|error| Failure::file("npy", path, error))?
                    .into_iter()
                    .map($into)
                    .collect()
            };
        }
        Ok(match (kind.type_char(), kind.num_bytes()) {
            (TypeChar::Int, Some(1)) => Self::Integers(values!(i8, i128::from)),
            (TypeChar::Int, Some(2)) => Self::Integers(values!(i16, i128::from)),
            (TypeChar::Int, Some(4)) => Self::Integers(values!(i32, i128::from)),
            (TypeChar::Int, Some(8)) => Self::Integers(values!(i64, i128::from)),
            (TypeChar::Uint, Some(1)) => Self::Integers(values!(u8, i128::from)),
            (TypeChar::Uint, Some(2)) => Self::Integers(values!(u16, i128::from)),
            (TypeChar::Uint, Some(4)) => Self::Integers(values!(u32, i128::from)),
            (TypeChar::Uint, Some(8)) => Self::Integers(values!(u64, i128::from)),
            // The shortest decimal that reads back as the same float: what people see printed.
            (TypeChar::Float, Some(4)) => Self::Floats(values!(f32, |value| format!("{value:e}"))),
            (TypeChar::Float, Some(8)) => Self::Floats(values!(f64, |value| format!("{value:e}"))),
            _ => return Err(unsupported()),
        })
    }

    fn get(&self, i: usize, scale: Option<Power>) -> std::result::Result<i128, (String, Refusal)> {
        let exponent = scale.unwrap_or_default().exponent();
        match self {
            Self::Floats(texts) => {
                decimal::parse(&texts[i], scale).map_err(|refusal| (texts[i].clone(), refusal))
            }
            Self::Integers(values) => 10i128
                .checked_pow(exponent)
                .and_then(|power| values[i].checked_mul(power))
                .ok_or_else(|| (values[i].to_string(), Refusal::TooLarge)),
        }
    }
}

/// What an array holds.
pub enum Numbers {
    /// `int64`.
    Signed(Vec<i64>),
    /// `uint64`.
    Unsigned(Vec<u64>),
    /// `float64`.
    Float(Vec<f64>),
}

/// Writes an array in C order.
pub fn write(out: &mut dyn Write, path: &Path, shape: &[u64], numbers: &Numbers) -> Result<()> {
    let written = match numbers {
        Numbers::Signed(values) => put(out, shape, values),
        Numbers::Unsigned(values) => put(out, shape, values),
        Numbers::Float(values) => put(out, shape, values),
    };
    written.map_err(|error| Failure::io(path, &error))
}

fn put<T: AutoSerialize + Copy>(
    out: &mut dyn Write,
    shape: &[u64],
    values: &[T],
) -> io::Result<()> {
    let options = npyz::WriteOptions::new().default_dtype().shape(shape);
    let mut writer = options.writer(out).begin_nd()?;
    writer.extend(values.iter().copied())?;
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An array file with the given header text and data.
    fn array(header: &str, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
    }

    fn read_bytes(bytes: &[u8], scale: Option<&str>) -> Result<Vec<Column>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.npy");
        fs::write(&path, bytes).unwrap();
        let scale = scale.map(|scale| scale.parse().unwrap());
        read(&path, &Reading { scale, ..Reading::default() })
    }

    fn header(descr: &str, fortran: &str, shape: &str) -> String {
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}")
    }

    #[test]
    fn integers_of_every_width_order_and_end() {
        let data = [1u8, 2, 0xff, 0xfe];
        for (descr, expected) in [
            ("|i1", vec![1, 2, -1, -2]),
            ("|u1", vec![1, 2, 255, 254]),
            ("<i2", vec![0x0201, -257]),
            (">u2", vec![0x0102, 0xfffe]),
            ("<u4", vec![0xfeff_0201]),
            (">i4", vec![0x0102_fffe]),
        ] {
            let shape = format!("({},)", expected.len());
            let columns = read_bytes(&array(&header(descr, "False", &shape), &data), None).unwrap();
            assert_eq!(columns, [Column { name: "data".to_owned(), values: expected }], "{descr}");
        }
        let data: Vec<u8> = (1i64..=6).flat_map(i64::to_le_bytes).collect();
        for (fortran, first) in [("False", vec![1, 4]), ("True", vec![1, 2])] {
            let bytes = array(&header("<i8", fortran, "(2, 3)"), &data);
            let columns = read_bytes(&bytes, None).unwrap();
            assert_eq!(columns.len(), 3);
            assert_eq!((columns[0].name.as_str(), &columns[0].values), ("data_0", &first));
        }
        let scaled =
            read_bytes(&array(&header("<i8", "False", "(6,)"), &data), Some("100")).unwrap();
        assert_eq!(scaled[0].values[5], 600);
    }

    #[test]
    fn floats_need_a_scale_that_keeps_all_of_them() {
        let file = |values: &[f64]| {
            let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            array(&header("<f8", "False", &format!("({},)", values.len())), &data)
        };
        assert_eq!(read_bytes(&file(&[1.0]), None).unwrap_err().kind, "dtype");
        let columns = read_bytes(&file(&[17.99, -0.1, 3.0, 1e-2]), Some("100")).unwrap();
        assert_eq!(columns[0].values, [1799, -10, 300, 1]);
        assert_eq!(read_bytes(&file(&[5.0, -0.0]), Some("1")).unwrap()[0].values, [5, 0]);
        let failure = read_bytes(&file(&[1.0, 0.125]), Some("10")).unwrap_err();
        assert!(failure.message.contains("row 2, column `data`: 1.25e-1"), "{failure}");
        assert!(failure.remedy.unwrap().contains("10^3"));
        for wrong in [f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(
                read_bytes(&file(&[wrong]), Some("10")).unwrap_err().kind,
                "value",
                "{wrong}"
            );
        }
        let single = array(&header("<f4", "False", "(1,)"), &0.1f32.to_le_bytes());
        assert_eq!(read_bytes(&single, Some("10")).unwrap()[0].values, [1]);
    }

    #[test]
    fn damaged_and_hostile_files_are_refused() {
        let good = array(&header("<i4", "False", "(2,)"), &[1, 0, 0, 0, 2, 0, 0, 0]);
        assert!(read_bytes(&good, None).is_ok());
        for length in 0..good.len() {
            let failure = read_bytes(&good[..length], None).unwrap_err();
            assert_eq!(failure.exit_code, 3, "{length}");
        }
        let more = [&good[..], &[0]].concat();
        assert!(read_bytes(&more, None).unwrap_err().message.contains("9 bytes"));
        for (header, kind) in [
            (header("<i4", "False", "(18446744073709551615, 2)"), "npy"),
            (header("<i4", "False", "(0, 18446744073709551615, 2)"), "npy"),
            (header("<i4", "False", "(18446744073709551616,)"), "npy"),
            (header("<i4", "False", "(4611686018427387905,)"), "npy"),
            (header("<i4", "False", "(2, 1, 1)"), "npy"),
            (header("<i4", "False", "()"), "npy"),
            (header("<i4", "False", "(0,)"), "npy"),
            (header("|O", "False", "(2,)"), "npy"),
            (header("<c8", "False", "(1,)"), "dtype"),
            (header("|b1", "False", "(8,)"), "dtype"),
            (header("<M8[s]", "False", "(1,)"), "npy"),
            (
                "{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (1,), }".to_owned(),
                "npy",
            ),
            ("(".repeat(5000), "npy"),
        ] {
            let failure = read_bytes(&array(&header, &[1, 0, 0, 0, 2, 0, 0, 0]), None).unwrap_err();
            assert_eq!((failure.kind, failure.exit_code), (kind, 3), "{header}");
        }
        let huge = [b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(), vec![b' '; 64]].concat();
        assert!(read_bytes(&huge, None).unwrap_err().message.contains("at most"));
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, Path::new("x"), &[2, 2], &Numbers::Signed(vec![1, -2, 3, i64::MIN]))
            .unwrap();
        let columns = read_bytes(&bytes, None).unwrap();
        assert_eq!(columns[1].values, [-2, i128::from(i64::MIN)]);
        let mut bytes = Vec::new();
        write(&mut bytes, Path::new("x"), &[1], &Numbers::Unsigned(vec![u64::MAX])).unwrap();
        assert_eq!(read_bytes(&bytes, None).unwrap()[0].values, [i128::from(u64::MAX)]);
        let mut bytes = Vec::new();
        write(&mut bytes, Path::new("x"), &[1], &Numbers::Float(vec![0.25])).unwrap();
        assert_eq!(read_bytes(&bytes, Some("100")).unwrap()[0].values, [25]);
    }
}
