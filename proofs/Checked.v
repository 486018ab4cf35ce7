(** * The check of a length, in doubles

    A contribution must not be longer than [2^50]. Its squares are first added up as doubles, which is fast, and
    integers are used only where that leaves it open. This chapter shows that the fast check never accepts a vector
    that is too long, and that the trick by which doubles become integers gives the integer.

    _Not covered_: infinities and what is no number, for which all comparisons fail.

    Link: by the table of [SumKernels], which [records/quantum.rs] has to reproduce. *)

Require Import ZArith Reals List Lia Lra Psatz.
From Flocq Require Import Core Relative Binary Bits.
Open Scope R_scope.

(** A real number rounded to the nearest double, ties to even. *)
Definition double_format := FLT_exp (-1074) 53.
Definition RN (x : R) : R := round radix2 double_format ZnearestE x.

#[local] Instance valid_format : Valid_exp double_format.
Proof. apply FLT_exp_valid. reflexivity. Qed.

(** The relative error of one rounding. *)
Definition u : R := / 2 ^ 53.

Lemma RN_zero : RN 0 = 0.
Proof. apply round_0. apply valid_rnd_N. Qed.

Lemma RN_error x : 1 <= Rabs x -> Rabs (RN x - x) <= u * Rabs x.
Proof.
  intros Hx. unfold RN, double_format.
  replace u with (/ 2 * bpow radix2 (- 53 + 1)) by (unfold u; simpl bpow; simpl pow; lra).
  apply relative_error_N_FLT; [reflexivity|].
  apply Rle_trans with 1; [|exact Hx]. apply (bpow_le radix2 _ 0). lia.
Qed.

(** What is 0 or at least 1 loses at most its share [u], and stays 0 or at least 1. *)
Definition plain (x : R) : Prop := x = 0 \/ 1 <= x.

Lemma RN_plain x : plain x -> plain (RN x) /\ (1 - u) * x <= RN x.
Proof.
  intros [->|Hx]; [rewrite RN_zero; split; [left; reflexivity|lra]|].
  split.
  - right. replace 1 with (RN 1).
    + apply round_le; [apply valid_format|apply valid_rnd_N|exact Hx].
    + apply round_generic; [apply valid_rnd_N|].
      apply (generic_format_bpow radix2 _ 0). unfold double_format, FLT_exp. lia.
  - pose proof (RN_error x) as H. rewrite (Rabs_pos_eq x) in H by lra. specialize (H Hx).
    unfold Rabs in H. destruct (Rcase_abs _) in H; lra.
Qed.

(** ** Sums of squares *)

(** The order in which squares are added: any tree. *)
Inductive order := Square (z : Z) | Add (one other : order).

Fixpoint exact (t : order) : Z := match t with Square z => z * z | Add s t => exact s + exact t end.

(** Every step is rounded: the conversion to a double, its square, and sums. *)
Fixpoint computed (t : order) : R :=
  match t with
  | Square z => RN (RN (IZR (Z.abs z)) * RN (IZR (Z.abs z)))
  | Add s t => RN (computed s + computed t)
  end.

Fixpoint depth (t : order) : nat := match t with Square _ => 0 | Add s t => S (Nat.max (depth s) (depth t)) end.

Lemma u_small : 0 < u <= 1 / 4.
Proof. unfold u. simpl pow. lra. Qed.

Lemma power_falls m n : (m <= n)%nat -> (1 - u) ^ n <= (1 - u) ^ m.
Proof.
  intros H. pose proof u_small. replace n with (m + (n - m))%nat by lia. rewrite pow_add.
  assert (0 <= (1 - u) ^ m) by (apply pow_le; lra).
  assert ((1 - u) ^ (n - m) <= 1) by (apply Rle_trans with (1 ^ (n - m)); [apply pow_incr; lra|rewrite pow1; lra]).
  rewrite <- (Rmult_1_r ((1 - u) ^ m)) at 2. apply Rmult_le_compat_l; assumption.
Qed.

