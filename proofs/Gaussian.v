(** * Gaussian privacy

    A release is μ-GDP if no test tells its two laws apart better than N(0, 1) from N(μ, 1). The best tests of these two
    are half-lines: one with false positives of probability Φ(−y) has the power Φ(μ − y). This theory defines Φ. It
    proves which (ε, δ) are together the same as μ ([P1]), and which μ pure ε and bounded range ε imply ([P2]).

    _Covered_: any two laws, by the probabilities that they give to tests.
    _Not covered_: that half-lines are the best tests of two normal laws, which is Neyman's and Pearson's lemma; how μ's
    add up.

    Link: by reading [normal.rs] and [conversion.rs] of karcher-privacy. *)
From Coq Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Karcher Require Import Monotone.
Open Scope R_scope.

(** ** The normal distribution function *)

(** e^(−x²/2), and its integral from 0 to x. *)
Definition bell (x : R) := exp (- (x * x) / 2).
Definition area (x : R) := RInt bell 0 x.

Lemma bell_pos x : 0 < bell x.
Proof. apply exp_pos. Qed.
Lemma bell_continuous x : continuous bell x.
Proof. apply @ex_derive_continuous. unfold bell. auto_derive. auto. Qed.
Lemma area_derive x : is_derive area x (bell x).
Proof.
  apply (is_derive_RInt bell area 0 x).
  - exists (mkposreal 1 Rlt_0_1). intros y _. apply @RInt_correct, @ex_RInt_continuous. intros z _.
    apply bell_continuous.
  - apply bell_continuous.
Qed.
Lemma area_0 : area 0 = 0.
Proof. apply @RInt_point. Qed.
Lemma area_odd x : area (- x) = - area x.
Proof.
  assert (D : forall t, is_derive (fun t => area t + area (- t)) t 0).
  { intros t. replace 0 with (bell t + - bell (- t)) by (unfold bell; replace (- t * - t) with (t * t) by ring; ring).
    apply @is_derive_plus; [apply area_derive|].
    replace (- bell (- t)) with (scal (-1) (bell (- t))) by (unfold scal; simpl; unfold mult; simpl; ring).
    apply (is_derive_comp area (fun t => - t)); [apply area_derive|]. auto_derive; auto. }
  assert (E : forall a b, a <= b -> area a + area (- a) = area b + area (- b)).
  { intros a b L. apply Rle_antisym.
    - apply (grows (fun t => area t + area (- t)) (fun _ => 0)); auto. intros; lra.
    - apply (falls (fun t => area t + area (- t)) (fun _ => 0)); auto. intros; lra. }
  assert (Z : area x + area (- x) = 0); [|lra].
  transitivity (area 0 + area (- 0)); [|rewrite Ropp_0, area_0; ring].
  destruct (Rle_lt_dec x 0) as [L|L]; [apply E; auto|symmetry; apply E; lra].
Qed.
Lemma area_grows x y : x <= y -> area x <= area y.
Proof. intros L. apply (grows area bell); auto; intros; [apply area_derive|left; apply bell_pos]. Qed.
Lemma area_bounded x : area x <= exp (1 / 2).
Proof.
  destruct (Rle_lt_dec x 0) as [neg|pos].
  { apply area_grows in neg. rewrite area_0 in neg. pose proof (exp_pos (1 / 2)). lra. }
  assert (H : exp (1 / 2) * (1 - exp (- 0)) - area 0 <= exp (1 / 2) * (1 - exp (- x)) - area x).
  { apply (grows (fun t => exp (1 / 2) * (1 - exp (- t)) - area t) (fun t => exp (1 / 2) * exp (- t) - bell t));
      [lra| |].
    - intros t _. apply @is_derive_minus; [|apply area_derive]. auto_derive; auto. ring.
    - intros t _. rewrite <- exp_plus. unfold bell.
      assert (- (t * t) / 2 <= 1 / 2 + - t) by (pose proof (pow2_ge_0 (t - 1)); lra).
      destruct H as [lt|eq]; [apply exp_increasing in lt; lra|rewrite eq; lra]. }
  rewrite Ropp_0, exp_0, area_0 in H. pose proof (exp_pos (1 / 2)). pose proof (exp_pos (- x)). nra.
Qed.

(** The area to the right of 0 is its least upper bound. *)
Lemma half_exists : { h | is_lub (fun y => exists x, y = area x) h }.
Proof.
  apply completeness; [exists (exp (1 / 2)); intros y (x & ->); apply area_bounded|exists (area 0), 0; reflexivity].
Qed.
Definition half := proj1_sig half_exists.
Lemma half_spec : is_lub (fun y => exists x, y = area x) half.
Proof. exact (proj2_sig half_exists). Qed.
Lemma area_strict x y : x < y -> area x < area y.
Proof.
  intros L. destruct (MVT_gen area x y bell) as (c & C & E).
  - intros; apply area_derive.
  - intros t _. apply derivable_continuous_pt. exists (bell t). apply is_derive_Reals, area_derive.
  - pose proof (bell_pos c). nra.
Qed.
Lemma area_below_half x : area x < half.
Proof.
  apply Rlt_le_trans with (area (x + 1)); [apply area_strict; lra|]. apply half_spec. exists (x + 1). reflexivity.
Qed.
Lemma half_pos : 0 < half.
Proof. rewrite <- area_0. apply area_below_half. Qed.

(** The density and the distribution function of N(0, 1). *)
Definition phi (x : R) := bell x / (2 * half).
Definition Phi (x : R) := 1 / 2 + area x / (2 * half).

