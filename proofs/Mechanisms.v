(** * Mechanisms by a density

    Noise around a point has a density that falls with the distance from it ([M1]). The K-norm gradient mechanism has
    one that falls with the length of a gradient ([M4]). A report by direction has two densities, on a cap and off it
    ([U4′]). The guarantee follows from the triangle inequality, and from what is known of the normalising constant.
    This theory proves it on any space with an integral.

    _Covered_: any space, any distance, any gradient with values where lengths obey the triangle inequality; rounding of
    a computed gradient. The integral is any positive and linear functional, such as the Riemannian volume's.
    _Not covered_: how long a change of the gradient is ([S3]); that isometries keep the constant; how draws are made.

    Link: by reading [statistics/frechet_mean/laplace.rs], [statistics/frechet_mean/kng] and [noise/cap.rs]. *)
From Coq Require Import Reals Lra Psatz.
Open Scope R_scope.

Section Mechanisms.
(** The points of the space, and the integral of functions on it, of those that are [integrable]. *)
Variable point : Type.
Variable integrable : (point -> R) -> Prop.
Variable integral : (point -> R) -> R.
Hypothesis monotone : forall f g, integrable f -> integrable g -> (forall y, f y <= g y) -> integral f <= integral g.
Hypothesis scaled : forall c f,
  integrable f -> integrable (fun y => c * f y) /\ integral (fun y => c * f y) = c * integral f.

(** The probability with which a test suspects, where [k] is proportional to the density. *)
Definition probability (k f : point -> R) := integral (fun y => k y * f y) / integral k.
Definition test (f : point -> R) := forall y, 0 <= f y <= 1.

(** If k/k′ lies between e^(−e) and e^e, so do the integrals. *)
Lemma integrals_close e k k' f : test f -> integrable (fun y => k y * f y) -> integrable (fun y => k' y * f y) ->
  (forall y, 0 <= k' y) -> (forall y, k y <= exp e * k' y) ->
  integral (fun y => k y * f y) <= exp e * integral (fun y => k' y * f y).
Proof.
  intros F I I' pos H. destruct (scaled (exp e) _ I') as (J & <-). apply monotone; auto.
  intros y. specialize (F y). specialize (H y). rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra.
Qed.

Lemma exp_close d s x y : 0 < s -> x <= y + d -> exp (- y / s) <= exp (d / s) * exp (- x / s).
Proof.
  intros S H. rewrite <- exp_plus. assert (L : - y / s <= d / s + - x / s).
  { apply (Rmult_le_reg_r s); auto. field_simplify; lra. }
  destruct L as [lt|eq]; [left; apply exp_increasing; auto|right; rewrite eq; auto].
Qed.

(** ** Reports by direction *)

(** 1 on a cap, and [p] off it. *)
Definition cap_density (p : R) (cap : point -> bool) (y : point) := if cap y then 1 else p.

(** [U4′] A report that is p ≥ e^(−ε) times as likely off a cap is pure ε, whatever the cap is. The caps of two records
    have the same constant, as one can be turned into the other. *)
