//! `Evaluator`: a context, the evaluation keys that may be used, and who manages levels.
//!
//! Every ciphertext holds the evaluator that its operators use. Which one computes when two
//! ciphertexts meet is decided here: the same one, or the one that is not merely the key-less
//! companion of a context; two different ones are refused.

use crate::ciphertext::Ciphertext;
use crate::context::Context;
use crate::errors::{self, Exception};
use crate::keys::{EvaluationKeys, context_mismatch};
use crate::shared::Shared;
use cyclotron_schemes::Error;
use cyclotron_schemes::rlwe::Mode;
use cyclotron_schemes::vector::{VectorEvaluationKeys, VectorEvaluator};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What ciphertexts share of their evaluator.
#[derive(Debug)]
pub struct Core {
    pub context: Arc<Shared>,
    pub native: VectorEvaluator,
    keys: Option<Arc<VectorEvaluationKeys>>,
    mode: Mode,
}

impl Core {
    /// An evaluator of a context.
    pub fn new(
        context: &Arc<Shared>,
        keys: Option<&EvaluationKeys>,
        mode: Mode,
    ) -> PyResult<Arc<Self>> {
        let native = match keys {
            Some(keys) => VectorEvaluator::new(&context.vector, &keys.keys, mode),
            None => VectorEvaluator::without_keys(&context.vector, mode),
        };
        Ok(Arc::new(Self {
            context: Arc::clone(context),
            native: native.map_err(errors::scheme)?,
            keys: keys.map(|keys| Arc::clone(&keys.keys)),
            mode,
        }))
    }

    /// Whether it has nothing of its own: what ciphertexts without an evaluator get.
    fn is_plain(&self) -> bool {
        self.keys.is_none() && self.mode == Mode::Automatic
    }

    /// The evaluator for two operands.
    pub fn of_both<'a>(
        py: Python<'_>,
        a: &'a Arc<Self>,
        b: &'a Arc<Self>,
    ) -> PyResult<&'a Arc<Self>> {
        if a.context.vector.parameters().id() != b.context.vector.parameters().id() {
            return Err(context_mismatch(py, "ciphertext", &b.context, &a.context));
        }
        if Arc::ptr_eq(a, b) || b.is_plain() {
            return Ok(a);
        }
        if a.is_plain() {
            return Ok(b);
        }
        let message = format!(
            "operands are attached to two evaluators, {} and {}; attach both to one: \
             evaluator.attach(x)",
            a.describe(),
            b.describe()
        );
        Err(Exception::new(py, "EvaluatorMismatchError", message)
            .with("left", Evaluator { core: Arc::clone(a) })
            .with("right", Evaluator { core: Arc::clone(b) })
            .error())
    }

    fn describe(&self) -> String {
        let keys = match &self.keys {
            None => "no keys".to_owned(),
            Some(keys) => {
                EvaluationKeys { context: Arc::clone(&self.context), keys: Arc::clone(keys) }
                    .contents()
            }
        };
        format!("Evaluator({}, {keys}, {})", self.context.label(), mode_name(self.mode))
    }
}

/// Computes on ciphertexts: a context, evaluation keys, and a mode. It holds no secret.
///
/// In mode "automatic" levels are aligned and products relinearised; in mode "strict" exactly what
/// is said is done, and what does not fit is an error. A server makes one evaluator from the keys
/// it was sent and loads ciphertexts with it: `Ciphertext.load(evaluator, path)`.
///
/// When two ciphertexts meet, the evaluator that they share computes; one that was made without
/// evaluator (by `PublicKey.encrypt`, `SecretKey.encrypt` or pickle) adopts the other's; two
/// different evaluators are refused with `EvaluatorMismatchError`.
///
/// >>> server = cy.Evaluator(ctx, keys.evaluation)
/// >>> x = server.attach(keys.public.encrypt([1, 2, 3]))
/// >>> keys.decrypt(x.sum())
/// array([6])
#[pyclass(frozen, module = "cyclotron")]
pub struct Evaluator {
    pub core: Arc<Core>,
}

#[pymethods]
impl Evaluator {
    #[new]
    #[pyo3(signature = (context, keys = None, mode = "automatic"))]
    fn new(
        context: &Bound<'_, Context>,
        keys: Option<&Bound<'_, EvaluationKeys>>,
        mode: &str,
    ) -> PyResult<Self> {
        let context = &context.get().inner;
        let mode = match mode {
            "automatic" => Mode::Automatic,
            "strict" => Mode::Strict,
            _ => {
                return Err(errors::scheme(Error::Parameter {
                    what: "mode",
                    value: format!("{mode:?}"),
                    remedy: "choose \"automatic\" or \"strict\"".to_owned(),
                }));
            }
        };
        if let Some(keys) = keys
            && !Arc::ptr_eq(context, &keys.get().context)
        {
            let found = &keys.get().context;
            return Err(context_mismatch(keys.py(), "evaluation keys", found, context));
        }
        Ok(Self { core: Core::new(context, keys.map(|keys| keys.get()), mode)? })
    }

    /// The same ciphertext, its operators using this evaluator. Costs nothing within one Context
    /// object; from another one of equal parameters (after pickle) the ciphertext is copied.
    ///
    /// Raises `ParameterMismatchError`.
    fn attach(&self, py: Python<'_>, ciphertext: &Bound<'_, Ciphertext>) -> PyResult<Ciphertext> {
        let vector = ciphertext.get().within(py, &self.core.context)?;
        Ok(Ciphertext { core: Arc::clone(&self.core), vector })
    }

    /// The context.
    #[getter]
    fn context(&self, py: Python<'_>) -> PyResult<Py<Context>> {
        Context::of(py, &self.core.context)
    }

    /// The evaluation keys, if there are any.
    #[getter]
    fn keys(&self) -> Option<EvaluationKeys> {
        let context = || Arc::clone(&self.core.context);
        self.core
            .keys
            .as_ref()
            .map(|keys| EvaluationKeys { context: context(), keys: Arc::clone(keys) })
    }

    /// "automatic" or "strict".
    #[getter]
    fn mode(&self) -> &'static str {
        mode_name(self.core.mode)
    }

    fn __repr__(&self) -> String {
        self.core.describe()
    }

    /// Two are equal when they are one.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| Arc::ptr_eq(&self.core, &other.get().core))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        Arc::as_ptr(&self.core).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let own = slf.get();
        let py = slf.py();
        let arguments = (own.context(py)?, own.keys(), own.mode()).into_pyobject(py)?;
        Ok((slf.get_type().into_any(), arguments))
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyDict>) -> Bound<'py, Self> {
        slf
    }
}

const fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Automatic => "automatic",
        Mode::Strict => "strict",
    }
}
