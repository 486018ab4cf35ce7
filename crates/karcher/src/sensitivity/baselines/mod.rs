//! Bounds that are kept for comparison: no mechanism takes one unless it is asked for.

pub(super) mod averaged_hessian;
pub(super) mod published;
pub(super) mod sharp;
