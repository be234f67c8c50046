//! The predefined datatypes of the MPI 5.0 ABI.
//!
//! One row of the table below per type: its name, its number in the ABI, how it lies in memory and
//! to which group of section 6.9.2 it belongs. `abi` decodes handles with it, `op` chooses kernels
//! with it, `external32` converts with it. It assumes an LP64 C ABI (`long` has 8 bytes).

/// How one element of a predefined type lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repr {
    /// Two's complement integer of 1 byte.
    I8,
    /// Two's complement integer of 2 bytes.
    I16,
    /// Two's complement integer of 4 bytes.
    I32,
    /// Two's complement integer of 8 bytes.
    I64,
    /// Two's complement integer of 16 bytes.
    I128,
    /// Unsigned integer (or logical) of 1 byte.
    U8,
    /// Unsigned integer (or logical) of 2 bytes.
    U16,
    /// Unsigned integer (or logical) of 4 bytes.
    U32,
    /// Unsigned integer (or logical) of 8 bytes.
    U64,
    /// Unsigned integer (or logical) of 16 bytes.
    U128,
    /// IEEE binary16.
    F16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// The C `long double`: x87 extended in 16 bytes on x86-64, IEEE binary128 elsewhere.
    LongDouble,
    /// IEEE binary128.
    F128,
    /// Two binary16.
    ComplexF16,
    /// Two binary32.
    ComplexF32,
    /// Two binary64.
    ComplexF64,
    /// Two `long double`.
    ComplexLongDouble,
    /// Two binary128.
    ComplexF128,
    /// A C struct of a value and an index; see [`Basic::pair`].
    Pair,
}

impl Repr {
    /// Bytes of one element; 0 for [`Repr::Pair`], whose parts decide.
    pub const fn size(self) -> usize {
        match self {
            Repr::I8 | Repr::U8 => 1,
            Repr::I16 | Repr::U16 | Repr::F16 => 2,
            Repr::I32 | Repr::U32 | Repr::F32 | Repr::ComplexF16 => 4,
            Repr::I64 | Repr::U64 | Repr::F64 | Repr::ComplexF32 => 8,
            Repr::I128 | Repr::U128 | Repr::LongDouble | Repr::F128 | Repr::ComplexF64 => 16,
            Repr::ComplexLongDouble | Repr::ComplexF128 => 32,
            Repr::Pair => 0,
        }
    }

    /// The representation of each half of a complex number, `None` for the others.
    pub const fn half(self) -> Option<Repr> {
        match self {
            Repr::ComplexF16 => Some(Repr::F16),
            Repr::ComplexF32 => Some(Repr::F32),
            Repr::ComplexF64 => Some(Repr::F64),
            Repr::ComplexLongDouble => Some(Repr::LongDouble),
            Repr::ComplexF128 => Some(Repr::F128),
            _ => None,
        }
    }
}

/// The groups of predefined types by which section 6.9.2 says what an operation accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// C integers.
    CInteger,
    /// Fortran integers.
    FortranInteger,
    /// Real floating point of either language.
    FloatingPoint,
    /// Logical types of any language.
    Logical,
    /// Complex types of any language.
    Complex,
    /// `MPI_BYTE`.
    Byte,
    /// `MPI_AINT`, `MPI_COUNT` and `MPI_OFFSET`.
    MultiLanguage,
    /// A value and an index, for `MPI_MINLOC` and `MPI_MAXLOC`.
    Pair,
    /// Characters and `MPI_PACKED`: no arithmetic.
    Opaque,
}

macro_rules! basics {
    ($($variant:ident $name:literal $value:literal $repr:ident $group:ident;)*) => {
        /// A predefined datatype; the variants are the standard's names in Rust's spelling.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Basic {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Basic {
            /// All predefined types, in the order of their ABI numbers.
            pub const ALL: &'static [Basic] = &[$(Basic::$variant,)*];

            /// The standard's name, for example `MPI_INT`.
            pub const fn name(self) -> &'static str {
                match self { $(Basic::$variant => $name,)* }
            }

            /// The number of the handle in the ABI, for example `0x209`.
            pub const fn abi_value(self) -> u32 {
                match self { $(Basic::$variant => $value,)* }
            }

            /// The type with this number in the ABI.
            pub const fn from_abi_value(value: u32) -> Option<Basic> {
                match value { $($value => Some(Basic::$variant),)* _ => None }
            }

            /// How an element lies in memory.
            pub const fn repr(self) -> Repr {
                match self { $(Basic::$variant => Repr::$repr,)* }
            }

            /// Which operations accept it (section 6.9.2).
            pub const fn group(self) -> Group {
                match self { $(Basic::$variant => Group::$group,)* }
            }
        }
    };
}

