(** * Exponential numbers

    An event of probability [e^(-x)] is a falling run of uniform numbers of even length (von Neumann 1951), and an
    exponential number is made of such events. The programs need only comparisons of uniform numbers. So they are
    written for any kind of numbers, and there are two kinds.

    The numbers of [Uniform] are drawn limb by limb: those are the programs in Rust. Numbers on a grid are one word
    each, an integer [X] from [0] to [N - 1] that stands for [X/N]. On a grid all probabilities are found exactly, by
    counting, and they are as near to the law as the grid is fine: [N] is any power of [2^64].

    That limbs drawn on demand have the law of fine grids is in [OnDemand].

    Link: by the tables of [Kernels], which [noise/exponential.rs] has to reproduce. *)

Require Import ZArith Reals List Lia Lra Psatz.
From Karcher Require Import Words Uniform.
Open Scope Z_scope.

(** Numbers that can be drawn and compared. A comparison may draw more of them, so it returns them. *)
Record Numbers := {
  num : Type;
  draw : Prog num;
  below : num -> num -> Prog (bool * (num * num));
  below_half : num -> Prog (bool * num);
}.

Definition limbs (B : Z) (fuel : nat) : Numbers := {|
  num := number;
  draw := fresh;
  below x y := is_below fuel x y 0;
  below_half x := is_below_ratio B fuel x 1 2 0;
|}.

Definition grid (N : Z) : Numbers := {|
  num := Z;
  draw := Word Return;
  below x y := Return (x <? y, (x, y));
  below_half x := Return (2 * x <? N, x);
|}.

(** ** The programs *)

Section Programs.
Variable numbers : Numbers.
Notation num := (num numbers).

(** Whether the run that falls from [x] has an even length. *)
Fixpoint falls_evenly (fuel : nat) (x : num) : Prog (bool * num) :=
  match fuel with
  | O => Stuck
  | S fuel =>
    next <- draw numbers ;;
    '(falls, (next, x)) <- below numbers next x ;;
    if falls then '(even, _) <- falls_evenly fuel next ;; Return (negb even, x) else Return (true, x)
  end.

Definition half_falls_evenly (fuel : nat) : Prog bool :=
  next <- draw numbers ;;
  '(falls, next) <- below_half numbers next ;;
  if falls then '(even, _) <- falls_evenly fuel next ;; Return (negb even) else Return true.

(** An exponential number: its whole part and its fraction. *)
Fixpoint exponential (fuel rounds : nat) (whole : Z) : Prog (Z * num) :=
  match rounds with
  | O => Stuck
  | S rounds =>
    fraction <- draw numbers ;;
    '(accepted, fraction) <- falls_evenly fuel fraction ;;
    if accepted then Return (whole, fraction) else exponential fuel rounds (whole + 1)
  end.
End Programs.

(** ** Their laws on a grid *)

Open Scope R_scope.

Section Grid.
Variable N : Z.
Hypothesis N_large : (1 < N)%Z.

(** The probability of an even run from [X]: nearly [e^(-X/N)]. *)
Definition even (X : Z) : R := (1 - / IZR N) ^ Z.to_nat X.

Let N_pos : (0 < N)%Z. Proof. lia. Qed.
Let N_real : 1 < IZR N. Proof. apply (IZR_lt 1). lia. Qed.

Lemma mass_draw f : mass N (draw (grid N)) f = sum (Z.to_nat N) f / IZR N.
Proof. reflexivity. Qed.

Lemma sum_even n : sum n even = IZR N * (1 - (1 - / IZR N) ^ n).
Proof.
  induction n as [|n IH]; cbn [sum pow]; [ring|]. rewrite IH. unfold even. rewrite Nat2Z.id. field. lra.
Qed.

(** A sum over the words below [x], and another over the others. *)
Lemma sum_cut (x : Z) f g : (0 <= x <= N)%Z ->
  sum (Z.to_nat N) (fun w => if (w <? x)%Z then f w else g)
  = sum (Z.to_nat x) f + (IZR N - IZR x) * g.
