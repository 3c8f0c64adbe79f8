//! `bgv_word.Device` and `bgv_word.Ciphertext`.

use super::context::BgvKeys;
use crate::arrays::{Accept, Integers};
use crate::errors::{self, Exception};
use crate::pow2::shared::{Pow2Cost, SeedArgument};
use cyclotron_ring::sample::SecretSeed;
use cyclotron_schemes::bgv_word::{
    BgvDevice as Device, BgvResult, Command, Form, Refusal, WordCiphertext, WordContext,
    WordParameters,
};
use cyclotron_schemes::vector::Values;
use cyclotron_schemes::{Error, Result};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

/// What runs circuits: the processor, or a simulated accelerator. `Context.open` makes one.
///
/// It has numbered buffers, each with a message or a ciphertext. `run` takes a list of commands,
/// which goes through without the host: nothing of a ciphertext is read until `read_ciphertext`.
/// Keys, seed and buffers stay until they are replaced; with the last reference they are wiped.
///
/// >>> from cyclotron.bgv_word import decrypt, encrypt, key_switch, multiply
/// >>> word = cy.bgv_word.Context("N1024_Q26")
/// >>> device = word.open("cpu")
/// >>> device.load_keys(word.keygen())
/// >>> device.load_seed()
/// >>> device.write_message(0, [0, 1])  # the polynomial x
/// >>> circuit = [encrypt(0, 1), multiply(1, 1, 2), key_switch(2, 2), decrypt(2, 3)]
/// >>> cost = device.run(circuit)
/// >>> device.read_message(3)[:4]
/// array([0, 0, 1, 0])
#[pyclass(frozen, name = "Device", module = "cyclotron.bgv_word")]
pub struct BgvDevice {
    device: Mutex<Box<dyn Device>>,
    parameters: WordParameters,
    name: String,
    description: String,
    buffers: usize,
    simulated: bool,
}

#[pymethods]
impl BgvDevice {
    /// Loads the keys of encryption, key switching and decryption.
    ///
    /// Raises `DeviceMismatchError` for keys of other parameters.
    fn load_keys(&self, py: Python<'_>, keys: &Bound<'_, BgvKeys>) -> PyResult<()> {
        let keys = &keys.get().keys;
        self.call(py, |device| device.load_keys(keys))
    }

    /// Loads the seed of encryptions and the counter of the next run that encrypts, which counts up
    /// by itself. Without `insecure_seed` the seed is the operating system's; a given one (32
    /// bytes, or a number) repeats ciphertexts, for tests and comparisons alone.
    ///
    /// Raises `RunCounterError` for a counter below the next one of the same seed.
    #[pyo3(signature = (insecure_seed = None, *, run_counter = 0))]
    fn load_seed(
        &self,
        py: Python<'_>,
        insecure_seed: Option<SeedArgument>,
        run_counter: u64,
    ) -> PyResult<()> {
        let seed = match insecure_seed {
            Some(given) => given.seed().map_err(errors::scheme)?,
            None => SecretSeed::from_os().map_err(errors::ring)?,
        };
        self.call(py, |device| device.load_seed(&seed, run_counter))
    }

    /// Writes a message: up to n integers in `[0, p)`, the lowest coefficient first; the others are
    /// 0.
    ///
    /// Raises `ValueOutOfRangeError`, `TooManyValuesError`, `ArrayError`.
    fn write_message(
        &self,
        py: Python<'_>,
        buffer: usize,
        message: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let message = self.message(message)?;
        self.call(py, |device| device.write_message(buffer, &message))
    }

    /// Writes a ciphertext that a device of the same parameters gave.
    ///
    /// Raises `DeviceMismatchError` for other parameters.
    fn write_ciphertext(
        &self,
        py: Python<'_>,
        buffer: usize,
        ciphertext: &Bound<'_, BgvCiphertext>,
    ) -> PyResult<()> {
        let ciphertext = &ciphertext.get().ciphertext;
        self.call(py, |device| device.write_ciphertext(buffer, ciphertext))
    }

