//! Waveforms: a typed error without the feature `fst`, a file with it.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]
#![cfg(feature = "sim")]

use cyclotron_devices::{BusError, SimBus};

#[test]
fn a_waveform_is_written_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy.fst");
    let mut bus = SimBus::open_named("bfv-crypt:toy16").unwrap();
    let result = bus.record(&path);
    if cfg!(feature = "fst") {
        result.unwrap();
        bus.step(1000).unwrap();
        drop(bus);
        assert!(std::fs::metadata(&path).unwrap().len() > 1000);
        let mut bus = SimBus::open_named("bfv-crypt:toy16").unwrap();
        let error = bus.record(&folder.path().join("no/such/folder/x.fst")).unwrap_err();
        assert!(matches!(error, BusError::System { .. }), "{error}");
    } else {
        let error = result.unwrap_err();
        assert!(
            matches!(&error, BusError::Unavailable { remedy, .. } if remedy.contains("fst")),
            "{error}"
        );
    }
}
