(** * Programs that draw random words

    The draws of this project are programs that ask for one random word after the other, and for nothing else. Here such
    a program is a tree: at each node it asks for a word, an integer from [0] to [B - 1], and goes on as the word says.
    A loop has a number of rounds, after which the program is [Stuck]. So every tree is finite, and the probability of a
    result is a number of strings of words over the number of all. No theory of measure is needed.

    Link: by the tables of [Kernels], which the Rust code has to reproduce. *)

Require Import ZArith Reals List Lia Lra.
Import ListNotations.
Open Scope Z_scope.

Inductive Prog (A : Type) : Type :=
| Return (a : A)
| Word (go_on : Z -> Prog A)
| Stuck.
Arguments Return {A}. Arguments Word {A}. Arguments Stuck {A}.

Fixpoint bind {A C} (p : Prog A) (k : A -> Prog C) : Prog C :=
  match p with
  | Return a => k a
  | Word go_on => Word (fun w => bind (go_on w) k)
  | Stuck => Stuck
  end.

Notation "x <- p ;; k" := (bind p (fun x => k)) (at level 61, p at next level, right associativity).
Notation "' pat <- p ;; k" := (bind p (fun x => match x with pat => k end))
  (at level 61, pat pattern, p at next level, right associativity).

(** Runs a program on words from a source, and returns the result with the state of the source. *)
Section Run.
Variable S : Type.
Variable next : S -> Z * S.
Fixpoint run {A} (p : Prog A) (s : S) : option (A * S) :=
  match p with
  | Return a => Some (a, s)
  | Word go_on => let (w, s) := next s in run (go_on w) s
  | Stuck => None
  end.
End Run.
Arguments run {S} next {A}.

(** ** Probabilities *)

Section Mass.
Variable B : Z.                        (* the number of words *)
Hypothesis B_pos : 0 < B.

(** What is true of every result, whatever the words are. *)
Fixpoint always {A} (p : Prog A) (P : A -> Prop) : Prop :=
  match p with
  | Return a => P a
  | Word go_on => forall w, 0 <= w < B -> always (go_on w) P
  | Stuck => True
  end.

Open Scope R_scope.

(** The sum over the words [0, ..., n - 1]. *)
Fixpoint sum (n : nat) (f : Z -> R) : R :=
  match n with O => 0 | S n => sum n f + f (Z.of_nat n) end.

(** The mean of a number over all strings of words; [Stuck] counts as 0. *)
Fixpoint mass {A} (p : Prog A) (f : A -> R) : R :=
  match p with
  | Return a => f a
  | Word go_on => sum (Z.to_nat B) (fun w => mass (go_on w) f) / IZR B
  | Stuck => 0
  end.

(** The probability of what a test accepts, and that the program ends. *)
Definition probability {A} (p : Prog A) (test : A -> bool) : R := mass p (fun a => if test a then 1 else 0).
Definition ends {A} (p : Prog A) : R := mass p (fun _ => 1).

(** The number of strings of [n] words on which the program ends with an accepted result, after [n] words or fewer. *)
Fixpoint strings {A} (n : nat) (p : Prog A) (test : A -> bool) {struct p} : R :=
  match p, n with
  | Return a, _ => if test a then IZR B ^ n else 0
  | Word go_on, S n => sum (Z.to_nat B) (fun w => strings n (go_on w) test)
  | Word _, O => 0
  | Stuck, _ => 0
  end.

(** A program that asks for at most [n] words. *)
Fixpoint shorter {A} (n : nat) (p : Prog A) {struct p} : Prop :=
  match p, n with
  | Word go_on, S n => forall w, (0 <= w < B)%Z -> shorter n (go_on w)
  | Word _, O => False
  | _, _ => True
  end.

Lemma sum_ext n f g : (forall w, (0 <= w < Z.of_nat n)%Z -> f w = g w) -> sum n f = sum n g.
Proof.
  induction n; cbn [sum]; intros H; [reflexivity|].
  rewrite IHn by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.

Lemma sum_word f g : (forall w, (0 <= w < B)%Z -> f w = g w) -> sum (Z.to_nat B) f = sum (Z.to_nat B) g.
Proof. clear B_pos. intros H. apply sum_ext. intros. apply H. lia. Qed.

Lemma sum_le n f g : (forall w, (0 <= w < Z.of_nat n)%Z -> f w <= g w) -> sum n f <= sum n g.
Proof.
  induction n; cbn [sum]; intros H; [lra|].
  assert (sum n f <= sum n g) by (apply IHn; intros; apply H; lia).
  specialize (H (Z.of_nat n) ltac:(lia)). lra.
Qed.

Lemma sum_plus n f g : sum n (fun w => f w + g w) = sum n f + sum n g.
Proof. induction n; cbn [sum]; lra. Qed.

Lemma sum_scale n c f : sum n (fun w => c * f w) = c * sum n f.
Proof. induction n; cbn [sum]; lra. Qed.

Lemma sum_const n c : sum n (fun _ => c) = INR n * c.
Proof. induction n; cbn [sum]; [cbn; lra|]. rewrite IHn, S_INR. lra. Qed.

Lemma sum_split a b f : sum (a + b) f = sum a f + sum b (fun w => f (Z.of_nat a + w)%Z).
Proof.
  induction b; cbn [sum]; [rewrite Nat.add_0_r; lra|].
  rewrite Nat.add_succ_r. cbn [sum]. rewrite IHb, Nat2Z.inj_add. lra.
