(** * Tables of exact sums

    The programs that make integers of a record's doubles, check them and add them, on Flocq's doubles and on integers.
    Their results are a table in the tests of karcher, whose functions have to give the same integers ([Kernels]). *)

Require Import String ZArith List Bool.
From Flocq Require Import BinarySingleNaN Binary Bits.
From Karcher Require Import Words Rounding Kernels Sums Checked.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

Definition double (m e : Z) : binary64 := binary_normalize 53 1024 eq_refl eq_refl mode_NE m e false.
Definition plus := b64_plus mode_NE.
Definition mult := b64_mult mode_NE.
Definition div := b64_div mode_NE.
Definition root := b64_sqrt mode_NE.
Definition less (x y : binary64) : bool := match b64_compare x y with Some Lt => true | _ => false end.
Definition at_most (x y : binary64) : bool := match b64_compare x y with Some Lt | Some Eq => true | _ => false end.

(** The last 64 bits as a signed integer. *)
Definition signed (z : Z) : Z := (z + 2 ^ 63) mod 2 ^ 64 - 2 ^ 63.

Definition integer (t : binary64) : Z := signed (bits_of_b64 t - bits_of_b64 (double magic 0)).

(** A sum in [n] lanes, by any addition: of doubles, or of the trees for which [Checked] proves the check safe. *)
Definition sum_in_lanes {T} (none : T) (add : T -> T -> T) (n : nat) (l : list T) : T :=
  let sum l := fold_left add l none in
  let q := Nat.div (length l) n in
  let lane i := sum (map (fun k => nth (k * n + i)%nat l none) (seq 0 q)) in
  add (sum (map lane (seq 0 n))) (sum (skipn (q * n) l)).

Fixpoint in_doubles (t : order) : binary64 :=
  match t with
  | Square z => mult (double z 0) (double z 0)
  | Add s t => plus (in_doubles s) (in_doubles t)
  end.

Definition fits (z : list Z) : bool :=
  let squares := sum_in_lanes (Square 0) Add 4 (map Square z) in
  at_most (in_doubles squares) (double (2 ^ 52 - 2 * (Z.of_nat (length z) + 4)) 48) || (exact squares <=? 2 ^ 100).

Definition rounded (v : list binary64) (scale : binary64) : list binary64 :=
  map (fun x => plus (mult x scale) (double magic 0)) v.

Definition scaled (v : list binary64) (factor : binary64) : list binary64 := map (fun x => mult x factor) v.
Definition squares (v : list binary64) : list binary64 := map (fun x => mult x x) v.
Definition length_of (v : list binary64) : binary64 := root (fold_left plus (squares v) (double 0 0)).

Definition shortened (v : list binary64) (bound : binary64) : list binary64 :=
  let longest := mult bound (double (2 ^ 39 - 1) (-39)) in
  if less longest (length_of v) then
    let largest := fold_left (fun m x => if less m (b64_abs x) then b64_abs x else m) v (double 0 0) in
    let v := map (fun x => div x largest) v in scaled v (div longest (length_of v))
  else v.

(** The integers of a vector. *)
Definition bounded (v : list binary64) (bound : binary64) : list Z :=
  let scale := div (double 1 50) bound in
  let t := rounded v scale in
  let sum := sum_in_lanes (double 0 0) plus 8 (squares (map (fun t => b64_minus mode_NE t (double magic 0)) t)) in
  if at_most sum (double (2 ^ 18 - 1) 82) then map integer t
  else
    let v := shortened v bound in
    let again := scaled v (double (2 ^ 30 - 1) (-30)) in
    hd (map (fun _ => 0) v) (filter fits (map (fun v => map integer (rounded v scale)) [v; again])).

(** The integer next to a number from 0 to [2^51]; halves are rounded up. *)
Definition nearest (x : binary64) : Z :=
  match x with B754_finite _ m e _ => (Z.pos m + 2 ^ (- e - 1)) / 2 ^ (- e) | _ => 0 end.

Definition squared (x clip : binary64) : Z :=
  let share := div (root (mult x x)) clip in
  let share := if less share (double 1 0) then share else double 1 0 in
  Z.min (nearest (mult (mult share share) (double 1 50))) (2 ^ 50).