basics! {
    Aint "MPI_AINT" 0x201 I64 MultiLanguage;
    Count "MPI_COUNT" 0x202 I64 MultiLanguage;
    Offset "MPI_OFFSET" 0x203 I64 MultiLanguage;
    Packed "MPI_PACKED" 0x207 U8 Opaque;
    Short "MPI_SHORT" 0x208 I16 CInteger;
    Int "MPI_INT" 0x209 I32 CInteger;
    Long "MPI_LONG" 0x20a I64 CInteger;
    LongLong "MPI_LONG_LONG" 0x20b I64 CInteger;
    UnsignedShort "MPI_UNSIGNED_SHORT" 0x20c U16 CInteger;
    Unsigned "MPI_UNSIGNED" 0x20d U32 CInteger;
    UnsignedLong "MPI_UNSIGNED_LONG" 0x20e U64 CInteger;
    UnsignedLongLong "MPI_UNSIGNED_LONG_LONG" 0x20f U64 CInteger;
    Float "MPI_FLOAT" 0x210 F32 FloatingPoint;
    CFloatComplex "MPI_C_FLOAT_COMPLEX" 0x212 ComplexF32 Complex;
    CxxFloatComplex "MPI_CXX_FLOAT_COMPLEX" 0x213 ComplexF32 Complex;
    Double "MPI_DOUBLE" 0x214 F64 FloatingPoint;
    CDoubleComplex "MPI_C_DOUBLE_COMPLEX" 0x216 ComplexF64 Complex;
    CxxDoubleComplex "MPI_CXX_DOUBLE_COMPLEX" 0x217 ComplexF64 Complex;
    Logical "MPI_LOGICAL" 0x218 U32 Logical;
    Integer "MPI_INTEGER" 0x219 I32 FortranInteger;
    Real "MPI_REAL" 0x21a F32 FloatingPoint;
    Complex "MPI_COMPLEX" 0x21b ComplexF32 Complex;
    DoublePrecision "MPI_DOUBLE_PRECISION" 0x21c F64 FloatingPoint;
    DoubleComplex "MPI_DOUBLE_COMPLEX" 0x21d ComplexF64 Complex;
    Character "MPI_CHARACTER" 0x21e U8 Opaque;
    LongDouble "MPI_LONG_DOUBLE" 0x220 LongDouble FloatingPoint;
    CLongDoubleComplex "MPI_C_LONG_DOUBLE_COMPLEX" 0x224 ComplexLongDouble Complex;
    CxxLongDoubleComplex "MPI_CXX_LONG_DOUBLE_COMPLEX" 0x225 ComplexLongDouble Complex;
    FloatInt "MPI_FLOAT_INT" 0x228 Pair Pair;
    DoubleInt "MPI_DOUBLE_INT" 0x229 Pair Pair;
    LongInt "MPI_LONG_INT" 0x22a Pair Pair;
    TwoInt "MPI_2INT" 0x22b Pair Pair;
    ShortInt "MPI_SHORT_INT" 0x22c Pair Pair;
    LongDoubleInt "MPI_LONG_DOUBLE_INT" 0x22d Pair Pair;
    TwoReal "MPI_2REAL" 0x230 Pair Pair;
    TwoDoublePrecision "MPI_2DOUBLE_PRECISION" 0x231 Pair Pair;
    TwoInteger "MPI_2INTEGER" 0x232 Pair Pair;
    CBool "MPI_C_BOOL" 0x238 U8 Logical;
    CxxBool "MPI_CXX_BOOL" 0x239 U8 Logical;
    Wchar "MPI_WCHAR" 0x23c U32 Opaque;
    Int8 "MPI_INT8_T" 0x240 I8 CInteger;
    Uint8 "MPI_UINT8_T" 0x241 U8 CInteger;
    Char "MPI_CHAR" 0x243 U8 Opaque;
    SignedChar "MPI_SIGNED_CHAR" 0x244 I8 CInteger;
    UnsignedChar "MPI_UNSIGNED_CHAR" 0x245 U8 CInteger;
    Byte "MPI_BYTE" 0x247 U8 Byte;
    Int16 "MPI_INT16_T" 0x248 I16 CInteger;
    Uint16 "MPI_UINT16_T" 0x249 U16 CInteger;
    Int32 "MPI_INT32_T" 0x250 I32 CInteger;
    Uint32 "MPI_UINT32_T" 0x251 U32 CInteger;
    Int64 "MPI_INT64_T" 0x258 I64 CInteger;
    Uint64 "MPI_UINT64_T" 0x259 U64 CInteger;
    Logical1 "MPI_LOGICAL1" 0x2c0 U8 Logical;
    Integer1 "MPI_INTEGER1" 0x2c1 I8 FortranInteger;
    Logical2 "MPI_LOGICAL2" 0x2c8 U16 Logical;
    Integer2 "MPI_INTEGER2" 0x2c9 I16 FortranInteger;
    Real2 "MPI_REAL2" 0x2ca F16 FloatingPoint;
    Logical4 "MPI_LOGICAL4" 0x2d0 U32 Logical;
    Integer4 "MPI_INTEGER4" 0x2d1 I32 FortranInteger;
    Real4 "MPI_REAL4" 0x2d2 F32 FloatingPoint;
    Complex4 "MPI_COMPLEX4" 0x2d3 ComplexF16 Complex;
    Logical8 "MPI_LOGICAL8" 0x2d8 U64 Logical;
    Integer8 "MPI_INTEGER8" 0x2d9 I64 FortranInteger;
    Real8 "MPI_REAL8" 0x2da F64 FloatingPoint;
    Complex8 "MPI_COMPLEX8" 0x2db ComplexF32 Complex;
    Logical16 "MPI_LOGICAL16" 0x2e0 U128 Logical;
    Integer16 "MPI_INTEGER16" 0x2e1 I128 FortranInteger;
    Real16 "MPI_REAL16" 0x2e2 F128 FloatingPoint;
    Complex16 "MPI_COMPLEX16" 0x2e3 ComplexF64 Complex;
    Complex32 "MPI_COMPLEX32" 0x2eb ComplexF128 Complex;
}

