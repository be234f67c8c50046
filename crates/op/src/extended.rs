//! The C `long double`: x87 arithmetic on x86-64, binary128 elsewhere.
//!
//! On x86-64 an element has 16 bytes, of which the low 10 are the number and the others padding
//! that stays as it is. One instruction sequence per element; the x87 unit has no vectors.

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use portable::{complex_product, product, sum, Extended};
#[cfg(target_arch = "x86_64")]
pub(crate) use x87::{complex_product, product, sum, Extended};

#[cfg(target_arch = "x86_64")]
mod x87 {
    use std::arch::asm;
    use std::cmp::Ordering;

    /// Bytes of one element.
    const SIZE: usize = 16;
    /// Sign, exponent and significand.
    const NUMBER: u128 = (1 << 80) - 1;
    const SIGN: u128 = 1 << 79;
    const INFINITY: u128 = (0x7fff << 64) | (1 << 63);

    /// An x87 number with its padding, for comparisons.
    #[derive(Clone, Copy)]
    #[repr(transparent)]
    pub(crate) struct Extended(u128);

    impl Extended {
        fn is_nan(self) -> bool {
            self.0 & NUMBER & !SIGN > INFINITY
        }

        /// The number as an integer in the same order; both zeros are equal.
        fn signed_magnitude(self) -> i128 {
            let magnitude = (self.0 & NUMBER & !SIGN) as i128;
            if self.0 & SIGN == 0 {
                magnitude
            } else {
                -magnitude
            }
        }
    }

    impl PartialEq for Extended {
        fn eq(&self, other: &Extended) -> bool {
            self.partial_cmp(other) == Some(Ordering::Equal)
        }
    }

    impl PartialOrd for Extended {
        fn partial_cmp(&self, other: &Extended) -> Option<Ordering> {
            if self.is_nan() || other.is_nan() {
                return None;
            }
            Some(self.signed_magnitude().cmp(&other.signed_magnitude()))
        }
    }

    /// Runs instructions on the x87 stack, which is empty before and after.
    macro_rules! x87 {
        ($($code:literal)* ; $($register:tt)*) => {
            asm!(
                $($code,)*
                $($register)*,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            )
        };
    }

    /// Sums of `PARTS` numbers per element.
    ///
    /// # Safety
    /// As for [`crate::Kernel`].
    pub(crate) unsafe fn sum<const PARTS: usize>(input: *const u8, inout: *mut u8, n: usize) {
        for i in 0..n * PARTS {
            let (a, b) = (input.wrapping_add(i * SIZE), inout.wrapping_add(i * SIZE));
            // SAFETY: reads and writes 10 bytes of an element that the caller promised.
            unsafe {
                x87! {
                    "fld tbyte ptr [{a}]"
                    "fld tbyte ptr [{b}]"
                    "faddp st(1), st"
                    "fstp tbyte ptr [{b}]"
                    ; a = in(reg) a, b = in(reg) b
                }
            }
        }
    }

    /// # Safety
    /// As for [`crate::Kernel`].
    pub(crate) unsafe fn product(input: *const u8, inout: *mut u8, n: usize) {
        for i in 0..n {
            let (a, b) = (input.wrapping_add(i * SIZE), inout.wrapping_add(i * SIZE));
            // SAFETY: reads and writes 10 bytes of an element that the caller promised.
            unsafe {
                x87! {
                    "fld tbyte ptr [{a}]"
                    "fld tbyte ptr [{b}]"
                    "fmulp st(1), st"
                    "fstp tbyte ptr [{b}]"
                    ; a = in(reg) a, b = in(reg) b
                }
            }
        }
    }

    /// # Safety
    /// As for [`crate::Kernel`], with elements of two numbers.
    pub(crate) unsafe fn complex_product(input: *const u8, inout: *mut u8, n: usize) {
        for i in 0..n {
            let (a, b) = (input.wrapping_add(i * 2 * SIZE), inout.wrapping_add(i * 2 * SIZE));
            // SAFETY: reads and writes the two numbers of an element that the caller promised.
            unsafe {
                x87! {
                    "fld tbyte ptr [{a}]"
                    "fld tbyte ptr [{b}]"
                    "fmulp st(1), st"
                    "fld tbyte ptr [{a} + 16]"
                    "fld tbyte ptr [{b} + 16]"
                    "fmulp st(1), st"
                    "fsubp st(1), st"
                    "fld tbyte ptr [{a}]"
                    "fld tbyte ptr [{b} + 16]"
                    "fmulp st(1), st"
                    "fld tbyte ptr [{a} + 16]"
                    "fld tbyte ptr [{b}]"
                    "fmulp st(1), st"
                    "faddp st(1), st"
                    "fstp tbyte ptr [{b} + 16]"
                    "fstp tbyte ptr [{b}]"
                    ; a = in(reg) a, b = in(reg) b
                }
            }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod portable {
    use starling_datatype::Repr;

    pub(crate) use crate::binary128::Binary128 as Extended;

    /// Sums of `PARTS` numbers per element.
    ///
    /// # Safety
    /// As for [`crate::Kernel`].
    pub(crate) unsafe fn sum<const PARTS: usize>(input: *const u8, inout: *mut u8, n: usize) {
        if let Some(kernel) = crate::arithmetic::sum(Repr::F128) {
            // SAFETY: the caller's promise is passed on, with each part an element.
            unsafe { kernel(input, inout, n * PARTS) }
        }
    }

    /// # Safety
    /// As for [`crate::Kernel`].
    pub(crate) unsafe fn product(input: *const u8, inout: *mut u8, n: usize) {
        if let Some(kernel) = crate::arithmetic::product(Repr::F128) {
            // SAFETY: the caller's promise is passed on.
            unsafe { kernel(input, inout, n) }
        }
    }

    /// # Safety
    /// As for [`crate::Kernel`], with elements of two numbers.
    pub(crate) unsafe fn complex_product(input: *const u8, inout: *mut u8, n: usize) {
        if let Some(kernel) = crate::arithmetic::product(Repr::ComplexF128) {
            // SAFETY: the caller's promise is passed on.
            unsafe { kernel(input, inout, n) }
        }
    }
}
