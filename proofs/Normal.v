(** * Normal numbers

    A normal number is a sign and [k + x], of a density in proportion to [e^(-(k+x)^2/2)], drawn by comparisons alone
    (Karney 2016). The whole part [k] and the fraction [x] are proposed, and accepted if certain events all happen. The
    programs are written for any kind of numbers, as those of [Exponential].

    _Covered_: one proposal, and the density that its factors make.
    _Not covered_: the loop [normal], that proposes until one is accepted; the limit of [weight] on fine grids.

    Link: by the tables of [Kernels], which [noise/normal.rs] has to reproduce. *)

Require Import ZArith Reals List Lia Lra Psatz.
From Karcher Require Import Words Uniform Exponential.
Open Scope Z_scope.

Section Programs.
Variable numbers : Numbers.
Variable coin : Prog bool.
Notation num := (num numbers).

(** Step 1: how often an event of probability [e^(-1/2)] happens before it fails to. *)
Fixpoint geometric (fuel rounds : nat) (k : Z) : Prog Z :=
  match rounds with
  | O => Stuck
  | S rounds => again <- half_falls_evenly numbers fuel ;; if again then geometric fuel rounds (k + 1) else Return k
  end.

(** Whether [n] events of probability [e^(-1/2)] all happen. *)
Fixpoint halves (fuel n : nat) : Prog bool :=
  match n with
  | O => Return true
  | S n => yes <- half_falls_evenly numbers fuel ;; if yes then halves fuel n else Return false
  end.

(** Step 2. *)
Definition accepts_whole (fuel : nat) (k : Z) : Prog bool := halves fuel (Z.to_nat (k * Z.max 0 (k - 1))).

(** The thinned run from [x], of which [last] was the last number: it goes on if a coin, a smaller number and a number
    below [x] allow it. Returns whether its length is even. *)
Fixpoint thinned (fuel : nat) (x : num) (last : option num) : Prog (bool * num) :=
  match fuel with
  | O => Stuck
  | S fuel =>
    heads <- coin ;;
    if heads then
      next <- draw numbers ;;
      '(falls, (next, x)) <-
        match last with
        | None => below numbers next x
        | Some last => '(falls, (next, _)) <- below numbers next last ;; Return (falls, (next, x))
        end ;;
      if falls then
        v <- draw numbers ;;
        '(goes_on, (_, x)) <- below numbers v x ;;
        if goes_on then '(even, x) <- thinned fuel x (Some next) ;; Return (negb even, x) else Return (true, x)
      else Return (true, x)
    else Return (true, x)
  end.

(** Step 3. *)
Fixpoint accepts_fraction (fuel k : nat) (x : num) : Prog (bool * num) :=
  match k with
  | O => thinned fuel x None
  | S k => '(yes, x) <- falls_evenly numbers fuel x ;; if yes then accepts_fraction fuel k x else Return (false, x)
  end.

(** One proposal: the sign, [k] and [x], or nothing. *)
Definition proposal (fuel rounds : nat) : Prog (option (bool * Z * num)) :=
  k <- geometric fuel rounds 0 ;;
  whole <- accepts_whole fuel k ;;
  if whole then
    x <- draw numbers ;;
    '(accepted, x) <- accepts_fraction fuel (Z.to_nat k) x ;;
    if accepted then negative <- coin ;; Return (Some (negative, k, x)) else Return None
  else Return None.

Fixpoint normal (fuel rounds : nat) : Prog (bool * Z * num) :=
  match rounds with
  | O => Stuck
  | S n => r <- proposal fuel fuel ;; match r with Some r => Return r | None => normal fuel n end
  end.
End Programs.

(** ** Their laws on a grid *)

Open Scope R_scope.

Section Grid.
Variables N H : Z.
Hypothesis N_large : (1 < N)%Z.
Hypothesis N_even : (N = 2 * H)%Z.

