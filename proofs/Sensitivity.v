(** * Sensitivity of the mean: the inequalities

    The sensitivity of a Fréchet mean in a ball of radius [x] rests on two facts of geometry and on inequalities. One
    fact is the inequality (1) of the guide, which each record satisfies by comparison with the sphere. The other one is
    that the Hessian of the mean's objective is at least the average of g over the records. From them this theory proves
    the constant 2·tan x ([S4]), the bound in the chart ([M6]), and the Hessian where the gradient is small ([C3]). It
    also proves the inequality behind one record more ([U2]), where the diameter of the gradient is largest ([S3]), and
    that the published bound follows ([S1]).

    _Covered_: positive curvature, in units where it is 1 at most; vectors of any dimension; any weights.
    _Not covered_: the two facts; the integral from the speed of the mean to its distance; in [C3], that an integral
    bounds the flow of steepest descent. In [M6] and [S3], that two records reduce to points of the ball's edge. That
    the constants are the smallest is not covered either.

    Link: by reading [sensitivity/optimal.rs], [sensitivity/gradient.rs] and [sensitivity/chart.rs]. *)
From Coq Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From Karcher Require Import Monotone.
Open Scope R_scope.

(** ** One variable *)

(** σ(s) = s/sin s and g(s) = s·cot s, both 1 at 0. *)
Definition sigma (s : R) := if Req_EM_T s 0 then 1 else s / sin s.
Definition g (s : R) := if Req_EM_T s 0 then 1 else s * cos s / sin s.
Lemma sigma_pos s : 0 < s -> sigma s = s / sin s.
Proof. intros. unfold sigma. destruct (Req_EM_T s 0); lra. Qed.
Lemma g_pos s : 0 < s -> g s = s * cos s / sin s.
Proof. intros. unfold g. destruct (Req_EM_T s 0); lra. Qed.
Lemma sigma_0 : sigma 0 = 1.
Proof. unfold sigma. destruct (Req_EM_T 0 0); lra. Qed.
Lemma g_0 : g 0 = 1.
Proof. unfold g. destruct (Req_EM_T 0 0); lra. Qed.

Lemma sines t : sin t * sin t + cos t * cos t = 1.
Proof. exact (sin2_cos2 t). Qed.
Lemma cosine_square t : cos t * cos t = 1 - sin t * sin t.
Proof. pose proof (sines t). lra. Qed.
Lemma sin_below s : 0 <= s -> sin s <= s.
Proof.
  intros S. assert (0 - sin 0 <= s - sin s); [|rewrite sin_0 in *; lra].
  apply (grows (fun t => t - sin t) (fun t => 1 - cos t)); auto.
  - intros t _. auto_derive; auto. ring.
  - intros t _. pose proof (COS_bound t). lra.
Qed.
Lemma sine_above s : 0 <= s <= PI -> s * cos s <= sin s.
Proof.
  intros S. assert (sin 0 - 0 * cos 0 <= sin s - s * cos s); [|rewrite sin_0 in *; lra].
  apply (grows (fun t => sin t - t * cos t) (fun t => t * sin t)); try lra.
  - intros t _. auto_derive; auto. ring.
  - intros t T. apply Rmult_le_pos; [lra|]. apply sin_ge_0; lra.
Qed.
Lemma cos_above s : 0 <= s -> 1 - s * s / 2 <= cos s.
Proof.
  intros S. assert (cos 0 - 1 + 0 * 0 / 2 <= cos s - 1 + s * s / 2); [|rewrite cos_0 in *; lra].
  apply (grows (fun t => cos t - 1 + t * t / 2) (fun t => t - sin t)); auto.
  - intros t _. auto_derive; auto. field.
  - intros t T. pose proof (sin_below t). lra.
Qed.
Lemma sigma_ge_1 s : 0 <= s < PI -> 1 <= sigma s.
Proof.
  intros [[S|<-] P]; [|rewrite sigma_0; lra]. rewrite sigma_pos by auto.
  pose proof (sin_gt_0 s S P). pose proof (sin_below s). apply Rle_div_r; lra.
Qed.
Lemma sigma_square s : 0 <= s < PI -> sigma s * sigma s = s * s + g s * g s.
Proof.
  intros [[S|<-] P]; [|rewrite sigma_0, g_0; lra]. rewrite sigma_pos, g_pos by auto.
  pose proof (sin_gt_0 s S P). apply (Rmult_eq_reg_r (sin s * sin s)); [|nra].
  transitivity (s * s * (sin s * sin s + cos s * cos s)); [rewrite sines|]; field; lra.
Qed.

(** 1/t − cot t grows. *)
Lemma cot_gap v u : 0 < v <= u -> u < PI -> 1 / v - cos v / sin v <= 1 / u - cos u / sin u.
Proof.
  intros V U. apply (grows (fun t => 1 / t - cos t / sin t)
    (fun t => (sin t * sin t + cos t * cos t) / (sin t * sin t) - 1 / (t * t))); [lra| |].
  - intros t T. assert (S : 0 < sin t) by (apply sin_gt_0; lra). auto_derive; [lra|]. field. lra.
  - intros t T. assert (S : 0 < sin t) by (apply sin_gt_0; lra). pose proof (sin_below t).
    rewrite sines. assert (1 / (t * t) <= 1 / (sin t * sin t)); [|lra].
    unfold Rdiv. rewrite !Rmult_1_l. apply Rinv_le_contravar; nra.
Qed.

(** The tangent of step 2 of [S4]: cos b·σ(s) − g(s) ≥ ½·(s² − b²). *)
Lemma step_2 b s : 0 <= b < PI / 2 -> 0 <= s < PI -> (s * s - b * b) / 2 <= cos b * sigma s - g s.
Proof.
  intros B [[S|<-] P].
  2: { rewrite sigma_0, g_0. pose proof (cos_above b). lra. }
  rewrite sigma_pos, g_pos by auto. pose proof (sin_gt_0 s S P) as SS.
  set (u := (s + b) / 2). set (v := (s - b) / 2).
  assert (E : cos b - cos s = 2 * (sin u * sin v)).
  { replace b with (u - v) by (unfold u, v; field). replace s with (u + v) at 1 by (unfold u, v; field).
    rewrite cos_minus, cos_plus. ring. }
  assert (SV : sin s = sin u * cos v + cos u * sin v).
  { replace s with (u + v) at 1 by (unfold u, v; field). apply sin_plus. }
  assert (U : 0 < u < PI) by (unfold u; lra).
  assert (SU : 0 < sin u) by (apply sin_gt_0; lra).
  assert (K : u * v * sin s <= (u + v) * (sin u * sin v)).
  { rewrite SV. destruct (Rtotal_order v 0) as [neg|[zero|pos]].
    - (* v < 0 < -v ≤ u *)
      pose proof (cot_gap (- v) u ltac:(unfold u, v in *; lra) ltac:(lra)) as C.
      assert (SN : 0 < sin (- v)) by (apply sin_gt_0; unfold v in *; lra).
      rewrite sin_neg in *. rewrite cos_neg in C.
      assert (0 <= u * - v * (sin u * - sin v) * (1 / u - cos u / sin u - (1 / - v - cos v / - sin v))).
      { apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; nra. }
      replace (u * - v * (sin u * - sin v) * (1 / u - cos u / sin u - (1 / - v - cos v / - sin v)))
        with ((u + v) * (sin u * sin v) - u * v * (sin u * cos v + cos u * sin v)) in H by (field; lra). lra.
    - rewrite zero, sin_0. lra.
    - assert (SN : 0 < sin v) by (apply sin_gt_0; unfold v in *; lra).
      pose proof (sine_above u ltac:(lra)). pose proof (sine_above v ltac:(unfold v in *; lra)).
      assert (0 <= v * sin v * (sin u - u * cos u)) by (apply Rmult_le_pos; [nra|lra]).
      assert (0 <= u * sin u * (sin v - v * cos v)) by (apply Rmult_le_pos; [nra|lra]). lra. }
  apply (Rmult_le_reg_r (sin s)); auto.
  replace ((cos b * (s / sin s) - s * cos s / sin s) * sin s) with (s * (cos b - cos s)) by (field; lra).
  rewrite E. replace (s * s - b * b) with (4 * (u * v)) by (unfold u, v; field).
  replace s with (u + v) at 2 by (unfold u, v; field). lra.
Qed.

(** σ is a convex function of g: it lies above its tangent at [b], whose slope is −λ(b) (step 3 of [S4]). *)
Definition slope (s : R) := (sin s - s * cos s) / (s - sin s * cos s).

Lemma denominator s : 0 < s < PI -> 0 < s - sin s * cos s.
Proof.
  intros S. pose proof (sin_gt_0 s ltac:(lra) ltac:(lra)). pose proof (sin_below s ltac:(lra)).
  pose proof (COS_bound s). destruct (Rle_lt_dec (cos s) 0); [nra|].
  assert (sin s < s) by (apply sin_lt_x; lra). nra.
Qed.

Lemma three_sines y : 0 <= y <= 2 * PI -> 3 * sin y <= y * (2 + cos y).
Proof.
  intros Y. assert (0 * (2 + cos 0) - 3 * sin 0 <= y * (2 + cos y) - 3 * sin y); [|rewrite sin_0 in *; lra].
  apply (grows (fun y => y * (2 + cos y) - 3 * sin y) (fun y => 2 - 2 * cos y - y * sin y)); try lra.
  - intros t _. auto_derive; auto. ring.
  - intros t T. set (h := t / 2). replace t with (2 * h) by (unfold h; field).
    rewrite sin_2a, cos_2a_sin. pose proof (sine_above h ltac:(unfold h; lra)).
    assert (0 <= sin h) by (apply sin_ge_0; unfold h; lra). nra.
