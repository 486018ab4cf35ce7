(** * Privacy profiles on curved spaces

    The δ(ε) of noise around a mean is that of a pair of values at the largest distance Δ ([G1]). The guide reduces this
    to one dimension: to a log-concave density on a line, or to a circle. This theory proves the step on a line, for
    every log-concave density. It also proves the inequality that the guide names on a circle, and the threshold of the
    angle, by which the profile becomes one integral.

    _Covered_: no curvature or a negative one, after the reduction. The integral is any positive, linear functional that
    shifts do not change, such as Lebesgue's.
    _Not covered_: the reduction to one dimension; the rest of the argument on a circle; quadrature.

    Link: by reading [profile] of karcher-privacy. *)
From Coq Require Import Reals Lra Psatz FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Karcher Require Import Monotone.
Open Scope R_scope.

(** ** On a line *)

(** The integral of functions on the line, of those that are [integrable]. *)
Record integral := {
  integrable : (R -> R) -> Prop;
  of :> (R -> R) -> R;
  of_le : forall f g, integrable f -> integrable g -> (forall x, f x <= g x) -> of f <= of g;
  of_linear : forall a f b g, integrable f -> integrable g ->
    integrable (fun x => a * f x + b * g x) /\ of (fun x => a * f x + b * g x) = a * of f + b * of g;
  of_shift : forall f v, integrable f -> integrable (fun x => f (x - v)) /\ of (fun x => f (x - v)) = of f;
  (** A half-line, a function that falls from 1 to 0, cuts off a part. *)
  of_part : forall f h, integrable f -> (forall x, h x = 0 \/ h x = 1) -> (forall x y, x <= y -> h y <= h x) ->
    integrable (fun x => h x * f x) }.

(** A positive density that is log-concave: −ln q is convex. *)
Definition log_concave (q : R -> R) := (forall x, 0 < q x) /\ forall x y w, 0 <= w <= 1 ->
  w * ln (q x) + (1 - w) * ln (q y) <= ln (q (w * x + (1 - w) * y)).

(** Its quotient under a shift is monotone, so the best tests are half-lines. *)
Lemma monotone_ratio q x y s : log_concave q -> x <= y -> 0 <= s -> q y * q (x - s) <= q x * q (y - s).
Proof.
  intros (pos & C) XY S. destruct (Req_dec (y - x + s) 0) as [E|E].
  { assert (y = x) by lra. subst y. assert (s = 0) by lra. subst s. lra. }
  (* x and y − s lie between x − s and y *)
  assert (W : 0 <= s / (y - x + s) <= 1).
  { split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|apply Rle_div_l; lra]. }
  set (w := s / (y - x + s)) in *.
  pose proof (C y (x - s) w W) as A. pose proof (C y (x - s) (1 - w) ltac:(lra)) as B.
  replace (w * y + (1 - w) * (x - s)) with x in A by (unfold w; field; lra).
  replace ((1 - w) * y + (1 - (1 - w)) * (x - s)) with (y - s) in B by (unfold w; field; lra).
  assert (L : ln (q y * q (x - s)) <= ln (q x * q (y - s))) by (rewrite !ln_mult by auto; lra).
  rewrite <- (exp_ln (q y * q (x - s))), <- (exp_ln (q x * q (y - s))) by (apply Rmult_lt_0_compat; auto).
  destruct L as [lt|eq]; [left; apply exp_increasing; auto|right; rewrite eq; auto].
Qed.

(** The half-line on which q(x) ≥ c·q(x − s): the first law is moved to the right by [s] to give the second one. *)
Definition best (q : R -> R) (c s x : R) : R := if Rle_dec (c * q (x - s)) (q x) then 1 else 0.
Lemma best_falls q c s : log_concave q -> 0 <= c -> 0 <= s -> forall x y, x <= y -> best q c s y <= best q c s x.
Proof.
  intros Q C S x y XY. unfold best.
  destruct (Rle_dec (c * q (y - s)) (q y)) as [Y|Y], (Rle_dec (c * q (x - s)) (q x)) as [X|X];
    try lra. exfalso. apply X. pose proof (monotone_ratio q x y s Q XY S) as M. destruct Q as (pos & _).
  pose proof (pos x). pose proof (pos y). pose proof (pos (x - s)). pose proof (pos (y - s)).
  apply (Rmult_le_reg_r (q (y - s))); auto.
  apply Rle_trans with (q y * q (x - s)); [|exact M].
  replace (c * q (x - s) * q (y - s)) with (c * q (y - s) * q (x - s)) by ring. apply Rmult_le_compat_r; lra.
