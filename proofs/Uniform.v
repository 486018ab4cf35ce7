(** * Uniform numbers

    A uniform number is [0.w1w2w3...] in base [B], its digits ("limbs") random words that are drawn when a comparison
    asks for them. Two numbers are ordered by the first limbs in which they differ. A number is compared with a fraction
    by long division. Here are both programs, that their decisions are those of the whole numbers, and that their
    probabilities are exact.

    Link: by the tables of [Kernels], which [noise/bits.rs] has to reproduce. *)

Require Import ZArith Reals List Lia Lra Psatz.
From Karcher Require Import Words.
Import ListNotations.
Open Scope Z_scope.

Section Uniform.
Variable B : Z.
Hypothesis B_large : 1 < B.

(** The limbs that were drawn, the first one first. *)
Definition number := list Z.

(** Rust takes the first word when the number is made. *)
Definition fresh : Prog number := Word (fun w => Return [w]).

(** Limb [i], where all limbs before it were drawn. *)
Definition limb (x : number) (i : nat) : Prog (Z * number) :=
  match nth_error x i with
  | Some w => Return (w, x)
  | None => Word (fun w => Return (w, x ++ [w]))
  end.

Fixpoint is_below (fuel : nat) (x y : number) (i : nat) : Prog (bool * (number * number)) :=
  match fuel with
  | O => Stuck
  | S fuel =>
    '(a, x) <- limb x i ;; '(b, y) <- limb y i ;;
    if a =? b then is_below fuel x y (S i) else Return (a <? b, (x, y))
  end.

Fixpoint is_below_ratio (fuel : nat) (x : number) (remainder den : Z) (i : nat) : Prog (bool * number) :=
  match fuel with
  | O => Stuck
  | S fuel =>
    if remainder =? 0 then Return (false, x) else
    '(w, x) <- limb x i ;;
    let theirs := remainder * B / den in
    if w =? theirs then is_below_ratio fuel x (remainder * B mod den) den (S i) else Return (w <? theirs, x)
  end.

(** ** Decisions *)

(** The integer of limbs: with [n] of them the number lies between it and the next one, in units of [B^(-n)]. *)
Definition value (x : number) : Z := fold_left (fun a w => a * B + w) x 0.

Lemma value_app x w : value (x ++ [w]) = value x * B + w.
Proof. unfold value. rewrite fold_left_app. reflexivity. Qed.

Definition size (x : number) : Z := B ^ Z.of_nat (length x).

Lemma size_app x w : size (x ++ [w]) = size x * B.
Proof. unfold size. rewrite app_length, Nat.add_1_r, Nat2Z.inj_succ, Z.pow_succ_r by lia. lia. Qed.

Lemma size_pos x : 0 < size x.
Proof. apply Z.pow_pos_nonneg; lia. Qed.

(** A real number that begins with the limbs of [x]. *)
Definition begins (x : number) (u : R) : Prop := (IZR (value x) <= u * IZR (size x) < IZR (value x + 1))%R.

Definition digits (x : number) : Prop := forall w, In w x -> 0 <= w < B.

Lemma digits_app x w : digits x -> 0 <= w < B -> digits (x ++ [w]).
Proof. intros H Hw v [Hv|[<-|[]]]%in_app_or; auto. Qed.

Lemma limb_is_drawn x i : (i <= length x)%nat -> digits x ->
  always B (limb x i) (fun r => exists more,
    snd r = x ++ more /\ digits (x ++ more) /\ nth_error (x ++ more) i = Some (fst r)
                              /\ (i < length (x ++ more))%nat).
Proof.
  intros Hi Hx. unfold limb. destruct (nth_error x i) as [w|] eqn:E; cbn [always].
  - exists []. rewrite app_nil_r. split; [|split; [|split]]; auto. apply nth_error_Some. congruence.
  - intros w Hw. exists [w]. apply nth_error_None in E. assert (i = length x) as -> by lia.
    split; [|split; [|split]]; [reflexivity|apply digits_app; auto| |rewrite app_length; cbn; lia].
    cbn [fst]. rewrite nth_error_app2, Nat.sub_diag by lia. reflexivity.
Qed.