Qed.

Lemma slope_grows r s : 0 < r <= s -> s < PI -> slope r <= slope s.
Proof.
  intros R0 S. apply (grows slope (fun s => (s * sin s * (s - sin s * cos s) -
    (sin s - s * cos s) * (1 - (cos s * cos s - sin s * sin s))) / ((s - sin s * cos s) * (s - sin s * cos s))));
    [lra| |].
  - intros t T. pose proof (denominator t ltac:(lra)). unfold slope. auto_derive; [lra|]. field. lra.
  - intros t T. pose proof (denominator t ltac:(lra)).
    assert (0 < sin t) by (apply sin_gt_0; lra).
    replace (t * sin t * (t - sin t * cos t) - (sin t - t * cos t) * (1 - (cos t * cos t - sin t * sin t)))
      with (sin t * (t * t + t * sin t * cos t - 2 * (sin t * sin t))) by (rewrite cosine_square; ring).
    assert (0 <= t * t + t * sin t * cos t - 2 * (sin t * sin t)).
    { (* it grows from 0: its derivative is that of [three_sines] *)
      assert (0 * 0 + 0 * sin 0 * cos 0 - 2 * (sin 0 * sin 0) <= t * t + t * sin t * cos t - 2 * (sin t * sin t)).
      { apply (grows (fun t => t * t + t * sin t * cos t - 2 * (sin t * sin t))
          (fun t => (2 * t * (2 + cos (2 * t)) - 3 * sin (2 * t)) / 2)); [lra| |].
        - intros z _. auto_derive; auto. rewrite sin_2a, cos_2a. field.
        - intros z Z. pose proof (three_sines (2 * z) ltac:(lra)). lra. }
      rewrite sin_0 in *. lra. }
    apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. left. apply Rinv_0_lt_compat. nra.
Qed.

Lemma above_tangent_pos b s : 0 < b < PI -> 0 < s < PI -> sigma b + slope b * g b <= sigma s + slope b * g s.
Proof.
  intros B S.
  set (f := fun t => t / sin t + slope b * (t * cos t / sin t)).
  set (df := fun t => (slope t - slope b) * ((t - sin t * cos t) / (sin t * sin t))).
  assert (D : forall t, 0 < t < PI -> is_derive f t (df t)).
  { intros t T. pose proof (sin_gt_0 t ltac:(lra) ltac:(lra)). pose proof (denominator t T).
    replace (df t) with ((sin t - t * cos t) / (sin t * sin t) +
      slope b * (((cos t - t * sin t) * sin t - t * cos t * cos t) / (sin t * sin t))).
    - unfold f. generalize (slope b). intros k. auto_derive; [lra|]. field. lra.
    - unfold df. generalize (slope b). intros k. unfold slope.
      replace ((cos t - t * sin t) * sin t - t * cos t * cos t) with
        (sin t * cos t - t * (sin t * sin t + cos t * cos t)) by ring. rewrite sines. field. lra. }
  assert (Q : forall t, 0 < t < PI -> 0 < (t - sin t * cos t) / (sin t * sin t)).
  { intros t T. pose proof (sin_gt_0 t ltac:(lra) ltac:(lra)). apply Rdiv_lt_0_compat; [apply denominator; auto|nra]. }
  assert (G : f b <= f s).
  { destruct (Rle_lt_dec b s) as [L|L].
    - apply (grows f df); auto.
      + intros t T. apply D. lra.
      + intros t T. pose proof (slope_grows b t ltac:(lra) ltac:(lra)). specialize (Q t ltac:(lra)).
        apply Rmult_le_pos; lra.
    - assert (- f s <= - f b); [|lra].
      apply (grows (fun t => - f t) (fun t => - df t)); [lra| |].
      + intros t T. apply (is_derive_opp f t (df t)), D. lra.
      + intros t T. pose proof (slope_grows t b ltac:(lra) ltac:(lra)). specialize (Q t ltac:(lra)).
        unfold df. assert (0 <= (slope b - slope t) * ((t - sin t * cos t) / (sin t * sin t)))
          by (apply Rmult_le_pos; lra).
        lra. }
  rewrite !sigma_pos, !g_pos by lra. exact G.
Qed.

Lemma slope_nonneg b : 0 < b < PI -> 0 <= slope b.
Proof.
  intros B. pose proof (denominator b B). pose proof (sine_above b ltac:(lra)).
  unfold slope. apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto].
Qed.

Lemma above_tangent b s : 0 < b < PI / 2 -> 0 <= s < PI -> sigma b + slope b * g b <= sigma s + slope b * g s.
Proof.
  intros B [[S|<-] P]; [apply above_tangent_pos; lra|].
  rewrite sigma_0, g_0. pose proof (slope_nonneg b ltac:(lra)) as SL.
  (* the value at 0 is a limit *)
  destruct (Rle_lt_dec (sigma b + slope b * g b) (1 + slope b * 1)) as [|lt]; auto. exfalso.
  set (gap := sigma b + slope b * g b - (1 + slope b)).
  set (t := Rmin 1 gap / 2).
  assert (M : 0 < Rmin 1 gap <= 1) by (split; [apply Rmin_glb_lt; unfold gap; lra|apply Rmin_l]).
  assert (M' : Rmin 1 gap <= gap) by apply Rmin_r.
  pose proof PI2_1. assert (T : 0 < t < PI) by (unfold t; lra).
  pose proof (above_tangent_pos b t ltac:(lra) T) as H1.
  assert (G1 : g t <= 1).
  { rewrite g_pos by lra. pose proof (sine_above t ltac:(lra)). pose proof (sin_gt_0 t ltac:(lra) ltac:(lra)).
    apply Rle_div_l; lra. }
  assert (C : 1 - t * t / 2 <= cos t) by (apply cos_above; lra).
  assert (SG : sigma t <= 1 + t).
  { rewrite sigma_pos by lra. pose proof (sine_above t ltac:(lra)) as SA. pose proof (sin_gt_0 t ltac:(lra) ltac:(lra)).
    apply Rle_div_l; auto. assert (t * (1 - t * t / 2) <= sin t) by nra.
    assert (t <= (1 + t) * (t * (1 - t * t / 2))); [|nra]. assert (t <= 1 / 2) by (unfold t; lra).
    assert (1 <= (1 + t) * (1 - t * t / 2)) by nra. nra. }
  assert (t < gap) by (unfold t; lra). unfold gap in *. nra.
Qed.

Lemma g_decreases r s : 0 <= r <= s -> s < PI -> g s <= g r.
Proof.
  intros R0 S. destruct R0 as [[R0|<-] L].
  - rewrite !g_pos by lra. assert (- (r * cos r / sin r) <= - (s * cos s / sin s)); [|lra].
    apply (grows (fun t => - (t * cos t / sin t)) (fun t => (t - sin t * cos t) / (sin t * sin t))); auto.
    + intros t T. pose proof (sin_gt_0 t ltac:(lra) ltac:(lra)).
      replace (t - sin t * cos t) with (t * (sin t * sin t + cos t * cos t) - sin t * cos t) by (rewrite sines; ring).
      auto_derive; [lra|]. field. lra.
    + intros t T. pose proof (sin_gt_0 t ltac:(lra) ltac:(lra)). pose proof (denominator t ltac:(lra)).
      apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; nra].
  - rewrite g_0. destruct L as [L|<-]; [|rewrite g_0; lra]. rewrite g_pos by auto.
    pose proof (sine_above s ltac:(lra)). pose proof (sin_gt_0 s ltac:(lra) ltac:(lra)). apply Rle_div_l; lra.
Qed.

(** ** Records seen from a mean *)

Fixpoint sum (n : nat) (f : nat -> R) : R := match n with O => 0 | S n => sum n f + f n end.
Lemma sum_eq n f h : (forall i, (i < n)%nat -> f i = h i) -> sum n f = sum n h.
Proof. induction n; simpl; intros H; auto. rewrite IHn, H by auto with arith. reflexivity. Qed.
Lemma sum_plus n f h : sum n (fun i => f i + h i) = sum n f + sum n h.
Proof. induction n; simpl; lra. Qed.
Lemma sum_scal n c f : sum n (fun i => c * f i) = c * sum n f.
Proof. induction n; simpl; lra. Qed.

Definition vector := nat -> R.
Definition inner (d : nat) (v w : vector) := sum d (fun i => v i * w i).
Definition square (d : nat) (v : vector) := inner d v v.
Definition norm (d : nat) (v : vector) := sqrt (square d v).
Lemma square_pos d v : 0 <= square d v.
Proof. unfold square, inner. induction d; simpl; [lra|]. pose proof (Rle_0_sqr (v d)). unfold Rsqr in *. lra. Qed.
Lemma norm_square d v : norm d v * norm d v = square d v.
Proof. apply sqrt_sqrt, square_pos. Qed.

Section Seen.
(** The ball has the radius [x], and the mean is at the distance [a] of the center. Seen from the mean, the center is in
    the direction of the unit vector [e] of [d] numbers. The right-angled triangle with leg [a] and hypotenuse [x] has
    the other leg [b]. *)
