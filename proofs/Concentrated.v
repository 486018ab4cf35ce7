(** * Concentrated privacy: ρ and its conversions

    Let [P] and [Q] be the laws of a release on two neighbouring data sets. It is ρ-zCDP if the Rényi divergence of [P]
    from [Q] is at most αρ for every order α > 1. This theory proves which ρ pure ε and bounded range ε have, and which
    (ε, δ) follows from ρ ([P2]). It proves that ρ's add up in a filter ([L1]), and what they are for groups of people
    ([P3]).

    _Covered_: outcomes are natural numbers, so they are countably many, like the bits of a release. Sums over all
    outcomes are the least upper bounds of finite ones, and every statement is about all finite sums.
    _Not covered_: laws on a continuum; the theory of Gaussian noise is in [IntegerNoise].

    Link: by reading [conversion.rs] and [filter.rs] of karcher-privacy. *)
From Coq Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From Karcher Require Import FiniteSums Monotone.
Open Scope R_scope.

(** ** Finite sums and powers *)

Lemma sum_pos n f : (forall i, 0 <= f i) -> 0 <= sum n f.
Proof. intros H. induction n; simpl; [lra|]. specialize (H n). lra. Qed.
Lemma sum_more n m f : (forall i, 0 <= f i) -> (n <= m)%nat -> sum n f <= sum m f.
Proof. intros H. induction 1; simpl; [lra|]. specialize (H m). lra. Qed.

(** [x]^[a] for x ≥ 0, and 0 for x = 0. *)
Definition power (x a : R) : R := if Rle_dec x 0 then 0 else exp (a * ln x).
Lemma power_0 a : power 0 a = 0.
Proof. unfold power. destruct (Rle_dec 0 0); lra. Qed.
Lemma power_pos x a : 0 < x -> power x a = exp (a * ln x).
Proof. intros. unfold power. destruct (Rle_dec x 0); lra. Qed.
Lemma power_nonneg x a : 0 <= power x a.
Proof. unfold power. destruct (Rle_dec x 0); [lra|left; apply exp_pos]. Qed.
Lemma power_mult x y a : 0 <= x -> 0 <= y -> power (x * y) a = power x a * power y a.
Proof.
  intros [X|<-] [Y|<-]; rewrite ?Rmult_0_l, ?Rmult_0_r, ?power_0; try lra.
  rewrite !power_pos by nra. rewrite ln_mult by auto. rewrite <- exp_plus. f_equal. ring.
Qed.

