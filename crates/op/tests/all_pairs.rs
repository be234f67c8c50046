//! Every operation on every predefined type against a naive model, on unaligned buffers of odd
//! lengths with guard bytes around them.
//!
//! The model decodes an element into a [`Number`], computes, and rounds to what the type can hold.
//! The formats that Rust has no type for get small whole numbers, which they hold exactly.

use half::f16;
use starling_datatype::{Basic, Repr};
use starling_op::{kernel, pair_kernel, Op};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Int(i128),
    Unsigned(u128),
    Real(f64),
    Complex(f64, f64),
}
use Number::{Complex, Int, Real, Unsigned};

/// Names of the types that section 6.9.2 lists for each group.
// MPI_CHAR is not in the standard's group; see `Op::accepts`.
const C_INTEGER: &str =
    "MPI_CHAR MPI_INT MPI_LONG MPI_SHORT MPI_UNSIGNED_SHORT MPI_UNSIGNED MPI_LONG_LONG \
    MPI_UNSIGNED_LONG MPI_UNSIGNED_LONG_LONG MPI_SIGNED_CHAR MPI_UNSIGNED_CHAR MPI_INT8_T \
    MPI_INT16_T MPI_INT32_T MPI_INT64_T MPI_UINT8_T MPI_UINT16_T MPI_UINT32_T MPI_UINT64_T";
const FORTRAN_INTEGER: &str =
    "MPI_INTEGER MPI_INTEGER1 MPI_INTEGER2 MPI_INTEGER4 MPI_INTEGER8 MPI_INTEGER16";
const FLOATING_POINT: &str = "MPI_FLOAT MPI_DOUBLE MPI_REAL MPI_DOUBLE_PRECISION MPI_LONG_DOUBLE \
    MPI_REAL2 MPI_REAL4 MPI_REAL8 MPI_REAL16";
const LOGICAL: &str = "MPI_LOGICAL MPI_C_BOOL MPI_CXX_BOOL MPI_LOGICAL1 MPI_LOGICAL2 MPI_LOGICAL4 \
    MPI_LOGICAL8 MPI_LOGICAL16";
const COMPLEX: &str = "MPI_COMPLEX MPI_C_FLOAT_COMPLEX MPI_C_DOUBLE_COMPLEX \
    MPI_C_LONG_DOUBLE_COMPLEX MPI_CXX_FLOAT_COMPLEX MPI_CXX_DOUBLE_COMPLEX \
    MPI_CXX_LONG_DOUBLE_COMPLEX MPI_DOUBLE_COMPLEX MPI_COMPLEX4 MPI_COMPLEX8 MPI_COMPLEX16 \
    MPI_COMPLEX32";
const BYTE: &str = "MPI_BYTE";
const MULTI_LANGUAGE: &str = "MPI_AINT MPI_OFFSET MPI_COUNT";
const PAIR: &str = "MPI_FLOAT_INT MPI_DOUBLE_INT MPI_LONG_INT MPI_2INT MPI_SHORT_INT \
    MPI_LONG_DOUBLE_INT MPI_2REAL MPI_2DOUBLE_PRECISION MPI_2INTEGER";

/// How reductions read elements of a type: `MPI_CHAR` as a small integer.
fn repr_of(basic: Basic) -> Repr {
    match basic {
        Basic::Char => Basic::SignedChar.repr(),
        other => other.repr(),
    }
}

