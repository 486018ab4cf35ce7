(** * Logarithms between integers

    Gumbel noise is [-ln E] of an exponential number [E]. The logarithm of an integer is enclosed between two integers,
    in units of [2^(-bits)], by a series in which every operation rounds down.

    _Not covered_: the widths of Rust's integers. The first digits are computed in 128 bits, which suffice for [E] below
    4096; a larger one has coarse bounds there, and more digits decide.

    Link: by the tables of [Kernels], which [noise/gumbel.rs] has to reproduce. *)

Require Import ZArith Reals List Lia Lra Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope Z_scope.

(** ** The programs *)

(** The loop of [artanh], with the sum so far, the power, its square and the odd number. *)
Fixpoint artanh_from (fuel : nat) (bits below power square odd : Z) : option (Z * Z) :=
  match fuel with
  | O => None
  | S fuel =>
    if power =? 0 then Some (below, below + (2 * odd + 2))
    else artanh_from fuel bits (below + power / odd) (power * square / 2 ^ bits) square (odd + 2)
  end.

(** Bounds of [artanh (n/d)], for a quotient from 0 to 1/3. *)
Definition artanh (fuel : nat) (n d bits : Z) : option (Z * Z) :=
  let power := n * 2 ^ bits / d in
  artanh_from fuel bits 0 power (power * power / 2 ^ bits) 1.

(** Bounds of [k*ln 2]. *)
Definition ln_of_power_of_two (fuel : nat) (bits k : Z) : option (Z * Z) :=
  match artanh fuel 1 3 bits with
  | Some (below, above) => Some (below * 2 * k, above * 2 * k)
  | None => None
  end.

(** Bounds of [ln a], for an integer [a > 0]. *)
Definition ln_of (fuel : nat) (bits a : Z) : option (Z * Z) :=
  let digits := Z.log2 a + 1 in
  let is_high := ((1 <? digits) && (a / 2 ^ (digits - 2) =? 3))%bool in
  let k := if is_high then digits else digits - 1 in
  let power := 2 ^ k in
  match ln_of_power_of_two fuel bits k,
        artanh fuel (if is_high then power - a else a - power) (power + a) bits with
  | Some (twos_below, twos_above), Some (below, above) =>
    if is_high then Some (twos_below - above * 2, twos_above - below * 2)
    else Some (twos_below + below * 2, twos_above + above * 2)
  | _, _ => None
  end.

(** Bounds of [-ln E], where [E] lies between [a] and [a + 1] in units of [2^(-places)]. *)
Definition gumbel (fuel : nat) (bits places a : Z) : option (Z * option Z) :=
  match ln_of_power_of_two fuel bits places, ln_of fuel bits (a + 1) with
  | Some (unit_below, unit_above), Some (_, above) =>
    let below := unit_below - above in
    if a =? 0 then Some (below, None) else
    match ln_of fuel bits a with Some (low, _) => Some (below, Some (unit_above - low)) | None => None end
  | _, _ => None
  end.

(** ** The series *)

Open Scope R_scope.

(** The sum of the first [n] terms [z^(2i+1)/(2i+1)]. *)
Fixpoint terms (n : nat) (z : R) : R :=
  match n with O => 0 | S n => terms n z + z ^ (2 * n + 1) / INR (2 * n + 1) end.

Definition artanh_real (z : R) : R := (ln (1 + z) - ln (1 - z)) / 2.

Lemma odd_pos n : 0 < INR (2 * n + 1).
Proof. apply lt_0_INR. lia. Qed.

Lemma derive_terms n z : -1 < z < 1 -> is_derive (terms n) z ((1 - z ^ (2 * n)) / (1 - z * z)).
Proof.
  intros Hz. induction n as [|n IH].
  - cbn [terms]. evar_last; [apply @is_derive_const|]. cbn. unfold zero. cbn. field. nra.
  - cbn [terms]. evar_last.
    + apply @is_derive_plus with (f := terms n); [exact IH|].
      instantiate (1 := z ^ (2 * n)). pose proof (odd_pos n) as Ho. set (m := (2 * n + 1)%nat) in *.
      auto_derive; [trivial|]. replace (pred m) with (2 * n)%nat by (unfold m; lia). field. lra.
    + unfold plus. cbn [AbelianGroup.plus]. replace (2 * S n)%nat with (2 * n + 2)%nat by lia. rewrite pow_add.
      cbn. field. nra.