Proof.
  intros Hx. replace (Z.to_nat N) with (Z.to_nat x + Z.to_nat (N - x))%nat by lia. rewrite sum_split.
  rewrite (sum_ext (Z.to_nat x) _ f), (sum_ext (Z.to_nat (N - x)) _ (fun _ => g)).
  - rewrite sum_const, INR_IZR_INZ, Z2Nat.id, minus_IZR by lia. reflexivity.
  - intros w Hw. rewrite (proj2 (Z.ltb_ge _ _)) by lia. reflexivity.
  - intros w Hw. rewrite (proj2 (Z.ltb_lt _ _)) by lia. reflexivity.
Qed.

Lemma mass_falls_evenly fuel : forall x t f, (0 <= x < N)%Z -> (Z.to_nat x < fuel)%nat ->
  mass N (falls_evenly (grid N) fuel x) (fun r => if fst r then t (snd r) else f (snd r))
  = even x * t x + (1 - even x) * f x.
Proof.
  induction fuel as [|fuel IH]; intros x t f Hx Hf; [lia|].
  cbn [falls_evenly]. rewrite mass_bind, mass_draw.
  rewrite (sum_word N _ (fun w => if (w <? x)%Z then even w * (f x - t x) + t x else t x)).
  - rewrite (sum_cut x (fun w => even w * (f x - t x) + t x) (t x)) by lia. rewrite sum_plus.
    rewrite (sum_ext (Z.to_nat x) (fun w => even w * (f x - t x)) (fun w => (f x - t x) * even w)) by (intros; ring).
    rewrite sum_scale, sum_even, sum_const, INR_IZR_INZ, Z2Nat.id by lia. unfold even. field. lra.
  - intros w Hw. rewrite mass_bind. cbn [below grid mass]. destruct (Z.ltb_spec w x) as [lt|ge]; [|reflexivity].
    rewrite mass_bind.
    rewrite (mass_ext N _ _ (fun r : bool * num (grid N) => if fst r then f x else t x)) by (intros [[] ?];
      reflexivity).
    rewrite (IH w (fun _ => f x) (fun _ => t x)) by lia. ring.
Qed.

(** [X3] The run that falls from [X/N] has an even length with probability [(1 - 1/N)^X]. *)
Theorem probability_of_falls_evenly fuel X : (0 <= X < N)%Z -> (Z.to_nat X < fuel)%nat ->
  probability N (falls_evenly (grid N) fuel X) fst = even X.
Proof.
  intros HX Hf. unfold probability.
  rewrite (mass_falls_evenly fuel X (fun _ => 1) (fun _ => 0)) by assumption. ring.
Qed.

(** [X3] A falling run ends: on a grid of [N] cells it has at most [N] numbers. *)
Theorem falling_run_ends fuel X : (0 <= X < N)%Z -> (Z.to_nat X < fuel)%nat ->
  ends N (falls_evenly (grid N) fuel X) = 1.
Proof.
  intros HX Hf. unfold ends.
  rewrite (mass_ext N _ _ (fun r : bool * num (grid N) => if fst r then 1 else 1)) by (intros [[] ?]; reflexivity).
  rewrite (mass_falls_evenly fuel X (fun _ => 1) (fun _ => 1)) by assumption. ring.
Qed.

(** Powers of [1 - p] and the exponential function. *)
Lemma power_near_exp p n : 0 <= p <= 1 / 2 ->
  exp (- (INR n * p)) - 2 * p * p * INR n <= (1 - p) ^ n <= exp (- (INR n * p)).