(** A number that begins with some limbs begins with the first of them. *)
Lemma begins_prefix x more u : digits (x ++ more) -> begins (x ++ more) u -> begins x u.
Proof.
  revert x. induction more as [|w more IH] using rev_ind; intros x Hd H; [rewrite app_nil_r in H; exact H|].
  rewrite app_assoc in *. apply IH.
  - intros v Hv. apply Hd, in_or_app. auto.
  - assert (Hw : 0 <= w < B) by (apply Hd, in_or_app; right; left; reflexivity).
    revert H. unfold begins. rewrite value_app, size_app. set (s := x ++ more).
    rewrite !plus_IZR, !mult_IZR. destruct Hw as [H0 H1].
    apply IZR_le in H0. assert (H2 : w + 1 <= B) by lia. apply IZR_le in H2. rewrite plus_IZR in H2.
    assert (H3 : (0 < IZR B)%R) by (apply (IZR_lt 0); lia).
    intros [Hlow Hhigh]. split.
    + apply Rmult_le_reg_r with (IZR B); lra.
    + apply Rmult_lt_reg_r with (IZR B); lra.
Qed.

Lemma begins_at x i w u : digits x -> nth_error x i = Some w -> begins x u ->
  begins (firstn i x ++ [w]) u.
Proof.
  intros Hd Hn H. destruct (nth_error_split _ _ Hn) as (l & m & -> & <-).
  rewrite firstn_app, firstn_all, Nat.sub_diag, firstn_O, app_nil_r.
  replace (l ++ w :: m) with ((l ++ [w]) ++ m) in Hd, H by (rewrite <- app_assoc; reflexivity).
  exact (begins_prefix _ _ _ Hd H).
Qed.

Lemma firstn_next (x : number) i w : nth_error x i = Some w -> firstn (S i) x = firstn i x ++ [w].
Proof.
  intros Hn. destruct (nth_error_split _ _ Hn) as (l & m & -> & <-).
  rewrite !firstn_app, firstn_all, Nat.sub_diag, firstn_O, app_nil_r, firstn_all2 by lia.
  replace (S (length l) - length l)%nat with 1%nat by lia. reflexivity.
Qed.

Lemma firstn_more (x more : number) i : (i <= length x)%nat -> firstn i (x ++ more) = firstn i x.
Proof. intros H. rewrite firstn_app. replace (i - length x)%nat with 0%nat by lia. rewrite firstn_O, app_nil_r.
  reflexivity. Qed.

Lemma is_below_decides fuel : forall x y i, digits x -> digits y -> (i <= length x)%nat -> (i <= length y)%nat ->
  firstn i x = firstn i y ->
  always B (is_below fuel x y i) (fun '(b, (x', y')) =>
    (exists more, x' = x ++ more) /\ (exists more, y' = y ++ more) /\
    forall u v, begins x' u -> begins y' v -> if b then (u < v)%R else (v < u)%R).
