(** * From the proof to the bits: noise on integers

    A proof of privacy is about real noise [N]; a program publishes integers. It adds round(N) to a vector [s] of
    integers ([X2]). Where the statistic is no integer vector, it is rounded to a lattice first, and the diagonal of a
    cell is charged to the sensitivity ([X5]). This theory proves both, and the guarantees of Laplace noise ([M1]) and
    of Gaussian noise ([M2], [P4]) on vectors, in real numbers and after rounding.

    _Covered_: any dimension, any noise, and every guarantee that bounds P(test) by a function of Q(test). Pure ε, (ε,
    δ) and μ are such bounds; for ρ there is a theorem of its own.
    _Not covered_: that round(N) is drawn exactly ([X3]), and the errors [e] and [η] of the program on curved spaces,
    which are numbers here. For μ, that half-spaces have the probabilities of normal numbers. The integral over vectors
    is any functional with the properties that are listed; the Lebesgue integral is one.

    Link: by reading [records/quantum.rs] and [statistics/frechet_mean/chart.rs]. *)
From Coq Require Import Reals ZArith Lra Psatz List FunctionalExtensionality.
From Flocq Require Import Core.
From Karcher Require Import FiniteSums.
Open Scope R_scope.

(** ** Vectors *)

Definition vector := nat -> R.
Definition plus (x y : vector) : vector := fun i => x i + y i.
Definition minus (x y : vector) : vector := fun i => x i - y i.
(** The squared Euclidean length of the first [d] coordinates, and the length. *)
Definition square (d : nat) (x : vector) := sum d (fun i => x i * x i).
Definition norm (d : nat) (x : vector) := sqrt (square d x).

Lemma square_pos d x : 0 <= square d x.
Proof. unfold square. induction d; simpl; [lra|]. pose proof (Rle_0_sqr (x d)). unfold Rsqr in *. lra. Qed.
Lemma norm_square d x : norm d x * norm d x = square d x.
Proof. apply sqrt_sqrt, square_pos. Qed.
Lemma norm_pos d x : 0 <= norm d x.
Proof. apply sqrt_pos. Qed.

Lemma cauchy_schwarz d x y : sum d (fun i => x i * y i) <= norm d x * norm d y.
Proof.
  unfold norm. rewrite <- sqrt_mult by apply square_pos.
  induction d; [simpl; unfold square; simpl; rewrite Rmult_0_l, sqrt_0; lra|].
  cbn [sum]. eapply Rle_trans; [apply Rplus_le_compat_r; exact IHd|].
  pose proof (square_pos d x) as A. pose proof (square_pos d y) as B.
  change (square (S d) x) with (square d x + x d * x d). change (square (S d) y) with (square d y + y d * y d).
  generalize (x d), (y d). intros a b. set (A' := square d x) in *. set (B' := square d y) in *.
  pose proof (sqrt_pos (A' * B')) as R. pose proof (sqrt_sqrt (A' * B') ltac:(nra)) as RR.
  set (r := sqrt (A' * B')) in *.
  destruct (Rle_lt_dec (r + a * b) 0) as [neg|pos]; [eapply Rle_trans; [exact neg|apply sqrt_pos]|].
  rewrite <- (sqrt_square (r + a * b)) by lra. apply sqrt_le_1_alt.
  (* 2·r·a·b ≤ A·b² + B·a² *)
  assert (2 * r * (a * b) <= A' * (b * b) + B' * (a * a)).
  { apply Rsqr_incr_0_var; [unfold Rsqr|apply Rplus_le_le_0_compat; apply Rmult_le_pos; auto; apply Rle_0_sqr].
    pose proof (Rle_0_sqr (A' * (b * b) - B' * (a * a))). unfold Rsqr in *.
    replace (2 * r * (a * b) * (2 * r * (a * b))) with (4 * (r * r) * ((a * a) * (b * b))) by ring. rewrite RR. nra. }
  nra.
Qed.

Lemma triangle d x y : norm d (plus x y) <= norm d x + norm d y.
Proof.
  apply Rsqr_incr_0_var; [|pose proof (norm_pos d x); pose proof (norm_pos d y); lra].
  unfold Rsqr. rewrite norm_square.
  replace ((norm d x + norm d y) * (norm d x + norm d y))
    with (norm d x * norm d x + 2 * (norm d x * norm d y) + norm d y * norm d y) by ring.
  rewrite !norm_square. pose proof (cauchy_schwarz d x y). unfold square, plus.
  rewrite (sum_eq d _ (fun i => x i * x i + (2 * (x i * y i) + y i * y i))) by (intros; ring).
  rewrite !sum_plus, sum_scal. lra.
Qed.
Lemma norm_eq d x y : (forall i, (i < d)%nat -> x i = y i) -> norm d x = norm d y.
Proof. intros H. unfold norm, square. f_equal. apply sum_eq. intros i Hi. rewrite H by auto. reflexivity. Qed.
Lemma by_way_of d x y z : norm d (minus x z) <= norm d (minus x y) + norm d (minus y z).
Proof. eapply Rle_trans; [|apply triangle]. right. apply norm_eq. intros i _. unfold plus, minus. ring. Qed.
Lemma norm_opposite d x y : norm d (minus x y) = norm d (minus y x).
Proof. unfold norm, square. f_equal. apply sum_eq. intros. unfold minus. ring. Qed.