Proof.
  intros Hp. pose proof (pos_INR n) as Hn.
  assert (Step : exp (- p) - 2 * p * p <= 1 - p <= exp (- p)).
  { split.
    - (* e^(-p) = 1/e^p <= 1/(1 + p) *)
      assert (E : exp (- p) <= / (1 + p)).
      { rewrite exp_Ropp. apply Rinv_le_contravar; [lra|]. pose proof (exp_ineq1_le p). lra. }
      assert (/ (1 + p) <= 1 - p + p * p).
      { apply Rmult_le_reg_r with (1 + p); [lra|]. rewrite Rinv_l by lra. nra. }
      nra.
    - pose proof (exp_ineq1_le (- p)). lra. }
  assert (E1 : exp (- p) <= 1). { rewrite <- exp_0. destruct Hp as [[Hp|<-] _]; [
    left; apply exp_increasing; lra|right; f_equal; ring]. }
  induction n as [|n IH]; [cbn; rewrite Rmult_0_l, Ropp_0, exp_0; lra|].
  specialize (IH (pos_INR n)). rewrite S_INR. cbn [pow].
  replace (- ((INR n + 1) * p)) with (- p + - (INR n * p)) by ring. rewrite exp_plus.
  set (e := exp (- (INR n * p))) in *. set (q := (1 - p) ^ n) in *.
  assert (0 < e) by apply exp_pos. assert (0 < exp (- p)) by apply exp_pos.
  assert (0 <= q) by (apply pow_le; lra).
  assert (e <= 1).
  { unfold e. rewrite <- exp_0. destruct (Req_dec (INR n * p) 0) as [->|]; [rewrite Ropp_0; lra|].
    left. apply exp_increasing. pose proof (pos_INR n). nra. }
  pose proof (pos_INR n). split; [|nra].
  apply Rle_trans with ((1 - p) * (e - 2 * p * p * INR n)); [|apply Rmult_le_compat_l; lra].
  assert (exp (- p) * e <= (1 - p + 2 * p * p) * e) by (apply Rmult_le_compat_r; lra).
  assert (2 * p * p * e <= 2 * p * p * 1) by (apply Rmult_le_compat_l; nra).
  assert (0 <= p * (2 * p * p * INR n)) by (repeat apply Rmult_le_pos; lra).
  lra.
Qed.

(** [X3] That probability is [e^(-x)] for [x = X/N], up to [2/N]: in the limit of fine grids it is [e^(-x)]. *)
Theorem falls_evenly_is_near_exp X : (0 <= X < N)%Z ->
  exp (- (IZR X / IZR N)) - 2 / IZR N <= even X <= exp (- (IZR X / IZR N)).
Proof.
  intros HX. unfold even.
  assert (HN : 2 <= IZR N) by (apply (IZR_le 2); lia).
  assert (Hp : 0 <= / IZR N <= 1 / 2).
  { split; [left; apply Rinv_0_lt_compat; lra|]. apply Rmult_le_reg_r with (IZR N); [
    lra|]. rewrite Rinv_l by lra. lra. }
  pose proof (power_near_exp (/ IZR N) (Z.to_nat X) Hp) as H.
  rewrite INR_IZR_INZ, Z2Nat.id in H by lia. fold (IZR X / IZR N) in H.
  assert (IZR X / IZR N <= 1).
  { apply Rmult_le_reg_r with (IZR N); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
    apply IZR_le. lia. }
  replace (2 * / IZR N * / IZR N * IZR X) with (2 / IZR N * (IZR X / IZR N)) in H by (field; lra).
  assert (2 / IZR N * (IZR X / IZR N) <= 2 / IZR N * 1) by (apply Rmult_le_compat_l; [unfold Rdiv; lra|assumption]).
  lra.
Qed.

Lemma even_plus X Y : (0 <= X)%Z -> (0 <= Y)%Z -> even (X + Y) = even X * even Y.
Proof. intros HX HY. unfold even. rewrite Z2Nat.inj_add, pow_add by assumption. reflexivity. Qed.

(** One value at one word, 0 elsewhere. *)
Lemma sum_at n X c : (0 <= X < Z.of_nat n)%Z -> sum n (fun w => if (w =? X)%Z then c else 0) = c.
Proof.
  intros HX.
  rewrite (sum_ext n _ (fun w => if (w =? X)%Z then c else if (w <? X)%Z then 0 else 0)).
  - rewrite sum_below_at_above by assumption. ring.
  - intros w _. destruct (w =? X)%Z, (w <? X)%Z; reflexivity.
Qed.

Definition is (k X : Z) (r : Z * Z) : bool := ((fst r =? k) && (snd r =? X))%Z%bool.

