;; Products of four rows of numbers with four: every sum adds its products one after the other, as JavaScript would.
;; wabt makes tile-products.ts's bytes of it (test/unit/features/audit/fit/tile-products.test.ts).
(module
  ;; From byte 0 on: the 16 products, at 4·row + column.
  (memory (export "memory") 1)
  (func (export "products")
    (param $a i32) ;; where four rows begin, float64: the first number of each, then the second …
    (param $b i32) ;; where the other four begin
    (param $end i32) ;; where the first four end
    (local $x v128) (local $left v128) (local $right v128)
    (local $s0 v128) (local $t0 v128) (local $s1 v128) (local $t1 v128)
    (local $s2 v128) (local $t2 v128) (local $s3 v128) (local $t3 v128)
    (loop $next
      (local.set $left (v128.load (local.get $b)))
      (local.set $right (v128.load offset=16 (local.get $b)))
      (local.set $x (v128.load64_splat (local.get $a)))
      (local.set $s0 (f64x2.add (local.get $s0) (f64x2.mul (local.get $x) (local.get $left))))
      (local.set $t0 (f64x2.add (local.get $t0) (f64x2.mul (local.get $x) (local.get $right))))
      (local.set $x (v128.load64_splat offset=8 (local.get $a)))
      (local.set $s1 (f64x2.add (local.get $s1) (f64x2.mul (local.get $x) (local.get $left))))
      (local.set $t1 (f64x2.add (local.get $t1) (f64x2.mul (local.get $x) (local.get $right))))
      (local.set $x (v128.load64_splat offset=16 (local.get $a)))
      (local.set $s2 (f64x2.add (local.get $s2) (f64x2.mul (local.get $x) (local.get $left))))
      (local.set $t2 (f64x2.add (local.get $t2) (f64x2.mul (local.get $x) (local.get $right))))
      (local.set $x (v128.load64_splat offset=24 (local.get $a)))
      (local.set $s3 (f64x2.add (local.get $s3) (f64x2.mul (local.get $x) (local.get $left))))
      (local.set $t3 (f64x2.add (local.get $t3) (f64x2.mul (local.get $x) (local.get $right))))
      (local.set $b (i32.add (local.get $b) (i32.const 32)))
      (br_if $next (i32.lt_u (local.tee $a (i32.add (local.get $a) (i32.const 32))) (local.get $end))))
    (v128.store (i32.const 0) (local.get $s0))
    (v128.store (i32.const 16) (local.get $t0))
    (v128.store (i32.const 32) (local.get $s1))
    (v128.store (i32.const 48) (local.get $t1))
    (v128.store (i32.const 64) (local.get $s2))
    (v128.store (i32.const 80) (local.get $t2))
    (v128.store (i32.const 96) (local.get $s3))
    (v128.store (i32.const 112) (local.get $t3))))
