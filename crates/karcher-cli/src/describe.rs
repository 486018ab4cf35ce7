//! `karcher describe`: covariance descriptors of images.

use crate::Failure;
use crate::output::{Report, digits, digits_up};
use crate::saving::refuse_folder_that_is_read;
use indicatif::{ProgressBar, ProgressStyle};
use karcher::manifold::SpdAffineInvariant;
use karcher::mechanism::PrivateFrechetMean;
use karcher::{Ball, Manifold};
use karcher_describe::{ImageFiles, ball, log_norm_bound};
use karcher_io::{NpyWriter, OutputFile};
use std::path::Path;
use std::sync::Arc;

/// The covariance descriptors of images: one symmetric positive definite matrix an image, for karcher mean.
///
/// 9×9 matrices for grey, 11×11 for RGB images; FILE.npy holds them in the order of the images. They are as
/// confidential as the images: publish a mean of them with karcher mean --manifold spd-log-euclidean:9. The ball that
/// is printed holds the descriptor of every image there could be, so it is public.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  karcher describe examples/textures.npy --output descriptors.npy \
                  --center-output center.npy")]
pub struct Args {
    /// PNG, JPEG, IDX (also .gz), NPY or NPZ (FILE.npz:KEY): arrays are n × height × width, or n × height × width × 3,
    /// of 8- or 16-bit unsigned integers or floats between 0 and 1. One color image is 1 × height × width × 3.
    #[arg(required = true, value_name = "IMAGES")]
    images: Vec<String>,
    /// Where the descriptors go, an array of n × K × K.
    #[arg(short, long, value_name = "FILE.npy")]
    output: String,
    /// Where the center of the ball goes, for karcher mean --center.
    #[arg(long, value_name = "FILE.npy")]
    center_output: Option<String>,
    /// Replace files that exist.
    #[arg(long)]
    force: bool,
    /// What is added to the diagonal of the covariance.
    #[arg(long, value_name = "ETA", default_value_t = 1e-6)]
    eta: f64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    for path in [Some(&args.output), args.center_output.as_ref()].into_iter().flatten() {
        if !path.to_ascii_lowercase().ends_with(".npy") {
            return Err(format!("cannot write {path}: descriptors go to a file that ends in .npy").into());
        }
    }
    let images: Vec<&str> = args.images.iter().map(String::as_str).collect();
    if let Some(center) = &args.center_output
        && std::path::absolute(center)? == std::path::absolute(&args.output)?
    {
        return Err(format!("--output and --center-output are both {center}: choose another name").into());
    }
    refuse_folder_that_is_read("--output", Path::new(&args.output), &images)?;
    if let Some(center) = &args.center_output {
        refuse_folder_that_is_read("--center-output", Path::new(center), &images)?;
    }
    let output = OutputFile::create(&args.output, args.force, &images)?;
    let create = |path| OutputFile::create(path, args.force, &images);
    let center_output = args.center_output.as_ref().map(create).transpose()?;
    let files = ImageFiles::open(&args.images)?;
    let (channels, k) = (files.channels()?, files.size()?);
    let ball = ball(channels, args.eta)?;
    let around_identity = log_norm_bound(channels, args.eta)?;

    let mut writer = NpyWriter::new(output, &[k, k])?;
    let bar = ProgressBar::new(files.images()); // drawn on a terminal only
    bar.set_style(ProgressStyle::with_template("{wide_bar} {pos} of {len} images, {eta} left")?);
    files.describe(args.eta, |descriptor| {
        bar.inc(1);
        Ok(writer.push(descriptor)?)
    })?;
    bar.finish_and_clear();
    writer.finish()?;
    if let Some(file) = center_output {
        file.write_npy(&[1, k, k], &ball.center_matrix())?;
    }

    let mut report = Report::default();
    report.add("images", files.images(), files.images().to_string())?;
    report.add("output", &args.output, format!("{}, {} × {k} × {k}", args.output, files.images()))?;
    // the ball is too large for a mean with the other metric unless eta is large
    let other = Arc::new(SpdAffineInvariant::new(k)?);
    let other_ball = Ball::at_origin(&*other, ball.radius)?;
    let fits = PrivateFrechetMean::new(other.clone(), other_ball)?.sensitivity(1).is_ok();
    let words = format!("spd-log-euclidean:{k}{}", if fits { format!(" or {}", other.space()) } else { String::new() });
    report.add("space", format!("spd-log-euclidean:{k}"), words)?;
    report.add("eta", args.eta, args.eta.to_string())?;
    report.add("channels", channels, channels.to_string())?;
    let words = format!("{} times the identity matrix", digits(ball.center));
    report.add("center", ball.center, words)?;
    report.add("radius", ball.radius, format!("{}, holds the descriptor of every image", digits_up(ball.radius)))?;
    let words = format!("{} would be needed around the identity matrix", digits(around_identity));
    report.add("radius_around_identity", around_identity, words)?;
    report.print(args.json)
}
