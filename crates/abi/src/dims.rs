//! `MPI_Dims_create` (MPI 5.0, section 8.5.2): a body of the chapter `topology`.

use crate::decode::bad;
use crate::entry::Call;
use crate::topology::count;
use starling_core::error::{Class, Result};
use std::ffi::c_int;

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn dims_create(
    _call: &Call,
    nnodes: c_int,
    ndims: c_int,
    dims: *mut c_int,
) -> Result<()> {
    if nnodes <= 0 {
        return Err(bad(Class::ARG, format!("nnodes is {nnodes}; it must be at least 1")));
    }
    let n = count(ndims, "ndims").map_err(|e| bad(Class::DIMS, e.text()))?;
    if n == 0 {
        return Ok(());
    }
    crate::decode::require(dims, "dims")?;
    // SAFETY: not null; the standard asks the caller for `ndims` elements.
    complete(nnodes, unsafe { std::slice::from_raw_parts_mut(dims, n) })
}

/// Replaces the zeros of `dims`, so that the product is `nodes`.
fn complete(nodes: c_int, dims: &mut [c_int]) -> Result<()> {
    let mut given = 1i64;
    for (d, size) in dims.iter().enumerate() {
        match size {
            ..0 => {
                let text = format!("the dimension {d} is {size}; it must be 0 (free) or above");
                return Err(bad(Class::DIMS, text));
            }
            0 => {}
            _ => given = given.saturating_mul(i64::from(*size)),
        }
    }
    let free = dims.iter().filter(|size| **size == 0).count();
    let nodes = i64::from(nodes);
    if nodes % given != 0 || (free == 0 && given != nodes) {
        let text = format!(
            "{nodes} processes cannot be divided: the given dimensions {dims:?} multiply to {given}"
        );
        return Err(bad(Class::DIMS, text));
    }
    let factors = balanced(nodes / given, free);
    for (place, factor) in dims.iter_mut().filter(|size| **size == 0).zip(factors) {
        *place = factor as c_int;
    }
    Ok(())
}

/// `n` as a product of `parts` factors in non-increasing order: the largest as small as can be,
/// then the next one, and so on.
fn balanced(n: i64, parts: usize) -> Vec<i64> {
    let mut factors = Vec::with_capacity(parts);
    let divisors = divisors(n);
    let (mut rest, mut limit) = (n, n);
    for left in (1..=parts).rev() {
        let first = divisors
            .iter()
            .copied()
            .find(|d| *d <= limit && rest % d == 0 && fits(rest / d, left - 1, *d, &divisors));
        let factor = first.expect("n itself and ones are a solution");
        factors.push(factor);
        rest /= factor;
        limit = factor;
    }
    factors
}

/// Whether `n` is a product of `parts` factors that are `limit` at most.
fn fits(n: i64, parts: usize, limit: i64, divisors: &[i64]) -> bool {
    if n == 1 {
        return true;
    }
    // Even the largest factors would not do.
    let most = (0..parts).try_fold(1i64, |product, _| match product.saturating_mul(limit) {
        product if product >= n => Err(()),
        product => Ok(product),
    });
    if most.is_ok() {
        return false;
    }
    let large_first = divisors.iter().rev().filter(|d| **d <= limit && n % **d == 0 && **d > 1);
    large_first.into_iter().any(|d| fits(n / d, parts - 1, *d, divisors))
}

/// All divisors, smallest first.
fn divisors(n: i64) -> Vec<i64> {
    let small = (1..).take_while(|d| d * d <= n).filter(|d| n % d == 0);
    let mut all: Vec<i64> = small.flat_map(|d| [d, n / d]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest largest factor, by trying all.
    fn naive(n: i64, parts: usize, limit: i64) -> Option<Vec<i64>> {
        if parts == 0 {
            return (n == 1).then(Vec::new);
        }
        (1..=limit.min(n))
            .filter(|d| n % d == 0)
            .find_map(|d| naive(n / d, parts - 1, d).map(|rest| [vec![d], rest].concat()))
    }

    #[test]
    fn factors_are_as_equal_as_can_be() {
        for n in 1..=200 {
            for parts in 1..=4 {
                assert_eq!(balanced(n, parts), naive(n, parts, n).unwrap(), "{n} in {parts}");
            }
        }
    }

    #[test]
    fn large_numbers_are_quick() {
        assert_eq!(balanced(1 << 30, 3), [1 << 10; 3]);
        assert_eq!(balanced(i64::from(i32::MAX), 2), [i64::from(i32::MAX), 1]);
        // The number below 2^31 with the most divisors, 1536.
        let factors = balanced(2_095_133_040, 6);
        assert_eq!(factors.iter().product::<i64>(), 2_095_133_040);
        assert!(factors[0] <= 2 * factors[5]);
        assert_eq!(balanced(2_095_133_040, 40).iter().product::<i64>(), 2_095_133_040);
    }

    #[test]
    fn given_dimensions_stay() {
        let mut dims = [0, 3, 0];
        complete(6, &mut dims).unwrap();
        assert_eq!(dims, [2, 3, 1]);
        assert_eq!(complete(7, &mut [0, 3, 0]).unwrap_err().class(), Class::DIMS);
        assert_eq!(complete(6, &mut [2, 2]).unwrap_err().class(), Class::DIMS);
        assert_eq!(complete(6, &mut [-1, 0]).unwrap_err().class(), Class::DIMS);
        assert!(complete(6, &mut [3, 2]).is_ok());
    }
}
