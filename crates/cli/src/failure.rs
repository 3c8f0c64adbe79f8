//! What the command refuses: one clear line, a remedy, a kind for programs, an exit code.

use cyclotron_engine::EngineError;
use cyclotron_ring::RingError;
use cyclotron_schemes::Error;
use cyclotron_schemes::bfv_pow2::DeviceError;
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// Exit code: the computation was refused.
pub const REFUSED: u8 = 1;
/// Exit code: the command line or the expression cannot be understood.
pub const USAGE: u8 = 2;
/// Exit code: a file is missing, unreadable or not what it should be.
pub const FILE: u8 = 3;

/// Result of a command or a part of it.
pub type Result<T> = std::result::Result<T, Failure>;

/// A refusal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// For programs: stable, lower case, one for each cause.
    pub kind: &'static str,
    /// One line with the values.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// The expression and where in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Exit code of the process.
    pub exit_code: u8,
}

/// A place in an expression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The expression.
    pub expression: String,
    /// First byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Failure {
    fn new(exit_code: u8, kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), remedy: None, place: None, exit_code }
    }

    /// A refused computation.
    pub fn refused(kind: &'static str, message: impl Into<String>) -> Self {
        Self::new(REFUSED, kind, message)
    }

    /// A command line that makes no sense.
    pub fn usage(kind: &'static str, message: impl Into<String>) -> Self {
        Self::new(USAGE, kind, message)
    }

    /// A file that is not what it should be.
    pub fn file(kind: &'static str, path: &Path, reason: impl fmt::Display) -> Self {
        Self::new(FILE, kind, format!("{}: {reason}", path.display()))
    }

    /// An input or output error of the system.
    pub fn io(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::file("not_found", path, "no such file or directory"),
            _ => Self::file("io", path, error),
        }
    }

    /// Adds what to do.
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Adds where in an expression.
    pub fn at(mut self, expression: &str, place: std::ops::Range<usize>) -> Self {
        let (start, end) = (place.start, place.end);
        // The innermost place is the most telling one.
        let expression = expression.to_owned();
        self.place.get_or_insert(Place { expression, start, end });
        self
    }

    /// Says first what it is about.
    pub fn about(mut self, what: impl fmt::Display) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// The same, because of a file: what is in it is refused.
    pub fn in_file(mut self, path: &Path) -> Self {
        self.exit_code = FILE;
        self.about(path.display())
    }

    /// Whether it is only that nobody reads the output any more.
    pub fn is_broken_pipe(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::BrokenPipe
    }

    /// The exit code.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.exit_code)
    }

    /// Prints to standard error; when that fails too, there is nobody to tell.
    pub fn print(&self, json: bool) {
        let text = if json {
            let error = serde_json::json!({ "error": self });
            error.to_string()
        } else {
            self.to_string()
        };
        let _ = writeln!(io::stderr(), "{text}");
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        if let Some(place) = &self.place {
            write!(f, "\n{place}")?;
        }
        if let Some(remedy) = &self.remedy {
            write!(f, "\n  try: {remedy}")?;
        }
        Ok(())
    }
}

/// Columns of an expression that are shown.
const SHOWN: usize = 90;

impl fmt::Display for Place {
    /// The expression, or what surrounds the place in a long one, with carets below.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Byte places become columns; tabs and line ends would shift the carets.
        let column =
            |byte: usize| self.expression.char_indices().take_while(|(at, _)| *at < byte).count();
        let characters: Vec<char> = self
            .expression
            .chars()
            .map(|c| if c.is_whitespace() || c.is_control() { ' ' } else { c })
            .collect();
        let (start, end) = (column(self.start), column(self.end));
        let first = if characters.len() <= SHOWN { 0 } else { start.saturating_sub(SHOWN / 2) };
        let last = characters.len().min(first + SHOWN);
        let text: String = characters[first..last].iter().collect();
        let carets = end.min(last).saturating_sub(start).max(1);
        write!(f, "  | {text}\n  | {}{}", " ".repeat(start - first), "^".repeat(carets))
    }
}

impl From<RingError> for Failure {
    fn from(error: RingError) -> Self {
        Self::from(Error::from(error))
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::from(Error::from(error))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        let (exit, kind, remedy) = classify(&error);
        let failure = Self::new(exit, kind, message);
        match remedy {
            Some(remedy) => failure.remedy(remedy),
            None => failure,
        }
    }
}