(** A vector whose coordinates are [h] at most in size is no longer than √d·h. *)
Lemma norm_diagonal d h x : 0 <= h -> (forall i, (i < d)%nat -> Rabs (x i) <= h) -> norm d x <= sqrt (INR d) * h.
Proof.
  intros H0 H. rewrite <- (sqrt_square h) at 1 by auto. rewrite <- sqrt_mult by (try apply pos_INR; nra).
  apply sqrt_le_1_alt. unfold square.
  apply Rle_trans with (sum d (fun _ => h * h)).
  - apply sum_le. intros i Hi. specialize (H i Hi). apply Rabs_le_inv in H. nra.
  - right. clear. induction d; [simpl; ring|]. cbn [sum]. rewrite IHd, S_INR. ring.
Qed.

(** ** Rounding is processing *)

(** ⌊v + ½⌋, coordinate by coordinate. *)
Definition round (x : vector) : nat -> Z := fun i => Zfloor (x i + / 2).
Definition real (z : nat -> Z) : vector := fun i => IZR (z i).
Definition move (s z : nat -> Z) : nat -> Z := fun i => (s i + z i)%Z.

(** [X2] Integers plus rounded noise are the rounded sum of the integers and the noise. *)
Theorem rounded_sum (s : nat -> Z) (x : vector) : move s (round x) = round (plus (real s) x).
Proof.
  apply functional_extensionality. intros i. unfold move, round, plus, real. symmetry. apply Zfloor_imp.
  rewrite !plus_IZR. pose proof (Zfloor_lb (x i + / 2)). pose proof (Zfloor_ub (x i + / 2)).
  simpl. lra.
Qed.

(** The mean of a function of the noise is any functional. [phi] is what a guarantee allows: for pure ε and (ε, δ) it is
    e^ε·t + δ, for μ it is Φ(Φ⁻¹(t) + μ). [allows E tests phi v w]: no test of [tests] tells [v + N] from [w + N] better
    than that. *)
Definition allows (E : (vector -> R) -> R) (tests : (vector -> R) -> Prop) (phi : R -> R) (v w : vector) :=
  forall g, tests g -> E (fun x => g (plus v x)) <= phi (E (fun x => g (plus w x))).