Variables (d : nat) (x a b : R) (e : vector).
Hypothesis ball : 0 < x < PI / 2.
Hypothesis place : 0 <= a <= x.
Hypothesis leg : 0 <= b < PI / 2.
Hypothesis triangle : cos x = cos a * cos b.
Hypothesis unit : square d e = 1.

(** (1): what comparison with the sphere says about the logarithm [v] of a record. *)
Definition seen (v : vector) :=
  norm d v < PI /\ cos x * sigma (norm d v) <= cos a * g (norm d v) + sin a * inner d v e.

Lemma cos_x : 0 < cos x.
Proof. apply cos_gt_0; lra. Qed.
Lemma cos_a : 0 < cos a.
Proof. apply cos_gt_0; lra. Qed.
Lemma sin_a : 0 <= sin a.
Proof. apply sin_ge_0; lra. Qed.
Lemma tan_a : 0 <= tan a.
Proof. unfold tan. pose proof cos_a. pose proof sin_a. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. auto.
Qed.
Lemma norm_range v : norm d v < PI -> 0 <= norm d v < PI.
Proof. split; auto. apply sqrt_pos. Qed.

(** [S4] Seen from a mean, the logarithms of all records are in one Euclidean ball, of radius √(b² + tan²a). *)
Theorem in_one_ball v : seen v -> square d (fun i => v i - tan a * e i) <= b * b + tan a * tan a.
Proof.
  intros (V & H). pose proof (step_2 b (norm d v) leg (norm_range v V)) as Q. rewrite norm_square in Q.
  pose proof cos_a as C. rewrite triangle in H.
  assert (E : square d (fun i => v i - tan a * e i) =
    square d v - 2 * tan a * inner d v e + tan a * tan a * square d e).
  { unfold square, inner. rewrite (sum_eq d _ (fun i => v i * v i + (-2 * tan a * (v i * e i) +
      tan a * tan a * (e i * e i))))
      by (intros; ring). rewrite !sum_plus, !sum_scal. ring. }
  rewrite E, unit. apply (Rmult_le_reg_l (cos a)); auto.
  assert (T : cos a * tan a = sin a) by (unfold tan; field; lra).
  replace (cos a * (square d v - 2 * tan a * inner d v e + tan a * tan a * 1)) with
    (cos a * square d v - 2 * (cos a * tan a) * inner d v e + cos a * (tan a * tan a)) by ring. rewrite T.
  apply (Rmult_le_compat_l (2 * cos a)) in Q; [|lra]. nra.
Qed.

(** So two of them differ by at most 2·√(b² + tan²a). *)
Lemma two_records v w : seen v -> seen w -> square d (fun i => v i - w i) <= 4 * (b * b + tan a * tan a).
Proof.
  intros V W. apply in_one_ball in V, W.
  pose proof (square_pos d (fun i => (v i - tan a * e i) + (w i - tan a * e i))) as P.
  assert (E : square d (fun i => v i - w i) = 2 * square d (fun i => v i - tan a * e i) +
    2 * square d (fun i => w i - tan a * e i) - square d (fun i => (v i - tan a * e i) + (w i - tan a * e i))).
  { assert (F : forall p q, square d (fun i => p i + q i) = square d p + square d q + 2 * inner d p q).
    { intros. unfold square, inner. rewrite (sum_eq d _ (fun i => p i * p i + (q i * q i + 2 * (p i * q i))))
        by (intros; ring).
      rewrite !sum_plus, sum_scal. ring. }
    assert (G : square d (fun i => v i - w i) =
      square d (fun i => v i - tan a * e i) + square d (fun i => w i - tan a * e i) -
      2 * inner d (fun i => v i - tan a * e i) (fun i => w i - tan a * e i)).
    { unfold square, inner. rewrite (sum_eq d _ (fun i => (v i - tan a * e i) * (v i - tan a * e i) +
        ((w i - tan a * e i) * (w i - tan a * e i) + -2 * ((v i - tan a * e i) * (w i - tan a * e i)))))
          by (intros; ring).
      rewrite !sum_plus, sum_scal. ring. }
    rewrite G, (F (fun i => v i - tan a * e i) (fun i => w i - tan a * e i)). ring. }
  lra.
Qed.

(** (0): tan²x·g(b)² ≥ b² + tan²a. *)
Lemma pull_and_hold : b * b + tan a * tan a <= tan x * g b * (tan x * g b).
Proof.
  pose proof cos_x as CX. pose proof cos_a as CA.
  assert (CB : 0 < cos b) by (apply cos_gt_0; lra).
  assert (TX : tan x * tan x = / (cos x * cos x) - 1).
  { unfold tan. replace (sin x / cos x * (sin x / cos x)) with ((sin x * sin x) / (cos x * cos x)) by (field; lra).
    replace (sin x * sin x) with (1 - cos x * cos x) by (pose proof (sines x); lra). field. lra. }
  assert (TA : tan a * tan a = / (cos a * cos a) - 1).
  { unfold tan. replace (sin a / cos a * (sin a / cos a)) with ((sin a * sin a) / (cos a * cos a)) by (field; lra).
    replace (sin a * sin a) with (1 - cos a * cos a) by (pose proof (sines a); lra). field. lra. }
  replace (tan x * g b * (tan x * g b)) with (tan x * tan x * (g b * g b)) by ring. rewrite TX, triangle.
  assert (G : g b = sigma b * cos b).
  { destruct leg as [[B|<-] L]; [|rewrite g_0, sigma_0, cos_0; lra].
    rewrite g_pos, sigma_pos by auto. pose proof (sin_gt_0 b B ltac:(lra)). field. lra. }
  assert (P : 0 <= b < PI) by lra.
  pose proof (sigma_square b P) as SS. pose proof (sigma_ge_1 b P) as S1.
  assert (SB : sigma b * sigma b - g b * g b = b * b) by lra.
  replace ((/ (cos a * cos b * (cos a * cos b)) - 1) * (g b * g b)) with
    (sigma b * sigma b * / (cos a * cos a) - g b * g b) by (rewrite G; field; lra).
  assert (0 <= tan a * tan a) by apply Rle_0_sqr.
  assert (1 * (tan a * tan a) <= sigma b * sigma b * (tan a * tan a))
    by (apply Rmult_le_compat_r; nra). rewrite TA in *. nra.
Qed.

Lemma g_positive : 0 < g b.
Proof.
  destruct leg as [[B|<-] L]; [|rewrite g_0; lra]. rewrite g_pos by auto.
  apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; auto; apply cos_gt_0; lra|apply sin_gt_0; lra].
Qed.
Lemma tan_x : 0 < tan x.
Proof. apply tan_gt_0; lra. Qed.

(** tan a ≤ g(b)·tan x. *)
Lemma tan_a_bound : tan a <= g b * tan x.
Proof.
  pose proof pull_and_hold. pose proof g_positive. pose proof tan_x. pose proof (Rle_0_sqr b). unfold Rsqr in *.
  apply Rsqr_incr_0_var; [unfold Rsqr; nra|nra].
Qed.

(** *** The Hessian *)

(** Records with their weights, and the average of a function of their logarithms. *)
Definition average (l : list (R * vector)) (f : vector -> R) := fold_right (fun k s => fst k * f (snd k) + s) 0 l.
Definition weighted (l : list (R * vector)) :=
  average l (fun _ => 1) = 1 /\ forall k, In k l -> 0 <= fst k /\ seen (snd k).

Lemma average_le l f h : (forall k, In k l -> 0 <= fst k /\ f (snd k) <= h (snd k)) -> average l f <= average l h.
Proof.
  induction l as [|k l IH]; simpl; intros H; [lra|]. destruct (H k); auto.
  apply Rplus_le_compat; [apply Rmult_le_compat_l; auto|apply IH; auto].
Qed.
Lemma average_linear l p q f h : average l (fun v => p * f v + q * h v) = p * average l f + q * average l h.
Proof. induction l; simpl; lra. Qed.

(** [S4], [C3] The average of g over the records, which bounds the Hessian, is at least g(b) − t·tan a. Here the mean
    logarithm reaches no farther than [t] in the direction [e]; at a mean it is 0. *)
Theorem hessian l t : 0 <= t -> weighted l -> average l (fun v => inner d v e) <= t ->
  g b - t * tan a <= average l (fun v => g (norm d v)).