fn allowed(op: Op, basic: Basic) -> bool {
    let groups: &[&str] = match op {
        Op::Max | Op::Min => &[C_INTEGER, FORTRAN_INTEGER, FLOATING_POINT, MULTI_LANGUAGE],
        Op::Sum | Op::Prod => {
            &[C_INTEGER, FORTRAN_INTEGER, FLOATING_POINT, COMPLEX, MULTI_LANGUAGE]
        }
        Op::Land | Op::Lor | Op::Lxor => &[C_INTEGER, LOGICAL],
        Op::Band | Op::Bor | Op::Bxor => &[C_INTEGER, FORTRAN_INTEGER, BYTE, MULTI_LANGUAGE],
        Op::Minloc | Op::Maxloc => &[PAIR],
        Op::Replace | Op::NoOp => return true,
    };
    groups.iter().any(|group| group.split_whitespace().any(|name| name == basic.name()))
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn number(&mut self, basic: Basic) -> Number {
        let bits = u128::from(self.next()) << 64 | u128::from(self.next());
        let whole = (self.next() % 200) as f64 - 100.0;
        let real = match repr_of(basic) {
            Repr::F16 | Repr::ComplexF16 | Repr::F32 | Repr::ComplexF32 => whole / 7.0,
            Repr::F64 | Repr::ComplexF64 => whole * 1.0e100 / 7.0,
            _ => whole,
        };
        let zero = self.next().is_multiple_of(4);
        match repr_of(basic) {
            Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 | Repr::I128 => {
                let shift = 128 - basic.size() as u32 * 8;
                Int(if zero { 0 } else { (bits as i128) >> shift })
            }
            Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 | Repr::U128 => {
                let shift = 128 - basic.size() as u32 * 8;
                Unsigned(if zero { 0 } else { bits >> shift })
            }
            repr if repr.half().is_some() => Complex(real, (self.next() % 100) as f64 - 50.0),
            _ => Real(real),
        }
    }
}

/// A small whole number in the x87 format.
fn x87(value: f64) -> u128 {
    let magnitude = value.abs() as u64;
    if magnitude == 0 {
        return u128::from(value.is_sign_negative()) << 79;
    }
    let zeros = magnitude.leading_zeros();
    let exponent = 16383 + 63 - u128::from(zeros);
    u128::from(value < 0.0) << 79 | exponent << 64 | u128::from(magnitude << zeros)
}

fn from_x87(bits: u128) -> f64 {
    let exponent = (bits >> 64 & 0x7fff) as i32 - 16383 - 63;
    let magnitude = bits as u64 as f64 * 2f64.powi(exponent.max(-1000));
    if bits >> 79 & 1 == 1 {
        -magnitude
    } else {
        magnitude
    }
}

/// A number of binary64 as binary128: more fraction bits, another bias.
fn binary128(value: f64) -> u128 {
    let bits = value.to_bits();
    let (sign, exponent) = (u128::from(bits >> 63), u128::from(bits >> 52 & 0x7ff));
    let fraction = u128::from(bits << 12 >> 12) << 60;
    let exponent = if exponent == 0 { 0 } else { exponent + 16383 - 1023 };
    sign << 127 | exponent << 112 | fraction
}

fn from_binary128(bits: u128) -> f64 {
    let exponent = (bits >> 112 & 0x7fff) as u64;
    let exponent = if exponent == 0 { 0 } else { exponent + 1023 - 16383 };
    let fraction = (bits << 16 >> 76) as u64;
    f64::from_bits(((bits >> 127) as u64) << 63 | exponent << 52 | fraction)
}

fn encode_real(repr: Repr, value: f64) -> Vec<u8> {
    match repr {
        Repr::F16 => f16::from_f64(value).to_le_bytes().to_vec(),
        Repr::F32 => (value as f32).to_le_bytes().to_vec(),
        Repr::F64 => value.to_le_bytes().to_vec(),
        Repr::LongDouble if cfg!(target_arch = "x86_64") => x87(value).to_le_bytes().to_vec(),
        Repr::LongDouble | Repr::F128 => binary128(value).to_le_bytes().to_vec(),
        other => panic!("{other:?} is not real"),
    }
}

fn decode_real(repr: Repr, bytes: &[u8]) -> f64 {
    let wide = || u128::from_le_bytes(bytes.try_into().unwrap());
    match repr {
        Repr::F16 => f16::from_le_bytes(bytes.try_into().unwrap()).to_f64(),
        Repr::F32 => f32::from_le_bytes(bytes.try_into().unwrap()).into(),
        Repr::F64 => f64::from_le_bytes(bytes.try_into().unwrap()),
        Repr::LongDouble if cfg!(target_arch = "x86_64") => from_x87(wide()),
        Repr::LongDouble | Repr::F128 => from_binary128(wide()),
        other => panic!("{other:?} is not real"),
    }
}

