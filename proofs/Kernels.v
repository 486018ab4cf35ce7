(** * Tables that Rust has to reproduce

    The programs of the other theories are run here on given words, and on those of xorshift. The results are a table
    that stands in the tests of karcher-privacy: its functions have to give the same numbers from the same words, and
    ask for as many of them. So the theorems are about programs that do what the Rust code does, on all these inputs.

    A row is a list of integers. The words are first those of a list, then those of a generator with a seed. *)

Require Import String ZArith List.
From Karcher Require Import Words Uniform Exponential Normal Rounding Logarithm Maximum.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

(** ** The source of words *)

Definition low (z : Z) : Z := Z.land z (W - 1).

(** Xorshift (Marsaglia 2003). Its state, which is not 0, is the word that it gives. *)
Definition xorshift (x : Z) : Z :=
  let x := Z.lxor x (low (Z.shiftl x 13)) in
  let x := Z.lxor x (Z.shiftr x 7) in
  Z.lxor x (low (Z.shiftl x 17)).

(** Given words, the state of the generator after them, and the number of words that were taken. *)
Record source := { given : list Z; state : Z; taken : Z }.

Definition next (s : source) : Z * source :=
  match given s with
  | w :: l => (w, {| given := l; state := state s; taken := taken s + 1 |})
  | [] => let w := xorshift (state s) in (w, {| given := []; state := w; taken := taken s + 1 |})
  end.

Definition fuel : nat := 300.
Definition b (x : bool) : Z := if x then 1 else 0.

Definition counted (l : list Z) : list Z := Z.of_nat (length l) :: l.

(** A row: the number of arguments and these, the seed, the number of given words and these, the number of results and
    these, the words taken. A program that does not end gives no row. *)
Definition row (arguments words : list Z) (seed : Z) (p : Prog (list Z)) : list (list Z) :=
  match run next p {| given := words; state := seed; taken := 0 |} with
  | Some (r, s) => [counted arguments ++ [seed] ++ counted words ++ counted r ++ [taken s]]
  | None => []
  end.

(** ** The programs, with their results as lists *)

Definition ratio_of (x : Prog number) (num den : Z) : Prog (list Z) :=
  x <- x ;; '(yes, _) <- is_below_ratio W fuel x num den 0 ;; Return [b yes].

Definition ratio : Z -> Z -> Prog (list Z) := ratio_of fresh.

(** Two numbers, compared in both orders. *)
Definition below : Prog (list Z) :=
  x <- fresh ;; y <- fresh ;; '(yes, (x, y)) <- is_below fuel x y 0 ;; '(again, _) <- is_below fuel y x 0 ;;
  Return [b yes; b again].

Definition run_of_a_number : Prog (list Z) :=
  x <- fresh ;; '(even, _) <- falls_evenly (limbs W fuel) fuel x ;; Return [b even].

Definition half : Prog (list Z) := yes <- half_falls_evenly (limbs W fuel) fuel ;; Return [b yes].

Definition exponential_digits (limbs : Z) : Prog (list Z) :=
  t <- draw_exponential fuel ;; '(a, t) <- floor t limbs ;; Return [fst t; a].

Definition normal_digits (limbs : Z) : Prog (list Z) :=
  '(negative, t) <- draw_normal fuel ;; '(a, t) <- floor t limbs ;; Return [b negative; fst t; a].

(** A scale [m*2^e] from the bits of a double, if it is positive and finite. *)
Definition scale_of (bits : Z) : option (Z * Z) :=
  let biased := bits / 2 ^ 52 in
  let fraction := bits mod 2 ^ 52 in
  if biased =? 0 then (if fraction =? 0 then None else Some (fraction, -1074))
  else if biased <? 2047 then Some (fraction + 2 ^ 52, biased - 1075) else None.

Definition scale (bits : Z) : Prog (list Z) :=
  Return match scale_of bits with Some (m, e) => [m; e; first_limbs m e] | None => [] end.

Definition noise (law bits dim : Z) : Prog (list Z) :=
  match scale_of bits with
  | Some (m, e) => (if law =? 0 then gaussian else laplace) fuel m e (Z.to_nat dim)
  | None => Stuck
  end.

Definition logarithm (bits a : Z) : Prog (list Z) :=
  match ln_of fuel bits a with Some (low, high) => Return [low; high] | None => Stuck end.

