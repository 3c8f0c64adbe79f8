//! Records of secret and public keys.

use super::bits::{SLACK, pack, packed_bytes, unpack};
use super::polynomial::{Coder, polynomial_bytes};
use super::record::{RecordReader, RecordWriter, read_record, record_bytes, write_record};
use super::{RecordKind, Stored};
use crate::error::Result;
use crate::rlwe::{Context, PublicKey};
use crate::vector::{VectorContext, VectorPublicKey, VectorSecretKey};
use cyclotron_ring::norms::{CanonicalEmbedding, secret_bound};
use cyclotron_ring::sample::{Seed, SmallPoly};
use std::io::{Read, Write};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bits of a coefficient of a secret key: `00` for 0, `01` for 1, `11` for -1.
const SECRET_BITS: u32 = 2;

/// The coefficients of the one polynomial of all channels, in two bits each, and nothing else.
impl Stored for VectorSecretKey {
    const SECRET: bool = true;

    fn size(&self, context: &VectorContext) -> Result<u64> {
        check(self, context)?;
        Ok(record_bytes(secret_payload(context)))
    }

    fn write(&self, context: &VectorContext, out: &mut dyn Write) -> Result<()> {
        let small = check(self, context)?;
        let (id, length) = (context.parameters().id(), secret_payload(context));
        write_record(out, RecordKind::SecretKey, id, length, |writer| write_secret(writer, small))
    }

    fn read(context: &VectorContext, input: &mut dyn Read) -> Result<Self> {
        let (id, length) = (context.parameters().id(), secret_payload(context));
        let small = read_record(input, RecordKind::SecretKey, id, length..=length, |reader| {
            read_secret(reader, context.capacity())
        })?;
        context.secret_key_from(small)
    }
}

/// The polynomial of a secret key, after checking that it belongs to the context.
fn check<'a>(key: &'a VectorSecretKey, context: &VectorContext) -> Result<&'a SmallPoly> {
    for (channel, key) in context.pairs(&key.channels, "secret key")? {
        channel.context.check_id("secret key", key.id)?;
    }
    Ok(&key.channels[0].small)
}

fn secret_payload(context: &VectorContext) -> u64 {
    secret_bytes(context.capacity())
}

/// Bytes of a secret polynomial.
pub(super) const fn secret_bytes(degree: usize) -> u64 {
    packed_bytes(degree, SECRET_BITS) as u64
}

pub(super) fn write_secret(writer: &mut RecordWriter<'_>, small: &SmallPoly) -> Result<()> {
    // Two's complement. Reserved whole, so that no copy is left behind by growth.
    let words: Vec<u64> = small.as_slice().iter().map(|&x| u64::from(x as u32 & 3)).collect();
    let words = Zeroizing::new(words);
    let mut packed = Zeroizing::new(Vec::with_capacity(packed_bytes(words.len(), SECRET_BITS)));
    pack(&words, SECRET_BITS, &mut packed);
    writer.bytes(&packed)
}

/// Neither branches nor indexes by a coefficient until all have been found to be legal.
pub(super) fn read_secret(reader: &mut RecordReader<'_>, degree: usize) -> Result<SmallPoly> {
    let bytes = packed_bytes(degree, SECRET_BITS);
    let mut packed = Zeroizing::new(vec![0; bytes + SLACK]);
    reader.exact(&mut packed[..bytes])?;
    let mut words = Zeroizing::new(vec![0; degree]);
    if !unpack(&packed, SECRET_BITS, &mut words) {
        return reader.refuse("the bits that fill the last byte are not zero");
    }
    // 2 has no meaning: the high bit without the low one.
    let illegal = words.iter().fold(0, |seen, &word| seen | ((word >> 1) & !word));
    if illegal != 0 {
        return reader.refuse("a coefficient is stored as 2 where 0, 1 and 3 are known");
    }
    // Sign extension of two bits.
    let ternary: Vec<i32> = words.iter().map(|&word| ((word as i32) << 30) >> 30).collect();
    let small = SmallPoly::from_coefficients(ternary);
    let real: Vec<f64> = small.as_slice().iter().map(|&x| f64::from(x)).collect();
    let real = Zeroizing::new(real);
    // Generated keys keep a margin of 2^-30, so that this holds on every processor.
    if CanonicalEmbedding::new(degree).norm(&real) > secret_bound(degree) {
        return reader.refuse(
            "the canonical norm of the key is above what noise bounds presume; \
             use a key that Cyclotron generated",
        );
    }
    Ok(small)
}

/// Per channel the seed of `a` and the polynomial `b`.
impl Stored for VectorPublicKey {
    fn size(&self, context: &VectorContext) -> Result<u64> {
        for (channel, key) in context.pairs(&self.channels, "public key")? {
            channel.context.check_id("public key", key.id)?;
        }
        Ok(record_bytes(public_payload(context)))
    }

    fn write(&self, context: &VectorContext, out: &mut dyn Write) -> Result<()> {
        self.size(context)?;
        let (id, length) = (context.parameters().id(), public_payload(context));
        write_record(out, RecordKind::PublicKey, id, length, |writer| {
            writer.u32(self.channels.len() as u32)?;
            self.channels.iter().try_for_each(|key| writer.bytes(key.seed.as_bytes()))?;
            let mut pairs = context.pairs(&self.channels, "public key")?;
            pairs.try_for_each(|(channel, key)| write_public(writer, &channel.context, key))
        })
    }

    fn read(context: &VectorContext, input: &mut dyn Read) -> Result<Self> {
        let (id, length) = (context.parameters().id(), public_payload(context));
        read_record(input, RecordKind::PublicKey, id, length..=length, |reader| {
            let seeds = read_seeds(reader, context)?;
            let channels = context
                .contexts()
                .zip(seeds)
                .map(|(context, seed)| read_public(reader, context, seed).map(Arc::new))
                .collect::<Result<_>>()?;
            Ok(Self { channels })
        })
    }
}

fn public_payload(context: &VectorContext) -> u64 {
    let parameters = context.parameters().first();
    let body = polynomial_bytes(parameters.moduli().iter().copied(), parameters.degree());
    4 + context.contexts().len() as u64 * (32 + body)
}

fn write_public(writer: &mut RecordWriter<'_>, context: &Context, key: &PublicKey) -> Result<()> {
    let stream = context.stream();
    let limbs = context.limbs(context.parameters().max_level());
    let body = stream.inverse(stream.select(&key.pair, &limbs, 0, 1)?)?;
    Coder::new(&stream).write(writer, &body)
}

fn read_public(reader: &mut RecordReader<'_>, context: &Context, seed: Seed) -> Result<PublicKey> {
    let stream = context.stream();
    let shape = context.shape(context.parameters().max_level(), 1)?;
    let body = stream.forward(Coder::new(&stream).read(reader, &shape)?)?;
    let mask = context.expand(&stream, &shape, &seed, 0)?;
    let pair = stream.stack(&[&body, &mask])?;
    Ok(PublicKey { id: context.id(), pair, seed })
}

/// The count of channels, which must be the context's.
pub(super) fn read_channels(reader: &mut RecordReader<'_>, context: &VectorContext) -> Result<()> {
    let (found, expected) = (reader.u32()?, context.contexts().len());
    if found as usize == expected {
        return Ok(());
    }
    reader.refuse(format!("{found} channels where the parameters have {expected}"))
}

/// The count of channels and the seed of each.
fn read_seeds(reader: &mut RecordReader<'_>, context: &VectorContext) -> Result<Vec<Seed>> {
    read_channels(reader, context)?;
    context.contexts().map(|_| Ok(Seed::new(reader.array()?))).collect()
}
