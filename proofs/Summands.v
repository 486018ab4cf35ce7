(** * What is summed

    Each release about records is a sum of one kind of summand. [Sums] treats vectors that are no longer than a bound:
    logarithms, unit vectors, scores, embedded points and a user's gradients. This chapter treats the others, whose
    sums move by less than twice their length: counts, squares, and sums over the nearest records. It ends with the
    rounding of second moments.

    Link: by the table of [SumKernels], which [records/squares.rs] has to reproduce, and by reading
    [records/summand.rs] and [records/nearest.rs]. *)

Require Import ZArith Reals List Lia Lra Psatz.
From Karcher Require Import Sums.
Import ListNotations.
Open Scope Z_scope.

(** ** Numbers from 0 on *)

Section Numbers.
Variable A : Type.
Variable f : A -> nat -> Z.
Variable c : Z.
Hypothesis from_0 : forall a i, 0 <= f a i <= c.

(** [X4], [D1], [B4] Replacing a record moves a sum of numbers from 0 to [c] by at most [c], half as much as for vectors
    that may point anywhere: a count by 1, a sum of squares by its largest square. *)
Theorem replace_one_number l a b m i :
  Z.abs (total A f (l ++ a :: m) i - total A f (l ++ b :: m) i) <= c.
Proof.
  rewrite !total_app. cbn [total]. pose proof (from_0 a i). pose proof (from_0 b i). lia.
Qed.

(** [X4], [U2] One record more or less moves it by at most [c]. *)
Theorem add_one_number l a m i : Z.abs (total A f (l ++ a :: m) i - total A f (l ++ m) i) <= c.
Proof. rewrite !total_app. cbn [total]. pose proof (from_0 a i). lia. Qed.
End Numbers.

(** The score of a place, from the number of records in it or before it, the number before it, and the rank [t]. *)
Definition score (t here before : Z) : Z := - Z.max (Z.max (t - here) (before - t + 1)) 0.

(** [B2], [B5] A record that moves both counts by at most 1 moves the score of a place by at most 1. *)
Theorem score_moves_by_one t here here' before before' :
  Z.abs (here - here') <= 1 -> Z.abs (before - before') <= 1 ->
  Z.abs (score t here before - score t here' before') <= 1.
Proof. unfold score. lia. Qed.

(** ** The nearest of several points

    A record adds to the block of its nearest point: the number [U] and a vector no longer than [U]. The other blocks
    get nothing. *)

Section Nearest.
Variable A : Type.
Variables k d : nat.
Variable U : Z.
Hypothesis U_nonneg : 0 <= U.
Variable cell : A -> nat.              (* the nearest point: any function of one record *)
Variable v : A -> nat -> Z.
Hypothesis clipped : forall a, norm2 d (v a) <= U * U.

(** Number [i] of block [j]; number 0 counts. *)
Definition block (a : A) (j i : nat) : Z :=
  if Nat.eqb (cell a) j then (match i with O => U | S i => v a i end) else 0.

(** The squared length of all blocks. *)
Definition all2 (g : nat -> nat -> Z) : Z := sumn k (fun j => norm2 (S d) (g j)).

Definition blocks_total (l : list A) (j i : nat) : Z := total A (fun a => block a j) l i.

Lemma norm2_first g : norm2 (S d) g = g O * g O + norm2 d (fun i => g (S i)).
Proof. unfold norm2. apply (sumn_first d (fun i => g i * g i)). Qed.

Lemma all2_ext g h : (forall j i, g j i = h j i) -> all2 g = all2 h.
Proof. intros H. apply sumn_ext. intros. apply norm2_ext. intros. apply H. Qed.

(** At most one of the summands. *)
Lemma sumn_one n (j : nat) c : 0 <= c -> sumn n (fun i => if Nat.eqb j i then c else 0) <= c.
Proof.
  intros Hc. assert (H : sumn n (fun i => if Nat.eqb j i then c else 0) = if Nat.ltb j n then c else 0).
  { induction n as [|n IH]; cbn [sumn]; [reflexivity|]. rewrite IH.
    destruct (Nat.eqb_spec j n), (Nat.ltb_spec j n), (Nat.ltb_spec j (S n)); lia. }
  rewrite H. destruct (Nat.ltb j n); lia.
Qed.

