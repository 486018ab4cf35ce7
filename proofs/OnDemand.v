(** * Digits on demand

    The programs in use draw a limb when a comparison asks for it. Suppose that each number had [k] limbs from the
    beginning, and that a comparison of two equal numbers ended the program. Then a result has at most the probability
    that it has on demand.

    The numbers with [k] limbs are those of the grid of [B^k] cells ([Exponential]), where a tie ends the program
    instead of the run. Ties are improbable. So the law of an exponential number on demand is that of every grid, up to
    a multiple of [B^(-k)].

    _Not covered_: the sum of the probabilities of ties in a normal number. It has on demand what it has beforehand.

    Link: by the tables of [Kernels], which [noise/exponential.rs] and [noise/normal.rs] have to reproduce. *)

Require Import ZArith Reals List Lia Lra.
From Karcher Require Import Words Uniform Exponential Normal.
Import ListNotations.
Open Scope R_scope.

Lemma mass_one_le N {A} (p : Prog A) : (0 < N)%Z -> mass N p (fun _ => 1) <= 1.
Proof.
  intros HN. induction p as [a|go_on IH|]; cbn [mass]; try lra.
  apply Rle_trans with (sum (Z.to_nat N) (fun _ => 1) / IZR N); [|rewrite (mean_const N HN 1); lra].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, (IZR_lt 0); exact HN|]. apply sum_le. auto.
Qed.

Section OnDemand.
Variable B : Z.
Hypothesis B_large : (1 < B)%Z.
Variable k : nat.

Let B_pos : (0 < B)%Z. Proof. lia. Qed.

(** [n] more limbs. *)
Fixpoint more (n : nat) (x : number) : Prog number :=
  match n with O => Return x | S n => Word (fun w => more n (x ++ [w])) end.

(** Which of two numbers of [k] limbs is smaller, unless they are equal. *)
Fixpoint compare (x y : number) : option bool :=
  match x, y with
  | a :: x, b :: y => if (a =? b)%Z then compare x y else Some (a <? b)%Z
  | _, _ => None
  end.

(** Numbers that have [k] limbs from the beginning. *)
Definition beforehand : Numbers := {|
  num := number;
  draw := more k [];
  below x y := match compare x y with Some b => Return (b, (x, y)) | None => Stuck end;
  below_half x := Return ((nth 0 x 0 <? B / 2)%Z, x);
|}.

(** The mean over the limbs up to [k] that are not drawn yet. *)
Definition E (h : number -> R) (x : number) : R := mass B (more (k - length x) (firstn k x)) h.

(** ** Means *)

Lemma mass_zero {A} (p : Prog A) : mass B p (fun _ => 0) = 0.
Proof.
  induction p as [a|go_on IH|]; cbn [mass]; auto.
  rewrite (sum_word B _ (fun _ => 0)) by auto. rewrite sum_const. unfold Rdiv. ring.
Qed.

Lemma mass_nonneg {A} (p : Prog A) f : (forall a, 0 <= f a) -> 0 <= mass B p f.
Proof. intros H. rewrite <- (mass_zero p). apply mass_le; auto. Qed.

Lemma mass_of_sum {A} (p : Prog A) n (f : Z -> A -> R) :
  mass B p (fun a => sum n (fun w => f w a)) = sum n (fun w => mass B p (f w)).
Proof.
  induction n as [|n IH]; cbn [sum]; [apply mass_zero|]. rewrite <- IH.
  rewrite (mass_ext B p _ (fun a => 1 * sum n (fun w => f w a) + 1 * f (Z.of_nat n) a)) by (intros; ring).
  rewrite mass_linear by exact B_pos. ring.
Qed.

Lemma mass_swap {A C} (p : Prog A) (q : Prog C) f :
  mass B p (fun a => mass B q (f a)) = mass B q (fun c => mass B p (fun a => f a c)).
Proof.
  induction p as [a|go_on IH|]; cbn [mass].
  - apply mass_ext. reflexivity.
  - rewrite (sum_word B _ (fun w => mass B q (fun c => mass B (go_on w) (fun a => f a c)))) by auto.
    rewrite <- mass_of_sum.
    rewrite (mass_ext B q (fun c => sum (Z.to_nat B) (fun w => mass B (go_on w) (fun a => f a c)) / IZR B)
      (fun c => / IZR B * sum (Z.to_nat B) (fun w => mass B (go_on w) (fun a => f a c)) + 0 * 0)).
    + rewrite mass_linear by exact B_pos. unfold Rdiv. ring.
    + intros. unfold Rdiv. ring.
  - symmetry. apply mass_zero.
Qed.

Lemma mass_more_const n x c : mass B (more n x) (fun _ => c) = c.
Proof.
  revert x. induction n as [|n IH]; intros x; cbn [more mass]; [reflexivity|].
  rewrite (sum_word B _ (fun _ => c)) by auto. apply mean_const, B_pos.
Qed.

Lemma E_const c x : E (fun _ => c) x = c.
Proof. apply mass_more_const. Qed.

(** One limb more does not change the mean. *)
Lemma E_step h x : E h x = sum (Z.to_nat B) (fun w => E h (x ++ [w])) / IZR B.
Proof.
  unfold E. destruct (Nat.lt_ge_cases (length x) k) as [lt|ge].
  - replace (k - length x)%nat with (S (k - S (length x))) by lia. cbn [more mass]. f_equal. apply sum_word. intros w _.
    rewrite app_length, Nat.add_1_r, (firstn_all2 x), firstn_all2 by (rewrite ?app_length; cbn; lia). reflexivity.
  - rewrite (sum_word B _ (fun _ => mass B (more (k - length x) (firstn k x)) h)).
    + rewrite mean_const by exact B_pos. reflexivity.
    + intros w _. rewrite app_length, firstn_app. replace (k - length x)%nat with 0%nat by lia.
      replace (k - (length x + length [w]))%nat with 0%nat by (cbn; lia). rewrite firstn_O, app_nil_r. reflexivity.
Qed.

Lemma mass_more_le n f g : forall x, (forall l, f (x ++ l) <= g (x ++ l)) ->
  mass B (more n x) f <= mass B (more n x) g.
Proof.
  induction n as [|n IH]; intros x H; cbn [more mass].
  - specialize (H []). rewrite app_nil_r in H. exact H.
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, (IZR_lt 0); lia|]. apply sum_le. intros w _. apply IH.
    intros l. rewrite <- app_assoc. apply H.
Qed.

(** Only the first [k] limbs of numbers that begin like [x] matter. *)
Lemma E_le f g x : (forall l, f (firstn k (x ++ l)) <= g (firstn k (x ++ l))) -> E f x <= E g x.
Proof.
  intros H. unfold E. destruct (Nat.lt_ge_cases (length x) k) as [lt|ge].
  - rewrite firstn_all2 by lia.
    assert (G : forall n y, (length y + n = k)%nat -> (forall l, f (firstn k (y ++ l)) <= g (firstn k (y ++ l))) ->
      mass B (more n y) f <= mass B (more n y) g).
    { induction n as [|n IH]; intros y Hy Hl; cbn [more mass].
      - specialize (Hl []). rewrite app_nil_r, firstn_all2 in Hl by lia. exact Hl.
      - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, (IZR_lt 0); lia|]. apply sum_le. intros w _.
        apply IH; [rewrite app_length; cbn; lia|]. intros l. rewrite <- app_assoc. apply Hl. }
    apply G; [lia|exact H].
  - replace (k - length x)%nat with 0%nat by lia. cbn [more mass]. specialize (H []). rewrite app_nil_r in H. exact H.
Qed.