Qed.

(** P(test) − c·Q(test) of the test [best] for shifts by [s]. *)
Definition delta (I : integral) (q : R -> R) (c s : R) :=
  I (fun x => best q c s x * q x) - c * I (fun x => best q c s x * q (x - s)).

Lemma best_part (I : integral) q c s t : log_concave q -> integrable I q -> 0 <= c -> 0 <= s ->
  integrable I (fun x => best q c s x * q (x - t)).
Proof.
  intros Q K C S. destruct (of_shift I q t K) as (KT & _).
  apply (of_part I (fun x => q (x - t)) (best q c s)); auto.
  - intros x. unfold best. destruct (Rle_dec (c * q (x - s)) (q x)); auto.
  - apply best_falls; auto.
Qed.

(** [G1] On a line no test tells a log-concave law from its shift better than a half-line: P(f) − e^ε·Q(f) ≤ δ(ε). *)
Theorem half_lines_are_best (I : integral) q c s f : log_concave q -> integrable I q -> 0 <= c -> 0 <= s ->
  (forall x, 0 <= f x <= 1) -> integrable I (fun x => f x * q x) -> integrable I (fun x => f x * q (x - s)) ->
  I (fun x => f x * q x) - c * I (fun x => f x * q (x - s)) <= delta I q c s.
Proof.
  intros Q K C S F I1 I2. pose proof (best_part I q c s s Q K C S) as J2.
  pose proof (best_part I q c s 0 Q K C S) as J1.
  replace (fun x => best q c s x * q (x - 0)) with (fun x => best q c s x * q x) in J1
    by (apply functional_extensionality; intros; rewrite Rminus_0_r; reflexivity).
  destruct (of_linear I 1 _ (- c) _ I1 I2) as (L & E). destruct (of_linear I 1 _ (- c) _ J1 J2) as (L' & E').
  unfold delta. assert (H : I (fun x => 1 * (f x * q x) + - c * (f x * q (x - s))) <=
    I (fun x => 1 * (best q c s x * q x) + - c * (best q c s x * q (x - s)))); [|lra].
  apply of_le; auto. intros x. specialize (F x). unfold best. destruct (Rle_dec (c * q (x - s)) (q x)); nra.
Qed.

(** [G1] On a line δ(ε) does not fall as the shift grows, for every log-concave density. So pairs of values at the
    largest distance are the worst. *)
Theorem larger_shifts_are_worse (I : integral) q c s t : log_concave q -> integrable I q -> 0 <= c -> 0 <= s <= t ->
  delta I q c s <= delta I q c t.
Proof.
  intros Q K C S.
  assert (B : forall x, best q c s x = 0 \/ best q c s x = 1).
  { intros x. unfold best. destruct (Rle_dec (c * q (x - s)) (q x)); auto. }
  pose proof (best_falls q c s Q C ltac:(lra)) as D.
  (* keep the half-line and move the second law: its probability falls *)
  assert (M : I (fun x => best q c s x * q (x - t)) <= I (fun x => best q c s x * q (x - s))).
  { pose proof (best_part I q c s s Q K C ltac:(lra)) as J.
    destruct (of_shift I _ (t - s) J) as (JT & ET). rewrite <- ET. apply of_le; auto.
    - apply best_part; auto; lra.
    - intros x. replace (x - (t - s) - s) with (x - t) by ring.
      apply Rmult_le_compat_r; [left; apply (proj1 Q)|]. apply D. lra. }
  apply Rle_trans with (I (fun x => best q c s x * q x) - c * I (fun x => best q c s x * q (x - t))).
  - unfold delta. apply (Rmult_le_compat_l c) in M; lra.
  - apply (half_lines_are_best I q c t (best q c s)); auto; try lra.
    + intros x. destruct (B x) as [-> | ->]; lra.
    + pose proof (best_part I q c s 0 Q K C ltac:(lra)) as J.
      replace (fun x => best q c s x * q (x - 0)) with (fun x => best q c s x * q x) in J
        by (apply functional_extensionality; intros; rewrite Rminus_0_r; reflexivity). exact J.
    + apply best_part; auto; lra.
