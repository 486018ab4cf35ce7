(** * The least error of an unbiased release

    A private release that is right on average cannot be exact. This theory proves how large its mean square error is at
    least, from its guarantee alone ([N2]).

    _Covered_: pure ε, and ρ by the divergence of order 2, for finitely many outcomes and statistics of any dimension.
    _Not covered_: μ, whose divergence of order 2 is that of two normal laws; that a mean over a ball moves so.

    Link: by reading [mechanism/plan/best_possible.rs]. *)
From Coq Require Import Reals Lra Psatz.
From Karcher Require Import FiniteSums.
Open Scope R_scope.

(** Positive probabilities of [n] outcomes, and the mean of a number that depends on the outcome. *)
Definition law (n : nat) (p : nat -> R) := (forall i, (i < n)%nat -> 0 < p i) /\ sum n p = 1.
Definition mean (n : nat) (p t : nat -> R) := sum n (fun i => p i * t i).

(** The χ² divergence of [q] from [p]. *)
Definition chi_square (n : nat) (p q : nat -> R) := mean n p (fun i => (q i / p i - 1) * (q i / p i - 1)).

(** The inequality of Hammersley, Chapman and Robbins. *)
Lemma least_variance n p q t c : law n p -> law n q -> 0 < c -> chi_square n p q <= c ->
  (mean n q t - mean n p t) * (mean n q t - mean n p t) / c <=
  mean n p (fun i => (t i - mean n p t) * (t i - mean n p t)).
Proof.
  intros (P & P1) (Q & Q1) C X. set (m := mean n p t). set (s := mean n q t - m). set (l := s / c).
  assert (H : 0 <= mean n p (fun i => (t i - m - l * (q i / p i - 1)) * (t i - m - l * (q i / p i - 1)))).
  { unfold mean. apply Rle_trans with (sum n (fun i => 0 * p i)); [rewrite sum_scal; lra|]. apply sum_le. intros i Hi.
    specialize (P i Hi). pose proof (Rle_0_sqr (t i - m - l * (q i / p i - 1))) as R. unfold Rsqr in R. nra. }
  assert (S : mean n p (fun i => (t i - m) * (q i / p i - 1)) = s).
  { unfold mean. rewrite (sum_eq n _ (fun i => q i * t i + (-1 * (p i * t i) + (- m * q i + m * p i)))).
    - rewrite !sum_plus, !sum_scal, P1, Q1. unfold s, m, mean. ring.
    - intros i Hi. specialize (P i Hi). field. lra. }
  assert (E : mean n p (fun i => (t i - m - l * (q i / p i - 1)) * (t i - m - l * (q i / p i - 1))) =
    mean n p (fun i => (t i - m) * (t i - m)) - 2 * l * s + l * l * chi_square n p q).
  { rewrite <- S. unfold chi_square, mean.
    rewrite (sum_eq n _ (fun i => p i * ((t i - m) * (t i - m)) + (- 2 * l * (p i * ((t i - m) * (q i / p i - 1))) +
      l * l * (p i * ((q i / p i - 1) * (q i / p i - 1)))))) by (intros; ring).
    rewrite !sum_plus, !sum_scal. ring. }
  rewrite E in H. assert (L : l * l * chi_square n p q <= l * l * c).
  { apply Rmult_le_compat_l; auto. apply Rle_0_sqr. }
  assert (ls : l * s = s * s / c) by (unfold l; field; lra).
  assert (lc : l * l * c = s * s / c) by (unfold l; field; lra). lra.
Qed.

(** Pure ε has a χ² divergence of at most 4·sinh²(ε/2), that of randomised response. *)
Lemma pure_chi_square n p q e : law n p -> law n q ->
  (forall i, (i < n)%nat -> q i <= exp e * p i /\ p i <= exp e * q i) ->
  chi_square n p q <= 4 * (sinh (e / 2) * sinh (e / 2)).
