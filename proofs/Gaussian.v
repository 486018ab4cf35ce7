(** * Gaussian privacy

    A release is μ-GDP if no test tells its two laws apart better than N(0, 1) from N(μ, 1). The best tests of these two
    are half-lines: one with false positives of probability Φ(−y) has the power Φ(μ − y). This theory defines Φ, proves
    which (ε, δ) are together the same as μ ([P1]), and which μ pure ε implies ([P2]).

    _Covered_: any two laws, by the probabilities that they give to tests.
    _Not covered_: that half-lines are the best tests of two normal laws, which is Neyman's and Pearson's lemma; how μ's
    add up.

    Link: by reading [normal.rs] and [conversion.rs] of karcher-privacy. *)
From Coq Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** ** The normal distribution function *)

Lemma grows (f df : R -> R) a b : a <= b -> (forall x, a <= x <= b -> is_derive f x (df x)) ->
  (forall x, a <= x <= b -> 0 <= df x) -> f a <= f b.
Proof.
  intros L D P. destruct (MVT_gen f a b df) as (c & C & E).
  - intros x H. rewrite Rmin_left, Rmax_right in H by auto. apply D. lra.
  - intros x H. rewrite Rmin_left, Rmax_right in H by auto.
    apply derivable_continuous_pt. exists (df x). apply is_derive_Reals, D. lra.
  - rewrite Rmin_left, Rmax_right in C by auto. specialize (P c C). nra.
Qed.
Lemma falls (f df : R -> R) a b : a <= b -> (forall x, a <= x <= b -> is_derive f x (df x)) ->
  (forall x, a <= x <= b -> df x <= 0) -> f b <= f a.
Proof.
  intros L D P. assert (- f a <= - f b); [|lra].
  apply (grows (fun x => - f x) (fun x => - df x)); auto.
  - intros x H. apply (is_derive_opp f x (df x)), D, H.
  - intros x H. specialize (P x H). lra.
Qed.

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
  intros M L B. apply (grows (gives mu e) (fun y => phi y * (exp e - exp (mu * y - mu * mu / 2))) x y L); [intros; apply gives_derive|].
  intros z Z. apply Rmult_le_pos; [left; apply phi_pos|].
  assert (mu * z - mu * mu / 2 <= e).
  { assert (mu * z <= mu * (e / mu + mu / 2)) by (apply Rmult_le_compat_l; lra).
    replace (mu * (e / mu + mu / 2)) with (e + mu * mu / 2) in H by (field; lra). lra. }
  destruct H as [lt|eq]; [apply exp_increasing in lt; lra|rewrite eq; lra].
Qed.
Lemma gives_falls mu e x y : 0 < mu -> x <= y -> e / mu + mu / 2 <= x -> gives mu e y <= gives mu e x.
Proof.
  intros M L B. apply (falls (gives mu e) (fun y => phi y * (exp e - exp (mu * y - mu * mu / 2))) x y L); [intros; apply gives_derive|].
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

(** [P2] No smaller μ holds for randomised response, hence none for all pure ε releases. Its test has false positives of
    probability 1/(1 + e^ε) and the power e^ε/(1 + e^ε). *)
Theorem no_smaller_mu {Y} mu less e (P Q : law Y) f : Phi (mu / 2) = exp e / (1 + exp e) -> less < mu -> test f ->
  P f = exp e / (1 + exp e) -> Q f = 1 / (1 + exp e) -> ~ gaussian less P Q.
Proof.
  intros K L F A B H. pose proof (exp_pos e). specialize (H f (mu / 2) F).
  rewrite Phi_opposite, K, A, B in H.
  assert (C : 1 / (1 + exp e) <= 1 - exp e / (1 + exp e)) by (right; field; lra). specialize (H C).
  pose proof (Phi_strict (less - mu / 2) (mu / 2) ltac:(lra)). lra.
Qed.