Lemma mass_exponential fuel k X : (0 <= X < N)%Z -> (Z.to_nat N <= fuel)%nat ->
  forall rounds whole, (whole <= k < whole + Z.of_nat rounds)%Z ->
  probability N (exponential (grid N) fuel rounds whole) (is k X) = even ((k - whole) * N + X) / IZR N.
Proof.
  intros HX Hf. unfold probability.
  assert (Later : forall rounds whole, (k < whole)%Z ->
    mass N (exponential (grid N) fuel rounds whole) (fun r => if is k X r then 1 else 0) = 0).
  { induction rounds as [|rounds IH]; intros whole Hk; cbn [exponential]; [reflexivity|].
    rewrite mass_bind, mass_draw, (sum_word N _ (fun _ => 0)).
    - rewrite sum_const. unfold Rdiv. ring.
    - intros w Hw. rewrite mass_bind.
      rewrite (mass_ext N _ _ (fun r : bool * num (grid N) => if fst r then 0 else 0)).
      + rewrite (mass_falls_evenly fuel w (fun _ => 0) (fun _ => 0)) by lia. ring.
      + intros [[] v]; cbn [fst mass]; [|apply IH; lia].
        unfold is. cbn [fst]. rewrite (proj2 (Z.eqb_neq _ _)) by lia. reflexivity. }
  induction rounds as [|rounds IH]; intros whole Hk; [lia|]. cbn [exponential].
  rewrite mass_bind, mass_draw.
  set (rest := mass N (exponential (grid N) fuel rounds (whole + 1)) (fun r => if is k X r then 1 else 0)).
  rewrite (sum_word N _ (fun w => (if (w =? X)%Z then (if (whole =? k)%Z then even w else 0) else 0) + (rest
    + - rest * even w))).
  - rewrite sum_plus, sum_plus, sum_scale, sum_even, sum_const, INR_B by lia.
    fold (even N). destruct (Z.eqb_spec whole k) as [<-|ne].
    + assert (R0 : rest = 0) by (apply Later; lia). rewrite R0.
      rewrite (sum_ext _ _ (fun w => if (w =? X)%Z then even X else 0)).
      * rewrite sum_at, Z.sub_diag, Z.mul_0_l, Z.add_0_l by lia. field. lra.
      * intros w _. destruct (Z.eqb_spec w X) as [->|]; reflexivity.
    + unfold rest. rewrite IH by lia.
      rewrite (sum_ext _ _ (fun _ => 0)) by (intros w _; destruct (w =? X)%Z; reflexivity).
      rewrite sum_const.
      replace ((k - whole) * N + X)%Z with (N + ((k - (whole + 1)) * N + X))%Z by ring.
      rewrite (even_plus N) by nia. field. lra.
  - intros w Hw. rewrite mass_bind.
    rewrite (mass_ext N _ _ (fun r : bool * num (grid N) =>
      if fst r then (if is k X (whole, snd r) then 1 else 0) else rest)) by (intros [[] v]; reflexivity).
    rewrite (mass_falls_evenly fuel w (fun v => if is k X (whole, v) then 1 else 0) (fun _ => rest)) by lia.
    unfold is. cbn [fst snd]. destruct (whole =? k)%Z, (w =? X)%Z; cbn [andb]; ring.
Qed.

(** [X3] An exponential number [k + X/N] on a grid has a geometric law: with [t = k*N + X], its probability is
    [(1 - 1/N)^t/N]. *)
Theorem exponential_is_geometric fuel rounds k X : (0 <= X < N)%Z -> (0 <= k < Z.of_nat rounds)%Z ->
  (Z.to_nat N <= fuel)%nat ->
  probability N (exponential (grid N) fuel rounds 0) (is k X) = even (k * N + X) / IZR N.
Proof. intros HX Hk Hf. rewrite mass_exponential by lia. rewrite Z.sub_0_r. reflexivity. Qed.

Lemma mass_of_exponential fuel n : (Z.to_nat N <= fuel)%nat ->
  ends N (exponential (grid N) fuel n 0) = 1 - even (Z.of_nat n * N).