Proof.
  intros T0 (one & W) M. pose proof cos_a as CA. pose proof sin_a as SA. pose proof cos_x as CX. pose proof tan_a as TA.
  set (G := average l (fun v => g (norm d v))). set (S := average l (fun v => sigma (norm d v))).
  assert (A : cos x * S <= cos a * G + sin a * t).
  { assert (H : average l (fun v => cos x * sigma (norm d v) + 0 * 1) <=
      average l (fun v => cos a * g (norm d v) + sin a * inner d v e)).
    { apply average_le. intros k K. destruct (W k K) as (k0 & _ & k1). split; auto. lra. }
    rewrite !average_linear in H. fold S G in H. nra. }
  destruct (Rle_lt_dec (g b) G) as [|less]; [nra|].
  (* otherwise the average of σ is at least σ(b) *)
  assert (B : sigma b <= S).
  { destruct leg as [[B|<-] L].
    - assert (H : average l (fun v => (sigma b + slope b * g b) * 1 + 0 * 1) <=
        average l (fun v => 1 * sigma (norm d v) + slope b * g (norm d v))).
      { apply average_le. intros k K. destruct (W k K) as (k0 & k1 & _). split; auto.
        pose proof (above_tangent b (norm d (snd k)) (conj B L) (norm_range _ k1)). lra. }
      rewrite (average_linear l (sigma b + slope b * g b) 0 (fun _ => 1) (fun _ => 1)) in H.
      rewrite (average_linear l 1 (slope b) (fun v => sigma (norm d v))) in H. rewrite one in H. fold S G in H.
      pose proof (slope_nonneg b ltac:(lra)). nra.
    - rewrite sigma_0, <- one. apply average_le. intros k K. destruct (W k K) as (k0 & k1 & _). split; auto.
      apply sigma_ge_1, norm_range. auto. }
  assert (GB : g b = sigma b * cos b).
  { destruct leg as [[B'|<-] L]; [|rewrite g_0, sigma_0, cos_0; lra].
    rewrite g_pos, sigma_pos by auto. pose proof (sin_gt_0 b B' ltac:(lra)). field. lra. }
  assert (cos a * g b <= cos a * G + sin a * t).
  { eapply Rle_trans; [|exact A]. rewrite GB, triangle.
    assert (0 <= cos b) by (apply cos_ge_0; lra). assert (0 <= cos a * cos b) by nra. nra. }
  apply (Rmult_le_reg_l (cos a)); auto.
  replace (cos a * (g b - t * tan a)) with (cos a * g b - sin a * t) by (unfold tan; field; lra). lra.
Qed.

(** [S4] The pull ‖v − w‖ of a replaced record, over the Hessian at the mean, is 2·tan x at most. So the mean moves with
    at most the speed 2·tan(x)/n when the weight 1/n goes from [v] to [w]. *)
Theorem sensitivity_of_the_mean l v w : weighted l -> average l (fun v => inner d v e) = 0 -> seen v -> seen w ->
  0 < average l (fun v => g (norm d v)) /\
  norm d (fun i => v i - w i) / average l (fun v => g (norm d v)) <= 2 * tan x.
Proof.
  intros L M V W. pose proof (hessian l 0 (Rle_refl 0) L (Req_le _ _ M)) as H. rewrite Rmult_0_l, Rminus_0_r in H.
  pose proof g_positive as G. pose proof tan_x as TX.
  split; [lra|]. apply Rle_div_l; [lra|].
  apply Rle_trans with (2 * tan x * g b); [|apply Rmult_le_compat_l; lra].
  apply Rsqr_incr_0_var; [unfold Rsqr|nra]. rewrite norm_square.
  pose proof (two_records v w V W). pose proof pull_and_hold. lra.
Qed.

(** [C3], [E3] Where the gradient has the length t ≤ cot x, the average of g, which bounds the Hessian, is at least
    g(b)·(1 − t·tan x). *)
Theorem small_gradient l t : 0 <= t -> t * tan x <= 1 -> weighted l -> average l (fun v => inner d v e) <= t ->
  g b * (1 - t * tan x) <= average l (fun v => g (norm d v)).
Proof.
  intros T0 T L M. pose proof (hessian l t T0 L M). pose proof tan_a_bound. nra.
Qed.

(** a·arsinh(tan a) ≤ sin a·tan a. *)
Lemma arsinh_tan c : 0 <= c < PI / 2 -> c * arcsinh (tan c) <= sin c * tan c.
Proof.
  intros C. set (A := fun t => ln ((1 + sin t) / cos t)).
  assert (E : arcsinh (tan c) = A c).
  { unfold arcsinh, A. f_equal. assert (CC : 0 < cos c) by (apply cos_gt_0; lra).
    replace (sqrt (tan c ^ 2 + 1)) with (/ cos c); [unfold tan; field; lra|].
    rewrite <- (sqrt_square (/ cos c)) by (left; apply Rinv_0_lt_compat; auto). f_equal.
    unfold tan. replace ((sin c / cos c) ^ 2 + 1) with ((sin c * sin c + cos c * cos c) / (cos c * cos c))
      by (field; lra).
    rewrite sines. field. lra. }
  rewrite E.
  assert (A0 : A 0 = 0) by (unfold A; rewrite sin_0, cos_0; replace ((1 + 0) / 1) with 1 by field; apply ln_1).
  assert (DA : forall t, 0 <= t < PI / 2 -> is_derive A t (/ cos t)).
  { intros t T. assert (CT : 0 < cos t) by (apply cos_gt_0; lra). assert (ST : 0 <= sin t) by (apply sin_ge_0; lra).
    replace (/ cos t) with ((cos t * cos t + (1 + sin t) * sin t) / (cos t * (1 + sin t))).
    - unfold A. auto_derive; [split; [lra|split; auto; apply Rdiv_lt_0_compat; lra]|]. field. lra.
    - replace (cos t * cos t + (1 + sin t) * sin t) with (1 + sin t) by (rewrite cosine_square; ring). field. lra. }
  set (k := fun t => sin t * tan t - t * A t).
  set (dk := fun t => sin t + sin t / (cos t * cos t) - A t - t * / cos t).
  assert (N : forall t, 0 <= t <= c -> 0 <= dk t).
  { intros t T. assert (dk0 : dk 0 = 0) by (unfold dk; rewrite A0, sin_0, cos_0; field). rewrite <- dk0.
    apply (grows dk (fun t => sin t / (cos t * cos t) * (2 * tan t - t - sin t * cos t))); [lra| |].
    - intros z Z. assert (CZ : 0 < cos z) by (apply cos_gt_0; lra).
      apply (is_derive_ext (fun t => (sin t + sin t / (cos t * cos t) - t * / cos t) - A t));
        [intros; unfold dk; simpl; ring|].
      replace (sin z / (cos z * cos z) * (2 * tan z - z - sin z * cos z)) with
        ((cos z + (cos z * (cos z * cos z) + sin z * (2 * cos z * sin z)) / (cos z * cos z * (cos z * cos z)) -
          (/ cos z + z * sin z / (cos z * cos z))) - / cos z).
      + apply @is_derive_minus; [|apply DA; lra]. auto_derive; [repeat split; auto; apply Rgt_not_eq; nra|].
        field. lra.
      + apply (Rmult_eq_reg_r (cos z * cos z * cos z)); [|apply Rgt_not_eq, Rmult_lt_0_compat; nra]. unfold tan.
        transitivity ((cos z * cos z) * (cos z * cos z) + cos z * cos z + 2 * (sin z * sin z) - 2 * (cos z * cos z)
          - z * sin z * cos z); [field; lra|].
        transitivity (2 * (sin z * sin z) - z * sin z * cos z - sin z * sin z * (cos z * cos z)); [|field; lra].
        rewrite cosine_square. ring.
    - intros z Z. assert (CZ : 0 < cos z) by (apply cos_gt_0; lra). assert (SZ : 0 <= sin z) by (apply sin_ge_0; lra).
      apply Rmult_le_pos; [apply Rmult_le_pos; [auto|left; apply Rinv_0_lt_compat; nra]|].
      assert (z <= tan z).
      { unfold tan. pose proof (sine_above z ltac:(lra)). apply Rle_div_r; lra. }
      pose proof (sin_below z ltac:(lra)). pose proof (COS_bound z). nra. }
  assert (K : k 0 <= k c).
  { apply (grows k dk); [lra| |exact N]. intros z Z. assert (CZ : 0 < cos z) by (apply cos_gt_0; lra).
    unfold k. replace (dk z) with ((cos z * tan z + sin z * ((cos z * cos z + sin z * sin z) / (cos z * cos z))) -
      (1 * A z + z * / cos z)).
    - apply @is_derive_minus.
      + unfold tan. auto_derive; [lra|]. field. lra.
      + apply (is_derive_mult (fun t => t) A); [apply @is_derive_id|apply DA; lra|intros; apply Rmult_comm].
    - unfold dk, tan. replace (cos z * cos z + sin z * sin z) with 1 by (rewrite <- (sines z); ring). field. lra. }
  unfold k in K. rewrite sin_0 in K. lra.
Qed.

(** [M6] A mean off the center is less sensitive by more than the chart's stretch σ(a): 2Y·σ(a)/g ≤ 2·tan x. Half of the
    distance of two logarithms is at most Y ≤ sin x·σ(b)·arsinh(tan a)/sin a, which [pull_off_the_center] proves. *)
Theorem mean_in_the_chart l y : 0 < a -> weighted l -> average l (fun v => inner d v e) = 0 -> 0 <= y ->
  y <= sin x * sigma b * (arcsinh (tan a) / sin a) ->
  2 * y * sigma a / average l (fun v => g (norm d v)) <= 2 * tan x.
Proof.
  intros A0 L M Y0 Y. pose proof (hessian l 0 (Rle_refl 0) L (Req_le _ _ M)) as H. rewrite Rmult_0_l, Rminus_0_r in H.
  pose proof g_positive as G. pose proof tan_x as TX. pose proof cos_a as CA. pose proof cos_x as CX.
  assert (SA : 0 < sin a) by (apply sin_gt_0; lra). assert (SX : 0 < sin x) by (apply sin_gt_0; lra).
  apply Rle_div_l; [lra|]. apply Rle_trans with (2 * tan x * g b); [|apply Rmult_le_compat_l; lra].
  assert (CB : 0 < cos b) by (apply cos_gt_0; lra).
  assert (GB : g b = sigma b * cos b).
  { destruct leg as [[B'|<-] L']; [|rewrite g_0, sigma_0, cos_0; lra].
    rewrite g_pos, sigma_pos by auto. pose proof (sin_gt_0 b B' ltac:(lra)). field. lra. }
  assert (TG : tan x * g b = sin x * sigma b / cos a) by (rewrite GB; unfold tan; rewrite triangle; field; lra).
  pose proof (arsinh_tan a ltac:(lra)) as AT. rewrite sigma_pos by auto.
  pose proof (sigma_ge_1 b ltac:(lra)) as S1.
  assert (Q : a * arcsinh (tan a) / (sin a * sin a) <= / cos a).
  { apply Rle_div_l; [nra|]. replace (/ cos a * (sin a * sin a)) with (sin a * tan a)
      by (unfold tan; field; lra). exact AT. }
  apply Rle_trans with (2 * (sin x * sigma b) * (a * arcsinh (tan a) / (sin a * sin a))).
  - replace (2 * (sin x * sigma b) * (a * arcsinh (tan a) / (sin a * sin a))) with
      (2 * (sin x * sigma b * (arcsinh (tan a) / sin a)) * (a / sin a)) by (field; lra).
    apply Rmult_le_compat_r; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]|lra].
  - replace (2 * tan x * g b) with (2 * (sin x * sigma b) * / cos a)
      by (rewrite (Rmult_assoc 2 (tan x)), TG; field; lra).
    apply Rmult_le_compat_l; [nra|exact Q].
Qed.
End Seen.

(** ** Further constants *)

(** [S1] The published bound 2x(2 − g(2x))/g(2x) is at least the 2·tan x of [S4]. *)
Theorem published_bound x : 0 < x < PI / 4 -> 2 * tan x <= 2 * x * (2 - g (2 * x)) / g (2 * x).
Proof.
  intros X. assert (CX : 0 < cos x) by (apply cos_gt_0; lra). assert (SX : 0 < sin x) by (apply sin_gt_0; lra).
  assert (C2 : 0 < cos (2 * x)) by (apply cos_gt_0; lra). assert (S2 : 0 < sin (2 * x)) by (apply sin_gt_0; lra).
  rewrite g_pos by lra.
  replace (2 * x * (2 - 2 * x * cos (2 * x) / sin (2 * x)) / (2 * x * cos (2 * x) / sin (2 * x)))
    with (2 * (sin (2 * x) / cos (2 * x)) - 2 * x) by (field; lra).
  assert (T : x <= tan x).
  { unfold tan. pose proof (sine_above x ltac:(lra)). apply Rle_div_r; lra. }
  assert (D : 2 * tan x <= sin (2 * x) / cos (2 * x)).
  { apply (Rle_div_r (2 * tan x) (sin (2 * x)) (cos (2 * x))); auto. unfold tan. rewrite sin_2a.
    replace (2 * (sin x / cos x) * cos (2 * x)) with
      (2 * sin x * (cos (2 * x) / cos x)) by (field; lra).
    rewrite Rmult_assoc, (Rmult_assoc 2 (sin x)). apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [lra|].
    apply Rle_div_l; auto. rewrite cos_2a_cos. pose proof (COS_bound x). nra. }
  lra.
Qed.

(** [C3] The integral of du/h(u) from 0 to t is −ln(1 − t·tan x)/x ≤ t/h(t), with h(u) = g(x)·(1 − u·tan x). It bounds
    the length of the flow of steepest descent, on paper. *)
Theorem distance_to_the_mean x t : 0 < x < PI / 2 -> 0 <= t -> t * tan x < 1 ->
  is_RInt (fun u => 1 / (g x * (1 - u * tan x))) 0 t (- ln (1 - t * tan x) / x) /\
  - ln (1 - t * tan x) / x <= t / (g x * (1 - t * tan x)).
Proof.
  intros X T0 T. assert (CX : 0 < cos x) by (apply cos_gt_0; lra). assert (SX : 0 < sin x) by (apply sin_gt_0; lra).
  assert (TX : 0 < tan x) by (apply tan_gt_0; lra).
  assert (GX : g x * tan x = x) by (rewrite g_pos by lra; unfold tan; field; lra).
  assert (G0 : 0 < g x) by (rewrite g_pos by lra; apply Rdiv_lt_0_compat; nra).
  split.
  - replace (- ln (1 - t * tan x) / x) with (minus (- ln (1 - t * tan x) / x) (- ln (1 - 0 * tan x) / x)).
    2: { unfold minus, plus, opp. simpl. rewrite Rmult_0_l, Rminus_0_r, ln_1. field. lra. }
    assert (B : forall u, Rmin 0 t <= u <= Rmax 0 t -> 0 < 1 - u * tan x).
    { intros u U. rewrite Rmin_left, Rmax_right in U by auto. nra. }
    apply (is_RInt_derive (fun u => - ln (1 - u * tan x) / x)).
    + intros u U. specialize (B u U). replace (1 / (g x * (1 - u * tan x))) with (tan x / (x * (1 - u * tan x))).
      * generalize (tan x) B. intros k B'. auto_derive; [lra|]. field. lra.
      * transitivity (tan x / (g x * tan x * (1 - u * tan x))); [rewrite GX; reflexivity|].
        field. repeat split; lra.
    + intros u U. specialize (B u U). generalize dependent (tan x). intros k. intros. apply @ex_derive_continuous.
      auto_derive. repeat split; auto. nra.
  - set (z := 1 - t * tan x) in *. assert (Z : 0 < z) by (unfold z; lra).
    assert (L : - ln z <= (1 - z) / z).
    { pose proof (exp_ineq1_le (ln (/ z))) as E. rewrite exp_ln, ln_Rinv in E by (auto; apply Rinv_0_lt_compat; auto).
      replace ((1 - z) / z) with (/ z - 1) by (field; lra). lra. }
    replace (t / (g x * z)) with ((1 - z) / z / x).
    + unfold Rdiv at 1 3. apply Rmult_le_compat_r; auto. left. apply Rinv_0_lt_compat. lra.
    + transitivity (t * tan x / z / (g x * tan x)); [|field; repeat split; lra].
      rewrite GX. replace (t * tan x) with (1 - z) by (unfold z; ring). reflexivity.
Qed.

(** [E3] The bound that exact draws use is the weaker one: (1 − e^(−s·tan x))·x·cot²x ≤ (1 − e^(−x·s))·cot x. *)
Theorem bound_in_use x s : 0 < x < PI / 2 -> 0 <= s ->
  (1 - exp (- (s * tan x))) * (x * (/ tan x * / tan x)) <= (1 - exp (- (x * s))) * / tan x.
Proof.
  intros X S. assert (TX : 0 < tan x) by (apply tan_gt_0; lra). assert (CX : 0 < cos x) by (apply cos_gt_0; lra).
  assert (XT : x <= tan x).
  { unfold tan. pose proof (sine_above x ltac:(lra)). apply Rle_div_r; lra. }
  set (w := x / tan x). assert (W : 0 <= w <= 1).
  { unfold w. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]|apply Rle_div_l; lra]. }
  (* e^(−w·y) ≤ w·e^(−y) + 1 − w, by the tangent of the exponential function *)
  assert (C : exp (- (x * s)) <= w * exp (- (s * tan x)) + (1 - w)).
  { set (m := - (x * s)). assert (A : exp m * (1 + (- (s * tan x) - m)) <= exp (- (s * tan x))).
    { replace (exp (- (s * tan x))) with (exp m * exp (- (s * tan x) - m)) by (rewrite <- exp_plus; f_equal; ring).
      apply Rmult_le_compat_l; [left; apply exp_pos|apply exp_ineq1_le]. }
    assert (B : exp m * (1 + (0 - m)) <= 1).
    { replace 1 with (exp m * exp (0 - m)) at 2 by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
      apply Rmult_le_compat_l; [left; apply exp_pos|apply exp_ineq1_le]. }
    assert (E : w * (s * tan x) = x * s) by (unfold w; field; lra).
    apply (Rmult_le_compat_l w) in A; [|lra]. apply (Rmult_le_compat_l (1 - w)) in B; [|lra].
    replace (exp m) with (w * (exp m * (1 + (- (s * tan x) - m))) + (1 - w) * (exp m * (1 + (0 - m)))); [lra|].
    transitivity (exp m * (1 - w * (s * tan x) - m)); [ring|]. rewrite E. unfold m. ring. }
  replace ((1 - exp (- (s * tan x))) * (x * (/ tan x * / tan x))) with ((w * (1 - exp (- (s * tan x)))) * / tan x)
    by (unfold w; field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|lra].
Qed.

(** ** One record more *)

Lemma sigma_plus_g s : 0 <= s < PI -> sigma s + g s = 2 * g (s / 2).
Proof.
  intros [[S|<-] P]; [|replace (0 / 2) with 0 by field; rewrite sigma_0, g_0; lra].
  rewrite sigma_pos, !g_pos by lra. pose proof (sin_gt_0 (s / 2) ltac:(lra) ltac:(lra)).
  pose proof (cos_gt_0 (s / 2) ltac:(lra) ltac:(lra)).
  set (h := s / 2) in *. replace s with (2 * h) by (unfold h; field). rewrite sin_2a, cos_2a_cos. field. lra.
Qed.
Lemma sigma_grows r s : 0 <= r <= s -> s < PI -> sigma r <= sigma s.
Proof.
  intros R0 S. destruct R0 as [[R0|<-] L]; [|rewrite sigma_0; apply sigma_ge_1; lra].
  rewrite !sigma_pos by lra.
  apply (grows (fun t => t / sin t) (fun t => (sin t - t * cos t) / (sin t * sin t))); auto.
  - intros t T. pose proof (sin_gt_0 t ltac:(lra) ltac:(lra)). auto_derive; [lra|]. field. lra.
  - intros t T. pose proof (sin_gt_0 t ltac:(lra) ltac:(lra)). pose proof (sine_above t ltac:(lra)).
    apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; nra].
Qed.

(** [U2] The third side of the flat triangle with two sides and the angle of a spherical one is at most
    2·sin(c/2)·√(σ(s)σ(a)). The spherical one has the sides [a], [s] and [c], and [t] is the cosine of the angle. This
    bounds the pull of a new record on n·Log. *)
Theorem third_side a s c t : 0 <= a < PI -> 0 <= s < PI -> cos c = cos s * cos a + sin s * sin a * t ->
  s * s + a * a - 2 * s * a * t <= 4 * (sigma s * sigma a) * (sin (c / 2) * sin (c / 2)).
Proof.
  intros A S C.
  assert (H : sin (c / 2) * sin (c / 2) = (1 - cos c) / 2).
  { replace c with (2 * (c / 2)) at 3 by field. rewrite cos_2a_sin. field. }
  rewrite H.
  assert (sa : sigma a * sin a = a).
  { destruct A as [[A|<-] P]; [|rewrite sin_0; ring]. rewrite sigma_pos by auto. pose proof (sin_gt_0 a A P). field.
    lra. }
  assert (ss : sigma s * sin s = s).
  { destruct S as [[S|<-] P]; [|rewrite sin_0; ring]. rewrite sigma_pos by auto. pose proof (sin_gt_0 s S P). field.
    lra. }
  assert (ga : sigma a * cos a = g a).
  { destruct A as [[A|<-] P]; [|rewrite sigma_0, g_0, cos_0; ring]. rewrite sigma_pos, g_pos by auto.
    pose proof (sin_gt_0 a A P). field. lra. }
  assert (gs : sigma s * cos s = g s).
  { destruct S as [[S|<-] P]; [|rewrite sigma_0, g_0, cos_0; ring]. rewrite sigma_pos, g_pos by auto.
    pose proof (sin_gt_0 s S P). field. lra. }
  (* the difference is (g(s) − g(a))² − (σ(s) − σ(a))² *)
  assert (D : (sigma s - sigma a) * (sigma s - sigma a) <= (g s - g a) * (g s - g a)).
  { assert (W : forall p q, 0 <= p <= q -> q < PI ->
      (sigma q - sigma p) * (sigma q - sigma p) <= (g q - g p) * (g q - g p)).
    { intros p q P Q. pose proof (sigma_grows p q P Q).
      pose proof (sigma_plus_g p ltac:(lra)). pose proof (sigma_plus_g q ltac:(lra)).
      pose proof (g_decreases (p / 2) (q / 2) ltac:(lra) ltac:(lra)). nra. }
    destruct (Rle_lt_dec a s); [apply W; lra|].
    pose proof (W s a ltac:(lra) ltac:(lra)). lra. }
  pose proof (sigma_square a A). pose proof (sigma_square s S).
  assert (E : s * a * t = sigma s * sigma a * cos c - g s * g a).
  { rewrite C, <- ga, <- gs, <- ss, <- sa at 1. ring. }
  nra.
Qed.

(** ** The diameter of the gradient *)

(** The square of u·√(1 − tan²u/tan²x), and the left side of the equation for its maximum. *)
Definition quarter_square (x u : R) := u * u * (1 - tan u * tan u / (tan x * tan x)).
Definition condition (x u : R) := tan u * tan u / (tan x * tan x) * (1 + 2 * u / sin (2 * u)).

Lemma quarter_square_derive x u : 0 < x < PI / 2 -> 0 < u < PI / 2 ->
  is_derive (quarter_square x) u (2 * u * (1 - condition x u)).
Proof.
  intros X U. assert (TX : 0 < tan x) by (apply tan_gt_0; lra). assert (CU : 0 < cos u) by (apply cos_gt_0; lra).
  assert (SU : 0 < sin u) by (apply sin_gt_0; lra). unfold quarter_square, condition. generalize dependent (tan x).
  intros k K. rewrite sin_2a. unfold tan.
  replace (2 * u * (1 - sin u / cos u * (sin u / cos u) / (k * k) * (1 + 2 * u / (2 * sin u * cos u)))) with
    (2 * u * (1 - sin u * sin u / (cos u * cos u) / (k * k)) -
      u * u * (2 * (sin u / cos u) * ((sin u * sin u + cos u * cos u) / (cos u * cos u)) / (k * k)))
    by (rewrite sines; field; lra).
  auto_derive; [repeat split; auto; lra|]. field. lra.
Qed.

Lemma condition_grows x u w : 0 < x < PI / 2 -> 0 < u <= w -> w < PI / 2 -> condition x u <= condition x w.
Proof.
  intros X U W. assert (TX : 0 < tan x) by (apply tan_gt_0; lra).
  assert (T : 0 < tan u <= tan w).
  { split; [apply tan_gt_0; lra|]. destruct (proj2 U) as [lt| <-]; [left; apply tan_increasing; lra|lra]. }
  assert (P : forall z, 0 < z < PI / 2 -> 2 * z / sin (2 * z) = sigma (2 * z))
    by (intros z Z; rewrite sigma_pos by lra; auto).
  unfold condition. rewrite !P by lra.
  pose proof (sigma_ge_1 (2 * u) ltac:(lra)).
  assert (S : sigma (2 * u) <= sigma (2 * w)) by (apply sigma_grows; lra).
  apply Rmult_le_compat; [apply Rmult_le_pos; [nra|left; apply Rinv_0_lt_compat; nra]|lra| |lra].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; nra|apply Rmult_le_compat; lra].
Qed.

(** [S3] The largest 4u·√(1 − tan²u/tan²x) is at the root u of (tan u/tan x)²·(1 + 2u/sin 2u) = 1. *)
Theorem diameter_at_the_root x u w : 0 < x < PI / 2 -> 0 < u < PI / 2 -> 0 < w < PI / 2 -> condition x u = 1 ->
  4 * w * sqrt (1 - tan w * tan w / (tan x * tan x)) <= 4 * u * sqrt (1 - tan u * tan u / (tan x * tan x)).
Proof.
  intros X U W R0.
  assert (Q : quarter_square x w <= quarter_square x u).
  { destruct (Rle_lt_dec w u) as [L|L].
    - apply (grows (quarter_square x) (fun u => 2 * u * (1 - condition x u))); auto.
      + intros z Z. apply quarter_square_derive; lra.
      + intros z Z. pose proof (condition_grows x z u X ltac:(lra) ltac:(lra)). apply Rmult_le_pos; lra.
    - assert (- quarter_square x u <= - quarter_square x w); [|lra].
      apply (grows (fun u => - quarter_square x u) (fun u => - (2 * u * (1 - condition x u)))); [lra| |].
      + intros z Z. apply (is_derive_opp (quarter_square x)), quarter_square_derive; lra.
      + intros z Z. pose proof (condition_grows x u z X ltac:(lra) ltac:(lra)).
        assert (0 <= 2 * z * (condition x z - 1)) by (apply Rmult_le_pos; lra). lra. }
  assert (E : forall z, 0 < z -> 4 * z * sqrt (1 - tan z * tan z / (tan x * tan x)) = 4 * sqrt (quarter_square x z)).
  { intros z Z. unfold quarter_square. rewrite sqrt_mult_alt, sqrt_square by nra. ring. }
  rewrite !E by lra. apply Rmult_le_compat_l; [lra|]. apply sqrt_le_1_alt. exact Q.
Qed.

(** ** The pull at a mean off the center *)

Lemma integral_of (f df : R -> R) : (forall v, 0 <= v <= 1 -> is_derive f v (df v)) ->
  (forall v, 0 <= v <= 1 -> continuous df v) -> is_RInt df 0 1 (f 1 - f 0).
Proof.
  intros D C. apply (is_RInt_derive f df); intros v V; rewrite Rmin_left, Rmax_right in V by lra; auto.
Qed.

Lemma integral_scal (f : R -> R) k i : is_RInt f 0 1 i -> is_RInt (fun v => k * f v) 0 1 (k * i).
Proof. apply (is_RInt_scal f). Qed.

(** A point of the circle of radius [x] about the center, at the angle [theta] from the mean at distance [a]. Its
    distance [s] from the mean follows from the law of cosines. *)
Section Pull.
Variables (x a b s theta : R).
Hypothesis ball : 0 < x < PI / 2.
Hypothesis place : 0 < a <= x.
Hypothesis leg : 0 <= b < PI / 2.
Hypothesis right_angle : cos x = cos a * cos b.
Hypothesis range : 0 <= s < PI.
Hypothesis cosines : cos s = cos a * cos x + sin a * sin x * cos theta.

Let c := cos b.
Let K (v : R) := (1 + c) + (1 - c) * (v * v).
Let L (v : R) := (1 + c) - (1 - c) * (v * v).
Let w (v : R) := 2 * v / K v.
Let dw (v : R) := 2 * L v / (K v * K v).
Let h (v : R) := K v / L v.
Let F (v : R) := / sqrt (cos a * cos a + sin a * sin a * (w v * w v)).

Lemma c_range : 0 < c <= 1.
Proof. unfold c. split; [apply cos_gt_0; lra|apply COS_bound]. Qed.
Lemma K_pos v : 0 < K v.
Proof. pose proof c_range. unfold K. pose proof (Rle_0_sqr v). unfold Rsqr in *. nra. Qed.
Lemma L_pos v : 0 <= v <= 1 -> 0 < L v.
Proof. intros V. pose proof c_range. unfold L. assert (v * v <= 1) by nra. nra. Qed.
Lemma root_pos v : 0 < cos a * cos a + sin a * sin a * (w v * w v).
Proof.
  assert (0 < cos a) by (apply cos_gt_0; lra). pose proof (Rle_0_sqr (sin a * w v)) as P. unfold Rsqr in P. nra.
Qed.
Lemma w_derive v : is_derive w v (dw v).
Proof.
  pose proof (K_pos v). unfold w, dw, K, L in *. auto_derive; [lra|]. field. lra.
Qed.
Lemma F_derive v : ex_derive F v.
Proof.
  pose proof (root_pos v) as P. pose proof (sqrt_lt_R0 _ P). pose proof (K_pos v).
  unfold F, w, K in *. auto_derive. repeat split; auto; lra.
Qed.
Lemma dw_continuous v : continuous dw v.
Proof. pose proof (K_pos v). apply @ex_derive_continuous. unfold dw, L, K in *. auto_derive. nra. Qed.
Lemma F_continuous v : continuous F v.
Proof. apply @ex_derive_continuous, F_derive. Qed.
Lemma w_ends : w 0 = 0 /\ w 1 = 1.
Proof. unfold w, K. split; field; pose proof c_range; lra. Qed.
Lemma w_grows u v : 0 <= u <= v -> v <= 1 -> w u <= w v.
Proof.
  intros U V. apply (grows w dw); [lra|intros; apply w_derive|]. intros z Z. pose proof (K_pos z).
  pose proof (L_pos z ltac:(lra)).
  unfold dw. apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; nra].