Lemma phi_pos x : 0 < phi x.
Proof. pose proof half_pos. apply Rdiv_lt_0_compat; [apply bell_pos|lra]. Qed.
Lemma Phi_derive x : is_derive Phi x (phi x).
Proof.
  unfold Phi, phi. replace (bell x / (2 * half)) with (0 + / (2 * half) * bell x)
    by (field; apply Rgt_not_eq, half_pos).
  apply @is_derive_plus; [apply @is_derive_const|].
  apply (is_derive_ext (fun x => / (2 * half) * area x)); [intros t; simpl; field; apply Rgt_not_eq, half_pos|].
  apply is_derive_scal, area_derive.
Qed.
Lemma Phi_opposite x : Phi (- x) = 1 - Phi x.
Proof. unfold Phi. rewrite area_odd. field. apply Rgt_not_eq, half_pos. Qed.
Lemma Phi_between x : 0 < Phi x < 1.
Proof.
  pose proof half_pos. pose proof (area_below_half x). pose proof (area_below_half (- x)) as L. rewrite area_odd in L.
  assert (- / 2 < area x / (2 * half) < / 2); [|unfold Phi; lra].
  split; apply (Rmult_lt_reg_r (2 * half)); try lra; field_simplify; lra.
Qed.
Lemma Phi_strict x y : x < y -> Phi x < Phi y.
Proof.
  intros L. pose proof half_pos. apply area_strict in L. unfold Phi. apply Rplus_lt_compat_l.
  apply Rmult_lt_compat_r; auto. apply Rinv_0_lt_compat. lra.
Qed.
Lemma Phi_grows x y : x <= y -> Phi x <= Phi y.
Proof. intros [L| ->]; [left; apply Phi_strict; auto|lra]. Qed.
Lemma Phi_small h : 0 < h -> exists m, forall x, m <= x -> Phi (- x) < h.
Proof.
  intros H. pose proof half_pos as P.
  assert (N : ~ is_upper_bound (fun y => exists x, y = area x) (half - h * half)).
  { intros U. apply half_spec in U. nra. }
  assert (E : exists m, half - h * half < area m).
  { apply Classical_Prop.NNPP. intros no. apply N. intros y (x & ->).
    destruct (Rle_lt_dec (area x) (half - h * half)) as [|lt]; auto. exfalso. apply no. exists x. auto. }
  destruct E as (m & M). exists m. intros x X. rewrite Phi_opposite. apply area_grows in X. unfold Phi.
  assert (1 / 2 - h / 2 < area x / (2 * half)); [|lra].
  apply (Rmult_lt_reg_r (2 * half)); [lra|]. field_simplify; lra.
Qed.

(** ** Tests *)

Definition test {Y : Type} (f : Y -> R) := forall y, 0 <= f y <= 1.

(** A law, as the probabilities with which tests suspect. *)
Record law (Y : Type) := {
  of :> (Y -> R) -> R;
  of_test : forall f, test f -> 0 <= of f <= 1;
  of_opposite : forall f, test f -> of (fun y => 1 - f y) = 1 - of f }.
Arguments of {Y}. Arguments of_test {Y}. Arguments of_opposite {Y}.

Definition approximate {Y} (e d : R) (P Q : law Y) := forall f, test f -> P f <= exp e * Q f + d.

(** μ-GDP: a test with false positives of probability Φ(−y) at most has at most the power Φ(μ − y). *)
Definition gaussian {Y} (mu : R) (P Q : law Y) := forall f y, test f -> Q f <= Phi (- y) -> P f <= Phi (mu - y).

(** The profile δ_μ(ε). *)
Definition profile (mu e : R) := Phi (- e / mu + mu / 2) - exp e * Phi (- e / mu - mu / 2).

(** What a half-line gives away at ε: it grows up to y = ε/μ + μ/2, and falls from there. *)
Definition gives (mu e y : R) := Phi (mu - y) - exp e * Phi (- y).
Lemma gives_derive mu e y : is_derive (gives mu e) y (phi y * (exp e - exp (mu * y - mu * mu / 2))).
Proof.
  assert (S : phi (mu - y) = phi y * exp (mu * y - mu * mu / 2)).
  { unfold phi, bell. replace (- ((mu - y) * (mu - y)) / 2) with (- (y * y) / 2 + (mu * y - mu * mu / 2)) by field.
    rewrite exp_plus. unfold Rdiv. ring. }
  assert (O : phi (- y) = phi y) by (unfold phi, bell; replace (- y * - y) with (y * y) by ring; reflexivity).
  replace (phi y * (exp e - exp (mu * y - mu * mu / 2))) with (-1 * phi (mu - y) - exp e * (-1 * phi (- y)))
    by (rewrite S, O; ring).
  unfold gives. apply @is_derive_minus.
  - apply (is_derive_comp Phi (fun y => mu - y)); [apply Phi_derive|]. auto_derive; auto.
  - apply is_derive_scal. apply (is_derive_comp Phi (fun y => - y)); [apply Phi_derive|]. auto_derive; auto.
Qed.
Lemma gives_grows mu e x y : 0 < mu -> x <= y -> y <= e / mu + mu / 2 -> gives mu e x <= gives mu e y.
Proof.
  intros M L B. apply (grows (gives mu e) (fun y => phi y * (exp e - exp (mu * y - mu * mu / 2))) x y L);
    [intros; apply gives_derive|].
  intros z Z. apply Rmult_le_pos; [left; apply phi_pos|].
  assert (mu * z - mu * mu / 2 <= e).
  { assert (mu * z <= mu * (e / mu + mu / 2)) by (apply Rmult_le_compat_l; lra).
    replace (mu * (e / mu + mu / 2)) with (e + mu * mu / 2) in H by (field; lra). lra. }
  destruct H as [lt|eq]; [apply exp_increasing in lt; lra|rewrite eq; lra].
