(** * Composition: what several releases promise together

    A release is a law on its outcomes. A guarantee compares the laws [P] and [Q] of a release on two neighbouring data
    sets. This theory proves how guarantees of several releases add up: chosen one after the other ([P3], [L1]), about
    disjoint records ([U3], [F2]), in parts ([P7]), for persons ([U1]), and for groups of persons ([P3]). It also proves
    what an attacker can do ([P6]).

    _Covered_: pure ε (that is δ = 0) and (ε, δ), for laws on outcomes of any kind, such as the bits of a release.
    Outcomes may be infinitely many: [countable_law] makes a law of probabilities on the natural numbers.
    _Not covered_: μ. The sums for ρ are in [Concentrated]. A law here has a mean for every bounded function, which laws
    on a continuum have for measurable functions alone; the bits of a release are countably many.

    Link: by reading [filter.rs], [parallel.rs] and [composition.rs] of karcher-privacy, and [release/promise.rs]. *)
From Coq Require Import Reals Lra Psatz List Permutation.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** ** Laws *)

Definition bounded {Y : Type} (f : Y -> R) := exists b, forall y, Rabs (f y) <= b.

(** A test says "suspect the first data set" with the probability [f y] after the outcome [y]. A set of outcomes is the
    test that says 1 on it and 0 elsewhere. *)
Definition test {Y : Type} (f : Y -> R) := forall y, 0 <= f y <= 1.

(** A law gives each bounded function of the outcome its mean. *)
Record law (Y : Type) := {
  mean :> (Y -> R) -> R;
  mean_le : forall f g, bounded f -> bounded g -> (forall y, f y <= g y) -> mean f <= mean g;
  mean_linear : forall a f b g, bounded f -> bounded g ->
    mean (fun y => a * f y + b * g y) = a * mean f + b * mean g;
  mean_one : mean (fun _ => 1) = 1 }.
Arguments mean {Y}. Arguments mean_le {Y}. Arguments mean_linear {Y}. Arguments mean_one {Y}.

Lemma bounded_between {Y} (f : Y -> R) a b : (forall y, a <= f y <= b) -> bounded f.
Proof.
  intros H. exists (Rmax (Rabs a) (Rabs b)). intros y. specialize (H y).
  apply Rabs_le. pose proof (Rmax_l (Rabs a) (Rabs b)). pose proof (Rmax_r (Rabs a) (Rabs b)).
  pose proof (Rle_abs b). pose proof (Rle_abs (- a)). rewrite Rabs_Ropp in *. lra.
Qed.
Lemma bounded_const {Y} (c : R) : bounded (fun _ : Y => c).
Proof. apply bounded_between with c c. intros; lra. Qed.
Lemma bounded_test {Y} (f : Y -> R) : test f -> bounded f.
Proof. intros H. apply bounded_between with 0 1. exact H. Qed.
Lemma bounded_affine {Y} a b (f : Y -> R) : bounded f -> bounded (fun y => a * f y + b * 1).
Proof.
  intros [c H]. exists (Rabs a * c + Rabs b). intros y. specialize (H y).
  apply Rle_trans with (Rabs (a * f y) + Rabs (b * 1)); [apply Rabs_triang|].
  rewrite Rabs_mult, Rmult_1_r. pose proof (Rabs_pos a). nra.
Qed.
#[local] Hint Resolve bounded_const bounded_test bounded_affine : core.

Lemma mean_affine {Y} (P : law Y) a b f : bounded f -> P (fun y => a * f y + b * 1) = a * P f + b.
Proof. intros H. rewrite (mean_linear P a f b (fun _ => 1)) by auto. rewrite mean_one. ring. Qed.
Lemma mean_eq {Y} (P : law Y) f g : bounded f -> bounded g -> (forall y, f y = g y) -> P f = P g.
Proof. intros F G H. apply Rle_antisym; apply mean_le; auto; intros y; rewrite H; lra. Qed.
Lemma mean_const {Y} (P : law Y) c : P (fun _ => c) = c.
Proof.
  rewrite (mean_eq P _ (fun _ => 0 * 1 + c * 1)) by (auto; intros; ring).
  rewrite (mean_affine P 0 c (fun _ => 1)) by auto. ring.