Qed.
Lemma w_range v : 0 <= v <= 1 -> 0 <= w v <= 1.
Proof.
  intros V. destruct w_ends as (w0 & w1). rewrite <- w0 at 1. rewrite <- w1. split; apply w_grows; lra.
Qed.
Lemma F_falls u v : 0 <= u <= v -> v <= 1 -> F v <= F u.
Proof.
  intros U V. unfold F. apply Rinv_le_contravar; [apply sqrt_lt_R0, root_pos|]. apply sqrt_le_1_alt.
  pose proof (w_grows u v U V). pose proof (w_range u ltac:(lra)).
  apply Rplus_le_compat_l, Rmult_le_compat_l; [apply Rle_0_sqr|nra].
Qed.
Lemma h_grows u v : 0 <= u <= v -> v <= 1 -> h u <= h v.
Proof.
  intros U V. pose proof (L_pos u ltac:(lra)). pose proof (L_pos v ltac:(lra)). pose proof c_range.
  pose proof (K_pos u).
  assert (u * u <= v * v) by nra. unfold h. apply Rmult_le_compat; [lra|left; apply Rinv_0_lt_compat; auto| |].
  - unfold K. nra.
  - apply Rinv_le_contravar; auto. unfold L. nra.
Qed.

(** ∫₀¹ dw = 1, ∫₀¹ h·dw = σ(b), and ∫₀¹ F·dw = arsinh(tan a)/sin a. *)
Lemma dw_integral : is_RInt dw 0 1 1.
Proof.
  destruct w_ends as (w0 & w1).
  pose proof (integral_of w dw (fun v _ => w_derive v) (fun v _ => dw_continuous v)) as H.
  rewrite w0, w1, Rminus_0_r in H. exact H.