Qed.
Lemma gives_falls mu e x y : 0 < mu -> x <= y -> e / mu + mu / 2 <= x -> gives mu e y <= gives mu e x.
Proof.
  intros M L B. apply (falls (gives mu e) (fun y => phi y * (exp e - exp (mu * y - mu * mu / 2))) x y L);
    [intros; apply gives_derive|].
  intros z Z. pose proof (phi_pos z).
  assert (e <= mu * z - mu * mu / 2).
  { assert (mu * (e / mu + mu / 2) <= mu * z) by (apply Rmult_le_compat_l; lra).
    replace (mu * (e / mu + mu / 2)) with (e + mu * mu / 2) in H0 by (field; lra). lra. }
  assert (exp e <= exp (mu * z - mu * mu / 2)) by (destruct H0 as [lt| <-]; [left; apply exp_increasing; auto|lra]).
  nra.
Qed.
Lemma gives_most mu e y : 0 < mu -> gives mu e y <= profile mu e.
Proof.
  intros M. replace (profile mu e) with (gives mu e (e / mu + mu / 2)).
  - destruct (Rle_lt_dec y (e / mu + mu / 2)); [apply gives_grows; lra|apply gives_falls; lra].
  - unfold gives, profile. f_equal; [f_equal; field; lra|]. f_equal. f_equal. field. lra.
Qed.
(** It is not negative far out, since Φ(−y) tends to 0. *)
Lemma gives_positive mu e y : 0 < mu -> e / mu + mu / 2 <= y -> 0 <= gives mu e y.
Proof.
  intros M B. destruct (Rle_lt_dec 0 (gives mu e y)) as [|neg]; auto. exfalso. pose proof (exp_pos e) as E.
  destruct (Phi_small (- gives mu e y / exp e)) as (m & H); [apply Rdiv_lt_0_compat; lra|].
  specialize (H (Rmax y m) (Rmax_r y m)).
  pose proof (gives_falls mu e y (Rmax y m) M (Rmax_l y m) B) as F.
  pose proof (Phi_between (mu - Rmax y m)). unfold gives in F at 1.
  assert (exp e * Phi (- Rmax y m) < exp e * (- gives mu e y / exp e)) by (apply Rmult_lt_compat_l; auto).
  replace (exp e * (- gives mu e y / exp e)) with (- gives mu e y) in H1 by (field; lra). lra.
Qed.

(** Each probability is a value of Φ. *)
Lemma quantile b : 0 < b < 1 -> exists y, Phi (- y) = b.
Proof.
  intros B. destruct (Phi_small b ltac:(lra)) as (m & M). destruct (Phi_small (1 - b) ltac:(lra)) as (n & N).
  set (k := Rmax (Rmax m n) 1). assert (K : 1 <= k) by apply Rmax_r.
  assert (K' : m <= k /\ n <= k).
  { pose proof (Rmax_l (Rmax m n) 1). pose proof (Rmax_l m n). pose proof (Rmax_r m n). unfold k. lra. }
  specialize (M k (proj1 K')). specialize (N k (proj2 K')). rewrite Phi_opposite in N.
  destruct (IVT_gen Phi (- k) k b) as (y & _ & Y).
  - intros x. apply derivable_continuous_pt. exists (phi x). apply is_derive_Reals, Phi_derive.
  - rewrite Rmin_left, Rmax_right by lra. lra.
  - exists (- y). rewrite Ropp_involutive. exact Y.
Qed.

(** ** Theorems *)

(** [P1] A μ-GDP release is (ε, δ_μ(ε)) for all ε ≥ 0, with δ_μ(ε) = Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2). *)
Theorem gaussian_profile {Y} mu e (P Q : law Y) : 0 < mu -> 0 <= e -> gaussian mu P Q ->
  approximate e (profile mu e) P Q.
Proof.
  intros M E H f F. pose proof (of_test P f F) as A. pose proof (of_test Q f F) as B.
  assert (D0 : 0 <= profile mu e).
  { apply Rle_trans with (gives mu e (e / mu + mu / 2)); [apply gives_positive; lra|apply gives_most; auto]. }
  assert (E1 : 1 <= exp e) by (rewrite <- exp_0; destruct E as [lt|<-]; [left; apply exp_increasing; auto|lra]).
  destruct (Req_dec (Q f) 1) as [one|]; [rewrite one; lra|].
  destruct (Req_dec (Q f) 0) as [zero|].
  - destruct (Rle_lt_dec (P f) 0) as [|pos]; [rewrite zero; lra|]. exfalso.
    destruct (Phi_small (P f) pos) as (m & S). specialize (S m (Rle_refl m)).
    pose proof (H f (m + mu) F) as G. replace (mu - (m + mu)) with (- m) in G by ring.
    rewrite zero in G. pose proof (Phi_between (- (m + mu))). lra.
  - destruct (quantile (Q f) ltac:(lra)) as (y & Y0). specialize (H f y F ltac:(lra)).
    pose proof (gives_most mu e y M) as G. unfold gives in G. rewrite Y0 in G. lra.
Qed.