Qed.
Lemma mean_test {Y} (P : law Y) f : test f -> 0 <= P f <= 1.
Proof.
  intros H. rewrite <- (mean_const P 0), <- (mean_const P 1) at 1.
  split; apply mean_le; auto; intros y; apply H.
Qed.

(** A law has an outcome. *)
Lemma by_outcome {Y} (P : law Y) x : (Y -> 0 <= x) -> 0 <= x.
Proof.
  intros H. destruct (Rle_lt_dec 0 x) as [|lt]; auto. exfalso. pose proof (mean_one P) as one.
  rewrite (mean_eq P _ (fun _ => 0)) in one; auto; [|intros y; specialize (H y); lra].
  rewrite mean_const in one. lra.
Qed.

(** The result of a computation from an outcome. *)
Definition processed {Y Z} (g : Y -> Z) (P : law Y) : law Z.
Proof.
  refine {| mean := fun f => P (fun y => f (g y)) |}.
  - intros f h [b F] [c H] le. apply mean_le; [exists b|exists c|]; intros; auto.
  - intros a f b h [x F] [y H].
    apply (mean_linear P a (fun y => f (g y)) b (fun y => h (g y))); [exists x|exists y]; intros; auto.
  - apply mean_one.
Defined.

Lemma mean_abs {Y} (P : law Y) f b : (forall y, Rabs (f y) <= b) -> Rabs (P f) <= b.
Proof.
  intros H. assert (bounded f) by (exists b; auto).
  pose proof (mean_const P b) as up. pose proof (mean_const P (- b)) as low.
  assert (both : forall y, - b <= f y <= b) by (intros y; apply Rabs_le_between, H).
  assert (P (fun _ => - b) <= P f) by (apply mean_le; auto; intros y; apply both).
  assert (P f <= P (fun _ => b)) by (apply mean_le; auto; intros y; apply both).
  apply Rabs_le. lra.
Qed.

(** Two releases. The second one sees the outcome of the first. *)
Definition both {Y Z} (P : law Y) (K : Y -> law Z) : law (Y * Z).
Proof.
  refine {| mean := fun f => P (fun y => K y (fun z => f (y, z))) |}.
  - intros f g [b F] [c G] le.
    apply mean_le.
    + exists b. intros y. apply mean_abs. auto.
    + exists c. intros y. apply mean_abs. auto.
    + intros y. apply mean_le; auto; [exists b|exists c]; auto.
  - intros a f b g [x F] [y G].
    assert (forall u, bounded (fun z => f (u, z))) by (intros; exists x; auto).
    assert (forall u, bounded (fun z => g (u, z))) by (intros; exists y; auto).
    assert (BF : bounded (fun u => K u (fun z => f (u, z)))) by (exists x; intros; apply mean_abs; auto).
    assert (BG : bounded (fun u => K u (fun z => g (u, z)))) by (exists y; intros; apply mean_abs; auto).
    rewrite <- (mean_linear P a _ b _ BF BG). apply mean_eq.
    + exists (Rabs a * x + Rabs b * y). intros u. apply mean_abs. intros z.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult.
      pose proof (Rabs_pos a). pose proof (Rabs_pos b). specialize (F (u, z)). specialize (G (u, z)). nra.
    + destruct BF as [v BF], BG as [w BG]. exists (Rabs a * v + Rabs b * w). intros u.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult.
      pose proof (Rabs_pos a). pose proof (Rabs_pos b). specialize (BF u). specialize (BG u). nra.
    + intros u. apply mean_linear; auto.
  - transitivity (P (fun _ => 1)); [|apply mean_one]. apply mean_eq; auto.
    + apply bounded_between with 1 1. intros y. rewrite mean_one. lra.
    + intros y. apply mean_one.
Defined.

(** ** Guarantees *)