Lemma one_record a : all2 (block a) <= 2 * (U * U).
Proof.
  apply Z.le_trans with (sumn k (fun j => if Nat.eqb (cell a) j then 2 * (U * U) else 0)).
  - apply sumn_le. intros j _. rewrite norm2_first. unfold block. destruct (Nat.eqb (cell a) j).
    + pose proof (clipped a) as H. unfold norm2 in *. lia.
    + unfold norm2. rewrite (sumn_ext d _ (fun _ => 0)) by (intros; reflexivity). rewrite sumn_zero. lia.
  - apply sumn_one. nia.
Qed.

(** [K1] One record more or less moves the sum over all blocks by at most [sqrt(2)*U]. *)
Theorem add_one_to_the_nearest l a m :
  all2 (fun j i => blocks_total (l ++ a :: m) j i - blocks_total (l ++ m) j i) <= 2 * (U * U).
Proof.
  rewrite (all2_ext _ (block a)); [apply one_record|].
  intros j i. unfold blocks_total. rewrite !total_app. cbn [total]. lia.
Qed.

(** [K1] A replaced record moves it by at most [2*U], for any number of points: the counts are free. *)
Theorem replace_one_of_the_nearest l a b m :
  all2 (fun j i => blocks_total (l ++ a :: m) j i - blocks_total (l ++ b :: m) j i) <= (2 * U) * (2 * U).
Proof.
  rewrite (all2_ext _ (fun j i => block a j i - block b j i)).
  2: { intros j i. unfold blocks_total. rewrite !total_app. cbn [total]. lia. }
  destruct (Nat.eq_dec (cell a) (cell b)) as [e|ne].
  - (* one block: the counts cancel *)
    apply Z.le_trans with (sumn k (fun j => if Nat.eqb (cell a) j then (2 * U) * (2 * U) else 0)).
    + apply sumn_le. intros j _. rewrite norm2_first. unfold block. rewrite <- e.
      destruct (Nat.eqb (cell a) j).
      * rewrite Z.sub_diag, Z.mul_0_l, Z.add_0_l. rewrite (norm2_ext d _ (fun i => v a i + - v b i)) by (intros; lia).
        replace (2 * U) with (U + U) by lia. apply triangle; auto.
        rewrite <- (clipped b). apply Z.eq_le_incl, sumn_ext. intros. ring.
      * unfold norm2. rewrite (sumn_ext d _ (fun _ => 0)) by (intros; reflexivity). rewrite sumn_zero. lia.
    + apply sumn_one. nia.
  - (* two blocks: the squares of both add up *)
    assert (E : all2 (fun j i => block a j i - block b j i) = all2 (block a) + all2 (block b)).
    { unfold all2. rewrite <- sumn_plus. apply sumn_ext. intros j _. unfold norm2. rewrite <- sumn_plus.
      apply sumn_ext. intros i _. unfold block.
      destruct (Nat.eqb_spec (cell a) j), (Nat.eqb_spec (cell b) j); try congruence; lia. }
    rewrite E. pose proof (one_record a). pose proof (one_record b). lia.
Qed.
End Nearest.

(** ** Rounding of moments

    Second moments ([Moments]) are products of doubles, rounded to integers. The quantum is larger by a factor
    [1/(1 - 2^(-28))], so that this stays within their bound. *)

Open Scope R_scope.

Fixpoint rsum (d : nat) (f : nat -> R) : R := match d with O => 0 | S d => rsum d f + f d end.

Lemma rsum_le d f g : (forall i, f i <= g i) -> rsum d f <= rsum d g.
Proof. intros H. induction d as [|d IH]; cbn [rsum]; [lra|]. specialize (H d). lra. Qed.

Lemma rsum_linear d a f b g : rsum d (fun i => a * f i + b * g i) = a * rsum d f + b * rsum d g.
Proof. induction d; cbn [rsum]; lra. Qed.

Lemma rsum_ext d f g : (forall i, f i = g i) -> rsum d f = rsum d g.
Proof. intros H. induction d as [|d IH]; cbn [rsum]; [reflexivity|]. rewrite IH, H. reflexivity. Qed.

Definition rnorm2 d (v : nat -> R) : R := rsum d (fun i => v i * v i).

Lemma Rabs_le_between x a : Rabs x <= a -> - a <= x <= a.
Proof. intros H. unfold Rabs in H. destruct (Rcase_abs x); lra. Qed.

Lemma rnorm2_nonneg d v : 0 <= rnorm2 d v.
Proof. unfold rnorm2. induction d as [|d IH]; cbn [rsum]; [lra|]. nra. Qed.