fn encode(basic: Basic, number: Number) -> Vec<u8> {
    match number {
        Int(value) => value.to_le_bytes()[..basic.size()].to_vec(),
        Unsigned(value) => value.to_le_bytes()[..basic.size()].to_vec(),
        Real(value) => encode_real(repr_of(basic), value),
        Complex(re, im) => {
            let half = repr_of(basic).half().unwrap();
            [encode_real(half, re), encode_real(half, im)].concat()
        }
    }
}

/// What remains of a number after it was stored as this type.
fn stored(basic: Basic, number: Number) -> Number {
    let bytes = encode(basic, number);
    let mut wide = [0u8; 16];
    if bytes.len() <= 16 {
        wide[..bytes.len()].copy_from_slice(&bytes);
    }
    let unsigned = u128::from_le_bytes(wide);
    match number {
        Int(_) => {
            let shift = 128 - bytes.len() as u32 * 8;
            Int((unsigned << shift) as i128 >> shift)
        }
        Unsigned(_) => Unsigned(unsigned),
        Real(_) => Real(decode_real(repr_of(basic), &bytes)),
        Complex(..) => {
            let half = repr_of(basic).half().unwrap();
            let (re, im) = bytes.split_at(bytes.len() / 2);
            Complex(decode_real(half, re), decode_real(half, im))
        }
    }
}

/// Rounds an intermediate result of a complex product: binary16 is computed in binary32.
fn between(basic: Basic, value: f64) -> f64 {
    match repr_of(basic) {
        Repr::ComplexF16 | Repr::ComplexF32 => (value as f32).into(),
        _ => value,
    }
}

fn bits_of(number: Number) -> u128 {
    match number {
        Int(value) => value as u128,
        Unsigned(value) => value,
        other => panic!("{other:?} has no bits"),
    }
}

fn like(number: Number, bits: u128) -> Number {
    match number {
        Int(_) => Int(bits as i128),
        _ => Unsigned(bits),
    }
}

fn less(a: Number, b: Number) -> bool {
    match (a, b) {
        (Int(a), Int(b)) => a < b,
        (Unsigned(a), Unsigned(b)) => a < b,
        (Real(a), Real(b)) => a < b,
        other => panic!("{other:?} has no order"),
    }
}

fn expected(op: Op, basic: Basic, a: Number, b: Number) -> Number {
    let truth =
        |f: fn(bool, bool) -> bool| like(a, u128::from(f(bits_of(a) != 0, bits_of(b) != 0)));
    let result = match op {
        Op::Sum => match (a, b) {
            (Real(a), Real(b)) => Real(a + b),
            (Complex(ar, ai), Complex(br, bi)) => Complex(ar + br, ai + bi),
            _ => like(a, bits_of(a).wrapping_add(bits_of(b))),
        },
        Op::Prod => match (a, b) {
            (Real(a), Real(b)) => Real(a * b),
            (Complex(ar, ai), Complex(br, bi)) => {
                let round = |x| between(basic, x);
                let re = round(round(ar * br) - round(ai * bi));
                Complex(re, round(round(ar * bi) + round(ai * br)))
            }
            _ => like(a, bits_of(a).wrapping_mul(bits_of(b))),
        },
        Op::Min => {
            if less(b, a) {
                b
            } else {
                a
            }
        }
        Op::Max => {
            if less(a, b) {
                b
            } else {
                a
            }
        }
        Op::Band => like(a, bits_of(a) & bits_of(b)),
        Op::Bor => like(a, bits_of(a) | bits_of(b)),
        Op::Bxor => like(a, bits_of(a) ^ bits_of(b)),
        Op::Land => truth(|a, b| a && b),
        Op::Lor => truth(|a, b| a || b),
        Op::Lxor => truth(|a, b| a != b),
        Op::Replace => a,
        Op::NoOp => b,
        Op::Minloc | Op::Maxloc => panic!("not for single numbers"),
    };
    stored(basic, result)
}

const LENGTHS: [usize; 13] = [0, 1, 2, 3, 7, 8, 15, 16, 17, 33, 64, 100, 257];
const GUARD: u8 = 0xC5;

