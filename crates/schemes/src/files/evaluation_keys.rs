//! Records of evaluation keys: the contents of the set, then each key as a record of its own, so
//! that a reader takes the keys it needs and passes over the others.

use super::header::RecordKind;
use super::keys::read_channels;
use super::polynomial::{Coder, polynomial_bytes};
use super::record::{RecordReader, RecordWriter, read_record, record_bytes, write_record};
use super::{MAX_CHANNELS, Stored, file_error, in_file, open};
use crate::error::{Error, Result};
use crate::rlwe::parameters::DEGREES;
use crate::rlwe::{Context, EvaluationKeys, GaloisKeys, RelinearizationKey, SwitchingKey};
use crate::vector::{VectorContext, VectorEvaluationKeys};
use cyclotron_ring::sample::Seed;
use std::collections::BTreeMap;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

/// Which keys a set has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) channels: u32,
    pub(super) relinearization: bool,
    /// Strictly ascending, odd.
    pub(super) elements: Vec<u64>,
}

impl Contents {
    /// Bytes of the payload before the elements.
    const FIXED: u64 = 12;

    fn of(keys: &VectorEvaluationKeys, context: &VectorContext) -> Result<Self> {
        for (channel, keys) in context.pairs(&keys.channels, "evaluation keys")? {
            for id in
                [keys.relinearization.as_ref().map(|k| k.id), keys.galois.as_ref().map(|k| k.id)]
            {
                id.map_or(Ok(()), |id| channel.context.check_id("evaluation keys", id))?;
            }
        }
        Ok(Self {
            channels: keys.channels.len() as u32,
            relinearization: keys.has_relinearization(),
            elements: keys.galois_elements(),
        })
    }

    fn payload(&self) -> u64 {
        Self::FIXED + 8 * self.elements.len() as u64
    }

    /// Bytes of the set: this record and those of the keys.
    fn total(&self, context: &VectorContext) -> Result<u64> {
        let relinearization =
            u64::from(self.relinearization) * record_bytes(payload(context, None)?);
        let one = record_bytes(payload(context, Some(1))?);
        Ok(record_bytes(self.payload()) + relinearization + self.elements.len() as u64 * one)
    }

    fn write(&self, writer: &mut RecordWriter<'_>) -> Result<()> {
        writer.u32(self.channels)?;
        writer.u32(u32::from(self.relinearization))?;
        writer.u32(self.elements.len() as u32)?;
        self.elements.iter().try_for_each(|&element| writer.u64(element))
    }

    /// Reads the contents; without a context, so that `inspect` can.
    pub(super) fn read(reader: &mut RecordReader<'_>) -> Result<Self> {
        let channels = reader.u32()?;
        if !(1..=MAX_CHANNELS).contains(&channels) {
            return reader.refuse(format!("{channels} channels where 1 to {MAX_CHANNELS} can be"));
        }
        let relinearization = match reader.u32()? {
            0 => false,
            1 => true,
            value => return reader.refuse(format!("{value} relinearisation keys; 0 or 1 can be")),
        };
        let (count, bound) = (reader.u32()?, 2 * DEGREES.1 as u64);
        let mut elements: Vec<u64> = Vec::new();
        for _ in 0..count {
            let element = reader.u64()?;
            // Ascending and bounded: so is the memory.
            let ascends = elements.last().is_none_or(|&last| last < element);
            if !ascends || element % 2 == 0 || element >= bound {
                return reader.refuse(format!(
                    "Galois element {element} is not odd, ascending and below {bound}"
                ));
            }
            elements.push(element);
        }
        Ok(Self { channels, relinearization, elements })
    }

    /// Reads the record of a set's contents and checks them against a context.
    fn read_for(context: &VectorContext, input: &mut dyn Read) -> Result<Self> {
        let (id, degree) = (context.parameters().id(), context.capacity() as u64);
        let lengths = Self::FIXED..=Self::FIXED + 8 * degree;
        read_record(input, RecordKind::EvaluationKeys, id, lengths, |reader| {
            let contents = Self::read(reader)?;
            let expected = context.contexts().len();
            if contents.channels as usize != expected {
                let found = contents.channels;
                return reader
                    .refuse(format!("{found} channels where the parameters have {expected}"));
            }
            match contents.elements.last() {
                Some(&last) if last >= 2 * degree => {
                    reader.refuse(format!("Galois element {last} is not below {}", 2 * degree))
                }
                _ => Ok(contents),
            }
        })
    }
}