Fixpoint second_moment (y : list Z) : list Z :=
  match y with
  | [] => []
  | first :: y' =>
    let product second := mult (mult (double first 0) (double second 0)) (double (2 ^ 28 - 1) (-78)) in
    map integer (rounded (product first :: map (fun z => mult (root (double 2 0)) (product z)) y') (double 1 0))
    ++ second_moment y'
  end.

Definition clamped (z : Z) : Z := Z.max (- 2 ^ 127) (Z.min z (2 ^ 127 - 1)).

(** Vectors of [d] numbers, added in two parts. *)
Definition added (d : nat) (vectors : list (list binary64)) (bound : binary64) : list Z :=
  let records := map (fun v => bounded v bound) vectors in
  let parts := Merge (Part (firstn 5 records)) (Part (skipn 5 records)) in
  map (fun i => machine signed clamped (list Z) (fun z => nth i z 0) parts) (seq 0 d).

(** ** Cases at the edges *)

Definition result (arguments results : list Z) : list (list Z) := row arguments [] 1 (Return results).
Definition of (m e : Z) : Z := bits_of_b64 (double m e).

(** Zeros, halves and their neighbours, what is not normal, the bound and twice the bound, integers that do not fit,
    what has no square, infinities, and no number. *)
Definition numbers : list Z :=
  let positive := [0; 1; 2 ^ 52; of 1 (-1) - 1; of 1 (-1); of 1 (-1) + 1; of 3 (-1); of 5 (-1); of (2 ^ 50 - 1) (-1);
    of (2 ^ 51 - 1) (-1); of 1 50 - 1; of 1 50; of 1 50 + 1; of 1 51 - 1; of 1 51; of 3 51; of 1 60; of 1 512;
    2047 * 2 ^ 52 - 1; 2047 * 2 ^ 52; 2047 * 2 ^ 52 + 1] in
  positive ++ map (fun bits => bits + 2 ^ 63) positive.

Definition vectors : list (list Z) :=
  cases numbers (fun x => cases [[x]; repeat (of 1 (-1)) 8 ++ [x]] (fun v =>
    cases [of 1 50; 4599075939470750515; 1; 2047 * 2 ^ 52 - 1] (fun bound =>
      result (bound :: v) (bounded (map b64_of_bits v) (b64_of_bits bound))))).

Definition lengths : list (list Z) :=
  cases [2 ^ 50 - 1; 2 ^ 50; 2 ^ 50 + 1; - 2 ^ 50; 2 ^ 51; - 2 ^ 63; 2 ^ 63 - 1; 0] (fun a =>
    cases [[]; [1]; [0; 0; 0; 0; -1]; [0; 0; 0; 1; 0]; repeat (2 ^ 49) 3; repeat (2 ^ 49) 4; repeat a 8] (fun more =>
      result (a :: more) [b (fits (a :: more))])).

Definition distances : list (list Z) :=
  cases numbers (fun x => cases [of 1 0; of 1 50; 4599075939470750515; 1] (fun clip =>
    result [x; clip] [squared (b64_of_bits x) (b64_of_bits clip)])).

Definition moments : list (list Z) :=
  cases [[]; [2 ^ 50]; [- 2 ^ 50; 0]; [2 ^ 49; - 2 ^ 49; 2 ^ 49]; [0; 1; 2 ^ 50 - 1]; [2 ^ 25; 2 ^ 25 + 1; -3 * 2 ^ 24]]
    (fun y => result y (second_moment y)).

Definition merges : list (list Z) :=
  cases [[0; 0]; [2 ^ 64 - 1; 1]; [-1; 1; 2 ^ 114]; [2 ^ 127 - 2; 1]; [2 ^ 127 - 1; 1; -5]; [1 - 2 ^ 127; -1; -1; 7];
         [2 ^ 127 - 1; - 2 ^ 127; 3]] (fun l => result l [fold_left (fun s x => clamped (s + x)) l 0]).

(** ** Random cases *)

(** Half-integers of the size of the bound or below. *)
Definition random_vector (d : nat) : Prog (list binary64) :=
  v <- word ;; l <- times d word ;; Return (map (fun w => double (Z.shiftr (signed w) (12 + v mod 16)) (-1)) l).

(** The bound is [2^50], so that halves are rounded, or any larger number below [2^51]. *)
Definition random_records : Prog (list Z) :=
  w <- word ;; let d := Z.to_nat (1 + w mod 12) in
  w <- word ;; let bound := b64_of_bits (1073 * 2 ^ 52 + (if Z.even w then 0 else Z.shiftr w 12)) in
  one <- random_vector d ;; others <- times 6 (random_vector d) ;;
  Return (map (fun x => squared x bound) one ++ second_moment (firstn 3 (bounded one bound))
          ++ added d (one :: others) bound).

(** The longest vector of some integers that fits, or one that is shorter or longer by 1. *)
Definition random_length : Prog (list Z) :=
  v <- word ;; w <- word ;;
  let last := Z.sqrt (2 ^ 100 - Z.shiftr w 14 * Z.shiftr w 14) - 1 + v mod 3 in
  Return [b (fits (Z.shiftr w 14 :: repeat 0 (Z.to_nat (v mod 7)) ++ [v mod 2; last]))].

Definition table : list (string * list (list Z)) :=
  [("bounded", vectors); ("fits", lengths); ("squared", distances); ("moment", moments); ("merged", merges);
   ("random", random_from 0 [(250, random_records); (3000, random_length)])]%string.
