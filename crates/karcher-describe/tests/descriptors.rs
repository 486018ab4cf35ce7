//! Covariance descriptors: against SciPy's numbers, inside their ball, and the same from every kind of file.

#[path = "../../karcher-io/tests/common/public_data.rs"]
mod public_data;

use flate2::{Compression, write::GzEncoder};
use karcher_describe::{Error, Image, ImageFiles, ball, covariance_descriptor, log_norm_bound};
use karcher_io::{ReadOptions, read};
use nalgebra::{DMatrix, SymmetricEigen};
use proptest::prelude::*;
use std::io::Write;
use tempfile::TempDir;

const ETA: f64 = 1e-6;

/// The images of `oracles/descriptors_agree.py`.
fn synthetic(height: usize, width: usize, channels: usize) -> Vec<u8> {
    let pixel = |i: usize, j: usize, c: usize| {
        let value = (7 * i * i + 13 * j + i * j * (c + 1) + 50 * c) % 256;
        if (i + 2 * j).is_multiple_of(5) { 0 } else { value as u8 }
    };
    (0..height).flat_map(|i| (0..width).flat_map(move |j| (0..channels).map(move |c| pixel(i, j, c)))).collect()
}

/// Entries of their descriptors as `oracles/descriptors_agree.py --print` computes them with SciPy 1.17:
/// `(row, column, value)`.
type Entries = [(usize, usize, f64); 8];
const SCIPY: [((usize, usize, usize), Entries); 5] = [
    (
        (5, 7, 1),
        [
            (0, 0, 0.11111211111111109),
            (1, 2, 0.0496078431372549),
            (3, 2, 0.00718136980282309),
            (5, 4, 0.002321283317248468),
            (6, 3, 0.0009799095128247386),
            (7, 7, 0.022357562225945423),
            (8, 5, -0.0045104430310318865),
            (8, 8, 0.1773642560347317),
        ],
    ),
    (
        (28, 28, 1),
        [
            (0, 0, 0.08950717283950615),
            (1, 2, 0.0021736472366724485),
            (3, 2, 0.008167216516458523),
            (5, 4, -0.0018513728583169967),
            (6, 3, -0.0007764760370622336),
            (7, 7, 0.03480710167835542),
            (8, 5, 0.010512645016304655),
            (8, 8, 0.20113059306402997),
        ],
    ),
    (
        (2, 2, 1),
        [
            (0, 0, 0.250001),
            (1, 2, 0.007352941176470588),
            (3, 2, 1.4417531718569781e-05),
            (5, 4, -1.8172048153777013e-23),
            (6, 3, -1.3189501405220818e-23),
            (7, 7, 1.961143863923271e-06),
            (8, 5, 3.8523578765911145e-06),
            (8, 8, 0.00026303324259287024),
        ],
    ),
    (
        (3, 4, 3),
        [
            (0, 0, 0.13888988888888887),
            (1, 2, 0.02026143790849673),
            (3, 2, 0.012027745738818402),
            (5, 4, -0.0012961008586441117),
            (6, 3, 0.0014169494104831475),
            (7, 7, 0.0024680480794541998),
            (8, 5, 0.00039005215742342705),
            (8, 8, 0.003260821425353229),
        ],
    ),
    (
        (32, 32, 3),
        [
            (0, 0, 0.08871067741935475),
            (1, 2, 0.002507128103257428),
            (3, 2, 0.03491608853983638),
            (5, 4, 0.0005181782230199734),
            (6, 3, 0.0003815799870210544),
            (7, 7, 0.006418194547440176),
            (8, 5, -0.00017326902294823629),
            (8, 8, 0.004981798274230709),
        ],
    ),
];

/// An NPY file of bytes.
fn npy(shape: &[usize], bytes: &[u8]) -> Vec<u8> {
    let axes: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({axes}), }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), bytes].concat()
}

/// An IDX file of bytes.
fn idx(shape: &[usize], bytes: &[u8]) -> Vec<u8> {
    let axes: Vec<u8> = shape.iter().flat_map(|&n| (n as u32).to_be_bytes()).collect();
    [&[0, 0, 8, shape.len() as u8], &axes[..], bytes].concat()
}

fn file(folder: &TempDir, name: &str, bytes: &[u8]) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

