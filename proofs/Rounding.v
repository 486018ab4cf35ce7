(** * Noise rounded to integers

    Noise is a scale times normal numbers, or times those and a random length (Laplace noise). Each coordinate lies in
    an interval whose ends are integers over a power of two. If both ends round to the same integer, that is the
    rounded noise. Otherwise another limb of all numbers is drawn. A scale is a double, and so it is [m*2^e] exactly.

    _Not covered_: that a normal vector of random length has the Laplace law. It is an integral, and proved on paper.

    Link: by the tables of [Kernels], which [noise/scale.rs], [noise/gaussian.rs] and [noise/laplace.rs] have to
    reproduce. *)

Require Import ZArith Reals List Lia Lra Psatz.
From Flocq Require Import Core.Raux Core.Zaux.
From Karcher Require Import Words Uniform Exponential Normal.
Import ListNotations.
Open Scope Z_scope.

Definition W : Z := 2 ^ 64.

(** ** The programs *)

(** The integer next below [sign * x/2^p + 1/2]. *)
Definition rounded (negative : bool) (p x : Z) : Z := ((if negative then - x else x) + 2 ^ (p - 1)) / 2 ^ p.

(** The rounded number, if it is the same at both ends. *)
Definition round (e : Z) (negative : bool) (low high places : Z) : option Z :=
  let p := places - e in
  if rounded negative p low =? rounded negative p high then Some (rounded negative p low) else None.

Definition digits_before_the_point (m e : Z) : Z := Z.max 0 (Z.log2 m + 1 + e).
Definition first_limbs (m e : Z) : Z := 1 + digits_before_the_point m e / 64.

(** A number [k + x], of which [n] limbs are asked for: the integer next below [2^(64*n)*(k + x)]. *)
Definition mixed := (Z * number)%type.

Fixpoint limbs_from (x : number) (i n : nat) (a : Z) : Prog (Z * number) :=
  match n with
  | O => Return (a, x)
  | S n => '(w, x) <- limb x i ;; limbs_from x (S i) n (a * W + w)
  end.

Definition floor (t : mixed) (n : Z) : Prog (Z * mixed) :=
  let (k, x) := t in
  '(a, x) <- limbs_from x 0 (Z.to_nat n) k ;; Return (a, (k, x)).

Definition signed := (bool * mixed)%type.

Fixpoint gaussian_from (fuel : nat) (m e : Z) (n : Z) (t : signed) : Prog Z :=
  match fuel with
  | O => Stuck
  | S fuel =>
    let (negative, t) := t in
    '(a, t) <- floor t n ;;
    match round e negative (a * m) (a * m + m) (64 * n) with
    | Some z => Return z
    | None => gaussian_from fuel m e (n + 1) (negative, t)
    end
  end.

Fixpoint floors (l : list mixed) (n : Z) : Prog (Z * list mixed) :=
  match l with
  | [] => Return (0, [])
  | t :: l => '(a, t) <- floor t n ;; '(s, l) <- floors l n ;; Return (a + s, t :: l)
  end.

(** The ends of [sqrt(2*V)], from the sum of [h] exponential numbers and, in even dimensions, a normal one. *)
Definition spread_ends (n h sum : Z) (b : option Z) : Z * Z :=
  let low := sum * 2 ^ (64 * n + 1) + match b with Some b => b * b | None => 0 end in
  let high := (sum + h) * 2 ^ (64 * n + 1) + match b with Some b => (b + 1) * (b + 1) | None => 0 end in
  (Z.sqrt low, Z.sqrt high + 1).

Fixpoint laplace_round (e : Z) (n low high : Z) (l : list (signed * option Z)) : Prog (list (signed * option Z)) :=
  match l with
  | [] => Return []
  | (t, Some z) :: l => l <- laplace_round e n low high l ;; Return ((t, Some z) :: l)
  | ((negative, t), None) :: l =>
    '(c, t) <- floor t n ;;
    let z := round e negative (low * c) (high * (c + 1)) (128 * n) in
    l <- laplace_round e n low high l ;; Return (((negative, t), z) :: l)
  end.

Definition open (l : list (signed * option Z)) : bool :=
  existsb (fun c => match snd c with None => true | _ => false end) l.

