(** * The largest of several noisy scores

    A private choice releases the place of the largest [(eps/2)*s_j + N_j]. Each of these numbers is known between two
    integers. Places that cannot win are left out, and the others get another limb, until one is left. Here are the
    program, that it never leaves out the largest number, and the inequalities behind its guarantee.

    _Not covered_: the average over the noise of the other places, and the integral that gives the exponential mechanism
    its law.

    Link: by the tables of [Kernels], which [noise/maximum.rs] has to reproduce. *)

Require Import ZArith Reals List Lia Lra Psatz.
From Karcher Require Import Words Uniform Exponential Normal Rounding Logarithm.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

Section Contenders.
Variable A : Type.

(** A place with the bounds of its number: the lower one, and the upper one if there is any. *)
Definition bounded := (A * (Z * option Z))%type.
Definition lower (b : bounded) : Z := fst (snd b).
Definition upper (b : bounded) : option Z := snd (snd b).

Definition may_win (most : Z) (b : bounded) : bool :=
  match upper b with None => true | Some above => most <? above end.

Definition largest_lower (l : list bounded) : Z :=
  match l with [] => 0 | b :: l => fold_left (fun m b => Z.max m (lower b)) l (lower b) end.

Definition contenders (l : list bounded) : list bounded := filter (may_win (largest_lower l)) l.
End Contenders.
Arguments contenders {A}. Arguments lower {A}. Arguments upper {A}. Arguments largest_lower {A}. Arguments may_win {A}.

Inductive law := Exponential | Gumbel.

Definition places : Z := 53.

(** A place in the list of scores, its score and its exponential number. *)
Definition entrant := (Z * Z * mixed)%type.

Definition bounds_of (fuel : nat) (l : law) (bits places_of_a a : Z) : option (Z * option Z) :=
  match l with
  | Exponential => Some (a, Some (a + 1))
  | Gumbel => gumbel fuel bits places_of_a a
  end.

Definition first_bounds (fuel : nat) (l : law) (t : mixed) : option (Z * option Z) :=
  let (whole, x) := t in
  let w := nth 0 x 0 in
  match l with
  | Exponential => bounds_of fuel l places places (whole * 2 ^ places + w / 2 ^ (64 - places))
  | Gumbel => bounds_of fuel l places 64 (whole * W + w)
  end.

Definition shifted (score : Z) (b : Z * option Z) : Z * option Z :=
  (score + fst b, option_map (Z.add score) (snd b)).

Fixpoint first_round (fuel : nat) (l : law) (half : Z) (e : list entrant) : option (list (bounded entrant)) :=
  match e with
  | [] => Some []
  | (j, s, t) :: e =>
    match first_bounds fuel l t, first_round fuel l half e with
    | Some b, Some r => Some (((j, s, t), shifted (s * half) b) :: r)
    | _, _ => None
    end
  end.

Fixpoint next_round (fuel : nat) (l : law) (half n : Z) (e : list entrant) : Prog (list (bounded entrant)) :=
  match e with
  | [] => Return []
  | (j, s, t) :: e =>
    '(a, t) <- floor t n ;;
    match bounds_of fuel l (64 * n) (64 * n) a with
    | None => Stuck
    | Some b => r <- next_round fuel l half n e ;;
                Return (((j, s, t), shifted (s * half * 2 ^ (64 * n - places)) b) :: r)
    end
  end.

Fixpoint decide (rounds fuel : nat) (l : law) (half n : Z) (left : list entrant) : Prog Z :=
  match left with
  | [] => Return 0
  | [(j, _, _)] => Return j
  | _ =>
    match rounds with
    | O => Stuck
    | S rounds =>
      r <- next_round fuel l half n left ;;
      decide rounds fuel l half (n + 1) (map fst (contenders r))
    end
  end.

Fixpoint entrants (j : Z) (scores : list Z) (noise : list mixed) : list entrant :=
  match scores, noise with
  | s :: scores, t :: noise => (j, s, t) :: entrants (j + 1) scores noise
  | _, _ => []
  end.

