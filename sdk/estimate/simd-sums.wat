;; Σ w·p and Σ w·p(1−p) over a bank's items at θ, p = 1/(1 + e⁻ᶻ), z = Σ a·θ − b: four items a turn, in two pairs. Every
;; operation is that of `itemLogits`, `sigmoids` and `expectedScore`, in their order, but for z's sign, so that the sums are
;; the same to the last bit. wabt makes simd-sums.ts's bytes of it (test/unit/workers/simd-sums.test.ts).
(module
  ;; From byte 0 on: Σ w·p, Σ w·p(1−p); from 64 on e^(j·ln2/2048).
  (memory (export "memory") 1)
  (func (export "sums")
    (param $count i32) ;; items, a multiple of 4
    (param $dims i32)
    (param $theta i32) ;; where θ begins, float64
    (param $at i32) ;; where the items' parameters begin, float32: of four items b, then a of each dimension
    (param $w i32) ;; where w begins, float64
    (local $d i32) (local $to i32) (local $end i32)
    (local $t v128) (local $score f64) (local $spread f64)
    (local $x v128) (local $n v128) (local $r v128) (local $e v128)
    (local $x2 v128) (local $n2 v128) (local $r2 v128) (local $e2 v128)
    (local.set $to (i32.add (local.get $theta) (i32.shl (local.get $dims) (i32.const 3))))
    (local.set $end (i32.add (local.get $w) (i32.shl (local.get $count) (i32.const 3))))
    (loop $items
      ;; x = b − Σ a·θ = −z, which the caller knows to be in the exponential's range
      (local.set $x (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $at))))
      (local.set $x2 (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $at))))
      (local.set $d (local.get $theta))
      (loop $dimensions
        (local.set $t (v128.load64_splat (local.get $d)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (local.set $x (f64x2.sub (local.get $x) (f64x2.mul
          (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $at)))
          (local.get $t))))
        (local.set $x2 (f64x2.sub (local.get $x2) (f64x2.mul
          (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $at)))
          (local.get $t))))
        (br_if $dimensions (i32.lt_u
          (local.tee $d (i32.add (local.get $d) (i32.const 8)))
          (local.get $to))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      ;; n = x·2048/ln2 rounded, in the low bits of n + 1.5·2⁵²
      (local.set $n (f64x2.add
        (f64x2.mul (local.get $x) (v128.const f64x2 2954.639443740597 2954.639443740597))
        (v128.const f64x2 6755399441055744 6755399441055744)))
      (local.set $n2 (f64x2.add
        (f64x2.mul (local.get $x2) (v128.const f64x2 2954.639443740597 2954.639443740597))
        (v128.const f64x2 6755399441055744 6755399441055744)))
      ;; r = x − n·ln2/2048, ln 2 in two parts
      (local.set $r (f64x2.sub (local.get $n) (v128.const f64x2 6755399441055744 6755399441055744)))
      (local.set $r2 (f64x2.sub (local.get $n2) (v128.const f64x2 6755399441055744 6755399441055744)))
      (local.set $r (f64x2.sub
        (f64x2.sub (local.get $x)
          (f64x2.mul (local.get $r) (v128.const f64x2 0x1.62e42feep-12 0x1.62e42feep-12)))
        (f64x2.mul (local.get $r) (v128.const f64x2 0x1.a39ef35793c76p-44 0x1.a39ef35793c76p-44))))
      (local.set $r2 (f64x2.sub
        (f64x2.sub (local.get $x2)
          (f64x2.mul (local.get $r2) (v128.const f64x2 0x1.62e42feep-12 0x1.62e42feep-12)))
        (f64x2.mul (local.get $r2) (v128.const f64x2 0x1.a39ef35793c76p-44 0x1.a39ef35793c76p-44))))
      ;; e = e^(j·ln2/2048), j the last 11 bits of n
      (local.set $e (v128.load64_lane offset=64 1
        (i32.shl (i32.and (i32x4.extract_lane 2 (local.get $n)) (i32.const 2047)) (i32.const 3))
        (v128.load64_zero offset=64
          (i32.shl (i32.and (i32x4.extract_lane 0 (local.get $n)) (i32.const 2047)) (i32.const 3)))))
      (local.set $e2 (v128.load64_lane offset=64 1
        (i32.shl (i32.and (i32x4.extract_lane 2 (local.get $n2)) (i32.const 2047)) (i32.const 3))
        (v128.load64_zero offset=64
          (i32.shl (i32.and (i32x4.extract_lane 0 (local.get $n2)) (i32.const 2047)) (i32.const 3)))))
      ;; e = e + e·(r + r²·(1/2 + r/6))
      (local.set $e (f64x2.add (local.get $e) (f64x2.mul (local.get $e) (f64x2.add (local.get $r)
        (f64x2.mul (f64x2.mul (local.get $r) (local.get $r)) (f64x2.add (v128.const f64x2 0.5 0.5)
          (f64x2.mul (local.get $r) (v128.const f64x2 0x1.5555555555555p-3 0x1.5555555555555p-3))))))))
      (local.set $e2 (f64x2.add (local.get $e2) (f64x2.mul (local.get $e2) (f64x2.add (local.get $r2)
        (f64x2.mul (f64x2.mul (local.get $r2) (local.get $r2)) (f64x2.add (v128.const f64x2 0.5 0.5)
          (f64x2.mul (local.get $r2) (v128.const f64x2 0x1.5555555555555p-3 0x1.5555555555555p-3))))))))
      ;; e·2^k, the rest of n added to the exponent
      (local.set $e (i64x2.add (local.get $e) (i64x2.shl (i64x2.shr_u (local.get $n) (i32.const 11)) (i32.const 52))))
      (local.set $e2 (i64x2.add (local.get $e2) (i64x2.shl (i64x2.shr_u (local.get $n2) (i32.const 11)) (i32.const 52))))
      ;; x = p
      (local.set $x (f64x2.div (v128.const f64x2 1 1) (f64x2.add (v128.const f64x2 1 1) (local.get $e))))
      (local.set $x2 (f64x2.div (v128.const f64x2 1 1) (f64x2.add (v128.const f64x2 1 1) (local.get $e2))))
      ;; e = w·p, r = w·p·(1 − p), one after the other into the sums
      (local.set $e (f64x2.mul (v128.load (local.get $w)) (local.get $x)))
      (local.set $e2 (f64x2.mul (v128.load offset=16 (local.get $w)) (local.get $x2)))
      (local.set $r (f64x2.mul (local.get $e) (f64x2.sub (v128.const f64x2 1 1) (local.get $x))))
      (local.set $r2 (f64x2.mul (local.get $e2) (f64x2.sub (v128.const f64x2 1 1) (local.get $x2))))
      (local.set $score (f64.add (f64.add (f64.add (f64.add (local.get $score)
        (f64x2.extract_lane 0 (local.get $e))) (f64x2.extract_lane 1 (local.get $e)))
        (f64x2.extract_lane 0 (local.get $e2))) (f64x2.extract_lane 1 (local.get $e2))))
      (local.set $spread (f64.add (f64.add (f64.add (f64.add (local.get $spread)
        (f64x2.extract_lane 0 (local.get $r))) (f64x2.extract_lane 1 (local.get $r)))
        (f64x2.extract_lane 0 (local.get $r2))) (f64x2.extract_lane 1 (local.get $r2))))
      (br_if $items (i32.lt_u
        (local.tee $w (i32.add (local.get $w) (i32.const 32)))
        (local.get $end))))
    (f64.store (i32.const 0) (local.get $score))
    (f64.store (i32.const 8) (local.get $spread))))