(** A coin shows heads for half of the words. *)
Definition grid_coin : Prog bool := Word (fun w => Return (w <? H)%Z).

Let N_real : 1 < IZR N. Proof. apply (IZR_lt 1). lia. Qed.
Let H_real : IZR N = 2 * IZR H. Proof. rewrite N_even, mult_IZR. reflexivity. Qed.

Notation even := (even N).
Notation g := (grid N).

Lemma mass_coin t f : mass N grid_coin (fun b => if b then t else f) = (t + f) / 2.
Proof.
  unfold grid_coin. cbn [mass]. rewrite (sum_cut N N_large H (fun _ => t) f) by lia.
  rewrite sum_const, INR_IZR_INZ, Z2Nat.id by lia. rewrite H_real. field. lra.
Qed.

Lemma mass_halves fuel n t f : (Z.to_nat N <= fuel)%nat ->
  mass N (halves g fuel n) (fun b => if b then t else f) = even H ^ n * t + (1 - even H ^ n) * f.
Proof.
  intros Hf. induction n as [|n IH]; cbn [halves pow]; [cbn [mass]; ring|].
  rewrite mass_bind.
  rewrite (mass_ext N _ _ (fun b : bool => if b then even H ^ n * t + (1 - even H ^ n) * f else f)).
  - rewrite (mass_half N N_large fuel H) by assumption. ring.
  - intros []; [apply IH|reflexivity].
Qed.

(** The probability of a thinned run of even length, from [Y], where the numbers are below [X]: nearly
    [e^(-(Y/N)*(X/N)/2)]. *)
Definition thin (X Y : Z) : R := (1 - IZR X / (2 * IZR N * IZR N)) ^ Z.to_nat Y.

Lemma sum_thin X n : (0 < X)%Z -> sum n (thin X) = 2 * IZR N * IZR N / IZR X * (1 - thin X (Z.of_nat n)).
Proof.
  intros HX. assert (0 < IZR X) by (apply (IZR_lt 0); assumption). unfold thin.
  induction n as [|n IH]; cbn [sum]; [cbn; field; lra|]. rewrite IH.
  rewrite !Nat2Z.id. cbn [pow]. field. lra.
Qed.

Lemma thin_zero Y : thin 0 Y = 1.
Proof. unfold thin. replace (1 - 0 / (2 * IZR N * IZR N)) with 1 by (field; lra). apply pow1. Qed.

Lemma mass_thinned fuel X : (0 <= X < N)%Z -> forall T F last,
  let Y := match last with Some y => y | None => X end in
  (0 <= Y < N)%Z -> (Z.to_nat Y < fuel)%nat ->
  mass N (thinned g grid_coin fuel X last) (fun r => if fst r then T else F) = thin X Y * T + (1 - thin X Y) * F.