/// A buffer of elements that starts `shift` bytes into an allocation, with guards around.
fn buffer(shift: usize, extent: usize, elements: &[Vec<(usize, Vec<u8>)>]) -> Vec<u8> {
    let mut bytes = vec![GUARD; 64 + shift + elements.len() * extent + 64];
    for (i, fields) in elements.iter().enumerate() {
        for (offset, field) in fields {
            let at = 64 + shift + i * extent + offset;
            bytes[at..at + field.len()].copy_from_slice(field);
        }
    }
    bytes
}

/// The bytes of an element that belong to its value.
fn fields_of(basic: Basic, number: Number) -> Vec<(usize, Vec<u8>)> {
    let mut bytes = encode(basic, number);
    let x87 = cfg!(target_arch = "x86_64");
    match repr_of(basic) {
        Repr::LongDouble if x87 => bytes.truncate(10),
        Repr::ComplexLongDouble if x87 => {
            return vec![(0, bytes[..10].to_vec()), (16, bytes[16..26].to_vec())];
        }
        _ => {}
    }
    vec![(0, bytes)]
}

fn check(op: Op, basic: Basic, shift: usize, n: usize, random: &mut Random) {
    let kernel = kernel(op, basic).unwrap_or_else(|| panic!("{op:?} on {basic:?} is missing"));
    let draw = |random: &mut Random| stored(basic, random.number(basic));
    let left: Vec<Number> = (0..n).map(|_| draw(random)).collect();
    let right: Vec<Number> = (0..n).map(|_| draw(random)).collect();
    let lay = |numbers: &[Number], shift| {
        let fields: Vec<_> = numbers.iter().map(|x| fields_of(basic, *x)).collect();
        buffer(shift, basic.extent(), &fields)
    };
    let results: Vec<Number> =
        left.iter().zip(&right).map(|(a, b)| expected(op, basic, *a, *b)).collect();
    let (input, mut inout) = (lay(&left, shift), lay(&right, shift / 2));
    // SAFETY: both buffers hold `n` elements behind their guards.
    unsafe { kernel(input.as_ptr().add(64 + shift), inout.as_mut_ptr().add(64 + shift / 2), n) };
    assert_eq!(input, lay(&left, shift), "input changed");
    let (got, wanted) = (inout, lay(&results, shift / 2));
    assert!(
        got == wanted,
        "{op:?} {basic:?} n={n} shift={shift}\n{left:?}\n{right:?}\n{got:x?}\n{wanted:x?}"
    );
}

#[test]
fn single_numbers() {
    let mut random = Random(42);
    let mut checked = 0;
    for &op in Op::ALL {
        for &basic in Basic::ALL.iter().filter(|basic| !basic.is_pair()) {
            if !allowed(op, basic) {
                assert!(kernel(op, basic).is_none(), "{op:?} on {basic:?} is not in the standard");
                continue;
            }
            checked += 1;
            for n in LENGTHS {
                [0, 1, 3].iter().for_each(|shift| check(op, basic, *shift, n, &mut random));
            }
        }
    }
    assert!(checked > 400, "only {checked} combinations");
}

fn check_pairs(op: Op, value: Basic, index: Basic, n: usize, random: &mut Random) {
    let kernel = pair_kernel(op, value, index).expect("pairs of integers and reals have a kernel");
    let place = value.size().div_ceil(index.align()) * index.align();
    let align = value.align().max(index.align());
    let extent = (place + index.size()).div_ceil(align) * align;
    let mut draw = |small: u64| {
        // Few different values, so that ties happen.
        let number = |x: u64, basic: Basic| match repr_of(basic) {
            Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 => Unsigned(x.into()),
            Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 | Repr::I128 => Int(i128::from(x) - 2),
            _ => Real(x as f64 - 2.0),
        };
        (number(random.next() % small, value), number(random.next() % 100, index))
    };
    let left: Vec<_> = (0..n).map(|_| draw(5)).collect();
    let right: Vec<_> = (0..n).map(|_| draw(5)).collect();
    let results: Vec<_> = left
        .iter()
        .zip(&right)
        .map(|(&a, &b)| {
            let first = match op {
                Op::Minloc => less(a.0, b.0) || (a.0 == b.0 && less(a.1, b.1)),
                Op::Maxloc => less(b.0, a.0) || (a.0 == b.0 && less(a.1, b.1)),
                Op::Replace => true,
                _ => false,
            };
            if first {
                a
            } else {
                b
            }
        })
        .collect();
    let lay = |pairs: &[(Number, Number)], shift| {
        let fields =
            pairs.iter().map(|(v, i)| vec![(0, encode(value, *v)), (place, encode(index, *i))]);
        buffer(shift, extent, &fields.collect::<Vec<_>>())
    };
    let (input, mut inout) = (lay(&left, 1), lay(&right, 3));
    // SAFETY: both buffers hold `n` elements behind their guards.
    unsafe { kernel(input.as_ptr().add(65), inout.as_mut_ptr().add(67), n) };
    assert!(inout == lay(&results, 3), "{op:?} on ({value:?}, {index:?}): {left:?} {right:?}");
}

