//! IEEE binary128 in software: what `MPI_REAL16`, `MPI_COMPLEX32` and, where it has this format,
//! `MPI_LONG_DOUBLE` need.
//!
//! ```text
//! sign 1 | exponent 15 (bias 16383) | fraction 112
//! ```
//! Sums and products are rounded once, to nearest, ties to even. While a number is being worked
//! on its significand has three more bits behind the fraction: two rounding bits and one that is
//! set if anything non-zero was shifted out (sticky).

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

const FRACTION_BITS: u32 = 112;
const FRACTION: u128 = (1 << FRACTION_BITS) - 1;
const SIGN: u128 = 1 << 127;
const EXPONENT_MAX: i32 = 0x7fff;
const BIAS: i32 = 16383;
const INFINITY: u128 = (EXPONENT_MAX as u128) << FRACTION_BITS;
const NAN: u128 = INFINITY | (1 << (FRACTION_BITS - 1));
/// Extra bits of a significand that is being worked on.
const EXTRA_BITS: u32 = 3;
/// The leading bit of a normal number, with the extra bits behind the fraction.
const LEADING: u128 = 1 << (FRACTION_BITS + EXTRA_BITS);

/// A binary128 number, by its bits.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Binary128(pub u128);

impl Binary128 {
    fn is_nan(self) -> bool {
        self.0 & !SIGN > INFINITY
    }

    fn is_infinite(self) -> bool {
        self.0 & !SIGN == INFINITY
    }

    fn is_zero(self) -> bool {
        self.0 & !SIGN == 0
    }

    fn quieted(self) -> Binary128 {
        Binary128(self.0 | NAN)
    }

    /// Exponent (1 for denormals, which have the same scale) and significand with extra bits.
    fn scaled(self) -> (i32, u128) {
        let exponent = (self.0 >> FRACTION_BITS) as i32 & EXPONENT_MAX;
        let fraction = (self.0 & FRACTION) << EXTRA_BITS;
        if exponent == 0 {
            (1, fraction)
        } else {
            (exponent, fraction | LEADING)
        }
    }
}

/// `value >> by`, with the last bit set if any bit was lost.
fn shift_sticky(value: u128, by: u32) -> u128 {
    match by {
        0 => value,
        1..=127 => (value >> by) | u128::from(value << (128 - by) != 0),
        _ => u128::from(value != 0),
    }
}

/// Rounds a significand whose leading bit is at `LEADING` or below (for denormals, with exponent 1)
/// and puts the number together.
fn rounded(sign: u128, exponent: i32, significand: u128) -> Binary128 {
    let (extra, fraction) = (significand & 7, significand >> EXTRA_BITS);
    let up = extra > 4 || (extra == 4 && fraction & 1 == 1);
    // A denormal has no leading bit, so its exponent field is one less. A carry out of the fraction
    // moves into the exponent, which is just right, up to infinity.
    let field = (exponent - 1) as u128;
    let bits = (field << FRACTION_BITS) + fraction + u128::from(up);
    Binary128(sign | bits.min(INFINITY))
}

impl Add for Binary128 {
    type Output = Binary128;

    fn add(self, other: Binary128) -> Binary128 {
        if self.is_nan() || other.is_nan() {
            return if self.is_nan() { self.quieted() } else { other.quieted() };
        }
        if self.is_infinite() || other.is_infinite() {
            return match (self.is_infinite(), other.is_infinite()) {
                (true, true) if self.0 != other.0 => Binary128(NAN),
                (true, _) => self,
                _ => other,
            };
        }
        // The one with the larger magnitude first: it decides the sign.
        let swap = (self.0 & !SIGN) < (other.0 & !SIGN);
        let (a, b) = if swap { (other, self) } else { (self, other) };
        let sign = a.0 & SIGN;
        let ((mut exponent, big), (low, small)) = (a.scaled(), b.scaled());
        let small = shift_sticky(small, (exponent - low) as u32);
        if sign == b.0 & SIGN {
            let mut sum = big + small;
            if sum >= LEADING << 1 {
                (sum, exponent) = (shift_sticky(sum, 1), exponent + 1);
            }
            return finite_or_infinite(sign, exponent, sum);
        }
        let difference = big - small;
        if difference == 0 {
            return Binary128(0);
        }
        let room = difference.leading_zeros() - LEADING.leading_zeros();
        let shift = room.min((exponent - 1) as u32);
        rounded(sign, exponent - shift as i32, difference << shift)
    }
}

fn finite_or_infinite(sign: u128, exponent: i32, significand: u128) -> Binary128 {
    if exponent >= EXPONENT_MAX {
        Binary128(sign | INFINITY)
    } else {
        rounded(sign, exponent, significand)
    }
}

impl Sub for Binary128 {
    type Output = Binary128;

    fn sub(self, other: Binary128) -> Binary128 {
        let negative = if other.is_nan() { other } else { Binary128(other.0 ^ SIGN) };
        self + negative
    }
}

/// The 256-bit product, high and low half.
fn wide_product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let ((a1, a0), (b1, b0)) = ((a >> 64, a & LOW), (b >> 64, b & LOW));
    let (low, mid1, mid2, high) = (a0 * b0, a0 * b1, a1 * b0, a1 * b1);
    let mid = (low >> 64) + (mid1 & LOW) + (mid2 & LOW);
    (high + (mid1 >> 64) + (mid2 >> 64) + (mid >> 64), (mid << 64) | (low & LOW))
}