Theorem cap_is_pure e p cap cap' f : 0 <= e -> exp (- e) <= p <= 1 -> test f ->
  integrable (fun y => cap_density p cap y * f y) -> integrable (fun y => cap_density p cap' y * f y) ->
  0 < integral (cap_density p cap) -> integral (cap_density p cap) = integral (cap_density p cap') ->
  probability (cap_density p cap) f <= exp e * probability (cap_density p cap') f.
Proof.
  intros E B F I I' Z same. unfold probability. rewrite same in *.
  unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|].
  pose proof (exp_pos (- e)) as L. pose proof (exp_pos e) as U.
  assert (EE : exp e * exp (- e) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (E1 : 1 <= exp e) by nra. assert (EP : 1 <= exp e * p) by nra.
  apply integrals_close; auto; intros y; unfold cap_density; destruct (cap y); try destruct (cap' y); nra.
Qed.

(** ** Noise around a point *)

Variable distance : point -> point -> R.
Hypothesis triangle : forall x y z, distance x z <= distance x y + distance y z.
Hypothesis symmetric : forall x y, distance x y = distance y x.

Definition laplace (s : R) (m y : point) := exp (- distance y m / s).

(** [M1] Laplace noise around a point, of density ∝ e^(−ρ(y, m)/σ) with σ = Δ/ε, is pure ε if its constant is the same
    for all points. So it is on homogeneous spaces. The points [m], [m'] are Δ apart at most. *)
Theorem laplace_is_pure delta e m m' f : 0 < delta -> 0 < e -> distance m m' <= delta -> test f ->
  (forall c, integrable (fun y => laplace (delta / e) c y * f y)) ->
  0 < integral (laplace (delta / e) m) -> integral (laplace (delta / e) m) = integral (laplace (delta / e) m') ->
  probability (laplace (delta / e) m) f <= exp e * probability (laplace (delta / e) m') f.
Proof.
  intros D E M F I Z same. unfold probability. rewrite same in *. set (s := delta / e) in *.
  assert (S : 0 < s) by (apply Rdiv_lt_0_compat; auto).
  unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|].
  apply integrals_close; auto; [intros; left; apply exp_pos|].
  intros y. replace e with (delta / s) by (unfold s; field; lra). apply exp_close; auto.
  pose proof (triangle y m m'). lra.
Qed.

(** [M1] Where the constant may depend on the point, σ = 2Δ/ε makes it pure ε. *)
Theorem laplace_with_two_constants delta e m m' f : 0 < delta -> 0 < e -> distance m m' <= delta -> test f ->
  (forall c, integrable (fun y => laplace (2 * delta / e) c y * f y)) ->
  (forall c, integrable (fun y => laplace (2 * delta / e) c y * 1)) ->
  (forall c, integrable (laplace (2 * delta / e) c)) -> (forall c, 0 < integral (laplace (2 * delta / e) c)) ->
  probability (laplace (2 * delta / e) m) f <= exp e * probability (laplace (2 * delta / e) m') f.
Proof.
  intros D E M F I I1 J Z. set (s := 2 * delta / e) in *.
  assert (S : 0 < s) by (apply Rdiv_lt_0_compat; lra).
  assert (half : delta / s = e / 2) by (unfold s; field; lra).
  assert (A : forall a b, distance a b <= delta -> forall y, laplace s a y <= exp (e / 2) * laplace s b y).
  { intros a b L y. rewrite <- half. apply exp_close; auto. pose proof (triangle y a b). lra. }
  assert (N : integral (fun y => laplace s m y * f y) <= exp (e / 2) * integral (fun y => laplace s m' y * f y)).
  { apply integrals_close; auto. intros; left; apply exp_pos. }
  assert (C : integral (laplace s m') <= exp (e / 2) * integral (laplace s m)).
  { destruct (scaled (exp (e / 2)) _ (J m)) as (K & <-). apply monotone; auto. intros y. apply A. rewrite symmetric.
    auto. }
  unfold probability. pose proof (Z m) as Zm. pose proof (Z m') as Zm'. pose proof (exp_pos (e / 2)) as X.
  assert (EE : exp e = exp (e / 2) * exp (e / 2)) by (rewrite <- exp_plus; f_equal; field).
  assert (P : 0 <= integral (fun y => laplace s m' y * f y)).
  { destruct (scaled 0 _ (I m')) as (K & EQ). rewrite Rmult_0_l in EQ. rewrite <- EQ. apply monotone; auto.
    intros y. rewrite Rmult_0_l. apply Rmult_le_pos; [left; apply exp_pos|apply F]. }
  set (a := integral (fun y => laplace s m y * f y)) in *. set (b := integral (fun y => laplace s m' y * f y)) in *.
  set (z := integral (laplace s m)) in *. set (z' := integral (laplace s m')) in *. rewrite EE.
  apply (Rmult_le_reg_r (z * z')); [nra|].
  replace (a / z * (z * z')) with (a * z') by (field; lra).
  replace (exp (e / 2) * exp (e / 2) * (b / z') * (z * z')) with ((exp (e / 2) * b) * (exp (e / 2) * z))
    by (field; lra).
  assert (0 <= a); [|apply Rmult_le_compat; lra].
  unfold a. destruct (scaled 0 _ (I m)) as (K & EQ). rewrite Rmult_0_l in EQ. rewrite <- EQ. apply monotone; auto.
  intros y. rewrite Rmult_0_l. apply Rmult_le_pos; [left; apply exp_pos|apply F].
Qed.

(** ** The K-norm gradient mechanism *)

(** The length of the gradient at a point, for each of two neighbouring data sets: [u] and [u'] differ by [delta] at
    most, because gradients differ by a vector no longer than that. *)
Definition gradient_density (s : R) (u : point -> R) (y : point) := exp (- u y / s).

(** [M4], [P7] The K-norm gradient mechanism with σ = 2Δ′/ε has the bounded range ε: ln p/q lies in an interval of
    length ε. *)
Theorem gradient_has_bounded_range delta e u u' : 0 < delta -> 0 < e -> (forall y, Rabs (u y - u' y) <= delta) ->
  let k := gradient_density (2 * delta / e) in
  0 < integral (k u) -> 0 < integral (k u') ->
  exists t, forall f, test f -> integrable (fun y => k u y * f y) -> integrable (fun y => k u' y * f y) ->
    exp (t - e) * probability (k u') f <= probability (k u) f <= exp t * probability (k u') f.
Proof.
  intros D E H k Z Z'. unfold k in *. clear k. set (s := 2 * delta / e) in *.
  assert (S : 0 < s) by (apply Rdiv_lt_0_compat; lra).
  assert (half : delta / s = e / 2) by (unfold s; field; lra).
  exists (ln (integral (gradient_density s u') / integral (gradient_density s u)) + e / 2). intros f F I I'.
  assert (A : forall v w, (forall y, Rabs (v y - w y) <= delta) ->
    integrable (fun y => gradient_density s v y * f y) -> integrable (fun y => gradient_density s w y * f y) ->
    integral (fun y => gradient_density s v y * f y) <= exp (e / 2) * integral (fun y => gradient_density s w y * f y)).
  { intros v w L J J'. apply integrals_close; auto; [intros; left; apply exp_pos|].
    intros y. rewrite <- half. apply exp_close; auto. specialize (L y). unfold Rabs in L.
    destruct (Rcase_abs (v y - w y)); lra. }
  pose proof (A u u' H I I') as up. pose proof (A u' u) as low.
  specialize (low ltac:(intros y; rewrite Rabs_minus_sym; apply H) I' I).
  unfold probability. set (a := integral (fun y => gradient_density s u y * f y)) in *.
  set (b := integral (fun y => gradient_density s u' y * f y)) in *.
  set (z := integral (gradient_density s u)) in *. set (z' := integral (gradient_density s u')) in *.
  pose proof (exp_pos (e / 2)) as X.
  replace (ln (z' / z) + e / 2 - e) with (ln (z' / z) + - (e / 2)) by field.
  rewrite !exp_plus, exp_ln, exp_Ropp by (apply Rdiv_lt_0_compat; auto).
  split.
  - replace (z' / z * / exp (e / 2) * (b / z')) with (b * / exp (e / 2) / z) by (field; lra).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|].
    apply (Rmult_le_reg_r (exp (e / 2))); auto. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - replace (z' / z * exp (e / 2) * (b / z')) with (exp (e / 2) * b / z) by (field; lra).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|exact up].
Qed.

(** [M4] The K-norm gradient mechanism with σ = 2Δ′/ε is pure ε. *)
Theorem gradient_is_pure delta e u u' f : 0 < delta -> 0 < e -> (forall y, Rabs (u y - u' y) <= delta) ->
  test f -> (forall v, v = u \/ v = u' -> let k := gradient_density (2 * delta / e) v in
    integrable (fun y => k y * f y) /\ integrable k /\ 0 < integral k) ->
  probability (gradient_density (2 * delta / e) u) f <= exp e * probability (gradient_density (2 * delta / e) u') f.
Proof.
  intros D E H F Ok. cbv zeta in Ok.
  destruct (Ok u (or_introl eq_refl)) as (I & J & Zu). destruct (Ok u' (or_intror eq_refl)) as (I' & J' & Zu').
  set (s := 2 * delta / e) in *. assert (S : 0 < s) by (apply Rdiv_lt_0_compat; lra).
  assert (half : delta / s = e / 2) by (unfold s; field; lra).
  assert (A : forall v w, (forall y, Rabs (v y - w y) <= delta) ->
    forall y, gradient_density s v y <= exp (e / 2) * gradient_density s w y).
  { intros v w L y. rewrite <- half. apply exp_close; auto. specialize (L y). unfold Rabs in L.
    destruct (Rcase_abs (v y - w y)); lra. }
  assert (H' : forall y, Rabs (u' y - u y) <= delta) by (intros y; rewrite Rabs_minus_sym; apply H).
  assert (N : integral (fun y => gradient_density s u y * f y) <=
    exp (e / 2) * integral (fun y => gradient_density s u' y * f y)).
  { apply integrals_close; auto. intros; left; apply exp_pos. }
  assert (C : integral (gradient_density s u') <= exp (e / 2) * integral (gradient_density s u)).
  { destruct (scaled (exp (e / 2)) _ J) as (K & <-). apply monotone; auto. }
  unfold probability. pose proof (exp_pos (e / 2)) as X.
  assert (P : 0 <= integral (fun y => gradient_density s u y * f y)).
  { destruct (scaled 0 _ I) as (K & EQ). rewrite Rmult_0_l in EQ. rewrite <- EQ. apply monotone; auto.
    intros y. rewrite Rmult_0_l. apply Rmult_le_pos; [left; apply exp_pos|apply F]. }
  set (a := integral (fun y => gradient_density s u y * f y)) in *.
  set (b := integral (fun y => gradient_density s u' y * f y)) in *.
  set (z := integral (gradient_density s u)) in *. set (z' := integral (gradient_density s u')) in *.
  replace (exp e) with (exp (e / 2) * exp (e / 2)) by (rewrite <- exp_plus; f_equal; field).
  apply (Rmult_le_reg_r (z * z')); [nra|].
  replace (a / z * (z * z')) with (a * z') by (field; lra).
  replace (exp (e / 2) * exp (e / 2) * (b / z') * (z * z')) with ((exp (e / 2) * b) * (exp (e / 2) * z))
    by (field; lra).
  apply Rmult_le_compat; lra.
Qed.

(** [M4] Gradients that are computed up to η differ by Δ′ + 2η at most, if the exact ones differ by Δ′. *)
Theorem computed_gradients delta eta u u' c c' : (forall y, Rabs (u y - u' y) <= delta) ->
  (forall y, Rabs (c y - u y) <= eta) -> (forall y, Rabs (c' y - u' y) <= eta) ->
  forall y : point, Rabs (c y - c' y) <= delta + 2 * eta.
Proof.
  intros H C C' y. specialize (H y). specialize (C y). specialize (C' y).
  unfold Rabs in *. destruct (Rcase_abs (u y - u' y)), (Rcase_abs (c y - u y)), (Rcase_abs (c' y - u' y)),
    (Rcase_abs (c y - c' y)); lra.
Qed.
End Mechanisms.