(** Tests of vectors of [d] integers. *)
Definition agree (d : nat) (z z' : nat -> Z) := forall i, (i < d)%nat -> z i = z' i.
Definition integer_test (d : nat) (f : (nat -> Z) -> R) :=
  (forall z, 0 <= f z <= 1) /\ forall z z', agree d z z' -> f z = f z'.

(** [X2] What s + N guarantees in real numbers, s + round(N) guarantees for the bits. Here [s], [s'] are the integer
    vectors of two neighbouring data sets. *)
Theorem noise_on_integers d E (tests : _ -> Prop) phi (s s' : nat -> Z) :
  (forall f, integer_test d f -> tests (fun y => f (round y))) ->
  allows E tests phi (real s) (real s') ->
  forall f, integer_test d f -> E (fun x => f (move s (round x))) <= phi (E (fun x => f (move s' (round x)))).
Proof.
  intros M H f F.
  replace (fun x => f (move s (round x))) with (fun x => f (round (plus (real s) x)))
    by (apply functional_extensionality; intros x; rewrite rounded_sum; reflexivity).
  replace (fun x => f (move s' (round x))) with (fun x => f (round (plus (real s') x)))
    by (apply functional_extensionality; intros x; rewrite rounded_sum; reflexivity).
  apply (H (fun y => f (round y))), M, F.
Qed.

(** [X2] Every result that is computed from s + round(N) keeps that guarantee. *)
Corollary computed_from_integers {Y} d E (tests : _ -> Prop) phi (s s' : nat -> Z) (h : (nat -> Z) -> Y) :
  (forall f, integer_test d f -> tests (fun y => f (round y))) ->
  (forall z z', agree d z z' -> h z = h z') -> allows E tests phi (real s) (real s') ->
  forall f : Y -> R, (forall y, 0 <= f y <= 1) ->
  E (fun x => f (h (move s (round x)))) <= phi (E (fun x => f (h (move s' (round x))))).
Proof.
  intros M D H f F. apply (noise_on_integers d E tests phi s s' M H (fun z => f (h z))).
  split; [intros z; apply F|]. intros z z' A. rewrite (D z z' A). reflexivity.
Qed.

(** ** The lattice of the chart *)

Definition scaled (l : R) (x : vector) : vector := fun i => l * x i.

(** [X5] Statistics that are Δ apart, computed up to η and rounded to a lattice of step l, are Δ + 2η + √d·l apart at
    most. They are rounded to a nearest point, to any one where two are equally near. *)
Theorem charged_diagonal d delta eta l (u u' c c' : vector) (z z' : nat -> Z) :
  0 < l -> norm d (minus u u') <= delta -> norm d (minus c u) <= eta -> norm d (minus c' u') <= eta ->
  (forall i, (i < d)%nat -> Rabs (c i / l - IZR (z i)) <= / 2) ->
  (forall i, (i < d)%nat -> Rabs (c' i / l - IZR (z' i)) <= / 2) ->
  norm d (minus (scaled l (real z)) (scaled l (real z'))) <= delta + 2 * eta + sqrt (INR d) * l.
Proof.
  intros L U C C' N N'.
  assert (cell : forall (x : vector) (y : nat -> Z), (forall i, (i < d)%nat -> Rabs (x i / l - IZR (y i)) <= / 2) ->
    norm d (minus (scaled l (real y)) x) <= sqrt (INR d) * (l / 2)).
  { intros x y H. apply norm_diagonal; [lra|]. intros i Hi. specialize (H i Hi). apply Rabs_le_inv in H.
    unfold minus, scaled, real. apply Rabs_le.
    assert (x i = l * (x i / l)) by (field; lra). rewrite H0. nra. }
  pose proof (cell c z N) as A. pose proof (cell c' z' N') as A'. rewrite norm_opposite in A', C'.
  pose proof (by_way_of d (scaled l (real z)) c (scaled l (real z'))).
  pose proof (by_way_of d c u (scaled l (real z'))).
  pose proof (by_way_of d u u' (scaled l (real z'))).
  pose proof (by_way_of d u' c' (scaled l (real z'))). lra.
Qed.

(** [X2], [X5] Noise for vectors that are Δ + 2η + √d·l apart keeps its guarantee on the lattice: z + round(N/l) keeps
    it. *)
Theorem noise_on_a_lattice d delta eta l (u u' c c' : vector) (z z' : nat -> Z) E (tests : _ -> Prop) phi :
  0 < l -> norm d (minus u u') <= delta -> norm d (minus c u) <= eta -> norm d (minus c' u') <= eta ->
  (forall i, (i < d)%nat -> Rabs (c i / l - IZR (z i)) <= / 2) ->
  (forall i, (i < d)%nat -> Rabs (c' i / l - IZR (z' i)) <= / 2) ->
  (forall f, integer_test d f -> tests (fun y => f (round (scaled (/ l) y)))) ->
  (forall v w, norm d (minus v w) <= delta + 2 * eta + sqrt (INR d) * l -> allows E tests phi v w) ->
  forall f, integer_test d f -> E (fun x => f (move z (round (scaled (/ l) x)))) <=
    phi (E (fun x => f (move z' (round (scaled (/ l) x))))).
Proof.
  intros L U C C' N N' M H f F.
  pose proof (charged_diagonal d delta eta l u u' c c' z z' L U C C' N N') as G.
  assert (same : forall y, (fun x => f (move y (round (scaled (/ l) x)))) =
    (fun x => f (round (scaled (/ l) (plus (scaled l (real y)) x))))).
  { intros y. apply functional_extensionality. intros x. f_equal. rewrite rounded_sum. f_equal.
    apply functional_extensionality. intros i. unfold plus, scaled. field. lra. }
  rewrite !same. apply (H _ _ G (fun y => f (round (scaled (/ l) y)))), M, F.
Qed.

(** ** Laplace and Gaussian noise on vectors *)

(** The integral over vectors, of functions that are [integrable]. [tests] are the measurable tests. *)
Record integral (d : nat) := {
  integrable : (vector -> R) -> Prop;
  tests : (vector -> R) -> Prop;
  of :> (vector -> R) -> R;
  of_le : forall f g, integrable f -> integrable g -> (forall x, f x <= g x) -> of f <= of g;
  of_linear : forall a f b g, integrable f -> integrable g ->
    integrable (fun x => a * f x + b * g x) /\ of (fun x => a * f x + b * g x) = a * of f + b * of g;
  of_shift : forall f v, integrable f ->
    integrable (fun x => f (minus x v)) /\ of (fun x => f (minus x v)) = of f;
  of_times : forall f g, integrable f -> tests g -> integrable (fun x => f x * g x);
  tests_between : forall g, tests g -> forall x, 0 <= g x <= 1;
  tests_shift : forall g v, tests g -> tests (fun x => g (plus v x));
  tests_rounded : forall f, integer_test d f -> tests (fun x => f (round x)) }.
Arguments integrable {d}. Arguments tests {d}. Arguments of {d}. Arguments of_le {d}. Arguments of_linear {d}.
Arguments of_shift {d}. Arguments of_times {d}. Arguments tests_between {d}. Arguments tests_shift {d}.
Arguments tests_rounded {d}.

(** The law of noise with the density [k]. *)
Definition noise {d} (I : integral d) (k : vector -> R) (g : vector -> R) := I (fun x => k x * g x).

Lemma noise_moved {d} (I : integral d) k g v : integrable I k -> tests I g ->
  integrable I (fun x => k (minus x v) * g x) /\
  noise I k (fun x => g (plus v x)) = I (fun x => k (minus x v) * g x).
Proof.
  intros K G. pose proof (of_times I _ _ K (tests_shift I g v G)) as T.
  destruct (of_shift I _ v T) as (S & E).
  assert (same : (fun x => k (minus x v) * g (plus v (minus x v))) = (fun x => k (minus x v) * g x)).
  { apply functional_extensionality. intros x. do 2 f_equal.
    apply functional_extensionality. intros i. unfold plus, minus. ring. }
  rewrite same in S, E. split; [exact S|]. unfold noise. symmetry. exact E.
Qed.

Definition laplace (c sigma : R) (d : nat) (x : vector) := c * exp (- norm d x / sigma).

(** [M1] Laplace noise on vectors, of density ∝ e^(−‖x‖/σ) with σ = Δ/ε, is pure ε if the statistic moves by Δ at most.
    *)
Theorem laplace_is_pure {d} (I : integral d) c delta e v w : 0 <= c -> 0 < delta -> 0 < e ->
  integrable I (laplace c (delta / e) d) -> norm d (minus v w) <= delta ->
  allows (noise I (laplace c (delta / e) d)) (tests I) (fun t => exp e * t) v w.
Proof.
  intros C D E K V g G. cbv beta. set (sigma := delta / e) in *. assert (S : 0 < sigma)
    by (apply Rdiv_lt_0_compat; auto).
  destruct (noise_moved I _ g v K G) as (I1 & ->). destruct (noise_moved I _ g w K G) as (I2 & ->).
  destruct (of_linear I (exp e) _ 0 _ I2 I2) as (I3 & L).
  replace (exp e * I _) with (exp e * I (fun x => laplace c sigma d (minus x w) * g x) +
    0 * I (fun x => laplace c sigma d (minus x w) * g x)) by ring.
  rewrite <- L. apply of_le; auto. intros x. pose proof (tests_between I g G x) as B. rewrite Rmult_0_l, Rplus_0_r.
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|]. unfold laplace.
  rewrite <- Rmult_assoc, (Rmult_comm (exp e)), Rmult_assoc. apply Rmult_le_compat_l; auto. rewrite <- exp_plus.
  pose proof (by_way_of d x v w) as T.
  assert (- norm d (minus x v) / sigma <= e + - norm d (minus x w) / sigma).
  { apply (Rmult_le_reg_r sigma); auto. field_simplify; [|lra|lra].
    assert (e * sigma = delta) by (unfold sigma; field; lra). nra. }
  destruct H as [lt|eq]; [left; apply exp_increasing; auto|right; rewrite eq; auto].
Qed.

(** [X2], [M1] Integers plus rounded Laplace noise with σ = Δ/ε are pure ε. *)
Corollary laplace_on_integers {d} (I : integral d) c delta e (s s' : nat -> Z) : 0 <= c -> 0 < delta -> 0 < e ->
  integrable I (laplace c (delta / e) d) -> norm d (minus (real s) (real s')) <= delta ->
  forall f, integer_test d f -> noise I (laplace c (delta / e) d) (fun x => f (move s (round x))) <=
    exp e * noise I (laplace c (delta / e) d) (fun x => f (move s' (round x))).
Proof.
  intros C D E K V f F.
  apply (noise_on_integers d (noise I (laplace c (delta / e) d)) (tests I) (fun t => exp e * t)); auto.
  - apply tests_rounded.
  - apply laplace_is_pure; auto.
Qed.

Definition gauss (c sigma : R) (d : nat) (x : vector) := c * exp (- square d x / (2 * (sigma * sigma))).

(** *** Gaussian noise and μ *)

Definition inner (d : nat) (x y : vector) := sum d (fun i => x i * y i).

(** The half-space across the way from [w] to [v]. *)
Definition half_space (d : nat) (v w : vector) (y : R) (x : vector) : R :=
  if Rlt_dec y (inner d (minus v w) x) then 1 else 0.

(** [M2], [P4] No test tells v + N from w + N better than half-spaces do, for Gaussian noise N on vectors. Any test with
    no more false positives than a half-space has no more power. The half-spaces' are those of N(0, 1) and N(‖v − w‖/σ,
    1). *)
Theorem half_spaces_are_best {d} (I : integral d) c sigma v w y g : 0 < c -> 0 < sigma ->
  integrable I (gauss c sigma d) -> tests I g -> tests I (half_space d v w y) ->
  let k := gauss c sigma d in
  noise I k (fun x => g (plus w x)) <= noise I k (fun x => half_space d v w y (plus w x)) ->
  noise I k (fun x => g (plus v x)) <= noise I k (fun x => half_space d v w y (plus v x)).
Proof.
  intros C S K G H k. set (h := half_space d v w y) in *.
  destruct (noise_moved I k g v K G) as (I1 & ->). destruct (noise_moved I k g w K G) as (I2 & ->).
  destruct (noise_moved I k h v K H) as (J1 & ->). destruct (noise_moved I k h w K H) as (J2 & ->).
  intros level.
  (* the ratio of the densities where the half-space begins *)
  set (r := exp ((2 * y + square d w - square d v) / (2 * (sigma * sigma)))).
  destruct (of_linear I 1 _ (- r) _ I1 I2) as (L & E). destruct (of_linear I 1 _ (- r) _ J1 J2) as (L' & E').
  assert (M : I (fun x => 1 * (k (minus x v) * g x) + - r * (k (minus x w) * g x)) <=
    I (fun x => 1 * (k (minus x v) * h x) + - r * (k (minus x w) * h x))).
  { apply of_le; auto. intros x. pose proof (tests_between I g G x) as B.
    assert (S2 : 0 < 2 * (sigma * sigma)) by nra.
    assert (R : k (minus x v) = exp ((2 * inner d (minus v w) x + square d w - square d v) / (2 * (sigma * sigma))) *
      k (minus x w)).
    { unfold k, gauss. match goal with |- _ = ?p * (c * ?q) => transitivity (c * (p * q)); [|ring] end.
      rewrite <- exp_plus. do 2 f_equal.
      assert (D : - square d (minus x v) =
        2 * inner d (minus v w) x + square d w - square d v + - square d (minus x w)).
      { unfold square, inner.
        assert (N : forall z, - sum d z = sum d (fun i => -1 * z i)) by (intros; rewrite sum_scal; ring).
        rewrite !N. unfold Rminus. rewrite N, <- sum_scal, <- !sum_plus. apply sum_eq. intros. unfold minus. ring. }
      rewrite D. field. lra. }
    assert (kw : 0 < k (minus x w)) by (apply Rmult_lt_0_compat; auto; apply exp_pos).
    set (z := inner d (minus v w) x) in *.
    assert (Q : forall p q, p <= q -> exp ((2 * p + square d w - square d v) / (2 * (sigma * sigma))) <=
      exp ((2 * q + square d w - square d v) / (2 * (sigma * sigma)))).
    { intros p q pq. assert (Q : (2 * p + square d w - square d v) / (2 * (sigma * sigma)) <=
        (2 * q + square d w - square d v) / (2 * (sigma * sigma))).
      { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|lra]. }
      destruct Q as [lt|eq]; [left; apply exp_increasing; auto|right; rewrite eq; auto]. }
    rewrite R. unfold h, half_space. fold z.
    destruct (Rlt_dec y z) as [lt|ge].
    - specialize (Q y z ltac:(lra)). fold r in Q. set (q := exp ((2 * z + _ - _) / _)) in *.
      assert (0 <= (q - r) * (k (minus x w) * (1 - g x)))
        by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]). lra.
    - specialize (Q z y ltac:(lra)). fold r in Q. set (q := exp ((2 * z + _ - _) / _)) in *.
      assert (0 <= (r - q) * (k (minus x w) * g x))
        by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]). lra. }
  rewrite E, E' in M. assert (0 < r) by apply exp_pos. nra.
Qed.

(** [X2], [M2] No test of integers plus rounded Gaussian noise beats a half-space either. *)
Corollary half_spaces_beat_integers {d} (I : integral d) c sigma (s s' : nat -> Z) y f : 0 < c -> 0 < sigma ->
  integrable I (gauss c sigma d) -> integer_test d f -> tests I (half_space d (real s) (real s') y) ->
  let k := gauss c sigma d in let h := half_space d (real s) (real s') y in
  noise I k (fun x => f (move s' (round x))) <= noise I k (fun x => h (plus (real s') x)) ->
  noise I k (fun x => f (move s (round x))) <= noise I k (fun x => h (plus (real s) x)).
Proof.
  intros C S K F H k h.
  replace (fun x => f (move s (round x))) with (fun x => f (round (plus (real s) x)))
    by (apply functional_extensionality; intros x; rewrite rounded_sum; reflexivity).
  replace (fun x => f (move s' (round x))) with (fun x => f (round (plus (real s') x)))
    by (apply functional_extensionality; intros x; rewrite rounded_sum; reflexivity).
  apply (half_spaces_are_best I c sigma (real s) (real s') y (fun x => f (round x))); auto. apply tests_rounded, F.
Qed.

(** *** Gaussian noise and ρ *)

(** [P2] "Gaussian to concentrated", point by point: the quantity under the integral of the Rényi divergence of order α
    is a Gaussian density about another point, times e^(α(α − 1)‖v − w‖²/2σ²). *)
Lemma gauss_tilted c sigma d a v w x : 0 < c -> 0 < sigma ->
  exp (a * ln (gauss c sigma d (minus x v)) + (1 - a) * ln (gauss c sigma d (minus x w))) =
  exp (a * (a - 1) * (square d (minus v w) / (2 * (sigma * sigma)))) *
  gauss c sigma d (minus x (fun i => a * v i + (1 - a) * w i)).
Proof.
  intros C S. unfold gauss. rewrite !ln_mult, !ln_exp by (auto; apply exp_pos).
  rewrite <- (exp_ln c) at 3 by auto. rewrite <- !exp_plus. f_equal.
  assert (E : a * square d (minus x v) + (1 - a) * square d (minus x w) =
    square d (minus x (fun i => a * v i + (1 - a) * w i)) + a * (1 - a) * square d (minus v w)).
  { unfold square. rewrite <- !sum_scal, <- !sum_plus. apply sum_eq. intros i _. unfold minus. ring. }
  assert (N : 2 * (sigma * sigma) <> 0) by nra.
  replace (a * (ln c + - square d (minus x v) / (2 * (sigma * sigma))) +
    (1 - a) * (ln c + - square d (minus x w) / (2 * (sigma * sigma)))) with
    (ln c - (a * square d (minus x v) + (1 - a) * square d (minus x w)) / (2 * (sigma * sigma))) by (field; lra).
  rewrite E. field. lra.
Qed.

(** [x]^a for x > 0, and 0 for 0. *)
Definition power (x a : R) : R := if Rle_dec x 0 then 0 else exp (a * ln x).
(** What a result with the probabilities [p] and [q] adds to exp((α − 1)·D_α). *)
Definition term (a p q : R) := power p a * power q (1 - a).

Lemma tangent a t r : 1 < a -> 0 < t -> 0 < r ->
  exp (a * ln r) + a * exp ((a - 1) * ln r) * (t - r) <= exp (a * ln t).
Proof.
  intros A T R.
  assert (B : forall y, 1 + a * (exp y - 1) <= exp (a * y)).
  { intros y. (* e^y ≤ (1/a)·e^(ay) + (1 − 1/a), by convexity *)
    pose proof (exp_ineq1_le ((a - 1) * y)) as U. pose proof (exp_ineq1_le (- y)) as V.
    assert (exp y * exp ((a - 1) * y) = exp (a * y)) by (rewrite <- exp_plus; f_equal; ring).
    assert (exp y * exp (- y) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    pose proof (exp_pos y) as Y.
    apply (Rmult_le_compat_l (exp y)) in U, V; try lra. rewrite H in U. rewrite H0 in V.
    apply (Rmult_le_compat_l (a - 1)) in V; lra. }
  specialize (B (ln t - ln r)).
  assert (E : exp (ln t - ln r) = t / r) by (unfold Rminus; rewrite exp_plus, exp_Ropp, !exp_ln; auto).
  rewrite E in B.
  apply (Rmult_le_compat_l (exp (a * ln r))) in B; [|left; apply exp_pos].
  rewrite <- exp_plus in B. replace (a * ln r + a * (ln t - ln r)) with (a * ln t) in B by ring.
  eapply Rle_trans; [|exact B]. right.
  replace (exp (a * ln r)) with (exp ((a - 1) * ln r) * r); [field; lra|].
  rewrite <- (exp_ln r) at 2 by auto. rewrite <- exp_plus. f_equal. ring.
Qed.

(** If [j] lies above all tangents of p^a·q^(1 − a), it lies above it, and p = 0 where q = 0. *)
Lemma above_tangents a j p q : 1 < a -> 0 <= p -> 0 <= q -> 0 <= j ->
  (forall r, 0 < r -> exp (a * ln r) * q + a * exp ((a - 1) * ln r) * (p - r * q) <= j) ->
  term a p q <= j /\ (q = 0 -> p = 0).
Proof.
  intros A P Q J H. split.
  - unfold term, power. destruct (Rle_dec p 0); [lra|]. destruct (Rle_dec q 0); [lra|].
    specialize (H (p / q) ltac:(apply Rdiv_lt_0_compat; lra)).
    replace (p - p / q * q) with 0 in H by (field; lra). rewrite Rmult_0_r, Rplus_0_r in H.
    eapply Rle_trans; [|exact H]. right. unfold Rdiv. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra).
    rewrite <- (exp_ln q) at 3 by lra. rewrite <- !exp_plus. f_equal. ring.
  - intros ->. destruct P as [P|]; auto. exfalso.
    assert (Y : 0 < (j + 1) / (a * p)) by (apply Rdiv_lt_0_compat; nra).
    specialize (H (exp (ln ((j + 1) / (a * p)) / (a - 1))) (exp_pos _)). rewrite ln_exp in H.
    replace ((a - 1) * (ln ((j + 1) / (a * p)) / (a - 1))) with (ln ((j + 1) / (a * p))) in H by (field; lra).
    rewrite exp_ln, !Rmult_0_r, Rplus_0_l, Rminus_0_r in H by auto.
    replace (a * ((j + 1) / (a * p)) * p) with (j + 1) in H by (field; lra). lra.
Qed.

Definition cell (d : nat) (z y : nat -> Z) : R := if forallb (fun i => Z.eqb (y i) (z i)) (seq 0 d) then 1 else 0.
Lemma cell_test d z : integer_test d (cell d z).
Proof.
  split; [intros y; unfold cell; destruct (forallb _ _); lra|].
  intros y y' A. unfold cell. replace (forallb (fun i => Z.eqb (y i) (z i)) (seq 0 d))
    with (forallb (fun i => Z.eqb (y' i) (z i)) (seq 0 d)); [reflexivity|].
  assert (B : forall l, (forall i, In i l -> (i < d)%nat) ->
    forallb (fun i => Z.eqb (y' i) (z i)) l = forallb (fun i => Z.eqb (y i) (z i)) l).
  { induction l; simpl; intros H; auto. rewrite IHl by auto. rewrite (A a) by auto. reflexivity. }
  apply B. intros i I. apply in_seq in I. lia.
Qed.
Definition distinct (d : nat) (z z' : nat -> Z) := exists i, (i < d)%nat /\ z i <> z' i.
Definition total {A} (l : list A) (f : A -> R) := fold_right (fun k s => f k + s) 0 l.

Lemma cells_disjoint d l y : ForallOrdPairs (distinct d) l -> 0 <= total l (fun z => cell d z y) <= 1.
Proof.
  assert (N : forall l, 0 <= total l (fun z => cell d z y)).
  { induction l0; simpl; [lra|]. pose proof (proj1 (cell_test d a) y). lra. }
  induction 1 as [|z l D _ IH]; simpl; [lra|]. pose proof (N l) as P.
  unfold cell at 1 3. destruct (forallb (fun i => Z.eqb (y i) (z i)) (seq 0 d)) eqn:E; [|lra].
  assert (total l (fun z => cell d z y) = 0); [|lra].
  clear IH P. induction D as [|z' l (i & Hi & ne) _ IH]; simpl; auto. rewrite IH. unfold cell.
  destruct (forallb (fun i => Z.eqb (y i) (z' i)) (seq 0 d)) eqn:E'; [|ring]. exfalso. apply ne.
  rewrite forallb_forall in E, E'. assert (I : In i (seq 0 d)) by (apply in_seq; lia).
  specialize (E i I). specialize (E' i I). simpl in E, E'. apply Z.eqb_eq in E, E'. congruence.
Qed.

(** The probability that T = [s] + round(N) is [z]. *)
Definition probability {d} (I : integral d) (k : vector -> R) (s z : nat -> Z) :=
  noise I k (fun x => cell d z (move s (round x))).

(** [X2], [P4] Integers plus rounded Gaussian noise are ρ-zCDP with ρ = Δ²/2σ². The sum of the Rényi divergence of order
    α, over any distinct results, is e^(α(α − 1)Δ²/2σ²) at most. A result of probability 0 on the second data set has
    probability 0 on the first. *)
Theorem gauss_on_integers {d} (I : integral d) c sigma delta (s s' : nat -> Z) a l : 0 < c -> 0 < sigma -> 1 < a ->
  integrable I (gauss c sigma d) -> I (gauss c sigma d) = 1 -> norm d (minus (real s) (real s')) <= delta ->
  ForallOrdPairs (distinct d) l ->
  let k := gauss c sigma d in
  (forall z, probability I k s' z = 0 -> probability I k s z = 0) /\
  total l (fun z => term a (probability I k s z) (probability I k s' z)) <=
  exp (a * (a - 1) * (delta * delta / (2 * (sigma * sigma)))).
Proof.
  intros C S A K one V D k.
  set (v := real s). set (w := real s'). set (m := fun i => a * v i + (1 - a) * w i).
  set (big := exp (a * (a - 1) * (square d (minus v w) / (2 * (sigma * sigma))))).
  assert (kpos : forall x, 0 < k x) by (intros x; apply Rmult_lt_0_compat; auto; apply exp_pos).
  destruct (of_shift I k m K) as (KM & oneM). change (I k = 1) in one. rewrite one in oneM.
  (* the probabilities as integrals over the cell of a result *)
  assert (P : forall u z, integrable I (fun x => k (minus x (real u)) * cell d z (round x)) /\
    probability I k u z = I (fun x => k (minus x (real u)) * cell d z (round x))).
  { intros u z. destruct (noise_moved I k (fun x => cell d z (round x)) (real u) K) as (T & E).
    - apply (tests_rounded I (cell d z)), cell_test.
    - split; auto. rewrite <- E. unfold probability, noise. f_equal. apply functional_extensionality. intros x.
      rewrite rounded_sum. reflexivity. }
  assert (J : forall z, integrable I (fun x => k (minus x m) * cell d z (round x))).
  { intros z. apply (of_times I (fun x => k (minus x m)) (fun x => cell d z (round x))); auto.
    apply (tests_rounded I (cell d z)), cell_test. }
  assert (zero : forall f, integrable I f -> (forall x, 0 <= f x) -> 0 <= I f).
  { intros f F pos. destruct (of_linear I 0 f 0 f F F) as (F0 & E0).
    replace 0 with (0 * I f + 0 * I f) by ring. rewrite <- E0. apply of_le; auto. intros x. specialize (pos x). lra. }
  assert (T : forall z, term a (probability I k s z) (probability I k s' z) <=
    big * I (fun x => k (minus x m) * cell d z (round x)) /\
    (probability I k s' z = 0 -> probability I k s z = 0)).
  { intros z. destruct (P s z) as (I1 & ->). destruct (P s' z) as (I2 & ->).
    assert (ct : forall x, 0 <= cell d z (round x)) by (intros x; apply (proj1 (cell_test d z))).
    apply above_tangents; auto.
    - apply zero; auto. intros x. apply Rmult_le_pos; auto. left. apply kpos.
    - apply zero; auto. intros x. apply Rmult_le_pos; auto. left. apply kpos.
    - apply Rmult_le_pos; [left; apply exp_pos|]. apply zero; auto. intros x. apply Rmult_le_pos; auto. left.
      apply kpos.
    - intros r R. set (slope := a * exp ((a - 1) * ln r)).
      destruct (of_linear I (exp (a * ln r) - slope * r) _ slope _ I2 I1) as (I3 & E3).
      destruct (of_linear I big _ 0 _ (J z) (J z)) as (I4 & E4).
      match goal with |- ?lhs <= ?rhs => replace lhs with
        ((exp (a * ln r) - slope * r) * I (fun x => k (minus x (real s')) * cell d z (round x)) +
         slope * I (fun x => k (minus x (real s)) * cell d z (round x))) by ring;
        replace rhs with (rhs + 0 * I (fun x => k (minus x m) * cell d z (round x))) by ring end.
      rewrite <- E3, <- E4. apply of_le; auto. intros x. fold v w.
      pose proof (kpos (minus x v)) as p0. pose proof (kpos (minus x w)) as q0.
      pose proof (tangent a (k (minus x v) / k (minus x w)) r A ltac:(apply Rdiv_lt_0_compat; auto) R) as G.
      apply (Rmult_le_compat_r (k (minus x w))) in G; [|lra].
      assert (EQ : exp (a * ln (k (minus x v) / k (minus x w))) * k (minus x w) = big * k (minus x m)).
      { unfold big, m, k. rewrite <- gauss_tilted by auto. fold k. unfold Rdiv.
        rewrite ln_mult, ln_Rinv by (auto; apply Rinv_0_lt_compat; auto).
        rewrite <- (exp_ln (k (minus x w))) at 2 by auto. rewrite <- exp_plus. f_equal. ring. }
      rewrite EQ in G. specialize (ct x).
      apply (Rmult_le_compat_r (cell d z (round x))) in G; auto.
      eapply Rle_trans; [|eapply Rle_trans; [exact G|right; ring]]. right. unfold slope. field. lra. }
  split; [intros z; apply T|].
  apply Rle_trans with (total l (fun z => big * I (fun x => k (minus x m) * cell d z (round x)))).
  { clear D. induction l as [|z l IH]; simpl; [lra|]. apply Rplus_le_compat; auto. apply T. }
  assert (B : big <= exp (a * (a - 1) * (delta * delta / (2 * (sigma * sigma))))).
  { unfold big. assert (N : square d (minus v w) <= delta * delta).
    { rewrite <- norm_square. pose proof (norm_pos d (minus v w)). unfold v, w in *. nra. }
    assert (M : a * (a - 1) * (square d (minus v w) / (2 * (sigma * sigma))) <=
      a * (a - 1) * (delta * delta / (2 * (sigma * sigma)))).
    { apply Rmult_le_compat_l; [nra|]. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; nra|auto]. }
    destruct M as [lt|eq]; [left; apply exp_increasing; auto|right; rewrite eq; auto]. }
  eapply Rle_trans; [|exact B].
  (* the cells are disjoint *)
  assert (L : integrable I (fun x => k (minus x m) * total l (fun z => cell d z (round x))) /\
    I (fun x => k (minus x m) * total l (fun z => cell d z (round x))) =
    total l (fun z => I (fun x => k (minus x m) * cell d z (round x)))).
  { clear D. induction l as [|z l IH].
    - simpl. destruct (of_linear I 0 _ 0 _ KM KM) as (F & E).
      replace (fun x => k (minus x m) * 0) with (fun x => 0 * k (minus x m) + 0 * k (minus x m))
        by (apply functional_extensionality; intros; ring).
      split; auto. rewrite E. ring.
    - destruct IH as (IH & EH). destruct (of_linear I 1 _ 1 _ (J z) IH) as (F & E).
      replace (fun x => k (minus x m) * total (z :: l) (fun z0 => cell d z0 (round x))) with
        (fun x => 1 * (k (minus x m) * cell d z (round x)) +
          1 * (k (minus x m) * total l (fun z0 => cell d z0 (round x))))
        by (apply functional_extensionality; intros; simpl; ring).
      split; auto. rewrite E, EH. simpl. ring. }
  destruct L as (LI & LE).
  assert (SC : total l (fun z => big * I (fun x => k (minus x m) * cell d z (round x))) =
    big * total l (fun z => I (fun x => k (minus x m) * cell d z (round x)))).
  { clear. induction l; simpl; [ring|]. rewrite IHl. ring. }
  rewrite SC, <- LE. rewrite <- (Rmult_1_r big) at 2. apply Rmult_le_compat_l; [left; apply exp_pos|].
  rewrite <- oneM. apply of_le; auto. intros x. pose proof (cells_disjoint d l (round x) D).
  pose proof (kpos (minus x m)).
  nra.
Qed.
