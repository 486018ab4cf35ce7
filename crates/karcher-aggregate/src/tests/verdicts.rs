//! A report that one aggregator alone would find right.
//!
//! Its public share names another seed part of the leader than the leader's share has. The leader puts its own in its
//! place and computes the joint randomness that the verification expects; the helper computes another one. The proof is
//! made for the two of them. All bits are 1, so the circuit gives 0 for any joint randomness.

use super::*;
use prio::codec::Decode;
use prio::field::{Field128, FieldElement};
use prio::flp::gadgets::{Mul, ParallelSum, ParallelSumGadget};
use prio::flp::{Flp, FlpError, Gadget};
use prio::vdaf::prio3::optimal_chunk_length;
use prio::vdaf::xof::{IntoFieldVec, Xof, XofTurboShake128};

/// The circuit of Prio3SumVec on two shares of an input, each with a joint randomness of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mixed {
    len: usize,
    chunk: usize,
}

impl Mixed {
    fn calls(&self) -> usize {
        self.len.div_ceil(self.chunk)
    }
}

impl Flp for Mixed {
    type Field = Field128;

    fn gadget(&self) -> Vec<Box<dyn Gadget<Field128>>> {
        vec![Box::new(ParallelSum::new(Mul::new(self.calls()), self.chunk))]
    }

    fn num_gadgets(&self) -> usize {
        1
    }

    fn valid(
        &self,
        gadgets: &mut Vec<Box<dyn Gadget<Field128>>>,
        input: &[Field128],
        joint: &[Field128],
        _: usize,
    ) -> Result<Vec<Field128>, FlpError> {
        let (first, second) = input.split_at(self.len);
        let mut output = Field128::zero();
        for i in 0..self.calls() {
            let mut wires = [Field128::zero(), -Field128::one()].repeat(self.chunk);
            let [mut r, mut s] = [joint[i], joint[self.calls() + i]];
            for (j, wire) in (i * self.chunk..self.len.min((i + 1) * self.chunk)).zip(wires.chunks_exact_mut(2)) {
                wire[0] = r * first[j] + s * second[j];
                wire[1] = first[j] + second[j] - Field128::one();
                r *= joint[i];
                s *= joint[self.calls() + i];
            }
            output += gadgets[0].eval(&wires)?;
        }
        Ok(vec![output])
    }

    fn input_len(&self) -> usize {
        2 * self.len
    }

    fn proof_len(&self) -> usize {
        2 * self.chunk + 2 * ((1 + self.calls()).next_power_of_two() - 1) + 1
    }

    fn verifier_len(&self) -> usize {
        2 + 2 * self.chunk
    }

    fn joint_rand_len(&self) -> usize {
        2 * self.calls()
    }

    fn eval_output_len(&self) -> usize {
        1
    }

    fn prove_rand_len(&self) -> usize {
        2 * self.chunk
    }
}

/// The tag of a use of the extendable output function, for Prio3SumVec of draft 18.
fn tag(usage: u8) -> [u8; 8] {
    [18, 0, 0, 0, 0, 3, 0, usage]
}

fn stream(seed: &[u8; 32], usage: u8, task: &Task, binder: &[u8], len: usize) -> Vec<Field128> {
    XofTurboShake128::seed_stream(seed, &[&tag(usage), &task.digest()], &[binder]).into_field_vec(len)
}

fn joint_randomness(task: &Task, parts: &[u8], len: usize) -> Vec<Field128> {
    let mut seed = XofTurboShake128::init(&[0; 32], &[&tag(6), &task.digest()]);
    seed.update(parts);
    stream(seed.into_seed().as_ref(), 3, task, &[1], len)
}

fn field(bytes: &[u8]) -> Vec<Field128> {
    bytes.chunks_exact(16).map(|bytes| Field128::get_decoded(bytes).unwrap()).collect()
}

/// The report of that kind.
fn two_faced(task: &Task) -> Report {
    let (sharing, (_, most)) = (task.sharing(2).unwrap(), task.range());
    let len = 2 * most.ilog2() as usize + 2;
    let mixed = Mixed { len, chunk: optimal_chunk_length(len) };
    let nonce = crate::key::random().unwrap();
    let (public, shares) = sharing.shard(&task.digest(), &vec![most; 2], &nonce).unwrap();
    let mut public = public.get_encoded().unwrap();
    let [mut leader, helper] = [shares[0].get_encoded().unwrap(), shares[1].get_encoded().unwrap()];
    let first = field(&leader[..16 * len]);
    let second: Vec<Field128> = first.iter().map(|x| Field128::one() - *x).collect();

    let calls = mixed.calls();
    let mut joint = joint_randomness(task, &public, calls);
    public[0] ^= 1;
    joint.extend(joint_randomness(task, &public, calls));
    let random = stream(&crate::key::random().unwrap(), 4, task, &[], 2 * mixed.chunk);
    let proof = mixed.prove(&[first, second].concat(), &random, &joint).unwrap();
    let of_helper = stream(helper[..32].try_into().unwrap(), 2, task, &[1, 1], proof.len());
    for (i, (all, helper)) in proof.iter().zip(of_helper).enumerate() {
        leader[16 * (len + i)..][..16].copy_from_slice(&(*all - helper).get_encoded().unwrap());
    }

    let (id, public) = (text(&nonce), text(&public));
    let sealed =
        |i: usize, share: &[u8]| task.keys()[i].seal(share, &context(task, (&id, &public, Some(1)), i)).unwrap();
    let shares = [sealed(0, &leader), sealed(1, &helper)];
    Report { task: text(&task.digest()), shares, id, public, records: Some(1) }
}

/// Both aggregators come to one verdict, whatever a reporter sends: otherwise their batches differ, and nothing comes out.
#[test]
fn both_aggregators_have_one_verdict() {
    let spec = mean_on_the_plane(MU);
    let mut pair = Pair::new();
    let task = pair.task(&spec, 3, Mode::Persons, "");
    let mut sent = reports(&task, &reporters(&spec, &[vec![0.5, 0.5], vec![0.25, 0.0]]));
    sent.push(two_faced(&task));
    let shares = pair.aggregate(&task, &sent, [1, 2]).unwrap();
    assert_eq!([shares[0].reports(), shares[1].reports()], [2, 2]);
    assert!(combine(&task, &shares).is_ok());
}