Proof.
  intros Hf. unfold ends. generalize 0%Z as whole.
  induction n as [|n IH]; intros whole; cbn [exponential]; [
    cbn [mass]; unfold even; cbn [pow Z.of_nat Z.mul Z.to_nat]; ring|].
  rewrite mass_bind, mass_draw.
  rewrite (sum_word N _ (fun w => even (Z.of_nat n * N) * even w + (1 - even (Z.of_nat n * N)))).
  - rewrite sum_plus, sum_scale, sum_even, sum_const, INR_B by lia. fold (even N).
    rewrite Nat2Z.inj_succ. replace (Z.succ (Z.of_nat n) * N)%Z with (N + Z.of_nat n * N)%Z by lia.
    rewrite even_plus by nia. field. lra.
  - intros w Hw. rewrite mass_bind.
    rewrite (mass_ext N _ _ (fun r : bool * num (grid N) => if fst r then 1 else 1 - even (Z.of_nat n * N))).
    + rewrite (mass_falls_evenly fuel w (fun _ => 1) (fun _ => 1 - even (Z.of_nat n * N))) by lia. ring.
    + intros [[] v]; cbn [fst mass]; [reflexivity|apply IH].
Qed.

(** [X3] On a grid an exponential number is drawn at last: after [n] rounds it is still open with probability [e^(-n)]
    at most. *)
Theorem exponential_ends fuel n : (Z.to_nat N <= fuel)%nat ->
  1 - exp (- INR n) <= ends N (exponential (grid N) fuel n 0).
Proof.
  intros Hf. rewrite mass_of_exponential by exact Hf. unfold even.
  assert (HN : 2 <= IZR N) by (apply (IZR_le 2); lia).
  assert (Hp : 0 <= / IZR N <= 1 / 2).
  { split; [left; apply Rinv_0_lt_compat; lra|]. apply Rmult_le_reg_r with (IZR N); [
    lra|]. rewrite Rinv_l by lra. lra. }
  pose proof (power_near_exp (/ IZR N) (Z.to_nat (Z.of_nat n * N)) Hp) as [_ H].
  rewrite (INR_IZR_INZ (Z.to_nat _)), Z2Nat.id, mult_IZR, <- INR_IZR_INZ in H by lia.
  replace (INR n * IZR N * / IZR N) with (INR n) in H by (field; lra). lra.
Qed.

Lemma mass_half fuel H t f : (N = 2 * H)%Z -> (Z.to_nat N <= fuel)%nat ->
  mass N (half_falls_evenly (grid N) fuel) (fun r => if r then t else f) = even H * t + (1 - even H) * f.
Proof.
  intros HN Hf. unfold half_falls_evenly. rewrite mass_bind, mass_draw.
  rewrite (sum_word N _ (fun w => if (w <? H)%Z then even w * (f - t) + t else t)).
  - rewrite (sum_cut H (fun w => even w * (f - t) + t) t) by lia. rewrite sum_plus.
    rewrite (sum_ext _ (fun w => even w * (f - t)) (fun w => (f - t) * even w)) by (intros; ring).
    rewrite sum_scale, sum_even, sum_const, INR_IZR_INZ, Z2Nat.id by lia. unfold even. field. lra.
  - intros w Hw. rewrite mass_bind. cbn [below_half grid mass].
    replace (2 * w <? N)%Z with (w <? H)%Z.
    2: { destruct (Z.ltb_spec w H), (Z.ltb_spec (2 * w) N); lia. }
    destruct (Z.ltb_spec w H) as [lt|ge]; [|reflexivity].
    rewrite mass_bind.
    rewrite (mass_ext N _ _ (fun r : bool * num (grid N) => if fst r then f else t)) by (intros [[] ?]; reflexivity).
    rewrite (mass_falls_evenly fuel w (fun _ => f) (fun _ => t)) by lia. ring.
Qed.

(** [X3] The event of [half_falls_evenly] has the probability [(1 - 1/N)^(N/2)], nearly [e^(-1/2)]. *)
Theorem probability_of_half fuel H : (N = 2 * H)%Z -> (Z.to_nat N <= fuel)%nat ->
  probability N (half_falls_evenly (grid N) fuel) (fun b => b) = even H.
Proof. intros HN Hf. unfold probability. rewrite (mass_half fuel H) by assumption. ring. Qed.
End Grid.
