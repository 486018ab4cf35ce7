//! A reporter that is not honest. It has the public parameters and keys, and software of its own.

use crate::Outcome;
use crate::wire::{Agreed, LARGEST, Receipt, read, send};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hpke::aead::ChaCha20Poly1305;
use hpke::kdf::HkdfSha256;
use hpke::kem::X25519HkdfSha256;
use hpke::{Deserializable, Kem, OpModeS, Serializable};
use karcher_aggregate::Task;
use prio::codec::Encode;
use prio::vdaf::Client;
use prio::vdaf::prio3::{Prio3, optimal_chunk_length};
use serde_json::{Value, json};
use std::path::Path;

/// What an aggregator should do, in the order of the answers.
pub const CLAIMS: [&str; 5] = [
    "a report with a wrong proof is received: only both aggregators can see that it is wrong",
    "the same report again is known",
    "a report of another task is refused",
    "a line that is no report is refused",
    "a message that is too large is refused",
];

/// The largest shifted integer of a person's record: 2⁵¹.
const MOST: u128 = 1 << 51;

/// Prints whether each of the claims holds.
pub fn run(task: &str, ports: [&str; 2]) -> Outcome<()> {
    let task = read::<Agreed>(Path::new(task))?.task()?;
    let wrong = with_wrong_proof(&task)?;
    let mut of_another_task = wrong.clone();
    of_another_task["task"] = json!(STANDARD.encode([0; 32]));
    let taken = Receipt { taken: 1, ..Receipt::default() };
    let expected = [
        (wrong.to_string(), taken),
        (wrong.to_string(), Receipt { known: 1, ..Receipt::default() }),
        (of_another_task.to_string(), Receipt { of_another_task: 1, ..Receipt::default() }),
        ("{\"task\": 1}".to_owned(), Receipt { unreadable: 1, ..Receipt::default() }),
    ];
    let mut held = vec![];
    for (line, expected) in expected {
        let is_expected = |port| -> Outcome<bool> {
            let (status, answer) = send("POST", port, "/reports", line.as_bytes())?;
            Ok(status == 200 && serde_json::from_slice::<Receipt>(&answer)? == expected)
        };
        held.push(is_expected(ports[0])? && is_expected(ports[1])?);
    }
    let large = vec![b' '; LARGEST as usize + 1];
    held.push(send("POST", ports[0], "/reports", &large)?.0 == 413);
    println!("{}", serde_json::to_string(&held)?);
    Ok(())
}

/// A report that would add 2²⁴ to a sum, or take it away. Its shares are encrypted as they should be.
fn with_wrong_proof(task: &Task) -> Outcome<Value> {
    let query = task.query();
    // An honest report shows the digest of the task.
    let mut report = serde_json::to_value(task.report(&query.nothing())?)?;
    let digest = STANDARD.decode(report["task"].as_str().unwrap_or_default())?;
    let len = query.nothing().integers().len();
    let sharing = Prio3::new_sum_vec(2, MOST, len, optimal_chunk_length(52 * len))?;
    let mut nonce = [0; 16];
    getrandom::fill(&mut nonce)?;
    let (public, shares) = sharing.shard(&digest, &vec![MOST / 2; len], &nonce)?;
    let (id, public) = (STANDARD.encode(nonce), STANDARD.encode(public.get_encoded()?));
    let mut plain = [shares[0].get_encoded()?, shares[1].get_encoded()?];
    plain[0][3] ^= 1; // the share of a bit, which is now neither 0 nor 1
    let sealed = |place: usize| {
        let (of_one, place_of) = (1_u64.to_le_bytes(), [place as u8]);
        let context = [&digest[..], &of_one, &place_of, id.as_bytes(), b" ", public.as_bytes()].concat();
        let key = serde_json::to_value(&task.keys()[place])?;
        seal(key["key"].as_str().unwrap_or_default(), &plain[place], &context)
    };
    let shares = json!([sealed(0)?, sealed(1)?]);
    report["shares"] = shares;
    report["records"] = json!(1);
    report["id"] = json!(id);
    report["public"] = json!(public);
    Ok(report)
}

/// Encrypts a share to an aggregator.
fn seal(key: &str, plain: &[u8], context: &[u8]) -> Outcome<Value> {
    let public = <X25519HkdfSha256 as Kem>::PublicKey::from_bytes(&STANDARD.decode(key)?)
        .map_err(|error| format!("the public key is none ({error})"))?;
    let (encapsulated, mut sender) =
        hpke::setup_sender::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(&OpModeS::Base, &public, context)
            .map_err(|error| format!("the public key is none ({error})"))?;
    let ciphertext = sender.seal(plain, b"").map_err(|error| format!("the share cannot be encrypted ({error})"))?;
    let encapsulated = STANDARD.encode(encapsulated.to_bytes());
    Ok(json!({"encapsulated": encapsulated, "ciphertext": STANDARD.encode(ciphertext)}))
}