Qed.

(** [G1] The density e^(−φ(ρ)) of x is log-concave if the distance ρ is a convex function of x, and φ is convex and
    grows. *)
Theorem density_is_log_concave (phi rho : R -> R) :
  (forall x y w, 0 <= w <= 1 -> rho (w * x + (1 - w) * y) <= w * rho x + (1 - w) * rho y) ->
  (forall x y w, 0 <= w <= 1 -> phi (w * x + (1 - w) * y) <= w * phi x + (1 - w) * phi y) ->
  (forall x y, x <= y -> phi x <= phi y) -> log_concave (fun x => exp (- phi (rho x))).
Proof.
  intros CR CP M. split; [intros; apply exp_pos|]. intros x y w W. rewrite !ln_exp.
  pose proof (M _ _ (CR x y w W)). pose proof (CP (rho x) (rho y) w W). lra.
Qed.

(** ** On a circle *)

(** [G1] On a circle the guide needs 3·sin 2ρ ≤ 2ρ·(2 + cos 2ρ), for 0 ≤ ρ ≤ π. *)
Theorem three_sines rho : 0 <= rho <= PI -> 3 * sin (2 * rho) <= 2 * rho * (2 + cos (2 * rho)).
Proof.
  intros R0.
  assert (S : forall s, 0 <= s <= PI -> s * cos s <= sin s).
  { intros s S. assert (sin 0 - 0 * cos 0 <= sin s - s * cos s); [|rewrite sin_0 in *; lra].
    apply (grows (fun t => sin t - t * cos t) (fun t => t * sin t)); try lra.
    - intros t _. auto_derive; auto. ring.
    - intros t T. apply Rmult_le_pos; [lra|]. apply sin_ge_0; lra. }
  assert (0 * (2 + cos (2 * 0)) - 3 * sin (2 * 0) / 2 <= rho * (2 + cos (2 * rho)) - 3 * sin (2 * rho) / 2).
  { apply (grows (fun y => y * (2 + cos (2 * y)) - 3 * sin (2 * y) / 2)
      (fun y => 2 - 2 * cos (2 * y) - 2 * y * sin (2 * y)));
      try lra.
    - intros t _. auto_derive; auto. field.
    - intros t T. rewrite sin_2a, cos_2a_sin. specialize (S t ltac:(lra)).
      assert (0 <= sin t) by (apply sin_ge_0; lra). nra. }
  rewrite Rmult_0_r, sin_0 in H. lra.
Qed.

(** [G1] By it (1 − ρ·cot ρ)/sin²ρ grows on a circle, so that the second derivative of ρ² falls as ρ grows. *)
Theorem second_derivative_falls r s : 0 < r <= s -> s < PI ->
  (1 - r * cos r / sin r) / (sin r * sin r) <= (1 - s * cos s / sin s) / (sin s * sin s).
Proof.
  intros R0 S.
  apply (grows (fun t => (1 - t * cos t / sin t) / (sin t * sin t))
    (fun t => (t * (sin t * sin t + 3 * (cos t * cos t)) - 3 * (sin t * cos t)) /
      (sin t * sin t * (sin t * sin t)))); [lra| |].
  - intros t T. assert (P : 0 < sin t)
      by (apply sin_gt_0; lra). auto_derive; [repeat split; auto; apply Rgt_not_eq; nra|].
    field. lra.
  - intros t T. assert (P : 0 < sin t) by (apply sin_gt_0; lra). pose proof (three_sines t ltac:(lra)) as H.
    rewrite sin_2a, cos_2a in H. pose proof (sin2_cos2 t) as SC. unfold Rsqr in SC.
    apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; apply Rmult_lt_0_compat; nra]. nra.
