(** * Second moments: regression and components

    A statistic that is a mean of products of numbers moves less than its parts do one by one. This theory proves the
    bounds that the noise of regressions ([R2], [R5]), of components ([D3]) and of a regression with a number of records
    ([U2]) rests on: how far the summands of two records are apart. The mean of [n] records moves by the n-th part of it
    when one of them is replaced.

    _Covered_: the bounds in real numbers, for vectors of any dimension, and that they are attained.
    _Not covered_: rounding of the summands to integers, which the programs charge; what is computed from the moments.

    Link: by reading [statistics/geodesic_regression/linear.rs], [records/squares.rs] and [records/feature_moments.rs]. *)
From Coq Require Import Reals Lra Psatz.
From Karcher Require Import FiniteSums.
Open Scope R_scope.

(** ** Vectors and their products *)

Definition vector := nat -> R.
Definition inner (d : nat) (v w : vector) := sum d (fun i => v i * w i).
(** The squared length of a vector of [d] numbers, and of a matrix of [m] × [n] numbers. *)
Definition square (d : nat) (v : vector) := inner d v v.
Definition frobenius (m n : nat) (a : nat -> nat -> R) := sum m (fun i => square n (a i)).

Lemma square_pos d v : 0 <= square d v.
Proof. unfold square, inner. induction d; simpl; [lra|]. pose proof (Rle_0_sqr (v d)). unfold Rsqr in *. lra. Qed.

Lemma cauchy_schwarz d v w : inner d v w * inner d v w <= square d v * square d w.
Proof.
  pose proof (square_pos d v) as V. pose proof (square_pos d w) as W.
  (* the square of ‖v‖²·w − ⟨v, w⟩·v *)
  pose proof (square_pos d (fun i => square d v * w i + - inner d v w * v i)) as H.
  assert (E : square d (fun i => square d v * w i + - inner d v w * v i) =
    square d v * (square d v * square d w - inner d v w * inner d v w)).
  { set (a := square d v) at 1 2. set (b := inner d v w) at 1. unfold square, inner at 1.
    rewrite (sum_eq d _ (fun i => a * a * (w i * w i) + (-2 * a * b * (v i * w i) + b * b * (v i * v i))))
      by (intros; ring).
    rewrite !sum_plus, !sum_scal. fold (inner d w w) (inner d v w) (inner d v v). fold (square d v) (square d w).
    unfold a, b. ring. }
  rewrite E in H. destruct V as [V|V]; [nra|].
  (* v = 0 *)
  assert (inner d v w = 0); [|rewrite H0, <- V; lra].
  clear -V. unfold square, inner in *. induction d; simpl in *; auto.
  pose proof (square_pos d v) as P. unfold square, inner in P. pose proof (Rle_0_sqr (v d)) as Q. unfold Rsqr in Q.
  assert (v d = 0) by nra. rewrite IHd by nra. rewrite H. ring.
Qed.

(** |⟨v, w⟩| ≤ c for vectors whose squared lengths are [c] at most. *)
Lemma inner_bound d v w c : square d v <= c -> square d w <= c -> - c <= inner d v w <= c.
Proof.
  intros V W. pose proof (cauchy_schwarz d v w). pose proof (square_pos d v). pose proof (square_pos d w). nra.
Qed.

Lemma difference d v w : square d (fun i => v i - w i) = square d v + square d w - 2 * inner d v w.
Proof.
  unfold square, inner. rewrite (sum_eq d _ (fun i => v i * v i + (w i * w i + -2 * (v i * w i)))) by (intros; ring).
  rewrite !sum_plus, sum_scal. ring.
Qed.

(** ‖v⊗y − v′⊗y′‖² in the Frobenius norm. *)
Lemma products m n v v' y y' : frobenius m n (fun i k => v i * y k - v' i * y' k) =
  square m v * square n y + square m v' * square n y' - 2 * inner m v v' * inner n y y'.
