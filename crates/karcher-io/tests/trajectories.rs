//! Trajectories of cameras: the files of the TUM and KITTI benchmarks, and graphs, hold the same poses.

use karcher::{Manifold, Points, Space};
use karcher_io::{ConvertOptions, ReadOptions, layout, read_bytes, to_points};
use std::sync::Arc;

/// As in the ground truths of the TUM RGB-D benchmark: a comment that names the columns, and four decimals.
const TUM: &str = "# ground truth trajectory\n# file: 'made_up.bag'\n# timestamp tx ty tz qx qy qz qw\n\
                   1300000000.1000 1.3563 0.6305 1.6380 0.7403 0.4675 -0.3117 0.3692\n\
                   1300000000.2000 1.3543 0.6306 1.6360 0.7404 0.4670 -0.3123 0.3692\n";

const GRAPH: &str = "VERTEX_SE3:QUAT 0 1.3563 0.6305 1.6380 0.7403 0.4675 -0.3117 0.3692\nFIX 0\n\
                     VERTEX_SE3:QUAT 1 1.3543 0.6306 1.6360 0.7404 0.4670 -0.3123 0.3692\n";

/// As in KITTI's files: three rows of a matrix, seven digits; the second is
/// `Rotation.from_rotvec([0.0012, -0.0021, 0.0005])` of SciPy.
const KITTI: &str = "1.000000e+00 0.000000e+00 0.000000e+00 0.000000e+00 0.000000e+00 1.000000e+00 0.000000e+00 \
                     0.000000e+00 0.000000e+00 0.000000e+00 1.000000e+00 0.000000e+00\n\
                     9.999977e-01 -5.012595e-04 -2.099698e-03 -4.690000e-02 4.987395e-04 9.999992e-01 -1.200524e-03 \
                     -2.840000e-02 2.100298e-03 1.199474e-03 9.999971e-01 8.587000e-01\n";

fn poses() -> Arc<dyn Manifold> {
    "poses:3,2".parse::<Space>().unwrap().manifold().unwrap()
}

fn read(name: &str, text: &str, in_layout: &str, options: &ReadOptions) -> karcher_io::Result<Points> {
    let (space, table) = (poses(), read_bytes(name, text.as_bytes().to_vec(), options)?);
    to_points(table, &*space, &layout(&*space, Some(in_layout))?, &ConvertOptions::default())
}

fn of_tum() -> ReadOptions {
    ReadOptions { comments: Some(b'#'), columns: Some("2-8".to_owned()), ..Default::default() }
}

#[test]
fn trajectories_and_graphs_hold_the_same_poses() {
    let tum = read("groundtruth.txt", TUM, "tum", &of_tum()).unwrap();
    let graph = read("graph.g2o", GRAPH, "tum", &ReadOptions::default()).unwrap();
    assert_eq!((tum.len(), tum.view().values()), (2, graph.view().values()));
    assert_eq!(tum.view().values()[4..7], [1.3563, 0.6305, 1.6380]);
    // two millimetres, and a turn of a thousandth of a radian
    let (p, q) = (&tum.view().values()[..7], &tum.view().values()[7..]);
    assert!((1.0e-3..2.5e-3).contains(&poses().dist(p, q)), "{}", poses().dist(p, q));
    let by_name = ReadOptions { columns: None, ..of_tum() };
    let error = read("groundtruth.txt", TUM, "tum", &by_name).unwrap_err().to_string();
    assert!(
        error.contains("needs 7 numbers a record, found 8") && error.contains("--columns tx,ty,tz,qx,qy,"),
        "{error}"
    );
    let error = read("groundtruth.txt", TUM, "quaternions", &of_tum()).unwrap_err().to_string();
    assert!(error.contains("contradict --layout quaternions") && error.contains("--layout tum"), "{error}");
}

#[test]
fn matrices_of_seven_digits_are_poses() {
    let no_header = ReadOptions { header: Some(false), ..Default::default() };
    let kitti = read("00.txt", KITTI, "kitti", &no_header).unwrap();
    let second = &kitti.view().values()[7..];
    assert_eq!(second[4..], [-4.69e-2, -2.84e-2, 8.587e-1]);
    let turned = [0.999999238, 5.99999848e-04, -1.04999973e-03, 2.49999936e-04];
    assert!(second.iter().zip(turned).all(|(a, b)| (a - b).abs() < 5e-7), "{second:?}");
    let tables = KITTI.replace("9.999977e-01", "1.999977e-01");
    let error = read("00.txt", &tables, "kitti", &no_header).unwrap_err().to_string();
    assert!(error.contains("record 2") && error.contains("not orthogonal"), "{error}");
}