Fixpoint laplace_from (fuel : nat) (m e n : Z) (exponentials : list mixed) (extra : option mixed)
    (l : list (signed * option Z)) : Prog (list Z) :=
  match fuel with
  | O => Stuck
  | S fuel =>
    if open l then
      '(sum, exponentials) <- floors exponentials n ;;
      '(b, extra) <-
        match extra with
        | None => Return (None, None)
        | Some t => '(b, t) <- floor t n ;; Return (Some b, Some t)
        end ;;
      let (low, high) := spread_ends n (Z.of_nat (length exponentials)) sum b in
      l <- laplace_round e n (low * m) (high * m) l ;;
      laplace_from fuel m e (n + 1) exponentials extra l
    else Return (map (fun c => match snd c with Some z => z | None => 0 end) l)
  end.

Fixpoint times {A} (n : nat) (p : Prog A) : Prog (list A) :=
  match n with O => Return [] | S n => a <- p ;; l <- times n p ;; Return (a :: l) end.

(** A coin is the first bit of a word. *)
Definition coin : Prog bool := Word (fun w => Return (w <? 2 ^ 63)).

Section Draw.
Variable fuel : nat.
Let numbers := limbs W fuel.

Definition draw_normal : Prog signed :=
  '(negative, k, x) <- normal numbers coin fuel fuel ;; Return (negative, (k, x)).
Definition draw_exponential : Prog mixed := exponential numbers fuel fuel 0.

(** [dim] coordinates of rounded noise of scale [m*2^e]. *)
Definition gaussian (m e : Z) (dim : nat) : Prog (list Z) :=
  times dim (t <- draw_normal ;; gaussian_from fuel m e (first_limbs m e) t).

Definition laplace (m e : Z) (dim : nat) : Prog (list Z) :=
  exponentials <- times (Nat.div2 (dim + 1)) draw_exponential ;;
  extra <- (if Nat.even dim then t <- draw_normal ;; Return (Some (snd t)) else Return None) ;;
  direction <- times dim draw_normal ;;
  laplace_from fuel m e (first_limbs m e) exponentials extra (map (fun t => (t, None)) direction).
End Draw.

(** ** Rounding *)

Open Scope R_scope.

Lemma two_pow p : (0 <= p)%Z -> IZR (2 ^ p) = bpow radix2 p.
Proof. intros H. rewrite <- IZR_Zpower by exact H. reflexivity. Qed.

Lemma rounded_is_below (negative : bool) p x : (1 <= p)%Z -> forall v,
  v * bpow radix2 p = IZR (if negative then - x else x) ->
  IZR (rounded negative p x) <= v + 1 / 2 < IZR (rounded negative p x) + 1.
Proof.
  intros Hp v Hv. unfold rounded. set (s := if negative then (- x)%Z else x) in *.
  pose proof (bpow_gt_0 radix2 p) as HB.
  assert (H2 : (0 < 2 ^ p)%Z) by (apply Z.pow_pos_nonneg; lia).
  pose proof (Z.div_mod (s + 2 ^ (p - 1)) (2 ^ p) ltac:(lia)) as D.
  pose proof (Z.mod_pos_bound (s + 2 ^ (p - 1)) (2 ^ p) H2) as M.
  set (q := ((s + 2 ^ (p - 1)) / 2 ^ p)%Z) in *. set (r := ((s + 2 ^ (p - 1)) mod 2 ^ p)%Z) in *.
  assert (E : (v + 1 / 2) * bpow radix2 p = IZR q * bpow radix2 p + IZR r).
  { rewrite Rmult_plus_distr_r, Hv.
    replace (1 / 2 * bpow radix2 p) with (IZR (2 ^ (p - 1))).
    - rewrite <- two_pow by lia. rewrite <- mult_IZR, <- !plus_IZR. f_equal. lia.
    - rewrite two_pow by lia. replace p with (1 + (p - 1))%Z at 2 by lia. rewrite bpow_plus.
      change (bpow radix2 1) with 2. field. }
  destruct M as [M0 M1]. apply IZR_le in M0. apply IZR_lt in M1. rewrite two_pow in M1 by lia.
  split; [apply Rmult_le_reg_r with (bpow radix2 p)|apply Rmult_lt_reg_r with (bpow radix2 p)]; lra.