Proof.
  intros HX. induction fuel as [|fuel IH]; intros T F last Y HY Hf; [lia|].
  cbn [thinned]. rewrite mass_bind.
  (* one number below Y *)
  assert (Next : (forall w, (0 <= w < Y)%Z ->
      mass N (thinned g grid_coin fuel X (Some w)) (fun r => if fst r then F else T)
        = thin X w * F + (1 - thin X w) * T) ->
    mass N (next <- draw g ;;
      '(falls, (next, x)) <-
        match last with
        | None => below g next X
        | Some last => '(falls, (next, _)) <- below g next last ;; Return (falls, (next, X))
        end ;;
      if falls then
        v <- draw g ;;
        '(goes_on, (_, x)) <- below g v x ;;
        if goes_on then '(even, x) <- thinned g grid_coin fuel x (Some next) ;;
          Return (negb even, x) else Return (true, x)
      else Return (true, x)) (fun r => if fst r then T else F)
    = (sum (Z.to_nat Y) (fun w => IZR X / IZR N * (thin X w * F + (1 - thin X w) * T) + (1 - IZR X / IZR N) * T)
       + (IZR N - IZR Y) * T) / IZR N).
  { intros HT. rewrite mass_bind, (mass_draw N). f_equal.
    rewrite <- (sum_cut N N_large Y _ T) by lia. apply sum_word. intros w Hw.
    assert (E : forall b : bool, mass N (if b then
        v <- draw g ;;
        '(goes_on, (_, x)) <- below g v X ;;
        if goes_on then '(even, x) <- thinned g grid_coin fuel x (Some w) ;; Return (negb even, x) else Return (true, x)
      else Return (true, X)) (fun r => if fst r then T else F)
      = if b then mass N (v <- draw g ;;
        '(goes_on, (_, x)) <- below g v X ;;
        if goes_on then '(even, x) <- thinned g grid_coin fuel x (Some w) ;;
          Return (negb even, x) else Return (true, x))
        (fun r => if fst r then T else F) else T) by (intros []; reflexivity).
    rewrite mass_bind.
    transitivity (if (w <? Y)%Z then mass N (v <- draw g ;;
        '(goes_on, (_, x)) <- below g v X ;;
        if goes_on then '(even, x) <- thinned g grid_coin fuel x (Some w) ;;
          Return (negb even, x) else Return (true, x))
        (fun r => if fst r then T else F) else T).
    { rewrite <- E. unfold Y. destruct last; reflexivity. }
    destruct (Z.ltb_spec w Y) as [lt|ge]; [|reflexivity].
    rewrite mass_bind, (mass_draw N).
    rewrite (sum_word N _ (fun v => if (v <? X)%Z then thin X w * F + (1 - thin X w) * T else T)).
    - rewrite (sum_cut N N_large X (fun _ => thin X w * F + (1 - thin X w) * T) T) by lia.
      rewrite sum_const, INR_IZR_INZ, Z2Nat.id by lia. field. lra.
    - intros v Hv. rewrite mass_bind. cbn [below grid mass]. destruct (Z.ltb_spec v X); [|reflexivity].
      rewrite mass_bind.
      rewrite (mass_ext N _ _ (fun r : bool * num g => if fst r then F else T)) by (intros [[] ?]; reflexivity).
      apply HT. lia. }
  rewrite (mass_ext N grid_coin _ (fun b : bool => if b then
      (sum (Z.to_nat Y) (fun w => IZR X / IZR N * (thin X w * F + (1 - thin X w) * T) + (1 - IZR X / IZR N) * T)
     + (IZR N - IZR Y) * T) / IZR N else T)).
  - rewrite mass_coin.
    rewrite (sum_ext _ _ (fun w => T + (IZR X / IZR N * (F - T)) * thin X w)) by (intros; ring).
    rewrite sum_plus, sum_const, sum_scale, INR_IZR_INZ, Z2Nat.id by lia.
    destruct (Z.eq_dec X 0) as [->|nz].
    + rewrite thin_zero. field. lra.
    + rewrite sum_thin, Z2Nat.id by lia. assert (0 < IZR X) by (apply (IZR_lt 0); lia). field. lra.
  - intros []; [|reflexivity]. apply Next. intros w Hw. apply (IH F T (Some w)); lia.
Qed.

(** On a grid the number [x] stays what it is. *)
Lemma falls_evenly_keeps fuel X : always N (falls_evenly g fuel X) (fun r => snd r = X).
Proof.
  destruct fuel as [|fuel]; cbn [falls_evenly]; [exact I|]. intros w Hw. cbn [below grid bind].
  destruct (w <? X)%Z; [|reflexivity]. apply always_bind.
  apply always_mono with (fun _ => True); [intros [] _; reflexivity|].
  generalize (falls_evenly g fuel w). induction p; cbn [always]; auto.
Qed.