Definition choice (law half : Z) (scores : list Z) : Prog (list Z) :=
  j <- place fuel (if law =? 0 then Exponential else Gumbel) half scores ;; Return [j].

(** ** Cases at the edges *)

Definition cases {A C} (l : list A) (f : A -> list C) : list C := flat_map f l.
Definition largest : Z := W - 1.

(** The first [n] limbs of a fraction, and the remainder. *)
Fixpoint digits_of (n : nat) (num den : Z) : list Z * Z :=
  match n with
  | O => ([], num)
  | S n => let (l, r) := digits_of n (num * W mod den) den in (num * W / den :: l, r)
  end.

(** Words that begin like a fraction, and then are smaller or larger. *)
Definition near (num den : Z) : list (list Z) :=
  cases [0%nat; 1%nat; 2%nat] (fun n =>
    let (l, r) := digits_of n num den in
    let q := r * W / den in
    cases [q - 1; q; q + 1] (fun w => if (0 <=? w) && (w <=? largest) then [l ++ [w]] else [])%bool).

Definition ratios : list (list Z) :=
  cases [(0, 1); (1, 2); (1, 3); (2, 3); (1, 7); (largest - 1, largest); (1, largest); (2 ^ 63, 2 ^ 63 + 9);
    (3, 2 ^ 62)]
    (fun '(num, den) => cases (near num den) (fun words => row [num; den] words 1 (ratio num den))).

Definition comparisons : list (list Z) :=
  cases [[5; 6]; [6; 5]; [0; largest]; [5; 5; 7; 8]; [5; 5; 7; 7; 9; 2]; [0; 0; 0; 0; 0; 1];
         [largest; largest; largest; largest; 1; 0]; [1; 1]]
    (fun words => row [] words 2 below).

Definition runs : list (list Z) :=
  cases [[50; 60]; [50; 40; 60]; [50; 40; 30; 60]; [50; 40; 30; 20; 21]; [7; 7; 2; 1; 9]; [7; 7; 1; 2]; [0; 0; 0; 1];
         [largest; largest; 4; 4; 8; 9]; [2 ^ 63; 2 ^ 63 - 1; 2 ^ 63 - 1]]
    (fun words => row [] words 3 run_of_a_number).

Definition halves : list (list Z) :=
  cases [[2 ^ 63]; [2 ^ 63 - 1; 2 ^ 63]; [2 ^ 63 - 1; 2 ^ 63 - 1; 1; 2]; [2 ^ 63 - 1; 2 ^ 63 - 1; 2; 1; 2 ^ 63]; []]
    (fun words => row [] words 4 half).

Definition seeds (n : nat) : list Z := map Z.of_nat (seq 1 n).

Definition exponentials : list (list Z) :=
  cases [1; 2; 3] (fun limbs =>
    cases [[]; [0; 1]; [5; 5; 6; 7]; [9; 8; 9; 5; 4; 9; 3; 3; 7; 8]] (fun words =>
      row [limbs] words (10 + limbs) (exponential_digits limbs)))
  ++ cases (seeds 10) (fun seed => row [2] [] seed (exponential_digits 2)).

Definition normals : list (list Z) :=
  cases (seeds 16) (fun seed => row [2] [] seed (normal_digits 2))
  ++ cases [[2 ^ 63; 2 ^ 63]; [2 ^ 63; 9; 0; 8; 7; 2 ^ 63]; [2 ^ 63; 9; 0; 9; 9; 1; 2; 8; 2 ^ 63]]
       (fun words => row [3] words 5 (normal_digits 3)).

(** The bits of doubles: zeros, the smallest and largest of each kind, 1, 0.3, 2^51, 2^62 and its neighbours, infinity.
    *)
Definition doubles : list Z :=
  [0; 1; 2; 2 ^ 52 - 1; 2 ^ 52; 2 ^ 52 + 1; 1023 * 2 ^ 52; 4599075939470750515; 1074 * 2 ^ 52; 1085 * 2 ^ 52 - 1;
   1085 * 2 ^ 52; 1086 * 2 ^ 52; 1086 * 2 ^ 52 + 1; 1150 * 2 ^ 52; 2047 * 2 ^ 52 - 1; 2047 * 2 ^ 52; 2047 * 2 ^ 52 + 1;
   2 ^ 63; 2 ^ 63 + 1023 * 2 ^ 52; W - 1].

Definition scales : list (list Z) := cases doubles (fun bits => row [bits] [] 1 (scale bits)).

Definition noises : list (list Z) :=
  cases [0; 1] (fun law =>
    cases [1; 2 ^ 52; 4599075939470750515; 1023 * 2 ^ 52; 1026 * 2 ^ 52 + 12345; 1074 * 2 ^ 52; 1086 * 2 ^ 52 + 1;
           1150 * 2 ^ 52] (fun bits =>
      cases [1; 2; 5] (fun dim => row [law; bits; dim] [] (bits + dim) (noise law bits dim)))).

Definition logarithms : list (list Z) :=
  cases [53; 64; 192] (fun bits =>
    cases [1; 2; 3; 4; 5; 6; 7; 11; 12; 1000; 2 ^ 63 - 1; 3 * 2 ^ 62 - 1; 3 * 2 ^ 62; largest; W; W + 1; 3 * 2 ^ 68 - 1;
           2 ^ 70 - 1] (fun a => row [bits; a] [] 1 (logarithm bits a))).

Definition choices : list (list Z) :=
  cases [0; 1] (fun law =>
    cases [([], [3; 900; 41]); ([], [0; 0; 0; 0]); ([], [-3; 0; -1; 1]); ([5; 6; 5; 6], [3; 3]); ([5; 6; 5; 6], [4; 3]);
           ([0; 1; 0; 1], [7; 7]); ([0; 1; 0; 1; 0; 0; 0], [7; 7]); ([], [- 2 ^ 61; 0; - 2 ^ 61]); ([], [7]); ([], [])]
      (fun '(words, scores) =>
        cases [1; 2 ^ 52; 2 ^ 52 + 2 ^ 51 + 1] (fun half =>
          row ([law; half] ++ scores) words half (choice law half scores)))).

(** ** Random cases

    A case draws its arguments too. The results and the number of words taken so far of many cases make one number. *)

Definition word : Prog Z := Word Return.

(** A fraction of any size. In half of the cases the first limb is that of the fraction. *)
Definition random_ratio : Prog (list Z) :=
  v <- word ;; w <- word ;; c <- word ;;
  let den := Z.max 1 (Z.shiftr v (v mod 64)) in
  let num := w mod den in
  ratio_of (if Z.even c then Return [num * W / den] else fresh) num den.

Definition random_noise (law : Z) : Prog (list Z) :=
  v <- word ;; w <- word ;; noise law ((1003 + v mod 128) * 2 ^ 52 + Z.shiftr w 12) (1 + v mod 3).

Definition random_choice (law : Z) : Prog (list Z) :=
  v <- word ;; w <- word ;; choice law (Z.shiftr v 11) [w mod 3; Z.shiftr w 2 mod 3; Z.shiftr w 4 mod 3].

Definition random_logarithm : Prog (list Z) :=
  v <- word ;; w <- word ;; logarithm (53 + v mod 100) (Z.shiftr w (v mod 64) + 1).

Definition kinds : list (Z * Prog (list Z)) :=
  [(15000, random_ratio); (60000, exponential_digits 1); (20000, normal_digits 1); (2000, random_noise 0);
   (800, random_noise 1); (2000, random_choice 0); (100, random_choice 1); (100, random_logarithm)].

Fixpoint many (n : nat) (p : Prog (list Z)) (digest : Z) (s : source) : option (Z * source) :=
  match n with
  | O => Some (digest, s)
  | S n =>
    match run next p s with
    | Some (r, s) => many n p (fold_left (fun d x => low (d * 31 + x)) (r ++ [taken s]) digest) s
    | None => None
    end
  end.

Fixpoint random_from (kind : Z) (l : list (Z * Prog (list Z))) : list (list Z) :=
  match l with
  | [] => []
  | (n, p) :: l =>
    match many (Z.to_nat n) p 0 {| given := []; state := kind + 1; taken := 0 |} with
    | Some (digest, s) => [counted [kind; n] ++ [kind + 1] ++ counted [] ++ counted [digest] ++ [taken s]]
    | None => []
    end ++ random_from (kind + 1) l
  end.

(** ** The table *)

Definition table : list (string * list (list Z)) :=
  [("ratio", ratios); ("below", comparisons); ("run", runs); ("half", halves); ("exponential", exponentials);
   ("normal", normals); ("scale", scales); ("noise", noises); ("logarithm", logarithms); ("choice", choices);
   ("random", random_from 0 kinds)]%string.
