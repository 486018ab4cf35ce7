(** * Lists of guarantees that are fixed in advance

    This theory proves what an (ε, δ) release gives away at another ε ([P2]). It proves what several give away together,
    if their guarantees were fixed before the first one ([P5]). The worst release is randomised response: with
    probability δ it reveals the data set, and otherwise it names it, correctly with the probability e^ε/(1 + e^ε). The
    guide takes from the literature that all other releases are processed from it. Here no such theorem is used: two
    lines of algebra give the profile of one release, and an induction that of a list.

    _Covered_: pure ε (δ = 0) and (ε, δ), on finitely many outcomes of each release. A later release may be chosen after
    seeing earlier outcomes; its guarantee may not.
    _Not covered_: Gaussian guarantees in such a list, and how the program rounds the sum.

    Link: by reading [conversion.rs] and [composition.rs] of karcher-privacy. *)
From Coq Require Import Reals Lra Psatz List.
Import ListNotations.
From Karcher Require Import FiniteSums.
Open Scope R_scope.

(** ** Positive parts *)

Definition pos (x : R) := Rmax 0 x.
Lemma pos_spec x : 0 <= x /\ pos x = x \/ x <= 0 /\ pos x = 0.
Proof. unfold pos, Rmax. destruct (Rle_dec 0 x); lra. Qed.
Lemma pos_scal c x : 0 <= c -> c * pos x = pos (c * x).
Proof. intros H. destruct (pos_spec x) as [[? ->]|[? ->]], (pos_spec (c * x)) as [[? ->]|[? ->]]; nra. Qed.

(** ** One release *)

Definition law (n : nat) (p : nat -> R) := (forall i, (i < n)%nat -> 0 <= p i) /\ sum n p = 1.
Definition test (f : nat -> R) := forall i, 0 <= f i <= 1.

(** (ε, δ), in both directions. *)
Definition approximate (e d : R) (n : nat) (p q : nat -> R) := forall f, test f ->
  sum n (fun i => p i * f i) <= exp e * sum n (fun i => q i * f i) + d /\
  sum n (fun i => q i * f i) <= exp e * sum n (fun i => p i * f i) + d.

(** The probability that randomised response names the data set correctly. *)
Definition right (e : R) := exp e / (1 + exp e).

(** The profile of randomised response at [x] = e^ε′: the largest P(E) − x·Q(E). *)
Definition profile (e d x : R) :=
  d + (1 - d) * (right e * pos (1 - x / exp e) + (1 - right e) * pos (1 - x * exp e)).

(** [P2] No (ε, δ) release exceeds the profile of randomised response, at any x = e^ε′. *)
Theorem no_release_exceeds e d n p q x f : 0 <= e -> 0 <= d <= 1 -> law n p -> law n q -> approximate e d n p q ->
  0 <= x -> test f -> sum n (fun i => p i * f i) - x * sum n (fun i => q i * f i) <= profile e d x.