Lemma mass_fresh_E h : mass B fresh (E h) = mass B (draw beforehand) h.
Proof.
  rewrite mass_fresh. change (mass B (draw beforehand) h) with (mass B (more k []) h).
  transitivity (E h []).
  - symmetry. apply (E_step h []).
  - unfold E. cbn [length]. rewrite Nat.sub_0_r, firstn_nil. reflexivity.
Qed.

(** ** A comparison *)

Lemma compare_same p : compare p p = None.
Proof. induction p as [|a p IH]; cbn [compare]; [reflexivity|]. rewrite Z.eqb_refl. exact IH. Qed.

Lemma compare_at p a b x y : a <> b -> compare (p ++ a :: x) (p ++ b :: y) = Some (a <? b)%Z.
Proof.
  intros ne. induction p as [|c p IH]; cbn [compare app].
  - rewrite (proj2 (Z.eqb_neq a b) ne). reflexivity.
  - rewrite Z.eqb_refl. exact IH.
Qed.

Lemma mass_limb_E (x : number) i (K : Z * number -> R) (F : number -> R) :
  (i <= length x)%nat -> F x = sum (Z.to_nat B) (fun w => F (x ++ [w])) / IZR B ->
  (forall w x', (i < length x')%nat -> firstn i x' = firstn i x -> nth_error x' i = Some w -> F x' <= K (w, x')) ->
  F x <= mass B (limb x i) K.
Proof.
  intros Hi HF HG. unfold limb. destruct (nth_error x i) as [w|] eqn:N; cbn [mass].
  - apply HG; auto. apply nth_error_Some. congruence.
  - rewrite HF. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, (IZR_lt 0); lia|]. apply sum_le. intros w _.
    apply nth_error_None in N. assert (i = length x) as -> by lia. apply HG.
    + rewrite app_length. cbn. lia.
    + rewrite firstn_app, Nat.sub_diag, firstn_O, app_nil_r. reflexivity.
    + rewrite nth_error_app2, Nat.sub_diag by lia. reflexivity.
Qed.

(** What a comparison of numbers of [k] limbs gives. *)
Definition decided (g : bool -> number -> number -> R) (x y : number) : R :=
  match compare x y with Some b => g b x y | None => 0 end.

Definition E2 (h : number -> number -> R) (x y : number) : R := E (fun u => E (h u) y) x.

Lemma E2_step_right h x y : E2 h x y = sum (Z.to_nat B) (fun w => E2 h x (y ++ [w])) / IZR B.
Proof.
  unfold E2. set (p := more (k - length x) (firstn k x)).
  change (mass B p (fun u => E (h u) y)
          = sum (Z.to_nat B) (fun w => mass B p (fun u => E (h u) (y ++ [w]))) / IZR B).
  rewrite (mass_ext B p _ (fun u => / IZR B * sum (Z.to_nat B) (fun w => E (h u) (y ++ [w])) + 0 * 0)).
  - rewrite mass_linear, mass_of_sum by exact B_pos. unfold Rdiv. ring.
  - intros u. rewrite E_step. unfold Rdiv. ring.
Qed.

Lemma E2_le f g x y : (forall l m, f (firstn k (x ++ l)) (firstn k (y ++ m))
  <= g (firstn k (x ++ l)) (firstn k (y ++ m))) ->
  E2 f x y <= E2 g x y.
Proof. intros H. apply E_le. intros l. apply E_le. intros m. apply H. Qed.

Lemma comparison_on_demand g : (forall b x y, 0 <= g b x y) -> forall n x y i,
  (i <= length x)%nat -> (i <= length y)%nat -> firstn i x = firstn i y -> (k <= n + i)%nat ->
  E2 (decided g) x y <= mass B (is_below n x y i) (fun r => E2 (g (fst r)) (fst (snd r)) (snd (snd r))).