fn describe(paths: &[String]) -> Result<Vec<Vec<f64>>, Error> {
    let files = ImageFiles::open(paths)?;
    let mut descriptors = vec![];
    files.describe(ETA, |descriptor| {
        descriptors.push(descriptor.to_vec());
        Ok(())
    })?;
    assert_eq!(descriptors.len() as u64, files.images());
    Ok(descriptors)
}

fn refusal(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, name, bytes);
    describe(std::slice::from_ref(&path)).unwrap_err().to_string().replace(&path, name)
}

/// `‖Logm R − (ln s)·I‖`, the log-Euclidean and affine-invariant distance between `R` and `s·I`.
fn distance(descriptor: &[f64], k: usize, s: f64) -> f64 {
    let eigenvalues = SymmetricEigen::new(DMatrix::from_row_slice(k, k, descriptor)).eigenvalues;
    eigenvalues.iter().map(|l| (l / s).ln().powi(2)).sum::<f64>().sqrt()
}

#[test]
fn descriptors_agree_with_scipy() {
    let folder = tempfile::tempdir().unwrap();
    for ((height, width, channels), entries) in SCIPY {
        let pixels = synthetic(height, width, channels);
        let shape = if channels == 1 { vec![1, height, width] } else { vec![1, height, width, channels] };
        let path = file(&folder, "images.npy", &npy(&shape, &pixels));
        let descriptor = &describe(&[path]).unwrap()[0];
        let k = 8 + channels;
        for (i, j, expected) in entries {
            let found = descriptor[i * k + j];
            assert!((found - expected).abs() < 1e-15, "{height} × {width}, entry {i} {j}: {found} for {expected}");
            assert_eq!(descriptor[j * k + i], found);
        }
    }
}

#[test]
fn bounds_have_their_published_values() {
    assert!((log_norm_bound(1, ETA).unwrap() - 41.4465).abs() < 5e-5);
    assert!((log_norm_bound(3, ETA).unwrap() - 45.8209).abs() < 5e-5);
    assert!((ball(1, ETA).unwrap().radius - 22.30).abs() < 5e-3);
    for eta in [0.0, 1e-11, 1.1, -1.0, f64::NAN] {
        let invalid = |e: Error| matches!(e, Error::InvalidRegularization { .. });
        assert!(invalid(ball(1, eta).unwrap_err()) && invalid(log_norm_bound(1, eta).unwrap_err()));
    }
    assert!(matches!(ball(2, ETA), Err(Error::NotAnImage { .. })));
}

#[test]
fn a_constant_image_has_the_variance_of_the_places_alone() {
    // n equidistant numbers from 0 to 1 have the variance (n + 1)/(12(n − 1)); 7 eigenvalues are η
    let image = Image::new(4, 5, 1, vec![0.3; 20]).unwrap();
    let descriptor = covariance_descriptor(&image, ETA).unwrap();
    assert!((descriptor[0] - 6.0 / 48.0 - ETA).abs() < 1e-15 && (descriptor[10] - 5.0 / 36.0 - ETA).abs() < 1e-15);
    assert!((2..9).all(|i| descriptor[i * 10] == ETA));
    let log_norm = distance(&descriptor, 9, 1.0);
    let expected = (7.0 * ETA.ln().powi(2) + descriptor[0].ln().powi(2) + descriptor[10].ln().powi(2)).sqrt();
    assert!((log_norm - expected).abs() < 1e-9);
    // a single pixel attains the published bound
    let pixel = covariance_descriptor(&Image::new(1, 1, 1, vec![0.3]).unwrap(), ETA).unwrap();
    assert!((distance(&pixel, 9, 1.0) - log_norm_bound(1, ETA).unwrap()).abs() < 1e-9);
}