Lemma thinned_keeps fuel X : forall last, always N (thinned g grid_coin fuel X last) (fun r => snd r = X).
Proof.
  induction fuel as [|fuel IH]; intros last; cbn [thinned]; [exact I|]. intros c Hc.
  destruct (c <? H)%Z; [|reflexivity]. intros w Hw. destruct last as [y|]; cbn [below grid bind].
  - destruct (w <? y)%Z; [|reflexivity]. intros v Hv. cbn [below grid bind]. destruct (v <? X)%Z; [|reflexivity].
    apply always_bind. eapply always_mono; [|apply IH]. intros [e x] E. exact E.
  - destruct (w <? X)%Z; [|reflexivity]. intros v Hv. cbn [below grid bind]. destruct (v <? X)%Z; [|reflexivity].
    apply always_bind. eapply always_mono; [|apply IH]. intros [e x] E. exact E.
Qed.

(** [X3] The thinned run from [X/N] has an even length with probability [(1 - X/(2*N^2))^X]. *)
Theorem probability_of_thinned fuel X : (0 <= X < N)%Z -> (Z.to_nat X < fuel)%nat ->
  probability N (thinned g grid_coin fuel X None) fst = thin X X.
Proof. intros HX Hf. unfold probability. etransitivity; [
  exact (mass_thinned fuel X HX 1 0 None HX Hf)|cbv iota; ring]. Qed.

(** [X3] That probability is [e^(-x^2/2)] for [x = X/N], up to [1/(2*N)]. *)
Theorem thinned_is_near_exp X : (0 <= X < N)%Z -> let x := IZR X / IZR N in
  exp (- (x * x / 2)) - 1 / (2 * IZR N) <= thin X X <= exp (- (x * x / 2)).