Qed.

(** A number [v] of a sign, between two ends. *)
Definition lies (negative : bool) (low high p : Z) (v : R) : Prop :=
  let size := if negative then - v else v in IZR low <= size * bpow radix2 p <= IZR high.

(** [X3] If both ends of an interval round to the same integer, every number in it does. *)
Theorem rounding_is_exact e negative low high places z v : (1 <= places - e)%Z ->
  round e negative low high places = Some z -> lies negative low high (places - e) v ->
  Zfloor (v + 1 / 2) = z.
Proof.
  unfold round. set (p := (places - e)%Z). intros Hp. pose proof (bpow_gt_0 radix2 p) as HB.
  destruct (Z.eqb_spec (rounded negative p low) (rounded negative p high)) as [E|]; [|discriminate].
  intros [= <-] [Hl Hh].
  set (u := IZR (if negative then - low else low) / bpow radix2 p).
  set (w := IZR (if negative then - high else high) / bpow radix2 p).
  pose proof (rounded_is_below negative p low Hp u ltac:(unfold u; field; lra)) as Lu.
  pose proof (rounded_is_below negative p high Hp w ltac:(unfold w; field; lra)) as Lw.
  rewrite <- E in Lw.
  assert (B : if negative then w <= v <= u else u <= v <= w).
  { unfold u, w. destruct negative; rewrite ?opp_IZR; split;
      apply Rmult_le_reg_r with (bpow radix2 p); trivial; unfold Rdiv;
        rewrite ?Rmult_assoc, ?Rinv_l, ?Rmult_1_r by lra; lra. }
  apply Zfloor_imp. rewrite plus_IZR. destruct negative; lra.
Qed.

(** [X3] Rounding is decided at last: a number halfway between no two integers has a distance such that every interval
    around it that is shorter decides. *)
Theorem rounding_ends v : v + 1 / 2 <> IZR (Zfloor (v + 1 / 2)) -> exists distance, 0 < distance /\
  forall e (negative : bool) low high places, (1 <= places - e)%Z ->
  Rabs (IZR (if negative then - low else low) / bpow radix2 (places - e) - v) < distance ->
  Rabs (IZR (if negative then - high else high) / bpow radix2 (places - e) - v) < distance ->
  round e negative low high places = Some (Zfloor (v + 1 / 2)).
Proof.
  intros Hv. set (n := Zfloor (v + 1 / 2)) in *.
  pose proof (Zfloor_lb (v + 1 / 2)) as L. pose proof (Zfloor_ub (v + 1 / 2)) as U. fold n in L, U.
  exists (Rmin (v + 1 / 2 - IZR n) (IZR n + 1 - (v + 1 / 2))).
  split; [apply Rmin_glb_lt; lra|].
  intros e negative low high places Hp Hl Hh. unfold round. set (p := (places - e)%Z) in *.
  pose proof (bpow_gt_0 radix2 p) as HB.
  assert (One : forall x, Rabs (IZR (if negative then - x else x) / bpow radix2 p - v)
                  < Rmin (v + 1 / 2 - IZR n) (IZR n + 1 - (v + 1 / 2)) -> rounded negative p x = n).
  { intros x Hx.
    pose proof (Rmin_l (v + 1 / 2 - IZR n) (IZR n + 1 - (v + 1 / 2))).
    pose proof (Rmin_r (v + 1 / 2 - IZR n) (IZR n + 1 - (v + 1 / 2))).
    apply Rabs_def2 in Hx. set (u := IZR (if negative then - x else x) / bpow radix2 p) in *.
    pose proof (rounded_is_below negative p x Hp u ltac:(unfold u; field; lra)) as Q.
    apply Z.le_antisymm; apply Z.lt_succ_r; apply lt_IZR; rewrite succ_IZR; lra. }
  rewrite (One low Hl), (One high Hh), Z.eqb_refl. reflexivity.
Qed.

(** ** Intervals *)