Lemma exact_nonneg t : 0 <= IZR (exact t).
Proof.
  induction t as [z|s IHs t IHt]; cbn [exact]; [apply (IZR_le 0); apply Z.square_nonneg|rewrite plus_IZR; lra].
Qed.

Lemma computed_is_not_too_small t : plain (computed t) /\ IZR (exact t) * (1 - u) ^ (depth t + 3) <= computed t.
Proof.
  pose proof u_small as Hu.
  induction t as [z|s [Ps IHs] t [Pt IHt]]; cbn [computed exact depth].
  - assert (Pz : plain (IZR (Z.abs z))).
    { destruct (Z.eq_dec z 0) as [->|]; [left; reflexivity|right; apply (IZR_le 1); lia]. }
    destruct (RN_plain _ Pz) as [P1 L1]. set (a := IZR (Z.abs z)) in *. set (r := RN a) in *.
    assert (P2 : plain (r * r)).
    { destruct P1 as [E|G]; [left; rewrite E; ring|right]. rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra. }
    destruct (RN_plain _ P2) as [P3 L3]. split; [exact P3|].
    assert (E : IZR (z * z) = a * a) by (unfold a; rewrite <- mult_IZR; f_equal; lia).
    rewrite E. cbn [Nat.add pow]. rewrite Rmult_1_r.
    assert (0 <= a) by (destruct Pz; lra). assert (0 <= r) by (destruct P1; lra).
    assert (0 <= (1 - u) * a) by (apply Rmult_le_pos; lra).
    assert (((1 - u) * a) * ((1 - u) * a) <= r * r) by (apply Rmult_le_compat; lra).
    apply Rle_trans with ((1 - u) * (((1 - u) * a) * ((1 - u) * a))); [right; ring|].
    apply Rle_trans with ((1 - u) * (r * r)); [apply Rmult_le_compat_l; lra|exact L3].
  - assert (P : plain (computed s + computed t)) by (destruct Ps, Pt; [left|right|right|right]; lra).
    destruct (RN_plain _ P) as [P' L]. split; [exact P'|]. rewrite plus_IZR. cbn [Nat.add pow].
    pose proof (exact_nonneg s). pose proof (exact_nonneg t).
    pose proof (power_falls (depth s + 3) (Nat.max (depth s) (depth t) + 3) ltac:(lia)).
    pose proof (power_falls (depth t + 3) (Nat.max (depth s) (depth t) + 3) ltac:(lia)).
    set (m := (1 - u) ^ (Nat.max (depth s) (depth t) + 3)) in *.
    assert (IZR (exact s) * m <= computed s) by (eapply Rle_trans; [apply Rmult_le_compat_l|exact IHs]; assumption).
    assert (IZR (exact t) * m <= computed t) by (eapply Rle_trans; [apply Rmult_le_compat_l|exact IHt]; assumption).
    assert ((1 - u) * ((IZR (exact s) + IZR (exact t)) * m) <= (1 - u) * (computed s + computed t))
      by (apply Rmult_le_compat_l; lra).
    lra.
Qed.

Lemma bernoulli n : 1 - INR n * u <= (1 - u) ^ n.
Proof.
  pose proof u_small. induction n as [|n IH]; [cbn; lra|]. rewrite S_INR. cbn [pow].
  pose proof (pos_INR n). assert (0 <= INR n * u) by (apply Rmult_le_pos; lra). nra.
Qed.

(** [X1] The check of [n] squares in doubles, added in any order of depth [n + 8] at most, accepts no vector of integers
    that is longer than [2^50]: if the computed sum is at most [2^100*(1 - 2*(n + 4)*2^(-52))], the exact one is at most
    [2^100]. *)
Theorem quick_check_is_safe t (n : nat) : (depth t <= n + 8)%nat -> INR n <= 2 ^ 40 ->
  computed t <= 2 ^ 100 * (1 - 2 * (INR n + 4) * / 2 ^ 52) -> (exact t <= 2 ^ 100)%Z.