Proof.
  intros (P & P1) (Q & Q1) H.
  assert (S : 4 * (sinh (e / 2) * sinh (e / 2)) = exp e + exp (- e) - 2).
  { unfold sinh. replace (exp e) with (exp (e / 2) * exp (e / 2)) by (rewrite <- exp_plus; f_equal; field).
    replace (exp (- e)) with (exp (- (e / 2)) * exp (- (e / 2))) by (rewrite <- exp_plus; f_equal; field).
    assert (exp (e / 2) * exp (- (e / 2)) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0). nra. }
  rewrite S. pose proof (exp_pos e) as U. pose proof (exp_pos (- e)) as L.
  assert (UL : exp e * exp (- e) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  (* with r = q/p: (r − e^ε)·(r − e^(−ε)) ≤ 0 *)
  assert (T : forall i, (i < n)%nat -> p i * ((q i / p i - 1) * (q i / p i - 1)) <= (exp e + exp (- e) - 2) * q i).
  { intros i Hi. specialize (P i Hi). destruct (H i Hi) as (up & low). set (r := q i / p i).
    assert (R : q i = r * p i) by (unfold r; field; lra). rewrite R in *.
    assert (r <= exp e) by nra. assert (1 <= exp e * r) by nra. assert (exp (- e) <= r) by nra.
    assert ((r - exp e) * (r - exp (- e)) <= 0) by nra.
    assert ((r - 1) * (r - 1) <= (exp e + exp (- e) - 2) * r) by nra. nra. }
  unfold chi_square, mean. eapply Rle_trans; [apply sum_le; exact T|]. rewrite sum_scal, Q1. lra.
Qed.

(** ρ bounds the divergence of order 2, and so χ² by e^(2ρ) − 1. *)
Lemma concentrated_chi_square n p q rho : law n p -> law n q -> sum n (fun i => q i * q i / p i) <= exp (2 * rho) ->
  chi_square n p q <= exp (2 * rho) - 1.
Proof.
  intros (P & P1) (Q & Q1) H. unfold chi_square, mean.
  rewrite (sum_eq n _ (fun i => q i * q i / p i + (-2 * q i + 1 * p i)))
    by (intros i Hi; specialize (P i Hi); field; lra).
  rewrite !sum_plus, !sum_scal, P1, Q1. lra.
Qed.

(** The mean square error of an unbiased release [t] of [d] numbers, summed over them. *)
Definition error (d n : nat) (p : nat -> R) (t : nat -> nat -> R) :=
  sum d (fun j => mean n p (fun i => (t j i - mean n p (t j)) * (t j i - mean n p (t j)))).

(** [N2] Every unbiased release of finitely many outcomes has a mean square error of at least Δ²·d/χ², where neighbours
    move the statistic by Δ in d directions. Here [q j] is the law on the neighbour in direction [j], and [c] bounds
    χ². *)
Theorem least_error d n p q t delta c : law n p -> 0 < c ->
  (forall j, (j < d)%nat -> law n (q j) /\ chi_square n p (q j) <= c /\ mean n (q j) (t j) - mean n p (t j) = delta) ->
  INR d * (delta * delta / c) <= error d n p t.
Proof.
  intros P C H. unfold error. induction d; [simpl; lra|]. cbn [sum]. rewrite S_INR.
  destruct (H d) as (Q & X & D); auto. pose proof (least_variance n p (q d) (t d) c P Q C X) as V. rewrite D in V.
  assert (INR d * (delta * delta / c) <=
    sum d (fun j => mean n p (fun i => (t j i - mean n p (t j)) * (t j i - mean n p (t j)))))
    by (apply IHd; intros j J; apply H; auto with arith).
  lra.
Qed.

(** [N2] For pure ε the χ² is at most 4·sinh²(ε/2). *)
Corollary least_error_of_pure d n p q t delta e : law n p -> 0 < e ->
  (forall j, (j < d)%nat -> law n (q j) /\ mean n (q j) (t j) - mean n p (t j) = delta /\
    forall i, (i < n)%nat -> q j i <= exp e * p i /\ p i <= exp e * q j i) ->
  INR d * (delta * delta / (4 * (sinh (e / 2) * sinh (e / 2)))) <= error d n p t.
Proof.
  intros P E H. apply least_error with q; auto.
  - assert (0 < sinh (e / 2)); [|nra]. unfold sinh. assert (exp (- (e / 2)) < exp (e / 2))
      by (apply exp_increasing; lra). lra.
  - intros j J. destruct (H j J) as (Q & D & R). repeat split; auto; try apply Q. apply pure_chi_square; auto.
Qed.

(** [N2] For ρ-zCDP the χ² is at most e^(2ρ) − 1. *)
Corollary least_error_of_concentrated d n p q t delta rho : law n p -> 0 < rho ->
  (forall j, (j < d)%nat -> law n (q j) /\ mean n (q j) (t j) - mean n p (t j) = delta /\
    sum n (fun i => q j i * q j i / p i) <= exp (2 * rho)) ->
  INR d * (delta * delta / (exp (2 * rho) - 1)) <= error d n p t.
Proof.
  intros P E H. apply least_error with q; auto.
  - assert (exp 0 < exp (2 * rho)) by (apply exp_increasing; lra). rewrite exp_0 in *. lra.
  - intros j J. destruct (H j J) as (Q & D & R). repeat split; auto; try apply Q. apply concentrated_chi_square; auto.
Qed.