Qed.
Lemma sigma_integral t : 0 <= t < PI -> is_RInt (fun v => 2 / ((1 + cos t) + (1 - cos t) * (v * v))) 0 1 (sigma t).
Proof.
  intros [[T|<-] P].
  2: { rewrite sigma_0, cos_0. pose proof (integral_of (fun v => v) (fun v => 2 / (1 + 1 + (1 - 1) * (v * v)))) as H.
       rewrite Rminus_0_r in H. apply H; intros v _.
       - replace (2 / (1 + 1 + (1 - 1) * (v * v))) with 1 by (field; lra). apply @is_derive_id.
       - apply @ex_derive_continuous. auto_derive. lra. }
  set (r := tan (t / 2)). assert (S : 0 < sin (t / 2)) by (apply sin_gt_0; lra).
  assert (C : 0 < cos (t / 2)) by (apply cos_gt_0; lra).
  assert (ST : sin t = 2 * sin (t / 2) * cos (t / 2)) by (replace t with (2 * (t / 2)) at 1 by field; apply sin_2a).
  assert (C1 : 1 + cos t = 2 * (cos (t / 2) * cos (t / 2)))
    by (replace t with (2 * (t / 2)) at 1 by field; rewrite cos_2a_cos; ring).
  assert (C2 : 1 - cos t = 2 * (sin (t / 2) * sin (t / 2)))
    by (replace t with (2 * (t / 2)) at 1 by field; rewrite cos_2a_sin; ring).
  pose proof (integral_of (fun v => 2 / sin t * atan (v * r))
    (fun v => 2 / ((1 + cos t) + (1 - cos t) * (v * v)))) as H.
  cbv beta in H. replace (2 / sin t * atan (1 * r) - 2 / sin t * atan (0 * r)) with (sigma t) in H.
  2: { unfold r. rewrite Rmult_0_l, atan_0, Rmult_1_l, atan_tan by lra. rewrite sigma_pos by auto. field.
       rewrite ST. apply Rgt_not_eq. nra. }
  apply H; intros v _; pose proof (Rle_0_sqr (v * sin (t / 2))) as W; unfold Rsqr in W.
  - rewrite C1, C2.
    replace (2 / (2 * (cos (t / 2) * cos (t / 2)) + 2 * (sin (t / 2) * sin (t / 2)) * (v * v))) with
      (2 / sin t * (r / (1 + (v * r) * (v * r)))).
    + apply is_derive_scal. pose proof (Rle_0_sqr (v * r)) as W'. unfold Rsqr in W'. auto_derive; auto. field.
      repeat split; apply Rgt_not_eq; nra.
    + unfold r, tan. rewrite ST. field. repeat split; try lra; apply Rgt_not_eq; nra.
  - apply @ex_derive_continuous. auto_derive. apply Rgt_not_eq. rewrite C1, C2. nra.
