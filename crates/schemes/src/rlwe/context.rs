//! A parameter set on an engine: the ring, its limb sets, and the plans of every level.

use super::literal::{DigitChoice, ErrorDistribution, SchemeKind};
use super::parameters::{Parameters, ParametersId};
use super::scheme::Scheme;
use crate::bfv::Bfv;
use crate::bgv::Bgv;
use crate::error::{Error, Result};
use cyclotron_engine::{
    Coefficient, DecomposePlan, Engine, Evaluation, KeySwitchPlan, Limb, LimbSet, Poly, Ring,
    Shape, Stream,
};
use cyclotron_ring::Modulus;
use cyclotron_ring::rns::RnsBasis;
use cyclotron_ring::sample::{GaussianSampler, SecretRng, SmallPoly, small};
use std::sync::{Arc, OnceLock};
use zeroize::Zeroizing;

/// Immutable and `Send + Sync`; shared by keys, encryptors and evaluators.
#[derive(Debug)]
pub struct Context {
    parameters: Parameters,
    engine: Arc<dyn Engine>,
    ring: Arc<Ring>,
    /// Limbs of `Q`, by level a prefix; then those of `P`.
    main: LimbSet,
    special: LimbSet,
    gaussian: Option<GaussianSampler>,
    /// Key-switching plans by level, made on first use.
    switching: Vec<OnceLock<Arc<KeySwitchPlan>>>,
    scheme: Box<dyn Scheme>,
}

impl Context {
    /// Puts parameters on an engine.
    ///
    /// # Errors
    /// [`Error::Engine`] when the engine does not support the ring or an operation.
    pub fn new(parameters: &Parameters, engine: &Arc<dyn Engine>) -> Result<Arc<Self>> {
        let degree = parameters.degree();
        let auxiliary = match parameters.scheme() {
            SchemeKind::Bfv => Bfv::auxiliary_moduli(parameters)?,
            SchemeKind::Bgv => Vec::new(),
        };
        let counts =
            [parameters.moduli().len(), parameters.special_moduli().len(), auxiliary.len()];
        let moduli =
            parameters.moduli().iter().chain(parameters.special_moduli()).chain(&auxiliary);
        let limbs =
            moduli.map(|&q| Limb::prime(degree, q)).collect::<std::result::Result<Vec<_>, _>>()?;
        let ring = Ring::new(degree, limbs)?;
        engine.prepare(&ring)?;

        let main = LimbSet::new(0..counts[0]);
        let special = LimbSet::new(counts[0]..counts[0] + counts[1]);
        let extension = LimbSet::new(counts[0] + counts[1]..counts.iter().sum());
        let scheme: Box<dyn Scheme> = match parameters.scheme() {
            SchemeKind::Bfv => Box::new(Bfv::new(parameters, &auxiliary, &main, &extension)?),
            SchemeKind::Bgv => Box::new(Bgv::new(parameters, &main)?),
        };
        let gaussian = match parameters.literal().error {
            ErrorDistribution::Gaussian(sigma) => Some(GaussianSampler::new(sigma)?),
            ErrorDistribution::Binomial(_) => None,
        };
        Ok(Arc::new(Self {
            parameters: parameters.clone(),
            engine: Arc::clone(engine),
            ring,
            switching: main.iter().map(|_| OnceLock::new()).collect(),
            main,
            special,
            gaussian,
            scheme,
        }))
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.parameters.id()
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.engine
    }

    /// A stream of work on the engine.
    #[must_use]
    pub fn stream(&self) -> Stream {
        Stream::new(&self.engine)
    }

    /// Where BFV and BGV differ.
    #[must_use]
    pub fn scheme(&self) -> &dyn Scheme {
        &*self.scheme
    }

    /// The ring with all its limbs.
    #[must_use]
    pub fn ring(&self) -> &Arc<Ring> {
        &self.ring
    }

    /// The limbs of `Q` at a level.
    #[must_use]
    pub fn limbs(&self, level: usize) -> LimbSet {
        self.main.prefix(level.saturating_add(1))
    }

    /// The limbs of `P`.
    #[must_use]
    pub fn special_limbs(&self) -> &LimbSet {
        &self.special
    }

    /// The limbs of `Q` and `P`: what keys are held over.
    #[must_use]
    pub fn key_limbs(&self) -> LimbSet {
        self.main.concat(&self.special)
    }

    /// The shape of `batch` polynomials over the limbs of `Q` at a level.
    ///
    /// # Errors
    /// [`Error::LevelOutOfRange`].
    pub fn shape(&self, level: usize, batch: usize) -> Result<Shape> {
        self.check_level(level, self.parameters.max_level())?;
        Ok(Shape::new(&self.ring, &self.limbs(level), batch)?)
    }