/// Exit code, kind, and the remedy in terms of this command.
fn classify(error: &Error) -> (u8, &'static str, Option<&'static str>) {
    match error {
        Error::Ring(RingError::SimdUnavailable { .. }) => (USAGE, "simd_unavailable", None),
        Error::Ring(_) => (REFUSED, "arithmetic", None),
        Error::Engine(EngineError::Configuration(_)) => (USAGE, "engine_configuration", None),
        Error::Engine(EngineError::OutOfMemory { .. }) => (REFUSED, "out_of_memory", None),
        Error::Engine(_) => (REFUSED, "engine", None),
        Error::Device(error) => device(error),
        Error::Parameter { .. } => (USAGE, "parameter", None),
        Error::Insecure { .. } => {
            (REFUSED, "insecure", Some("for tests and teaching only: --acknowledge-insecure"))
        }
        Error::NoParameters { .. } => (REFUSED, "no_parameters", None),
        Error::ParameterMismatch { .. } => (
            FILE,
            "parameter_mismatch",
            Some(
                "use the parameter file that keys and ciphertexts were made with (cyclotron inspect)",
            ),
        ),
        Error::NoiseExhausted { .. } => (
            REFUSED,
            "noise_exhausted",
            Some("new parameters: cyclotron params with a greater --depth"),
        ),
        Error::NoiseMeasured { .. } => (REFUSED, "noise_measured", None),
        Error::LevelMismatch { .. }
        | Error::FactorMismatch { .. }
        | Error::LevelOutOfRange { .. }
        | Error::NotLinear { .. } => (REFUSED, "level", None),
        Error::MissingKey { .. } => (
            REFUSED,
            "missing_key",
            Some("cyclotron keygen makes evaluation keys; --rotations chooses which"),
        ),
        Error::ValueOutOfRange { .. } => (
            REFUSED,
            "value_out_of_range",
            Some("new parameters: cyclotron params with more --bits"),
        ),
        Error::TooManyValues { .. } => (
            REFUSED,
            "too_many_values",
            Some("split the file, or new parameters: cyclotron params with more --slots"),
        ),
        Error::EncodingMismatch { .. } => (
            REFUSED,
            "encoding_mismatch",
            Some("vectors of one length; rotate(v, 0) is v followed by zeros in all places"),
        ),
        Error::NoSlots { .. } => (REFUSED, "no_slots", None),
        Error::File { .. } => (FILE, "format", None),
        _ => (REFUSED, "refused", None),
    }
}

fn device(error: &DeviceError) -> (u8, &'static str, Option<&'static str>) {
    match error {
        DeviceError::Unsupported { .. } => (USAGE, "device", Some("cyclotron engines lists them")),
        DeviceError::Mismatch { .. } => (
            REFUSED,
            "device_mismatch",
            Some("--device cpu, or parameters of a size that the device has (cyclotron engines)"),
        ),
        DeviceError::SeedZero => (REFUSED, "seed", None),
        DeviceError::CounterReused { .. } | DeviceError::CounterExhausted { .. } => {
            (REFUSED, "run_counter", None)
        }
        DeviceError::Timeout { .. } => (REFUSED, "device_timeout", None),
        _ => (REFUSED, "device_failed", None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_below_the_place_also_after_wide_characters_and_in_long_text() {
        let failure = Failure::usage("expression", "unknown").at("größe + z", 10..11);
        assert_eq!(failure.to_string(), "error: unknown\n  | größe + z\n  |         ^");
        let long = format!("{}z{}", "x+".repeat(400), "+x".repeat(400));
        let text = Failure::usage("expression", "unknown").at(&long, 800..801).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() <= 100));
        let caret = lines[2].find('^').unwrap();
        assert_eq!(lines[1].as_bytes()[caret], b'z');
    }

    #[test]
    fn the_first_place_is_kept() {
        let failure = Failure::usage("expression", "x").at("a+b", 0..1).at("a+b", 0..3);
        assert_eq!(failure.place.map(|place| place.end), Some(1));
    }

    #[test]
    fn errors_of_the_library_have_kind_and_exit_code() {
        let noise = Error::NoiseExhausted { operation: "mul", bound: 9.0, capacity: 8.0 };
        let failure = Failure::from(noise);
        assert_eq!((failure.exit_code, failure.kind), (REFUSED, "noise_exhausted"));
        assert!(failure.remedy.is_some_and(|remedy| remedy.contains("--depth")));
        let file = Error::File { what: "x".to_owned(), reason: "y".to_owned() };
        assert_eq!(Failure::from(file).exit_code, FILE);
        let parameter = Failure::from(Error::Parameter {
            what: "security level",
            value: "100".to_owned(),
            remedy: "choose 128".to_owned(),
        });
        assert_eq!(parameter.exit_code, USAGE);
        assert_eq!(parameter.in_file(Path::new("p.cyc")).exit_code, FILE);
    }
}