Qed.
Lemma F_integral : is_RInt (fun v => F v * dw v) 0 1 (arcsinh (tan a) / sin a).
Proof.
  destruct w_ends as (w0 & w1). assert (SA : 0 < sin a) by (apply sin_gt_0; lra).
  assert (CA : 0 < cos a) by (apply cos_gt_0; lra).
  assert (A0 : arcsinh 0 = 0) by (rewrite <- sinh_0 at 1; apply arcsinh_sinh).
  pose proof (integral_of (fun v => / sin a * arcsinh (w v * tan a)) (fun v => F v * dw v)) as H. cbv beta in H.
  replace (/ sin a * arcsinh (w 1 * tan a) - / sin a * arcsinh (w 0 * tan a)) with (arcsinh (tan a) / sin a) in H
    by (rewrite w0, w1, Rmult_0_l, Rmult_1_l, A0; field; lra).
  apply H; intros v _.
  - assert (D : is_derive (fun v => w v * tan a) v (dw v * tan a)).
    { apply (is_derive_ext (fun v => tan a * w v)); [intros; apply Rmult_comm|]. rewrite (Rmult_comm (dw v)).
      apply is_derive_scal, w_derive. }
    replace (F v * dw v) with (/ sin a * (dw v * tan a * / sqrt ((w v * tan a) ^ 2 + 1))).
    + apply is_derive_scal. apply (is_derive_comp arcsinh (fun v => w v * tan a)); [|exact D].
      apply is_derive_Reals, derivable_pt_lim_arcsinh.
    + unfold F. assert (E : sqrt (cos a * cos a + sin a * sin a * (w v * w v)) = cos a * sqrt ((w v * tan a) ^ 2 + 1)).
      { rewrite <- (sqrt_square (cos a)) at 3 by lra. rewrite <- sqrt_mult_alt by nra. f_equal. unfold tan. field.
        lra. }
      rewrite E. assert (0 < sqrt ((w v * tan a) ^ 2 + 1))
        by (apply sqrt_lt_R0; pose proof (pow2_ge_0 (w v * tan a)); lra).
      unfold tan at 1. field. lra.
  - apply @continuous_mult; [apply F_continuous|apply dw_continuous].
Qed.