Proof.
  intros HX x. unfold thin. assert (HN : 2 <= IZR N) by (apply (IZR_le 2); lia).
  assert (Hx : 0 <= x <= 1).
  { assert (0 <= IZR X <= IZR N) by (split; apply IZR_le; lia). unfold x. split.
    - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
    - apply Rmult_le_reg_r with (IZR N); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  set (p := IZR X / (2 * IZR N * IZR N)).
  assert (Ep : p = x / 2 * / IZR N) by (unfold p, x; field; lra).
  assert (HI : 0 < / IZR N <= 1 / 2).
  { split; [apply Rinv_0_lt_compat; lra|]. apply Rmult_le_reg_r with (IZR N); [lra|]. rewrite Rinv_l by lra. lra. }
  assert (Hp : 0 <= p <= 1 / 2) by (rewrite Ep; nra).
  pose proof (power_near_exp p (Z.to_nat X) Hp) as P. rewrite INR_IZR_INZ, Z2Nat.id in P by lia.
  replace (IZR X * p) with (x * x / 2) in P by (rewrite Ep; unfold x; field; lra).
  replace (2 * p * p * IZR X) with (x * x * x * (1 / (2 * IZR N))) in P by (rewrite Ep; unfold x; field; lra).
  assert (x * x * x <= 1) by nra.
  assert (0 < 1 / (2 * IZR N)) by (apply Rdiv_lt_0_compat; lra).
  assert (x * x * x * (1 / (2 * IZR N)) <= 1 * (1 / (2 * IZR N))) by (apply Rmult_le_compat_r; lra).
  lra.
Qed.

Lemma mass_fraction fuel X t f : (0 <= X < N)%Z -> (Z.to_nat N <= fuel)%nat -> forall k,
  mass N (accepts_fraction g grid_coin fuel k X) (fun r => if fst r then t (snd r) else f)
  = even X ^ k * thin X X * t X + (1 - even X ^ k * thin X X) * f.
Proof.
  intros HX Hf. induction k as [|k IH]; cbn [accepts_fraction pow].
  - rewrite (mass_ext_always N _ _ (fun r : bool * num g => if fst r then t X else f)).
    + etransitivity; [apply (mass_thinned fuel X HX (t X) f None HX); lia|cbv iota; ring].
    + eapply always_mono; [|apply thinned_keeps]. intros [b x] E. cbn [snd] in E. cbn [fst snd]. rewrite E. reflexivity.
  - rewrite mass_bind.
    rewrite (mass_ext_always N _ _ (fun r : bool * num g =>
      if fst r then even X ^ k * thin X X * t X + (1 - even X ^ k * thin X X) * f else f)).
    + rewrite (mass_falls_evenly N N_large fuel X
        (fun _ => even X ^ k * thin X X * t X + (1 - even X ^ k * thin X X) * f) (fun _ => f)) by lia. ring.
    + eapply always_mono; [|apply falls_evenly_keeps]. intros [[] x] E; cbn [snd] in E; cbn [fst]; [|reflexivity].
      rewrite E. exact IH.
Qed.

Definition accepted (k X : Z) (negative : bool) (r : option (bool * Z * Z)) : bool :=
  match r with
  | Some (s, k', X') => (Bool.eqb s negative && (k' =? k) && (X' =? X))%Z%bool
  | None => false
  end.

Definition weight (k X : Z) : R :=
  even H ^ Z.to_nat k * even H ^ Z.to_nat (k * Z.max 0 (k - 1)) * (even X ^ Z.to_nat k * thin X X).

(** [X3] One proposal of a normal number is accepted as [k], [X] and a sign with this probability: a constant times
    [weight k X]. *)
Theorem probability_of_a_proposal fuel rounds k X negative :
  (0 <= X < N)%Z -> (0 <= k < Z.of_nat rounds)%Z -> (Z.to_nat N <= fuel)%nat ->
  probability N (proposal g grid_coin fuel rounds) (accepted k X negative)
  = (1 - even H) / (2 * IZR N) * weight k X.
Proof.
  intros HX Hk Hf. unfold probability.
  set (ok := fun r => if accepted k X negative r then 1 else 0).
  (* what follows the whole part j *)
  pose (rest := fun j => mass N (whole <- accepts_whole g fuel j ;;
    if whole then
      x <- draw g ;;
      '(accepted, x) <- accepts_fraction g grid_coin fuel (Z.to_nat j) x ;;
      if accepted then negative <- grid_coin ;; Return (Some (negative, j, x)) else Return None
    else Return None) ok).
  assert (Rest : forall j, (0 <= j)%Z -> rest j = if (j =? k)%Z then
    even H ^ Z.to_nat (k * Z.max 0 (k - 1)) * (even X ^ Z.to_nat k * thin X X) / (2 * IZR N) else 0).
  { intros j Hj. unfold rest. rewrite mass_bind.
    rewrite (mass_ext N _ _ (fun b : bool => if b then
      (if (j =? k)%Z then even X ^ Z.to_nat k * thin X X / (2 * IZR N) else 0) else 0)).
    - unfold accepts_whole. rewrite mass_halves by assumption.
      destruct (Z.eqb_spec j k) as [->|]; [unfold Rdiv|]; ring.
    - intros []; [|reflexivity]. rewrite mass_bind, (mass_draw N).
      rewrite (sum_word N _ (fun w => if (w =? X)%Z then
        (if (j =? k)%Z then even X ^ Z.to_nat k * thin X X / 2 else 0) else 0)).
      + rewrite sum_at by lia. destruct (j =? k)%Z; field; lra.
      + intros w Hw. rewrite mass_bind.
        rewrite (mass_ext N _ _ (fun r : bool * num g =>
          if fst r then (if (j =? k)%Z then if (snd r =? X)%Z then 1 / 2 else 0 else 0) else 0)).
        * rewrite (mass_fraction fuel w (fun x => if (j =? k)%Z then if (x =? X)%Z then 1 / 2 else 0 else 0) 0) by lia.
          destruct (Z.eqb_spec j k) as [->|], (Z.eqb_spec w X) as [->|]; field.
        * intros [[] x]; cbn [fst snd]; [|reflexivity]. rewrite mass_bind.
          rewrite (mass_ext N _ _ (fun b : bool => if b then
            (if negative then if (j =? k)%Z then if (x =? X)%Z then 1 else 0 else 0 else 0)
            else (if negative then 0 else if (j =? k)%Z then if (x =? X)%Z then 1 else 0 else 0))).
          -- rewrite mass_coin. destruct negative, (j =? k)%Z, (x =? X)%Z; field.
          -- intros b. unfold ok, accepted. cbn [mass]. destruct b, negative, (j =? k)%Z, (x =? X)%Z; reflexivity. }
  unfold proposal. rewrite mass_bind. fold rest.
  assert (Geo : forall rounds j, (0 <= j <= k)%Z -> (k < j + Z.of_nat rounds)%Z ->
    mass N (geometric g fuel rounds j) rest = even H ^ Z.to_nat (k - j) * (1 - even H) * rest k).
  { assert (Later : forall rounds j, (k < j)%Z -> mass N (geometric g fuel rounds j) rest = 0).
    { induction rounds0 as [|n IH]; intros j Hj; cbn [geometric]; [reflexivity|]. rewrite mass_bind.
      rewrite (mass_ext N _ _ (fun b : bool => if b then 0 else 0)).
      - rewrite (mass_half N N_large fuel H) by assumption. ring.
      - intros []; [apply IH; lia|]. cbn [mass]. rewrite Rest by lia. rewrite (proj2 (Z.eqb_neq _ _)) by lia.
        reflexivity. }
    induction rounds0 as [|n IH]; intros j Hj Hn; [lia|]. cbn [geometric]. rewrite mass_bind.
    destruct (Z.eq_dec j k) as [->|ne].
    - rewrite (mass_ext N _ _ (fun b : bool => if b then 0 else rest k)).
      + rewrite (mass_half N N_large fuel H) by assumption. rewrite Z.sub_diag. cbn [Z.to_nat pow]. ring.
      + intros []; [apply Later; lia|reflexivity].
    - rewrite (mass_ext N _ _ (fun b : bool => if b then even H ^ Z.to_nat (k - (j + 1)) * (1 - even H)
      * rest k else 0)).
      + rewrite (mass_half N N_large fuel H) by assumption.
        replace (Z.to_nat (k - j)) with (S (Z.to_nat (k - (j + 1)))) by lia. cbn [pow]. ring.
      + intros []; [apply IH; lia|]. cbn [mass]. rewrite Rest by lia. rewrite (proj2 (Z.eqb_neq _ _)) by lia.
        reflexivity. }
  change (mass N (geometric g fuel rounds 0) rest = (1 - even H) / (2 * IZR N) * weight k X).
  rewrite Geo, Rest, Z.eqb_refl, Z.sub_0_r by lia. unfold weight. field. lra.
Qed.
End Grid.

(** [X3] The three factors make the normal density: [e^(-k/2)], [e^(-k(k-1)/2)], and [e^(-x)] to the power [k] times
    [e^(-x^2/2)]. *)
Theorem factors_of_the_normal_density (k : nat) (x : R) :
  exp (- (1 / 2)) ^ k * exp (- (1 / 2)) ^ (k * (k - 1)) * (exp (- x) ^ k * exp (- (x * x / 2)))
  = exp (- ((INR k + x) * (INR k + x) / 2)).
Proof.
  assert (P : forall y n, exp y ^ n = exp (INR n * y)).
  { intros y n. induction n as [|n IH]; [cbn; rewrite Rmult_0_l, exp_0; reflexivity|].
    cbn [pow]. rewrite IH, <- exp_plus, S_INR. f_equal. ring. }
  rewrite !P, <- !exp_plus. f_equal. rewrite mult_INR.
  destruct k as [|k]; [cbn [INR Nat.sub Nat.mul]; field|]. rewrite minus_INR by lia. cbn [INR]. field.
Qed.