Lemma rtriangle d u v a b : 0 < a -> 0 < b -> rnorm2 d u <= a * a -> rnorm2 d v <= b * b ->
  rnorm2 d (fun i => u i + v i) <= (a + b) * (a + b).
Proof.
  intros Ha Hb Hu Hv.
  (* 2*u*v <= (b/a)*u^2 + (a/b)*v^2 *)
  assert (H : rnorm2 d (fun i => u i + v i) <= rsum d (fun i => (1 + b / a) * (u i * u i) + (1 + a / b) * (v i * v i))).
  { apply rsum_le. intros i.
    assert (E : (1 + b / a) * (u i * u i) + (1 + a / b) * (v i * v i) - (u i + v i) * (u i + v i)
                = (b * u i - a * v i) * (b * u i - a * v i) / (a * b)) by (field; lra).
    assert (0 <= (b * u i - a * v i) * (b * u i - a * v i) / (a * b)).
    { apply Rmult_le_pos; [apply Rle_0_sqr|]. left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; assumption. }
    lra. }
  rewrite rsum_linear in H. fold (rnorm2 d u) in H. fold (rnorm2 d v) in H.
  assert (0 < b / a) by (apply Rdiv_lt_0_compat; assumption).
    assert (0 < a / b) by (apply Rdiv_lt_0_compat; assumption).
  assert ((1 + b / a) * rnorm2 d u <= (1 + b / a) * (a * a)) by (apply Rmult_le_compat_l; lra).
  assert ((1 + a / b) * rnorm2 d v <= (1 + a / b) * (b * b)) by (apply Rmult_le_compat_l; lra).
  replace ((a + b) * (a + b)) with ((1 + b / a) * (a * a) + (1 + a / b) * (b * b)) by (field; lra). lra.
Qed.

(** [D3] Four relative errors of [2^(-53)] move a number of size [2^50] by less than 0.51. *)
Theorem four_roundings x e1 e2 e3 e4 : Rabs x <= 2 ^ 50 ->
  Rabs e1 <= / 2 ^ 53 -> Rabs e2 <= / 2 ^ 53 -> Rabs e3 <= / 2 ^ 53 -> Rabs e4 <= / 2 ^ 53 ->
  Rabs (x * (1 + e1) * (1 + e2) * (1 + e3) * (1 + e4) - x) <= 51 / 100.
Proof.
  intros Hx H1 H2 H3 H4.
  (* one more error at a time *)
  assert (Step : forall p e q, Rabs p <= q -> Rabs e <= / 2 ^ 53 -> Rabs (p * (1 + e)) <= q * (1 + / 2 ^ 53)
                 /\ Rabs (p * (1 + e) - p) <= q * / 2 ^ 53).
  { intros p e q Hp He. pose proof (Rabs_pos p). pose proof (Rabs_pos e). split.
    - rewrite Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos; [exact Hp|].
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_R1. lra.
    - replace (p * (1 + e) - p) with (p * e) by ring. rewrite Rabs_mult. apply Rmult_le_compat; auto. }
  destruct (Step x e1 _ Hx H1) as [A1 B1]. destruct (Step _ e2 _ A1 H2) as [A2 B2].
  destruct (Step _ e3 _ A2 H3) as [A3 B3]. destruct (Step _ e4 _ A3 H4) as [_ B4].
  apply Rabs_le. apply Rabs_le_between in B1, B2, B3, B4. revert B1 B2 B3 B4. simpl pow. lra.
Qed.

(** [D3] Integers within 1.01 of [1 - 2^(-28)] times two second moments, [D < 2^42] of them, are at most [sqrt(2)*2^50]
    apart. *)