    /// The shape of `batch` polynomials over the limbs of `Q` and `P`.
    ///
    /// # Errors
    /// Never for a well-formed context.
    pub fn key_shape(&self, batch: usize) -> Result<Shape> {
        Ok(Shape::new(&self.ring, &self.key_limbs(), batch)?)
    }

    /// The residue number system of the limbs of `Q` at a level.
    ///
    /// # Errors
    /// [`Error::LevelOutOfRange`].
    pub fn basis(&self, level: usize) -> Result<RnsBasis> {
        self.check_level(level, self.parameters.max_level())?;
        Ok(RnsBasis::new(&self.parameters.moduli()[..=level])?)
    }

    /// Refuses a level above `max`.
    ///
    /// # Errors
    /// [`Error::LevelOutOfRange`].
    pub fn check_level(&self, level: usize, max: usize) -> Result<()> {
        if level > max {
            return Err(Error::LevelOutOfRange { level, min: 0, max });
        }
        Ok(())
    }

    /// Refuses an object of other parameters.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`] with both identities.
    pub fn check_id(&self, what: &'static str, id: ParametersId) -> Result<()> {
        if id == self.id() {
            return Ok(());
        }
        Err(Error::ParameterMismatch {
            what,
            found: id.to_string(),
            expected: self.id().to_string(),
        })
    }

    /// How the digits of key switching are taken at a level.
    ///
    /// # Errors
    /// [`Error::LevelOutOfRange`].
    pub fn switching_plan(&self, level: usize) -> Result<Arc<KeySwitchPlan>> {
        self.check_level(level, self.parameters.max_level())?;
        let slot = &self.switching[level];
        if let Some(plan) = slot.get() {
            return Ok(Arc::clone(plan));
        }
        let source = self.limbs(level);
        let target = source.concat(&self.special);
        let decompose = match self.parameters.literal().digits {
            DigitChoice::Limbs(group) => {
                DecomposePlan::groups(&self.ring, &source, &target, group)?
            }
            DigitChoice::Words(bits) => DecomposePlan::words(&self.ring, &source, &target, bits)?,
        };
        let plaintext = self.scheme.error_scale();
        let plan = KeySwitchPlan::new(&self.ring, decompose, &self.special, plaintext)?;
        Ok(Arc::clone(slot.get_or_init(|| Arc::new(plan))))
    }

    /// A fresh error polynomial.
    ///
    /// # Errors
    /// Never for checked parameters.
    pub fn sample_error(&self, rng: &mut SecretRng) -> Result<SmallPoly> {
        let degree = self.parameters.degree();
        match (&self.gaussian, self.parameters.literal().error) {
            (Some(sampler), _) => Ok(SmallPoly::gaussian(rng, degree, sampler)),
            (None, ErrorDistribution::Binomial(k)) => Ok(SmallPoly::binomial(rng, degree, k)?),
            (None, ErrorDistribution::Gaussian(sigma)) => {
                Ok(SmallPoly::gaussian(rng, degree, &GaussianSampler::new(sigma)?))
            }
        }
    }

    /// Uploads small secret polynomials, multiplied by the scheme's error scale when
    /// `scaled`, as secret coefficients over the limbs of a shape.
    ///
    /// # Errors
    /// Engine errors.
    pub fn upload_small(
        &self,
        stream: &Stream,
        shape: &Shape,
        polys: &[&SmallPoly],
        scaled: bool,
    ) -> Result<Poly<Coefficient>> {
        let moduli: Vec<Modulus> = shape.moduli().collect();
        let mut host = Zeroizing::new(vec![0u64; shape.words()]);
        let limbs = host.chunks_exact_mut(self.parameters.degree());
        let sources = polys.iter().flat_map(|poly| moduli.iter().map(move |&q| (poly, q)));
        for (limb, (poly, modulus)) in limbs.zip(sources) {
            small::to_residues(modulus, poly.as_slice(), limb)?;
        }
        let mut out = stream.upload(shape, &host)?;
        out.mark_secret();
        if let (true, Some(scale)) = (scaled, self.scheme.error_scale()) {
            let factors: Vec<u64> = moduli.iter().map(|q| q.reduce(scale.value())).collect();
            stream.scale_assign(&mut out, &factors)?;
        }
        Ok(out)
    }

    /// The public half of an encryption or key: uniform from a seed, in the evaluation domain.
    ///
    /// # Errors
    /// Engine errors.
    pub fn expand(
        &self,
        stream: &Stream,
        shape: &Shape,
        seed: &cyclotron_ring::sample::Seed,
        first: u32,
    ) -> Result<Poly<Evaluation>> {
        Ok(stream.forward(stream.uniform(shape, seed, first)?)?)
    }
}