Qed.

Lemma derive_artanh z : -1 < z < 1 -> is_derive artanh_real z (/ (1 - z * z)).
Proof. intros Hz. unfold artanh_real. auto_derive; [lra|]. field. nra. Qed.

(** What grows from 0 on is not negative. *)
Lemma grows f f' z : 0 <= z -> f 0 = 0 -> (forall x, 0 <= x <= z -> is_derive f x (f' x) /\ 0 <= f' x) -> 0 <= f z.
Proof.
  intros Hz H0 H. destruct (MVT_gen f 0 z f') as (c & Hc & E).
  - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. apply H. lra.
  - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. apply continuity_pt_filterlim.
    apply (ex_derive_continuous f). exists (f' x). apply H. lra.
  - rewrite Rmin_left, Rmax_right in Hc by lra. destruct (H c Hc) as [_ P]. nra.
Qed.

Lemma terms_zero n : terms n 0 = 0.
Proof. induction n as [|n IH]; cbn [terms]; [reflexivity|]. rewrite IH, Nat.add_1_r. cbn [pow]. unfold Rdiv. ring. Qed.

(** The rest of the series is not negative, and at most its first term times [1/(1 - z^2)]. *)
Lemma rest_of_series n z : 0 <= z < 1 ->
  0 <= artanh_real z - terms n z <= z ^ (2 * n + 1) / INR (2 * n + 1) / (1 - z * z).
Proof.
  intros Hz. pose proof (odd_pos n) as Ho. split.
  - apply (grows (fun z => artanh_real z - terms n z) (fun z => z ^ (2 * n) / (1 - z * z))); [lra| |].
    + unfold artanh_real. rewrite terms_zero, Rplus_0_r. replace (1 - 0) with 1 by ring. rewrite ln_1. field.
    + intros x Hx. split.
      * evar_last; [apply @is_derive_minus; [apply derive_artanh; lra|apply derive_terms; lra]|].
        unfold minus, plus, opp. cbn. field. nra.
      * apply Rmult_le_pos; [apply pow_le; lra|]. left. apply Rinv_0_lt_compat. nra.
  - apply Rminus_le_0.
    apply (grows (fun z => z ^ (2 * n + 1) / INR (2 * n + 1) / (1 - z * z) - (artanh_real z - terms n z))
                 (fun z => 2 * z * z ^ (2 * n + 1) / INR (2 * n + 1) / ((1 - z * z) * (1 - z * z)))); [lra| |].
    + unfold artanh_real. rewrite terms_zero, Rplus_0_r, Nat.add_1_r. replace (1 - 0) with 1 by ring.
      rewrite ln_1. cbn [pow]. unfold Rdiv. ring.
    + intros x Hx. split.
      * evar_last.
        -- apply @is_derive_minus.
           ++ instantiate (1 := x ^ (2 * n) / (1 - x * x) + 2 * x * x ^ (2 * n + 1) / INR (2 * n + 1) / ((1 - x
             * x) * (1 - x * x))).
              set (m := (2 * n + 1)%nat) in *. auto_derive; [nra|].
              replace (pred m) with (2 * n)%nat by (unfold m; lia).
              replace (x ^ m) with (x * x ^ (2 * n)) by (unfold m; rewrite Nat.add_1_r; reflexivity).
              field. split; nra.
           ++ apply @is_derive_minus; [apply derive_artanh; lra|apply derive_terms; lra].
        -- unfold minus, plus, opp. cbn. field. split; [apply not_0_INR; lia|nra].
      * assert (0 < 1 - x * x) by nra. assert (0 < (1 - x * x) * (1 - x * x)) by nra.
        unfold Rdiv. repeat apply Rmult_le_pos; try lra; try (apply pow_le; lra); left; apply Rinv_0_lt_compat; lra.
Qed.

(** ** The bounds *)

Lemma floor_bounds a b : (0 < b)%Z -> IZR (a / b) <= IZR a / IZR b < IZR (a / b) + 1.
Proof.
  intros Hb. pose proof (Z.div_mod a b ltac:(lia)) as D. pose proof (Z.mod_pos_bound a b Hb) as [M0 M1].
  apply (f_equal IZR) in D. rewrite plus_IZR, mult_IZR in D. apply IZR_le in M0. apply IZR_lt in M1.
  apply IZR_lt in Hb. split; [apply Rmult_le_reg_r with (IZR b)|apply Rmult_lt_reg_r with (IZR b)]; trivial;
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; lra.
Qed.

Section Bounds.
Variable bits : Z.
Hypothesis bits_pos : (0 <= bits)%Z.
Let U := IZR (2 ^ bits).
Let two_pos : (0 < 2 ^ bits)%Z. Proof. apply Z.pow_pos_nonneg; lia. Qed.
Let U_pos : 1 <= U. Proof. apply (IZR_le 1). pose proof two_pos. lia. Qed.

Variable z : R.
Hypothesis z_small : 0 <= z <= 1 / 3.

(** The power of the loop is less than 2 units too small, its square less than 5/3. *)
Lemma power_step n power square :
  (0 <= power)%Z -> IZR power <= z ^ (2 * n + 1) * U < IZR power + 2 ->
  (0 <= square)%Z -> IZR square <= z * z * U < IZR square + 5 / 3 ->
  (0 <= power * square / 2 ^ bits)%Z /\
  IZR (power * square / 2 ^ bits) <= z ^ (2 * S n + 1) * U < IZR (power * square / 2 ^ bits) + 2.
Proof.
  intros P0 HP S0 HS. split; [apply Z.div_pos; nia|].
  pose proof (floor_bounds (power * square) (2 ^ bits) two_pos) as F. fold U in F. rewrite mult_IZR in F.
  replace (2 * S n + 1)%nat with (S (S (2 * n + 1))) by lia. cbn [pow].
  set (p := z ^ (2 * n + 1)) in *. apply IZR_le in P0, S0.
  assert (Hp : 0 <= p <= 1 / 3).
  { unfold p. rewrite Nat.add_1_r. cbn [pow]. assert (0 <= z ^ (2 * n) <= 1).
    { split; [apply pow_le; lra|]. rewrite <- (pow1 (2 * n)). apply pow_incr. lra. }
    split; nra. }
  set (q := IZR power) in *. set (s := IZR square) in *.
  assert (E : (z * (z * p)) * U = (p * U) * (z * z * U) / U) by (field; lra).
  assert (Lo : q * s / U <= z * (z * p) * U).
  { rewrite E. unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. apply Rmult_le_compat; lra. }
  assert (D : (p * U) * (z * z * U) - q * s <= (2 * (1 / 9) + 5 / 3 * (1 / 3)) * U).
  { assert (A : p * U * (z * z * U) - q * s = (p * U - q) * (z * z * U) + q * (z * z * U - s)) by ring. rewrite A.
    assert (z * z <= 1 / 9) by nra.
    assert ((p * U - q) * (z * z * U) <= 2 * (1 / 9 * U)) by (apply Rmult_le_compat; nra).
    assert (q * (z * z * U - s) <= 1 / 3 * U * (5 / 3)) by (apply Rmult_le_compat; nra). lra. }
  assert (Up : z * (z * p) * U - q * s / U <= 7 / 9).
  { rewrite E. replace (p * U * (z * z * U) / U - q * s / U) with ((p * U * (z * z * U) - q * s) / U) by (field; lra).
    apply Rmult_le_reg_r with U; [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. lra. }
  split; lra.
Qed.

Lemma artanh_loop fuel : forall n power square below, let odd := Z.of_nat (2 * n + 1) in
  (0 <= power)%Z -> IZR power <= z ^ (2 * n + 1) * U < IZR power + 2 ->
  (0 <= square)%Z -> IZR square <= z * z * U < IZR square + 5 / 3 ->
  IZR below <= terms n z * U <= IZR below + 3 * INR n ->
  forall low high, artanh_from fuel bits below power square odd = Some (low, high) ->
  IZR low <= artanh_real z * U < IZR high.
Proof.
  induction fuel as [|fuel IH]; intros n power square below odd P0 HP S0 HS HB low high E; [discriminate|].
  cbn [artanh_from] in E. pose proof (odd_pos n) as Ho.
  destruct (Z.eqb_spec power 0) as [->|nz].
  - assert (low = below) as -> by congruence. assert (high = below + (2 * odd + 2))%Z as -> by congruence. clear E.
    destruct (rest_of_series n z ltac:(lra)) as [L H].
    assert (R2 : z ^ (2 * n + 1) / INR (2 * n + 1) / (1 - z * z) * U <= 9 / 4).
    { assert (1 <= INR (2 * n + 1)) by (apply (le_INR 1); lia).
      assert (0 <= z ^ (2 * n + 1)) by (apply pow_le; lra).
      assert (8 / 9 <= 1 - z * z) by nra.
      replace (z ^ (2 * n + 1) / INR (2 * n + 1) / (1 - z * z) * U)
        with (z ^ (2 * n + 1) * U * (/ INR (2 * n + 1)) * / (1 - z * z)) by (field; lra).
      assert (/ INR (2 * n + 1) <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
      assert (/ (1 - z * z) <= 9 / 8) by (replace (9 / 8) with (/ (8 / 9)) by field; apply Rinv_le_contravar; lra).
      assert (0 < / INR (2 * n + 1)) by (apply Rinv_0_lt_compat; lra).
      assert (0 < / (1 - z * z)) by (apply Rinv_0_lt_compat; lra).
      assert (z ^ (2 * n + 1) * U * / INR (2 * n + 1) <= 2 * 1) by (apply Rmult_le_compat; nra).
      replace (9 / 4) with (2 * 1 * (9 / 8)) by field. apply Rmult_le_compat; try lra.
      apply Rmult_le_pos; nra. }
    assert (HU : (artanh_real z - terms n z) * U <= 9 / 4) by nra.
    assert (L' : 0 <= (artanh_real z - terms n z) * U) by (apply Rmult_le_pos; lra).
    split; [lra|]. replace (2 * odd + 2)%Z with (4 * Z.of_nat n + 4)%Z by (unfold odd; lia).
    rewrite !plus_IZR, mult_IZR, <- INR_IZR_INZ. pose proof (pos_INR n). lra.
  - destruct (power_step n power square P0 HP S0 HS) as [P1 HP1].
    replace (odd + 2)%Z with (Z.of_nat (2 * S n + 1)) in E by (unfold odd; lia).
    apply (IH (S n) _ square _ P1 HP1 S0 HS) in E; [exact E|].
    cbn [terms]. rewrite plus_IZR, S_INR.
    pose proof (floor_bounds power odd ltac:(unfold odd; lia)) as F.
    assert (Eo : IZR odd = INR (2 * n + 1)) by (unfold odd; symmetry; apply INR_IZR_INZ). rewrite Eo in F.
    assert (1 <= INR (2 * n + 1)) by (apply (le_INR 1); lia).
    assert (A : IZR power / INR (2 * n + 1) <= z ^ (2 * n + 1) / INR (2 * n + 1) * U
                <= IZR power / INR (2 * n + 1) + 2).
    { replace (z ^ (2 * n + 1) / INR (2 * n + 1) * U) with (z ^ (2 * n + 1) * U * / INR (2 * n + 1)) by (field; lra).
      assert (0 < / INR (2 * n + 1) <= 1).
      { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
      unfold Rdiv. split; [apply Rmult_le_compat_r; lra|].
      apply Rle_trans with ((IZR power + 2) * / INR (2 * n + 1)); [apply Rmult_le_compat_r; lra|lra]. }
    rewrite Rmult_plus_distr_r. lra.
Qed.
End Bounds.

(** [B2] The two integers enclose [artanh (n/d)], in units of [2^(-bits)], for every quotient from 0 to 1/3. *)
Theorem artanh_is_enclosed fuel n d bits low high : (0 <= bits)%Z -> (0 <= n)%Z -> (0 < d)%Z -> (3 * n <= d)%Z ->
  artanh fuel n d bits = Some (low, high) ->
  IZR low <= artanh_real (IZR n / IZR d) * IZR (2 ^ bits) < IZR high.
Proof.
  intros Hb Hn Hd Hnd. unfold artanh. set (z := IZR n / IZR d). set (power := (n * 2 ^ bits / d)%Z).
  assert (H2 : (0 < 2 ^ bits)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (P0 : (0 <= power)%Z) by (apply Z.div_pos; nia).
  assert (Hz : 0 <= z <= 1 / 3).
  { apply IZR_le in Hn, Hnd. apply IZR_lt in Hd. rewrite mult_IZR in Hnd. unfold z. split.
    - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
    - apply Rmult_le_reg_r with (IZR d); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  pose proof (floor_bounds (n * 2 ^ bits) d Hd) as F. fold power in F. rewrite mult_IZR in F.
  set (U := IZR (2 ^ bits)) in *. assert (HU : 1 <= U) by (apply (IZR_le 1); lia).
  replace (IZR n * U / IZR d) with (z * U) in F by (unfold z; field; apply IZR_lt in Hd; lra).
  pose proof (floor_bounds (power * power) (2 ^ bits) H2) as G. fold U in G. rewrite mult_IZR in G.
  assert (S0 : (0 <= power * power / 2 ^ bits)%Z) by (apply Z.div_pos; nia).
  apply IZR_le in P0 as P0'. set (p := IZR power) in *.
  intros E. refine (artanh_loop bits Hb z Hz fuel 0 power _ 0 P0 _ S0 _ _ low high E); fold U; fold p.
  - cbn [Nat.mul Nat.add pow]. rewrite Rmult_1_r. lra.
  - (* the square *)
    assert (p * p / U <= z * z * U).
    { apply Rmult_le_reg_r with U; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      replace (z * z * U * U) with ((z * U) * (z * U)) by ring. apply Rmult_le_compat; lra. }
    assert (z * z * U <= p * p / U + 2 / 3).
    { apply Rmult_le_reg_r with U; [lra|].
      replace ((p * p / U + 2 / 3) * U) with (p * p + 2 / 3 * U) by (field; lra).
      replace (z * z * U * U) with ((z * U) * (z * U)) by ring.
      assert (z * U - p <= 1) by lra. assert (z * U <= 1 / 3 * U) by (apply Rmult_le_compat_r; lra).
      assert ((z * U - p) * (z * U + p) <= 1 * (2 / 3 * U)) by (apply Rmult_le_compat; lra). lra. }
    lra.
  - cbn [terms INR]. rewrite Rmult_0_l, Rmult_0_r. lra.
Qed.

Lemma artanh_of_quotient a p : 0 < p -> 0 < a -> artanh_real ((a - p) / (a + p)) = (ln a - ln p) / 2.
Proof.
  intros Hp Ha. unfold artanh_real.
  replace (1 + (a - p) / (a + p)) with (2 * a / (a + p)) by (field; lra).
  replace (1 - (a - p) / (a + p)) with (2 * p / (a + p)) by (field; lra).
  assert (Q : forall x, 0 < x -> ln (2 * x / (a + p)) = ln 2 + ln x - ln (a + p)).
  { intros x Hx. unfold Rdiv. rewrite ln_mult, ln_mult, ln_Rinv; try lra. apply Rinv_0_lt_compat. lra. }
  rewrite !Q by assumption. field.
Qed.

Lemma ln_two_pow k : (0 <= k)%Z -> ln (IZR (2 ^ k)) = IZR k * ln 2.
Proof.
  intros Hk. pattern k. apply natlike_ind; [|clear k Hk; intros k Hk IH|exact Hk].
  - rewrite Z.pow_0_r, ln_1. ring.
  - assert (0 < 2 ^ k)%Z by (apply Z.pow_pos_nonneg; lia).
    rewrite Z.pow_succ_r, mult_IZR, ln_mult, IH, succ_IZR by (try lra; try (apply (IZR_lt 0); lia); lia). ring.
Qed.

Lemma ln_of_two_is_enclosed fuel bits k low high : (0 <= bits)%Z -> (0 <= k)%Z ->
  ln_of_power_of_two fuel bits k = Some (low, high) ->
  IZR low <= IZR k * ln 2 * IZR (2 ^ bits) <= IZR high.
Proof.
  intros Hb Hk. unfold ln_of_power_of_two. destruct (artanh fuel 1 3 bits) as [[l h]|] eqn:E; [|discriminate].
  intros [= <- <-]. apply artanh_is_enclosed in E; try lia.
  replace (artanh_real (1 / 3)) with (ln 2 / 2) in E.
  2: { replace (1 / 3) with ((2 - 1) / (2 + 1)) by field. rewrite artanh_of_quotient, ln_1 by lra. field. }
  rewrite !mult_IZR. apply IZR_le in Hk. set (u := ln 2 / 2 * IZR (2 ^ bits)) in *.
  replace (IZR k * ln 2 * IZR (2 ^ bits)) with (u * 2 * IZR k) by (unfold u; field).
  split; apply Rmult_le_compat_r; lra.
Qed.

(** [B2] The logarithm of every positive integer lies between the two integers, in units of [2^(-bits)]. *)
Theorem ln_is_enclosed fuel bits a low high : (0 <= bits)%Z -> (0 < a)%Z -> ln_of fuel bits a = Some (low, high) ->
  IZR low <= ln (IZR a) * IZR (2 ^ bits) <= IZR high.
Proof.
  intros Hb Ha. unfold ln_of. set (digits := (Z.log2 a + 1)%Z).
  pose proof (Z.log2_nonneg a) as Hl. pose proof (Z.log2_spec a Ha) as [L1 L2].
  replace (Z.succ (Z.log2 a)) with digits in L2 by (unfold digits; lia).
  replace (Z.log2 a) with (digits - 1)%Z in L1, Hl by (unfold digits; lia).
  set (is_high := ((1 <? digits) && (a / 2 ^ (digits - 2) =? 3))%Z%bool).
  assert (Case : if is_high then (3 * 2 ^ digits <= 4 * a /\ a <= 2 ^ digits)%Z
                 else (2 ^ (digits - 1) <= a /\ 2 * a <= 3 * 2 ^ (digits - 1))%Z).
  { unfold is_high. destruct (Z.ltb_spec 1 digits) as [H1|H1].
    - assert (P : (0 < 2 ^ (digits - 2))%Z) by (apply Z.pow_pos_nonneg; lia).
      assert (E1 : (2 ^ (digits - 1) = 2 * 2 ^ (digits - 2))%Z) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
      assert (E2 : (2 ^ digits = 4 * 2 ^ (digits - 2))%Z).
      { replace digits with (Z.succ (Z.succ (digits - 2))) at 1 by lia. rewrite !Z.pow_succ_r by lia. ring. }
      pose proof (Z.div_mod a (2 ^ (digits - 2)) ltac:(lia)) as D.
      pose proof (Z.mod_pos_bound a (2 ^ (digits - 2)) P) as M. rewrite E1 in *. rewrite E2 in *.
      destruct (Z.eqb_spec (a / 2 ^ (digits - 2)) 3) as [E|ne]; cbn [andb].
      + rewrite E in D. lia.
      + split; [lia|]. assert (a / 2 ^ (digits - 2) < 3)%Z; [|nia].
        assert (a / 2 ^ (digits - 2) < 4)%Z by (apply Z.div_lt_upper_bound; lia). lia.
    - cbn [andb]. replace digits with 1%Z in * by lia. change (2 ^ (1 - 1))%Z with 1%Z in *.
      change (2 ^ 1)%Z with 2%Z in *. lia. }
  set (k := if is_high then digits else (digits - 1)%Z).
  assert (Hk : (0 <= k)%Z) by (unfold k; destruct is_high; lia).
  assert (P : (0 < 2 ^ k)%Z) by (apply Z.pow_pos_nonneg; lia).
  destruct (ln_of_power_of_two fuel bits k) as [[tl th]|] eqn:ET; [|discriminate].
  apply ln_of_two_is_enclosed in ET; try assumption. rewrite <- ln_two_pow in ET by exact Hk.
  assert (Pr : 0 < IZR (2 ^ k)) by (apply (IZR_lt 0); exact P).
  assert (Ar : 0 < IZR a) by (apply (IZR_lt 0); exact Ha).
  destruct is_high; unfold k in *; clear k.
  - destruct (artanh fuel (2 ^ digits - a) (2 ^ digits + a) bits) as [[l h]|] eqn:EA; [|discriminate].
    apply artanh_is_enclosed in EA; try lia. intros [= <- <-].
    rewrite minus_IZR, plus_IZR, artanh_of_quotient in EA by assumption.
    rewrite !minus_IZR, !mult_IZR. lra.
  - destruct (artanh fuel (a - 2 ^ (digits - 1)) (2 ^ (digits - 1) + a) bits) as [[l h]|] eqn:EA; [|discriminate].
    apply artanh_is_enclosed in EA; try lia. intros [= <- <-].
    rewrite minus_IZR, plus_IZR, (Rplus_comm (IZR (2 ^ _))), artanh_of_quotient in EA by assumption.
    rewrite !plus_IZR, !mult_IZR. lra.
Qed.

(** [B2] Gumbel noise [-ln E] lies between its two integers, for every [E] between [a] and [a + 1] in units of
    [2^(-places)]. *)
Theorem gumbel_is_enclosed fuel bits places a below above E : (0 <= bits)%Z -> (0 <= places)%Z -> (0 <= a)%Z -> 0 < E ->
  IZR a <= E * IZR (2 ^ places) <= IZR a + 1 -> gumbel fuel bits places a = Some (below, above) ->
  IZR below <= - ln E * IZR (2 ^ bits) /\
  match above with Some above => - ln E * IZR (2 ^ bits) <= IZR above | None => True end.
Proof.
  intros Hb Hp Ha HE HI. unfold gumbel.
  destruct (ln_of_power_of_two fuel bits places) as [[ul uh]|] eqn:EU; [|discriminate].
  destruct (ln_of fuel bits (a + 1)) as [[l1 h1]|] eqn:E1; [|discriminate].
  apply ln_of_two_is_enclosed in EU; try assumption. apply ln_is_enclosed in E1; try lia.
  rewrite <- ln_two_pow in EU by exact Hp.
  set (U := IZR (2 ^ bits)) in *. assert (HU : 0 < U) by (apply (IZR_lt 0), Z.pow_pos_nonneg; lia).
  set (P := IZR (2 ^ places)) in *. assert (HP : 0 < P) by (apply (IZR_lt 0), Z.pow_pos_nonneg; lia).
  assert (EQ : ln (E * P) = ln E + ln P) by (apply ln_mult; assumption).
  assert (Hln : forall x y, 0 < x -> x <= y -> ln x * U <= ln y * U).
  { intros x y Hx [Hxy|<-]; [|lra]. apply Rmult_le_compat_r; [lra|]. left. apply ln_increasing; assumption. }
  assert (Lo : IZR (ul - h1) <= - ln E * U).
  { rewrite minus_IZR. rewrite plus_IZR in E1.
    assert (ln (E * P) * U <= ln (IZR a + 1) * U) by (apply Hln; [apply Rmult_lt_0_compat; assumption|lra]).
    rewrite EQ in *. lra. }
  destruct (Z.eqb_spec a 0) as [->|nz]; [intros [= <- <-]; split; [exact Lo|exact I]|].
  destruct (ln_of fuel bits a) as [[l0 h0]|] eqn:E0; [|discriminate]. intros [= <- <-]. split; [exact Lo|].
  apply ln_is_enclosed in E0; try lia. fold U in E0. rewrite minus_IZR.
  assert (ln (IZR a) * U <= ln (E * P) * U) by (apply Hln; [apply (IZR_lt 0); lia|lra]).
  rewrite EQ in *. lra.
Qed.