(** (ε, δ), and pure ε for δ = 0. A guarantee is kept in both directions: for [P], [Q] and for [Q], [P]. *)
Definition private {Y} (e d : R) (P Q : law Y) := forall f, test f -> P f <= exp e * Q f + d.

Definition same {Y} (P Q : law Y) := forall f, bounded f -> P f = Q f.

Lemma exp_ge_1 e : 0 <= e -> 1 <= exp e.
Proof. rewrite <- exp_0. intros [lt|<-]; [left; apply exp_increasing; auto|right; reflexivity]. Qed.

(** [P3] What is computed from an (ε, δ) release is (ε, δ). *)
Theorem processing_keeps {Y Z} e d (P Q : law Y) (g : Y -> Z) :
  private e d P Q -> private e d (processed g P) (processed g Q).
Proof. intros H f F. apply (H (fun y => f (g y))). intros y. apply F. Qed.

(** A guarantee implies each weaker one. *)
Lemma weaker {Y} e d e' d' (P Q : law Y) : e <= e' -> d <= d' -> private e d P Q -> private e' d' P Q.
Proof.
  intros E D H f F. pose proof (H f F). pose proof (mean_test Q f F).
  assert (exp e <= exp e') by (destruct E as [lt| ->]; [left; apply exp_increasing; auto|lra]). nra.
Qed.

(** The step of all compositions: given each outcome of the first release, [u] and [v] are the probabilities that the
    rest leads to suspicion. *)
Lemma step {Y} e d e' d' (P Q : law Y) u v :
  private e d P Q -> test u -> test v -> 0 <= d' -> (forall y, u y <= exp e' * v y + d') ->
  P u <= exp (e + e') * Q v + (d + d').
Proof.
  intros H U V D' le.
  set (f := fun y => Rmin 1 (exp e' * v y)).
  pose proof (exp_pos e') as E'. pose proof (exp_pos e) as E.
  assert (F : test f).
  { intros y. unfold f. specialize (V y). split; [|apply Rmin_l]. apply Rmin_glb; nra. }
  assert (P u <= P (fun y => 1 * f y + d' * 1)).
  { apply mean_le; auto. intros y. specialize (le y). destruct (U y). unfold f, Rmin.
    destruct (Rle_dec 1 (exp e' * v y)); lra. }
  rewrite mean_affine in H0 by auto.
  assert (Q f <= Q (fun y => exp e' * v y + 0 * 1)).
  { apply mean_le; auto. intros y. unfold f. pose proof (Rmin_r 1 (exp e' * v y)). lra. }
  rewrite mean_affine in H1 by auto.
  specialize (H f F). rewrite exp_plus. nra.
Qed.

(** [P3] Two releases, the second chosen after seeing the outcome of the first, are (Σε, Σδ) together. *)
Theorem two_releases_add {Y Z} e d e' d' (P Q : law Y) (K L : Y -> law Z) :
  private e d P Q -> 0 <= d' -> (forall y, private e' d' (K y) (L y)) ->
  private (e + e') (d + d') (both P K) (both Q L).
Proof.
  intros H D' H' f F. simpl. apply step; auto; intros y; try apply mean_test; try intros z; try apply F.
  apply H'. intros z. apply F.
Qed.

(** ** Filters *)

(** A person or a program makes releases one after the other. [Release g e d P Q next] is a release about the records of
    group [g] with the guarantee (e, d). Its laws on the two data sets are [P] and [Q], and [next] goes on as the
    outcome says. So earlier outcomes choose the group, the guarantee and the laws. [Stop x] ends: after this course of
    events a test suspects the first data set with the probability [x]. *)
Inductive course : Type :=
| Stop (x : R)
| Release (g : nat) (e d : R) (Y : Type) (P Q : law Y) (next : Y -> course).

(** The probability that the test suspects the first data set, when it is that one, or when it is the second one. *)
Fixpoint suspicion (first : bool) (a : course) : R :=
  match a with
  | Stop x => x
  | Release _ _ _ _ P Q next => (if first then P else Q) (fun y => suspicion first (next y))
  end.

(** The two data sets differ in records of the group [changed]. A release about these keeps its guarantee, and whatever
    happens such guarantees sum to (E, D) at most. Releases about other groups have the same law on both data sets,
    given what was released before. *)
Fixpoint within (changed : nat) (E D : R) (a : course) : Prop :=
  match a with
  | Stop x => 0 <= E /\ 0 <= D /\ 0 <= x <= 1
  | Release g e d _ P Q next =>
      if Nat.eqb g changed
      then 0 <= d /\ private e d P Q /\ forall y, within changed (E - e) (D - d) (next y)
      else same P Q /\ forall y, within changed E D (next y)
  end.

Lemma suspicion_test c first a : forall E D, within c E D a -> 0 <= suspicion first a <= 1.
Proof.
  induction a as [x|g e d Y P Q next IH]; simpl; intros E D H; [tauto|].
  destruct (Nat.eqb g c).
  - destruct H as (_ & _ & H). apply mean_test. intros y. eapply IH; eauto.
  - destruct H as (_ & H). apply mean_test. intros y. eapply IH; eauto.
Qed.

(** The budget that is left is never negative. *)
Lemma within_positive c a : forall E D, within c E D a -> 0 <= D.
Proof.
  induction a as [x|g e d Y P Q next IH]; simpl; intros E D H; [tauto|].
  apply (by_outcome P).
  destruct (Nat.eqb g c).
  - destruct H as (d0 & _ & H). intros y. specialize (IH y _ _ (H y)). lra.
  - destruct H as (_ & H). intros y. exact (IH y _ _ (H y)).
Qed.

(** [U3], [F2], [P7] Releases about disjoint groups keep (E, D) together if those about each group sum to (E, D) at
    most. They may come in any order, each chosen, its group too, after seeing all earlier outcomes. *)
Theorem disjoint_groups_keep c a : forall E D,
  within c E D a -> suspicion true a <= exp E * suspicion false a + D.
Proof.
  induction a as [x|g e d Y P Q next IH]; intros E D H.
  - simpl in *. destruct H as (HE & HD & Hx). pose proof (exp_ge_1 E HE). nra.
  - pose proof H as H0. simpl in H |- *. destruct (Nat.eqb g c).
    + destruct H as (d0 & p & H).
      replace E with (e + (E - e)) by ring. replace D with (d + (D - d)) by ring.
      assert (D0 : 0 <= D - d).
      { apply (by_outcome P). intros y. exact (within_positive _ _ _ _ (H y)). }
      apply step; auto; intros y; eapply suspicion_test; apply H.
    + destruct H as (s & H).
      assert (T : forall first, test (fun y => suspicion first (next y))).
      { intros first y. eapply suspicion_test. apply H. }
      rewrite <- (s _ (bounded_test _ (T false))), <- (mean_affine P) by auto.
      apply mean_le; auto. intros y. specialize (IH y E D (H y)). lra.
Qed.

(** Whatever happens, the guarantees of all releases sum to (E, D) at most. *)
Fixpoint spends_at_most (E D : R) (a : course) : Prop :=
  match a with
  | Stop x => 0 <= E /\ 0 <= D /\ 0 <= x <= 1
  | Release _ e d _ P Q next => 0 <= d /\ private e d P Q /\ forall y, spends_at_most (E - e) (D - d) (next y)
  end.

(** [L1] Releases whose guarantees never sum to more than a total (ε, δ), or a total ε, keep it together. Each is
    chosen, its guarantee too, after seeing all earlier outcomes. *)
Theorem filter a : forall E D, spends_at_most E D a -> suspicion true a <= exp E * suspicion false a + D.
Proof.
  set (one_group := fix f a := match a with
    | Stop x => Stop x | Release _ e d Y P Q next => Release 0 e d Y P Q (fun y => f (next y)) end).
  intros E D H.
  assert (W : forall a E D, spends_at_most E D a -> within 0 E D (one_group a)).
  { clear. induction a; simpl; intros E D; auto. intros (d0 & p & n). repeat split; auto. }
  assert (S : forall first a E D, spends_at_most E D a ->
    suspicion first (one_group a) = suspicion first a /\ 0 <= suspicion first a <= 1).
  { clear E D H W a. intros first. induction a as [x|g e d Y P Q next IH]; simpl; intros E D; [tauto|].
    intros (_ & _ & n).
    assert (T : test (fun y => suspicion first (next y))) by (intros y; eapply IH; apply n).
    assert (T' : test (fun y => suspicion first (one_group (next y)))).
    { intros y. rewrite (proj1 (IH y _ _ (n y))). apply T. }
    split; [|destruct first; apply mean_test; auto].
    destruct first; apply mean_eq; auto; intros y; apply (proj1 (IH y _ _ (n y))). }
  rewrite <- (proj1 (S true a E D H)), <- (proj1 (S false a E D H)).
  apply (disjoint_groups_keep 0), W, H.
Qed.

(** ** A promise of several parts *)

(** The parts of a release: one with a guarantee; two about disjoint records; two that may be about the same records.
    More than two are made of these. *)
Inductive parts :=
| Part (e d : R)
| Disjoint (a b : parts)
| Overlapping (a b : parts).

(** The guarantee that is announced to a ledger is computed from all parts. *)
Fixpoint promise (a : parts) : R * R :=
  match a with
  | Part e d => (e, d)
  | Disjoint a b => (Rmax (fst (promise a)) (fst (promise b)), Rmax (snd (promise a)) (snd (promise b)))
  | Overlapping a b => (fst (promise a) + fst (promise b), snd (promise a) + snd (promise b))
  end.

(** Releases with the laws [P] and [Q] on two neighbouring data sets are made of such parts. Later parts see the
    outcomes of earlier ones. Of disjoint parts neighbours change the data of one. *)
Inductive made : forall {Y : Type}, parts -> law Y -> law Y -> Prop :=
| made_part Y e d (P Q : law Y) : 0 <= d -> private e d P Q -> made (Part e d) P Q
| made_overlapping Y Z a b (P Q : law Y) (K L : Y -> law Z) :
    made a P Q -> (forall y, made b (K y) (L y)) -> made (Overlapping a b) (both P K) (both Q L)
| made_first_changed Y Z a b (P Q : law Y) (K L : Y -> law Z) :
    made a P Q -> (forall y, same (K y) (L y)) -> made (Disjoint a b) (both P K) (both Q L)
| made_second_changed Y Z a b (P Q : law Y) (K L : Y -> law Z) :
    same P Q -> (forall y, made b (K y) (L y)) -> made (Disjoint a b) (both P K) (both Q L).

Lemma same_private {Y} (P Q : law Y) : same P Q -> private 0 0 P Q.
Proof. intros H f F. rewrite H by auto. rewrite exp_0. lra. Qed.

(** [P7] A release keeps the promise that is computed from its parts: sums for overlapping ones, maxima for disjoint
    ones. *)
Theorem promise_is_kept Y a (P Q : law Y) :
  made a P Q -> 0 <= snd (promise a) /\ private (fst (promise a)) (snd (promise a)) P Q.
Proof.
  intros H. induction H as [Y e d P Q d0 p|Y Z a b P Q K L _ IH _ IH'|Y Z a b P Q K L _ IH s|Y Z a b P Q K L s _ IH];
    simpl.
  - auto.
  - destruct IH as (d0 & p).
    assert (0 <= snd (promise b)) by (apply (by_outcome P); intros y; exact (proj1 (IH' y))).
    split; [lra|]. apply two_releases_add; auto. intros y. apply IH'.
  - destruct IH as (d0 & p). pose proof (Rmax_l (snd (promise a)) (snd (promise b))).
    split; [lra|]. apply weaker with (fst (promise a) + 0) (snd (promise a) + 0); rewrite ?Rplus_0_r; auto using Rmax_l.
    rewrite <- (Rplus_0_r (fst (promise a))), <- (Rplus_0_r (snd (promise a))).
    apply two_releases_add; auto; [lra|]. intros y. apply same_private, s.
  - assert (0 <= snd (promise b)) by (apply (by_outcome P); intros y; exact (proj1 (IH y))).
    pose proof (Rmax_r (snd (promise a)) (snd (promise b))).
    split; [lra|]. apply weaker with (0 + fst (promise b)) (0 + snd (promise b)); rewrite ?Rplus_0_l; auto using Rmax_r.
    rewrite <- (Rplus_0_l (fst (promise b))), <- (Rplus_0_l (snd (promise b))).
    apply two_releases_add; auto using same_private. intros y. apply IH.
Qed.

(** Several parts, all overlapping or all disjoint. *)
Definition all_overlapping (l : list (R * R)) : parts :=
  fold_right (fun p => Overlapping (Part (fst p) (snd p))) (Part 0 0) l.
Definition all_disjoint (l : list (R * R)) : parts :=
  fold_right (fun p => Disjoint (Part (fst p) (snd p))) (Part 0 0) l.
(** [P7] The promise of several parts, all overlapping or all disjoint, does not depend on their order. *)
Theorem promise_in_any_order l m : Permutation l m ->
  promise (all_overlapping l) = promise (all_overlapping m) /\ promise (all_disjoint l) = promise (all_disjoint m).
Proof.
  induction 1 as [|x l m _ [IH IH']|x y l|l m n _ [IH IH'] _ [IH2 IH2']]; simpl; auto.
  - rewrite IH, IH'. auto.
  - split; f_equal; try lra; rewrite !Rmax_assoc; f_equal; apply Rmax_comm.
  - split; congruence.
Qed.

(** ** Groups of persons, and persons with several records *)

(** [chain k e d P Q]: data sets that differ in [k] records are the ends of a chain of [k] neighbours. *)
Inductive chain {Y : Type} (e d : R) : nat -> law Y -> law Y -> Prop :=
| chain_end P : chain e d 0 P P
| chain_step k P P' Q : private e d P P' -> chain e d k P' Q -> chain e d (S k) P Q.

(** 1 + e^ε + … + e^((k − 1)ε), which is (e^(kε) − 1)/(e^ε − 1) for ε > 0: [powers_closed]. *)
Fixpoint powers (e : R) (k : nat) : R := match k with O => 0 | S k => powers e k * exp e + 1 end.
Lemma powers_closed e k : 0 < e -> powers e k = (exp (INR k * e) - 1) / (exp e - 1).
Proof.
  intros H. assert (1 < exp e) by (rewrite <- exp_0; apply exp_increasing; auto).
  induction k; [simpl; rewrite Rmult_0_l, exp_0; field; lra|].
  cbn [powers]. rewrite IHk, S_INR, Rmult_plus_distr_r, exp_plus, Rmult_1_l. field. lra.
Qed.

(** [P3] A guarantee (ε, δ) for one record is (kε, δ·(e^(kε) − 1)/(e^ε − 1)) for a group of k records, and pure ε is kε.
    *)
Theorem groups_of_people {Y} e d k (P Q : law Y) :
  0 <= d -> chain e d k P Q -> private (INR k * e) (d * powers e k) P Q.
Proof.
  intros D. induction 1 as [P|k P P' Q p _ IH]; intros f F.
  - simpl. rewrite Rmult_0_l, exp_0. lra.
  - cbn [powers]. rewrite S_INR, Rmult_plus_distr_r, exp_plus, Rmult_1_l.
    specialize (p f F). specialize (IH f F). pose proof (exp_pos e).
    apply Rle_trans with (exp e * (exp (INR k * e) * Q f + d * powers e k) + d); [nra|]. right. ring.
Qed.

(** [U3], [U1] Two steps between neighbours are (2ε, (1 + e^ε)·δ). A replaced record is one removed and one added, and a
    record that changes its owner changes two persons. *)
Corollary two_steps {Y} e d (P P' Q : law Y) :
  0 <= d -> private e d P P' -> private e d P' Q -> private (2 * e) ((1 + exp e) * d) P Q.
Proof.
  intros D p q. replace (2 * e) with (INR 2 * e) by (simpl; ring).
  replace ((1 + exp e) * d) with (d * powers e 2) by (simpl; ring).
  apply groups_of_people; auto. apply chain_step with P'; auto. apply chain_step with Q; auto. apply chain_end.
Qed.

(** Two lists that differ in one entry at most. *)
Definition one_differs {A} (l m : list A) := exists a x y b, l = a ++ x :: b /\ m = a ++ y :: b.

(** [U1] Persons inherit the guarantee of contributions, whatever map [c] makes one contribution of a person's records.
    *)
Theorem persons {Person Contribution Y} (c : Person -> Contribution) (M : list Contribution -> law Y) e d :
  (forall l m, one_differs l m -> private e d (M l) (M m)) ->
  forall l m, one_differs l m -> private e d (M (map c l)) (M (map c m)).
Proof.
  intros H l m (a & x & y & b & -> & ->). apply H. rewrite !map_app. simpl.
  exists (map c a), (c x), (c y), (map c b). auto.
Qed.

(** Releases of several classes, one after the other. Each sees the results of earlier classes. *)
Fixpoint classes {Data Y} (M : nat -> list Y -> Data -> law Y) (k : nat) (seen : list Y) (x : Data) : law (list Y) :=
  match k with
  | O => processed (fun _ : unit => seen)
      {| mean := fun f => f tt; mean_le := fun _ _ _ _ H => H tt; mean_linear := fun _ _ _ _ _ _ => eq_refl;
         mean_one := eq_refl |}
  | S k => processed snd (both (M k seen x) (fun y => classes M k (y :: seen) x))
  end.

(** [U1] Releases of k classes, with one contribution of a person to each, are (kε, kδ) for persons. The contribution to
    class [j] is made by [c j]. *)
Theorem classes_add_up {Person Contribution Y} (c : nat -> Person -> Contribution)
    (M : nat -> list Y -> list Contribution -> law Y) e d :
  0 <= d -> (forall j seen l m, one_differs l m -> private e d (M j seen l) (M j seen m)) ->
  forall l m k seen, one_differs l m ->
  let all := classes (fun j seen x => M j seen (map (c j) x)) k seen in
  private (INR k * e) (INR k * d) (all l) (all m).
Proof.
  intros D H l m k. induction k; intros seen O; cbv zeta.
  - intros f F. simpl. rewrite Rmult_0_l, exp_0. lra.
  - rewrite S_INR, !Rmult_plus_distr_r, !Rmult_1_l, (Rplus_comm _ e), (Rplus_comm _ d).
    cbn [classes]. apply processing_keeps, two_releases_add.
    + apply (persons (c k) (M k seen)); auto.
    + pose proof (pos_INR k). nra.
    + intros y. apply IHk; auto.
Qed.

(** ** What an attacker can do *)

(** The profile of a release: it keeps (ε, [delta] ε) in both directions for each ε ≥ 0. *)
Definition keeps_profile {Y} (delta : R -> R) (P Q : law Y) :=
  forall e, 0 <= e -> private e (delta e) P Q /\ private e (delta e) Q P.

(** [P6] A guess at one of two equally likely data sets is right with a probability of at most (1 + δ(0))/2. The guess
    is a test [f]: it names the first one with the probability [f y]. *)
Theorem guess {Y} delta (P Q : law Y) f : keeps_profile delta P Q -> test f ->
  1 / 2 * P f + 1 / 2 * Q (fun y => 1 - f y) <= (1 + delta 0) / 2.
Proof.
  intros H F. destruct (H 0 (Rle_refl 0)) as [H0 _]. specialize (H0 f F). rewrite exp_0 in H0.
  rewrite (mean_eq Q _ (fun y => -1 * f y + 1 * 1)); auto.
  - rewrite mean_affine by auto. lra.
  - apply bounded_between with 0 1. intros y. specialize (F y). lra.
  - intros. ring.
Qed.

(** [P6] A test with false positives of probability α has a power of at most δ(ε) + e^ε·α and 1 − e^(−ε)·(1 − δ(ε) − α).
    *)
Theorem power_of_a_test {Y} delta (P Q : law Y) f alpha e : keeps_profile delta P Q -> test f -> 0 <= e ->
  Q f <= alpha -> P f <= delta e + exp e * alpha /\ P f <= 1 - exp (- e) * (1 - delta e - alpha).
Proof.
  intros H F E A. destruct (H e E) as [H1 H2]. specialize (H1 f F).
  assert (G : test (fun y => 1 - f y)) by (intros y; specialize (F y); lra).
  specialize (H2 _ G). pose proof (exp_pos e).
  rewrite (mean_eq Q _ (fun y => -1 * f y + 1 * 1)), (mean_eq P _ (fun y => -1 * f y + 1 * 1)) in H2;
    auto; try (intros; ring). rewrite !mean_affine in H2 by auto.
  split; [nra|].
  assert (exp (- e) * (1 - delta e - alpha) <= exp (- e) * (exp e * (1 - P f))).
  { apply Rmult_le_compat_l; [left; apply exp_pos|]. nra. }
  rewrite <- Rmult_assoc, <- exp_plus, Rplus_opp_l, exp_0 in H3. lra.
Qed.

(** [P6] With pure ε the odds of the first data set change by a factor from e^(−ε) to e^ε, whatever they were. The event
    that was seen is [f]; it has a positive probability. *)
Theorem odds {Y} e (P Q : law Y) f prior : private e 0 P Q -> private e 0 Q P -> test f -> 0 < Q f -> 0 < prior ->
  exp (- e) * prior <= prior * (P f / Q f) <= exp e * prior.
Proof.
  intros H1 H2 F Q0 pr. specialize (H1 f F). specialize (H2 f F). pose proof (exp_pos (- e)).
  assert (E : exp (- e) * exp e = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  assert (exp (- e) * Q f <= P f).
  { apply Rle_trans with (exp (- e) * (exp e * P f)); [apply Rmult_le_compat_l; lra|].
    rewrite <- Rmult_assoc, E. lra. }
  assert (exp (- e) <= P f / Q f <= exp e).
  { split; [apply Rle_div_r|apply Rle_div_l]; lra. }
  nra.
Qed.

(** ** Probabilities on the natural numbers are a law *)

Lemma summable p f : (forall i, 0 <= p i) -> ex_series p -> bounded f -> ex_series (fun i => p i * f i).
Proof.
  intros pos s [b B]. apply (@ex_series_le R_AbsRing R_CompleteNormedModule _ (fun i => b * p i)).
  - intros i. change (norm (p i * f i)) with (Rabs (p i * f i)). rewrite Rabs_mult, Rabs_pos_eq by auto.
    specialize (B i). specialize (pos i). nra.
  - apply (@ex_series_scal_l R_AbsRing). auto.
Qed.

Definition countable_law (p : nat -> R) (pos : forall i, 0 <= p i) (one : is_series p 1) : law nat.
Proof.
  assert (s : ex_series p) by (exists 1; auto).
  refine {| mean := fun f => Series (fun i => p i * f i) |}.
  - intros f g F G le. pose proof (summable p f pos s F) as SF. pose proof (summable p g pos s G) as SG.
    assert (0 <= Series (fun i => p i * g i - p i * f i)).
    { rewrite <- (Rmult_0_l (Series (fun _ => 0))), <- Series_scal_l. apply Series_le.
      - intros i. specialize (le i). specialize (pos i). nra.
      - apply (@ex_series_minus R_AbsRing R_NormedModule); auto. }
    rewrite Series_minus in H by auto. lra.
  - intros a f b g F G. pose proof (summable p f pos s F) as SF. pose proof (summable p g pos s G) as SG.
    rewrite <- (Series_scal_l a), <- (Series_scal_l b), <- Series_plus.
    + apply Series_ext. intros i. simpl. ring.
    + apply (@ex_series_scal_l R_AbsRing). auto.
    + apply (@ex_series_scal_l R_AbsRing). auto.
  - transitivity (Series p); [apply Series_ext; intros i; ring|apply is_series_unique; auto].
Defined.