impl Stored for VectorEvaluationKeys {
    fn size(&self, context: &VectorContext) -> Result<u64> {
        Contents::of(self, context)?.total(context)
    }

    fn write(&self, context: &VectorContext, out: &mut dyn Write) -> Result<()> {
        let contents = Contents::of(self, context)?;
        let id = context.parameters().id();
        let length = contents.payload();
        write_record(out, RecordKind::EvaluationKeys, id, length, |writer| contents.write(writer))?;
        if contents.relinearization {
            let keys = self.channels.iter().map(|keys| Ok(&keys.relinearization("write")?.key));
            write_key(out, context, None, keys.collect::<Result<_>>()?)?;
        }
        for &element in &contents.elements {
            let keys = self.channels.iter().map(|keys| keys.galois("write", element));
            write_key(out, context, Some(element), keys.collect::<Result<_>>()?)?;
        }
        Ok(())
    }

    fn read(context: &VectorContext, input: &mut dyn Read) -> Result<Self> {
        let contents = Contents::read_for(context, input)?;
        let mut set = KeySet::new(context);
        if contents.relinearization {
            set.relinearization = Some(read_key(input, context, None)?);
        }
        for &element in &contents.elements {
            set.galois.insert(element, read_key(input, context, Some(element))?);
        }
        Ok(set.finish())
    }
}

impl VectorEvaluationKeys {
    /// Loads, of the keys in a file, those of the given Galois elements and the relinearisation
    /// key if there is one. The others are passed over: neither read nor checked.
    ///
    /// # Errors
    /// [`Error::MissingKey`] for an element without a key; otherwise as [`Stored::load`].
    pub fn load_selected(context: &VectorContext, path: &Path, elements: &[u64]) -> Result<Self> {
        let file = open(path)?;
        let found = file.metadata().map_err(|error| io_error(&error)).map(|data| data.len());
        let mut input = BufReader::with_capacity(1 << 16, file);
        found
            .and_then(|found| select(context, &mut input, found, elements))
            .map_err(|error| in_file(path, error))
    }
}

fn select(
    context: &VectorContext,
    input: &mut (impl Read + Seek),
    found: u64,
    elements: &[u64],
) -> Result<VectorEvaluationKeys> {
    let contents = Contents::read_for(context, input)?;
    let expected = contents.total(context)?;
    if found != expected {
        let reason = format!("{found} bytes where these keys take {expected}; copy the file again");
        return Err(file_error("evaluation keys", reason));
    }
    let mut set = KeySet::new(context);
    if contents.relinearization {
        set.relinearization = Some(read_key(input, context, None)?);
    }
    let one = record_bytes(payload(context, Some(1))?);
    let first = expected - contents.elements.len() as u64 * one;
    for &element in elements {
        let place = contents.elements.binary_search(&element).map_err(|_| {
            let present: Vec<_> = contents.elements.iter().map(u64::to_string).collect();
            Error::MissingKey {
                operation: "load",
                wanted: format!("the key of Galois element {element}"),
                present: if present.is_empty() { "none".to_owned() } else { present.join(", ") },
                remedy: "generate it with the secret key and save the keys again".to_owned(),
            }
        })?;
        if set.galois.contains_key(&element) {
            continue;
        }
        let start = SeekFrom::Start(first + place as u64 * one);
        input.seek(start).map_err(|error| io_error(&error))?;
        set.galois.insert(element, read_key(input, context, Some(element))?);
    }
    Ok(set.finish())
}

fn io_error(error: &std::io::Error) -> Error {
    file_error("evaluation keys", format!("cannot be read: {error}"))
}

/// Keys as files have them, by key and then by channel, to be turned about.
struct KeySet<'a> {
    context: &'a VectorContext,
    relinearization: Option<Vec<SwitchingKey>>,
    galois: BTreeMap<u64, Vec<SwitchingKey>>,
}