impl Mul for Binary128 {
    type Output = Binary128;

    fn mul(self, other: Binary128) -> Binary128 {
        if self.is_nan() || other.is_nan() {
            return if self.is_nan() { self.quieted() } else { other.quieted() };
        }
        let sign = (self.0 ^ other.0) & SIGN;
        if self.is_infinite() || other.is_infinite() {
            let undefined = self.is_zero() || other.is_zero();
            return Binary128(if undefined { NAN } else { sign | INFINITY });
        }
        if self.is_zero() || other.is_zero() {
            return Binary128(sign);
        }
        let normal = |number: Binary128| {
            let (exponent, significand) = number.scaled();
            let shift = significand.leading_zeros() - LEADING.leading_zeros();
            (exponent - shift as i32, significand << shift >> EXTRA_BITS)
        };
        let ((ea, sa), (eb, sb)) = (normal(self), normal(other));
        // Two significands of 113 bits give 225 or 226 bits. 256 - 226 = 30 bits to the left, and
        // the high half holds the leading 128; then down to 113 and the extra ones.
        let (high, low) = wide_product(sa, sb);
        let top = (high << 30) | (low >> 98);
        let mut significand = top | u128::from(low << 30 != 0);
        let mut exponent = ea + eb - BIAS + 1;
        if significand >> 127 == 0 {
            (significand, exponent) = (significand << 1, exponent - 1);
        }
        let significand = shift_sticky(significand, 12);
        if exponent < 1 {
            return rounded(sign, 1, shift_sticky(significand, (1 - exponent) as u32));
        }
        finite_or_infinite(sign, exponent, significand)
    }
}

impl PartialEq for Binary128 {
    fn eq(&self, other: &Binary128) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Binary128 {
    fn partial_cmp(&self, other: &Binary128) -> Option<Ordering> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        Some(signed_magnitude(self.0).cmp(&signed_magnitude(other.0)))
    }
}

/// The bits as an integer in the same order; both zeros are equal.
fn signed_magnitude(bits: u128) -> i128 {
    let magnitude = (bits & !SIGN) as i128;
    if bits & SIGN == 0 {
        magnitude
    } else {
        -magnitude
    }
}

#[cfg(all(test, target_arch = "x86_64", target_os = "linux"))]
mod tests {
    use super::*;
    use std::arch::asm;
    use std::arch::x86_64::__m128i;

    // The compiler's run-time library has the same operations for `__float128`, which travels in
    // vector registers; Rust cannot say that in a declaration.
    extern "C" {
        fn __addtf3();
        fn __multf3();
        fn __lttf2();
    }

    fn call(function: unsafe extern "C" fn(), a: Binary128, b: Binary128) -> (Binary128, i32) {
        let status: u64;
        // SAFETY: both are 16 bytes without invalid values.
        let (mut x, y): (__m128i, __m128i) = unsafe { std::mem::transmute((a.0, b.0)) };
        // SAFETY: the function takes its arguments in these registers, returns its result in the
        // first one or in rax, is pure, and follows the C calling convention otherwise.
        unsafe {
            asm!(
                "call {f}",
                f = in(reg) function,
                inout("xmm0") x,
                in("xmm1") y,
                out("rax") status,
                clobber_abi("C"),
            );
        }
        // SAFETY: both are 16 bytes without invalid values.
        (Binary128(unsafe { std::mem::transmute::<__m128i, u128>(x) }), status as i32)
    }

    fn same(a: Binary128, b: Binary128) -> bool {
        a.0 == b.0 || (a.is_nan() && b.is_nan())
    }

    fn check(a: Binary128, b: Binary128) {
        let (sum, product) = (call(__addtf3, a, b).0, call(__multf3, a, b).0);
        let less = call(__lttf2, a, b).1 < 0;
        assert!(same(a + b, sum), "{a:x?} + {b:x?}: {:x?}, expected {sum:x?}", a + b);
        assert!(same(a * b, product), "{a:x?} * {b:x?}: {:x?}, expected {product:x?}", a * b);
        assert_eq!(a < b, less, "{a:x?} < {b:x?}");
    }

    #[test]
    fn agrees_with_the_run_time_library() {
        let mut state = 0x1234_5678_9abc_def0u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let special = [0, 1, FRACTION, 1 << 112, INFINITY - 1, INFINITY, NAN, 0x3fff << 112];
        for a in special {
            for b in special {
                check(Binary128(a), Binary128(b));
                check(Binary128(a | SIGN), Binary128(b));
                check(Binary128(a), Binary128(b | SIGN));
            }
        }
        for i in 0..200_000u32 {
            let mut draw = || (u128::from(random()) << 64) | u128::from(random());
            let (a, mut b) = (draw(), draw());
            // Often exponents close to each other, few bits, or products near the denormals.
            match i % 5 {
                0 => b = (a & !FRACTION) ^ (b & FRACTION) ^ (b & SIGN),
                1 => b = a ^ SIGN ^ (b & 0xff) ^ (u128::from(i % 3) << 112),
                2 => b = (b & FRACTION) | (0x3fffu128.wrapping_sub((a >> 112) & 0x3fff) << 112),
                3 => b &= !((1 << 60) - 1),
                _ => {}
            }
            check(Binary128(a), Binary128(b));
        }
    }
}
