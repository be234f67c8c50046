//! Between the x87 extended format and IEEE binary128, which external32 asks of `long double`.
//!
//! ```text
//! x87        sign 1 | exponent 15 | integer bit 1 | fraction 63     in the low 10 of 16 bytes
//! binary128  sign 1 | exponent 15 |                 fraction 112
//! ```
//! Both have the same bias, so widening is exact and narrowing rounds to nearest, ties to even.

/// Exponent of infinities and NaNs.
const EXPONENT_MAX: u16 = 0x7fff;
/// The explicit integer bit of the x87 format.
const INTEGER_BIT: u64 = 1 << 63;
/// Fraction bits that binary128 has and x87 has not.
const EXTRA_BITS: u32 = 49;
/// Fraction bits of binary128.
const FRACTION_BITS: u32 = 112;

/// The binary128 with the value of the x87 number in the low 80 bits.
pub(crate) fn from_x87(bits: u128) -> u128 {
    let (sign, exponent) = ((bits >> 79) & 1, (bits >> 64) as u16 & EXPONENT_MAX);
    let significand = bits as u64;
    let fraction = u128::from(significand & !INTEGER_BIT) << EXTRA_BITS;
    let has_integer_bit = significand & INTEGER_BIT != 0;
    let magnitude = match (exponent, has_integer_bit) {
        (0, false) => fraction,
        // A pseudo-denormal has the value of the smallest normal exponent.
        (0, true) => (1 << FRACTION_BITS) | fraction,
        (_, true) => (u128::from(exponent) << FRACTION_BITS) | fraction,
        // No processor since the 80287 takes these for numbers.
        (_, false) => quiet_nan() | fraction,
    };
    (sign << 127) | magnitude
}

/// The x87 number nearest to a binary128, in the low 80 bits.
pub(crate) fn to_x87(bits: u128) -> u128 {
    let sign = (bits >> 127) << 79;
    let exponent = (bits >> FRACTION_BITS) as u16 & EXPONENT_MAX;
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    let short = (fraction >> EXTRA_BITS) as u64;
    if exponent == EXPONENT_MAX {
        let quiet = if fraction == 0 { 0 } else { INTEGER_BIT >> 1 };
        return sign | pack_x87(exponent, INTEGER_BIT | quiet | short);
    }
    let rest = fraction & ((1 << EXTRA_BITS) - 1);
    let half = 1u128 << (EXTRA_BITS - 1);
    let up = rest > half || (rest == half && short & 1 == 1);
    let significand = if exponent == 0 { short } else { INTEGER_BIT | short };
    let (rounded, carried) = significand.overflowing_add(u64::from(up));
    if carried {
        return sign | pack_x87(exponent + 1, INTEGER_BIT);
    }
    // Rounding may turn the largest denormal into the smallest normal number.
    let exponent = if exponent == 0 && rounded & INTEGER_BIT != 0 { 1 } else { exponent };
    sign | pack_x87(exponent, rounded)
}

fn quiet_nan() -> u128 {
    (u128::from(EXPONENT_MAX) << FRACTION_BITS) | (1 << (FRACTION_BITS - 1))
}

fn pack_x87(exponent: u16, significand: u64) -> u128 {
    (u128::from(exponent) << 64) | u128::from(significand)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x87(sign: u128, exponent: u16, significand: u64) -> u128 {
        (sign << 79) | pack_x87(exponent, significand)
    }

    #[test]
    fn known_values() {
        let one = 0x3fffu128 << 112;
        assert_eq!(from_x87(x87(0, 0x3fff, INTEGER_BIT)), one);
        assert_eq!(from_x87(x87(1, 0x4000, INTEGER_BIT | INTEGER_BIT >> 1)), {
            (1 << 127) | (0x4000 << 112) | (1 << 111) // -3
        });
        assert_eq!(from_x87(x87(0, 0x7fff, INTEGER_BIT)), 0x7fff << 112);
        assert_eq!(from_x87(0), 0);
        // The smallest x87 denormal, 2^-16445.
        assert_eq!(from_x87(1), 1 << 49);
    }

    #[test]
    fn widening_and_narrowing_returns_the_number() {
        let mut state = 1u64;
        for _ in 0..10_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let exponent = (state >> 20) as u16 % EXPONENT_MAX;
            let integer = if exponent == 0 { 0 } else { INTEGER_BIT };
            let significand = (state.rotate_left(17) & !INTEGER_BIT) | integer;
            let number = x87(u128::from(state & 1), exponent, significand);
            assert_eq!(to_x87(from_x87(number)), number);
        }
    }

    #[test]
    fn narrowing_rounds_to_nearest_even() {
        let one = 0x3fffu128 << 112;
        let half = 1u128 << 48;
        assert_eq!(to_x87(one | half), x87(0, 0x3fff, INTEGER_BIT));
        assert_eq!(to_x87(one | (half + 1)), x87(0, 0x3fff, INTEGER_BIT | 1));
        assert_eq!(to_x87(one | (3 * half)), x87(0, 0x3fff, INTEGER_BIT | 2));
        let below_two = one | ((1 << 112) - 1);
        assert_eq!(to_x87(below_two), x87(0, 0x4000, INTEGER_BIT));
        let largest = (0x7ffeu128 << 112) | ((1 << 112) - 1);
        assert_eq!(to_x87(largest), x87(0, 0x7fff, INTEGER_BIT));
        assert_eq!(to_x87((1 << 112) - 1), x87(0, 1, INTEGER_BIT));
    }

    #[test]
    fn nan_stays_nan() {
        let nan = (0x7fffu128 << 112) | 1;
        let short = to_x87(nan);
        assert_eq!(short >> 64, 0x7fff);
        assert_ne!(short as u64 & !INTEGER_BIT, 0);
        assert_ne!(from_x87(short) & ((1 << 112) - 1), 0);
        assert_eq!(from_x87(x87(0, 5, 77)) >> 112, 0x7fff);
    }
}