    /// Runs a list of commands (`bgv_word.encrypt` and so on), one after another, and gives its
    /// `Cost`. The list is checked as a whole before anything runs: what is refused changes
    /// nothing. `strict=False` runs what may decrypt wrongly, as the paper's device does.
    ///
    /// Raises `NoiseExhaustedError`, `LevelMismatchError`, `LevelOutOfRangeError`,
    /// `NotLinearError`, `MissingKeyError` for what was not loaded, `DeviceError`; the message names
    /// the command.
    #[pyo3(signature = (commands, *, strict = true))]
    fn run(&self, py: Python<'_>, commands: Vec<GivenCommand>, strict: bool) -> PyResult<Pow2Cost> {
        let commands: Result<Vec<Command>> = commands.iter().map(command).collect();
        let commands = commands.map_err(errors::scheme)?;
        let refusal = if strict { Refusal::Strict } else { Refusal::Paper };
        let cost = self.call(py, |device| {
            device.set_refusal(refusal);
            device.run(&commands)
        });
        cost.map(Pow2Cost)
    }

    /// Reads a message: n integers in `[0, p)`.
    ///
    /// Raises `DeviceError` where the buffer holds none.
    fn read_message<'py>(
        &self,
        py: Python<'py>,
        buffer: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let words = self.call(py, |device| {
            let mut words = Zeroizing::new(vec![0; self.parameters.degree()]);
            device.read_message(buffer, &mut words)?;
            Ok(words)
        })?;
        Ok(words.iter().map(|&word| word as i64).collect::<Vec<i64>>().into_pyarray(py))
    }

    /// Reads a ciphertext.
    ///
    /// Raises `DeviceError` where the buffer holds none.
    fn read_ciphertext(&self, py: Python<'_>, buffer: usize) -> PyResult<BgvCiphertext> {
        let ciphertext = self.call(py, |device| device.read_ciphertext(buffer))?;
        Ok(BgvCiphertext { ciphertext, parameters: self.parameters.clone() })
    }

    /// The name that it was opened by.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// What it is, for people.
    #[getter]
    fn description(&self) -> &str {
        &self.description
    }

    /// How many buffers it has.
    #[getter]
    fn buffers(&self) -> usize {
        self.buffers
    }

    /// Whether its cycles are those of a simulation.
    #[getter]
    fn simulated(&self) -> bool {
        self.simulated
    }

    fn __repr__(&self) -> String {
        format!("bgv_word.Device({:?}, {})", self.name, self.description)
    }
}

impl BgvDevice {
    pub fn open(py: Python<'_>, context: &Arc<WordContext>, name: &str) -> PyResult<Self> {
        let parameters = context.parameters();
        let device = py
            .detach(|| cyclotron_devices::open_bgv(name, parameters))
            .map_err(|error| errors::scheme(error.into()))?;
        let said = device.describe();
        Ok(Self {
            device: Mutex::new(device),
            parameters: parameters.clone(),
            name: name.to_owned(),
            description: said.name,
            buffers: said.buffers,
            simulated: said.simulated,
        })
    }

    /// The device. A panic in another thread leaves it as it was between two calls.
    fn lock(&self) -> MutexGuard<'_, Box<dyn Device>> {
        self.device.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn Device) -> BgvResult<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| work(&mut **self.lock())).map_err(|error| errors::scheme(error.into()))
    }

    /// The coefficients, and zeros for those that were not given.
    fn message(&self, values: &Bound<'_, PyAny>) -> PyResult<Zeroizing<Vec<u64>>> {
        let (degree, max) = (self.parameters.degree(), self.parameters.plain_modulus() - 1);
        let range = (0, max.into());
        let read = Integers::read(values, Accept::Vectors, range)?;
        let read = read.ok_or_else(|| not_integers(values))?;
        let wide: Zeroizing<Vec<i128>> = Zeroizing::new(match read.values()? {
            Values::I64(words) => words.iter().map(|&word| word.into()).collect(),
            Values::U64(words) => words.iter().map(|&word| word.into()).collect(),
            Values::I128(words) => words.to_vec(),
        });
        if wide.len() > degree {
            let (found, capacity) = (wide.len(), degree);
            return Err(errors::scheme(Error::TooManyValues { found, capacity }));
        }
        if let Some(index) = wide.iter().position(|&value| value < 0 || value > range.1) {
            return Err(errors::scheme(Error::ValueOutOfRange {
                index,
                value: wide[index].to_string(),
                min: range.0.to_string(),
                max: range.1.to_string(),
            }));
        }
        let mut words = Zeroizing::new(vec![0; degree]);
        for (word, &value) in words.iter_mut().zip(wide.iter()) {
            *word = value as u64;
        }
        Ok(words)
    }
}