impl<'a> KeySet<'a> {
    fn new(context: &'a VectorContext) -> Self {
        Self { context, relinearization: None, galois: BTreeMap::new() }
    }

    fn finish(self) -> VectorEvaluationKeys {
        let mut channels: Vec<EvaluationKeys> = Vec::new();
        let mut galois: Vec<GaloisKeys> = Vec::new();
        for context in self.context.contexts() {
            channels.push(EvaluationKeys::default());
            galois.push(GaloisKeys { id: context.id(), keys: BTreeMap::new() });
        }
        for (element, keys) in self.galois {
            for (own, key) in galois.iter_mut().zip(keys) {
                own.keys.insert(element, Arc::new(key));
            }
        }
        for (own, galois) in channels.iter_mut().zip(galois) {
            own.galois = (!galois.keys.is_empty()).then(|| Arc::new(galois));
        }
        let relinearization = self.relinearization.into_iter().flatten();
        for ((own, key), context) in
            channels.iter_mut().zip(relinearization).zip(self.context.contexts())
        {
            own.relinearization = Some(Arc::new(RelinearizationKey { id: context.id(), key }));
        }
        VectorEvaluationKeys { channels }
    }
}

/// Bytes of the payload of one key.
fn payload(context: &VectorContext, element: Option<u64>) -> Result<u64> {
    let mut bytes = 4 + if element.is_some() { 8 } else { 0 };
    for context in context.contexts() {
        let shape = SwitchingKey::bodies_shape(context)?;
        bytes += 32 + shape.batch as u64 * polynomial_bytes(shape.moduli(), shape.degree());
    }
    Ok(bytes)
}

fn kind(element: Option<u64>) -> RecordKind {
    if element.is_some() { RecordKind::GaloisKey } else { RecordKind::RelinearizationKey }
}

/// Channels, the Galois element if it is a Galois key, the seed of each channel, and then the
/// bodies of each channel, digit by digit.
fn write_key(
    out: &mut dyn Write,
    context: &VectorContext,
    element: Option<u64>,
    keys: Vec<&SwitchingKey>,
) -> Result<()> {
    let (id, length) = (context.parameters().id(), payload(context, element)?);
    write_record(out, kind(element), id, length, |writer| {
        writer.u32(keys.len() as u32)?;
        element.map_or(Ok(()), |element| writer.u64(element))?;
        keys.iter().try_for_each(|key| writer.bytes(key.seed.as_bytes()))?;
        context
            .contexts()
            .zip(keys)
            .try_for_each(|(context, key)| write_bodies(writer, context, key))
    })
}

fn write_bodies(
    writer: &mut RecordWriter<'_>,
    context: &Context,
    key: &SwitchingKey,
) -> Result<()> {
    let stream = context.stream();
    let mut coder = Coder::new(&stream);
    (0..key.digits()).try_for_each(|digit| coder.write(writer, &key.body(&stream, digit)?))
}

fn read_key(
    input: &mut dyn Read,
    context: &VectorContext,
    element: Option<u64>,
) -> Result<Vec<SwitchingKey>> {
    let (id, length) = (context.parameters().id(), payload(context, element)?);
    read_record(input, kind(element), id, length..=length, |reader| {
        read_channels(reader, context)?;
        if let Some(expected) = element {
            let found = reader.u64()?;
            if found != expected {
                return reader
                    .refuse(format!("is of Galois element {found} in the place of {expected}"));
            }
        }
        let seeds = context.contexts().map(|_| Ok(Seed::new(reader.array()?)));
        let seeds = seeds.collect::<Result<Vec<_>>>()?;
        context
            .contexts()
            .zip(seeds)
            .map(|(context, seed)| read_bodies(reader, context, seed))
            .collect()
    })
}

fn read_bodies(
    reader: &mut RecordReader<'_>,
    context: &Context,
    seed: Seed,
) -> Result<SwitchingKey> {
    let stream = context.stream();
    let shape = SwitchingKey::bodies_shape(context)?;
    let (single, mut coder) = (shape.with_batch(1), Coder::new(&stream));
    SwitchingKey::assemble(context, &stream, &shape, seed, |_| {
        Ok(stream.forward(coder.read(reader, &single)?)?)
    })
}
