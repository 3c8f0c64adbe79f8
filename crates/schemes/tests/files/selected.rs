//! Some Galois keys of many.

use super::lab::{Lab, RECIPES, records};
use cyclotron_schemes::Error;
use cyclotron_schemes::files::Stored;
use cyclotron_schemes::rlwe::Mode;
use cyclotron_schemes::vector::{VectorEvaluationKeys, VectorEvaluator};

#[test]
fn only_what_was_asked_for_is_loaded_and_works() {
    for recipe in [RECIPES[0], RECIPES[3]] {
        let lab = Lab::new(recipe);
        let context = &*lab.context;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        lab.keys.save(context, &path).unwrap();
        let elements = lab.keys.galois_elements();
        let load = |elements: &[u64]| VectorEvaluationKeys::load_selected(context, &path, elements);

        let none = load(&[]).unwrap();
        assert!(none.has_relinearization() && none.galois_elements().is_empty());
        for &element in &elements {
            assert_eq!(load(&[element]).unwrap().galois_elements(), [element]);
        }
        // In any order, and twice.
        let reversed: Vec<u64> = elements.iter().rev().chain(&elements).copied().collect();
        let all = load(&reversed).unwrap();
        assert_eq!(all.to_bytes(context).unwrap(), lab.keys.to_bytes(context).unwrap());

        let step = context.galois_elements(&cyclotron_schemes::vector::Rotations::Steps(vec![1]));
        let one = load(&step).unwrap();
        let evaluator = VectorEvaluator::new(&lab.context, &one, Mode::Strict).unwrap();
        let sample = &lab.samples()[0];
        let rotated = lab.decrypt(&evaluator.rotate(&sample.vector, 1).unwrap());
        assert_eq!(rotated[0], sample.values[1]);
        assert!(matches!(evaluator.rotate(&sample.vector, 2), Err(Error::MissingKey { .. })));

        match load(&[elements[0], 99]).unwrap_err() {
            Error::MissingKey { wanted, present, .. } => {
                assert!(wanted.contains("99"));
                assert!(elements.iter().all(|e| present.contains(&e.to_string())));
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn keys_passed_over_are_not_read_but_the_length_is_checked() {
    let lab = Lab::new(RECIPES[0]);
    let context = &*lab.context;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let good = lab.keys.to_bytes(context).unwrap();
    let elements = lab.keys.galois_elements();
    let ranges = records(&good);
    assert_eq!(ranges.len(), 2 + elements.len());

    let mut bytes = good.clone();
    // In the middle of the second Galois key.
    bytes[ranges[3].start + 100] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let load = |elements: &[u64]| VectorEvaluationKeys::load_selected(context, &path, elements);
    assert!(load(&[elements[0], elements[2]]).is_ok());
    assert!(load(&[elements[1]]).unwrap_err().to_string().contains("damaged"));
    assert!(VectorEvaluationKeys::load(context, &path).is_err());

    for bytes in [&good[..good.len() - 1], &[&good[..], &[0]].concat()[..]] {
        std::fs::write(&path, bytes).unwrap();
        let text = load(&[elements[0]]).unwrap_err().to_string();
        assert!(text.contains("bytes where these keys take"), "{text}");
    }
    // Two keys in each other's place.
    let swapped = [
        &good[..ranges[2].start],
        &good[ranges[3].clone()],
        &good[ranges[2].clone()],
        &good[ranges[3].end..],
    ]
    .concat();
    std::fs::write(&path, &swapped).unwrap();
    assert!(load(&[elements[0]]).unwrap_err().to_string().contains("in the place of"));
    assert!(VectorEvaluationKeys::load(context, &path).is_err());
}