(** Young's inequality, from the convexity of the exponential function. *)
Lemma exp_convex w y z : 0 <= w <= 1 -> exp (w * y + (1 - w) * z) <= w * exp y + (1 - w) * exp z.
Proof.
  intros W. set (m := w * y + (1 - w) * z).
  assert (Y : exp m * (1 + (y - m)) <= exp y).
  { replace (exp y) with (exp m * exp (y - m)) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; [left; apply exp_pos|apply exp_ineq1_le]. }
  assert (Z : exp m * (1 + (z - m)) <= exp z).
  { replace (exp z) with (exp m * exp (z - m)) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; [left; apply exp_pos|apply exp_ineq1_le]. }
  replace (exp m) with (w * (exp m * (1 + (y - m))) + (1 - w) * (exp m * (1 + (z - m)))) by (unfold m; ring).
  nra.
Qed.

(** The function [x]^α lies below its chords. *)
Lemma below_chord a l u x w : 1 <= a -> 0 < l -> l <= x <= u -> 0 <= w <= 1 -> x = w * u + (1 - w) * l ->
  power x a <= w * power u a + (1 - w) * power l a.
Proof.
  intros A L X W E. rewrite !power_pos by lra.
  (* both ends lie above the tangent at x *)
  assert (T : forall t, 0 < t -> exp (a * ln x) * (1 + a * (t / x - 1)) <= exp (a * ln t)).
  { intros t Ht. replace (exp (a * ln t)) with (exp (a * ln x) * exp (a * ln (t / x))).
    2: { rewrite <- exp_plus. f_equal. unfold Rdiv. rewrite ln_mult, ln_Rinv
      by (try apply Rinv_0_lt_compat; lra). ring. }
    apply Rmult_le_compat_l; [left; apply exp_pos|].
    assert (P : 0 < t / x) by (apply Rdiv_lt_0_compat; lra).
    pose proof (exp_convex (1 / a) (a * ln (t / x)) 0) as C.
    assert (0 < / a <= 1) by (split; [apply Rinv_0_lt_compat|rewrite <- Rinv_1; apply Rinv_le_contravar]; lra).
    replace (1 / a * (a * ln (t / x)) + (1 - 1 / a) * 0) with (ln (t / x)) in C by (field; lra).
    rewrite exp_ln, exp_0 in C by auto. specialize (C ltac:(unfold Rdiv; lra)).
    apply (Rmult_le_compat_l a) in C; [|lra].
    replace (a * (1 / a * exp (a * ln (t / x)) + (1 - 1 / a) * 1)) with (exp (a * ln (t / x)) + a - 1) in C
      by (field; lra). lra. }
  pose proof (T u ltac:(lra)) as U. pose proof (T l L) as V.
  replace (exp (a * ln x)) with
    (w * (exp (a * ln x) * (1 + a * (u / x - 1))) + (1 - w) * (exp (a * ln x) * (1 + a * (l / x - 1)))).
  - nra.
  - assert (w * (u / x) + (1 - w) * (l / x) = 1).
    { replace (w * (u / x) + (1 - w) * (l / x)) with ((w * u + (1 - w) * l) / x) by (field; lra).
      rewrite <- E. field. lra. }
    transitivity (exp (a * ln x) * (1 + a * ((w * (u / x) + (1 - w) * (l / x)) - 1))); [ring|rewrite H; ring].
Qed.

(** ** Definitions *)

(** Probabilities of countably many outcomes. *)
Definition law (p : nat -> R) :=
  (forall i, 0 <= p i) /\ (forall n, sum n p <= 1) /\ forall h, 0 < h -> exists n, 1 - h < sum n p.

(** What an outcome adds to exp((α − 1)·D_α): the sum of these over all outcomes is that number. *)
Definition term (a p q : R) := power p a * power q (1 - a).

(** ρ-zCDP. *)
Definition concentrated (rho : R) (p q : nat -> R) :=
  (forall i, q i = 0 -> p i = 0) /\
  forall a n, 1 < a -> sum n (fun i => term a (p i) (q i)) <= exp (a * (a - 1) * rho).

(** Pure ε. *)
Definition pure (e : R) (p q : nat -> R) := forall i, p i <= exp e * q i /\ q i <= exp e * p i.

(** ln p/q lies in an interval of length ε. *)
Definition bounded_range (e : R) (p q : nat -> R) := exists t, forall i, exp (t - e) * q i <= p i <= exp t * q i.

(** (ε, δ), for each test [f] of finitely many outcomes. *)
Definition approximate (e d : R) (p q : nat -> R) :=
  forall n f, (forall i, 0 <= f i <= 1) -> sum n (fun i => p i * f i) <= exp e * sum n (fun i => q i * f i) + d.

Lemma term_nonneg a p q : 0 <= term a p q.
Proof. apply Rmult_le_pos; apply power_nonneg. Qed.
Lemma term_pos a p q : 0 < p -> 0 < q -> term a p q = q * power (p / q) a.
Proof.
  intros P Q. unfold term. rewrite !power_pos by (auto; apply Rdiv_lt_0_compat; auto).
  unfold Rdiv. rewrite ln_mult, ln_Rinv by (auto; apply Rinv_0_lt_compat; auto).
  rewrite <- (exp_ln q) at 2 by auto. rewrite <- !exp_plus. f_equal. ring.
Qed.
Lemma term_mult a p q x y : 0 <= p -> 0 <= q -> 0 <= x -> 0 <= y -> term a (p * x) (q * y) = term a p q * term a x y.
Proof. intros. unfold term. rewrite !power_mult by auto. ring. Qed.

(** ** Processing *)

(** The probability of the result [j] of a computation [g] from the first [n] outcomes. *)
Definition merged (n : nat) (g : nat -> nat) (p : nat -> R) (j : nat) : R :=
  sum n (fun i => if Nat.eqb (g i) j then p i else 0).

Lemma merge_two a p q x y : 1 < a -> 0 <= p -> 0 <= q -> 0 <= x -> 0 <= y -> (q = 0 -> p = 0) -> (y = 0 -> x = 0) ->
  term a (p + x) (q + y) <= term a p q + term a x y.
Proof.
  intros A P Q X Y PQ XY.
  assert (Z : forall z, term a 0 z = 0) by (intros; unfold term; rewrite power_0; ring).
  destruct Q as [Q|<-]; [|rewrite PQ, Z, !Rplus_0_l by auto; lra].
  destruct Y as [Y|<-]; [|rewrite XY, Z, !Rplus_0_r by auto; lra].
  assert (N : forall p q, 0 <= p -> 0 < q -> term a p q = q * power (p / q) a).
  { intros u v [U|<-] V; [apply term_pos; auto|]. rewrite Z. unfold Rdiv. rewrite Rmult_0_l, power_0. ring. }
  rewrite !N by lra.
  assert (C : forall u v w, 0 <= u -> 0 <= v -> 0 <= w <= 1 ->
    power (w * u + (1 - w) * v) a <= w * power u a + (1 - w) * power v a).
  { assert (C0 : forall u w, 0 <= u -> 0 <= w <= 1 -> power (w * u) a <= w * power u a).
    { intros u w U W. rewrite power_mult by lra. apply Rmult_le_compat_r; [apply power_nonneg|].
      destruct (Req_dec w 0) as [->|nz]; [rewrite power_0; lra|]. rewrite power_pos by lra.
      rewrite <- (exp_ln w) at 2 by lra. assert (L : ln w <= 0) by (rewrite <- ln_1; apply ln_le; lra).
      destruct (Rle_lt_or_eq_dec _ _ L) as [lt| ->]; [left; apply exp_increasing; nra|right; f_equal; ring]. }
    assert (C1 : forall u v w, 0 < u -> u <= v -> 0 <= w <= 1 ->
      power (w * v + (1 - w) * u) a <= w * power v a + (1 - w) * power u a).
    { intros u v w U V W. apply below_chord with (l := u) (u := v); auto; nra. }
    intros u v w U V W.
    destruct (Req_dec u 0) as [->|nu].
    { rewrite power_0, !Rmult_0_r, !Rplus_0_l. apply C0; lra. }
    destruct (Req_dec v 0) as [->|nv].
    { rewrite power_0, !Rmult_0_r, !Rplus_0_r. apply C0; lra. }
    destruct (Rle_lt_dec v u).
    - apply C1; lra.
    - rewrite (Rplus_comm (w * u)), (Rplus_comm (w * _)).
      replace w with (1 - (1 - w)) at 2 4 by ring. apply C1; lra. }
  assert (W : 0 <= q / (q + y) <= 1).
  { split; [apply Rle_div_r|apply Rle_div_l]; lra. }
  pose proof (C (p / q) (x / y) (q / (q + y))) as H.
  replace (q / (q + y) * (p / q) + (1 - q / (q + y)) * (x / y)) with ((p + x) / (q + y)) in H by (field; lra).
  apply (Rmult_le_compat_l (q + y)) in H; try lra.
  - replace ((q + y) * (q / (q + y) * power (p / q) a + (1 - q / (q + y)) * power (x / y) a))
      with (q * power (p / q) a + y * power (x / y) a) in H by (field; lra). exact H.
  - unfold Rdiv. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat; lra.
  - unfold Rdiv. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat; lra.
Qed.

(** [P3] Divergences do not grow when outcomes are merged: of the first [n] outcomes of a ρ-zCDP release, merged to [m]
    results by any function. *)
Theorem merging_keeps rho p q n m g : law p -> law q -> concentrated rho p q ->
  forall a, 1 < a -> sum m (fun j => term a (merged n g p j) (merged n g q j)) <= exp (a * (a - 1) * rho).
Proof.
  intros (P & _) (Q & _) (ac & H) a A. specialize (H a n A). eapply Rle_trans; [|exact H]. clear H.
  assert (Z : forall z, term a 0 z = 0) by (intros; unfold term; rewrite power_0; ring).
  assert (N : forall n f, (forall i, 0 <= f i) -> forall j, 0 <= merged n g f j).
  { intros k f F j. apply sum_pos. intros i. destruct (Nat.eqb (g i) j); auto; lra. }
  induction n.
  - simpl. rewrite (sum_eq m _ (fun _ => 0 * 0)), sum_scal by (intros; unfold merged; simpl; rewrite Z; ring). lra.
  - assert (O : sum m (fun j => if Nat.eqb (g n) j then term a (p n) (q n) else 0) <= term a (p n) (q n)).
    { pose proof (term_nonneg a (p n) (q n)) as T. revert T. generalize (term a (p n) (q n)). clear. intros t T.
      assert (B : sum m (fun j => if Nat.eqb (g n) j then t else 0) = if Nat.ltb (g n) m then t else 0).
      { induction m; [reflexivity|]. cbn [sum]. rewrite IHm.
        destruct (Nat.ltb_spec (g n) m), (Nat.ltb_spec (g n) (S m)), (Nat.eqb_spec (g n) m); try lra; lia. }
      rewrite B. destruct (Nat.ltb (g n) m); lra. }
    cbn [sum]. eapply Rle_trans; [|apply Rplus_le_compat; [exact IHn|exact O]].
    rewrite <- sum_plus. apply sum_le. intros j _. unfold merged in *. cbn [sum].
    destruct (Nat.eqb (g n) j).
    + apply merge_two; auto.
      intros E. clear -E Q ac. induction n; simpl in *; [reflexivity|].
      assert (0 <= sum n (fun i => if Nat.eqb (g i) j then q i else 0)).
      { apply sum_pos. intros i. destruct (Nat.eqb (g i) j); auto; lra. }
      destruct (Nat.eqb (g n) j); specialize (Q n).
      * rewrite IHn, ac by lra. ring.
      * rewrite IHn by lra. ring.
    + rewrite !Rplus_0_r. lra.
Qed.

(** ** The filter *)

(** Releases are made one after the other. [Release rho p q next] has the probabilities [p] and [q] of its outcomes on
    the two data sets, and keeps ρ. It is chosen by all earlier outcomes, and its ρ too. *)
Inductive course :=
| Stop
| Release (rho : R) (p q : nat -> R) (next : nat -> course).

(** Whatever happens, the ρ's on the way sum to [rho] at most. *)
Fixpoint within (rho : R) (a : course) : Prop :=
  match a with
  | Stop => 0 <= rho
  | Release r p q next => law p /\ law q /\ concentrated r p q /\ forall i, within (rho - r) (next i)
  end.

(** All courses of events whose outcomes are below [n], each with its probabilities on the two data sets. *)
Fixpoint events (n : nat) (a : course) : list (R * R) :=
  match a with
  | Stop => (1, 1) :: nil
  | Release _ p q next =>
      flat_map (fun i => map (fun e => (p i * fst e, q i * snd e)) (events n (next i))) (seq 0 n)
  end.

Definition total (l : list R) := fold_right Rplus 0 l.
Lemma total_app l m : total (l ++ m) = total l + total m.
Proof. induction l; simpl; lra. Qed.
Lemma total_flat (f : nat -> list R) n : total (flat_map f (seq 0 n)) = sum n (fun i => total (f i)).
Proof.
  induction n; [reflexivity|]. rewrite seq_S, flat_map_app, total_app, IHn. simpl. rewrite app_nil_r. reflexivity.
Qed.

Lemma events_nonneg n a : forall r e, within r a -> In e (events n a) -> 0 <= fst e /\ 0 <= snd e.
Proof.
  induction a as [|r p q next IH]; simpl; intros rho e H I.
  - destruct I as [<-|[]]. simpl. lra.
  - destruct H as ((P & _) & (Q & _) & _ & H). apply in_flat_map in I. destruct I as (i & _ & I).
    apply in_map_iff in I. destruct I as (e' & <- & I). simpl.
    destruct (IH i _ _ (H i) I). split; apply Rmult_le_pos; auto.
Qed.

(** [L1] Releases whose ρ's never sum to more than a total ρ keep it together. Each is chosen, its ρ too, after seeing
    all earlier outcomes. So exp((α − 1)·D_α) of all courses of events is at most e^(α(α − 1)ρ), for every α > 1. *)
Theorem filter a : forall rho n alpha, within rho a -> 1 < alpha ->
  total (map (fun e => term alpha (fst e) (snd e)) (events n a)) <= exp (alpha * (alpha - 1) * rho).
Proof.
  induction a as [|r p q next IH]; intros rho n alpha H A.
  - simpl in *. unfold term. rewrite !power_pos, ln_1, !Rmult_0_r, exp_0 by lra. rewrite Rmult_1_r, Rplus_0_r.
    rewrite <- exp_0 at 1. destruct (Rle_lt_or_eq_dec 0 (alpha * (alpha - 1) * rho)) as [lt|<-];
      [|left; apply exp_increasing; auto|lra].
    apply Rmult_le_pos; nra.
  - pose proof H as ((P & _) & (Q & _) & (_ & C) & H').
    cbn [events]. rewrite flat_map_concat_map, concat_map, map_map, <- flat_map_concat_map, total_flat.
    apply Rle_trans with (sum n (fun i => exp (alpha * (alpha - 1) * (rho - r)) * term alpha (p i) (q i))).
    + apply sum_le. intros i _. specialize (IH i _ n alpha (H' i) A).
      assert (E : forall l, (forall e, In e l -> 0 <= fst e /\ 0 <= snd e) ->
        total (map (fun e => term alpha (fst e) (snd e)) (map (fun e => (p i * fst e, q i * snd e)) l))
        = term alpha (p i) (q i) * total (map (fun e => term alpha (fst e) (snd e)) l)).
      { induction l; simpl; intros L; [ring|]. destruct (L a) as (L1 & L2); auto.
        rewrite IHl, term_mult by auto. ring. }
      rewrite E by (intros e; apply (events_nonneg n (next i) (rho - r)); auto).
      rewrite (Rmult_comm (exp _)). apply Rmult_le_compat_l; [apply term_nonneg|exact IH].
    + rewrite sum_scal. specialize (C alpha n A).
      apply Rle_trans with (exp (alpha * (alpha - 1) * (rho - r)) * exp (alpha * (alpha - 1) * r)).
      * apply Rmult_le_compat_l; [left; apply exp_pos|exact C].
      * rewrite <- exp_plus. right. f_equal. ring.
Qed.

(** A release whose law is the same on both data sets costs nothing, so in a filter releases about other records cost
    nothing ([U3]). *)
Lemma same_costs_nothing p : law p -> concentrated 0 p p.
Proof.
  intros (P & one & _). split; auto. intros a n A. rewrite Rmult_0_r, exp_0.
  eapply Rle_trans; [|apply (one n)]. right. apply sum_eq. intros i _.
  destruct (P i) as [pos|<-]; [|unfold term; rewrite power_0; ring].
  rewrite term_pos by auto. unfold Rdiv. rewrite Rinv_r, power_pos, ln_1, Rmult_0_r, exp_0 by lra. ring.
Qed.

(** ** From pure ε and bounded range to ρ *)

(** If all ratios p/q lie between [l] and [u], then exp((α − 1)·D_α) is at most that of the two outcomes with the ratios
    [l] and [u]. *)
Lemma two_outcomes_are_worst a l u p q n : 1 < a -> 0 < l <= 1 -> 1 <= u -> l < u -> law p -> law q ->
  (forall i, l * q i <= p i <= u * q i) ->
  sum n (fun i => term a (p i) (q i)) <= (1 - l) / (u - l) * power u a + (u - 1) / (u - l) * power l a.
Proof.
  intros A (L & L1) U LU (P & Pone & Psup) (Q & Qone & Qsup) H.
  set (slope := (power u a - power l a) / (u - l)). set (const := (u * power l a - l * power u a) / (u - l)).
  assert (mono : power l a <= power u a).
  { rewrite !power_pos by lra. apply Rlt_le, exp_increasing. assert (ln l < ln u) by (apply ln_increasing; lra). nra. }
  assert (S : 0 <= slope) by (unfold slope; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
  assert (T : forall i, term a (p i) (q i) <= slope * p i + const * q i).
  { intros i. specialize (H i). destruct (Q i) as [qi|e].
    2: { assert (p i = 0) by (rewrite <- e in H; lra). rewrite H0, <- e. unfold term. rewrite power_0. lra. }
    assert (pi : 0 < p i) by nra. rewrite term_pos by auto.
    assert (R : l <= p i / q i <= u) by (split; [apply Rle_div_r|apply Rle_div_l]; lra).
    pose proof (below_chord a l u (p i / q i) ((p i / q i - l) / (u - l)) ltac:(lra) L R) as C.
    apply (Rmult_le_compat_l (q i)) in C; [|lra| |field; lra].
    - eapply Rle_trans; [exact C|]. right. unfold slope, const. field. lra.
    - split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|]. apply Rle_div_l; lra. }
  replace ((1 - l) / (u - l) * power u a + (u - 1) / (u - l) * power l a) with (slope + const)
    by (unfold slope, const; field; lra).
  destruct (Rle_lt_dec (sum n (fun i => term a (p i) (q i))) (slope + const)) as [|lt]; auto. exfalso.
  set (gap := sum n (fun i => term a (p i) (q i)) - (slope + const)).
  (* more outcomes, whose probabilities sum nearly to one *)
  destruct (Qsup (gap / (1 + Rabs const))) as (m & M).
  { apply Rdiv_lt_0_compat; [unfold gap; lra|]. pose proof (Rabs_pos const). lra. }
  set (k := Nat.max n m).
  assert (K : 1 - gap / (1 + Rabs const) < sum k q)
    by (eapply Rlt_le_trans; [exact M|apply sum_more; auto; apply Nat.le_max_r]).
  assert (B : sum n (fun i => term a (p i) (q i)) <= slope * sum k p + const * sum k q).
  { apply Rle_trans with (sum k (fun i => term a (p i) (q i))).
    - apply sum_more; [intros; apply term_nonneg|apply Nat.le_max_l].
    - rewrite <- !sum_scal, <- sum_plus. apply sum_le. auto. }
  specialize (Pone k). specialize (Qone k).
  assert (slope * sum k p <= slope) by nra.
  assert (const * sum k q < const + gap).
  { pose proof (Rle_abs (- const)). rewrite Rabs_Ropp in H1. pose proof (Rabs_pos const).
    assert (G : gap / (1 + Rabs const) * (1 + Rabs const) = gap) by (field; lra).
    assert (0 < gap) by (unfold gap; lra). set (x := sum k q) in *. set (y := gap / (1 + Rabs const)) in *.
    assert (0 <= 1 - x < y) by lra. assert (- const * (1 - x) <= Rabs const * (1 - x)) by nra.
    assert (Rabs const * (1 - x) <= Rabs const * y) by nra. assert (0 < y) by nra. nra. }
  unfold gap in *. lra.
Qed.

Lemma tanh_bound t0 t : 0 < t0 <= t -> ln (cosh t) - ln (cosh t0) <= (t * t - t0 * t0) * (tanh t0 / (2 * t0)).
Proof.
  intros H.
  assert (cp : forall x, 0 < cosh x)
    by (intros x; unfold cosh; pose proof (exp_pos x); pose proof (exp_pos (- x)); lra).
  assert (c1 : forall x, 1 <= cosh x).
  { intros x. unfold cosh. pose proof (exp_ineq1_le x). pose proof (exp_ineq1_le (- x)). lra. }
  assert (ss : forall x, 0 <= x -> x <= sinh x).
  { intros x X. assert (G : sinh 0 - 0 <= sinh x - x).
    { apply (grows (fun x => sinh x - x) (fun x => cosh x - 1)); auto.
      - intros y _. unfold sinh, cosh. auto_derive; auto. field.
      - intros y _. specialize (c1 y). lra. }
    rewrite sinh_0 in G. lra. }
  assert (th : forall x, t0 <= x -> t0 * tanh x <= x * tanh t0).
  { intros x X. assert (G : t0 * tanh t0 - t0 * tanh t0 <= x * tanh t0 - t0 * tanh x).
    { apply (grows (fun x => x * tanh t0 - t0 * tanh x) (fun x => tanh t0 - t0 / (cosh x * cosh x))); auto.
      - intros y _. pose proof (exp_pos y). specialize (cp y). generalize (tanh t0). intros u.
        unfold tanh, sinh, cosh in *.
        auto_derive; [lra|]. rewrite exp_Ropp in *. field. repeat split; try lra; apply Rgt_not_eq; nra.
      - intros y Y. assert (cosh t0 <= cosh y).
        { apply (grows cosh sinh); try lra.
          - intros z _. unfold sinh, cosh. auto_derive; auto. field.
          - intros z Z. specialize (ss z). lra. }
        pose proof (cp y). pose proof (cp t0). pose proof (c1 t0). pose proof (ss t0 ltac:(lra)).
        assert (t0 / (cosh y * cosh y) <= t0 / (cosh t0 * cosh t0)).
        { apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; nra. }
        assert (t0 / (cosh t0 * cosh t0) <= tanh t0).
        { unfold tanh. apply Rle_div_l; [nra|].
          replace (sinh t0 / cosh t0 * (cosh t0 * cosh t0)) with (sinh t0 * cosh t0) by (field; lra). nra. }
        lra. }
    lra. }
  assert (G : (t0 * t0 - t0 * t0) * (tanh t0 / (2 * t0)) - (ln (cosh t0) - ln (cosh t0))
    <= (t * t - t0 * t0) * (tanh t0 / (2 * t0)) - (ln (cosh t) - ln (cosh t0))).
  { apply (grows (fun t => (t * t - t0 * t0) * (tanh t0 / (2 * t0)) - (ln (cosh t) - ln (cosh t0)))
      (fun t => t * tanh t0 / t0 - tanh t)); [lra| |].
    - intros x X. specialize (cp x). pose proof (exp_pos x).
      apply (is_derive_ext (fun t => (t * t - t0 * t0) * (tanh t0 / (2 * t0)) -
        (ln ((exp t + exp (- t)) / 2) - ln (cosh t0)))); [reflexivity|].
      generalize (tanh t0), (ln (cosh t0)). intros u v.
      unfold tanh, sinh, cosh in *. auto_derive; [lra|]. rewrite exp_Ropp in *. field.
      repeat split; try lra; apply Rgt_not_eq; nra.
    - intros x X. specialize (th x ltac:(lra)).
      assert (tanh x <= x * tanh t0 / t0) by (apply (Rle_div_r (tanh x) (x * tanh t0) t0); lra). lra. }
  lra.
Qed.

(** [P2] Pure ε is ρ-zCDP with ρ = ε·tanh(ε/2). *)
Theorem pure_concentrated e p q : 0 < e -> law p -> law q -> pure e p q -> concentrated (e * tanh (e / 2)) p q.
Proof.
  intros E P Q H. split.
  { intros i q0. destruct (H i) as (le & _). destruct P as (P & _). specialize (P i). rewrite q0 in le. lra. }
  intros a n A.
  assert (X : 1 < exp e) by (rewrite <- exp_0; apply exp_increasing; auto).
  assert (XL : exp (- e) * exp e = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  pose proof (exp_pos (- e)) as L.
  assert (L1 : exp (- e) < 1) by nra.
  eapply Rle_trans; [apply (two_outcomes_are_worst a (exp (- e)) (exp e) p q n); auto; try lra|].
  { intros i. destruct (H i) as (up & low). split; [|exact up].
    apply (Rmult_le_compat_l (exp (- e))) in low; [|lra]. rewrite <- Rmult_assoc, XL in low. lra. }
  rewrite !power_pos, !ln_exp by lra.
  set (t0 := e / 2). set (t := (a - 1 / 2) * e).
  assert (c0 : 0 < cosh t0) by (unfold cosh; pose proof (exp_pos t0); pose proof (exp_pos (- t0)); lra).
  assert (c : 0 < cosh t) by (unfold cosh; pose proof (exp_pos t); pose proof (exp_pos (- t)); lra).
  replace (_ + _) with (cosh t / cosh t0).
  - assert (B : ln (cosh t) <= ln (cosh t0) + a * (a - 1) * (e * tanh t0)).
    { pose proof (tanh_bound t0 t ltac:(unfold t, t0; nra)).
      replace ((t * t - t0 * t0) * (tanh t0 / (2 * t0))) with (a * (a - 1) * (e * tanh t0)) in H0; [lra|].
      generalize (tanh t0). intros x. unfold t, t0. field. lra. }
    apply Rle_div_l; auto. rewrite <- (exp_ln (cosh t)), <- (exp_ln (cosh t0)) at 1 by auto. rewrite <- exp_plus.
    rewrite Rplus_comm in B. destruct B as [lt|eq]; [left; apply exp_increasing; exact lt|right; f_equal; exact eq].
  - (* with x = e^(ε/2) and y = e^((α − ½)ε) *)
    unfold cosh. pose proof (exp_pos t0) as x0. pose proof (exp_pos t) as y0.
    replace (exp (a * e)) with (exp t * exp t0) by (rewrite <- exp_plus; f_equal; unfold t, t0; field).
    replace (exp (a * - e)) with (/ (exp t * exp t0))
      by (rewrite <- exp_plus, <- exp_Ropp; f_equal; unfold t, t0; field).
    replace (exp (- e)) with (/ (exp t0 * exp t0)) by (rewrite <- exp_plus, <- exp_Ropp; f_equal; unfold t0; field).
    replace (exp e) with (exp t0 * exp t0) by (rewrite <- exp_plus; f_equal; unfold t0; field).
    assert (1 < exp t0) by (rewrite <- exp_0; apply exp_increasing; unfold t0; lra).
    assert (1 < exp t0 * exp t0) by nra.
    rewrite !exp_Ropp. field. repeat split; try lra; apply Rgt_not_eq; nra.
Qed.

(** Randomised response: one of two data sets is named, and correctly with the probability e^ε/(1 + e^ε). *)
Definition response (e : R) (first : bool) (i : nat) : R :=
  match i, first with
  | 0%nat, true | 1%nat, false => exp e / (1 + exp e)
  | 0%nat, false | 1%nat, true => 1 / (1 + exp e)
  | _, _ => 0
  end.
Lemma response_law e first : law (response e first).
Proof.
  pose proof (exp_pos e).
  assert (W : 0 < exp e / (1 + exp e)) by (apply Rdiv_lt_0_compat; lra).
  assert (V : 0 < 1 / (1 + exp e)) by (apply Rdiv_lt_0_compat; lra).
  assert (WV : exp e / (1 + exp e) + 1 / (1 + exp e) = 1) by (field; lra).
  assert (N : forall i, 0 <= response e first i) by (intros [|[|i]]; destruct first; simpl; lra).
  assert (T : forall n, sum (S (S n)) (response e first) = 1).
  { induction n; [destruct first; simpl; lra|]. cbn [sum] in *. rewrite IHn. destruct first; simpl; lra. }
  split; [exact N|split].
  - intros n. rewrite <- (T n). apply sum_more; auto.
  - intros h h0. exists 2%nat. rewrite T. lra.
Qed.
Lemma response_pure e : 0 <= e -> pure e (response e true) (response e false).
Proof.
  intros E i. pose proof (exp_pos e). assert (1 <= exp e).
  { rewrite <- exp_0. destruct E as [lt|<-]; [left; apply exp_increasing; auto|lra]. }
  assert (V : 0 < 1 / (1 + exp e)) by (apply Rdiv_lt_0_compat; lra).
  assert (W : exp e / (1 + exp e) = exp e * (1 / (1 + exp e))) by (field; lra).
  assert (V1 : 1 / (1 + exp e) <= exp e * (1 / (1 + exp e))) by nra.
  assert (V2 : exp e * (1 / (1 + exp e)) <= exp e * (exp e * (1 / (1 + exp e)))) by (apply Rmult_le_compat_l; lra).
  destruct i as [|[|i]]; simpl; rewrite ?W; lra.
Qed.

(** [P2] No ρ smaller than ε·tanh(ε/2) holds for randomised response. It is pure ε, by [response_pure], so that no
    smaller ρ holds for all pure ε releases either. *)
Theorem no_smaller_rho e rho : 0 < e -> rho < e * tanh (e / 2) ->
  ~ concentrated rho (response e true) (response e false).
Proof.
  intros E less (_ & H).
  assert (X : 1 < exp e) by (rewrite <- exp_0; apply exp_increasing; auto).
  set (w := exp e / (1 + exp e)).
  assert (TW : tanh (e / 2) = 2 * w - 1).
  { unfold w, tanh, sinh, cosh. pose proof (exp_pos (e / 2)).
    replace (exp e) with (exp (e / 2) * exp (e / 2)) by (rewrite <- exp_plus; f_equal; field).
    rewrite exp_Ropp. field. repeat split; apply Rgt_not_eq; nra. }
  assert (W : / 2 < w < 1).
  { unfold w. split; [apply Rlt_div_r|apply Rlt_div_l]; lra. }
  assert (exists a, 1 < a /\ a * rho < e * tanh (e / 2)) as (a & A & AR).
  { destruct (Rle_lt_dec rho 0) as [neg|pos].
    - exists 2. split; [lra|]. assert (0 < e * tanh (e / 2)) by (rewrite TW; apply Rmult_lt_0_compat; lra). lra.
    - exists ((1 + e * tanh (e / 2) / rho) / 2).
      assert (1 < e * tanh (e / 2) / rho) by (apply (Rlt_div_r 1); lra).
      split; [lra|]. replace ((1 + e * tanh (e / 2) / rho) / 2 * rho) with ((rho + e * tanh (e / 2)) / 2)
        by (field; lra).
      lra. }
  specialize (H a 2%nat A).
  assert (C : exp (w * ((a - 1) * e) + (1 - w) * (- ((a - 1) * e))) <= exp (a * (a - 1) * rho)).
  { eapply Rle_trans; [apply exp_convex; lra|]. eapply Rle_trans; [|exact H]. right.
    simpl. fold w. replace (1 / (1 + exp e)) with (1 - w) by (unfold w; field; lra).
    rewrite !term_pos by lra. unfold Rdiv. rewrite !power_pos
      by (apply Rmult_lt_0_compat; try apply Rinv_0_lt_compat; lra).
    assert (R : ln (w * / (1 - w)) = e).
    { replace (w * / (1 - w)) with (exp e) by (unfold w; field; lra). apply ln_exp. }
    assert (R' : ln ((1 - w) * / w) = - e).
    { replace ((1 - w) * / w) with (/ exp e) by (unfold w; field; lra). rewrite ln_Rinv, ln_exp
        by (apply exp_pos). auto. }
    rewrite R, R'.
    assert (WE : w = exp e * (1 - w)) by (unfold w; field; lra).
    replace (exp (a * e)) with (exp e * exp ((a - 1) * e)) by (rewrite <- exp_plus; f_equal; ring).
    replace (exp (a * - e)) with (/ exp e * exp (- ((a - 1) * e))) by (rewrite <- exp_Ropp, <- exp_plus; f_equal; ring).
    rewrite WE at 1 4. field. lra. }
  assert (a * (a - 1) * rho < w * ((a - 1) * e) + (1 - w) * (- ((a - 1) * e))).
  { replace (w * ((a - 1) * e) + (1 - w) * (- ((a - 1) * e))) with ((a - 1) * (e * (2 * w - 1))) by ring.
    rewrite <- TW. replace (a * (a - 1) * rho) with ((a - 1) * (a * rho)) by ring. apply Rmult_lt_compat_l; lra. }
  apply exp_increasing in H0. lra.
Qed.

(** Hoeffding's lemma for two outcomes with the losses [t] and [t - e] and a mean ratio of 1. *)
Lemma two_losses w e t a : 0 <= w <= 1 -> 0 < e -> 1 <= a -> w * exp t + (1 - w) * exp (t - e) = 1 ->
  w * exp (a * t) + (1 - w) * exp (a * (t - e)) <= exp (a * (a - 1) * (e * e / 8)).
Proof.
  intros W E A M.
  set (u := fun a => w * exp (a * t)). set (v := fun a => (1 - w) * exp (a * (t - e))).
  assert (UV : forall a, 0 <= u a /\ 0 <= v a /\ 0 < u a + v a).
  { intros b. unfold u, v. pose proof (exp_pos (b * t)). pose proof (exp_pos (b * (t - e))).
    repeat split; try (apply Rmult_le_pos; lra). destruct (Req_dec w 0) as [->|nz]; nra. }
  (* h is convex, and 0 at 0 and 1 *)
  set (h := fun a => a * (a - 1) * (e * e / 8) - ln (u a + v a)).
  set (dh := fun a => (2 * a - 1) * (e * e / 8) - (t - e * (v a / (u a + v a)))).
  assert (D : forall x, is_derive h x (dh x)).
  { intros x. destruct (UV x) as (U0 & V0 & S). unfold h, dh, u, v in *. auto_derive; [lra|]. field. lra. }
  assert (DD : forall x y, x <= y -> dh x <= dh y).
  { intros x y L. apply (grows dh (fun a => e * e / 4 - e * e * (v a / (u a + v a) * (1 - v a / (u a + v a))))); auto.
    - intros z _. destruct (UV z) as (U0 & V0 & S). unfold dh, u, v in *. auto_derive; [lra|]. field. lra.
    - intros z _. assert (0 <= (v z / (u z + v z) - 1 / 2) ^ 2) by apply pow2_ge_0. nra. }
  assert (h0 : h 0 = 0).
  { unfold h, u, v. rewrite !Rmult_0_l, exp_0. replace (w * 1 + (1 - w) * 1) with 1 by ring. rewrite ln_1. lra. }
  assert (h1 : h 1 = 0). { unfold h, u, v. rewrite !Rmult_1_l, M, ln_1. lra. }
  assert (dh1 : 0 <= dh 1).
  { destruct (MVT_gen h 0 1 dh) as (c & C & EQ).
    - intros; apply D.
    - intros; apply derivable_continuous_pt; exists (dh x); apply is_derive_Reals, D.
    - rewrite Rmin_left, Rmax_right in C by lra. specialize (DD c 1 ltac:(lra)). lra. }
  assert (G : h 1 <= h a).
  { apply (grows h dh); auto. intros x X. specialize (DD 1 x ltac:(lra)). lra. }
  assert (B : ln (u a + v a) <= a * (a - 1) * (e * e / 8)) by (unfold h in *; lra).
  destruct (UV a) as (_ & _ & S). change (u a + v a <= exp (a * (a - 1) * (e * e / 8))).
  rewrite <- (exp_ln (u a + v a)) by auto.
  destruct B as [lt|eq]; [left; apply exp_increasing; auto|right; rewrite eq; auto].
Qed.

Lemma range_holds_zero e t p q : law p -> law q -> (forall i, exp (t - e) * q i <= p i <= exp t * q i) -> 0 <= t <= e.
Proof.
  intros (P & P1 & Psup) (Q & Q1 & Qsup) H.
  assert (B : forall c f g, 0 < c -> (forall n, sum n g <= 1) -> (forall h, 0 < h -> exists n, 1 - h < sum n f) ->
    (forall i, f i <= c * g i) -> 1 <= c).
  { intros c f g C G F le. destruct (Rle_lt_dec 1 c) as [|lt]; auto. destruct (F (1 - c)) as (n & N); [lra|].
    assert (sum n f <= c * sum n g) by (rewrite <- sum_scal; apply sum_le; auto). specialize (G n). nra. }
  split; [destruct (Rle_lt_dec 0 t) as [|lt]; auto|destruct (Rle_lt_dec t e) as [|lt]; auto]; exfalso.
  - pose proof (B (exp t) p q (exp_pos t) Q1 Psup ltac:(intros i; apply H)).
    apply exp_increasing in lt. rewrite exp_0 in lt. lra.
  - pose proof (B (exp (e - t)) q p (exp_pos _) P1 Qsup).
    assert (exp (e - t) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in *.
    assert (1 <= exp (e - t)); [|lra]. apply H0. intros i. destruct (H i) as (Hi & _).
    apply (Rmult_le_compat_l (exp (e - t))) in Hi; [|left; apply exp_pos].
    rewrite <- Rmult_assoc, <- exp_plus in Hi. replace (e - t + (t - e)) with 0 in Hi by ring. rewrite exp_0 in Hi. lra.
Qed.

(** [P2], [P7] A release of bounded range ε is pure ε. *)
Theorem bounded_range_pure e p q : law p -> law q -> bounded_range e p q -> pure e p q.
Proof.
  intros P Q (t & H). pose proof (range_holds_zero e t p q P Q H) as T. destruct P as (P & _), Q as (Q & _).
  assert (M : forall x y, x <= y -> exp x <= exp y).
  { intros x y [lt| ->]; [left; apply exp_increasing; auto|lra]. }
  intros i. destruct (H i) as (lo & hi). specialize (P i). specialize (Q i). split.
  - pose proof (M t e ltac:(lra)). nra.
  - pose proof (M (- e) (t - e) ltac:(lra)). pose proof (exp_pos e).
    assert (exp e * exp (- e) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    assert (exp (- e) * q i <= p i) by nra.
    replace (q i) with (exp e * (exp (- e) * q i)) by (rewrite <- Rmult_assoc, H2; ring). nra.
Qed.

(** [P2] A release of bounded range ε is ρ-zCDP with ρ = ε²/8. *)
Theorem bounded_range_concentrated e p q : 0 < e -> law p -> law q -> bounded_range e p q ->
  concentrated (e * e / 8) p q.
Proof.
  intros E P Q (t & H). pose proof (range_holds_zero e t p q P Q H) as T. split.
  { intros i q0. specialize (H i). rewrite q0 in H. lra. }
  intros a n A. pose proof (exp_pos (t - e)) as L.
  assert (LU : exp (t - e) < exp t) by (apply exp_increasing; lra).
  assert (U1 : 1 <= exp t) by (rewrite <- exp_0; destruct (proj1 T) as [lt|<-]; [left; apply exp_increasing; auto|lra]).
  assert (L1 : exp (t - e) <= 1).
  { rewrite <- exp_0. destruct (proj2 T) as [lt|eq]; [left; apply exp_increasing; lra|right; f_equal; lra]. }
  eapply Rle_trans; [apply (two_outcomes_are_worst a (exp (t - e)) (exp t) p q n); auto|].
  rewrite !power_pos, !ln_exp by lra.
  set (w := (1 - exp (t - e)) / (exp t - exp (t - e))).
  replace ((exp t - 1) / (exp t - exp (t - e))) with (1 - w) by (unfold w; field; lra).
  apply two_losses; auto; [|lra|unfold w; field; lra].
  unfold w. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|apply Rle_div_l; lra].
Qed.

(** ** From ρ to (ε, δ) *)

(** [P2] ρ-zCDP is (ε, δ) with δ = e^((α − 1)(αρ − ε))/(α − 1)·(1 − 1/α)^α, for every α > 1. *)
Theorem concentrated_approximate rho p q a e : law p -> law q -> concentrated rho p q -> 1 < a ->
  approximate e (exp ((a - 1) * (a * rho - e)) / (a - 1) * power (1 - 1 / a) a) p q.
Proof.
  intros (P & _) (Q & _) (ac & H) A n f F.
  set (c := power (1 - 1 / a) a / (a - 1)).
  assert (IA : 0 < 1 / a < 1) by (split; [apply Rdiv_lt_0_compat|apply (Rlt_div_l 1)]; lra).
  (* (1 − u)·u^(α − 1) ≤ c *)
  assert (core : forall u, 0 < u -> (1 - u) * exp ((a - 1) * ln u) <= c).
  { intros u U. assert (C : 0 < c) by (unfold c; rewrite power_pos by lra; apply Rdiv_lt_0_compat; [apply exp_pos|lra]).
    destruct (Rle_lt_dec 1 u) as [|lt]. { pose proof (exp_pos ((a - 1) * ln u)). nra. }
    assert (B : forall x, 0 < x -> ln x <= x - 1).
    { intros x X. pose proof (exp_ineq1_le (ln x)). rewrite exp_ln in H0 by auto. lra. }
    pose proof (B ((1 - u) * a) ltac:(nra)) as B1.
    pose proof (B (u * (a / (a - 1)))) as B2.
    assert (0 < a / (a - 1)) by (apply Rdiv_lt_0_compat; lra). specialize (B2 ltac:(nra)).
    rewrite ln_mult in B1, B2 by lra.
    assert (EA : a / (a - 1) * (a - 1) = a) by (field; lra).
    assert (ES : (a - 1) * (u * (a / (a - 1)) - 1) = u * a - (a - 1)) by (field; lra).
    apply (Rmult_le_compat_l (a - 1)) in B2; [|lra]. rewrite ES in B2.
    unfold c. rewrite power_pos by lra.
    assert (L1 : ln (1 - 1 / a) = - ln (a / (a - 1))).
    { rewrite <- ln_Rinv by auto. f_equal. field. lra. }
    rewrite L1. apply Rle_trans with (exp (ln (1 - u) + (a - 1) * ln u)).
    - rewrite exp_plus, exp_ln by lra. lra.
    - assert (LA : ln a = ln (a / (a - 1)) + ln (a - 1)) by (rewrite <- ln_mult, EA by lra; auto).
      replace (exp (a * - ln (a / (a - 1))) / (a - 1)) with (exp (a * - ln (a / (a - 1)) - ln (a - 1))).
      2: { unfold Rminus. rewrite exp_plus, exp_Ropp, exp_ln by lra. reflexivity. }
      assert (G : ln (1 - u) + (a - 1) * ln u <= a * - ln (a / (a - 1)) - ln (a - 1)) by lra.
      destruct G as [lt'|eq]; [left; apply exp_increasing; auto|right; rewrite eq; auto]. }
  assert (T : forall i, p i * f i - exp e * (q i * f i) <= c * exp (- (a - 1) * e) * term a (p i) (q i)).
  { intros i. specialize (F i). pose proof (term_nonneg a (p i) (q i)) as T0.
    assert (C : 0 < c) by (unfold c; rewrite power_pos by lra; apply Rdiv_lt_0_compat; [apply exp_pos|lra]).
    pose proof (exp_pos (- (a - 1) * e)) as X. pose proof (exp_pos e).
    assert (T1 : 0 <= c * exp (- (a - 1) * e) * term a (p i) (q i)).
    { apply Rmult_le_pos; auto. apply Rmult_le_pos; lra. }
    destruct (Rle_lt_dec (p i) (exp e * q i)) as [|lt]; [nra|].
    destruct (Q i) as [qi|q0].
    2: { rewrite ac in lt by auto. rewrite <- q0 in lt. lra. }
    assert (pi : 0 < p i) by nra.
    apply Rle_trans with (p i - exp e * q i); [nra|].
    pose proof (core (exp e * q i / p i) ltac:(apply Rdiv_lt_0_compat; nra)) as K.
    rewrite term_pos, power_pos by (auto; apply Rdiv_lt_0_compat; auto).
    set (L := ln (p i / q i)).
    assert (LQ : ln (exp e * q i / p i) = e - L).
    { unfold L, Rdiv. rewrite !ln_mult, !ln_Rinv, ln_exp by (try apply Rinv_0_lt_compat; nra). ring. }
    assert (PQ : p i = q i * exp L) by (unfold L; rewrite exp_ln by (apply Rdiv_lt_0_compat; auto); field; lra).
    rewrite LQ in K.
    apply (Rmult_le_compat_r (p i * exp (- ((a - 1) * (e - L))))) in K.
    2: { apply Rmult_le_pos; [lra|left; apply exp_pos]. }
    replace ((1 - exp e * q i / p i) * exp ((a - 1) * (e - L)) * (p i * exp (- ((a - 1) * (e - L)))))
      with ((p i - exp e * q i) * (exp ((a - 1) * (e - L)) * exp (- ((a - 1) * (e - L))))) in K by (field; lra).
    rewrite <- exp_plus, Rplus_opp_r, exp_0, Rmult_1_r in K. eapply Rle_trans; [exact K|]. right.
    rewrite PQ at 1. replace (- ((a - 1) * (e - L))) with (- (a - 1) * e + (a * L - L)) by ring.
    replace (exp (a * L)) with (exp L * exp (a * L - L)) by (rewrite <- exp_plus; f_equal; ring).
    rewrite exp_plus. ring. }
  assert (S : sum n (fun i => p i * f i)
    <= exp e * sum n (fun i => q i * f i) + c * exp (- (a - 1) * e) * sum n (fun i => term a (p i) (q i))).
  { rewrite <- !sum_scal, <- sum_plus. apply sum_le. intros i _. specialize (T i). lra. }
  specialize (H a n A).
  assert (C : 0 < c) by (unfold c; rewrite power_pos by lra; apply Rdiv_lt_0_compat; [apply exp_pos|lra]).
  assert (S' : c * exp (- (a - 1) * e) * sum n (fun i => term a (p i) (q i))
    <= c * exp (- (a - 1) * e) * exp (a * (a - 1) * rho)).
  { apply Rmult_le_compat_l; auto. apply Rmult_le_pos; [lra|left; apply exp_pos]. }
  replace (exp ((a - 1) * (a * rho - e)) / (a - 1) * power (1 - 1 / a) a)
    with (c * exp (- (a - 1) * e) * exp (a * (a - 1) * rho)); [lra|].
  rewrite Rmult_assoc, <- exp_plus. unfold c.
  replace (- (a - 1) * e + a * (a - 1) * rho) with ((a - 1) * (a * rho - e)) by ring. field. lra.
Qed.

(** ** Groups of people *)

(** Two steps between neighbours, by Hölder's inequality. *)
Lemma two_steps x r s p q z : 0 < x -> law p -> law q -> law z ->
  concentrated r p q -> concentrated s q z -> concentrated ((1 + x) * r + (1 + 1 / x) * s) p z.
Proof.
  intros X (P & _) (Q & _) (Z & _) (ac & H) (ac' & H'). split; [auto|].
  intros a n A. set (b := a + (a - 1) * x). set (c := a * (1 + 1 / x)). set (w := a / b).
  assert (IX : 0 < 1 / x) by (apply Rdiv_lt_0_compat; lra).
  assert (B : a < b) by (unfold b; nra). assert (C : 1 < c) by (unfold c; nra).
  assert (W : 0 < w < 1) by (unfold w; split; [apply Rdiv_lt_0_compat|apply (Rlt_div_l a)]; lra).
  specialize (H b n ltac:(lra)). specialize (H' c n C).
  set (M := exp (b * (b - 1) * r)) in *. set (N := exp (c * (c - 1) * s)) in *.
  assert (M0 : 0 < M) by apply exp_pos. assert (N0 : 0 < N) by apply exp_pos.
  set (K := exp (w * (b * (b - 1) * r) + (1 - w) * (c * (c - 1) * s))).
  assert (K0 : 0 < K) by apply exp_pos.
  assert (T : forall i, term a (p i) (z i) <= K * (w * (term b (p i) (q i) / M) + (1 - w) * (term c (q i) (z i) / N))).
  { intros i. pose proof (term_nonneg b (p i) (q i)). pose proof (term_nonneg c (q i) (z i)).
    assert (R : 0 <= K * (w * (term b (p i) (q i) / M) + (1 - w) * (term c (q i) (z i) / N))).
    { apply Rmult_le_pos; [lra|]. apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra;
        (apply Rmult_le_pos; [auto|left; apply Rinv_0_lt_compat; auto]). }
    assert (zero : p i = 0 -> term a (p i) (z i) = 0) by (intros ->; unfold term; rewrite power_0; ring).
    destruct (Z i) as [zi|e]; [|rewrite zero by auto; auto].
    destruct (Q i) as [qi|e]; [|rewrite zero by auto; auto].
    destruct (P i) as [pi|e]; [|rewrite zero by auto; auto].
    unfold term in *. rewrite !power_pos in * by auto. rewrite <- !exp_plus in *. unfold Rdiv, M, N, K.
    rewrite <- !exp_Ropp, <- !exp_plus.
    set (y1 := b * ln (p i) + (1 - b) * ln (q i) + - (b * (b - 1) * r)).
    set (y2 := c * ln (q i) + (1 - c) * ln (z i) + - (c * (c - 1) * s)).
    pose proof (exp_convex w y1 y2 ltac:(lra)) as Y.
    apply (Rmult_le_compat_l K) in Y; [|lra]. unfold K in Y. rewrite <- exp_plus in Y.
    eapply Rle_trans; [|exact Y]. right. f_equal. unfold y1, y2, w, c, b. field.
    repeat split; try lra; apply Rgt_not_eq; nra. }
  eapply Rle_trans; [apply sum_le; intros i _; apply T|].
  rewrite sum_scal, sum_plus, !sum_scal. unfold Rdiv at 1 2.
  rewrite (sum_eq n _ (fun i => / M * term b (p i) (q i))), (sum_eq n (fun i => term c _ _ * _)
    (fun i => / N * term c (q i) (z i)))
    by (intros; ring). rewrite !sum_scal.
  assert (/ M * sum n (fun i => term b (p i) (q i)) <= 1).
  { apply (Rmult_le_reg_l M); auto. rewrite <- Rmult_assoc, Rinv_r by lra. lra. }
  assert (/ N * sum n (fun i => term c (q i) (z i)) <= 1).
  { apply (Rmult_le_reg_l N); auto. rewrite <- Rmult_assoc, Rinv_r by lra. lra. }
  apply Rle_trans with (K * 1); [apply Rmult_le_compat_l; [lra|]; nra|]. rewrite Rmult_1_r. right. unfold K. f_equal.
  unfold w, c, b. field. repeat split; try lra; apply Rgt_not_eq; nra.
Qed.

(** A chain of [k] neighbours. *)
Inductive chain (r : R) : nat -> (nat -> R) -> (nat -> R) -> Prop :=
| chain_one p q : law p -> law q -> concentrated r p q -> chain r 1 p q
| chain_step k p q z : law p -> law q -> concentrated r p q -> chain r k q z -> chain r (S k) p z.

(** [P3], [U3] A guarantee ρ for one record is k²ρ for a group of k records. For [k] = 2, a replaced record where one is
    added and one removed, it is 4ρ ([U3]). *)
Theorem groups_of_people r k p q : chain r k p q -> concentrated (INR k * INR k * r) p q.
Proof.
  intros H. assert (law p /\ law q /\ (1 <= k)%nat /\ concentrated (INR k * INR k * r) p q); [|tauto].
  induction H as [p q P Q C|k p q z P Q C _ (_ & Z & K & IH)].
  - repeat split; try apply P; try apply Q; auto; try apply C. simpl. rewrite !Rmult_1_l. apply C.
  - split; [|split; [|split]]; auto with arith.
    assert (0 < INR k) by (apply lt_0_INR; auto with arith).
    replace (INR (S k) * INR (S k) * r) with ((1 + INR k) * r + (1 + 1 / INR k) * (INR k * INR k * r)).
    + apply two_steps with q; auto.
    + rewrite S_INR. field. lra.
Qed.
