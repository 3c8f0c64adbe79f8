//! The circuits of the study: one product modulo 2, two, and the paper's own `p = 32`.

use super::circuit::{Circuit, Outcome};
use super::{DEVICE, configuration, generator, parameters, refused, table};
use crate::arguments::Global;
use crate::failure::Result;
use crate::output::{self, Output};
use crate::progress::Progress;
use cyclotron_devices::{BgvConfiguration, open_bgv};
use cyclotron_schemes::bfv_pow2::DeviceError;
use cyclotron_schemes::bgv_word::{
    BgvDevice, BgvDeviceError, Command, Form, WordLiteral, WordParameters, WordPreset,
};
use serde::Serialize;

const FORM: Form = Form::Coefficients;

/// The sets of the three circuits.
const ONE_PRODUCT: &str = "PAPER_128_P2";
const TWO_PRODUCTS: &str = "TOY_128_DEPTH2";
const PAPER: &str = "PAPER_128";

/// What the command found.
#[derive(Debug, Serialize)]
pub struct Report {
    pub device: String,
    pub description: String,
    pub simulated: bool,
    pub processor: String,
    pub circuits: Vec<Outcome>,
    /// Always true: a difference is a failure of the command.
    pub identical: bool,
}

/// Runs every circuit on the device, and compares with the processor.
pub fn run(
    global: &Global,
    name: &str,
    acknowledged: bool,
    seed: u64,
    form: Form,
) -> Result<Output> {
    let built = configuration(name)?;
    let set = |preset| parameters(preset, built.degree, acknowledged);
    let (one, two, paper) = (set(ONE_PRODUCT)?, set(TWO_PRODUCTS)?, set(PAPER)?);
    if let Some(caution) = WordPreset::named(PAPER)?.caution {
        output::note(global, &format!("warning: NOT SECURE, for comparison only: {caution}"));
    }
    let mut rng = generator(seed);
    let progress = Progress::new(global, "circuits", 3);
    let mut circuits = Vec::new();
    let mut description = None;

    let mut device = open_bgv(&built.name, &one).map_err(refused)?;
    description.get_or_insert(device.describe().name);
    circuits.push(one_product().with_form(form).run(
        Some(&mut *device),
        ONE_PRODUCT,
        &one,
        &mut rng,
    )?);
    drop(device);
    progress.step();
    match open_serving(name, &built, &two)? {
        Some(mut device) => {
            circuits.push(two_products().with_form(form).run(
                Some(&mut *device),
                TWO_PRODUCTS,
                &two,
                &mut rng,
            )?);
        }
        None => {
            let nearest = as_built(&two, &built)?;
            let mut device = open_bgv(&built.name, &nearest).map_err(refused)?;
            let mut found = two_products().with_form(form).run(
                Some(&mut *device),
                "as built",
                &nearest,
                &mut rng,
            )?;
            found.note = Some(format!(
                "{} was built for {built}; {TWO_PRODUCTS} has Q = {} and {} bits a digit, which no \
                 register changes. The same commands with what it was built for:",
                built.name,
                table::product(&two.literal().factors),
                two.digit_bits()
            ));
            circuits.push(found);
            let mut found =
                two_products().with_form(form).run(None, TWO_PRODUCTS, &two, &mut rng)?;
            found.note = Some(format!("{TWO_PRODUCTS} on the processor alone:"));
            circuits.push(found);
        }
    }
    progress.step();
    let mut device = open_bgv(&built.name, &paper).map_err(refused)?;
    circuits.push(papers_product().with_form(form).run(
        Some(&mut *device),
        PAPER,
        &paper,
        &mut rng,
    )?);
    progress.step();
    drop(progress);

    let processor = open_bgv("cpu", &one).map_err(refused)?.describe().name;
    let report = Report {
        device: built.name.clone(),
        description: description.unwrap_or_default(),
        simulated: true,
        processor,
        circuits,
        identical: true,
    };
    Output::report(&report, table::text(&report))
}

/// The configuration that serves these parameters, if there is one behind this name.
fn open_serving(
    name: &str,
    built: &BgvConfiguration,
    parameters: &WordParameters,
) -> Result<Option<Box<dyn BgvDevice>>> {
    // A device named without a configuration is whichever of its configurations fits.
    let name = if name == DEVICE { DEVICE } else { &built.name };
    match open_bgv(name, parameters) {
        Ok(device) => Ok(Some(device)),
        Err(BgvDeviceError::Device(DeviceError::Mismatch { .. })) => Ok(None),
        Err(error) => Err(refused(error)),
    }
}

/// The same set with what a configuration has built in.
fn as_built(parameters: &WordParameters, built: &BgvConfiguration) -> Result<WordParameters> {
    Ok(WordParameters::new(WordLiteral {
        factors: built.factors.clone(),
        digit_bits: built.digit_bits,
        ..parameters.literal().clone()
    })?)
}

const fn encrypt(message: usize, to: usize) -> Command {
    Command::Encrypt { message, to, form: FORM }
}

const fn add(left: usize, right: usize, to: usize) -> Command {
    Command::Add { left, right, to, form: FORM }
}

const fn multiply(left: usize, right: usize, to: usize) -> Command {
    Command::Multiply { left, right, to, form: FORM }
}

const fn key_switch(from: usize, to: usize) -> Command {
    Command::KeySwitch { from, to, form: FORM }
}

const fn mod_switch(from: usize, to: usize) -> Command {
    Command::ModSwitch { from, to }
}

fn one_product() -> Circuit {
    Circuit {
        title: "(a + b) a + b",
        messages: 2,
        steps: vec![
            (encrypt(0, 2), "a"),
            (encrypt(1, 3), "b"),
            (add(2, 3, 4), "a + b"),
            (multiply(4, 2, 5), "(a + b) a"),
            (key_switch(5, 6), "(a + b) a"),
            (mod_switch(6, 7), "(a + b) a"),
            (mod_switch(3, 8), "b"),
            (add(7, 8, 9), "(a + b) a + b"),
            (Command::Decrypt { from: 9, to: 10 }, "(a + b) a + b"),
        ],
    }
}

fn two_products() -> Circuit {
    Circuit {
        title: "(a b) c",
        messages: 3,
        steps: vec![
            (encrypt(0, 3), "a"),
            (encrypt(1, 4), "b"),
            (encrypt(2, 5), "c"),
            (multiply(3, 4, 6), "a b"),
            (key_switch(6, 7), "a b"),
            (mod_switch(7, 8), "a b"),
            (mod_switch(5, 9), "c"),
            (multiply(8, 9, 10), "(a b) c"),
            (key_switch(10, 11), "(a b) c"),
            (Command::Decrypt { from: 11, to: 12 }, "(a b) c"),
        ],
    }
}

fn papers_product() -> Circuit {
    Circuit {
        title: "a b + a",
        messages: 2,
        steps: vec![
            (encrypt(0, 2), "a"),
            (encrypt(1, 3), "b"),
            (multiply(2, 3, 4), "a b"),
            (key_switch(4, 5), "a b"),
            (mod_switch(5, 6), "a b"),
            (mod_switch(2, 7), "a"),
            (add(6, 7, 8), "a b + a"),
            (Command::Decrypt { from: 8, to: 9 }, "a b + a"),
        ],
    }
}
