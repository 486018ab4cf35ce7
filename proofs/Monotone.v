(** * Functions whose derivative has a sign

    What several theories use of them.

    Link: none; nothing here is released. *)
From Coq Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Lemma grows (f df : R -> R) a b : a <= b -> (forall x, a <= x <= b -> is_derive f x (df x)) ->
  (forall x, a <= x <= b -> 0 <= df x) -> f a <= f b.
Proof.
  intros L D P. destruct (MVT_gen f a b df) as (c & C & E).
  - intros x H. rewrite Rmin_left, Rmax_right in H by auto. apply D. lra.
  - intros x H. rewrite Rmin_left, Rmax_right in H by auto.
    apply derivable_continuous_pt. exists (df x). apply is_derive_Reals, D. lra.
  - rewrite Rmin_left, Rmax_right in C by auto. specialize (P c C). nra.
Qed.
Lemma falls (f df : R -> R) a b : a <= b -> (forall x, a <= x <= b -> is_derive f x (df x)) ->
  (forall x, a <= x <= b -> df x <= 0) -> f b <= f a.
Proof.
  intros L D P. assert (- f a <= - f b); [|lra].
  apply (grows (fun x => - f x) (fun x => - df x)); auto.
  - intros x H. apply (is_derive_opp f x (df x)), D, H.
  - intros x H. specialize (P x H). lra.
Qed.
