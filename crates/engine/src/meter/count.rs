//! How much work a call is; the table is in the module's documentation.

use super::report::MeterReport;
use crate::engine::{BinaryOp, Domain};
use crate::plan::{DecomposePlan, Digit, KeySwitchPlan};
use crate::shape::Shape;

/// Limb polynomials of a shape.
fn rows(shape: &Shape) -> usize {
    shape.batch * shape.limbs.len()
}

impl MeterReport {
    /// An operation that writes `out` once and reads `operands` other polynomials for each of its.
    pub(super) fn element_wise(&mut self, operation: &'static str, out: &Shape, operands: usize) {
        let rows = rows(out);
        self.add(operation, out.degree(), rows, (operands + 1) * rows * out.degree());
    }

    /// A conversion: a matrix of `sources` columns for each limb of `out`.
    pub(super) fn conversion(&mut self, operation: &'static str, out: &Shape, sources: usize) {
        let moved = rows(out) + out.batch * sources;
        self.add(operation, out.degree(), rows(out) * sources, moved * out.degree());
    }

    /// `columns` sums for each group of `out`, of `a.batch / groups` terms each; of the matrix only
    /// the polynomials used are read.
    pub(super) fn inner_product(&mut self, out: &Shape, a: &Shape, columns: usize) {
        let terms = a.batch / (out.batch / columns);
        let moved = (out.batch + a.batch + terms * columns) * out.limbs.len();
        self.add("inner_product", out.degree(), rows(out) * terms, moved * out.degree());
    }

    pub(super) fn decompose(&mut self, plan: &DecomposePlan, out: &Shape) {
        let batch = out.batch / plan.count();
        let targets = plan.target.len();
        let each = |digit: &Digit| match digit {
            Digit::Group { source, copied, converted, .. } => {
                copied.len() + source.len() * converted.len()
            }
            Digit::Words { digits, .. } => digits.count() * targets,
        };
        let work: usize = plan.digits.iter().map(each).sum();
        let moved = rows(out) + batch * plan.source.len();
        self.add("decompose", out.degree(), batch * work, moved * out.degree());
    }

    pub(super) fn decompose_forward(&mut self, plan: &DecomposePlan, out: &Shape, known: bool) {
        self.add_composite("decompose_forward", out.degree());
        self.decompose(plan, out);
        let copied = |digit: &Digit| match digit {
            Digit::Group { copied, .. } => copied.len(),
            Digit::Words { .. } => 0,
        };
        let spared: usize = plan.digits.iter().map(copied).sum();
        let batch = out.batch / plan.count();
        let transformed = rows(out) - if known { batch * spared } else { 0 };
        self.add("forward", out.degree(), transformed, 2 * transformed * out.degree());
    }

    pub(super) fn tensor(&mut self, quadratic: &Shape) {
        self.add_composite("tensor", quadratic.degree());
        for _ in 0..3 {
            self.element_wise("mul", quadratic, 2);
        }
        self.element_wise("mul_add", quadratic, 3);
    }

    pub(super) fn divide_round(&mut self, domain: Domain, out: &Shape, dropped: &Shape) {
        self.add_composite("divide_round", out.degree());
        self.division(domain, out, dropped);
    }

    fn division(&mut self, domain: Domain, out: &Shape, dropped: &Shape) {
        if domain == Domain::Evaluation {
            self.element_wise("inverse", dropped, 1);
            self.element_wise("forward", out, 1);
        }
        self.conversion("divide_correction", out, dropped.limbs.len());
        self.element_wise("sub", out, 2);
        self.element_wise("scale", out, 1);
    }

    pub(super) fn gadget_product(&mut self, plan: &KeySwitchPlan, out: &Shape, digits: &Shape) {
        self.add_composite("gadget_product", out.degree());
        self.inner_product(out, digits, 2);
        if plan.divide.is_some() {
            let special = Shape { limbs: plan.special.clone(), ..out.clone() };
            self.inner_product(&special, digits, 2);
            self.division(Domain::Evaluation, out, &special);
        }
    }
}

/// The name under which an operation is counted, in place or not.
pub fn binary_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
    }
}

/// The name under which an automorphism is counted.
pub fn automorphism_name(domain: Domain) -> &'static str {
    match domain {
        Domain::Coefficient => "automorphism_coefficient",
        Domain::Evaluation => "automorphism_evaluation",
    }
}