(** The place, for [eps/2] in units of [2^(-53)]. *)
Definition place (fuel : nat) (l : law) (half : Z) (scores : list Z) : Prog Z :=
  noise <- times (length scores) (draw_exponential fuel) ;;
  match first_round fuel l half (entrants 0 scores noise) with
  | Some r => decide fuel fuel l half 1 (map fst (contenders r))
  | None => Stuck
  end.

(** ** What is left out cannot win *)

Section Win.
Variable A : Type.
Variable l : list (bounded A).
Variable number : bounded A -> R.      (* the number of a place, in units of the bounds *)
Hypothesis between : forall b, In b l ->
  (IZR (lower b) <= number b /\ match upper b with Some above => number b <= IZR above | None => True end)%R.
Hypothesis apart : forall b, In b l -> match upper b with Some above => lower b < above | None => True end.

Lemma largest_lower_is_one : l <> [] -> exists b, In b l /\ lower b = largest_lower l.
Proof.
  destruct l as [|b m]; [congruence|]. intros _. cbn [largest_lower].
  clear between apart. revert b. induction m as [|c m IH]; intros b; cbn [fold_left]; [exists b; cbn; auto|].
  assert (G : forall m x y, fold_left (fun m b => Z.max m (lower b)) m (Z.max x y)
              = Z.max (fold_left (fun m b => Z.max m (@lower A b)) m x) (fold_left (fun m b => Z.max m (lower b)) m y)).
  { induction m0 as [|d n IHm]; intros; cbn [fold_left]; [reflexivity|].
    replace (Z.max (Z.max x y) (lower d)) with (Z.max (Z.max x (lower d)) (Z.max y (lower d))) by lia. apply IHm. }
  rewrite G.
  destruct (IH b) as (b1 & I1 & E1), (IH c) as (c1 & J1 & F1). rewrite <- E1, <- F1.
  destruct (Z.max_spec (lower b1) (lower c1)) as [[_ ->]|[_ ->]].
  - exists c1. cbn in *. tauto.
  - exists b1. cbn in *. tauto.
Qed.

(** [B2] The place of the largest number is never left out. *)
Theorem largest_stays b : In b l -> (forall c, In c l -> c <> b -> (number c < number b)%R) -> In b (contenders l).
Proof.
  intros Hb Hmax. apply filter_In. split; [exact Hb|]. unfold may_win.
  destruct (upper b) as [above|] eqn:E; [|reflexivity]. apply Z.ltb_lt.
  destruct largest_lower_is_one as (c & Hc & Ec); [intros H; rewrite H in Hb; contradiction|]. rewrite <- Ec.
  pose proof (between b Hb) as [Lb Ub]. pose proof (between c Hc) as [Lc Uc].
  pose proof (apart b Hb) as Ab. rewrite E in Ub, Ab.
  destruct (Z.lt_ge_cases (lower c) above) as [|ge]; [assumption|]. exfalso.
  assert (ne : c <> b) by (intros ->; lia).
  specialize (Hmax c Hc ne). apply IZR_le in ge. lra.
Qed.

(** [B2] If one place is left, no other one has the largest number. *)
Theorem the_last_one_is_the_largest b : contenders l = [b] ->
  forall c, In c l -> (forall d, In d l -> d <> c -> (number d < number c)%R) -> c = b.
Proof.
  intros H c Hc Hmax. pose proof (largest_stays c Hc Hmax) as I. rewrite H in I. destruct I as [->|[]]. reflexivity.
Qed.
End Win.

(** ** The guarantee *)

Open Scope R_scope.

(** The other places, each with the score and the noise, want the noise of a place with score [s] to exceed this number
    or 0. *)
Definition threshold (half s : R) (others : list (R * R)) : R :=
  fold_right (fun o t => Rmax (half * fst o + snd o - half * s) t) 0 others.

(** The probability that an exponential number exceeds it. *)
Definition wins (half s : R) (others : list (R * R)) : R := exp (- threshold half s others).

(** [B2] Given the noise of the other places, a record that moves each score by at most 1 changes the probability that a
    place is released by a factor of at most [e^eps]. *)
