(** * Exact sums

    A record contributes a vector of integers that is no longer than a bound. The sum of all contributions is the only
    thing that a mechanism sees. This chapter shows how far one record, several records or one person can move it, and
    that the order, the parts and the machine's integers make no difference.

    A vector of [d] integers is a function of which the first [d] values count. Lengths are compared by their squares,
    so that all of it is about integers.

    Link: by the table of [SumKernels], which [records/quantum.rs] and [records/exact_sum.rs] have to reproduce, and by
    reading [records/in_memory.rs] and [records/gradient.rs]. *)

Require Import ZArith List Lia Permutation.
Import ListNotations.
Open Scope Z_scope.

(** ** Vectors of integers *)

Fixpoint sumn (d : nat) (f : nat -> Z) : Z :=
  match d with O => 0 | S d => sumn d f + f d end.

Definition norm2 (d : nat) (v : nat -> Z) : Z := sumn d (fun i => v i * v i).

Lemma sumn_le d f g : (forall i, (i < d)%nat -> f i <= g i) -> sumn d f <= sumn d g.
Proof.
  induction d; cbn [sumn]; intros H; [lia|].
  assert (sumn d f <= sumn d g) by (apply IHd; intros; apply H; lia).
  specialize (H d ltac:(lia)). lia.
Qed.

Lemma sumn_ext d f g : (forall i, (i < d)%nat -> f i = g i) -> sumn d f = sumn d g.
Proof.
  induction d; cbn [sumn]; intros H; [reflexivity|].
  rewrite IHd by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.

Lemma sumn_plus d f g : sumn d (fun i => f i + g i) = sumn d f + sumn d g.
Proof. induction d; cbn [sumn]; lia. Qed.

Lemma sumn_scale d c f : sumn d (fun i => c * f i) = c * sumn d f.
Proof. induction d; cbn [sumn]; lia. Qed.

Lemma sumn_zero d : sumn d (fun _ => 0) = 0.
Proof. induction d; cbn [sumn]; lia. Qed.

Lemma sumn_nonneg d f : (forall i, (i < d)%nat -> 0 <= f i) -> 0 <= sumn d f.
Proof. intros H. rewrite <- (sumn_zero d). apply sumn_le, H. Qed.

Lemma sumn_first d f : sumn (S d) f = f O + sumn d (fun i => f (S i)).
Proof.
  induction d; [cbn [sumn]; lia|].
  change (sumn (S (S d)) f) with (sumn (S d) f + f (S d)). rewrite IHd. cbn [sumn]. lia.
Qed.

Lemma norm2_nonneg d v : 0 <= norm2 d v.
Proof. apply sumn_nonneg. intros. apply Z.square_nonneg. Qed.

Lemma norm2_ext d u v : (forall i, (i < d)%nat -> u i = v i) -> norm2 d u = norm2 d v.
Proof. intros H. apply sumn_ext. intros i Hi. rewrite H by exact Hi. reflexivity. Qed.

