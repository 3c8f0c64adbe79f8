//! Records of encrypted vectors: what is known of all channels first, then the polynomials.

use super::header::RecordKind;
use super::polynomial::{Coder, polynomial_bytes};
use super::record::{RecordReader, RecordWriter, read_record, record_bytes, write_record};
use super::{MAX_CHANNELS, Stored};
use crate::error::Result;
use crate::rlwe::ciphertext::Quadratic;
use crate::rlwe::{Ciphertext, Context, SchemeKind};
use crate::vector::{Encoding, EncryptedVector, Layout, VectorContext};
use cyclotron_ring::norms::Norms;
use cyclotron_ring::sample::Seed;
use std::io::{Read, Write};

/// Bytes of the head before the channels.
const FIXED: u64 = 16;
/// Bytes of the head of a channel, without the seed.
const CHANNEL: u64 = 40;
/// Bytes of a seed.
const SEED: u64 = 32;

/// What a record says before the polynomials.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) layout: Layout,
    pub(super) channels: Vec<ChannelHead>,
}

/// What a record says of one channel.
#[derive(Debug, Clone)]
pub(super) struct ChannelHead {
    pub(super) level: usize,
    /// 2 or 3.
    pub(super) parts: u8,
    pub(super) transparent: bool,
    pub(super) factor: u64,
    /// As claimed by the writer.
    pub(super) noise: Norms,
    /// Of `c_1`, which is then not stored.
    pub(super) seed: Option<Seed>,
}