Theorem noisy_maximum_is_private eps s s' others others' : 0 <= eps -> Rabs (s - s') <= 1 ->
  Forall2 (fun o o' => Rabs (fst o - fst o') <= 1 /\ snd o = snd o') others others' ->
  wins (eps / 2) s others <= exp eps * wins (eps / 2) s' others'.
Proof.
  intros He Hs H. unfold wins. rewrite <- exp_plus.
  assert (T : threshold (eps / 2) s' others' <= threshold (eps / 2) s others + eps).
  { pose proof (Rle_abs (s - s')) as Hs'. unfold threshold.
    induction H as [|o o' l l' [Ho En] H IH]; cbn [fold_right]; [lra|].
    pose proof (Rmax_l (eps / 2 * fst o + snd o - eps / 2 * s) (fold_right (fun o t => Rmax (eps / 2
      * fst o + snd o - eps / 2 * s) t) 0 l)).
    pose proof (Rmax_r (eps / 2 * fst o + snd o - eps / 2 * s) (fold_right (fun o t => Rmax (eps / 2
      * fst o + snd o - eps / 2 * s) t) 0 l)).
    apply Rmax_lub; [|lra].
    assert (Ho' : fst o' - fst o <= 1) by (pose proof (Rle_abs (fst o' - fst o)) as A; rewrite Rabs_minus_sym in A;
      lra).
    rewrite <- En. nra. }
  destruct (Req_dec (- threshold (eps / 2) s others) (eps + - threshold (eps / 2) s' others')) as [->|ne]; [lra|].
  left. apply exp_increasing. lra.
Qed.

Definition total (l : list R) : R := fold_right (fun s t => exp s + t) 0 l.

(** The probability that the exponential mechanism releases a place of score [s] among all scores, in units of [eps/2].
    *)
Definition chosen (half s : R) (scores : list R) : R := exp (half * s) / total (map (Rmult half) scores).

(** [B2] The exponential mechanism has a bounded range [eps]: of any two places, the quotients of probabilities for two
    neighbours differ by a factor of at most [e^eps]. *)
Theorem exponential_mechanism_has_a_bounded_range eps s s' t t' scores scores' : 0 <= eps ->
  Rabs (s - s') <= 1 -> Rabs (t - t') <= 1 -> scores <> [] -> scores' <> [] ->
  chosen (eps / 2) s scores / chosen (eps / 2) s' scores'
  <= exp eps * (chosen (eps / 2) t scores / chosen (eps / 2) t' scores').
Proof.
  intros He Hs Ht Hl Hl'. unfold chosen.
  assert (Pos : forall l, l <> [] -> 0 < total l).
  { intros l. destruct l as [|a l]; [congruence|]. intros _. unfold total. cbn [fold_right].
    assert (0 <= fold_right (fun s t => exp s + t) 0 l).
    { induction l as [|b l IH]; cbn [fold_right]; [lra|]. pose proof (exp_pos b). lra. }
    pose proof (exp_pos a). lra. }
  set (Z1 := total (map (Rmult (eps / 2)) scores)). set (Z2 := total (map (Rmult (eps / 2)) scores')).
  assert (P1 : 0 < Z1) by (apply Pos; destruct scores; [congruence|discriminate]).
  assert (P2 : 0 < Z2) by (apply Pos; destruct scores'; [congruence|discriminate]).
  assert (E : forall a b, exp (eps / 2 * a) / Z1 / (exp (eps / 2 * b) / Z2) = exp (eps / 2 * (a - b)) * (Z2 / Z1)).
  { intros a b. unfold Rminus. rewrite Rmult_plus_distr_l, exp_plus, Ropp_mult_distr_r_reverse, exp_Ropp.
    pose proof (exp_pos (eps / 2 * b)). field. lra. }
  rewrite !E, <- Rmult_assoc, <- exp_plus. apply Rmult_le_compat_r; [left; apply Rdiv_lt_0_compat; assumption|].
  assert (L : eps / 2 * (s - s') <= eps + eps / 2 * (t - t')).
  { pose proof (Rle_abs (s - s')). pose proof (Rle_abs (- (t - t'))) as A. rewrite Rabs_Ropp in A. nra. }
  destruct L as [L|L]; [left; apply exp_increasing; exact L|rewrite L; lra].
Qed.