proptest! {
    #[test]
    fn every_descriptor_is_in_the_ball(
        (height, width) in (1usize..7, 1usize..7),
        channels in prop::sample::select(vec![1usize, 3]),
        levels in 1u8..4,
        eta in -9.0..0.0f64,
        seed in prop::collection::vec(any::<u8>(), 6 * 6 * 3),
    ) {
        // few levels: black and white images are the extreme ones
        let intensity = |x: u8| f64::from(x % (levels + 1)) / f64::from(levels);
        let values = seed[..height * width * channels].iter().map(|&x| intensity(x)).collect();
        let image = Image::new(height, width, channels, values).unwrap();
        let eta = 10f64.powf(eta);
        let descriptor = covariance_descriptor(&image, eta).unwrap();
        let ball = ball(channels, eta).unwrap();
        prop_assert_eq!(ball.center_matrix()[0], ball.center);
        prop_assert!(distance(&descriptor, ball.size, ball.center) <= ball.radius * (1.0 + 1e-6));
        prop_assert!(distance(&descriptor, ball.size, 1.0) <= log_norm_bound(channels, eta).unwrap() * (1.0 + 1e-6));
        // the trace bound is not far from what images attain
        let trace: f64 = descriptor.iter().step_by(ball.size + 1).sum();
        prop_assert!(trace <= (6.0 + channels as f64) / 4.0 + 0.5 + 0.617 + ball.size as f64 * eta);
    }

    #[test]
    fn damaged_files_are_described_or_refused(
        kind in prop::sample::select(vec!["f.npy", "f-ubyte", "f.idx.gz", "f.png", "f.jpg", "f.npz"]),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..5),
        keep in any::<prop::sample::Index>(),
    ) {
        let pixels = synthetic(3, 4, 1).repeat(2);
        let mut bytes = match kind {
            "f.npy" => npy(&[2, 3, 4], &pixels),
            "f-ubyte" => idx(&[2, 3, 4], &pixels),
            "f.idx.gz" => gzip(&idx(&[2, 3, 4], &pixels)),
            "f.npz" => npz(&npy(&[2, 3, 4], &pixels)),
            _ => picture(&pixels, 6, 4, kind),
        };
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(keep.index(bytes.len()) + 1);
        let folder = tempfile::tempdir().unwrap();
        match describe(&[file(&folder, kind, &bytes)]) {
            Ok(descriptors) => prop_assert!(descriptors.iter().flatten().all(|x| x.is_finite())),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(vec![], Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn npz(array: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    for name in ["x.npy", "y.npy"] {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(array).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn picture(pixels: &[u8], height: u32, width: u32, name: &str) -> Vec<u8> {
    let picture = image::GrayImage::from_raw(width, height, pixels.to_vec()).unwrap();
    let mut bytes = std::io::Cursor::new(vec![]);
    picture.write_to(&mut bytes, image::ImageFormat::from_path(name).unwrap()).unwrap();
    bytes.into_inner()
}

#[test]
fn every_kind_of_file_gives_the_same_descriptors() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (synthetic(6, 5, 1), synthetic(6, 5, 1).into_iter().rev().collect::<Vec<u8>>());
    let pixels = [&first[..], &second[..]].concat();
    let stack = [2, 6, 5];
    let expected = describe(&[file(&folder, "a.npy", &npy(&stack, &pixels))]).unwrap();
    let archive = file(&folder, "a.npz", &npz(&npy(&stack, &pixels)));
    let pictures: Vec<String> = [("1.png", &first), ("2.png", &second)]
        .map(|(name, pixels)| file(&folder, name, &picture(pixels, 6, 5, name)))
        .to_vec();
    for paths in [
        vec![file(&folder, "a-images-idx3-ubyte", &idx(&stack, &pixels))],
        vec![file(&folder, "a-images-idx3-ubyte.gz", &gzip(&idx(&stack, &pixels)))],
        vec![format!("{archive}:y")],
        pictures.clone(),
        vec![pictures[0].clone(), file(&folder, "b.npy", &npy(&[1, 6, 5], &second))],
    ] {
        assert_eq!(describe(&paths).unwrap(), expected, "{paths:?}");
    }
    // a JPEG is lossy, but not of another size
    let jpeg = describe(&[file(&folder, "1.jpg", &picture(&first, 6, 5, "1.jpg"))]).unwrap();
    assert!((jpeg[0][0] - expected[0][0]).abs() < 1e-15);
}

#[test]
fn the_order_of_an_array_in_memory_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let (n, height, width) = (3, 4, 5);
    let pixels: Vec<u8> = (0..n * height * width).map(|i| (i * 37 % 251) as u8).collect();
    let expected = describe(&[file(&folder, "c.npy", &npy(&[n, height, width], &pixels))]).unwrap();
    // the first index runs fastest
    let at = |k: usize| (k % n, k / n % height, k / n / height);
    let stored = (0..pixels.len()).map(at).map(|(i, j, l)| pixels[(i * height + j) * width + l]);
    let bytes = npy(&[n, height, width], &stored.clone().collect::<Vec<_>>());
    // of the same length, so that the header's stays
    let text =
        String::from_utf8(bytes[..bytes.len() - pixels.len()].iter().filter(|b| b.is_ascii()).copied().collect());
    let header = text.unwrap().split_once('{').unwrap().1.replace("'fortran_order': False", "'fortran_order': True ");
    let fortran = [&bytes[..10], b"{", header.as_bytes(), &stored.collect::<Vec<_>>()].concat();
    assert_eq!(describe(&[file(&folder, "f.npy", &fortran)]).unwrap(), expected);
    assert_eq!(describe(&[file(&folder, "f.npz", &npz(&fortran)) + ":y"]).unwrap(), expected);
    let cut = describe(&[file(&folder, "cut.npy", &fortran[..fortran.len() - 1])]).unwrap_err();
    assert!(matches!(cut, Error::File(karcher_io::Error::Truncated { .. })), "{cut}");
}

#[test]
fn many_images_are_described_in_order() {
    // more than one batch of 4 megabytes
    let folder = tempfile::tempdir().unwrap();
    let (n, size) = (5000, 30);
    let pixels: Vec<u8> =
        (0..n * size * size).map(|i| if i % (size * size) < i / (size * size) % 200 { 255 } else { 0 }).collect();
    let descriptors = describe(&[file(&folder, "a.npy", &npy(&[n, size, size], &pixels))]).unwrap();
    for i in [0, 1, 2330, 4659, 4660, 4661, 4999] {
        let one = file(&folder, "b.npy", &npy(&[1, size, size], &pixels[i * size * size..][..size * size]));
        assert_eq!(describe(&[one]).unwrap()[0], descriptors[i]);
    }
}

#[test]
fn what_is_no_image_is_refused_with_one_sentence() {
    for (name, bytes, expected) in [
        ("f.txt", vec![], "the format of f.txt is unknown"),
        ("f.npy", npy(&[4, 3], &[0; 12]), "f.npy has the shape (4, 3): expected images of (height, width)"),
        ("f.npy", npy(&[1, 2, 2, 2], &[0; 8]), "f.npy has the shape (1, 2, 2, 2)"),
        ("f.npy", npy(&[0, 2, 2], &[]), "f.npy has no records"),
        ("f.npy", npy(&[2, 0, 2], &[]), "f.npy has the shape (2, 0, 2)"),
        ("f.npy", npy(&[3, 2, 2], &[0; 11]), "f.npy is truncated: its header promises 12 bytes of data, found 11"),
        ("f.npy", npy(&[3, 2, 2], &[0; 13]), "f.npy has more than the 12 bytes of data that its header promises"),
        ("f-ubyte", idx(&[3, 2, 2], &[0; 13]), "f-ubyte has more than the 12 bytes"),
        ("f.idx.gz", gzip(&idx(&[3, 2, 2], &[0; 13])), "f.idx.gz has more than the 12 bytes"),
        ("f.npy", npy(&[5, 4, 3], &[0; 60]), "f.npy has the shape (5, 4, 3), which may be one image of"),
        ("f-ubyte", idx(&[5, 4, 1], &[0; 20]), "f-ubyte has the shape (5, 4, 1), which may be one image of"),
        ("f.npy", npy(&[9, 1 << 20, 1 << 20], &[0; 11]), "f.npy has images of more than 16777216 pixels"),
        ("f.npy", npy(&[1 << 40, 1 << 10, 1 << 10], &[0; 11]), "f.npy is truncated"),
        ("f-ubyte", vec![0, 0, 8], "f-ubyte is not a valid IDX file: its header is incomplete"),
        ("f-ubyte", vec![1, 0, 8, 1], "f-ubyte is not a valid IDX file: it does not begin with two zero bytes"),
        ("f-ubyte", idx(&[4], &[0; 4]), "f-ubyte has the shape (4,)"),
        ("f-ubyte", [&[0, 0, 0x0c, 3][..], &[0; 12]].concat(), "f-ubyte holds numbers of IDX type 0x0c"),
        ("f-ubyte.gz", vec![1; 30], "cannot read f-ubyte.gz: "),
        ("f.png", vec![1, 2, 3], "f.png is not a valid image file: "),
    ] {
        let found = refusal(name, &bytes);
        assert!(found.starts_with(expected), "{found}");
    }
}

#[test]
fn floats_have_the_descriptors_of_the_bytes_they_are_made_of() {
    // flat places, on which the derivatives of floats are rounding errors with an angle
    let folder = tempfile::tempdir().unwrap();
    let (n, height, width) = (20, 12, 10);
    let bytes: Vec<u8> = (0..n * height * width).map(|i| (i / 7 % 23 * (i / 1200 + 3)) as u8).collect();
    for channels in [1, 3] {
        let shape = [n / channels, height, width, channels];
        let bytes = &bytes[..shape.iter().product()];
        let expected = describe(&[file(&folder, "bytes.npy", &npy(&shape, bytes))]).unwrap();
        let floats: Vec<f64> = bytes.iter().map(|&x| f64::from(x) / 255.0).collect();
        let doubles = folder.path().join("doubles.npy").to_str().unwrap().to_owned();
        karcher_io::write_npy(&doubles, &shape, &floats).unwrap();
        // an IDX file of 32-bit floats
        let mut singles = idx(&shape, &[]);
        singles[2] = 0x0d;
        singles.extend(floats.iter().flat_map(|&x| (x as f32).to_be_bytes()));
        let singles = file(&folder, "singles.idx", &singles);
        for (path, tolerance) in [(doubles, 1e-13), (singles, 1e-6)] {
            let found = describe(std::slice::from_ref(&path)).unwrap();
            for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                assert!((found - expected).abs() < tolerance, "{path}: {found} for {expected}");
            }
        }
    }
}

#[test]
fn large_images_are_described_in_any_number_of_threads_alike() {
    let bytes = synthetic(150, 200, 3);
    let image = Image::decode("a.png", &{
        let picture = image::RgbImage::from_raw(200, 150, bytes).unwrap();
        let mut png = std::io::Cursor::new(vec![]);
        picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
        png.into_inner()
    });
    let image = image.unwrap();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| covariance_descriptor(&image, ETA).unwrap())
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn intensities_out_of_range_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for (value, shown) in [(f64::NAN, "NaN"), (255.0, "255"), (-0.5, "-0.5")] {
        let path = folder.path().join("f.npy").to_str().unwrap().to_owned();
        let mut values = vec![0.5; 12];
        values[7] = value;
        karcher_io::write_npy(&path, &[3, 2, 2], &values).unwrap();
        let error = describe(std::slice::from_ref(&path)).unwrap_err().to_string();
        assert!(error.contains(&format!("image 2 has the intensity {shown}: it must be between 0 and 1")), "{error}");
    }
}

/// `examples/README.md` gives the formula.
#[test]
fn the_example_is_what_it_is_said_to_be() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/textures.npy");
    let texture = |k: usize| (0..24).flat_map(move |i| (0..24).map(move |j| 16 * ((k / 5 * i + k % 5 * j) % 16) as u8));
    let expected: Vec<u8> = (0..25).flat_map(texture).collect();
    assert!(std::fs::read(path).unwrap().ends_with(&expected));
    assert_eq!(describe(&[path.to_owned()]).unwrap().len(), 25);
}