impl Head {
    fn of(vector: &EncryptedVector, context: &VectorContext) -> Result<Self> {
        let channels = context
            .pairs(&vector.channels, "ciphertext")?
            .map(|(channel, ciphertext)| {
                channel.context.check_id("ciphertext", ciphertext.id)?;
                Ok(ChannelHead {
                    level: ciphertext.level,
                    parts: ciphertext.parts() as u8,
                    transparent: ciphertext.transparent,
                    factor: ciphertext.factor,
                    noise: ciphertext.noise,
                    seed: ciphertext.seed,
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self { layout: vector.layout, channels })
    }

    /// Bytes of the whole payload.
    fn payload(&self, context: &VectorContext) -> u64 {
        let channels = self.channels.iter().zip(context.contexts());
        FIXED + channels.map(|(channel, context)| channel.payload(context)).sum::<u64>()
    }

    fn write(&self, writer: &mut RecordWriter<'_>) -> Result<()> {
        let Layout { encoding, signed, length, replicated, clean } = self.layout;
        let encoding = match encoding {
            Encoding::Slots => 0,
            Encoding::Coefficients => 1,
        };
        writer.u32(self.channels.len() as u32)?;
        writer.bytes(&[encoding, u8::from(signed), u8::from(replicated), u8::from(clean)])?;
        writer.u64(length as u64)?;
        self.channels.iter().try_for_each(|channel| channel.write(writer))
    }

    /// Reads the head; without a context, so that `inspect` can.
    pub(super) fn read(reader: &mut RecordReader<'_>) -> Result<Self> {
        let count = reader.u32()?;
        if !(1..=MAX_CHANNELS).contains(&count) {
            return reader.refuse(format!("{count} channels where 1 to {MAX_CHANNELS} can be"));
        }
        let encoding =
            if reader.flag("encoding")? { Encoding::Coefficients } else { Encoding::Slots };
        let signed = reader.flag("signed")?;
        let replicated = reader.flag("replicated")?;
        let clean = reader.flag("clean")?;
        let length = reader.u64()?;
        let Ok(length) = usize::try_from(length) else {
            return reader.refuse(format!("{length} values do not fit in the address space"));
        };
        if replicated && (length != 1 || encoding == Encoding::Coefficients) {
            return reader.refuse("replicated, but not one value in slots");
        }
        let layout = Layout { encoding, signed, length, replicated, clean };
        let channels = (0..count).map(|_| ChannelHead::read(reader)).collect::<Result<_>>()?;
        Ok(Self { layout, channels })
    }

    fn check(&self, reader: &RecordReader<'_>, context: &VectorContext) -> Result<()> {
        let (found, expected) = (self.channels.len(), context.contexts().len());
        if found != expected {
            return reader.refuse(format!("{found} channels where the parameters have {expected}"));
        }
        let (length, capacity) = (self.layout.length, context.capacity());
        if length > capacity {
            return reader.refuse(format!("{length} values where at most {capacity} fit"));
        }
        for (channel, context) in self.channels.iter().zip(context.contexts()) {
            channel.check(reader, context)?;
            let parameters = context.parameters();
            if self.layout.encoding == Encoding::Slots && !parameters.has_slots() {
                let t = parameters.plaintext_modulus().value();
                return reader
                    .refuse(format!("values in slots, which plaintext modulus {t} lacks"));
            }
        }
        let payload = self.payload(context);
        reader.require_length(payload..=payload)
    }
}

impl ChannelHead {
    fn payload(&self, context: &Context) -> u64 {
        let parameters = context.parameters();
        let moduli = parameters.moduli().iter().take(self.level + 1).copied();
        let polynomial = polynomial_bytes(moduli, parameters.degree());
        let stored = u64::from(self.parts) - u64::from(self.seed.is_some());
        let seed = if self.seed.is_some() { SEED } else { 0 };
        CHANNEL + seed + stored * polynomial
    }

    fn write(&self, writer: &mut RecordWriter<'_>) -> Result<()> {
        writer.u32(self.level as u32)?;
        let seeded = u8::from(self.seed.is_some());
        writer.bytes(&[self.parts, u8::from(self.transparent), seeded, 0])?;
        writer.u64(self.factor)?;
        for bound in [self.noise.inf_log2(), self.noise.l2_log2(), self.noise.can_log2()] {
            writer.f64(bound)?;
        }
        self.seed.as_ref().map_or(Ok(()), |seed| writer.bytes(seed.as_bytes()))
    }

    fn read(reader: &mut RecordReader<'_>) -> Result<Self> {
        let level = reader.u32()? as usize;
        let [parts] = reader.array()?;
        if !(2..=3).contains(&parts) {
            return reader.refuse(format!("{parts} polynomials where 2 or 3 can be"));
        }
        let transparent = reader.flag("transparent")?;
        let seeded = reader.flag("seeded")?;
        let [reserved] = reader.array()?;
        if reserved != 0 {
            return reader.refuse(format!("reserved byte is {reserved} where 0 is known"));
        }
        let factor = reader.u64()?;
        let bounds = [reader.f64()?, reader.f64()?, reader.f64()?];
        let noise = norms(reader, bounds)?;
        let seed = if seeded { Some(Seed::new(reader.array()?)) } else { None };
        if seeded && (parts != 2 || transparent || factor != 1) {
            return reader.refuse("a seed, which fresh ciphertexts alone have, in one that is not");
        }
        Ok(Self { level, parts, transparent, factor, noise, seed })
    }

    fn check(&self, reader: &RecordReader<'_>, context: &Context) -> Result<()> {
        let parameters = context.parameters();
        let (level, max) = (self.level, parameters.max_level());
        if level > max || (self.seed.is_some() && level != max) {
            let least = if self.seed.is_some() { max } else { 0 };
            return reader.refuse(format!("level {level} is outside [{least}, {max}]"));
        }
        let (factor, t) = (self.factor, parameters.plaintext_modulus());
        let legal = match parameters.scheme() {
            SchemeKind::Bfv => factor == 1,
            SchemeKind::Bgv => factor < t.value() && t.inv(factor).is_ok(),
        };
        if !legal {
            let (scheme, t) = (parameters.scheme(), t.value());
            return reader.refuse(format!("factor {factor} is none of {scheme} modulo {t}"));
        }
        Ok(())
    }
}

/// The bounds as they are; refuses what is no bound, or is not what a writer would write.
pub(super) fn norms(reader: &RecordReader<'_>, [inf, l2, can]: [f64; 3]) -> Result<Norms> {
    match Norms::from_parts(inf, l2, can) {
        Ok(norms) if (norms.inf_log2(), norms.l2_log2(), norms.can_log2()) == (inf, l2, can) => {
            Ok(norms)
        }
        _ => reader.refuse(format!(
            "noise bounds {inf}, {l2}, {can} are not finite logarithms in ascending order"
        )),
    }
}

impl Stored for EncryptedVector {
    fn size(&self, context: &VectorContext) -> Result<u64> {
        Ok(record_bytes(Head::of(self, context)?.payload(context)))
    }

    fn write(&self, context: &VectorContext, out: &mut dyn Write) -> Result<()> {
        let head = Head::of(self, context)?;
        let (id, length) = (context.parameters().id(), head.payload(context));
        write_record(out, RecordKind::Ciphertext, id, length, |writer| {
            head.write(writer)?;
            let mut channels = self.channels.iter().zip(context.contexts());
            channels.try_for_each(|(ciphertext, context)| write_parts(writer, context, ciphertext))
        })
    }

    fn read(context: &VectorContext, input: &mut dyn Read) -> Result<Self> {
        let id = context.parameters().id();
        let lengths = FIXED..=largest(context);
        read_record(input, RecordKind::Ciphertext, id, lengths, |reader| {
            let head = Head::read(reader)?;
            head.check(reader, context)?;
            let layout = head.layout;
            let channels = head
                .channels
                .into_iter()
                .zip(context.contexts())
                .map(|(head, context)| read_parts(reader, context, head))
                .collect::<Result<_>>()?;
            Ok(Self { channels, layout })
        })
    }
}

/// The longest payload that a ciphertext of these parameters can have.
fn largest(context: &VectorContext) -> u64 {
    let parameters = context.parameters().first();
    let polynomial = polynomial_bytes(parameters.moduli().iter().copied(), parameters.degree());
    FIXED + context.contexts().len() as u64 * (CHANNEL + SEED + 3 * polynomial)
}

fn write_parts(
    writer: &mut RecordWriter<'_>,
    context: &Context,
    ciphertext: &Ciphertext,
) -> Result<()> {
    let stream = context.stream();
    let mut coder = Coder::new(&stream);
    let limbs = context.limbs(ciphertext.level);
    let linear = if ciphertext.seed.is_some() { 1 } else { 2 };
    for part in 0..linear {
        let values = stream.select(&ciphertext.linear, &limbs, part, 1)?;
        coder.write(writer, &stream.inverse(values)?)?;
    }
    match &ciphertext.quadratic {
        Some(quadratic) => coder.write(writer, &quadratic.to_coefficients(&stream)?),
        None => Ok(()),
    }
}

fn read_parts(
    reader: &mut RecordReader<'_>,
    context: &Context,
    head: ChannelHead,
) -> Result<Ciphertext> {
    let ChannelHead { level, parts, transparent, factor, noise, seed } = head;
    let stream = context.stream();
    let mut coder = Coder::new(&stream);
    let shape = context.shape(level, 1)?;
    let first = stream.forward(coder.read(reader, &shape)?)?;
    let second = match &seed {
        Some(seed) => context.expand(&stream, &shape, seed, 0)?,
        None => stream.forward(coder.read(reader, &shape)?)?,
    };
    let linear = stream.stack(&[&first, &second])?;
    let quadratic = if parts == 3 {
        let part = coder.read(reader, &shape)?;
        // As the multiplication of the scheme leaves it.
        Some(match context.parameters().scheme() {
            SchemeKind::Bfv => Quadratic::Coefficient(part),
            SchemeKind::Bgv => Quadratic::Evaluation(stream.forward(part)?),
        })
    } else {
        None
    };
    let id = context.id();
    Ok(Ciphertext { id, linear, quadratic, level, noise, factor, seed, transparent })
}
