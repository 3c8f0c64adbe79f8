//! What a file holds, told without any key.

use super::header::{RecordKind, VERSION};
use super::record::{RecordReader, record_bytes};
use super::{
    MAX_CHANNELS, ciphertext, evaluation_keys, file_error, in_file, open, parameters, pow2,
    pow2_vector,
};
use crate::bfv_pow2::Pow2Parameters;
use crate::error::Result;
use crate::rlwe::ParametersId;
use crate::vector::VectorParameters;
use cyclotron_ring::Modulus;
use std::io::{BufReader, Read};
use std::path::Path;

/// One record of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordInfo {
    /// What it holds.
    pub kind: RecordKind,
    /// Version of the format.
    pub version: u16,
    /// Identity of the parameters that it belongs to.
    pub parameters: ParametersId,
    /// Bytes of the record, header and checksum included.
    pub bytes: u64,
    /// Names and values for people, the same names for every record of a kind.
    pub summary: Vec<(String, String)>,
}

/// What every record of `input` holds, up to its end.
///
/// Headers and what stands before polynomials are checked as far as that goes without the
/// parameters, and every checksum; polynomials are not. Little memory is taken, whatever the input
/// announces.
///
/// # Errors
/// [`crate::Error::File`] for what is damaged, malformed, of another version, or empty.
pub fn inspect(input: &mut dyn Read) -> Result<Vec<RecordInfo>> {
    let mut records = Vec::new();
    while let Some(reader) = RecordReader::begin(&mut *input)? {
        let header = reader.header();
        let summary = reader.complete(|reader| {
            let summary = summary(reader)?;
            reader.skip()?;
            Ok(summary)
        })?;
        records.push(RecordInfo {
            kind: header.kind,
            version: VERSION,
            parameters: header.id,
            bytes: record_bytes(header.length),
            summary,
        });
    }
    if records.is_empty() {
        return Err(file_error("record", "is empty: 0 bytes"));
    }
    Ok(records)
}

/// What every record of a file holds.
///
/// # Errors
/// As [`inspect`], with the path.
pub fn inspect_path(path: &Path) -> Result<Vec<RecordInfo>> {
    let mut input = BufReader::with_capacity(1 << 16, open(path)?);
    inspect(&mut input).map_err(|error| in_file(path, error))
}

type Summary = Vec<(String, String)>;

fn line(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

fn summary(reader: &mut RecordReader<'_>) -> Result<Summary> {
    match reader.header().kind {
        RecordKind::Parameters => Ok(of_parameters(&parameters::payload(reader)?)),
        // Two bits a coefficient.
        RecordKind::SecretKey | RecordKind::Pow2SecretKey => {
            Ok(vec![line("ring degree", reader.remaining().saturating_mul(4))])
        }
        RecordKind::PublicKey | RecordKind::RelinearizationKey => {
            Ok(vec![line("channels", channels(reader)?)])
        }
        RecordKind::GaloisKey => {
            let channels = channels(reader)?;
            Ok(vec![line("channels", channels), line("galois element", reader.u64()?)])
        }
        RecordKind::Ciphertext => Ok(of_ciphertext(&ciphertext::Head::read(reader)?)),
        RecordKind::EvaluationKeys => {
            let contents = evaluation_keys::Contents::read(reader)?;
            Ok(vec![
                line("channels", contents.channels),
                line("relinearisation", yes(contents.relinearization)),
                line("galois elements", list(contents.elements)),
            ])
        }
        RecordKind::Pow2Parameters => Ok(of_pow2_parameters(&pow2::parameters_payload(reader)?)),
        RecordKind::Pow2PublicKey | RecordKind::Pow2RelinearizationKey => {
            Ok(vec![line("bytes of the polynomial", reader.remaining().saturating_sub(32))])
        }
        RecordKind::Pow2Ciphertext => {
            let head = pow2::Head::read(reader)?;
            let noise = format!("{:.1}", head.noise.inf_log2());
            Ok(vec![line("parts", head.parts), line("claimed noise, log2", noise)])
        }
        RecordKind::Pow2Vector => {
            let contents = pow2_vector::Contents::read(reader)?;
            Ok(vec![
                line("ciphertexts", contents.ciphertexts),
                line("signed", yes(contents.signed)),
                line("length", contents.length),
            ])
        }
    }
}

fn channels(reader: &mut RecordReader<'_>) -> Result<u32> {
    let found = reader.u32()?;
    if (1..=MAX_CHANNELS).contains(&found) {
        return Ok(found);
    }
    reader.refuse(format!("{found} channels where 1 to {MAX_CHANNELS} can be"))
}

fn of_parameters(parameters: &VectorParameters) -> Summary {
    let first = parameters.first();
    let bits = |moduli: &[Modulus]| list(moduli.iter().map(|q| q.bits()));
    vec![
        line("scheme", first.scheme()),
        line("ring degree", first.degree()),
        line("plaintext moduli", list(parameters.plaintext().moduli().iter().map(|t| t.value()))),
        line("bits of the primes of Q", bits(first.moduli())),
        line("bits of the primes of P", bits(first.special_moduli())),
        line("log2(QP)", format!("{:.1}", first.log_qp())),
    ]
}

fn of_pow2_parameters(parameters: &Pow2Parameters) -> Summary {
    vec![
        line("scheme", "bfv modulo a power of two"),
        line("ring degree", parameters.degree()),
        line("log2(q)", parameters.log_q()),
        line("log2(t)", parameters.log_t()),
        line("log2(p) of relinearisation", parameters.log_p()),
    ]
}

fn of_ciphertext(head: &ciphertext::Head) -> Summary {
    let of = |value: fn(&ciphertext::ChannelHead) -> String| {
        let values: Vec<String> = head.channels.iter().map(value).collect();
        let alike = values.windows(2).all(|pair| pair[0] == pair[1]);
        if alike { values.into_iter().take(1).collect() } else { values.join(", ") }
    };
    vec![
        line("layout", head.layout),
        line("channels", head.channels.len()),
        line("level", of(|channel| channel.level.to_string())),
        line("parts", of(|channel| channel.parts.to_string())),
        line("seeded", of(|channel| yes(channel.seed.is_some()))),
        line("transparent", of(|channel| yes(channel.transparent))),
        line("factor", of(|channel| channel.factor.to_string())),
        line("claimed noise, log2", of(|channel| format!("{:.1}", channel.noise.inf_log2()))),
    ]
}

fn yes(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

fn list(values: impl IntoIterator<Item = impl ToString>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    if values.is_empty() { "none".to_owned() } else { values.join(", ") }
}