(** Twice an inner product, weighed with any two integers (Young's inequality). *)
Lemma inner_le d u v a b :
  2 * (a * b) * sumn d (fun i => u i * v i) <= b * b * norm2 d u + a * a * norm2 d v.
Proof.
  unfold norm2. rewrite <- !sumn_scale, <- sumn_plus. apply sumn_le. intros i _.
  pose proof (Z.square_nonneg (b * u i - a * v i)). lia.
Qed.

Lemma norm2_zero d v : norm2 d v <= 0 -> forall i, (i < d)%nat -> v i = 0.
Proof.
  induction d; intros H i Hi; [lia|].
  unfold norm2 in H. cbn [sumn] in H. fold (norm2 d v) in H.
  pose proof (norm2_nonneg d v). pose proof (Z.square_nonneg (v d)).
  destruct (Nat.eq_dec i d) as [->|]; [nia|]. apply IHd; lia.
Qed.

(** The triangle inequality: lengths of at most [a] and [b] add up to at most [a + b]. *)
Lemma triangle d u v a b : 0 <= a -> 0 <= b -> norm2 d u <= a * a -> norm2 d v <= b * b ->
  norm2 d (fun i => u i + v i) <= (a + b) * (a + b).
Proof.
  intros Ha Hb Hu Hv.
  assert (E : norm2 d (fun i => u i + v i) = norm2 d u + norm2 d v + 2 * sumn d (fun i => u i * v i)).
  { unfold norm2. rewrite <- sumn_scale, <- !sumn_plus. apply sumn_ext. intros. ring. }
  rewrite E. clear E.
  destruct (Z.eq_dec a 0) as [->|]; [|destruct (Z.eq_dec b 0) as [->|]].
  - rewrite (sumn_ext d _ (fun _ => 0)), sumn_zero; [lia|].
    intros i Hi. rewrite (norm2_zero d u ltac:(lia) i Hi). ring.
  - rewrite (sumn_ext d _ (fun _ => 0)), sumn_zero; [lia|].
    intros i Hi. rewrite (norm2_zero d v ltac:(lia) i Hi). ring.
  - pose proof (inner_le d u v a b) as H.
    assert (b * b * norm2 d u <= b * b * (a * a)) by (apply Z.mul_le_mono_nonneg_l; [nia|lia]).
    assert (a * a * norm2 d v <= a * a * (b * b)) by (apply Z.mul_le_mono_nonneg_l; [nia|lia]).
    assert (0 < a * b) by nia.
    assert (sumn d (fun i => u i * v i) <= a * b) by nia. lia.
Qed.

(** ** Sums over records *)

Section Sum.
Variable A : Type.                     (* records, or all that one person contributes *)
Variable d : nat.                      (* numbers of a contribution *)
Variable R : Z.                        (* the bound in quanta, 2^50 *)
Hypothesis R_nonneg : 0 <= R.
Variable f : A -> nat -> Z.            (* any function of one record, whatever rounding it did *)
Hypothesis checked : forall a, norm2 d (f a) <= R * R.

Fixpoint total (l : list A) (i : nat) : Z :=
  match l with [] => 0 | a :: l => f a i + total l i end.

Lemma total_app l m i : total (l ++ m) i = total l i + total m i.
Proof. induction l; cbn [total app]; lia. Qed.

(** [X1] The sum is the same for every order of the records. *)
Theorem total_order l m i : Permutation l m -> total l i = total m i.
Proof. induction 1; cbn [total]; lia. Qed.

(** [X1] The sum over all records is the sum of the sums over any parts of them. *)
Theorem total_parts (parts : list (list A)) i :
  total (concat parts) i = fold_right (fun part s => total part i + s) 0 parts.
Proof. induction parts; cbn [concat fold_right total]; [reflexivity|]. rewrite total_app. lia. Qed.

(** [X1] Replacing one record by any other moves the sum by at most [2*R] in Euclidean length. *)
Theorem replace_one l a b m :
  norm2 d (fun i => total (l ++ a :: m) i - total (l ++ b :: m) i) <= (2 * R) * (2 * R).
Proof.
  rewrite (norm2_ext d _ (fun i => f a i + - f b i)).
  2: { intros i _. rewrite !total_app. cbn [total]. lia. }
  replace (2 * R) with (R + R) by lia. apply triangle; auto.
  rewrite <- (checked b). apply Z.eq_le_incl, sumn_ext. intros. ring.
Qed.

(** [X1] No smaller bound holds: two opposite contributions of length [R] reach it. *)
Theorem replace_one_is_sharp l a b m : norm2 d (f a) = R * R -> (forall i, f b i = - f a i) ->
  norm2 d (fun i => total (l ++ a :: m) i - total (l ++ b :: m) i) = (2 * R) * (2 * R).
Proof.
  intros Ha Hb. rewrite (norm2_ext d _ (fun i => 2 * f a i)).
  2: { intros i _. rewrite !total_app. cbn [total]. rewrite Hb. lia. }
  unfold norm2. rewrite (sumn_ext d _ (fun i => 4 * (f a i * f a i))) by (intros; ring).
  rewrite sumn_scale. fold (norm2 d (f a)). rewrite Ha. ring.
Qed.

(** [U2] One record more or less moves the sum by at most [R]. *)
Theorem add_or_remove_one l a m :
  norm2 d (fun i => total (l ++ a :: m) i - total (l ++ m) i) <= R * R.
Proof.
  rewrite (norm2_ext d _ (f a)); [apply checked|].
  intros i _. rewrite !total_app. cbn [total]. lia.
Qed.

(** Data sets of the same size that differ in [k] places. *)
Inductive Differ : nat -> list A -> list A -> Prop :=
| differ_nil : Differ 0 [] []
| differ_same a k l m : Differ k l m -> Differ k (a :: l) (a :: m)
| differ_here a b k l m : Differ k l m -> Differ (S k) (a :: l) (b :: m).

(** [U1] Replacing [k] records moves the sum by at most [k*2*R]: that is what a group of [k] records is promised. *)
Theorem replace_several k l m : Differ k l m ->
  norm2 d (fun i => total l i - total m i) <= (Z.of_nat k * (2 * R)) * (Z.of_nat k * (2 * R)).
Proof.
  induction 1 as [|a k l m H IH|a b k l m H IH]; cbn [total].
  - unfold norm2. rewrite (sumn_ext d _ (fun _ => 0)) by reflexivity. rewrite sumn_zero. lia.
  - rewrite (norm2_ext d _ (fun i => total l i - total m i)) by (intros; lia). exact IH.
  - rewrite (norm2_ext d _ (fun i => (total [a] i - total [b] i) + (total l i - total m i))).
    2: { intros. cbn [total]. lia. }
    replace (Z.of_nat (S k) * (2 * R)) with (2 * R + Z.of_nat k * (2 * R)) by lia.
    apply triangle; [lia|nia| |exact IH].
    exact (replace_one [] a b []).
Qed.
End Sum.

(** ** Sums in the machine's integers

    Parts of up to 4,096 records are added in 64 bits, the parts in 128 bits, in any tree of merges. A number that does
    not fit may be wrapped or cut off, and the result would depend on the order. It never happens. *)

Inductive Tree (A : Type) : Type :=
| Part (records : list A)
| Merge (one other : Tree A).
Arguments Part {A}. Arguments Merge {A}.

Section Machine.
Variables i64 i128 : Z -> Z.           (* what the machine keeps of a number: itself, where it fits *)
Hypothesis fits_64 : forall x, - 2 ^ 63 <= x < 2 ^ 63 -> i64 x = x.
Hypothesis fits_128 : forall x, - 2 ^ 127 <= x < 2 ^ 127 -> i128 x = x.
Variable A : Type.
Variable g : A -> Z.                   (* one number of the contributions *)
Hypothesis small : forall a, Z.abs (g a) <= 2 ^ 50.

Fixpoint added_in_64_bits (l : list A) (sum : Z) : Z :=
  match l with [] => sum | a :: l => added_in_64_bits l (i64 (sum + g a)) end.

Fixpoint machine (t : Tree A) : Z :=
  match t with
  | Part l => i128 (0 + added_in_64_bits l 0)
  | Merge s t => i128 (machine s + machine t)
  end.

Fixpoint records (t : Tree A) : list A :=
  match t with Part l => l | Merge s t => records s ++ records t end.

Fixpoint parts_are_short (t : Tree A) : Prop :=
  match t with Part l => (length l <= 4096)%nat | Merge s t => parts_are_short s /\ parts_are_short t end.

Definition true_sum (l : list A) : Z := total A (fun a _ => g a) l 0.

Lemma true_sum_size l : Z.abs (true_sum l) <= Z.of_nat (length l) * 2 ^ 50.
Proof.
  unfold true_sum. induction l as [|a l IH]; cbn [total length]; [lia|].
  rewrite Nat2Z.inj_succ. pose proof (small a). lia.
Qed.

Lemma added_in_64_bits_is_exact l : forall sum before,
  (before + length l <= 4096)%nat -> Z.abs sum <= Z.of_nat before * 2 ^ 50 ->
  added_in_64_bits l sum = sum + true_sum l.
Proof.
  unfold true_sum.
  induction l as [|a l IH]; intros sum before Hl Hs; cbn [added_in_64_bits total length] in *; [lia|].
  pose proof (small a).
  assert (Z.of_nat before * 2 ^ 50 <= 4095 * 2 ^ 50) by (apply Z.mul_le_mono_nonneg_r; lia).
  rewrite fits_64 by lia. rewrite (IH _ (S before)); [lia|lia|]. rewrite Nat2Z.inj_succ. lia.
Qed.

(** [X1] No machine integer overflows, for up to 2^64 records and any tree of parts and merges: the result is the sum
    over all records. *)
Theorem machine_sums_are_exact t : parts_are_short t -> Z.of_nat (length (records t)) <= 2 ^ 64 ->
  machine t = true_sum (records t).
Proof.
  assert (fits : forall l, Z.of_nat (length l) <= 2 ^ 64 -> i128 (true_sum l) = true_sum l).
  { intros l Hl. pose proof (true_sum_size l).
    assert (Z.of_nat (length l) * 2 ^ 50 <= 2 ^ 64 * 2 ^ 50) by (apply Z.mul_le_mono_nonneg_r; lia).
    apply fits_128. lia. }
  induction t as [l|s IHs t IHt]; cbn [parts_are_short records machine]; intros H Hn.
  - rewrite (added_in_64_bits_is_exact l 0 0) by lia. rewrite !Z.add_0_l. auto.
  - rewrite app_length, Nat2Z.inj_add in Hn.
    rewrite IHs, IHt by (tauto || lia). unfold true_sum in *. rewrite <- total_app.
    apply fits. rewrite app_length. lia.
Qed.

(** [X1] Two ways to cut the same records into parts, on any threads and machines, give the same integer. *)
Theorem machine_sums_agree s t : Permutation (records s) (records t) ->
  parts_are_short s -> parts_are_short t -> Z.of_nat (length (records s)) <= 2 ^ 64 -> machine s = machine t.
Proof.
  intros P Hs Ht Hn. rewrite !machine_sums_are_exact; auto.
  - apply total_order, P.
  - rewrite <- (Permutation_length P). exact Hn.
Qed.
End Machine.

(** ** The mean of a person's vectors

    A person with [n] records contributes their mean, each number divided by [n] and rounded towards 0. *)

Lemma quot_square s n : 0 < n -> (n * (s ÷ n)) * (n * (s ÷ n)) <= s * s.
Proof.
  intros Hn.
  assert (Z.abs (n * (s ÷ n)) <= Z.abs s).
  { rewrite Z.abs_mul, <- Z.quot_abs, (Z.abs_eq n) by lia. apply Z.mul_quot_le; lia. }
  rewrite <- (Z.abs_square (n * (s ÷ n))), <- (Z.abs_square s). apply Z.mul_le_mono_nonneg; lia.
Qed.

(** [K2] The mean of integer vectors no longer than [R], rounded towards 0, is no longer than [R]. *)
Theorem mean_of_a_person d R (n : nat) (v : nat -> nat -> Z) : 0 <= R -> (0 < n)%nat ->
  (forall k, (k < n)%nat -> norm2 d (v k) <= R * R) ->
  norm2 d (fun i => sumn n (fun k => v k i) ÷ Z.of_nat n) <= R * R.
Proof.
  intros HR Hn H.
  assert (S : norm2 d (fun i => sumn n (fun k => v k i)) <= (Z.of_nat n * R) * (Z.of_nat n * R)).
  { clear Hn. induction n as [|n IH].
    - cbn [sumn]. unfold norm2. rewrite (sumn_ext d _ (fun _ => 0)) by reflexivity. rewrite sumn_zero. lia.
    - replace (Z.of_nat (S n) * R) with (Z.of_nat n * R + R) by lia. cbn [sumn].
      apply triangle; [nia|lia| |apply H; lia]. apply IH. intros; apply H; lia. }
  assert (Q : norm2 d (fun i => Z.of_nat n * (sumn n (fun k => v k i) ÷ Z.of_nat n))
              <= norm2 d (fun i => sumn n (fun k => v k i))).
  { apply sumn_le. intros i _. apply quot_square. lia. }
  assert (E : norm2 d (fun i => Z.of_nat n * (sumn n (fun k => v k i) ÷ Z.of_nat n))
              = Z.of_nat n * Z.of_nat n * norm2 d (fun i => sumn n (fun k => v k i) ÷ Z.of_nat n)).
  { unfold norm2. rewrite <- sumn_scale. apply sumn_ext. intros. ring. }
  rewrite E in Q. clear E.
  assert (0 < Z.of_nat n * Z.of_nat n) by nia.
  apply Z.mul_le_mono_pos_l with (Z.of_nat n * Z.of_nat n); [assumption|]. lia.
Qed.