Qed.

(** ** The threshold of the angle *)

(** [G1] On the sphere the angle at t with opposite side R has cos²(α/2) = sin(h)·sin(h − R)/(sin t·sin Δ), h = (t + Δ +
    R)/2. *)
Theorem threshold_on_the_sphere t delta r c : 0 < sin t -> 0 < sin delta ->
  cos r = cos t * cos delta + sin t * sin delta * c ->
  (1 + c) / 2 = sin ((t + delta + r) / 2) * sin ((t + delta + r) / 2 - r) / (sin t * sin delta).
Proof.
  intros T D H. set (u := (t + delta) / 2). set (v := r / 2).
  replace ((t + delta + r) / 2) with (u + v) by (unfold u, v; field).
  replace (u + v - r) with (u - v) by (unfold u, v; field).
  assert (E : sin (u + v) * sin (u - v) = (cos r - cos (t + delta)) / 2).
  { replace r with (2 * v) by (unfold v; field). replace (t + delta) with (2 * u) by (unfold u; field).
    rewrite sin_plus, sin_minus, !cos_2a_sin.
    pose proof (sin2_cos2 u) as A. pose proof (sin2_cos2 v) as B. unfold Rsqr in A, B.
    replace ((sin u * cos v + cos u * sin v) * (sin u * cos v - cos u * sin v)) with
      (sin u * sin u * (cos v * cos v) - cos u * cos u * (sin v * sin v)) by ring.
    replace (cos v * cos v) with (1 - sin v * sin v) by lra. replace (cos u * cos u) with (1 - sin u * sin u) by lra.
    field. }
  rewrite E, cos_plus, H. field. lra.
Qed.

(** [G1] On flat space it is h·(h − R)/(t·Δ). *)
Theorem threshold_on_flat_space t delta r c : 0 < t -> 0 < delta ->
  r * r = t * t + delta * delta - 2 * t * delta * c ->
  (1 + c) / 2 = (t + delta + r) / 2 * ((t + delta + r) / 2 - r) / (t * delta).
Proof.
  intros T D H. replace ((t + delta + r) / 2 * ((t + delta + r) / 2 - r))
    with (((t + delta) * (t + delta) - r * r) / 4) by field.
  rewrite H. field. lra.
Qed.

(** [G1] On hyperbolic space it is sinh(h)·sinh(h − R)/(sinh t·sinh Δ). *)
Theorem threshold_on_hyperbolic_space t delta r c : 0 < sinh t -> 0 < sinh delta ->
  cosh r = cosh t * cosh delta - sinh t * sinh delta * c ->
  (1 + c) / 2 = sinh ((t + delta + r) / 2) * sinh ((t + delta + r) / 2 - r) / (sinh t * sinh delta).
Proof.
  intros T D H. set (u := (t + delta) / 2). set (v := r / 2).
  replace ((t + delta + r) / 2) with (u + v) by (unfold u, v; field).
  replace (u + v - r) with (u - v) by (unfold u, v; field).
  assert (E : sinh (u + v) * sinh (u - v) = (cosh (t + delta) - cosh r) / 2).
  { replace r with (v + v) by (unfold v; field). replace (t + delta) with (u + u) by (unfold u; field).
    unfold sinh, cosh. unfold Rminus. rewrite !Ropp_plus_distr, !Ropp_involutive, !exp_plus, !exp_Ropp.
    pose proof (exp_pos u). pose proof (exp_pos v). field. lra. }
  assert (CP : cosh (t + delta) = cosh t * cosh delta + sinh t * sinh delta).
  { unfold sinh, cosh. rewrite !Ropp_plus_distr, !exp_plus. field. }
  rewrite E, CP, H. field. lra.
Qed.
