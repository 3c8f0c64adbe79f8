//! Every byte altered, with the checksum left wrong and made right; every truncation.

use super::lab::{Lab, RECIPES, records, rehash};
use cyclotron_schemes::Error;
use cyclotron_schemes::files::{Stored, inspect, read_parameters, write_parameters};
use cyclotron_schemes::vector::VectorContext;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Small files of every kind, each with a reader that also uses what it reads.
fn files(lab: &Lab) -> Vec<(String, Vec<u8>, Reader<'_>)> {
    let context = &*lab.context;
    let mut parameters = Vec::new();
    write_parameters(context.parameters(), &mut parameters).unwrap();
    let mut files: Vec<(String, Vec<u8>, Reader<'_>)> = vec![
        (
            "parameters".to_owned(),
            parameters,
            Box::new(|bytes| {
                let mut rest = bytes;
                let parameters = read_parameters(&mut rest)?;
                // A changed size is a different set: make it usable, or refuse.
                let small = parameters.first().degree() <= 64;
                if small {
                    VectorContext::new(&parameters, super::lab::engine()).map(|_| ())
                } else {
                    Ok(())
                }
            }),
        ),
        (
            "secret key".to_owned(),
            lab.secret.to_bytes(context).unwrap(),
            reader(lab, Lab::use_secret),
        ),
        (
            "public key".to_owned(),
            lab.public.to_bytes(context).unwrap(),
            reader(lab, Lab::use_public),
        ),
        ("keys".to_owned(), lab.keys.to_bytes(context).unwrap(), reader(lab, Lab::use_keys)),
    ];
    for sample in lab.samples() {
        let bytes = sample.vector.to_bytes(context).unwrap();
        files.push((sample.name.to_owned(), bytes, reader(lab, Lab::use_vector)));
    }
    files
}

type Reader<'a> = Box<dyn Fn(&[u8]) -> Result<(), Error> + 'a>;

fn reader<'a, T: Stored + 'a>(lab: &'a Lab, use_it: fn(&Lab, &T)) -> Reader<'a> {
    Box::new(move |bytes| {
        let object = T::from_bytes(&lab.context, bytes)?;
        use_it(lab, &object);
        Ok(())
    })
}

/// Reads, and turns a panic into a failure that says what was read.
fn read(reader: &Reader<'_>, bytes: &[u8], case: &str) -> Result<(), Error> {
    catch_unwind(AssertUnwindSafe(|| reader(bytes)))
        .unwrap_or_else(|_| panic!("{case}: the reader panicked"))
}

fn typed(error: &Error) -> bool {
    matches!(error, Error::File { .. } | Error::ParameterMismatch { .. })
}

#[test]
fn every_altered_byte_is_noticed() {
    for recipe in RECIPES {
        let lab = Lab::new(recipe);
        for (name, good, reader) in files(&lab) {
            let ranges = records(&good);
            read(&reader, &good, &name).unwrap();
            for at in 0..good.len() {
                for flip in [0x01, 0x80] {
                    let mut bytes = good.clone();
                    bytes[at] ^= flip;
                    let case = format!("{} {name}, byte {at} ^ {flip:#x}", recipe.name);
                    let error = read(&reader, &bytes, &case).expect_err(&case);
                    assert!(typed(&error), "{case}: {error}");
                    // Behind the header it is told from malformed contents.
                    let start = ranges.iter().rfind(|range| range.start <= at).unwrap().start;
                    let damaged = error.to_string().contains("damaged");
                    assert!(damaged || at - start < 56, "{case}: {error}");
                    assert!(inspect(&mut &bytes[..]).is_err(), "{case}: inspected");
                }
            }
        }
    }
}

#[test]
fn every_truncation_is_noticed() {
    for recipe in RECIPES {
        let lab = Lab::new(recipe);
        for (name, good, reader) in files(&lab) {
            let ends: Vec<usize> = records(&good).iter().map(|range| range.end).collect();
            for length in 0..good.len() {
                let case = format!("{} {name}, {length} bytes", recipe.name);
                let error = read(&reader, &good[..length], &case).expect_err(&case);
                assert!(matches!(error, Error::File { .. }), "{case}: {error}");
                // Inspection of whole records is right as far as it goes.
                assert_eq!(inspect(&mut &good[..length]).is_ok(), ends.contains(&length), "{case}");
            }
        }
    }
}

/// The validators behind the checksum: whatever passes them can be used without a panic.
#[test]
fn alterations_with_a_right_checksum_are_refused_or_harmless() {
    for recipe in RECIPES {
        let lab = Lab::new(recipe);
        for (name, good, reader) in files(&lab) {
            let ranges = records(&good);
            let (mut refused, mut passed) = (0, 0);
            for at in 0..good.len() {
                for flip in [0x01, 0x80] {
                    let mut bytes = good.clone();
                    bytes[at] ^= flip;
                    let range = ranges.iter().find(|range| range.contains(&at)).unwrap();
                    rehash(&mut bytes[range.clone()]);
                    let case = format!("{} {name}, byte {at} ^ {flip:#x}, hashed", recipe.name);
                    match read(&reader, &bytes, &case) {
                        // What stands in a header is never harmless.
                        Ok(()) if at - range.start < 56 => panic!("{case}: accepted"),
                        Ok(()) => passed += 1,
                        Err(_) => refused += 1,
                    }
                    let inspected = catch_unwind(|| inspect(&mut &bytes[..]).is_ok());
                    assert!(inspected.is_ok(), "{case}: inspection panicked");
                }
            }
            assert!(refused >= 2 * 56, "{} {name}: {refused} refused", recipe.name);
            assert!(passed > 0, "{} {name}: nothing passed", recipe.name);
        }
    }
}