Proof.
  intros Hg. induction n as [|n IH]; intros x y i Hx Hy Heq Hk; cbn [is_below].
  - cbn [mass]. apply Rle_trans with (E2 (fun _ _ => 0) x y).
    + apply E2_le. intros l m. unfold decided.
      replace (firstn k (x ++ l)) with (firstn k (firstn i x)).
      2: { rewrite firstn_firstn, firstn_app. replace (k - length x)%nat with 0%nat by lia.
           rewrite firstn_O, app_nil_r. f_equal. lia. }
      replace (firstn k (y ++ m)) with (firstn k (firstn i x)).
      2: { rewrite Heq, firstn_firstn, firstn_app. replace (k - length y)%nat with 0%nat by lia.
           rewrite firstn_O, app_nil_r. f_equal. lia. }
      rewrite compare_same. lra.
    + change (mass B (more (k - length x) (firstn k x)) (fun _ => E (fun _ => 0) y) <= 0).
      rewrite mass_more_const, E_const. lra.
  - rewrite mass_bind.
    apply (mass_limb_E x i _ (fun x => E2 (decided g) x y) Hx).
    { apply E_step. }
    intros a x' Lx Fx Na. rewrite mass_bind.
    apply (mass_limb_E y i _ (fun y => E2 (decided g) x' y) Hy).
    { apply E2_step_right. }
    intros b y' Ly Fy Nb. destruct (Z.eqb_spec a b) as [<-|ne].
    + apply IH; try lia. rewrite !(firstn_next _ _ a) by assumption. congruence.
    + cbn [mass fst snd]. apply E2_le. intros l m. unfold decided.
      destruct (nth_error_split _ _ Na) as (p & u & -> & Lp). destruct (nth_error_split _ _ Nb) as (q & v & -> & Lq).
      assert (p = q) as <-.
      { assert (A : forall (s t : number), firstn (length s) (s ++ t) = s) by (intros;
        rewrite firstn_app, firstn_all, Nat.sub_diag, firstn_O, app_nil_r; reflexivity).
        rewrite <- (A p (a :: u)), <- (A q (b :: v)), Lp, Lq, Fx, Fy. exact Heq. }
      rewrite <- !app_assoc. cbn [app]. destruct (Nat.lt_ge_cases (length p) k) as [lt|ge].
      * rewrite !firstn_app, (firstn_all2 p) by lia.
        replace (k - length p)%nat with (S (k - S (length p))) by lia. cbn [firstn].
        rewrite compare_at by exact ne. lra.
      * rewrite !firstn_app. replace (k - length p)%nat with 0%nat by lia. rewrite !firstn_O, app_nil_r.
        rewrite compare_same. apply Hg.
Qed.
(** ** Programs *)

Variable n : nat.                      (* the limbs that a comparison may ask for *)
Hypothesis enough : (k <= n)%nat.
Notation on_demand := (limbs B n).

Lemma E2_swap h x y : E2 h x y = E (fun v => E (fun u => h u v) x) y.
Proof. apply (mass_swap (more (k - length x) (firstn k x)) (more (k - length y) (firstn k y))). Qed.

Lemma mass_E {A} (p : Prog A) (h : A -> number -> R) x :
  mass B p (fun a => E (h a) x) = E (fun u => mass B p (fun a => h a u)) x.
Proof. apply (mass_swap p (more (k - length x) (firstn k x))). Qed.

Lemma run_on_demand fuel : forall (g : bool -> number -> R) x, (forall b u, 0 <= g b u) ->
  E (fun u => mass B (falls_evenly beforehand fuel u) (fun r => g (fst r) (snd r))) x
  <= mass B (falls_evenly on_demand fuel x) (fun r => E (g (fst r)) (snd r)).
Proof.
  induction fuel as [|fuel IH]; intros g x Hg; cbn [falls_evenly]; [cbn [mass]; rewrite E_const; lra|].
  rewrite mass_bind.
  (* what is known after the comparison *)
  pose (G := fun (b : bool) (next u : number) =>
    if b then mass B (falls_evenly beforehand fuel next) (fun r => g (negb (fst r)) u) else g true u).
  assert (HG : forall b next u, 0 <= G b next u).
  { intros [] next u; [apply mass_nonneg; auto|apply Hg]. }
  apply Rle_trans with (mass B fresh (fun next => E2 (decided G) next x)).
  - (* the first number beforehand *)
    assert (F : mass B fresh (fun next => E2 (decided G) next x)
                = E (fun u => mass B (draw beforehand) (fun next => decided G next u)) x).
    { rewrite <- mass_E. apply mass_fresh_E. }
    rewrite F. apply E_le. intros l. set (u := firstn k (x ++ l)). clearbody u.
    apply Req_le. rewrite mass_bind. apply mass_ext. intros next. rewrite mass_bind. unfold decided.
      cbn [below beforehand].
    destruct (compare next u) as [[]|]; cbn [mass]; [|reflexivity|reflexivity].
    rewrite mass_bind. apply mass_ext. intros [e v]. reflexivity.
  - apply mass_le; [exact B_pos|]. intros next.
    eapply Rle_trans; [apply (comparison_on_demand G HG n next x 0); try lia; reflexivity|].
    rewrite mass_bind. apply mass_le; [exact B_pos|]. intros [b [next' x']]. cbn [fst snd]. destruct b.
    + rewrite mass_bind. unfold E2, G.
      eapply Rle_trans; [|apply (mass_le B B_pos _ (fun r => E (fun _ => E (g (negb (fst r))) x') (snd r)))].
      * eapply Rle_trans; [|apply (IH (fun e _ => E (g (negb e)) x'))].
        -- apply E_le. intros l. apply Req_le. symmetry. apply (mass_E _ (fun r => g (negb (fst r)))).
        -- intros e _. apply mass_nonneg. auto.
      * intros [e v]. cbn [fst snd mass]. rewrite E_const. lra.
    + change (E (fun _ => E (g true) x') next' <= E (g true) x'). rewrite E_const. lra.
Qed.

(** [X3] A falling run on demand has each of its results with at least the probability that it has with limbs that are
    drawn beforehand. *)
Theorem falls_evenly_on_demand fuel (test : bool -> number -> bool) :
  probability B (x <- draw beforehand ;; falls_evenly beforehand fuel x) (fun r => test (fst r) (snd r))
  <= mass B (x <- fresh ;; falls_evenly on_demand fuel x)
       (fun r => E (fun u => if test (fst r) u then 1 else 0) (snd r)).
Proof.
  unfold probability. rewrite !mass_bind, <- mass_fresh_E. apply mass_le; [exact B_pos|]. intros x.
  apply (run_on_demand fuel (fun b u => if test b u then 1 else 0)). intros b u. destruct (test b u); lra.
Qed.

(** A comparison with 1/2 looks at the first limb alone. *)
Lemma half_on_demand (g : bool -> number -> R) x : (forall b u,
  0 <= g b u) -> Z.even B = true -> (0 < k)%nat -> (1 < n)%nat ->
  E (fun u => g (nth 0 u 0 <? B / 2)%Z u) x <= mass B (is_below_ratio B n x 1 2 0) (fun r => E (g (fst r)) (snd r)).
Proof.
  intros Hg Hev Hk Hn. destruct n as [|[|n']]; try lia. cbn [is_below_ratio Z.eqb]. rewrite mass_bind.
  apply (mass_limb_E x 0 _ (fun x => E (fun u => g (nth 0 u 0 <? B / 2)%Z u) x)); [lia|apply E_step|].
  intros w x' Lx _ Nw. cbn [Z.eqb]. rewrite Z.mul_1_l.
  assert (M : (B mod 2 = 0)%Z) by (rewrite Zmod_even, Hev; reflexivity).
  apply Rle_trans with (E (g (w <? B / 2)%Z) x').
  - apply E_le. intros l. destruct x' as [|v x']; [discriminate|]. injection Nw as ->. destruct k; [lia|]. cbn. lra.
  - destruct (Z.eqb_spec w (B / 2)) as [->|ne]; [|cbn [mass fst snd]; lra].
    rewrite M. cbn [is_below_ratio Z.eqb mass fst snd]. rewrite Z.ltb_irrefl. lra.
Qed.

Lemma half_from_on_demand fuel (c : bool -> R) : (forall e, 0 <= c e) ->
  Z.even B = true -> (0 < k)%nat -> (1 < n)%nat ->
  mass B (half_falls_evenly beforehand fuel) c <= mass B (half_falls_evenly on_demand fuel) c.
Proof.
  intros Hc Hev Hk Hn. unfold half_falls_evenly. rewrite !mass_bind, <- mass_fresh_E. apply mass_le; [exact B_pos|].
    intros x.
  pose (G := fun (b : bool) (u : number) =>
    if b then mass B (falls_evenly beforehand fuel u) (fun r => c (negb (fst r))) else c true).
  assert (HG : forall b u, 0 <= G b u) by (intros [] u; [apply mass_nonneg; auto|apply Hc]).
  apply Rle_trans with (E (fun u => G (nth 0 u 0 <? B / 2)%Z u) x).
  - apply E_le. intros l. apply Req_le. rewrite mass_bind. cbn [below_half beforehand mass]. unfold G.
    destruct (nth 0 (firstn k (x ++ l)) 0 <? B / 2)%Z; [|reflexivity].
    rewrite mass_bind. apply mass_ext. intros [e v]. reflexivity.
  - eapply Rle_trans; [apply (half_on_demand G x HG Hev Hk Hn)|]. rewrite mass_bind. apply mass_le; [exact B_pos|].
    intros [[] u]; cbn [fst snd].
    + rewrite mass_bind.
      eapply Rle_trans; [apply (run_on_demand fuel (fun e _ => c (negb e)) u); auto|].
      apply mass_le; [exact B_pos|]. intros [e v]. cbn [fst snd mass]. rewrite E_const. apply Rle_refl.
    + change (E (fun _ => c true) u <= c true). rewrite E_const. lra.
Qed.

(** [X3] The event of [half_falls_evenly] on demand has each of its results with at least the probability that it has
    with limbs that are drawn beforehand. *)
Theorem half_falls_evenly_on_demand fuel (test : bool -> bool) : Z.even B = true -> (0 < k)%nat -> (1 < n)%nat ->
  probability B (half_falls_evenly beforehand fuel) test <= probability B (half_falls_evenly on_demand fuel) test.
Proof. intros. apply half_from_on_demand; trivial. intros e. destruct (test e); lra. Qed.

(** ** Normal numbers *)

Variable coin : Prog bool.             (* one word, which belongs to no number *)

Lemma geometric_on_demand fuel rounds (c : Z -> R) : (forall j, 0 <= c j) ->
  Z.even B = true -> (0 < k)%nat -> (1 < n)%nat -> forall j,
  mass B (geometric beforehand fuel rounds j) c <= mass B (geometric on_demand fuel rounds j) c.
Proof.
  intros Hc Hev Hk Hn. induction rounds as [|rounds IH]; intros j; cbn [geometric]; [cbn [mass]; lra|].
  rewrite !mass_bind.
  eapply Rle_trans; [apply half_from_on_demand; trivial; intros []; [apply mass_nonneg; auto|cbn [mass]; auto]|].
  apply mass_le; [exact B_pos|]. intros []; [apply IH|lra].
Qed.

Lemma halves_on_demand fuel (c : bool -> R) : (forall e, 0 <= c e) ->
  Z.even B = true -> (0 < k)%nat -> (1 < n)%nat -> forall m,
  mass B (halves beforehand fuel m) c <= mass B (halves on_demand fuel m) c.
Proof.
  intros Hc Hev Hk Hn. induction m as [|m IH]; cbn [halves]; [cbn [mass]; lra|]. rewrite !mass_bind.
  eapply Rle_trans; [apply half_from_on_demand; trivial; intros []; [apply mass_nonneg; auto|cbn [mass]; auto]|].
  apply mass_le; [exact B_pos|]. intros []; [exact IH|lra].
Qed.

(** A comparison of a fresh number with [x], after which a program goes on with both. *)
Lemma fresh_comparison (g : bool -> number -> number -> R) (K : bool * (number * number) -> R) x :
  (forall b u v, 0 <= g b u v) ->
  (forall b next' x', E2 (g b) next' x' <= K (b, (next', x'))) ->
  E (fun u => mass B (draw beforehand) (fun next => mass B (below beforehand next u) (fun r => g (fst r) (fst (snd
    r)) (snd (snd r))))) x
  <= mass B fresh (fun next => mass B (is_below n next x 0) K).
Proof.
  intros Hg HK.
  apply Rle_trans with (mass B fresh (fun next => E2 (decided g) next x)).
  - assert (F : mass B fresh (fun next => E2 (decided g) next x)
                = E (fun u => mass B (draw beforehand) (fun next => decided g next u)) x).
    { rewrite <- mass_E. apply mass_fresh_E. }
    rewrite F. apply E_le. intros l. apply Req_le, mass_ext. intros next. unfold decided. cbn [below beforehand].
    destruct (compare next _); reflexivity.
  - apply mass_le; [exact B_pos|]. intros next.
    eapply Rle_trans; [apply (comparison_on_demand g Hg n next x 0); try lia; reflexivity|].
    apply mass_le; [exact B_pos|]. intros [b [next' x']]. apply HK.
Qed.

(** What follows the first comparison of a round of a thinned run. *)
Definition second {num : Type} (draw : Prog num) (below : num -> num -> Prog (bool * (num * num)))
    (go_on : num -> Prog (bool * num)) (falls : bool) (x : num) : Prog (bool * num) :=
  if falls then
    v <- draw ;;
    '(goes_on, (_, x)) <- below v x ;;
    if goes_on then '(even, x) <- go_on x ;; Return (negb even, x) else Return (true, x)
  else Return (true, x).

Lemma second_on_demand (g : bool -> number -> R) (before : number -> number -> Prog (bool * number))
    (after : number -> Prog (bool * number)) falls next x : (forall b u, 0 <= g b u) ->
  (forall x', E2 (fun w u => mass B (before w u) (fun r => g (negb (fst r)) (snd r))) next x'
              <= mass B (after x') (fun r => E (g (negb (fst r))) (snd r))) ->
  E2 (fun w u => mass B (second (draw beforehand) (below beforehand) (before w) falls u) (fun r => g (fst r) (snd
    r))) next x
  <= mass B (second (draw on_demand) (below on_demand) after falls x) (fun r => E (g (fst r)) (snd r)).
Proof.
  intros Hg Hgo. unfold second. destruct falls.
  2: { cbn [mass fst snd]. change (E (fun _ => E (g true) x) next <= E (g true) x). rewrite E_const. lra. }
  rewrite mass_bind.
  pose (G := fun (b : bool) (v u : number) =>
    if b then E (fun w => mass B (before w u) (fun r => g (negb (fst r)) (snd r))) next else g true u).
  set (K := fun r : bool * (number * number) =>
    mass B (let '(goes_on, (_, x)) := r in
      if goes_on then '(even, x) <- after x ;; Return (negb even, x) else Return (true, x))
      (fun r => E (g (fst r)) (snd r))).
  apply Rle_trans with (mass B fresh (fun v => mass B (is_below n v x 0) K)).
  - eapply Rle_trans; [|apply (fresh_comparison G)].
    + rewrite E2_swap. apply E_le. intros l. set (u := firstn k (x ++ l)). clearbody u. apply Req_le.
      transitivity (E (fun w => mass B (draw beforehand) (fun v => mass B (below beforehand v u) (fun r =>
        if fst r then mass B (before w (snd (snd r))) (fun r => g (negb (fst r)) (snd r)) else g true (snd (snd
          r))))) next).
      * unfold E. apply mass_ext. intros w. rewrite mass_bind. apply mass_ext. intros v. rewrite mass_bind.
        apply mass_ext.
        intros [[] [v' u']]; cbn [fst snd]; [|reflexivity]. rewrite mass_bind. apply mass_ext. intros [e z].
          reflexivity.
      * rewrite <- (mass_E (draw beforehand)). apply mass_ext. intros v. rewrite <- (mass_E (below beforehand v u)).
        apply mass_ext. intros [[] [v' u']]; cbn [fst snd]; unfold G; [reflexivity|apply E_const].
    + intros [] v u; unfold G; [|apply Hg]. rewrite <- (E_const 0 next). apply E_le. intros l. apply mass_nonneg. auto.
    + intros [] v x'; unfold K, G.
      * rewrite mass_bind. eapply Rle_trans; [|eapply Rle_trans; [apply (Hgo x')|]].
        -- rewrite (E2_swap _ next x').
           change (E (fun _ => E (fun u => E (fun w => mass B (before w u) (fun r => g (negb (fst r)) (snd r)))
             next) x') v
                   <= E (fun u => E (fun w => mass B (before w u) (fun r => g (negb (fst r)) (snd r))) next) x').
           rewrite E_const. lra.
        -- apply Req_le, mass_ext. intros [e w]. reflexivity.
      * change (E (fun _ => E (g true) x') v <= E (g true) x'). rewrite E_const. lra.
  - apply Req_le. apply mass_ext. intros v. cbn [below limbs]. rewrite mass_bind. apply mass_ext.
    intros [b [v' x']]. reflexivity.
Qed.

Definition last_beforehand (fuel : nat) (g : bool -> number -> R) (x : number) (last : option number) : R :=
  match last with
  | None => E (fun u => mass B (thinned beforehand coin fuel u None) (fun r => g (fst r) (snd r))) x
  | Some y => E2 (fun w u => mass B (thinned beforehand coin fuel u (Some w)) (fun r => g (fst r) (snd r))) y x
  end.

Lemma thinned_on_demand fuel : forall (g : bool -> number -> R) x last, (forall b u, 0 <= g b u) ->
  last_beforehand fuel g x last <= mass B (thinned on_demand coin fuel x last) (fun r => E (g (fst r)) (snd r)).
Proof.
  induction fuel as [|fuel IH]; intros g x last Hg.
  { cbn [thinned mass]. unfold last_beforehand. destruct last as [y|]; cbn [thinned mass].
    - change (E (fun _ => E (fun _ => 0) x) y <= 0). rewrite !E_const. lra.
    - change (E (fun _ => 0) x <= 0). rewrite E_const. lra. }
  pose (bh := fun w falls u => mass B (second (draw beforehand) (below beforehand)
    (fun u => thinned beforehand coin fuel u (Some w)) falls u) (fun r => g (fst r) (snd r))).
  pose (od := fun w falls u => mass B (second (draw on_demand) (below on_demand)
    (fun u => thinned on_demand coin fuel u (Some w)) falls u) (fun r => E (g (fst r)) (snd r))).
  assert (Hbh : forall w falls u, 0 <= bh w falls u) by (intros; apply mass_nonneg; auto).
  assert (Hod : forall w falls u, E2 (fun w u => bh w falls u) w u <= od w falls u).
  { intros w falls u. apply (second_on_demand g (fun w u => thinned beforehand coin fuel u (Some w))); [exact Hg|].
    intros x'. apply (IH (fun b => g (negb b)) x' (Some w)). auto. }
  destruct last as [y|]; unfold last_beforehand; cbn [thinned]; rewrite mass_bind.
  - pose (Q := fun (b : bool) (w u : number) => if b then mass B (draw beforehand) (fun next =>
      mass B (below beforehand next w) (fun r => bh (fst (snd r)) (fst r) u)) else g true u).
    apply Rle_trans with (mass B coin (fun b => E2 (Q b) y x)).
    + apply Req_le. transitivity (E2 (fun w u => mass B coin (fun b => Q b w u)) y x).
      * unfold E2, E. apply mass_ext. intros w. apply mass_ext. intros u. rewrite mass_bind. apply mass_ext.
        intros []; unfold Q; [|reflexivity]. rewrite mass_bind. apply mass_ext. intros next. rewrite !mass_bind.
        cbn [below beforehand]. destruct (compare next w) as [[]|]; reflexivity.
      * unfold E2. transitivity (E (fun w => mass B coin (fun b => E (Q b w) x)) y).
        -- unfold E at 1 3. apply mass_ext. intros w. symmetry. apply (mass_E coin (fun b => Q b w)).
        -- symmetry. apply (mass_E coin (fun b w => E (Q b w) x)).
    + apply mass_le; [exact B_pos|]. intros [].
      * rewrite mass_bind.
        apply Rle_trans with (mass B fresh (fun next => mass B (is_below n next y 0) (fun r => od (fst (snd r)) (fst
          r) x))).
        -- eapply Rle_trans; [|apply (fresh_comparison (fun b next w => E (fun u => bh next b u) x))].
           ++ apply E_le. intros l. set (w := firstn k (y ++ l)). clearbody w. apply Req_le. symmetry.
              etransitivity; [|exact (mass_E (draw beforehand) (fun next u =>
                mass B (below beforehand next w) (fun r => bh (fst (snd r)) (fst r) u)) x)].
              apply mass_ext. intros next. exact (mass_E (below beforehand next w) (fun r => bh (fst (snd r)) (fst
                r)) x).
           ++ intros b next w. rewrite <- (E_const 0 x). apply E_le. intros l. apply Hbh.
           ++ intros b next' y'. cbn [fst snd]. eapply Rle_trans; [|apply Hod]. apply Req_le.
              unfold E2. unfold E at 1 4. apply mass_ext. intros w. apply E_const.
        -- apply Req_le, mass_ext. intros next. rewrite !mass_bind. cbn [below limbs]. apply mass_ext.
           intros [b [next' y']]. reflexivity.
      * cbn [mass fst snd]. change (E (fun _ => E (g true) x) y <= E (g true) x). rewrite E_const. lra.
  - pose (Q := fun (b : bool) (u : number) => if b then mass B (draw beforehand) (fun next =>
      mass B (below beforehand next u) (fun r => bh (fst (snd r)) (fst r) (snd (snd r)))) else g true u).
    apply Rle_trans with (mass B coin (fun b => E (Q b) x)).
    + apply Req_le. rewrite mass_E. unfold E. apply mass_ext. intros u. rewrite mass_bind. apply mass_ext.
      intros []; unfold Q; [|reflexivity]. rewrite mass_bind. apply mass_ext. intros next. rewrite mass_bind.
        apply mass_ext.
      intros [b [next' u']]. reflexivity.
    + apply mass_le; [exact B_pos|]. intros []; [|apply Rle_refl]. rewrite mass_bind.
      apply Rle_trans with (mass B fresh (fun next => mass B (is_below n next x 0) (fun r => od (fst (snd r)) (fst
        r) (snd (snd r))))).
      * apply (fresh_comparison (fun b next u => bh next b u)); [intros; apply Hbh|]. intros b next' x'. apply Hod.
      * apply Req_le, mass_ext. intros next. rewrite mass_bind. cbn [below limbs]. apply mass_ext.
        intros [b [next' x']]. reflexivity.
Qed.

Lemma fraction_on_demand fuel j : forall (g : bool -> number -> R) x, (forall b u, 0 <= g b u) ->
  E (fun u => mass B (accepts_fraction beforehand coin fuel j u) (fun r => g (fst r) (snd r))) x
  <= mass B (accepts_fraction on_demand coin fuel j x) (fun r => E (g (fst r)) (snd r)).
Proof.
  induction j as [|j IH]; intros g x Hg; cbn [accepts_fraction]; [apply (thinned_on_demand fuel g x None Hg)|].
  pose (G := fun (b : bool) (u : number) =>
    if b then mass B (accepts_fraction beforehand coin fuel j u) (fun r => g (fst r) (snd r)) else g false u).
  apply Rle_trans with (E (fun u => mass B (falls_evenly beforehand fuel u) (fun r => G (fst r) (snd r))) x).
  - apply E_le. intros l. apply Req_le. rewrite mass_bind. apply mass_ext. intros [[] u]; reflexivity.
  - eapply Rle_trans; [apply (run_on_demand fuel G x)|].
    + intros [] u; unfold G; [apply mass_nonneg; auto|apply Hg].
    + rewrite mass_bind. apply mass_le; [exact B_pos|].
      intros [[] u]; cbn [fst snd]; [apply (IH g u Hg)|apply Rle_refl].
Qed.

(** [X3] A normal number on demand: one proposal has each of its results, to the first [k] limbs, with at least the
    probability that it has with limbs that are drawn beforehand. *)
Theorem proposal_on_demand fuel rounds (test : bool -> Z -> number -> bool) :
  Z.even B = true -> (0 < k)%nat -> (1 < n)%nat ->
  probability B (proposal beforehand coin fuel rounds)
    (fun r => match r with Some (s, j, u) => test s j u | None => false end)
  <= mass B (proposal on_demand coin fuel rounds)
       (fun r => match r with Some (s, j, x) => E (fun u => if test s j u then 1 else 0) x | None => 0 end).
Proof.
  intros Hev Hk Hn. unfold probability, proposal.
  set (bh := fun r : option (bool * Z * num beforehand) =>
    if match r with Some (s, j, u) => test s j u | None => false end then 1 else 0).
  set (od := fun r : option (bool * Z * num on_demand) =>
    match r with Some (s, j, x) => E (fun u => if test s j u then 1 else 0) x | None => 0 end).
  assert (Hbh : forall r, 0 <= bh r).
  { intros r. unfold bh. destruct (match r with Some (s, j, u) => test s j u | None => false end); lra. }
  rewrite !mass_bind. eapply Rle_trans; [apply geometric_on_demand; trivial; intros; apply mass_nonneg; exact Hbh|].
  apply mass_le; [exact B_pos|]. intros j. rewrite !mass_bind. unfold accepts_whole.
  eapply Rle_trans; [apply halves_on_demand; trivial; intros; apply mass_nonneg; exact Hbh|].
  apply mass_le; [exact B_pos|]. intros []; [|cbn [mass bh od]; unfold bh, od; lra].
  rewrite !mass_bind, <- mass_fresh_E. apply mass_le; [exact B_pos|]. intros x.
  pose (G := fun (b : bool) (u : number) =>
    if b then mass B coin (fun s => if test s j u then 1 else 0) else 0).
  apply Rle_trans with (E (fun u => mass B (accepts_fraction beforehand coin fuel (Z.to_nat j) u) (fun r => G (fst
    r) (snd r))) x).
  - apply E_le. intros l. apply Req_le. rewrite mass_bind. apply mass_ext. intros [[] u]; unfold G; cbn [fst snd].
    + rewrite mass_bind. apply mass_ext. intros s. reflexivity.
    + reflexivity.
  - eapply Rle_trans; [apply (fraction_on_demand fuel (Z.to_nat j) G x)|].
    + intros [] u; unfold G; [apply mass_nonneg|lra]. intros s. destruct (test s j u); lra.
    + rewrite mass_bind. apply mass_le; [exact B_pos|]. intros [[] u]; cbn [fst snd].
      * rewrite mass_bind. unfold G. rewrite <- (mass_E coin). apply Rle_refl.
      * change (E (fun _ => 0) u <= 0). rewrite E_const. lra.
Qed.

Lemma exponential_from_on_demand fuel rounds : forall whole (g : Z -> number -> R), (forall j u, 0 <= g j u) ->
  mass B (exponential beforehand fuel rounds whole) (fun r => g (fst r) (snd r))
  <= mass B (exponential on_demand fuel rounds whole) (fun r => E (g (fst r)) (snd r)).
Proof.
  induction rounds as [|rounds IH]; intros whole g Hg; cbn [exponential]; [cbn [mass]; lra|].
  rewrite !mass_bind, <- mass_fresh_E. apply mass_le; [exact B_pos|]. intros x.
  set (rest := mass B (exponential beforehand fuel rounds (whole + 1)) (fun r => g (fst r) (snd r))).
  pose (G := fun (b : bool) (u : number) => if b then g whole u else rest).
  assert (HG : forall b u, 0 <= G b u) by (intros [] u; [apply Hg|apply mass_nonneg; auto]).
  apply Rle_trans with (E (fun u => mass B (falls_evenly beforehand fuel u) (fun r => G (fst r) (snd r))) x).
  - apply E_le. intros l. apply Req_le. rewrite mass_bind. apply mass_ext. intros [[] u]; reflexivity.
  - eapply Rle_trans; [apply (run_on_demand fuel G x HG)|]. rewrite mass_bind. apply mass_le; [exact B_pos|].
    intros [[] u]; cbn [fst snd]; [apply Rle_refl|].
    change (E (fun _ => rest) u <= mass B (exponential on_demand fuel rounds (whole
      + 1)) (fun r => E (g (fst r)) (snd r))).
    rewrite E_const. apply IH, Hg.
Qed.

(** [X3] An exponential number on demand has each whole part and first [k] limbs with at least the probability that they
    have with limbs that are drawn beforehand. *)
Theorem exponential_on_demand fuel rounds (test : Z -> number -> bool) :
  probability B (exponential beforehand fuel rounds 0) (fun r => test (fst r) (snd r))
  <= mass B (exponential on_demand fuel rounds 0) (fun r => E (fun u => if test (fst r) u then 1 else 0) (snd r)).
Proof.
  apply (exponential_from_on_demand fuel rounds 0 (fun j u => if test j u then 1 else 0)).
  intros j u. destruct (test j u); lra.
Qed.

(** [X3] That probability is larger by at most what numbers drawn beforehand leave open, by a tie or after all
    rounds. *)
Theorem exponential_on_demand_at_most fuel rounds (test : Z -> number -> bool) :
  mass B (exponential on_demand fuel rounds 0) (fun r => E (fun u => if test (fst r) u then 1 else 0) (snd r))
  <= probability B (exponential beforehand fuel rounds 0) (fun r => test (fst r) (snd r))
     + (1 - ends B (exponential beforehand fuel rounds 0)).
Proof.
  pose (p := exponential on_demand fuel rounds 0 : Prog (Z * number)).
  pose (q := exponential beforehand fuel rounds 0 : Prog (Z * number)).
  pose (yes := fun r : Z * number => if test (fst r) (snd r) then 1 else 0).
  pose (no := fun r : Z * number => if test (fst r) (snd r) then 0 else 1).
  pose (mean := fun (h : Z * number -> R) (r : Z * number) => E (fun u => h (fst r, u)) (snd r)).
  change (mass B p (mean yes) <= mass B q yes + (1 - mass B q (fun _ => 1))).
  assert (H : mass B q no <= mass B p (mean no)).
  { apply (exponential_from_on_demand fuel rounds 0 (fun j u => if test j u then 0 else 1)).
    intros j u. destruct (test j u); lra. }
  assert (Sp : mass B p (mean yes) = 1 * mass B p (fun _ => 1) + -1 * mass B p (mean no)).
  { rewrite <- mass_linear by exact B_pos. apply mass_ext. intros [j x]. unfold mean, E. cbn [fst snd].
    rewrite (mass_ext B (more (k - length x) (firstn k x)) (fun u => yes (j, u)) (fun u => 1 * 1 + -1 * no (j, u))).
    - rewrite mass_linear, mass_more_const by exact B_pos. ring.
    - intros u. unfold yes, no. cbn [fst snd]. destruct (test j u); ring. }
  assert (Sq : mass B q yes = 1 * mass B q (fun _ => 1) + -1 * mass B q no).
  { rewrite <- mass_linear by exact B_pos. apply mass_ext. intros [j u]. unfold yes, no. cbn [fst snd].
    destruct (test j u); ring. }
  pose proof (mass_one_le B p B_pos). lra.
Qed.

(** ** Numbers beforehand are those of a grid *)

Definition cells : Z := (B ^ Z.of_nat k)%Z.
Hypothesis some_limbs : (0 < k)%nat.

Lemma cells_large : (1 < cells)%Z.
Proof. unfold cells. rewrite <- (Z.pow_1_l (Z.of_nat k)) by lia. apply Z.pow_lt_mono_l; lia. Qed.

Let N_real : 1 < IZR cells. Proof. apply (IZR_lt 1), cells_large. Qed.

Lemma sum_product i m f : sum (i * m) f = sum i (fun a => sum m (fun b => f (a * Z.of_nat m + b)%Z)).
Proof.
  induction i as [|i IH]; cbn [sum]; [reflexivity|]. rewrite <- IH, Nat.mul_succ_l, sum_split. f_equal.
  apply sum_ext. intros b _. f_equal. lia.
Qed.

(** [m] more limbs make each integer equally likely. *)
Lemma mass_more_value m (h : Z -> R) : forall x,
  mass B (more m x) (fun u => h (value B u))
  = sum (Z.to_nat (B ^ Z.of_nat m)) (fun v => h (value B x * B ^ Z.of_nat m + v)%Z) / IZR (B ^ Z.of_nat m).
Proof.
  induction m as [|m IH]; intros x; cbn [more mass].
  - change (Z.of_nat 0) with 0%Z. rewrite Z.pow_0_r. change (Z.to_nat 1) with 1%nat. cbn [sum Z.of_nat].
    rewrite Z.mul_1_r, Z.add_0_r. field.
  - rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. set (M := (B ^ Z.of_nat m)%Z) in *.
    assert (HM : (0 < M)%Z) by (apply Z.pow_pos_nonneg; lia).
    assert (HMr : 0 < IZR M) by (apply (IZR_lt 0); exact HM). assert (HBr : 0 < IZR B) by (apply (IZR_lt 0); lia).
    rewrite Z2Nat.inj_mul, sum_product, mult_IZR by lia.
    rewrite (sum_word B _ (fun w => / IZR M * sum (Z.to_nat M) (fun b => h (value B x * (B * M) + (w
      * Z.of_nat (Z.to_nat M) + b))%Z))).
    + rewrite sum_scale. field. lra.
    + intros w _. rewrite IH, value_app. unfold Rdiv. rewrite Rmult_comm. f_equal. apply sum_ext. intros b _. f_equal.
      rewrite Z2Nat.id by lia. ring.
Qed.

Lemma mass_draw_value h : mass B (draw beforehand) (fun u => h (value B u)) = sum (Z.to_nat cells) h / IZR cells.
Proof.
  etransitivity; [exact (mass_more_value k h [])|]. reflexivity.
Qed.

Lemma drawn_beforehand : always B (draw beforehand) (fun u => digits B u /\ length u = k).
Proof.
  change (draw beforehand) with (more k []).
  assert (G : forall m x, digits B x -> always B (more m x) (fun u => digits B u /\ length u = (length x + m)%nat)).
  { induction m as [|m IH]; intros x Hx; cbn [more always]; [split; [exact Hx|lia]|]. intros w Hw.
    eapply always_mono; [|apply IH; apply digits_app; assumption].
    intros u [Du Lu]. split; [exact Du|]. rewrite Lu, app_length. cbn. lia. }
  apply (G k []). intros w [].
Qed.

(** The order of limbs is that of the integers. *)
Lemma compare_is_order x y : digits B x -> digits B y -> length x = length y ->
  compare x y = if (value B x =? value B y)%Z then None else Some (value B x <? value B y)%Z.
Proof.
  assert (Val : forall l a, fold_left (fun a w => a * B + w)%Z l a = (a * B ^ Z.of_nat (length l) + value B l)%Z).
  { unfold value. induction l as [|w l IH]; intros a; cbn [fold_left length].
    - change (Z.of_nat 0) with 0%Z. rewrite Z.pow_0_r. lia.
    - rewrite (IH (a * B + w)%Z), (IH (0 * B + w)%Z), Nat2Z.inj_succ, Z.pow_succ_r by lia. ring. }
  assert (Range : forall l, digits B l -> (0 <= value B l < B ^ Z.of_nat (length l))%Z).
  { induction l as [|w l IH]; intros H; [cbn; lia|]. unfold value. cbn [fold_left length]. rewrite Val.
    assert (Hw : (0 <= w < B)%Z) by (apply H; left; reflexivity).
    assert (Hl : (0 <= value B l < B ^ Z.of_nat (length l))%Z) by (apply IH; intros v Hv; apply H; right; exact Hv).
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. nia. }
  revert y. induction x as [|a x IH]; intros [|b y] Hx Hy L; try discriminate; [reflexivity|].
  cbn [compare]. injection L as L.
  assert (Dx : digits B x) by (intros v Hv; apply Hx; right; exact Hv).
  assert (Dy : digits B y) by (intros v Hv; apply Hy; right; exact Hv).
  assert (Ex : value B (a :: x) = (a * B ^ Z.of_nat (length x) + value B x)%Z) by (unfold value at 1;
    cbn [fold_left]; rewrite Val; lia).
  assert (Ey : value B (b :: y) = (b * B ^ Z.of_nat (length x) + value B y)%Z) by (unfold value at 1;
    cbn [fold_left]; rewrite Val, L; lia).
  rewrite Ex, Ey. pose proof (Range x Dx) as Rx. pose proof (Range y Dy) as Ry. rewrite <- L in Ry.
  set (P := (B ^ Z.of_nat (length x))%Z) in *.
  destruct (Z.eqb_spec a b) as [<-|ne].
  - rewrite (IH y Dx Dy L).
    destruct (Z.eqb_spec (value B x) (value B y)), (Z.eqb_spec (a * P + value B x) (a * P + value B y)); try lia;
      trivial.
    f_equal. destruct (Z.ltb_spec (value B x) (value B y)), (Z.ltb_spec (a * P + value B x) (a * P + value B y));
      lia || trivial.
  - destruct (Z.eqb_spec (a * P + value B x) (b * P + value B y)); [nia|]. f_equal.
    destruct (Z.ltb_spec a b), (Z.ltb_spec (a * P + value B x) (b * P + value B y)); trivial; nia.
Qed.

(** A bound of the probability of a tie in a run from [x]. *)
Definition tie (x : Z) : R := / IZR cells * (1 + / IZR cells) ^ Z.to_nat x.

Lemma tie_pos x : 0 < tie x.
Proof. apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat; lra|]. apply pow_lt.
  pose proof (Rinv_0_lt_compat (IZR cells)). lra. Qed.

Lemma sum_tie i : 1 + sum i tie = (1 + / IZR cells) ^ i.
Proof. induction i as [|i IH]; cbn [sum pow]; [ring|]. rewrite <- Rplus_assoc, IH. unfold tie. rewrite Nat2Z.id.
  ring. Qed.

Lemma tie_small x : (0 <= x < cells)%Z -> tie x <= 3 / IZR cells.
Proof.
  intros Hx. unfold tie, Rdiv. rewrite Rmult_comm. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
  apply Rle_trans with (exp (/ IZR cells) ^ Z.to_nat x).
  - apply pow_incr. pose proof (exp_ineq1_le (/ IZR cells)). pose proof (Rinv_0_lt_compat (IZR cells)). lra.
  - assert (P : forall y m, exp y ^ m = exp (INR m * y)).
    { intros y m. induction m as [|m IH]; [cbn; rewrite Rmult_0_l, exp_0; reflexivity|].
      cbn [pow]. rewrite IH, <- exp_plus, S_INR. f_equal. ring. }
    rewrite P, INR_IZR_INZ, Z2Nat.id by lia. apply Rle_trans with (exp 1); [|apply exp_le_3].
    assert (IZR x * / IZR cells <= 1).
    { apply Rmult_le_reg_r with (IZR cells); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
      apply IZR_le. lia. }
    destruct H as [H|H]; [left; apply exp_increasing; exact H|right; f_equal; exact H].
Qed.

Lemma mass_le_always {A} (p : Prog A) f g : always B p (fun a => f a <= g a) -> mass B p f <= mass B p g.
Proof.
  induction p as [a|go_on IH|]; cbn [always mass]; intros H; [exact H| |lra].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, (IZR_lt 0); lia|].
  apply sum_le. intros w Hw. rewrite Z2Nat.id in Hw by lia. auto.
Qed.

Lemma value_range u : digits B u -> length u = k -> (0 <= value B u < cells)%Z.
Proof.
  intros Hu Lu. unfold cells. rewrite <- Lu. clear - B_large Hu. revert Hu.
    induction u as [|w u IH] using rev_ind; intros Hu; [cbn; lia|].
  rewrite value_app, app_length, Nat.add_1_r, Nat2Z.inj_succ, Z.pow_succ_r by lia.
  assert (Hw : (0 <= w < B)%Z) by (apply Hu, in_or_app; right; left; reflexivity).
  assert (H : (0 <= value B u < B ^ Z.of_nat (length u))%Z) by (apply IH; intros v Hv; apply Hu, in_or_app; left;
    exact Hv). nia.
Qed.

Lemma run_beforehand_is_on_a_grid fuel : forall (g : bool -> Z -> R) u, (forall b x, 0 <= g b x <= 1) ->
  digits B u -> length u = k ->
  mass cells (falls_evenly (grid cells) fuel (value B u)) (fun r => g (fst r) (snd r)) - tie (value B u)
  <= mass B (falls_evenly beforehand fuel u) (fun r => g (fst r) (value B (snd r))).
Proof.
  induction fuel as [|fuel IH]; intros g u Hg Du Lu; cbn [falls_evenly].
  { cbn [mass]. pose proof (tie_pos (value B u)). lra. }
  pose proof (value_range u Du Lu) as HX. set (X := value B u) in *.
  pose (F := fun w => if (w <? X)%Z then mass cells (falls_evenly (grid cells) fuel w) (fun r => g (negb (fst r)) X)
    else g true X).
  pose (Q := fun w => if (w =? X)%Z then 0 else if (w <? X)%Z
    then mass cells (falls_evenly (grid cells) fuel w) (fun r => g (negb (fst r)) X) - tie w else g true X).
  assert (LF : mass cells (next <- draw (grid cells) ;;
      '(falls, (next, x)) <- below (grid cells) next X ;;
      if falls then '(even, _) <- falls_evenly (grid cells) fuel next ;; Return (negb even, x) else Return (true, x))
      (fun r => g (fst r) (snd r)) = sum (Z.to_nat cells) F / IZR cells).
  { rewrite mass_bind. etransitivity; [apply mass_draw|]. f_equal. apply sum_word. intros w _. unfold F.
    rewrite mass_bind. cbn [below grid mass]. destruct (w <? X)%Z; [|reflexivity].
    rewrite mass_bind. apply mass_ext. intros [e v]. reflexivity. }
  rewrite LF. clear LF.
  apply Rle_trans with (sum (Z.to_nat cells) Q / IZR cells).
  - (* what is lost by ties *)
    pose (T := fun w => if (w =? X)%Z then 1 else tie w).
    assert (LT : sum (Z.to_nat cells) (fun w => if (w <? X + 1)%Z then T w else 0) = IZR cells * tie X).
    { rewrite (sum_cut cells cells_large (X + 1) T 0) by lia. rewrite Rmult_0_r, Rplus_0_r.
      replace (Z.to_nat (X + 1)) with (S (Z.to_nat X)) by lia. cbn [sum].
      rewrite (sum_ext (Z.to_nat X) T tie).
      - unfold T. rewrite Z2Nat.id, Z.eqb_refl by lia. rewrite Rplus_comm, sum_tie. unfold tie. field. lra.
      - intros w Hw. unfold T. rewrite (proj2 (Z.eqb_neq _ _)) by lia. reflexivity. }
    assert (LS : sum (Z.to_nat cells) F <= sum (Z.to_nat cells) Q + IZR cells * tie X).
    { rewrite <- LT, <- sum_plus. apply sum_le. intros w _. unfold F, Q, T.
      destruct (Z.eqb_spec w X) as [->|ne].
      - rewrite Z.ltb_irrefl, (proj2 (Z.ltb_lt _ _)) by lia. pose proof (Hg true X). lra.
      - destruct (Z.ltb_spec w X), (Z.ltb_spec w (X + 1)); try lia; lra. }
    apply Rmult_le_reg_r with (IZR cells); [lra|]. unfold Rdiv.
    rewrite Rmult_minus_distr_r, !Rmult_assoc, Rinv_l by lra. lra.
  - rewrite <- (mass_draw_value Q), mass_bind. apply mass_le_always.
    eapply always_mono; [|exact drawn_beforehand]. intros next [Dn Ln].
    rewrite mass_bind. cbn [below beforehand]. rewrite compare_is_order by (trivial; congruence). fold X. unfold Q.
    destruct (Z.eqb_spec (value B next) X); cbn [mass]; [lra|].
    destruct (value B next <? X)%Z; cbn [mass fst snd]; [|fold X; lra].
    rewrite mass_bind. eapply Rle_trans; [apply (IH (fun b _ => g (negb b) X) next (fun b _ => Hg (negb b) X) Dn Ln)|].
    apply Req_le, mass_ext. intros [e v]. reflexivity.
Qed.

Lemma exponential_beforehand_is_on_a_grid fuel rounds : forall whole (g : Z -> Z -> R), (forall j x, 0 <= g j x <= 1) ->
  mass cells (exponential (grid cells) fuel rounds whole) (fun r => g (fst r) (snd r)) - INR rounds * (3 / IZR cells)
  <= mass B (exponential beforehand fuel rounds whole) (fun r => g (fst r) (value B (snd r))).
Proof.
  induction rounds as [|rounds IH]; intros whole g Hg; cbn [exponential]; [cbn [mass INR]; lra|].
  rewrite S_INR. set (loss := INR rounds * (3 / IZR cells)).
  assert (Hl : 0 <= loss) by (apply Rmult_le_pos; [apply pos_INR|]; left; apply Rdiv_lt_0_compat; lra).
  set (rest := mass B (exponential beforehand fuel rounds (whole + 1)) (fun r => g (fst r) (value B (snd r)))).
  set (later := mass cells (exponential (grid cells) fuel rounds (whole + 1)) (fun r => g (fst r) (snd r))).
  assert (Hr : later - loss <= rest) by (apply IH, Hg).
  assert (R01 : 0 <= rest <= 1).
  { split; [apply mass_nonneg; intros; apply Hg|].
    eapply Rle_trans; [|apply (mass_one_le B (exponential beforehand fuel rounds (whole + 1)) B_pos)].
    apply mass_le; [exact B_pos|]. intros. apply Hg. }
  pose (G := fun (b : bool) (x : Z) => if b then g whole x else rest).
  assert (HG : forall b x, 0 <= G b x <= 1) by (intros [] x; [apply Hg|exact R01]).
  (* one round on the grid *)
  pose (H := fun w => mass cells (falls_evenly (grid cells) fuel w) (fun r => G (fst r) (snd r))).
  assert (Cp : (0 < cells)%Z) by (pose proof cells_large; lia).
  assert (HB : forall w, mass cells ('(accepted, x) <- falls_evenly (grid cells) fuel w ;;
      if accepted then Return (whole, x) else exponential (grid cells) fuel rounds (whole + 1))
      (fun r => g (fst r) (snd r)) <= H w + loss).
  { intros w. rewrite mass_bind.
    apply Rle_trans with (mass cells (falls_evenly (grid cells) fuel w) (fun r => 1 * G (fst r) (snd r) + loss * 1)).
    - apply mass_le; [exact Cp|]. intros [[] x]; cbn [fst snd mass G]; unfold G; [lra|]. fold later. lra.
    - rewrite mass_linear by exact Cp. fold (H w).
      pose proof (mass_one_le cells (falls_evenly (grid cells) fuel w) Cp).
      assert (loss * mass cells (falls_evenly (grid cells) fuel w) (fun _ => 1) <= loss * 1)
        by (apply Rmult_le_compat_l; lra).
      lra. }
  apply Rle_trans with (sum (Z.to_nat cells) (fun w => H w - 3 / IZR cells) / IZR cells).
  - rewrite mass_bind.
    apply Rle_trans with (sum (Z.to_nat cells) (fun w => (H w - 3 / IZR cells) + (loss + 3 / IZR cells)) / IZR cells
                          - (INR rounds + 1) * (3 / IZR cells)).
    + apply Rplus_le_compat_r. eapply Rle_trans; [apply Req_le, (mass_draw cells)|].
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. apply sum_le. intros w _.
      eapply Rle_trans; [apply HB|]. lra.
    + rewrite sum_plus, sum_const, INR_IZR_INZ, Z2Nat.id by lia. unfold loss. apply Req_le. field. lra.
  - rewrite mass_bind. rewrite <- (mass_draw_value (fun w => H w - 3 / IZR cells)). apply mass_le_always.
    eapply always_mono; [|exact drawn_beforehand]. intros u [Du Lu]. rewrite mass_bind.
    apply Rle_trans with (H (value B u) - tie (value B u)).
    + pose proof (tie_small _ (value_range u Du Lu)). lra.
    + eapply Rle_trans; [apply (run_beforehand_is_on_a_grid fuel G u HG Du Lu)|].
      apply Req_le, mass_ext. intros [[] v]; reflexivity.
Qed.

(** [X3] An exponential number on demand has each whole part and first [k] limbs with the probability of the grid of
    [N = B^k] cells, or more, up to [3*rounds/N]. *)
Theorem exponential_on_demand_has_its_law fuel rounds (test : Z -> Z -> bool) :
  probability cells (exponential (grid cells) fuel rounds 0) (fun r => test (fst r) (snd r)) - INR rounds
    * (3 / IZR cells)
  <= mass B (exponential on_demand fuel rounds 0)
       (fun r => E (fun u => if test (fst r) (value B u) then 1 else 0) (snd r)).
Proof.
  eapply Rle_trans; [|apply (exponential_on_demand fuel rounds (fun j u => test j (value B u)))].
  apply (exponential_beforehand_is_on_a_grid fuel rounds 0 (fun j x => if test j x then 1 else 0)).
  intros j x. destruct (test j x); lra.
Qed.
End OnDemand.