Proof.
  induction fuel as [|fuel IH]; intros x y i Hx Hy Hix Hiy E; cbn [is_below]; [exact I|].
  apply always_bind. eapply always_mono; [|exact (limb_is_drawn x i Hix Hx)].
  intros [a x'] (mx & Ex & Hx' & Na & Lx). cbn [fst snd] in *. subst x'.
  apply always_bind. eapply always_mono; [|exact (limb_is_drawn y i Hiy Hy)].
  intros [b y'] (my & Ey & Hy' & Nb & Ly). cbn [fst snd] in *. subst y'.
  assert (E' : firstn i (x ++ mx) = firstn i (y ++ my)) by (rewrite !firstn_more; auto).
  destruct (Z.eqb_spec a b) as [<-|ne].
  - eapply always_mono; [|apply (IH (x ++ mx) (y ++ my) (S i)); auto].
    + intros [b [x'' y'']] ((more & ->) & (more' & ->) & H). repeat split; auto.
      * exists (mx ++ more). apply eq_sym, app_assoc.
      * exists (my ++ more'). apply eq_sym, app_assoc.
    + rewrite !(firstn_next _ _ a); congruence.
  - cbn [always]. repeat split; eauto. intros u v Hu Hv.
    apply (begins_at _ i a) in Hu; auto. apply (begins_at _ i b) in Hv; auto.
    rewrite E' in Hu. revert Hu Hv. unfold begins. rewrite !value_app, !size_app, !plus_IZR, !mult_IZR.
    set (p := firstn i (y ++ my)). pose proof (size_pos p) as HS. apply IZR_lt in HS.
    assert (HB : (0 < IZR B)%R) by (apply (IZR_lt 0); lia).
    assert (HSB : (0 < IZR (size p) * IZR B)%R) by (apply Rmult_lt_0_compat; auto).
    intros [Hu1 Hu2] [Hv1 Hv2].
    destruct (Z.ltb_spec a b) as [lt|ge]; apply Rmult_lt_reg_r with (IZR (size p) * IZR B)%R; auto.
    + assert (L : a + 1 <= b) by lia. apply IZR_le in L. rewrite plus_IZR in L. lra.
    + assert (L : b + 1 <= a) by lia. apply IZR_le in L. rewrite plus_IZR in L. lra.
Qed.

(** [X3] A comparison of two numbers that looked at some of their limbs is that of the whole numbers, whatever limbs
    follow. *)
Theorem comparison_is_exact fuel x y : digits x -> digits y ->
  always B (is_below fuel x y 0) (fun '(b, (x', y')) =>
    forall u v, begins x' u -> begins y' v -> if b then (u < v)%R else (v < u)%R).
Proof.
  intros Hx Hy. eapply always_mono; [|apply (is_below_decides fuel x y 0 Hx Hy); auto using Nat.le_0_l].
  intros [b [x' y']] (_ & _ & H). exact H.
Qed.

Lemma is_below_ratio_decides num den : 0 < den -> forall fuel x i remainder,
  digits x -> (i <= length x)%nat -> 0 <= remainder < den ->
  num * size (firstn i x) = value (firstn i x) * den + remainder ->
  always B (is_below_ratio fuel x remainder den i) (fun '(b, x') =>
    forall u, begins x' u -> if b then (u < IZR num / IZR den)%R else (IZR num / IZR den <= u)%R).
Proof.
  intros Hden. assert (Hd : (0 < IZR den)%R) by (apply (IZR_lt 0); lia).
  induction fuel as [|fuel IH]; intros x i r Hx Hi Hr E; cbn [is_below_ratio]; [exact I|].
  pose proof (size_pos (firstn i x)) as HS. apply IZR_lt in HS. cbn in HS.
  destruct (Z.eqb_spec r 0) as [->|nz].
  - cbn [always]. intros u Hu. rewrite <- (firstn_skipn i x) in Hu, Hx.
    apply begins_prefix in Hu; [|exact Hx]. destruct Hu as [Hu _].
    apply (f_equal IZR) in E. rewrite plus_IZR, !mult_IZR in E.
    apply Rmult_le_reg_r with (IZR (size (firstn i x)) * IZR den)%R; [apply Rmult_lt_0_compat; lra|].
    replace (IZR num / IZR den * (IZR (size (firstn i x)) * IZR den))%R
      with (IZR num * IZR (size (firstn i x)))%R by (field; lra).
    rewrite E. apply Rmult_le_compat_r with (r := IZR den) in Hu; lra.
  - apply always_bind. eapply always_mono; [|exact (limb_is_drawn x i Hi Hx)].
    intros [w x'] (more & Ex & Hx' & Nw & L). cbn [fst snd] in *. subst x'.
    pose proof (Z.div_mod (r * B) den ltac:(lia)) as D. pose proof (Z.mod_pos_bound (r * B) den Hden) as M.
    set (q := r * B / den) in *. set (r' := r * B mod den) in *.
    assert (F : firstn (S i) (x ++ more) = firstn i x ++ [w]).
    { rewrite (firstn_next _ _ w Nw), firstn_more by exact Hi. reflexivity. }
    assert (P : num * size (firstn i x ++ [w]) = (value (firstn i x) * B + q) * den + r').
    { rewrite size_app. replace (num * (size (firstn i x) * B)) with (num * size (firstn i x) * B) by ring.
      rewrite E. replace ((value (firstn i x) * den + r) * B) with (value (firstn i x) * B * den + r * B) by ring.
      rewrite D. ring. }
    destruct (Z.eqb_spec w q) as [->|ne].
    + apply IH; auto. rewrite F, value_app. exact P.
    + cbn [always]. intros u Hu. apply (begins_at _ i w) in Hu; auto.
      rewrite firstn_more in Hu by exact Hi.
      assert (HSB : (0 < IZR (size (firstn i x ++ [w])))%R) by (apply (IZR_lt 0), size_pos).
      revert Hu. unfold begins. rewrite value_app. intros [Hu1 Hu2].
      set (T := size (firstn i x ++ [w])) in *. set (V := value (firstn i x) * B) in *.
      assert (Pr : (IZR num * IZR T = IZR (V + q) * IZR den + IZR r')%R) by (rewrite <- !mult_IZR, <- plus_IZR;
        f_equal; exact P).
      assert (Hr0 : (0 <= IZR r')%R) by (apply (IZR_le 0); lia).
      assert (Hr1 : (IZR r' < IZR den)%R) by (apply IZR_lt; lia).
      destruct (Z.ltb_spec w q) as [lt|ge].
      * apply Rmult_lt_reg_r with (IZR T * IZR den)%R; [apply Rmult_lt_0_compat; lra|].
        replace (IZR num / IZR den * (IZR T * IZR den))%R with (IZR num * IZR T)%R by (field; lra).
        assert (L' : (IZR (V + w + 1) <= IZR (V + q))%R) by (apply IZR_le; lia).
        apply Rmult_lt_compat_r with (r := IZR den) in Hu2; [|lra].
        apply Rmult_le_compat_r with (r := IZR den) in L'; lra.
      * apply Rmult_le_reg_r with (IZR T * IZR den)%R; [apply Rmult_lt_0_compat; lra|].
        replace (IZR num / IZR den * (IZR T * IZR den))%R with (IZR num * IZR T)%R by (field; lra).
        assert (L' : (IZR (V + q) + 1 <= IZR (V + w))%R) by (rewrite <- (plus_IZR _ 1); apply IZR_le; lia).
        apply Rmult_le_compat_r with (r := IZR den) in Hu1; [|lra].
        apply Rmult_le_compat_r with (r := IZR den) in L'; lra.
Qed.

(** [X3] A comparison with a fraction that looked at some limbs is that of the whole number, whatever limbs follow. *)
Theorem comparison_with_a_ratio_is_exact fuel x num den : digits x -> 0 <= num < den ->
  always B (is_below_ratio fuel x num den 0) (fun '(b, x') =>
    forall u, begins x' u -> if b then (u < IZR num / IZR den)%R else (IZR num / IZR den <= u)%R).
Proof.
  intros Hx Hn. apply is_below_ratio_decides; auto using Nat.le_0_l; [lia|].
  rewrite firstn_O. unfold size, value. cbn [length fold_left]. change (Z.of_nat 0) with 0. rewrite Z.pow_0_r. lia.
Qed.

(** ** Probabilities *)

Open Scope R_scope.
Let B_pos : (0 < B)%Z. Proof. lia. Qed.
Let B_real : 0 < IZR B. Proof. apply (IZR_lt 0). lia. Qed.

Lemma mass_fresh f : mass B fresh f = sum (Z.to_nat B) (fun w => f [w]) / IZR B.
Proof. reflexivity. Qed.

(** A limb that is not yet drawn. *)
Lemma mass_limb (x : number) f :
  mass B (limb x (length x)) f = sum (Z.to_nat B) (fun w => f (w, x ++ [w])) / IZR B.
Proof.
  unfold limb. destruct (nth_error x (length x)) eqn:E; [|reflexivity].
  exfalso. assert (length x < length x)%nat by (apply nth_error_Some; congruence). lia.
Qed.

Lemma mass_ratio den (t f : R) : (0 < den)%Z -> forall fuel (x : number) (r : Z), (0 <= r < den)%Z ->
  exists undecided : R, 0 <= undecided <= 1 /\
  mass B (is_below_ratio fuel x r den (length x)) (fun a => if fst a then t else f)
  = (IZR (r * B ^ Z.of_nat fuel / den) * t
     + (IZR (B ^ Z.of_nat fuel) - undecided - IZR (r * B ^ Z.of_nat fuel / den)) * f) / IZR (B ^ Z.of_nat fuel).
Proof.
  intros Hden. induction fuel as [|fuel IH]; intros x r Hr.
  - exists 1. split; [lra|]. cbn [is_below_ratio mass]. change (Z.of_nat 0) with 0%Z.
    rewrite Z.pow_0_r, Z.mul_1_r, Z.div_small by lia. lra.
  - cbn [is_below_ratio]. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. set (Bk := (B ^ Z.of_nat fuel)%Z) in *.
    assert (HBk : (0 < Bk)%Z) by (apply Z.pow_pos_nonneg; lia).
    assert (HBr : 0 < IZR Bk) by (apply (IZR_lt 0); auto).
    destruct (Z.eqb_spec r 0) as [->|nz].
    + exists 0. split; [lra|]. cbn [mass fst]. rewrite Z.mul_0_l, Z.div_0_l, mult_IZR by lia. field; lra.
    + pose proof (Z.div_mod (r * B) den ltac:(lia)) as D. pose proof (Z.mod_pos_bound (r * B) den Hden) as M.
      set (q := (r * B / den)%Z) in *. set (r' := (r * B mod den)%Z) in *.
      assert (Hq : (0 <= q < B)%Z). { split; [apply Z.div_pos; nia|]. apply Z.div_lt_upper_bound; nia. }
      destruct (IH (x ++ [q]) r' M) as (u & Hu & E).
      exists u. split; [exact Hu|].
      rewrite mass_bind, mass_limb.
      rewrite (sum_word B _ (fun w => if (w =? q)%Z
          then mass B (is_below_ratio fuel (x ++ [q]) r' den (length (x ++ [q]))) (fun a => if fst a then t else f)
          else if (w <? q)%Z then t else f)).
      2: { intros w Hw. rewrite app_length, Nat.add_1_r. destruct (Z.eqb_spec w q) as [->|]; [reflexivity|].
           cbn [mass fst]. reflexivity. }
      rewrite sum_below_at_above, INR_B, E by lia.
      replace (r * (B * Bk))%Z with (q * Bk * den + r' * Bk)%Z by (replace (r * (B * Bk))%Z with (r * B * Bk)%Z
        by ring; rewrite D; ring).
      rewrite Z.div_add_l, plus_IZR, !mult_IZR by lia. field; lra.
Qed.

Lemma ratio_of_fresh n num den g : (0 < n)%nat -> num <> 0%Z ->
  mass B (x <- fresh ;; is_below_ratio n x num den 0) g = mass B (is_below_ratio n [] num den 0) g.
Proof.
  intros Hn Hnum. rewrite mass_bind, mass_fresh. destruct n as [|n]; [lia|]. cbn [is_below_ratio].
  rewrite (proj2 (Z.eqb_neq _ _)) by exact Hnum.
  rewrite (mass_bind B (limb [] 0)), (mass_limb []). reflexivity.
Qed.

Lemma mass_of_a_ratio n num den t f : (0 <= num < den)%Z -> (0 < n)%nat -> exists undecided : R, 0 <= undecided <= 1 /\
  mass B (x <- fresh ;; is_below_ratio n x num den 0) (fun a => if fst a then t else f)
  = (IZR (num * B ^ Z.of_nat n / den) * t
     + (IZR (B ^ Z.of_nat n) - undecided - IZR (num * B ^ Z.of_nat n / den)) * f) / IZR (B ^ Z.of_nat n).
Proof.
  intros Hnum Hn. destruct (Z.eq_dec num 0) as [->|nz].
  - exists 0. split; [lra|]. rewrite mass_bind, mass_fresh. destruct n as [|n]; [lia|].
    cbn [is_below_ratio Z.eqb mass fst]. rewrite mean_const, Z.mul_0_l, Z.div_0_l by (auto || lia).
    assert (0 < IZR (B ^ Z.of_nat (S n))) by (apply (IZR_lt 0), Z.pow_pos_nonneg; lia). field; lra.
  - rewrite ratio_of_fresh by auto. apply (mass_ratio den t f ltac:(lia) n [] num Hnum).
Qed.

(** [X3] The event of [is_below_ratio] has its probability exactly: of all strings of [n] limbs the share [num/den],
    rounded down to a whole number of strings, says yes within [n] limbs. *)
Theorem probability_of_a_ratio n num den : (0 <= num < den)%Z -> (0 < n)%nat ->
  probability B (x <- fresh ;; is_below_ratio n x num den 0) fst
  = IZR (num * B ^ Z.of_nat n / den) / IZR (B ^ Z.of_nat n).
Proof.
  intros Hnum Hn. destruct (mass_of_a_ratio n num den 1 0 Hnum Hn) as (u & _ & E).
  unfold probability. rewrite E. f_equal. ring.
Qed.

(** [X3] A comparison with a fraction ends: at most one string of [n] limbs leaves it open. *)
Theorem ratio_ends n num den : (0 <= num < den)%Z -> (0 < n)%nat ->
  1 - / IZR (B ^ Z.of_nat n) <= ends B (x <- fresh ;; is_below_ratio n x num den 0).
Proof.
  intros Hnum Hn. destruct (mass_of_a_ratio n num den 1 1 Hnum Hn) as (u & Hu & E).
  unfold ends. rewrite (mass_ext B _ _ (fun a : bool * number => if fst a then 1 else 1)) by (intros [[] ?];
    reflexivity).
  rewrite E. assert (H : 0 < IZR (B ^ Z.of_nat n)) by (apply (IZR_lt 0), Z.pow_pos_nonneg; lia).
  apply Rmult_le_reg_r with (IZR (B ^ Z.of_nat n)); [exact H|].
  replace (_ / _ * _) with (IZR (B ^ Z.of_nat n) - u) by (field; lra).
  replace ((1 - / _) * _) with (IZR (B ^ Z.of_nat n) - 1) by (field; lra). lra.
Qed.

Lemma mass_below t f : forall n (x y : number), length x = length y ->
  mass B (is_below n x y (length x)) (fun a => if fst a then t else f) = (1 - (/ IZR B) ^ n) / 2 * (t + f).
Proof.
  induction n as [|n IH]; intros x y Hl; cbn [is_below]; [cbn [mass pow]; field|].
  rewrite mass_bind, mass_limb.
  rewrite (sum_word B _ (fun a => / IZR B * ((1 - (/ IZR B) ^ n) / 2 * (t + f) + IZR a * f + (IZR B - 1 - IZR a) * t))).
  - rewrite sum_scale.
    assert (G : forall m c0 c1, sum m (fun a => c0 + IZR a * f + (c1 - IZR a) * t)
                = INR m * (c0 + c1 * t) + INR m * (INR m - 1) / 2 * (f - t)).
    { induction m as [|m IHm]; intros; [cbn; field|]. cbn [sum]. rewrite IHm, S_INR, <- INR_IZR_INZ. field. }
    rewrite (G (Z.to_nat B) _ (IZR B - 1)), INR_B by lia. cbn [pow]. field; lra.
  - intros a Ha. rewrite Hl at 1. rewrite mass_bind, mass_limb.
    rewrite (sum_word B _ (fun b => if (b =? a)%Z then (1 - (/ IZR B) ^ n) / 2
      * (t + f) else if (b <? a)%Z then f else t)).
    + rewrite sum_below_at_above, INR_B by lia. field; lra.
    + intros b Hb. rewrite (Z.eqb_sym b a). destruct (Z.eqb_spec a b) as [<-|ne].
      * rewrite <- (IH (x ++ [a]) (y ++ [a])) by (rewrite !app_length; cbn; lia).
        rewrite app_length, Nat.add_1_r. reflexivity.
      * cbn [mass fst]. destruct (Z.ltb_spec a b), (Z.ltb_spec b a); try lia; reflexivity.
Qed.

Lemma below_of_fresh n g : (0 < n)%nat ->
  mass B (x <- fresh ;; y <- fresh ;; is_below n x y 0) g = mass B (is_below n [] [] 0) g.
Proof.
  intros Hn. destruct n as [|n]; [lia|]. rewrite mass_bind, mass_fresh. cbn [is_below].
  rewrite (mass_bind B (limb [] 0)), (mass_limb []). reflexivity.
Qed.

(** [X3] Of two fresh numbers the first is below the second on [(1 - B^(-n))/2] of all strings of [2*n] limbs. *)
Theorem probability_of_below n : (0 < n)%nat ->
  probability B (x <- fresh ;; y <- fresh ;; is_below n x y 0) fst = (1 - (/ IZR B) ^ n) / 2.
Proof.
  intros Hn. unfold probability. rewrite below_of_fresh by exact Hn.
  etransitivity; [exact (mass_below 1 0 n [] [] eq_refl)|]. field.
Qed.

(** [X3] A comparison of two fresh numbers ends: a share [B^(-n)] of all strings leaves it open after [n] limbs each. *)
Theorem comparison_ends n : (0 < n)%nat ->
  ends B (x <- fresh ;; y <- fresh ;; is_below n x y 0) = 1 - (/ IZR B) ^ n.
Proof.
  intros Hn. unfold ends. rewrite below_of_fresh by exact Hn.
  rewrite (mass_ext B _ _ (fun a : bool * (number * number) => if fst a then 1 else 1)) by (intros [[] ?]; reflexivity).
  etransitivity; [exact (mass_below 1 1 n [] [] eq_refl)|]. field.
Qed.
End Uniform.