(** [X3] With as many limbs as a draw begins with, [2^(places - e)] is a power of two from 2 on. *)
Theorem first_limbs_suffice m e n : (0 < m)%Z -> (first_limbs m e <= n)%Z -> (1 <= 64 * n - e)%Z.
Proof.
  unfold first_limbs, digits_before_the_point. intros Hm Hn.
  pose proof (Z.log2_nonneg m). set (d := Z.max 0 (Z.log2 m + 1 + e)) in *.
  pose proof (Z.div_mod d 64 ltac:(lia)). pose proof (Z.mod_pos_bound d 64 ltac:(lia)). lia.
Qed.

(** [X3] A normal number [t] between [a] and [a + 1] in units of [2^(-64*n)] puts the noise [m*2^e*t] between the two
    ends that are rounded. *)
Theorem gaussian_interval m e n a t (negative : bool) : (0 <= m)%Z ->
  IZR a <= t * bpow radix2 (64 * n) <= IZR a + 1 ->
  lies negative (a * m) (a * m + m) (64 * n - e)
    ((if negative then -1 else 1) * (IZR m * bpow radix2 e * t)).
Proof.
  intros Hm Ht. apply IZR_le in Hm. unfold lies.
  replace (if negative then - ((if negative then -1 else 1) * (IZR m * bpow radix2 e * t))
           else (if negative then -1 else 1) * (IZR m * bpow radix2 e * t)) with (IZR m * bpow radix2 e * t)
    by (destruct negative; ring).
  replace (IZR m * bpow radix2 e * t * bpow radix2 (64 * n - e)) with (IZR m * (t * bpow radix2 (64 * n))).
  - rewrite plus_IZR, mult_IZR. nra.
  - replace (64 * n)%Z with (e + (64 * n - e))%Z at 1 by lia. rewrite bpow_plus. ring.
Qed.

(** The roots of integers, rounded, enclose the root of a number between these. *)
Lemma roots_enclose low high x : (0 <= low)%Z -> IZR low <= x <= IZR high ->
  IZR (Z.sqrt low) <= sqrt x <= IZR (Z.sqrt high + 1).
Proof.
  intros Hlow [Lo Hi]. assert (Hhigh : (0 <= high)%Z) by (apply le_IZR; apply IZR_le in Hlow; lra).
  pose proof (Z.sqrt_spec low Hlow) as [Q1 _]. pose proof (Z.sqrt_spec high Hhigh) as [_ Q2].
  pose proof (Z.sqrt_nonneg low) as N1. pose proof (Z.sqrt_nonneg high) as N2.
  split.
  - apply IZR_le in Q1, N1. rewrite mult_IZR in Q1.
    rewrite <- (sqrt_square (IZR (Z.sqrt low))) by lra. apply sqrt_le_1_alt. lra.
  - apply IZR_lt in Q2. rewrite mult_IZR, succ_IZR in Q2. apply IZR_le in N2. rewrite plus_IZR.
    rewrite <- (sqrt_square (IZR (Z.sqrt high) + 1)) by lra. apply sqrt_le_1_alt. lra.
Qed.

(** [X3] In an even dimension the ends of the random length enclose [sqrt(2*V)], where [V] is the sum of [h] exponential
    numbers and half the square of a normal one, all of them known up to a unit of [2^(-64*n)]. *)
Theorem spread_interval n h sum b V G : (0 <= n)%Z -> (0 <= h)%Z -> (0 <= sum)%Z -> (0 <= b)%Z ->
  IZR sum <= V * bpow radix2 (64 * n) <= IZR (sum + h) -> IZR b <= G * bpow radix2 (64 * n) <= IZR b + 1 ->
  let (low, high) := spread_ends n h sum (Some b) in
  IZR low <= sqrt (2 * V + G * G) * bpow radix2 (64 * n) <= IZR high.