Proof.
  intros Hd Hn Hc. pose proof u_small as Hu. pose proof (computed_is_not_too_small t) as [_ L].
  pose proof (power_falls (depth t + 3) (n + 11) ltac:(lia)) as P. pose proof (bernoulli (n + 11)) as B.
  rewrite plus_INR in B. replace (INR 11) with 11 in B by (simpl; lra).
  pose proof (exact_nonneg t) as E0. pose proof (pos_INR n) as N0.
  assert (Hu' : / 2 ^ 52 = 2 * u) by (unfold u; simpl pow; lra). rewrite Hu' in Hc.
  apply le_IZR. change (2 ^ 100)%Z with (2 ^ Z.of_nat 100)%Z. rewrite <- pow_IZR.
  assert (S : (INR n + 11) * u <= 1 / 2).
  { assert (INR n + 11 <= 2 ^ 41) by (simpl pow in *; lra). unfold u. simpl pow in *. lra. }
  assert (K : IZR (exact t) * (1 - (INR n + 11) * u) <= 2 ^ 100 * (1 - (INR n + 11) * u)).
  { apply Rle_trans with (IZR (exact t) * (1 - u) ^ (depth t + 3)); [apply Rmult_le_compat_l; lra|].
    apply Rle_trans with (1 := L), Rle_trans with (1 := Hc). apply Rmult_le_compat_l; [simpl pow; lra|]. nra. }
  apply Rmult_le_reg_r with (1 - (INR n + 11) * u); lra.
Qed.

(** ** From doubles to integers *)

Definition magic : Z := 6755399441055744.

Lemma double_of_integer z : (Z.abs z <= 2 ^ 53)%Z -> generic_format radix2 double_format (IZR z).
Proof.
  intros Hz. apply generic_format_FLT. destruct (Z.eq_dec (Z.abs z) (2 ^ 53)) as [E|ne].
  - exists (Float radix2 (Z.sgn z) 53); cbn [Fnum Fexp]; [|destruct z; cbn; lia|lia].
    unfold F2R. cbn [Fnum Fexp]. rewrite <- (IZR_Zpower radix2) by lia. rewrite <- mult_IZR. f_equal.
    change (radix2 ^ 53)%Z with (2 ^ 53)%Z. rewrite <- E. rewrite Z.mul_comm. symmetry. apply Z.abs_sgn.
  - exists (Float radix2 z 0); cbn [Fnum Fexp]; [unfold F2R; cbn; ring| |lia].
    change (Zpower radix2 53) with (2 ^ 53)%Z. lia.
Qed.

(** [X1] A double [t] whose difference [t - magic], rounded, is at most [2^50] in size is an integer from [2^52] to
    [2^53], and that difference was not rounded. *)
Theorem magic_leaves_an_integer t : generic_format radix2 double_format t -> Rabs (RN (t - IZR magic)) <= 2 ^ 50 ->
  exists n : Z, t = IZR n /\ (2 ^ 52 <= n < 2 ^ 53)%Z /\ RN (t - IZR magic) = IZR (n - magic).
Proof.
  intros Ht Hr. set (x := t - IZR magic) in *.
  assert (Hx : -(2 ^ 51) < x < 2 ^ 51).
  { assert (M : forall y, Rabs y <= 2 ^ 50 -> y < RN (2 ^ 51) /\ RN (- 2 ^ 51) < y).
    { intros y Hy. unfold RN.
      assert (G : generic_format radix2 double_format (2 ^ 51)).
      { rewrite pow_IZR. apply double_of_integer. cbn. lia. }
      rewrite !round_generic by (try apply valid_rnd_N; try apply generic_format_opp; exact G).
      unfold Rabs in Hy. destruct (Rcase_abs y); simpl pow in *; lra. }
    destruct (M _ Hr) as [M1 M2].
    split.
    - apply Rnot_le_lt. intros H. apply (round_le radix2 double_format ZnearestE) in H. unfold RN in *. lra.
    - apply Rnot_le_lt. intros H. apply (round_le radix2 double_format ZnearestE) in H. unfold RN in *. lra. }
  assert (Ht1 : 2 ^ 52 <= t < 2 ^ 53) by (unfold x, magic in Hx; simpl pow in *; lra).
  (* a double of that size is an integer *)
  assert (I : exists n, t = IZR n).
  { assert (C : cexp radix2 double_format t = 0%Z).
    { unfold cexp. rewrite (mag_unique_pos radix2 t 53); [reflexivity|]. simpl bpow. simpl pow in Ht1. lra. }
    exists (Ztrunc (scaled_mantissa radix2 double_format t)). rewrite Ht at 1. unfold F2R. cbn [Fnum Fexp].
    rewrite C. cbn. ring. }
  destruct I as [n En]. exists n. split; [exact En|].
  assert (Hn : (2 ^ 52 <= n < 2 ^ 53)%Z).
  { rewrite En in Ht1. split; [apply le_IZR|apply lt_IZR].
    - change (2 ^ 52)%Z with (2 ^ Z.of_nat 52)%Z. rewrite <- pow_IZR. lra.
    - change (2 ^ 53)%Z with (2 ^ Z.of_nat 53)%Z. rewrite <- pow_IZR. lra. }
  split; [exact Hn|]. unfold x. rewrite En, <- minus_IZR. apply round_generic; [apply valid_rnd_N|].
  apply double_of_integer. unfold magic. change (2 ^ 52)%Z with 4503599627370496%Z in Hn.
  change (2 ^ 53)%Z with 9007199254740992%Z in *. lia.
Qed.

(** [X1] For such a double the 64 bits of [t] and of [magic], as integers, differ by [t - magic]. *)
Theorem bits_of_the_integer (t m : binary64) (n : Z) : (2 ^ 52 <= n < 2 ^ 53)%Z ->
  is_finite 53 1024 t = true -> B2R 53 1024 t = IZR n -> is_finite 53 1024 m = true -> B2R 53 1024 m = IZR magic ->
  (bits_of_b64 t - bits_of_b64 m = n - magic)%Z.
Proof.
  assert (One : forall (t : binary64) (n : Z), (2 ^ 52 <= n < 2 ^ 53)%Z -> is_finite 53 1024 t = true ->
    B2R 53 1024 t = IZR n -> bits_of_b64 t = (1075 * 2 ^ 52 + (n - 2 ^ 52))%Z).
  { clear. intros t n Hn Hf E. destruct t as [s|s| |s mx ex Hb]; try discriminate.
    - cbn in E. apply eq_IZR in E. lia.
    - pose proof Hb as Hb'. unfold bounded in Hb'. apply andb_prop in Hb'. destruct Hb' as [Hm _].
      apply (canonical_canonical_mantissa 53 1024 s) in Hm. unfold canonical in Hm. cbn [Fexp] in Hm.
      cbn [B2R] in E. rewrite E in Hm.
      assert (C : cexp radix2 (FLT_exp (3 - 1024 - 53) 53) (IZR n) = 0%Z).
      { unfold cexp. rewrite (mag_unique_pos radix2 (IZR n) 53); [reflexivity|].
        rewrite <- !IZR_Zpower by lia. split; [apply IZR_le|apply IZR_lt];
          change (Zpower radix2 (53 - 1)) with (2 ^ 52)%Z; change (Zpower radix2 53) with (2 ^ 53)%Z; lia. }
      assert (Ex : ex = 0%Z) by (rewrite Hm; exact C). clear Hm. subst ex.
      unfold F2R in E. cbn [Fnum Fexp bpow] in E. rewrite Rmult_1_r in E. apply eq_IZR in E.
      destruct s; cbn [cond_Zopp] in E; [lia|].
      unfold bits_of_b64, bits_of_binary_float. rewrite E.
      change (Zpower 2 52) with (2 ^ 52)%Z. rewrite Zle_imp_le_bool by lia.
      unfold join_bits. rewrite Z.shiftl_mul_pow2 by lia.
      match goal with |- context [(0 + ?x)%Z] => change x with 1075%Z end. lia. }
  intros Hn F E F' E'. rewrite (One t n), (One m magic); try assumption; [lia|]. unfold magic. lia.
Qed.
