;; Sums over vectors of float64, four or eight at a time, each lane in its own order, so that they are vectors.ts's to the
;; last bit. wabt makes vectors.ts's bytes of it (test/unit/numeric/vectors.test.ts).
(module
  (memory (export "memory") 1)

  ;; x + weight·along, written over x; the result is its product with other.
  (func (export "move")
    (param $n i32) (param $weight f64) (param $x i32) (param $along i32) (param $other i32) (result f64)
    (local $end i32) (local $last i32) (local $first f64) (local $value f64)
    (local $w v128) (local $a v128) (local $b v128) (local $s v128) (local $t v128)
    (local.set $w (f64x2.splat (local.get $weight)))
    (local.set $end (i32.add (local.get $x) (i32.shl (i32.and (local.get $n) (i32.const -4)) (i32.const 3))))
    (local.set $last (i32.add (local.get $x) (i32.shl (local.get $n) (i32.const 3))))
    (block $none
      (br_if $none (i32.ge_u (local.get $x) (local.get $end)))
      (loop $four
        (local.set $a (f64x2.add (v128.load (local.get $x))
          (f64x2.mul (local.get $w) (v128.load (local.get $along)))))
        (local.set $b (f64x2.add (v128.load offset=16 (local.get $x))
          (f64x2.mul (local.get $w) (v128.load offset=16 (local.get $along)))))
        (v128.store (local.get $x) (local.get $a))
        (v128.store offset=16 (local.get $x) (local.get $b))
        (local.set $s (f64x2.add (local.get $s) (f64x2.mul (local.get $a) (v128.load (local.get $other)))))
        (local.set $t (f64x2.add (local.get $t) (f64x2.mul (local.get $b) (v128.load offset=16 (local.get $other)))))
        (local.set $along (i32.add (local.get $along) (i32.const 32)))
        (local.set $other (i32.add (local.get $other) (i32.const 32)))
        (br_if $four (i32.lt_u
          (local.tee $x (i32.add (local.get $x) (i32.const 32)))
          (local.get $end)))))
    (local.set $first (f64x2.extract_lane 0 (local.get $s)))
    (block $whole
      (loop $rest
        (br_if $whole (i32.ge_u (local.get $x) (local.get $last)))
        (local.set $value (f64.add (f64.load (local.get $x))
          (f64.mul (local.get $weight) (f64.load (local.get $along)))))
        (f64.store (local.get $x) (local.get $value))
        (local.set $first (f64.add (local.get $first) (f64.mul (local.get $value) (f64.load (local.get $other)))))
        (local.set $x (i32.add (local.get $x) (i32.const 8)))
        (local.set $along (i32.add (local.get $along) (i32.const 8)))
        (local.set $other (i32.add (local.get $other) (i32.const 8)))
        (br $rest)))
    (f64.add
      (f64.add (local.get $first) (f64x2.extract_lane 1 (local.get $s)))
      (f64.add (f64x2.extract_lane 0 (local.get $t)) (f64x2.extract_lane 1 (local.get $t)))))

  ;; out = rows·z; the rows' width is a multiple of 8 that is above 0.
  (func (export "products")
    (param $count i32) (param $width i32) (param $rows i32) (param $z i32) (param $out i32)
    (local $end i32) (local $last i32) (local $k i32)
    (local $s v128) (local $t v128) (local $u v128) (local $v v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 3))))
    (local.set $last (i32.add (local.get $z) (i32.shl (local.get $width) (i32.const 3))))
    (loop $row
      (local.set $s (v128.const f64x2 0 0))
      (local.set $t (v128.const f64x2 0 0))
      (local.set $u (v128.const f64x2 0 0))
      (local.set $v (v128.const f64x2 0 0))
      (local.set $k (local.get $z))
      (loop $eight
        (local.set $s (f64x2.add (local.get $s) (f64x2.mul
          (v128.load (local.get $rows))
          (v128.load (local.get $k)))))
        (local.set $t (f64x2.add (local.get $t) (f64x2.mul
          (v128.load offset=16 (local.get $rows))
          (v128.load offset=16 (local.get $k)))))
        (local.set $u (f64x2.add (local.get $u) (f64x2.mul
          (v128.load offset=32 (local.get $rows))
          (v128.load offset=32 (local.get $k)))))
        (local.set $v (f64x2.add (local.get $v) (f64x2.mul
          (v128.load offset=48 (local.get $rows))
          (v128.load offset=48 (local.get $k)))))
        (local.set $rows (i32.add (local.get $rows) (i32.const 64)))
        (br_if $eight (i32.lt_u
          (local.tee $k (i32.add (local.get $k) (i32.const 64)))
          (local.get $last))))
      (local.set $s (f64x2.add
        (f64x2.add (local.get $s) (local.get $t))
        (f64x2.add (local.get $u) (local.get $v))))
      (f64.store (local.get $out)
        (f64.add (f64x2.extract_lane 0 (local.get $s)) (f64x2.extract_lane 1 (local.get $s))))
      (br_if $row (i32.lt_u
        (local.tee $out (i32.add (local.get $out) (i32.const 8)))
        (local.get $end))))))