Qed.

(** A sum of one value below [q], another at [q], and a third above. *)
Lemma sum_below_at_above n q x y z : (0 <= q < Z.of_nat n)%Z ->
  sum n (fun w => if (w =? q)%Z then y else if (w <? q)%Z then x else z)
  = IZR q * x + y + (INR n - 1 - IZR q) * z.
Proof.
  intros Hq. replace n with (Z.to_nat q + S (n - 1 - Z.to_nat q))%nat at 1 by lia.
  rewrite sum_split, <- Nat.add_1_l, sum_split. cbn [sum].
  rewrite (sum_ext (Z.to_nat q) _ (fun _ => x)), (sum_ext (n - 1 - Z.to_nat q) _ (fun _ => z)).
  - rewrite !sum_const, INR_IZR_INZ, Z2Nat.id, Z.add_0_r, Z.eqb_refl by lia.
    rewrite (minus_INR (n - 1) (Z.to_nat q)), (minus_INR n 1) by lia.
    rewrite (INR_IZR_INZ (Z.to_nat q)), Z2Nat.id by lia. cbn [INR]. lra.
  - intros w Hw. rewrite (proj2 (Z.eqb_neq _ _)), (proj2 (Z.ltb_ge _ _)) by lia. reflexivity.
  - intros w Hw. rewrite (proj2 (Z.eqb_neq _ _)), (proj2 (Z.ltb_lt _ _)) by lia. reflexivity.
Qed.

Lemma B_pos_real : 0 < IZR B.
Proof. apply (IZR_lt 0). exact B_pos. Qed.

Lemma INR_B : INR (Z.to_nat B) = IZR B.
Proof. rewrite INR_IZR_INZ, Z2Nat.id by lia. reflexivity. Qed.

Lemma mean_const c : sum (Z.to_nat B) (fun _ => c) / IZR B = c.
Proof. rewrite sum_const, INR_B. pose proof B_pos_real. field. lra. Qed.

Lemma mass_bind {A C} (p : Prog A) (k : A -> Prog C) f : mass (bind p k) f = mass p (fun a => mass (k a) f).
Proof. induction p as [a|go_on IH|]; cbn [bind mass]; [reflexivity| |reflexivity]. f_equal. apply sum_word; auto. Qed.

Lemma mass_ext {A} (p : Prog A) f g : (forall a, f a = g a) -> mass p f = mass p g.
Proof. intros H. induction p as [a|go_on IH|]; cbn [mass]; auto. f_equal. apply sum_word; auto. Qed.

Lemma mass_ext_always {A} (p : Prog A) f g : always p (fun a => f a = g a) -> mass p f = mass p g.
Proof. induction p as [a|go_on IH|]; cbn [always mass]; intros H; auto. f_equal. apply sum_word; auto. Qed.

Lemma mass_le {A} (p : Prog A) f g : (forall a, f a <= g a) -> mass p f <= mass p g.
Proof.
  intros H. induction p as [a|go_on IH|]; cbn [mass]; [auto| |lra].
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, B_pos_real|]. apply sum_le. auto.
Qed.

Lemma mass_linear {A} (p : Prog A) a f b g :
  mass p (fun x => a * f x + b * g x) = a * mass p f + b * mass p g.
Proof.
  induction p as [x|go_on IH|]; cbn [mass]; [reflexivity| |lra].
  rewrite (sum_word _ (fun w => a * mass (go_on w) f + b * mass (go_on w) g)) by auto.
  rewrite sum_plus, !sum_scale. field. pose proof B_pos_real. lra.
Qed.

Lemma always_bind {A C} (p : Prog A) (k : A -> Prog C) P :
  always (bind p k) P <-> always p (fun a => always (k a) P).
Proof. induction p as [a|go_on IH|]; cbn [bind always]; [tauto| |tauto]. split; intros H w Hw; apply IH; auto. Qed.

Lemma always_mono {A} (p : Prog A) (P Q : A -> Prop) : (forall a, P a -> Q a) -> always p P -> always p Q.
Proof. intros H. induction p as [a|go_on IH|]; cbn [always]; auto. Qed.

(** [X3] The probability of a result is the number of strings of [n] words that give it over the number of all strings,
    for a program that asks for at most [n] words. *)
Theorem probability_counts_strings {A} (p : Prog A) test : forall n, shorter n p ->
  probability p test = strings n p test / IZR B ^ n.
Proof.
  unfold probability. pose proof B_pos_real as HB.
  induction p as [a|go_on IH|]; intros n Hn.
  - cbn [mass strings]. assert (IZR B ^ n <> 0) by (apply pow_nonzero; lra). destruct (test a); field; auto.
  - destruct n as [|n]; cbn [shorter] in Hn; [contradiction|]. cbn [mass strings pow].
    assert (IZR B ^ n <> 0) by (apply pow_nonzero; lra).
    rewrite (sum_word _ (fun w => / IZR B ^ n * strings n (go_on w) test)).
    + rewrite sum_scale. field. split; [auto|lra].
    + intros w Hw. rewrite (IH w n) by auto. field. auto.
  - cbn. unfold Rdiv. lra.
Qed.

(** [X3] Two programs one after the other draw independently: the probability of a result of the second is averaged over
    the results of the first. *)
Theorem draws_are_independent {A C} (p : Prog A) (k : A -> Prog C) test :
  probability (bind p k) test = mass p (fun a => probability (k a) test).
Proof. apply mass_bind. Qed.
End Mass.
