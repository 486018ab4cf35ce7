#![doc = include_str!("../README.md")]
//!
//! ```
//! use karcher::{Ball, ReleaseContext, Points, manifold::Sphere, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
//! use karcher_report::{Document, Report};
//! use std::sync::Arc;
//! let sphere = Arc::new(Sphere::new(2)?);
//! let records = Points::new(&*sphere, [0.8, 0.6, 0.0].repeat(1_000))?;
//! let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.7)?)?;
//! let release = Request::new(mean, 1_000, Guarantee::pure(1.0)?).plan()?.run(&records, &mut ReleaseContext::from_os()?)?;
//!
//! let read = Document::read("mean.json", &serde_json::to_string(&release)?)?;
//! let page = Report { documents: &[read], ..Report::default() }.page();
//! assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<strong>73.2 %</strong>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "ledger")]
mod account;
mod all_digits;
mod cite;
mod document;
mod error;
mod facts;
mod guarantee;
mod html;
mod page;
mod picture;
mod planner;
mod section;
mod total;
mod value;

pub use cite::citation;
pub use document::{Document, as_release};
pub use error::{Error, Result};
pub use guarantee::{found, guessed};
pub use page::Report;
pub use picture::{Curve, Curves, Expected, Picture, PlanCurves, known_error, parameter, with_parameter};
pub use planner::{BallPicture, PlannedError, PlannedMechanism, PlannedStart, Planner, PlannerAxis};
pub use total::together;