Theorem rounded_moments_keep_the_bound (D : nat) (v v' : nat -> R) (z z' : nat -> Z) :
  INR D < 2 ^ 42 -> (forall i, Rabs (IZR (z i) - (1 - / 2 ^ 28) * v i) <= 101 / 100) ->
  (forall i, Rabs (IZR (z' i) - (1 - / 2 ^ 28) * v' i) <= 101 / 100) ->
  rnorm2 D (fun i => v i - v' i) <= 2 * (2 ^ 50 * 2 ^ 50) ->
  rnorm2 D (fun i => IZR (z i) - IZR (z' i)) <= 2 * (2 ^ 50 * 2 ^ 50).
Proof.
  intros HD Hz Hz' Hv.
  assert (S2 : sqrt 2 * sqrt 2 = 2) by (apply sqrt_def; lra).
  assert (S1 : 1 < sqrt 2) by (rewrite <- sqrt_1; apply sqrt_lt_1; lra).
  set (c := 1 - / 2 ^ 28) in *. assert (Hc : 0 < c < 1) by (unfold c; simpl pow; lra).
  assert (Eu : rnorm2 D (fun i => c * v i - c * v' i) <= (c * (sqrt 2 * 2 ^ 50)) * (c * (sqrt 2 * 2 ^ 50))).
  { unfold rnorm2. rewrite (rsum_ext D _ (fun i => c * c * ((v i - v' i) * (v i - v' i)) + 0 * 0)) by (intros; ring).
    rewrite rsum_linear. fold (rnorm2 D (fun i => v i - v' i)).
    replace (c * (sqrt 2 * 2 ^ 50) * (c * (sqrt 2 * 2 ^ 50)))
      with (c * c * ((sqrt 2 * sqrt 2) * (2 ^ 50 * 2 ^ 50))) by ring.
    rewrite S2. assert (c * c * rnorm2 D (fun i => v i - v' i) <= c * c * (2 * (2 ^ 50 * 2 ^ 50)))
      by (apply Rmult_le_compat_l; nra).
    lra. }
  assert (Ee : rnorm2 D (fun i => (IZR (z i) - c * v i) + (c * v' i - IZR (z' i)))
    <= (202 / 100 * 2 ^ 21) * (202 / 100 * 2 ^ 21)).
  { apply Rle_trans with (rsum D (fun _ => (202 / 100) * (202 / 100))).
    - apply rsum_le. intros i. specialize (Hz i). specialize (Hz' i).
      apply Rabs_le_between in Hz. apply Rabs_le_between in Hz'.
      set (e := IZR (z i) - c * v i) in *. set (e' := c * v' i - IZR (z' i)).
      assert (-(202 / 100) <= e + e' <= 202 / 100) by (unfold e'; lra). nra.
    - assert (E : forall n k, rsum n (fun _ => k) = INR n * k).
      { intros n k. induction n as [|n IH]; [cbn; ring|]. cbn [rsum]. rewrite IH, S_INR. ring. }
      rewrite E. replace (202 / 100 * 2 ^ 21 * (202 / 100 * 2 ^ 21)) with (2 ^ 42 * (202 / 100 * (202 / 100))) by ring.
      apply Rmult_le_compat_r; lra. }
  assert (P1 : 0 < c * (sqrt 2 * 2 ^ 50)) by (apply Rmult_lt_0_compat; [lra|]; apply Rmult_lt_0_compat; [
    lra|]; simpl pow; lra).
  assert (P2 : 0 < 202 / 100 * 2 ^ 21) by (simpl pow; lra).
  pose proof (rtriangle D _ _ _ _ P1 P2 Eu Ee) as T.
  unfold rnorm2 in T |- *.
  rewrite (rsum_ext D _ (fun i => (c * v i - c * v' i + (IZR (z i) - c * v i + (c * v' i - IZR (z' i))))
                                  * (c * v i - c * v' i + (IZR (z i) - c * v i + (c * v' i - IZR (z' i))))))
                                    by (intros; ring).
  eapply Rle_trans; [exact T|].
  (* what the factor leaves is more than the rounding *)
  assert (L : c * (sqrt 2 * 2 ^ 50) + 202 / 100 * 2 ^ 21 <= sqrt 2 * 2 ^ 50).
  { assert (E : sqrt 2 * 2 ^ 50 - c * (sqrt 2 * 2 ^ 50) = sqrt 2 * 2 ^ 22) by (unfold c; simpl pow; field).
    assert (202 / 100 * 2 ^ 21 <= sqrt 2 * 2 ^ 22); [|lra].
    replace (2 ^ 22) with (2 * 2 ^ 21) by (simpl pow; ring). assert (0 < 2 ^ 21) by (simpl pow; lra). nra. }
  replace (2 * (2 ^ 50 * 2 ^ 50)) with ((sqrt 2 * 2 ^ 50) * (sqrt 2 * 2 ^ 50)).
  - apply Rmult_le_compat; lra.
  - replace (sqrt 2 * 2 ^ 50 * (sqrt 2 * 2 ^ 50)) with (sqrt 2 * sqrt 2 * (2 ^ 50 * 2 ^ 50)) by ring. rewrite S2. ring.
Qed.
