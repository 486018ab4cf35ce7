//! Seeded releases of every mechanism, space and budget keep their bits: whatever moves code from one place to another
//! changes none of them. `KARCHER_WRITE_SEEDED=1` writes the list anew, after a law was changed on purpose.

use crate::common::every::{every_case, every_located};
use karcher::{Release, ReleaseContext};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// FNV-1a of the bits of all private numbers.
fn digest(release: &Release) -> String {
    let mut numbers = release.value().to_vec();
    numbers.extend(release.noisy_value().unwrap_or_default());
    numbers.push(release.scale());
    numbers.extend(release.private_count().map(|count| count.noisy_value));
    numbers.extend(release.geodesic().map(|line| line.shooting_vector.clone()).unwrap_or_default());
    numbers.extend(release.located().map(|ball| ball.radius));
    if let Some(spread) = release.spread() {
        numbers.extend([spread.mean_square.noisy_value, spread.fraction_outside.noisy_value]);
    }
    numbers.extend(release.components().map(|components| components.variances.clone()).unwrap_or_default());
    numbers.extend(release.extrinsic().map(|mean| mean.embedded_mean.clone()).unwrap_or_default());
    let hash = (numbers.iter().flat_map(|x| x.to_bits().to_le_bytes()))
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

#[test]
fn seeded_releases_keep_their_bits() {
    let cases = every_case();
    let mut found: BTreeMap<String, String> = cases
        .par_iter()
        .map(|case| {
            let release = case.release(&mut ReleaseContext::seeded(5));
            (case.name.clone(), release.map_or_else(|error| format!("refused: {error}"), |release| digest(&release)))
        })
        .collect();
    every_located(|name, _, _, run| {
        found.insert(name.to_owned(), digest(&run(&mut ReleaseContext::seeded(5)).unwrap()));
    });
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeded/releases.txt");
    if std::env::var_os("KARCHER_WRITE_SEEDED").is_some() {
        let lines: Vec<String> = found.iter().map(|(name, digest)| format!("{name}: {digest}\n")).collect();
        std::fs::write(&path, lines.concat()).unwrap();
    }
    let listed = std::fs::read_to_string(&path).unwrap();
    let listed: BTreeMap<&str, &str> = listed.lines().filter_map(|line| line.split_once(": ")).collect();
    let changed: Vec<String> = (found.iter())
        .filter(|(name, digest)| listed.get(name.as_str()) != Some(&digest.as_str()))
        .map(|(name, digest)| format!("{name}: {digest}"))
        .collect();
    assert!(changed.is_empty(), "{} of {} changed:\n{}", changed.len(), found.len(), changed.join("\n"));
    assert_eq!(found.len(), listed.len(), "no case was lost");
}