#[test]
fn grey_and_color_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let grey = file(&folder, "grey.npy", &npy(&[1, 2, 2], &[0; 4]));
    let color = file(&folder, "color.npy", &npy(&[2, 2, 2, 3], &[0; 24]));
    let error = describe(&[grey, color]).unwrap_err().to_string();
    assert!(error.contains("color.npy: image 1 has 3 channels, the first one 1"), "{error}");
}

#[test]
fn descriptors_of_public_images_are_points() {
    let Some(folder) = public_data::folder() else { return };
    let path = |name: &str| folder.join("images").join(name).to_str().unwrap().to_owned();
    let archive = format!("{}:test_x", path("mnist.npz"));
    let images = read(&archive, &ReadOptions::default()).unwrap();
    let ball = ball(1, ETA).unwrap();
    let archived = describe(&[archive]).unwrap();
    assert_eq!(archived.len(), images.rows);
    assert!(archived.iter().step_by(50).all(|r| distance(r, 9, ball.center) <= ball.radius));
    // the same digits as their authors' file holds them, in another order
    let idx = describe(&[path("t10k-images-idx3-ubyte.gz")]).unwrap();
    let sorted = |mut descriptors: Vec<Vec<f64>>| {
        descriptors.sort_by(|a, b| a.partial_cmp(b).unwrap());
        descriptors
    };
    assert_eq!(sorted(archived), sorted(idx));
}
