; The reducer by tables as a whole, over the integers: if each step is what the proofs on the RTL say,
; the result is x mod Q. For each modulus first that the steps can hold at all (sat), then that
; no x has another result (unsat).
;
;   x   the number; lo its lowest B + 3 bits, g0..g5 its groups, each at its place
;   t*  what the tables give;   s*  the sums;   r  the result
;
; Proved on the RTL (which of its assertions, in brackets):
;   x = lo + g0 + ... + g5      [mod_reduce_lut.sv: the groups are those bits of x; its lowest bits]
;   g = t + k Q                 [ditto: Table + Multiples = place]
;   s' = s + t, no wrap         [ditto: upper = lower + Table; limits]
;   r < Q, r = s - m Q          [mod_settle_props.sv]
; A reducer with fewer groups is this one with zeros.
(set-logic QF_LIA)
(declare-const x Int)
(declare-const r Int)
(declare-const m Int)
(declare-const g0 Int) (declare-const t0 Int) (declare-const k0 Int)
(declare-const g1 Int) (declare-const t1 Int) (declare-const k1 Int)
(declare-const g2 Int) (declare-const t2 Int) (declare-const k2 Int)
(declare-const g3 Int) (declare-const t3 Int) (declare-const k3 Int)
(declare-const g4 Int) (declare-const t4 Int) (declare-const k4 Int)
(declare-const g5 Int) (declare-const t5 Int) (declare-const k5 Int)
(declare-const s0 Int)
(declare-const s1 Int)
(declare-const s2 Int)
(declare-const s3 Int)
(declare-const s4 Int)
(declare-const s5 Int)
(declare-const s6 Int)
; s0 is lo
(assert (= x (+ s0 g0 g1 g2 g3 g4 g5)))
(assert (= s1 (+ s0 t0)))
(assert (= s2 (+ s1 t1)))
(assert (= s3 (+ s2 t2)))
(assert (= s4 (+ s3 t3)))
(assert (= s5 (+ s4 t4)))
(assert (= s6 (+ s5 t5)))

; 257^3, every x of 54 bits
(push 1)
(assert (and (<= 0 s0) (< s0 268435456) (<= 0 x) (< x 18014398509481984)))
(assert (= g0 (+ t0 (* k0 16974593))))
(assert (= g1 (+ t1 (* k1 16974593))))
(assert (= g2 (+ t2 (* k2 16974593))))
(assert (= g3 (+ t3 (* k3 16974593))))
(assert (= g4 (+ t4 (* k4 16974593))))
(assert (= g5 (+ t5 (* k5 16974593))))
(assert (and (<= 0 r) (< r 16974593) (= r (- s6 (* m 16974593)))))
(set-info :status sat)
(check-sat)
(assert (not (= r (mod x 16974593))))
(set-info :status unsat)
(check-sat)
(pop 1)

; the 26-bit prime, every x of 52 bits
(push 1)
(assert (and (<= 0 s0) (< s0 536870912) (<= 0 x) (< x 4503599627370496)))
(assert (= g0 (+ t0 (* k0 67104769))))
(assert (= g1 (+ t1 (* k1 67104769))))
(assert (= g2 (+ t2 (* k2 67104769))))
(assert (= g3 (+ t3 (* k3 67104769))))
(assert (= g4 (+ t4 (* k4 67104769))))
(assert (= g5 (+ t5 (* k5 67104769))))
(assert (and (<= 0 r) (< r 67104769) (= r (- s6 (* m 67104769)))))
(set-info :status sat)
(check-sat)
(assert (not (= r (mod x 67104769))))
(set-info :status unsat)
(check-sat)
(pop 1)

; the 27-bit prime, every x of 54 bits
(push 1)
(assert (and (<= 0 s0) (< s0 1073741824) (<= 0 x) (< x 18014398509481984)))
(assert (= g0 (+ t0 (* k0 134215681))))
(assert (= g1 (+ t1 (* k1 134215681))))
(assert (= g2 (+ t2 (* k2 134215681))))
(assert (= g3 (+ t3 (* k3 134215681))))
(assert (= g4 (+ t4 (* k4 134215681))))
(assert (= g5 (+ t5 (* k5 134215681))))
(assert (and (<= 0 r) (< r 134215681) (= r (- s6 (* m 134215681)))))
(set-info :status sat)
(check-sat)
(assert (not (= r (mod x 134215681))))
(set-info :status unsat)
(check-sat)
(pop 1)