Proof.
  unfold frobenius. rewrite (sum_eq m _ (fun i => square n y * (v i * v i) +
    (square n y' * (v' i * v' i) + -2 * inner n y y' * (v i * v' i)))).
  - rewrite !sum_plus, !sum_scal. unfold square, inner. ring.
  - intros i _. rewrite (difference n (fun k => v i * y k) (fun k => v' i * y' k)). unfold square, inner.
    rewrite (sum_eq n _ (fun k => v i * v i * (y k * y k))) by (intros; ring).
    rewrite (sum_eq n (fun k => v' i * y' k * (v' i * y' k)) (fun k => v' i * v' i * (y' k * y' k))) by (intros; ring).
    rewrite (sum_eq n (fun k => v i * y k * (v' i * y' k)) (fun k => v i * v' i * (y k * y' k))) by (intros; ring).
    rewrite !sum_scal. ring.
Qed.

(** [D3], [R5] The numbers of a symmetric matrix, those off the diagonal times √2, are as long as its Frobenius norm. *)
Theorem symmetric_numbers n (a : nat -> nat -> R) : (forall i j, a i j = a j i) ->
  sum n (fun i => a i i * a i i + square i (fun j => sqrt 2 * a i j)) = frobenius n n a.
Proof.
  intros S. unfold frobenius, square, inner. induction n; [reflexivity|]. cbn [sum]. rewrite IHn, sum_plus.
  rewrite (sum_eq n (fun j => sqrt 2 * a n j * (sqrt 2 * a n j)) (fun j => 2 * (a n j * a n j))).
  - rewrite sum_scal. rewrite (sum_eq n (fun i => a i n * a i n) (fun i => a n i * a n i)) by (intros; rewrite S; auto).
    ring.
  - intros j _. replace (sqrt 2 * a n j * (sqrt 2 * a n j)) with ((sqrt 2 * sqrt 2) * (a n j * a n j)) by ring.
    rewrite sqrt_sqrt by lra. reflexivity.
Qed.

(** ** Components *)

(** [D3] Replacing one record moves Σ vᵢ·vᵢᵀ, ‖vᵢ‖ ≤ c, by at most √2·c² in the Frobenius norm. *)
Theorem components d c v w : square d v <= c * c -> square d w <= c * c ->
  frobenius d d (fun i j => v i * v j - w i * w j) <= 2 * (c * c * (c * c)).
Proof.
  intros V W. rewrite products. pose proof (square_pos d v). pose proof (square_pos d w).
  pose proof (Rle_0_sqr (inner d v w)) as P. unfold Rsqr in P.
  assert (square d v * square d v <= c * c * (c * c)) by (apply Rmult_le_compat; auto).
  assert (square d w * square d w <= c * c * (c * c)) by (apply Rmult_le_compat; auto). lra.
Qed.

(** ** Regression on one predictor *)

(** The squared distance between the summands (2r·x, √32·r·x², y, 2x·y) of two records. *)
Definition regression (d : nat) (r x x' : R) (y y' : vector) :=
  (2 * r * x - 2 * r * x') ^ 2 + (sqrt 32 * r * x ^ 2 - sqrt 32 * r * x' ^ 2) ^ 2 +
  square d (fun i => y i - y' i) + square d (fun i => 2 * x * y i - 2 * x' * y' i).

Lemma regression_expanded d r x x' y y' : regression d r x x' y y' =
  4 * (r * r) * (x - x') ^ 2 + 32 * (r * r) * (x ^ 2 - x' ^ 2) ^ 2 +
  (square d y * (1 + 4 * x ^ 2) + square d y' * (1 + 4 * x' ^ 2) - 2 * (1 + 4 * x * x') * inner d y y').
Proof.
  unfold regression. rewrite (difference d y y'), (difference d (fun i => 2 * x * y i) (fun i => 2 * x' * y' i)).
  unfold square, inner.
  rewrite (sum_eq d (fun i => 2 * x * y i * (2 * x * y i)) (fun i => 4 * x ^ 2 * (y i * y i))) by (intros; ring).
  rewrite (sum_eq d (fun i => 2 * x' * y' i * (2 * x' * y' i)) (fun i => 4 * x' ^ 2 * (y' i * y' i))) by (intros; ring).
  rewrite (sum_eq d (fun i => 2 * x * y i * (2 * x' * y' i)) (fun i => 4 * x * x' * (y i * y' i))) by (intros; ring).
  rewrite !sum_scal.
  replace ((sqrt 32 * r * x ^ 2 - sqrt 32 * r * x' ^ 2) ^ 2)
    with ((sqrt 32 * sqrt 32) * (r * r) * (x ^ 2 - x' ^ 2) ^ 2) by ring.
  rewrite sqrt_sqrt by lra. ring.
Qed.

(** [R2] The summands of two records of a regression are √8·r apart at most, like those of (y, 2xy) alone. For |x| ≤ ½
    and ‖y‖ ≤ r: so the moments of the predictor are free. *)
Theorem free_moments d r x x' y y' : - / 2 <= x <= / 2 -> - / 2 <= x' <= / 2 ->
  square d y <= r * r -> square d y' <= r * r -> regression d r x x' y y' <= 8 * (r * r).
Proof.
  intros X X' Y Y'. rewrite regression_expanded. pose proof (inner_bound d y y' (r * r) Y Y') as C.
  set (a := square d y) in *. set (b := square d y') in *. set (c := inner d y y') in *. set (q := r * r) in *.
  assert (W : 0 <= 1 + 4 * x * x') by nra.
  assert (0 <= q) by (pose proof (square_pos d y); unfold a, q in *; lra).
  assert (A : a * (1 + 4 * x ^ 2) <= q * (1 + 4 * x ^ 2)) by (apply Rmult_le_compat_r; nra).
  assert (B : b * (1 + 4 * x' ^ 2) <= q * (1 + 4 * x' ^ 2)) by (apply Rmult_le_compat_r; nra).
  assert (D : 0 <= (1 + 4 * x * x') * (c + q)) by (apply Rmult_le_pos; lra).
  (* with s = |x + x′| and t = |x − x′|, of sum u ≤ 1 and product w ≤ 1/4, the rest is u² − 2w + 8w² ≤ 1 *)
  assert (K : (x + x') ^ 2 + (x - x') ^ 2 + 8 * ((x + x') ^ 2 * (x - x') ^ 2) <= 1).
  { set (s := Rabs (x + x')). set (t := Rabs (x - x')).
    assert (S : 0 <= s /\ 0 <= t /\ s + t <= 1).
    { unfold s, t, Rabs. destruct (Rcase_abs (x + x')), (Rcase_abs (x - x')); lra. }
    rewrite <- (pow2_abs (x + x')), <- (pow2_abs (x - x')). fold s t.
    assert ((s + t) * (s + t) <= 1 * 1) by (apply Rmult_le_compat; lra).
    assert (0 <= s * t <= / 4) by (split; [apply Rmult_le_pos; lra|pose proof (pow2_ge_0 (s - t)); lra]).
    assert (s * t * (s * t) <= / 4 * (s * t)) by (apply Rmult_le_compat_r; lra).
    nra. }
  apply (Rmult_le_compat_l (4 * q)) in K; [|lra].
  replace ((x ^ 2 - x' ^ 2) ^ 2) with ((x + x') ^ 2 * (x - x') ^ 2) by ring. nra.
Qed.

(** [R2] The bound √8·r is attained, by records with equal moments of the predictor. *)
Theorem free_moments_attained d r y : square d y = r * r ->
  regression d r (/ 2) (/ 2) y (fun i => - y i) = 8 * (r * r).
Proof.
  intros Y. rewrite regression_expanded.
  assert (N : square d (fun i => - y i) = square d y) by (unfold square, inner; apply sum_eq; intros; ring).
  assert (I : inner d y (fun i => - y i) = -1 * square d y).
  { unfold square, inner. rewrite <- sum_scal. apply sum_eq. intros. ring. }
  rewrite N, I, Y. field.
Qed.

(** [U2] The summand of a record of a regression is √5·r long at most. *)
Theorem one_record_of_a_regression d r x y : - / 2 <= x <= / 2 -> square d y <= r * r ->
  (2 * r * x) ^ 2 + (sqrt 32 * r * x ^ 2) ^ 2 + square d y + square d (fun i => 2 * x * y i) <= 5 * (r * r).
Proof.
  intros X Y. assert (E : square d (fun i => 2 * x * y i) = 4 * x ^ 2 * square d y).
  { unfold square, inner. rewrite <- sum_scal. apply sum_eq. intros. ring. }
  rewrite E. pose proof (square_pos d y). replace ((sqrt 32 * r * x ^ 2) ^ 2) with
    ((sqrt 32 * sqrt 32) * (r * r) * (x ^ 2 * x ^ 2)) by ring. rewrite sqrt_sqrt by lra.
  assert (0 <= x ^ 2 <= / 4) by nra. set (t := x ^ 2) in *. replace ((2 * r * x) ^ 2) with (4 * (r * r) * t)
    by (unfold t; ring).
  assert (t * t <= / 4 * t) by nra. assert (0 <= r * r) by lra. nra.
Qed.

(** ** Features *)

(** The squared distance between the summands (φφᵀ, (ω/r)·φ ⊗ y, (ν/r²)·‖y‖²) of two records. *)
Definition features (q d : nat) (w v r : R) (f f' y y' : vector) :=
  frobenius q q (fun i j => f i * f j - f' i * f' j) +
  frobenius q d (fun i k => w / r * (f i * y k) - w / r * (f' i * y' k)) +
  (v / (r * r) * square d y - v / (r * r) * square d y') ^ 2.

Lemma g_falls al be s : 0 <= be <= al -> al <= 1 -> 0 <= s <= 1 ->
  al^2 + be^2 + 2*s*al*be + (al^2 - be^2)^2 <= 2 + 2*s.
Proof.
  intros Hb Ha Hs.
  assert (H1 : al^2 + be^2 + 2*s*al*be + (al^2 - be^2)^2 <= 1 + be^2 + 2*s*be + (1 - be^2)^2).
  { assert (X0 : 0 <= al^2 - be^2) by nra. assert (X1 : al^2 - be^2 <= 1 - be^2) by nra.
    assert (Y : (al^2 - be^2)^2 <= (1 - be^2)^2) by (apply pow_incr; lra).
    assert (Z : s*al*be <= s*be) by (rewrite (Rmult_assoc s al be); apply Rmult_le_compat_l; nra).
    nra. }
  assert (H2 : 0 <= be^2 * (1 - be^2)) by (apply Rmult_le_pos; nra).
  assert (H3 : 0 <= s * (1 - be)) by (apply Rmult_le_pos; lra).
  nra.
Qed.

(** The core in numbers: [a2], [b2] are ‖φ‖² and ‖φ′‖², [s] is ⟨φ, φ′⟩, [al] and [be] are ‖y‖/r and ‖y′‖/r, [t] is ⟨y,
    y′⟩/r², [w2] and [v2] are ω² and ν². *)
Lemma features_core a2 b2 s al be t w2 v2 : 0 <= a2 <= 1 -> 0 <= b2 <= 1 -> s * s <= a2 * b2 ->
  0 <= al <= 1 -> 0 <= be <= 1 -> t * t <= al * al * (be * be) -> 0 <= v2 <= w2 ->
  a2 * a2 + b2 * b2 - 2 * s * s + w2 * (a2 * (al * al) + b2 * (be * be) - 2 * s * t) +
    v2 * (al * al - be * be) ^ 2 <= 2 - 2 * s * s + w2 * (2 + 2 * Rabs s).
Proof.
  intros A B S Al Be T V.
  set (z := Rabs s).
  assert (SS : s * s = z * z) by (unfold z; rewrite <- Rabs_mult, Rabs_pos_eq by apply Rle_0_sqr; auto).
  assert (z0 : 0 <= z) by apply Rabs_pos. assert (z1 : z <= 1) by nra.
  assert (AB : 0 <= al * be) by nra.
  assert (ST : - (s * t) <= z * (al * be)).
  { assert (R : Rabs t <= al * be).
    { apply Rsqr_incr_0_var; auto. unfold Rsqr. rewrite <- Rabs_mult, Rabs_pos_eq by apply Rle_0_sqr. nra. }
    apply Rle_trans with (Rabs (s * t)); [rewrite <- Rabs_Ropp; apply Rle_abs|]. rewrite Rabs_mult. fold z. nra. }
  assert (G : al * al + be * be + 2 * z * (al * be) + (al * al - be * be) ^ 2 <= 2 + 2 * z).
  { destruct (Rle_lt_dec be al).
    - pose proof (g_falls al be z ltac:(lra) ltac:(lra) ltac:(lra)). nra.
    - pose proof (g_falls be al z ltac:(lra) ltac:(lra) ltac:(lra)). nra. }
  assert (P : w2 * (a2 * (al * al) + b2 * (be * be) - 2 * s * t) <=
    w2 * (al * al + be * be + 2 * z * (al * be))).
  { apply Rmult_le_compat_l; [lra|]. assert (a2 * (al * al) <= 1 * (al * al)) by (apply Rmult_le_compat_r; nra).
    assert (b2 * (be * be) <= 1 * (be * be)) by (apply Rmult_le_compat_r; nra). lra. }
  assert (Q : v2 * (al * al - be * be) ^ 2 <= w2 * (al * al - be * be) ^ 2)
    by (apply Rmult_le_compat_r; [apply pow2_ge_0|lra]).
  apply (Rmult_le_compat_l w2) in G; [|lra]. nra.
Qed.

Lemma features_bound q d w v r f f' y y' : 0 < r -> 0 <= v <= w ->
  square q f <= 1 -> square q f' <= 1 -> square d y <= r * r -> square d y' <= r * r ->
  let s := inner q f f' in
  0 <= Rabs s <= 1 /\ features q d w v r f f' y y' <= 2 - 2 * s * s + w * w * (2 + 2 * Rabs s).
Proof.
  intros r0 V F F' Y Y' s.
  pose proof (square_pos q f) as F0. pose proof (square_pos q f') as F0'.
  pose proof (square_pos d y) as Y0. pose proof (square_pos d y') as Y0'.
  pose proof (cauchy_schwarz q f f') as CS. fold s in CS. pose proof (cauchy_schwarz d y y') as CT.
  split.
  { split; [apply Rabs_pos|]. apply Rabs_le. pose proof (inner_bound q f f' 1 F F'). unfold s. lra. }
  assert (scaled : forall m n (a b : nat -> nat -> R) c,
    frobenius m n (fun i k => c * a i k - c * b i k) = c * c * frobenius m n (fun i k => a i k - b i k)).
  { intros. unfold frobenius, square, inner. rewrite <- sum_scal. apply sum_eq. intros i _. rewrite <- sum_scal.
    apply sum_eq. intros. ring. }
  unfold features. rewrite (scaled q d (fun i k => f i * y k) (fun i k => f' i * y' k)), !products. fold s.
  set (al := sqrt (square d y) / r). set (be := sqrt (square d y') / r).
  assert (AL : al * al = square d y / (r * r)).
  { unfold al. replace (sqrt (square d y) / r * (sqrt (square d y) / r)) with
      (sqrt (square d y) * sqrt (square d y) / (r * r)) by (field; lra). rewrite sqrt_sqrt by auto. reflexivity. }
  assert (BE : be * be = square d y' / (r * r)).
  { unfold be. replace (sqrt (square d y') / r * (sqrt (square d y') / r)) with
      (sqrt (square d y') * sqrt (square d y') / (r * r)) by (field; lra). rewrite sqrt_sqrt by auto. reflexivity. }
  assert (one : forall u, 0 <= u <= r * r -> 0 <= sqrt u / r <= 1).
  { intros u U. split.
    - apply Rmult_le_pos; [apply sqrt_pos|left; apply Rinv_0_lt_compat; auto].
    - apply (Rmult_le_reg_r r); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
      rewrite <- (sqrt_square r) by lra. apply sqrt_le_1_alt. lra. }
  pose proof (features_core (square q f) (square q f') s al be (inner d y y' / (r * r)) (w * w) (v * v)
    ltac:(lra) ltac:(lra) CS (one _ (conj Y0 Y)) (one _ (conj Y0' Y'))) as C.
  rewrite AL, BE in C. assert (RR : 0 < r * r) by nra.
  match goal with |- ?lhs <= _ => replace lhs with (square q f * square q f + square q f' * square q f' - 2 * s * s +
    w * w * (square q f * (square d y / (r * r)) + square q f' * (square d y' / (r * r)) -
      2 * s * (inner d y y' / (r * r))) +
    v * v * (square d y / (r * r) - square d y' / (r * r)) ^ 2) by (field; lra) end.
  apply C; [|nra].
  replace (inner d y y' / (r * r) * (inner d y y' / (r * r))) with (inner d y y' * inner d y y' * / (r * r * (r * r)))
    by (field; lra).
  replace (square d y / (r * r) * (square d y' / (r * r))) with (square d y * square d y' * / (r * r * (r * r)))
    by (field; lra).
  apply Rmult_le_compat_r; auto. left. apply Rinv_0_lt_compat. nra.
Qed.

(** [R5] The summands of two records with features are (2 + ω²)/√2 apart at most, for ω² ≤ 2 and ν ≤ ω. *)
Theorem free_features q d w v r f f' y y' : 0 < r -> 0 <= v <= w -> w * w <= 2 ->
  square q f <= 1 -> square q f' <= 1 -> square d y <= r * r -> square d y' <= r * r ->
  features q d w v r f f' y y' <= (2 + w * w) ^ 2 / 2.
Proof.
  intros r0 V W F F' Y Y'. destruct (features_bound q d w v r f f' y y' r0 V F F' Y Y') as (S & B).
  eapply Rle_trans; [exact B|]. set (z := Rabs (inner q f f')) in *.
  assert (SS : inner q f f' * inner q f f' = z * z)
    by (unfold z; rewrite <- Rabs_mult, Rabs_pos_eq by apply Rle_0_sqr; auto).
  replace (2 - 2 * inner q f f' * inner q f f') with (2 - 2 * (z * z)) by lra.
  (* the square of ω²/2 − s *)
  pose proof (pow2_ge_0 (w * w / 2 - z)). lra.
Qed.

(** [R5] The summands of two records with features are 2ω apart at most, for ω² ≥ 2 and ν ≤ ω. *)
Theorem free_features_of_large_weight q d w v r f f' y y' : 0 < r -> 0 <= v <= w -> 2 <= w * w ->
  square q f <= 1 -> square q f' <= 1 -> square d y <= r * r -> square d y' <= r * r ->
  features q d w v r f f' y y' <= 4 * (w * w).
Proof.
  intros r0 V W F F' Y Y'. destruct (features_bound q d w v r f f' y y' r0 V F F' Y Y') as (S & B).
  eapply Rle_trans; [exact B|]. set (z := Rabs (inner q f f')) in *.
  assert (SS : inner q f f' * inner q f f' = z * z)
    by (unfold z; rewrite <- Rabs_mult, Rabs_pos_eq by apply Rle_0_sqr; auto).
  replace (2 - 2 * inner q f f' * inner q f f') with (2 - 2 * (z * z)) by lra.
  assert (0 <= (1 - z) * (w * w - 1 - z)) by (apply Rmult_le_pos; lra). nra.
Qed.

(** [R5] The bound (2 + ω²)/√2 is attained for two features, even without the last part of a summand. *)
Theorem free_features_attained w r : 0 < r -> 0 <= w * w <= 2 ->
  let f := fun i => match i with 0%nat => 1 | _ => 0 end in
  let f' := fun i => match i with 0%nat => w * w / 2 | _ => sqrt (1 - (w * w / 2) ^ 2) end in
  square 2 f = 1 /\ square 2 f' = 1 /\
  features 2 1 w 0 r f f' (fun _ => r) (fun _ => - r) = (2 + w * w) ^ 2 / 2.
Proof.
  intros r0 W f f'. assert (H : 0 <= 1 - (w * w / 2) ^ 2) by nra.
  pose proof (sqrt_sqrt _ H) as SQ.
  assert (F : square 2 f = 1) by (unfold square, inner, f; simpl; ring).
  assert (F' : square 2 f' = 1).
  { unfold square, inner, f'. cbn [sum]. set (g := sqrt _) in *. lra. }
  split; [exact F|split; [exact F'|]].
  assert (I : inner 2 f f' = w * w / 2) by (unfold inner, f, f'; cbn [sum]; ring).
  assert (scaled : forall m n (a b : nat -> nat -> R) c,
    frobenius m n (fun i k => c * a i k - c * b i k) = c * c * frobenius m n (fun i k => a i k - b i k)).
  { intros. unfold frobenius, square, inner. rewrite <- sum_scal. apply sum_eq. intros i _. rewrite <- sum_scal.
    apply sum_eq. intros. ring. }
  unfold features. rewrite (scaled 2%nat 1%nat (fun i k => f i * r) (fun i k => f' i * - r)).
  rewrite (products 2 2 f f' f f'), (products 2 1 f f' (fun _ => r) (fun _ => - r)), F, F', I.
  unfold square, inner. simpl. field. lra.
Qed.

(** [R5] The summand of a record with features is √(1 + ω² + ν²) long at most. *)
Theorem one_record_of_features q d w v r f y : 0 < r -> square q f <= 1 -> square d y <= r * r ->
  frobenius q q (fun i j => f i * f j) + frobenius q d (fun i k => w / r * (f i * y k)) +
    (v / (r * r) * square d y) ^ 2 <= 1 + w * w + v * v.
Proof.
  intros r0 F Y.
  assert (E : forall c m n a b, frobenius m n (fun i k => c * (a i * b k)) = c * c * (square m a * square n b)).
  { intros. unfold frobenius. rewrite (sum_eq m _ (fun i => c * c * square n b * (a i * a i))).
    - rewrite sum_scal. unfold square, inner. ring.
    - intros i _. unfold square, inner. rewrite (sum_eq n _ (fun k => c * c * (a i * a i) * (b k * b k)))
        by (intros; ring).
      rewrite sum_scal. ring. }
  assert (E1 : frobenius q q (fun i j => f i * f j) = square q f * square q f).
  { transitivity (frobenius q q (fun i k => 1 * (f i * f k))); [|rewrite E; ring].
    unfold frobenius, square, inner. apply sum_eq. intros i _. apply sum_eq. intros. ring. }
  rewrite E1, E. pose proof (square_pos q f). pose proof (square_pos d y).
  assert (RR : 0 < r * r) by nra. set (b := square d y) in *. set (a := square q f) in *.
  assert (U : 0 <= b / (r * r) <= 1).
  { split; [apply Rmult_le_pos; [auto|left; apply Rinv_0_lt_compat; auto]|].
    apply (Rmult_le_reg_r (r * r)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  replace (w / r * (w / r) * (a * b)) with (w * w * (a * (b / (r * r)))) by (field; lra).
  replace ((v / (r * r) * b) ^ 2) with (v * v * (b / (r * r) * (b / (r * r)))) by (field; lra).
  set (u := b / (r * r)) in *. assert (a * a <= 1) by nra. assert (a * u <= 1) by nra. assert (u * u <= 1) by nra.
  pose proof (Rle_0_sqr w). pose proof (Rle_0_sqr v). unfold Rsqr in *. nra.
Qed.