fn not_integers(object: &Bound<'_, PyAny>) -> PyErr {
    let remedy = "give a list or array of integers";
    let name = object.get_type().name().map_or_else(|_| "object".to_owned(), |n| n.to_string());
    Exception::new(object.py(), "ArrayError", format!("a {name}; {remedy}"))
        .with("dtype", name)
        .with("remedy", remedy)
        .error()
}

/// `bgv_word.Command`: the name, the buffers of the operands, that of the result, and whether the
/// result is kept as evaluations.
type GivenCommand = (String, Vec<usize>, usize, bool);

/// The command, from what Python calls it.
fn command((name, operands, to, evaluations): &GivenCommand) -> Result<Command> {
    let form = if *evaluations { Form::Evaluations } else { Form::Coefficients };
    let to = *to;
    match (name.as_str(), operands[..].as_ref()) {
        ("encrypt", &[message]) => Ok(Command::Encrypt { message, to, form }),
        ("add", &[left, right]) => Ok(Command::Add { left, right, to, form }),
        ("multiply", &[left, right]) => Ok(Command::Multiply { left, right, to, form }),
        ("key-switch", &[from]) => Ok(Command::KeySwitch { from, to, form }),
        ("mod-switch", &[from]) => Ok(Command::ModSwitch { from, to }),
        ("decrypt", &[from]) => Ok(Command::Decrypt { from, to }),
        (name, operands) => Err(Error::Parameter {
            what: "command",
            value: format!("{name} of {} operands", operands.len()),
            remedy: "make commands by cyclotron.bgv_word.encrypt, add, multiply, key_switch, \
                     mod_switch and decrypt"
                .to_owned(),
        }),
    }
}

/// A ciphertext outside of a device. Immutable; equal are those of the same parameters, level and
/// words, wherever they come from.
#[pyclass(frozen, eq, skip_from_py_object, name = "Ciphertext", module = "cyclotron.bgv_word")]
#[derive(Clone)]
pub struct BgvCiphertext {
    ciphertext: WordCiphertext,
    parameters: WordParameters,
}

impl PartialEq for BgvCiphertext {
    /// What is known of the noise remembers encryptions one by one, on every device anew.
    fn eq(&self, other: &Self) -> bool {
        let (left, right) = (&self.ciphertext, &other.ciphertext);
        left.id() == right.id() && left.level() == right.level() && left.parts() == right.parts()
    }
}

#[pymethods]
impl BgvCiphertext {
    /// Its polynomials as an array of `uint64`: two rows, or three of a product, of n words in
    /// `[0, Q_l)`.
    #[getter]
    fn words<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        Ok(PyArray2::from_vec2(py, self.ciphertext.parts())?)
    }

    /// How many factors are left beyond the first.
    #[getter]
    fn level(&self) -> usize {
        self.ciphertext.level()
    }

    /// Polynomials: 2, or 3 of a product that is not key switched.
    #[getter]
    fn parts(&self) -> usize {
        self.ciphertext.parts().len()
    }

    /// What the noise passes with probability `2^-40` at most.
    #[getter]
    fn noise_bound(&self) -> f64 {
        self.parameters.noise().bound(self.ciphertext.noise())
    }

    /// The most noise that decrypts at its level.
    #[getter]
    fn noise_limit(&self) -> f64 {
        self.parameters.noise().limit(self.level())
    }

    fn __repr__(&self) -> String {
        let (level, parts) = (self.level(), self.parts());
        let (bound, limit) = (self.noise_bound(), self.noise_limit());
        format!(
            "bgv_word.Ciphertext(level {level}, {parts} polynomials, noise up to {bound:.0} of \
             {limit:.0})"
        )
    }
}