Proof.
  intros Hn Hh Hs Hb HV HG. unfold spread_ends. set (P := bpow radix2 (64 * n)) in *.
  assert (HP : 0 < P) by apply bpow_gt_0.
  assert (E2 : IZR (2 ^ (64 * n + 1)) = 2 * P).
  { rewrite two_pow by lia. unfold P. rewrite bpow_plus. change (bpow radix2 1) with 2. ring. }
  set (low := (sum * 2 ^ (64 * n + 1) + b * b)%Z). set (high := ((sum + h) * 2 ^ (64 * n + 1) + (b + 1) * (b + 1))%Z).
  assert (H2 : (0 < 2 ^ (64 * n + 1))%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (Hlow : (0 <= low)%Z) by (unfold low; nia).
  assert (S : sqrt (2 * V + G * G) * P = sqrt ((2 * V + G * G) * (P * P))).
  { rewrite sqrt_mult_alt, sqrt_square; [reflexivity|lra|].
    apply IZR_le in Hs. assert (0 <= V * P) by lra. assert (0 <= V) by nra. nra. }
  rewrite S. apply IZR_le in Hs, Hb. apply roots_enclose; [exact Hlow|].
  assert (Lo : IZR low <= (2 * V + G * G) * (P * P)).
  { unfold low. rewrite plus_IZR, !mult_IZR, E2. nra. }
  assert (Hi : (2 * V + G * G) * (P * P) <= IZR high).
  { unfold high. rewrite plus_IZR, !mult_IZR, E2, !plus_IZR in *. nra. }
  split; assumption.
Qed.

(** [X3] In an odd dimension the ends enclose [sqrt(2*V)], where [V] is the sum of [h] exponential numbers alone. *)
Theorem spread_interval_odd n h sum V : (0 <= n)%Z -> (0 <= sum)%Z ->
  IZR sum <= V * bpow radix2 (64 * n) <= IZR (sum + h) ->
  let (low, high) := spread_ends n h sum None in
  IZR low <= sqrt (2 * V) * bpow radix2 (64 * n) <= IZR high.
Proof.
  intros Hn Hs HV. unfold spread_ends. rewrite !Z.add_0_r. set (P := bpow radix2 (64 * n)) in *.
  assert (HP : 0 < P) by apply bpow_gt_0.
  assert (E2 : IZR (2 ^ (64 * n + 1)) = 2 * P).
  { rewrite two_pow by lia. unfold P. rewrite bpow_plus. change (bpow radix2 1) with 2. ring. }
  assert (S : sqrt (2 * V) * P = sqrt ((2 * V) * (P * P))).
  { rewrite (sqrt_mult_alt (2 * V) (P * P)), sqrt_square; [reflexivity|lra|].
    apply IZR_le in Hs. assert (0 <= V * P) by lra. assert (0 <= V) by nra. nra. }
  rewrite S. apply roots_enclose; [apply Z.mul_nonneg_nonneg; [exact Hs|apply Z.pow_nonneg; lia]|].
  rewrite !mult_IZR, E2. nra.
Qed.

(** [X3] A length between two ends, times a normal number and the scale, lies between the ends that are rounded. *)
Theorem laplace_interval m e n low high c s t (negative : bool) : (0 <= m)%Z -> (0 <= low)%Z -> (0 <= c)%Z ->
  IZR low <= s * bpow radix2 (64 * n) <= IZR high -> IZR c <= t * bpow radix2 (64 * n) <= IZR c + 1 ->
  lies negative (low * m * c) (high * m * (c + 1)) (128 * n - e)
    ((if negative then -1 else 1) * (IZR m * bpow radix2 e * (s * t))).
Proof.
  intros Hm Hl Hc Hs Ht. apply IZR_le in Hm, Hl, Hc. unfold lies. set (P := bpow radix2 (64 * n)) in *.
  replace (if negative then - ((if negative then -1 else 1) * (IZR m * bpow radix2 e * (s * t)))
           else (if negative then -1 else 1) * (IZR m * bpow radix2 e * (s * t))) with (IZR m * bpow radix2 e * (s * t))
    by (destruct negative; ring).
  replace (IZR m * bpow radix2 e * (s * t) * bpow radix2 (128 * n - e)) with (IZR m * ((s * P) * (t * P))).
  - rewrite !mult_IZR, plus_IZR. split.
    + replace (IZR low * IZR m * IZR c) with (IZR m * (IZR low * IZR c)) by ring.
      apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; lra.
    + replace (IZR high * IZR m * (IZR c + 1)) with (IZR m * (IZR high * (IZR c + 1))) by ring.
      apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; lra.
  - unfold P. replace (128 * n - e)%Z with (64 * n + 64 * n - e)%Z by lia.
    unfold Zminus at 1. rewrite !bpow_plus, bpow_opp. field. apply Rgt_not_eq, bpow_gt_0.
Qed.