/// Rounds `offset` up to a multiple of `align`.
const fn align_up(offset: usize, align: usize) -> usize {
    offset.div_ceil(align) * align
}

impl Basic {
    /// Value and index of a pair type, `None` for the others.
    pub const fn pair(self) -> Option<(Basic, Basic)> {
        Some(match self {
            Basic::FloatInt => (Basic::Float, Basic::Int),
            Basic::DoubleInt => (Basic::Double, Basic::Int),
            Basic::LongInt => (Basic::Long, Basic::Int),
            Basic::TwoInt => (Basic::Int, Basic::Int),
            Basic::ShortInt => (Basic::Short, Basic::Int),
            Basic::LongDoubleInt => (Basic::LongDouble, Basic::Int),
            Basic::TwoReal => (Basic::Real, Basic::Real),
            Basic::TwoDoublePrecision => (Basic::DoublePrecision, Basic::DoublePrecision),
            Basic::TwoInteger => (Basic::Integer, Basic::Integer),
            _ => return None,
        })
    }

    /// Whether this is a value with an index.
    pub const fn is_pair(self) -> bool {
        self.pair().is_some()
    }

    /// Offset of the index inside a pair, as C lays the struct out; 0 for the others.
    pub const fn pair_index_offset(self) -> usize {
        match self.pair() {
            Some((value, index)) => align_up(value.size(), index.align()),
            None => 0,
        }
    }

    /// Bytes of data in one element: what it takes when packed.
    pub const fn size(self) -> usize {
        match self.pair() {
            Some((value, index)) => value.size() + index.size(),
            None => self.repr().size(),
        }
    }

    /// Bytes from one element of an array to the next.
    pub const fn extent(self) -> usize {
        match self.pair() {
            Some((_, index)) => align_up(self.pair_index_offset() + index.size(), self.align()),
            None => self.size(),
        }
    }

    /// Bytes from the first to behind the last byte of data.
    pub const fn true_extent(self) -> usize {
        match self.pair() {
            Some((_, index)) => self.pair_index_offset() + index.size(),
            None => self.size(),
        }
    }

    /// Alignment in memory, in bytes.
    pub const fn align(self) -> usize {
        match self.pair() {
            Some((value, index)) => {
                let (value, index) = (value.align(), index.align());
                if value > index {
                    value
                } else {
                    index
                }
            }
            None => match self.repr().half() {
                Some(half) => half.size(),
                None => self.repr().size(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_the_layout_of_their_c_struct() {
        #[repr(C)]
        struct ShortInt(i16, i32);
        #[repr(C)]
        struct DoubleInt(f64, i32);
        for (basic, size, extent) in [
            (Basic::ShortInt, 6, std::mem::size_of::<ShortInt>()),
            (Basic::DoubleInt, 12, std::mem::size_of::<DoubleInt>()),
            (Basic::FloatInt, 8, 8),
            (Basic::LongInt, 12, 16),
            (Basic::LongDoubleInt, 20, 32),
            (Basic::TwoDoublePrecision, 16, 16),
        ] {
            assert_eq!((basic.size(), basic.extent()), (size, extent), "{}", basic.name());
        }
        assert_eq!(Basic::ShortInt.pair_index_offset(), 4);
        assert_eq!(Basic::LongDoubleInt.true_extent(), 20);
    }

    #[test]
    fn table_agrees_with_the_specification() {
        let spec = include_str!("../../../spec/mpi-5.0-abi.json");
        for &basic in Basic::ALL {
            let key = format!("\"{}\": {{", basic.name());
            let at = spec.find(&key).unwrap_or_else(|| panic!("{} not in spec", basic.name()));
            let row = &spec[at..spec[at..].find('}').unwrap() + at];
            assert!(row.contains("\"MPI_Datatype\""), "{row}");
            assert!(row.contains(&format!("\"0x{:08x}\"", basic.abi_value())), "{row}");
            assert_eq!(Basic::from_abi_value(basic.abi_value()), Some(basic));
        }
        // MPI_DATATYPE_NULL is the only handle of this type that is no datatype.
        let in_spec = spec.matches("\"type\": \"MPI_Datatype\"").count();
        assert_eq!(Basic::ALL.len() + 1, in_spec);
        assert_eq!(Basic::from_abi_value(0x200), None);
    }
}