Proof.
  intros E D (P & P1) (Q & Q1) H X F.
  destruct (H f F) as (H1 & H2).
  assert (G : test (fun i => 1 - f i)) by (intros i; specialize (F i); lra).
  destruct (H _ G) as (H3 & H4).
  assert (C : forall r, sum n r = 1 -> sum n (fun i => r i * (1 - f i)) = 1 - sum n (fun i => r i * f i)).
  { intros r R1.
    assert (sum n r = sum n (fun i => r i * (1 - f i)) + sum n (fun i => r i * f i)); [|lra].
    rewrite <- sum_plus. apply sum_eq. intros; ring. }
  rewrite !C in H3, H4 by auto.
  assert (B : forall r, law n r -> 0 <= sum n (fun i => r i * f i) <= 1).
  { intros r (R0 & R1). split; [|rewrite <- R1].
    - apply Rle_trans with (sum n (fun i => 0 * r i)); [rewrite sum_scal; lra|].
      apply sum_le. intros i Hi. specialize (R0 i Hi). specialize (F i). nra.
    - apply sum_le. intros i Hi. specialize (R0 i Hi). specialize (F i). nra. }
  pose proof (B p (conj P P1)) as BP. pose proof (B q (conj Q Q1)) as BQ.
  set (a := sum n (fun i => p i * f i)) in *. set (b := sum n (fun i => q i * f i)) in *.
  clearbody a b. clear C B P P1 Q Q1 H F G p q f n.
  assert (E1 : 1 <= exp e) by (rewrite <- exp_0; destruct E as [lt|<-]; [left; apply exp_increasing; auto|lra]).
  unfold profile, right. set (u := exp e) in *. clearbody u. clear E e.
  (* times 1 + u, which is positive *)
  apply (Rmult_le_reg_l (1 + u)); [lra|].
  replace ((1 + u) * (d + (1 - d) * (u / (1 + u) * pos (1 - x / u) + (1 - u / (1 + u)) * pos (1 - x * u))))
    with ((1 + u) * d + (1 - d) * (u * pos (1 - x / u) + pos (1 - x * u))) by (field; lra).
  rewrite pos_scal by lra. replace (u * (1 - x / u)) with (u - x) by (field; lra).
  destruct (pos_spec (u - x)) as [[A ->]|[A ->]].
  2: { assert (a - x * b <= d) by nra. destruct (pos_spec (1 - x * u)) as [[A' ->]|[A' ->]]; nra. }
  destruct (pos_spec (1 - x * u)) as [[A' ->]|[A' ->]].
  - (* x·H4 and a ≤ 1 *)
    assert (x * (1 - b) <= x * (u * (1 - a) + d)) by (apply Rmult_le_compat_l; auto).
    assert (x * u * (1 - a) <= 1 * (1 - a)) by (apply Rmult_le_compat_r; lra).
    assert (a - x * b <= 1 - x * (1 - d)) by lra. nra.
  - (* (u·x − 1)·H1 + (u − x)·H4, over u − 1 *)
    destruct (Rle_lt_or_eq_dec 1 u E1) as [lt|<-]; [|assert (x = 1) by lra; subst x; lra].
    apply (Rmult_le_reg_l (u - 1)); [lra|].
    assert ((u * x - 1) * a <= (u * x - 1) * (u * b + d)) by (apply Rmult_le_compat_l; lra).
    assert ((u - x) * (1 - b) <= (u - x) * (u * (1 - a) + d)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** [P2] An (ε, δ) release is (ε′, δ′) for 0 ≤ ε′ ≤ ε, with δ′ = δ + (1 − δ)·(e^ε − e^ε′)/(1 + e^ε). *)
Corollary smaller_epsilon e d e' n p q : 0 <= e' <= e -> 0 <= d <= 1 -> law n p -> law n q -> approximate e d n p q ->
  approximate e' (d + (1 - d) * ((exp e - exp e') / (1 + exp e))) n p q.