(** [P1] A release that is (ε, δ_μ(ε)) for all ε ≥ 0, in both directions, is μ-GDP. *)
Theorem profile_gaussian {Y} mu (P Q : law Y) : 0 < mu ->
  (forall e, 0 <= e -> approximate e (profile mu e) P Q /\ approximate e (profile mu e) Q P) -> gaussian mu P Q.
Proof.
  intros M H f y F B.
  assert (V : forall z, profile mu (mu * z - mu * mu / 2) = gives mu (mu * z - mu * mu / 2) z).
  { intros z. unfold profile, gives. f_equal; [f_equal; field; lra|]. f_equal. f_equal. field. lra. }
  destruct (Rle_lt_dec (mu / 2) y) as [L|L].
  - set (e := mu * y - mu * mu / 2). assert (E : 0 <= e) by (unfold e; nra).
    destruct (H e E) as (G & _). specialize (G f F). unfold e in G. rewrite V in G. unfold gives in G. fold e in G.
    pose proof (exp_pos e). nra.
  - set (z := mu - y). set (e := mu * z - mu * mu / 2). assert (E : 0 <= e) by (unfold e, z; nra).
    destruct (H e E) as (_ & G).
    assert (F' : test (fun x => 1 - f x)) by (intros x; specialize (F x); lra).
    specialize (G _ F'). rewrite !of_opposite in G by auto.
    unfold e in G. rewrite V in G. unfold gives in G. fold e in G.
    replace (mu - z) with y in G by (unfold z; ring). fold z. rewrite (Phi_opposite y) in B. rewrite Phi_opposite in G.
    pose proof (exp_pos e).
    assert (exp e * (1 - Phi z) <= exp e * (1 - P f)) by lra. apply Rmult_le_reg_l in H1; lra.
Qed.

(** [P2] Pure ε is μ-GDP with μ = 2·Φ⁻¹(e^ε/(1 + e^ε)). *)
Theorem pure_gaussian {Y} mu e (P Q : law Y) : 0 < mu -> 0 <= e -> Phi (mu / 2) = exp e / (1 + exp e) ->
  approximate e 0 P Q -> approximate e 0 Q P -> gaussian mu P Q.
Proof.
  intros M E K H H' f y F B. pose proof (exp_pos e) as X.
  assert (T : forall z, mu / 2 <= z -> 0 <= gives mu e z).
  { intros z Z. destruct (Rle_lt_dec z (e / mu + mu / 2)) as [L|L]; [|apply gives_positive; lra].
    apply Rle_trans with (gives mu e (mu / 2)); [|apply gives_grows; auto].
    unfold gives. rewrite Phi_opposite. replace (mu - mu / 2) with (mu / 2) by field. rewrite K. right. field. lra. }
  destruct (Rle_lt_dec (mu / 2) y) as [L|L].
  - specialize (T y L). specialize (H f F). unfold gives in T. nra.
  - specialize (T (mu - y) ltac:(lra)). unfold gives in T. replace (mu - (mu - y)) with y in T by ring.
    assert (F' : test (fun x => 1 - f x)) by (intros x; specialize (F x); lra).
    specialize (H' _ F'). rewrite !of_opposite in H' by auto. rewrite (Phi_opposite y) in B.
    rewrite (Phi_opposite (mu - y)) in T.
    assert (exp e * (1 - Phi (mu - y)) <= exp e * (1 - P f)) by lra. apply Rmult_le_reg_l in H0; lra.
Qed.

(** [P2] No smaller μ holds for randomised response. Its test has false positives of probability 1/(1 + e^ε) and the
    power e^ε/(1 + e^ε). As it is pure ε, no smaller μ holds for all pure ε releases: no theorem here says so. *)
Theorem no_smaller_mu {Y} mu less e (P Q : law Y) f : Phi (mu / 2) = exp e / (1 + exp e) -> less < mu -> test f ->
  P f = exp e / (1 + exp e) -> Q f = 1 / (1 + exp e) -> ~ gaussian less P Q.
Proof.
  intros K L F A B H. pose proof (exp_pos e). specialize (H f (mu / 2) F).
  rewrite Phi_opposite, K, A, B in H.
  assert (C : 1 / (1 + exp e) <= 1 - exp e / (1 + exp e)) by (right; field; lra). specialize (H C).
  pose proof (Phi_strict (less - mu / 2) (mu / 2) ltac:(lra)). lra.
Qed.

(** ** Bounded range *)

Lemma bell_small x : 0 <= x -> bell x <= exp (1 / 2 - x).
Proof.
  intros X. unfold bell. assert (H : - (x * x) / 2 <= 1 / 2 - x) by (pose proof (pow2_ge_0 (x - 1)); lra).
  destruct H as [lt|eq]; [left; apply exp_increasing; auto|right; rewrite eq; auto].
Qed.
Lemma Phi_tail x : 0 <= x -> Phi (- x) <= exp (1 / 2 - x) / (2 * half).
Proof.
  intros X. pose proof half_pos as Hp.
  set (w := fun x => exp (1 / 2 - x) / (2 * half) - Phi (- x)).
  assert (F : forall y, x <= y -> w y <= w x).
  { intros y Y. apply (falls w (fun x => - (exp (1 / 2 - x) / (2 * half)) + phi x)); auto.
    - intros z Z. replace (phi z) with (- (- phi (- z)))
        by (unfold phi, bell; replace (- z * - z) with (z * z) by ring; ring).
      apply @is_derive_minus.
      + auto_derive; [auto|]. unfold Rminus, Rdiv. ring.
      + replace (- phi (- z)) with (-1 * phi (- z)) by ring.
        apply (is_derive_comp Phi (fun y => - y)); [apply Phi_derive|]. auto_derive; auto.
    - intros z Z. pose proof (bell_small z ltac:(lra)). unfold phi.
      assert (bell z / (2 * half) <= exp (1 / 2 - z) / (2 * half)); [|lra].
      apply Rmult_le_compat_r; auto. left. apply Rinv_0_lt_compat. lra. }
  destruct (Rle_lt_dec 0 (w x)) as [|neg]; [unfold w in *; lra|]. exfalso.
  destruct (Phi_small (- w x)) as (m & M); [lra|]. specialize (M (Rmax x m) (Rmax_r x m)).
  specialize (F (Rmax x m) (Rmax_l x m)). unfold w at 1 in F.
  assert (0 < exp (1 / 2 - Rmax x m) / (2 * half)) by (apply Rdiv_lt_0_compat; [apply exp_pos|lra]). lra.
Qed.

(** x·e^(½ − x)/(2·half) and e^(½ − x)/(2·half) are as small as wanted. *)
Lemma tail_small h : 0 < h -> exists m, 1 <= m /\ forall x, m <= x -> x * (exp (1 / 2 - x) / (2 * half)) < h.
Proof.
  intros H. pose proof half_pos as Hp. set (c := exp (1 / 2) / (2 * half)).
  assert (C : 0 < c) by (apply Rdiv_lt_0_compat; [apply exp_pos|lra]).
  exists (Rmax 1 (4 * c / h + 1)). split; [apply Rmax_l|]. intros x X.
  pose proof (Rmax_l 1 (4 * c / h + 1)). pose proof (Rmax_r 1 (4 * c / h + 1)).
  assert (E : exp (1 / 2 - x) / (2 * half) = c * exp (- x)) by (unfold c, Rminus; rewrite exp_plus; field; lra).
  rewrite E. assert (Q : x * x / 4 <= exp x).
  { replace x with (x / 2 + x / 2) at 3 by field. rewrite exp_plus. pose proof (exp_ineq1_le (x / 2)). nra. }
  assert (I : exp (- x) * exp x = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  pose proof (exp_pos (- x)) as P.
  assert (B : x * x * exp (- x) <= 4).
  { apply (Rmult_le_compat_l (exp (- x))) in Q; [|lra]. rewrite I in Q. lra. }
  assert (D : 4 * c < h * x).
  { assert (4 * c / h < x) by lra. apply (Rmult_lt_compat_r h) in H2; auto.
    replace (4 * c / h * h) with (4 * c) in H2 by (field; lra). lra. }
  apply (Rmult_lt_reg_l x); [lra|]. replace (x * (x * (c * exp (- x)))) with (c * (x * x * exp (- x))) by ring. nra.
Qed.

Lemma phi_derive x : is_derive phi x (- x * phi x).
Proof.
  unfold phi, bell. pose proof half_pos. auto_derive; [auto|]. unfold Rdiv. field. lra.
Qed.

(** k(z) = φ·(2Φ − 1) − z·Φ·(1 − Φ) is not negative for z ≥ 0. *)
Definition k (z : R) := phi z * (2 * Phi z - 1) - z * (Phi z * (1 - Phi z)).
Definition m (z : R) := 2 * (phi z * phi z) - Phi z * (1 - Phi z).
Definition bracket (z : R) := 2 * Phi z - 1 - 4 * z * phi z.

Lemma derivatives z : is_derive k z (m z) /\ is_derive m z (phi z * bracket z) /\
  is_derive bracket z (phi z * (4 * (z * z) - 2)).
Proof.
  pose proof (Phi_derive z) as P. pose proof (phi_derive z) as Q.
  assert (DP : is_derive (fun x => 2 * Phi x - 1) z (2 * phi z)).
  { replace (2 * phi z) with (2 * phi z - 0) by ring.
    apply @is_derive_minus; [apply is_derive_scal, P|apply @is_derive_const]. }
  assert (DQ : is_derive (fun x => Phi x * (1 - Phi x)) z (phi z * (1 - Phi z) + Phi z * (0 - phi z))).
  { apply (is_derive_mult Phi (fun x => 1 - Phi x)); [exact P| |intros; apply Rmult_comm].
    apply @is_derive_minus; [apply @is_derive_const|exact P]. }
  split; [|split].
  - replace (m z) with ((- z * phi z * (2 * Phi z - 1) + phi z * (2 * phi z)) -
      (1 * (Phi z * (1 - Phi z)) + z * (phi z * (1 - Phi z) + Phi z * (0 - phi z)))) by (unfold m; ring).
    apply @is_derive_minus.
    + apply (is_derive_mult phi (fun x => 2 * Phi x - 1)); auto. intros; apply Rmult_comm.
    + apply (is_derive_mult (fun x => x) (fun x => Phi x * (1 - Phi x))); auto;
        [apply @is_derive_id|intros; apply Rmult_comm].
  - replace (phi z * bracket z) with (2 * (- z * phi z * phi z + phi z * (- z * phi z)) -
      (phi z * (1 - Phi z) + Phi z * (0 - phi z))) by (unfold bracket; ring).
    apply @is_derive_minus; [apply is_derive_scal|exact DQ].
    apply (is_derive_mult phi phi); auto. intros; apply Rmult_comm.
  - replace (phi z * (4 * (z * z) - 2)) with (2 * phi z - (4 * phi z + 4 * z * (- z * phi z))) by ring.
    apply @is_derive_minus; [exact DP|].
    apply (is_derive_mult (fun x => 4 * x) phi); [|exact Q|intros; apply Rmult_comm]. auto_derive; auto. ring.
Qed.

Lemma Phi_0 : Phi 0 = 1 / 2.
Proof. unfold Phi. rewrite area_0. unfold Rdiv. ring. Qed.

(** Where the bracket is positive, it stays so. *)
Lemma bracket_stays c x : 0 <= c <= x -> 0 < bracket c -> 0 < bracket x.
Proof.
  intros C B. destruct (Rle_lt_dec (4 * (c * c)) 2) as [small|large].
  - exfalso. assert (bracket c <= bracket 0); [|unfold bracket in *; rewrite Phi_0 in *; lra].
    apply (falls bracket (fun z => phi z * (4 * (z * z) - 2))); [lra|intros; apply derivatives|].
    intros z Z. pose proof (phi_pos z). assert (z * z <= c * c) by nra. nra.
  - apply Rlt_le_trans with (bracket c); auto.
    apply (grows bracket (fun z => phi z * (4 * (z * z) - 2))); [lra|intros; apply derivatives|].
    intros z Z. pose proof (phi_pos z). assert (c * c <= z * z) by nra. nra.
Qed.

Lemma phi_small h : 0 < h -> exists n, 1 <= n /\ forall x, n <= x -> phi x < h.
Proof.
  intros H. destruct (tail_small h H) as (n & N & S). exists n. split; auto. intros x X. specialize (S x X).
  pose proof (bell_small x ltac:(lra)). pose proof half_pos.
  assert (phi x <= exp (1 / 2 - x) / (2 * half)).
  { apply Rmult_le_compat_r; auto. left. apply Rinv_0_lt_compat. lra. }
  assert (0 < exp (1 / 2 - x) / (2 * half)) by (apply Rdiv_lt_0_compat; [apply exp_pos|lra]). nra.
Qed.

Lemma m_stays c y : 0 <= c <= y -> m c < 0 -> m y <= 0.
Proof.
  intros C M. destruct (Rle_lt_dec (m y) 0) as [|pos]; auto. exfalso.
  (* somewhere in between the bracket is positive, so m grows from there on, to 0 *)
  assert (CY : c < y) by (destruct (Rle_lt_or_eq_dec c y (proj2 C)); auto; subst; lra).
  destruct (MVT_gen m c y (fun z => phi z * bracket z)) as (d & D & E).
  - intros; apply derivatives.
  - intros t _. apply derivable_continuous_pt. exists (phi t * bracket t). apply is_derive_Reals, derivatives.
  - rewrite Rmin_left, Rmax_right in D by lra. pose proof (phi_pos d) as P.
    assert (B : 0 < bracket d).
    { destruct (Rle_lt_dec (bracket d) 0); auto. exfalso. assert (phi d * bracket d <= 0) by nra. nra. }
    destruct (phi_small (Rmin 1 (m y / 2))) as (n & _ & S); [apply Rmin_glb_lt; lra|].
    specialize (S (Rmax y n) (Rmax_r y n)). pose proof (Rmin_l 1 (m y / 2)). pose proof (Rmin_r 1 (m y / 2)).
    assert (G : m y <= m (Rmax y n)).
    { apply (grows m (fun z => phi z * bracket z)); [apply Rmax_l|intros; apply derivatives|].
      intros z Z. pose proof (phi_pos z). pose proof (bracket_stays d z ltac:(lra) B). nra. }
    pose proof (Phi_between (Rmax y n)). pose proof (phi_pos (Rmax y n)). unfold m in G at 2. nra.
Qed.

Lemma k_positive z : 0 <= z -> 0 <= k z.
Proof.
  intros Z. destruct (Rle_lt_dec 0 (k z)) as [|neg]; auto. exfalso.
  assert (k0 : k 0 = 0) by (unfold k; rewrite Phi_0; field).
  assert (Z0 : 0 < z) by (destruct Z as [|<-]; auto; lra).
  destruct (MVT_gen k 0 z m) as (c & C & E).
  - intros; apply derivatives.
  - intros t _. apply derivable_continuous_pt. exists (m t). apply is_derive_Reals, derivatives.
  - rewrite Rmin_left, Rmax_right in C by lra.
    assert (M : m c < 0) by (destruct (Rle_lt_dec 0 (m c)); auto; exfalso; nra).
    destruct (tail_small (- k z)) as (n & N & S); [lra|]. specialize (S (Rmax z n) (Rmax_r z n)).
    pose proof (Rmax_l z n) as ZX. pose proof (Rmax_r z n) as NX. set (x := Rmax z n) in *.
    assert (F : k x <= k z).
    { apply (falls k m); auto; [intros; apply derivatives|]. intros t T. apply (m_stays c t); auto. lra. }
    pose proof (Phi_tail x ltac:(lra)) as T. rewrite Phi_opposite in T. pose proof (Phi_between x) as B.
    assert (P2 : 1 / 2 <= Phi x) by (rewrite <- Phi_0; apply Phi_grows; lra).
    pose proof (phi_pos x). unfold k in F at 1.
    assert (x * (Phi x * (1 - Phi x)) <= x * (1 - Phi x)) by (apply Rmult_le_compat_l; [lra|nra]).
    assert (x * (1 - Phi x) <= x * (exp (1 / 2 - x) / (2 * half))) by (apply Rmult_le_compat_l; lra).
    assert (0 <= phi x * (2 * Phi x - 1)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** The log-odds of Φ, and their derivative, which grows for z ≥ 0: so they are convex there. *)
Definition odds (z : R) := ln (Phi z) - ln (1 - Phi z).
Definition rate (z : R) := phi z / (Phi z * (1 - Phi z)).
Lemma odds_derive z : is_derive odds z (rate z).
Proof.
  pose proof (Phi_between z) as B. pose proof (Phi_derive z) as P.
  assert (L : is_derive (fun x => ln (Phi x)) z (phi z * / Phi z)).
  { apply (is_derive_comp ln Phi); [apply is_derive_Reals, derivable_pt_lim_ln; lra|exact P]. }
  assert (L' : is_derive (fun x => ln (1 - Phi x)) z ((0 - phi z) * / (1 - Phi z))).
  { apply (is_derive_comp ln (fun x => 1 - Phi x)); [apply is_derive_Reals, derivable_pt_lim_ln; lra|].
    apply @is_derive_minus; [apply @is_derive_const|exact P]. }
  replace (rate z) with (phi z * / Phi z - (0 - phi z) * / (1 - Phi z)) by (unfold rate; field; lra).
  apply @is_derive_minus; auto.
Qed.
Lemma rate_grows x y : 0 <= x <= y -> rate x <= rate y.
Proof.
  intros L. apply (grows rate (fun z => phi z * k z / ((Phi z * (1 - Phi z)) * (Phi z * (1 - Phi z))))); [lra| |].
  - intros z Z. pose proof (Phi_between z) as B. assert (N : Phi z * (1 - Phi z) <> 0) by nra.
    assert (D : is_derive (fun x => Phi x * (1 - Phi x)) z (phi z * (1 - Phi z) + Phi z * (0 - phi z))).
    { apply (is_derive_mult Phi (fun x => 1 - Phi x)); [apply Phi_derive| |intros; apply Rmult_comm].
      apply @is_derive_minus; [apply @is_derive_const|apply Phi_derive]. }
    replace (phi z * k z / (Phi z * (1 - Phi z) * (Phi z * (1 - Phi z)))) with
      ((- z * phi z * (Phi z * (1 - Phi z)) - phi z * (phi z * (1 - Phi z) + Phi z * (0 - phi z))) /
       (Phi z * (1 - Phi z)) ^ 2) by (unfold k; field; lra).
    apply (is_derive_div phi (fun x => Phi x * (1 - Phi x))); auto. apply phi_derive.
  - intros z Z. pose proof (Phi_between z). pose proof (k_positive z ltac:(lra)). pose proof (phi_pos z).
    apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. left. apply Rinv_0_lt_compat.
    assert (0 < Phi z * (1 - Phi z)) by (apply Rmult_lt_0_compat; lra). nra.
Qed.
Lemma rate_even z : rate (- z) = rate z.
Proof.
  unfold rate. rewrite Phi_opposite. replace (phi (- z)) with (phi z)
    by (unfold phi, bell; replace (- z * - z) with (z * z) by ring; reflexivity).
  pose proof (Phi_between z). field. lra.
Qed.
Lemma odds_odd z : odds (- z) = - odds z.
Proof. unfold odds. rewrite Phi_opposite. replace (1 - (1 - Phi z)) with (Phi z) by ring. ring. Qed.
Lemma odds_strict x y : odds x <= odds y -> x <= y.
Proof.
  intros H. destruct (Rle_lt_dec x y) as [|lt]; auto. exfalso. apply Phi_strict in lt.
  pose proof (Phi_between x). pose proof (Phi_between y). unfold odds in H.
  assert (ln (Phi y) < ln (Phi x)) by (apply ln_increasing; lra).
  assert (ln (1 - Phi x) < ln (1 - Phi y)) by (apply ln_increasing; lra). lra.
Qed.

(** Log-odds that are a given number apart are farthest apart in z where they are opposite. *)
Lemma opposite_is_farthest z d : 0 <= d -> 2 * odds (d / 2) <= odds (z + d) - odds z.
Proof.
  intros D.
  assert (H : forall z, - (d / 2) <= z -> 2 * odds (d / 2) <= odds (z + d) - odds z).
  { clear z. intros z Z.
    replace (2 * odds (d / 2)) with (odds (- (d / 2) + d) - odds (- (d / 2))).
    2: { rewrite odds_odd. replace (- (d / 2) + d) with (d / 2) by field. ring. }
    apply (grows (fun z => odds (z + d) - odds z) (fun z => rate (z + d) - rate z)); auto.
    - intros t _. apply @is_derive_minus; [|apply odds_derive].
      replace (rate (t + d)) with (1 * rate (t + d)) by ring.
      apply (is_derive_comp odds (fun z => z + d)); [apply odds_derive|]. auto_derive; auto.
    - intros t T. assert (rate t <= rate (t + d)); [|lra].
      destruct (Rle_lt_dec 0 t); [apply rate_grows; lra|]. rewrite <- rate_even. apply rate_grows. lra. }
  destruct (Rle_lt_dec (- (d / 2)) z); [apply H; auto|].
  specialize (H (- d - z) ltac:(lra)). replace (- d - z + d) with (- z) in H by ring.
  replace (- d - z) with (- (z + d)) in H by ring. rewrite !odds_odd in H. lra.
Qed.

(** [P2] A release of bounded range ε is μ-GDP with μ = 2·Φ⁻¹(e^(ε/2)/(1 + e^(ε/2))), the μ of pure ε/2. No smaller one
    holds for all such releases, since randomised response with ε/2 has the range ε: [no_smaller_mu], and reading. *)
Theorem bounded_range_gaussian {Y} mu e t (P Q : law Y) : 0 < mu -> 0 < e ->
  Phi (mu / 2) = exp (e / 2) / (1 + exp (e / 2)) ->
  (forall f, test f -> exp (t - e) * Q f <= P f <= exp t * Q f) -> gaussian mu P Q.
Proof.
  intros M E K H f y F B. pose proof (H f F) as (lo & up).
  assert (F' : test (fun x => 1 - f x)) by (intros x; specialize (F x); lra).
  pose proof (H _ F') as (lo' & up'). rewrite !of_opposite in lo', up' by auto.
  pose proof (of_test P f F) as A1. pose proof (of_test Q f F) as B1.
  assert (same : P f <= Q f -> P f <= Phi (mu - y)).
  { intros le. pose proof (Phi_grows (- y) (mu - y) ltac:(lra)). lra. }
  destruct (Rle_lt_dec t 0) as [t0|t0].
  { assert (exp t <= 1) by (rewrite <- exp_0; destruct t0 as [lt| ->]; [left; apply exp_increasing; auto|lra]).
    apply same. nra. }
  destruct (Rle_lt_dec e t) as [te|te].
  { assert (1 <= exp (t - e)).
    { rewrite <- exp_0. destruct te as [lt| <-]; [left; apply exp_increasing; lra|right; f_equal; ring]. }
    apply same. nra. }
  pose proof (exp_pos (t - e)) as L.
  assert (U1 : 1 < exp t) by (rewrite <- exp_0; apply exp_increasing; auto).
  assert (L1 : exp (t - e) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
  (* the corner of the trade-off curve *)
  set (b0 := (1 - exp (t - e)) / (exp t - exp (t - e))). set (a0 := exp t * b0).
  assert (B0 : 0 < b0 < 1).
  { unfold b0. split; [apply Rdiv_lt_0_compat; lra|apply (Rlt_div_l (1 - exp (t - e))); lra]. }
  assert (C : 1 - a0 = exp (t - e) * (1 - b0)) by (unfold a0, b0; field; lra).
  assert (A0 : 0 < a0 < 1) by (split; [unfold a0; nra|nra]).
  destruct (quantile a0 A0) as (u & Z1). destruct (quantile b0 B0) as (v & Z2). set (z1 := - u) in *.
  set (z2 := - v) in *.
  set (d := z1 - z2).
  assert (D0 : 0 < d).
  { destruct (Rle_lt_dec z1 z2) as [le|]; [|unfold d; lra]. apply Phi_grows in le. unfold a0 in *. nra. }
  assert (OD : odds z1 - odds z2 = e).
  { unfold odds. rewrite Z1, Z2, C. unfold a0. rewrite !ln_mult, !ln_exp by (try apply exp_pos; lra). ring. }
  assert (OM : odds (mu / 2) = e / 2).
  { unfold odds. rewrite K. pose proof (exp_pos (e / 2)) as X.
    replace (1 - exp (e / 2) / (1 + exp (e / 2))) with (1 / (1 + exp (e / 2))) by (field; lra).
    assert (LD : forall p q, 0 < p -> 0 < q -> ln (p / q) = ln p - ln q).
    { intros p q p0 q0. unfold Rdiv. rewrite ln_mult, ln_Rinv by (auto; apply Rinv_0_lt_compat; auto). ring. }
    rewrite !LD, ln_exp, ln_1 by lra. ring. }
  assert (DM : d <= mu).
  { pose proof (opposite_is_farthest z2 d ltac:(lra)) as O. replace (z2 + d) with z1 in O by (unfold d; ring).
    rewrite OD in O. assert (d / 2 <= mu / 2); [|lra]. apply odds_strict. lra. }
  (* from the corner on the normal curve is below both segments *)
  assert (T : forall s z, gives d s z = 0 -> forall x, z <= x -> 0 <= gives d s x).
  { intros s z G x X. destruct (Rle_lt_dec x (s / d + d / 2)) as [l|l]; [|apply gives_positive; lra].
    rewrite <- G. apply gives_grows; auto. }
  apply Rle_trans with (Phi (d - y)); [|apply Phi_grows; lra].
  destruct (Rle_lt_dec (- z2) y) as [S|S].
  - assert (G : gives d t (- z2) = 0).
    { unfold gives. rewrite Ropp_involutive. replace (d - - z2) with z1
        by (unfold d; ring). rewrite Z1, Z2. unfold a0. ring. }
    specialize (T t _ G y S). unfold gives in T. pose proof (exp_pos t). nra.
  - assert (G : gives d (e - t) z1 = 0).
    { unfold gives. replace (d - z1) with (- z2) by (unfold d; ring). rewrite !Phi_opposite, Z1, Z2, C.
      rewrite <- Rmult_assoc, <- exp_plus. replace (e - t + (t - e)) with 0 by ring. rewrite exp_0. ring. }
    specialize (T (e - t) _ G (d - y) ltac:(unfold d in *; lra)). unfold gives in T.
    replace (d - (d - y)) with y in T by ring. rewrite (Phi_opposite (d - y)) in T. rewrite (Phi_opposite y) in B.
    assert (X : exp (e - t) * exp (t - e) = 1).
    { rewrite <- exp_plus. replace (e - t + (t - e)) with 0 by ring. apply exp_0. }
    pose proof (exp_pos (e - t)) as E1.
    apply (Rmult_le_compat_l (exp (e - t))) in lo'; [|lra]. rewrite <- Rmult_assoc, X, Rmult_1_l in lo'.
    assert (exp (e - t) * (1 - Phi (d - y)) <= exp (e - t) * (1 - P f)) by lra. apply Rmult_le_reg_l in H0; lra.
Qed.
