//! Baselines of the papers, and their own procedures where the library has a better one. **Nothing here is fit for
//! confidential data**: each function states the reason.

pub mod chain;
pub mod extrinsic;
pub mod gradient_descent;
// one copy of the published algorithms, which the library's tests and benchmarks use too
#[path = "../../../crates/karcher/reference/jiang.rs"]
pub mod jiang;
pub mod pointwise;
pub mod sequential;
pub mod sequential_linear;