Proof.
  intros E D P Q H f F.
  assert (V : profile e d (exp e') = d + (1 - d) * ((exp e - exp e') / (1 + exp e))).
  { assert (M : forall x y, x <= y -> exp x <= exp y) by (intros x y [lt| ->]; [left; apply exp_increasing; auto|lra]).
    pose proof (M 0 e' (proj1 E)). pose proof (M e' e (proj2 E)). rewrite exp_0 in *.
    unfold profile, right. f_equal. f_equal.
    assert (exp e' / exp e <= 1) by (apply (Rmult_le_reg_r (exp e)); [lra|]; field_simplify; lra).
    assert (Z : pos (1 - exp e' * exp e) = 0).
    { destruct (pos_spec (1 - exp e' * exp e)) as [[A ->]|[A ->]]; [|auto]. nra. }
    assert (W : pos (1 - exp e' / exp e) = 1 - exp e' / exp e).
    { destruct (pos_spec (1 - exp e' / exp e)) as [[A ->]|[A ->]]; lra. }
    rewrite Z, W. field. lra. }
  pose proof (exp_pos e').
  pose proof (no_release_exceeds e d n p q (exp e') f ltac:(lra) D P Q H ltac:(lra) F).
  assert (H' : approximate e d n q p) by (intros g G; destruct (H g G); auto).
  pose proof (no_release_exceeds e d n q p (exp e') f ltac:(lra) D Q P H' ltac:(lra) F).
  lra.
Qed.

(** ** A list *)

(** The loss of randomised response for each ε of a list: the pairs of a probability [c] and of e^(−L). *)
Fixpoint losses (l : list (R * R)) : list (R * R) :=
  match l with
  | [] => [(1, 1)]
  | (e, _) :: l =>
      map (fun k => (right e * fst k, snd k / exp e)) (losses l) ++
      map (fun k => ((1 - right e) * fst k, snd k * exp e)) (losses l)
  end.

(** The probability that no release of the list reveals the data set: Π(1 − δ). *)
Fixpoint hidden (l : list (R * R)) : R := match l with [] => 1 | (_, d) :: l => (1 - d) * hidden l end.

Definition total (l : list (R * R)) (f : R * R -> R) := fold_right (fun k s => f k + s) 0 l.
Lemma total_app l m f : total (l ++ m) f = total l f + total m f.
Proof. induction l; simpl; lra. Qed.
Lemma total_map l g f : total (map g l) f = total l (fun k => f (g k)).
Proof. induction l; simpl; lra. Qed.
Lemma total_scal l c f : total l (fun k => c * f k) = c * total l f.
Proof. induction l; simpl; lra. Qed.
Lemma total_plus l f g : total l (fun k => f k + g k) = total l f + total l g.
Proof. induction l; simpl; lra. Qed.
Lemma total_eq l f g : (forall k, In k l -> f k = g k) -> total l f = total l g.
Proof. induction l; simpl; intros H; auto. rewrite IHl, H by auto. reflexivity. Qed.
Lemma total_le l f g : (forall k, In k l -> f k <= g k) -> total l f <= total l g.
Proof. induction l; simpl; intros H; [lra|]. apply Rplus_le_compat; auto. Qed.
Lemma sum_total n l f : sum n (fun i => total l (f i)) = total l (fun k => sum n (fun i => f i k)).
Proof. induction l; simpl; [|rewrite sum_plus, IHl; auto]. induction n; simpl; lra. Qed.

(** The δ of the list at [x] = e^ε: δ_∞ + (1 − δ_∞)·E(1 − x·e^(−L))₊. *)
Definition delta (l : list (R * R)) (x : R) := 1 - hidden l + hidden l * total (losses l)
  (fun k => fst k * pos (1 - x * snd k)).

Definition admissible (l : list (R * R)) := forall k, In k l -> 0 <= fst k /\ 0 <= snd k <= 1.

Lemma right_between e : 0 < right e < 1.
Proof.
  unfold right. pose proof (exp_pos e). split; [apply Rdiv_lt_0_compat; lra|].
  apply (Rmult_lt_reg_r (1 + exp e)); [lra|]. field_simplify; lra.
Qed.
Lemma losses_positive l k : In k (losses l) -> 0 <= fst k /\ 0 < snd k.
Proof.
  revert k. induction l as [|(e, d) l IH]; simpl; intros k H.
  - destruct H as [<-|[]]. simpl. lra.
  - pose proof (right_between e). pose proof (exp_pos e).
    apply in_app_or in H. destruct H as [H|H]; apply in_map_iff in H; destruct H as (j & <- & J); simpl;
      destruct (IH j J); split; try (apply Rmult_le_pos; lra); try (apply Rmult_lt_0_compat; auto; lra).
    apply Rdiv_lt_0_compat; auto.
Qed.
Lemma losses_one l : total (losses l) fst = 1.
Proof.
  induction l as [|(e, d) l IH]; simpl; [lra|].
  rewrite total_app, !total_map. simpl. rewrite !total_scal, IH. lra.
Qed.
Lemma hidden_between l : admissible l -> 0 <= hidden l <= 1.
Proof.
  induction l as [|(e, d) l IH]; simpl; intros A; [lra|].
  assert (0 <= hidden l <= 1) by (apply IH; intros k K; apply A; right; auto).
  destruct (A (e, d)) as (_ & D); [left; auto|]. simpl in D. nra.
Qed.

(** The δ of a list is the profile of its first release, averaged over the losses of the others. *)
Lemma delta_step e d l x : delta ((e, d) :: l) x =
  1 - hidden l + hidden l * total (losses l) (fun k => fst k * profile e d (x * snd k)).
Proof.
  unfold delta, profile. cbn [losses hidden]. rewrite total_app, !total_map. simpl.
  pose proof (exp_pos e).
  rewrite (total_eq (losses l) (fun k => right e * fst k * _)
    (fun k => right e * (fst k * pos (1 - x * snd k / exp e)))).
  2: { intros k _. rewrite Rmult_assoc. do 3 f_equal. field. lra. }
  rewrite (total_eq (losses l) (fun k => (1 - right e) * fst k * _)
    (fun k => (1 - right e) * (fst k * pos (1 - x * snd k * exp e)))).
  2: { intros k _. rewrite Rmult_assoc. do 3 f_equal. ring. }
  rewrite (total_eq (losses l) (fun k => fst k * (d + _)) (fun k => d * fst k +
    ((1 - d) * right e * (fst k * pos (1 - x * snd k / exp e)) +
     (1 - d) * (1 - right e) * (fst k * pos (1 - x * snd k * exp e))))) by (intros; ring).
  rewrite !total_plus, !total_scal, losses_one. ring.
Qed.

(** ** Releases *)

(** Releases one after the other, chosen by earlier outcomes. [Stop x] ends; [x] is the probability that a test then
    suspects the first data set. *)
Inductive course :=
| Stop (x : R)
| Release (n : nat) (p q : nat -> R) (next : nat -> course).

Fixpoint suspicion (first : bool) (a : course) : R :=
  match a with
  | Stop x => x
  | Release n p q next => sum n (fun i => (if first then p i else q i) * suspicion first (next i))
  end.

(** The first release has the first guarantee of the list, and so on; it may end early. *)
Fixpoint keeps (l : list (R * R)) (a : course) : Prop :=
  match a, l with
  | Stop x, _ => 0 <= x <= 1
  | Release n p q next, (e, d) :: l =>
      law n p /\ law n q /\ approximate e d n p q /\ forall i, keeps l (next i)
  | Release _ _ _ _, [] => False
  end.

Lemma suspicion_positive a : forall l first, keeps l a -> 0 <= suspicion first a.
Proof.
  induction a as [x|n p q next IH]; intros l first H; simpl; [destruct l as [|[]]; simpl in H; lra|].
  destruct l as [|(e, d) l]; [destruct H|]. destruct H as ((P & _) & (Q & _) & _ & H).
  apply Rle_trans with (sum n (fun i => 0 * 0)); [rewrite sum_scal; lra|]. apply sum_le. intros i Hi.
  specialize (IH i l first (H i)). specialize (P i Hi). specialize (Q i Hi). destruct first; nra.
Qed.

(** [P5] Releases with a list of guarantees that is fixed in advance are (e, δ_∞ + (1 − δ_∞)·E(1 − e^(e − L))₊)
    together. For every test of all outcomes, P(test) − x·Q(test) is at most this δ at [x] = e^e. *)
Theorem fixed_list a : forall l x, admissible l -> keeps l a -> 0 <= x ->
  suspicion true a - x * suspicion false a <= delta l x.
Proof.
  induction a as [y|n p q next IH]; intros l x A H X.
  - assert (Y : 0 <= y <= 1) by (destruct l as [|[]]; exact H). simpl. clear H.
    assert (B : pos (1 - x) <= delta l x).
    { revert x X. induction l as [|(e, d) l IHl]; intros x X.
      - unfold delta. simpl. rewrite Rmult_1_r. lra.
      - assert (A' : admissible l) by (intros k K; apply A; right; auto).
        rewrite delta_step. pose proof (hidden_between l A') as Hh.
        apply Rle_trans with (delta l x); [apply IHl; auto|].
        unfold delta. apply Rplus_le_compat_l, Rmult_le_compat_l; [lra|]. apply total_le. intros k K.
        destruct (losses_positive l k K) as (c0 & y0). apply Rmult_le_compat_l; auto.
        destruct (A (e, d)) as (E & D); [left; auto|]. simpl in E, D.
        pose proof (right_between e). pose proof (exp_pos e).
        unfold profile. set (z := x * snd k). assert (Z : 0 <= z) by (unfold z; nra).
        assert (J : pos (1 - z) <= right e * pos (1 - z / exp e) + (1 - right e) * pos (1 - z * exp e)).
        { assert (EQ : 1 - z = right e * (1 - z / exp e) + (1 - right e) * (1 - z * exp e))
            by (unfold right; field; lra).
          destruct (pos_spec (1 - z / exp e)) as [[U ->]|[U ->]], (pos_spec (1 - z * exp e)) as [[V ->]|[V ->]],
            (pos_spec (1 - z)) as [[W ->]|[W ->]]; nra. }
        assert (pos (1 - z) <= 1) by (destruct (pos_spec (1 - z)) as [[W ->]|[W ->]]; lra).
        nra. }
    destruct (pos_spec (1 - x)) as [[U W]|[U W]]; rewrite W in B; nra.
  - destruct l as [|(e, d) l]; [destruct H|]. destruct H as (P & Q & ap & H).
    assert (A' : admissible l) by (intros k K; apply A; right; auto).
    pose proof (hidden_between l A') as Hh.
    destruct (A (e, d)) as (E & D); [left; auto|]. simpl in E, D.
    rewrite delta_step. cbn [suspicion].
    (* given an outcome, the rest keeps the rest of the list *)
    assert (T : forall i, (i < n)%nat -> p i * suspicion true (next i) - x * (q i * suspicion false (next i)) <=
      (1 - hidden l) * p i + hidden l * total (losses l) (fun k => fst k * pos (p i - x * snd k * q i))).
    { intros i Hi. pose proof (proj1 P i Hi) as pi. pose proof (proj1 Q i Hi) as qi.
      assert (N : 0 <= total (losses l) (fun k => fst k * pos (p i - x * snd k * q i))).
      { apply Rle_trans with (total (losses l) (fun k => 0 * 0)); [rewrite total_scal; lra|]. apply total_le.
        intros k K. destruct (losses_positive l k K) as (c0 & _).
        destruct (pos_spec (p i - x * snd k * q i)) as [[U ->]|[U ->]]; nra. }
      destruct (Rle_lt_or_eq_dec 0 (p i) pi) as [pi'|p0].
      - assert (R : 0 <= x * q i / p i) by (apply Rmult_le_pos; [nra|left; apply Rinv_0_lt_compat; auto]).
        pose proof (IH i l (x * q i / p i) A' (H i) R) as I.
        apply (Rmult_le_compat_l (p i)) in I; [|lra].
        replace (p i * (suspicion true (next i) - x * q i / p i * suspicion false (next i)))
          with (p i * suspicion true (next i) - x * (q i * suspicion false (next i))) in I by (field; lra).
        eapply Rle_trans; [exact I|]. unfold delta. right.
        rewrite Rmult_plus_distr_l, (Rmult_comm (p i) (1 - _)). f_equal.
        rewrite <- Rmult_assoc, (Rmult_comm (p i)), Rmult_assoc. f_equal. rewrite <- total_scal.
        apply total_eq. intros k _. rewrite <- Rmult_assoc, (Rmult_comm (p i)), Rmult_assoc, pos_scal by lra.
        do 2 f_equal. field. lra.
      - pose proof (suspicion_positive (next i) l false (H i)).
        assert (0 <= x * (q i * suspicion false (next i))) by (apply Rmult_le_pos; auto; apply Rmult_le_pos; auto).
        rewrite <- p0 in N |- *. apply (Rmult_le_pos (hidden l)) in N; lra. }
    apply sum_le in T. rewrite (sum_eq n _ (fun i => p i * suspicion true (next i) +
      (- x) * (q i * suspicion false (next i)))) in T by (intros; ring).
    rewrite !sum_plus, !sum_scal, sum_total in T. destruct P as (P0 & P1), Q as (Q0 & Q1). rewrite P1 in T.
    apply Rle_trans with (1 - hidden l + hidden l *
      total (losses l) (fun k => sum n (fun i => fst k * pos (p i - x * snd k * q i)))).
    + lra.
    + apply Rplus_le_compat_l, Rmult_le_compat_l; [lra|]. apply total_le. intros k K.
      destruct (losses_positive l k K) as (c0 & y0).
      rewrite sum_scal. apply Rmult_le_compat_l; auto.
      (* the best test at this loss *)
      set (f := fun i => if Rle_dec (p i) (x * snd k * q i) then 0 else 1).
      assert (F : test f) by (intros i; unfold f; destruct (Rle_dec (p i) (x * snd k * q i)); lra).
      eapply Rle_trans; [|apply (no_release_exceeds e d n p q (x * snd k) f)]; auto; try (split; auto); try nra.
      right. rewrite (sum_eq n _ (fun i => p i * f i + - (x * snd k) * (q i * f i))).
      * rewrite sum_plus, sum_scal. lra.
      * intros i _. unfold f. destruct (Rle_dec (p i)
          (x * snd k * q i)), (pos_spec (p i - x * snd k * q i)) as [[U ->]|[U ->]];
          lra.
Qed.

(** ** No smaller δ will do *)

(** Randomised response with (ε, δ). Outcomes 0 and 3 reveal the data set; 1 and 2 name the first and the second one. *)
Definition response (e d : R) (first : bool) (i : nat) : R :=
  match i, first with
  | 0%nat, true | 3%nat, false => d
  | 1%nat, true | 2%nat, false => (1 - d) * right e
  | 1%nat, false | 2%nat, true => (1 - d) * (1 - right e)
  | _, _ => 0
  end.

Lemma response_law e d first : 0 <= d <= 1 -> law 4 (response e d first).
Proof.
  intros D. pose proof (right_between e). split.
  - intros [|[|[|[|i]]]] _; destruct first; simpl; try lra; apply Rmult_le_pos; lra.
  - destruct first; simpl; ring.
Qed.
Lemma response_approximate e d : 0 <= e -> 0 <= d <= 1 -> approximate e d 4 (response e d true) (response e d false).
Proof.
  intros E D f F. pose proof (F 0%nat). pose proof (F 1%nat). pose proof (F 2%nat). pose proof (F 3%nat).
  assert (E1 : 1 <= exp e) by (rewrite <- exp_0; destruct E as [lt|<-]; [left; apply exp_increasing; auto|lra]).
  pose proof (right_between e) as W.
  assert (R : right e = exp e * (1 - right e)) by (unfold right; field; lra).
  simpl. set (u := exp e) in *. set (w := right e) in *. clearbody u w.
  assert (B : (1 - w) <= u * w) by nra.
  assert (V : forall x y, 0 <= x -> 0 <= y -> (1 - d) * w * x + (1 - d) * (1 - w) * y <=
    u * ((1 - d) * (1 - w) * x + (1 - d) * w * y)).
  { intros x y X Y. replace (u * ((1 - d) * (1 - w) * x + (1 - d) * w * y)) with
      ((1 - d) * (u * (1 - w)) * x + (1 - d) * (u * w) * y) by ring. rewrite <- R.
    apply Rplus_le_compat_l, Rmult_le_compat_r; auto. apply Rmult_le_compat_l; lra. }
  pose proof (V (f 1%nat) (f 2%nat) ltac:(lra) ltac:(lra)).
  pose proof (V (f 2%nat) (f 1%nat) ltac:(lra) ltac:(lra)).
  assert (d * f 0%nat <= d) by nra. assert (d * f 3%nat <= d) by nra.
  assert (0 <= u * (d * f 3%nat)) by (apply Rmult_le_pos; nra). assert (0 <= u * (d * f 0%nat))
    by (apply Rmult_le_pos; nra).
  split; lra.
Qed.

(** Independent randomised responses, with the best test at [x]. *)
Fixpoint responses (l : list (R * R)) (x : R) : course :=
  match l with
  | [] => Stop (if Rle_dec x 1 then 1 else 0)
  | (e, d) :: l => Release 4 (response e d true) (response e d false) (fun i =>
      match i with
      | 0%nat => Stop 1
      | 1%nat => responses l (x / exp e)
      | 2%nat => responses l (x * exp e)
      | _ => Stop 0
      end)
  end.

(** [P2], [P5] No smaller δ will do: independent randomised responses have the guarantees of the list, and a test
    attains it. *)
Theorem no_smaller_delta l : forall x, admissible l ->
  keeps l (responses l x) /\ suspicion true (responses l x) - x * suspicion false (responses l x) = delta l x.
Proof.
  induction l as [|(e, d) l IH]; intros x A.
  - unfold delta. simpl. destruct (Rle_dec x 1), (pos_spec (1 - x * 1)) as [[U ->]|[U ->]]; lra.
  - assert (A' : admissible l) by (intros k K; apply A; right; auto).
    destruct (A (e, d)) as (E & D); [left; auto|]. simpl in E, D. pose proof (exp_pos e).
    destruct (IH (x / exp e) A') as (K1 & V1). destruct (IH (x * exp e) A') as (K2 & V2). split.
    + cbn [responses keeps]. split; [apply response_law; auto|]. split; [apply response_law; auto|].
      split; [apply response_approximate; auto|].
      intros [|[|[|i]]]; auto; destruct l as [|[]]; simpl; lra.
    + cbn [responses suspicion sum response]. set (a1 := suspicion true (responses l (x / exp e))) in *.
      set (b1 := suspicion false (responses l (x / exp e))) in *.
      set (a2 := suspicion true (responses l (x * exp e))) in *.
      set (b2 := suspicion false (responses l (x * exp e))) in *.
      transitivity (d + (1 - d) * (right e * (a1 - x / exp e * b1) + (1 - right e) * (a2 - x * exp e * b2))).
      * assert (R1 : x / exp e * right e = x * (1 - right e)) by (unfold right; field; lra).
        assert (R2 : x * exp e * (1 - right e) = x * right e) by (unfold right; field; lra).
        transitivity (d + (1 - d) * (right e * a1 + (1 - right e) * a2 - x * (1 - right e) * b1 - x * right e * b2)).
        -- ring.
        -- rewrite <- R1, <- R2. ring.
      * rewrite V1, V2. unfold delta. cbn [losses hidden]. rewrite total_app, !total_map. simpl.
        rewrite (total_eq (losses l) (fun k => right e * fst k * _)
          (fun k => right e * (fst k * pos (1 - x / exp e * snd k)))).
        2: { intros k _. rewrite Rmult_assoc. do 3 f_equal. field. lra. }
        rewrite (total_eq (losses l) (fun k => (1 - right e) * fst k * _)
          (fun k => (1 - right e) * (fst k * pos (1 - x * exp e * snd k)))).
        2: { intros k _. rewrite Rmult_assoc. do 3 f_equal. ring. }
        rewrite !total_scal. ring.
Qed.

(** For one release it is the profile of randomised response, which is therefore the smallest ([P2]). *)
Lemma delta_one e d x : delta [(e, d)] x = profile e d x.
Proof. rewrite delta_step. simpl. rewrite Rmult_1_r. ring. Qed.