(** Chebyshev's inequality: F falls and h grows. *)
Lemma chebyshev : exists e, is_RInt (fun v => F v * (2 / K v)) 0 1 e /\ e <= sigma b * (arcsinh (tan a) / sin a).
Proof.
  pose proof c_range as C.
  assert (HD : forall v, 0 <= v <= 1 -> h v * dw v = 2 / K v).
  { intros v V. pose proof (K_pos v). pose proof (L_pos v V). unfold h, dw. field. lra. }
  assert (SB : is_RInt (fun v => 2 / K v) 0 1 (sigma b)) by (apply sigma_integral; lra).
  assert (DP : forall v, 0 <= v <= 1 -> 0 <= dw v).
  { intros v V. pose proof (K_pos v). pose proof (L_pos v V). unfold dw.
    apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; nra]. }
  (* σ(b) is an average of h, and so a value of it *)
  assert (lo : h 0 <= sigma b).
  { apply (is_RInt_le (fun v => h 0 * dw v) (fun v => 2 / K v) 0 1 (h 0) (sigma b)); [lra| |exact SB|].
    - pose proof (integral_scal dw (h 0) 1 dw_integral) as I. rewrite Rmult_1_r in I. exact I.
    - intros v V. rewrite <- HD by lra. apply Rmult_le_compat_r; [apply DP; lra|apply h_grows; lra]. }
  assert (hi : sigma b <= h 1).
  { apply (is_RInt_le (fun v => 2 / K v) (fun v => h 1 * dw v) 0 1 (sigma b) (h 1)); [lra|exact SB| |].
    - pose proof (integral_scal dw (h 1) 1 dw_integral) as I. rewrite Rmult_1_r in I. exact I.
    - intros v V. rewrite <- HD by lra. apply Rmult_le_compat_r; [apply DP; lra|apply h_grows; lra]. }
  assert (crossing : exists m, 0 <= m <= 1 /\ forall v,
    0 <= v <= 1 -> (v <= m -> h v <= sigma b) /\ (m <= v -> sigma b <= h v)).
  { destruct (Rle_lt_or_eq_dec _ _ lo) as [lo'|E]; [destruct (Rle_lt_or_eq_dec _ _ hi) as [hi'|E]|].
    - destruct (Ranalysis5.IVT_interv (fun v => h v - sigma b) 0 1) as (m & M & E); try lra.
      + intros v V. pose proof (L_pos v V). apply derivable_continuous_pt. apply ex_derive_Reals_0.
        unfold h, K, L in *. auto_derive. lra.
      + exists m. split; auto. intros v V. split; intros O.
        * pose proof (h_grows v m ltac:(lra) ltac:(lra)). lra.
        * pose proof (h_grows m v ltac:(lra) ltac:(lra)). lra.
    - exists 1. split; [lra|]. intros v V. split; intros O; [rewrite E; apply h_grows; lra|].
      replace v with 1 by lra. lra.
    - exists 0. split; [lra|]. intros v V. split; intros O; [replace v with 0 by lra; lra|].
      rewrite <- E. apply h_grows; lra. }
  destruct crossing as (m & M & X).
  set (A := arcsinh (tan a) / sin a). set (S := sigma b) in *.
  assert (EX : ex_RInt (fun v => F v * (2 / K v)) 0 1).
  { apply @ex_RInt_continuous. intros v _. apply @continuous_mult; [apply F_continuous|].
    apply @ex_derive_continuous. pose proof (K_pos v). unfold K in *. auto_derive. lra. }
  destruct EX as (e & EX). exists e. split; auto.
  (* F·h ≤ σ(b)·F + F(m)·(h − σ(b)) *)
  assert (R : is_RInt (fun v => S * (F v * dw v) + F m * (2 / K v - S * dw v)) 0 1 (S * A + F m * (S - S * 1))).
  { apply @is_RInt_plus; [apply integral_scal, F_integral|].
    apply integral_scal. apply @is_RInt_minus; [exact SB|]. apply integral_scal, dw_integral. }
  replace (S * A + F m * (S - S * 1)) with (S * A) in R by ring.
  apply (is_RInt_le _ _ 0 1 e (S * A) ltac:(lra) EX R). intros v V. rewrite <- HD by lra.
  destruct (X v ltac:(lra)) as (before & after). specialize (DP v ltac:(lra)).
  assert (Q : 0 <= (F v - F m) * (S - h v)).
  { destruct (Rle_lt_dec v m) as [l|l].
    - pose proof (F_falls v m ltac:(lra) ltac:(lra)). specialize (before l). apply Rmult_le_pos; lra.
    - pose proof (F_falls m v ltac:(lra) ltac:(lra)). specialize (after ltac:(lra)). nra. }
  assert (0 <= (F v - F m) * (S - h v) * dw v) by (apply Rmult_le_pos; auto). lra.
Qed.

(** [M6] The half-distance s·sin φ = sin x·σ(s)·sin θ of two records seen from a mean off the center is at most sin
    x·σ(b)·arsinh(tan a)/sin a. Here θ is the angle of a record at the center, from 0 to π. *)
Theorem pull_off_the_center : 0 <= sin theta ->
  sin x * sigma s * sin theta <= sin x * sigma b * (arcsinh (tan a) / sin a).
Proof.
  intros TH. assert (SX : 0 < sin x) by (apply sin_gt_0; lra). pose proof c_range as C.
  destruct chebyshev as (e & E & le).
  assert (G : sin theta * sigma s <= e).
  { apply (is_RInt_le (fun v => sin theta * (2 / ((1 + cos s) + (1 - cos s) * (v * v)))) (fun v => F v * (2 / K v)) 0 1
      (sin theta * sigma s) e); [lra| |exact E|].
    - apply integral_scal, sigma_integral, range.
    - intros v V. pose proof (K_pos v) as KV. pose proof (root_pos v) as RV.
      (* A + B·cos θ ≥ sin θ·√(A² − B²) *)
      set (A := (1 + v * v) + (1 - v * v) * (cos a * cos x)). set (B := (1 - v * v) * (sin a * sin x)).
      assert (D : (1 + cos s) + (1 - cos s) * (v * v) = A + B * cos theta) by (unfold A, B; rewrite cosines; ring).
      assert (AB : A * A - B * B = K v * K v * (cos a * cos a + sin a * sin a * (w v * w v))).
      { replace (K v * K v * (cos a * cos a + sin a * sin a * (w v * w v))) with
          (cos a * cos a * (K v * K v) + sin a * sin a * (4 * (v * v))) by (unfold w; field; lra).
        unfold A, B, K, c. replace ((1 - v * v) * (sin a * sin x) * ((1 - v * v) * (sin a * sin x))) with
          ((1 - v * v) * (1 - v * v) * (sin a * sin a) * (sin x * sin x)) by ring.
        replace (sin x * sin x) with (1 - cos x * cos x) by (pose proof (sines x); lra). rewrite right_angle.
        replace (sin a * sin a) with (1 - cos a * cos a) by (pose proof (sines a); lra). ring. }
      assert (root : sqrt (A * A - B * B) = K v * sqrt (cos a * cos a + sin a * sin a * (w v * w v))).
      { rewrite AB, sqrt_mult_alt, sqrt_square by nra. reflexivity. }
      assert (P : 0 < A + B * cos theta).
      { rewrite <- D. pose proof (COS_bound s). destruct (Rle_lt_dec (1 + cos s) 0) as [z|]; [|nra]. exfalso.
        assert (cos PI < cos s) by (apply cos_decreasing_1; lra). rewrite cos_PI in *. lra. }
      pose proof (sqrt_lt_R0 _ RV) as SR. set (r := sqrt (cos a * cos a + sin a * sin a * (w v * w v))) in *.
      assert (key : sin theta * (K v * r) <= A + B * cos theta).
      { apply Rsqr_incr_0_var; [|lra]. unfold Rsqr.
        assert (RR : K v * r * (K v * r) = A * A - B * B).
        { rewrite <- root. apply sqrt_sqrt. rewrite AB. apply Rmult_le_pos; [nra|lra]. }
        replace (sin theta * (K v * r) * (sin theta * (K v * r)))
          with (sin theta * sin theta * (K v * r * (K v * r))) by ring.
        rewrite RR. replace (sin theta * sin theta) with (1 - cos theta * cos theta) by (pose proof (sines theta); lra).
        pose proof (Rle_0_sqr (B + A * cos theta)) as Z. unfold Rsqr in Z. lra. }
      rewrite D. unfold F. fold r.
      apply (Rmult_le_reg_r ((A + B * cos theta) * (K v * r))); [apply Rmult_lt_0_compat; auto; nra|].
      replace (sin theta * (2 / (A + B * cos theta)) * ((A + B * cos theta) * (K v * r))) with
        (2 * (sin theta * (K v * r))) by (field; lra).
      replace (/ r * (2 / K v) * ((A + B * cos theta) * (K v * r))) with (2 * (A + B * cos theta)) by (field; lra).
      lra. }
  rewrite !Rmult_assoc. apply Rmult_le_compat_l; [lra|]. rewrite (Rmult_comm (sigma s)). lra.
Qed.
End Pull.

(** [M6] For a mean off the center 2Y·σ(a)/g ≤ 2·tan x, with Y = sin x·σ(s)·sin θ for a point of the ball's edge. On
    paper, the logarithms of two records are at most 2Y apart, and the chart stretches by σ(a). So the mean's
    coordinates move with at most the speed 2·tan x of the mean itself. *)
Corollary chart_costs_nothing d x a b e s theta l : 0 < x < PI / 2 -> 0 < a <= x -> 0 <= b < PI / 2 ->
  cos x = cos a * cos b -> square d e = 1 -> 0 <= s < PI ->
  cos s = cos a * cos x + sin a * sin x * cos theta -> 0 <= theta <= PI ->
  weighted d x a e l -> average l (fun v => inner d v e) = 0 ->
  2 * (sin x * sigma s * sin theta) * sigma a / average l (fun v => g (norm d v)) <= 2 * tan x.
Proof.
  intros X A B R E S C T W M. assert (ST : 0 <= sin theta) by (apply sin_ge_0; lra).
  assert (SX : 0 < sin x) by (apply sin_gt_0; lra). pose proof (sigma_ge_1 s S).
  apply (mean_in_the_chart d x a b e X ltac:(lra) B R l); auto; try lra.
  - apply Rmult_le_pos; [apply Rmult_le_pos; lra|auto].
  - apply (pull_off_the_center x a b s theta); auto.
Qed.