#[test]
fn pairs() {
    let mut random = Random(7);
    let values = "MPI_INT8_T MPI_SHORT MPI_INT MPI_LONG MPI_INTEGER16 MPI_UINT8_T MPI_UNSIGNED \
        MPI_UINT64_T MPI_REAL2 MPI_FLOAT MPI_DOUBLE MPI_LONG_DOUBLE MPI_REAL16";
    let indices = "MPI_INT8_T MPI_SHORT MPI_INT MPI_LONG MPI_UINT8_T MPI_UNSIGNED MPI_COUNT";
    let find = |name: &str| *Basic::ALL.iter().find(|basic| basic.name() == name).unwrap();
    for op in [Op::Minloc, Op::Maxloc, Op::Replace, Op::NoOp] {
        for value in values.split_whitespace().map(find) {
            for index in indices.split_whitespace().map(find) {
                [0, 1, 5, 64].iter().for_each(|n| check_pairs(op, value, index, *n, &mut random));
            }
        }
        for basic in Basic::ALL.iter().filter(|basic| basic.is_pair()) {
            assert!(allowed(op, *basic) && kernel(op, *basic).is_some());
            let (value, index) = basic.pair().unwrap();
            check_pairs(op, value, index, 33, &mut random);
            assert!(kernel(Op::Sum, *basic).is_none() && kernel(Op::Min, *basic).is_none());
        }
    }
}

#[test]
fn nan_in_the_input_is_passed_over() {
    for op in [Op::Min, Op::Max] {
        let kernel = kernel(op, Basic::Double).unwrap();
        let input = [f64::NAN, 1.0, f64::NAN];
        let mut inout = [2.0, f64::NAN, f64::NAN];
        // SAFETY: both arrays hold three elements.
        unsafe { kernel(input.as_ptr().cast(), inout.as_mut_ptr().cast(), 3) };
        assert_eq!(inout[0], 2.0);
        assert!(inout[1].is_nan() && inout[2].is_nan());
    }
}

#[test]
fn the_same_buffer_on_both_sides() {
    let kernel = kernel(Op::Sum, Basic::Int).unwrap();
    let mut buffer: Vec<i32> = (0..100).collect();
    // SAFETY: one buffer of 100 elements, which a kernel may get on both sides.
    unsafe { kernel(buffer.as_ptr().cast(), buffer.as_mut_ptr().cast(), 100) };
    assert!(buffer.iter().enumerate().all(|(i, x)| *x == 2 * i as i32));
}

#[test]
fn operations_agree_with_the_specification() {
    let spec = include_str!("../../../spec/mpi-5.0-abi.json");
    for &op in Op::ALL {
        let key = format!("\"{}\": {{", op.name());
        let at = spec.find(&key).unwrap_or_else(|| panic!("{} not in spec", op.name()));
        let row = &spec[at..spec[at..].find('}').unwrap() + at];
        assert!(row.contains(&format!("\"0x{:08x}\"", op.abi_value())), "{row}");
        assert_eq!(Op::from_abi_value(op.abi_value()), Some(op));
        assert_eq!(op.is_commutative(), !matches!(op, Op::Replace | Op::NoOp));
    }
    // MPI_OP_NULL is the only handle of this type that is no operation.
    assert_eq!(Op::ALL.len() + 1, spec.matches("\"type\": \"MPI_Op\"").count());
    assert_eq!(Op::from_abi_value(0x20), None);
}
