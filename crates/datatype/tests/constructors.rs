//! Constructors: what they refuse, what they remember, and cases that random types do not reach.

use std::rc::Rc;

use starling_datatype::{
    blocks, pack, Basic, Combiner, Datatype, Distribution, ErrorKind, Order, TypeError,
    DISTRIBUTE_DEFAULT,
};

type Built = Result<Rc<Datatype>, TypeError>;

fn int() -> Rc<Datatype> {
    Datatype::basic(Basic::Int)
}

fn refused(built: Built, kind: ErrorKind, words: &[&str]) {
    let error = built.expect_err("the arguments are wrong");
    assert_eq!(error.kind, kind, "{error}");
    for word in words {
        assert!(error.message.contains(word), "'{error}' does not say '{word}'");
    }
}

#[test]
fn predefined_types_have_their_layout() {
    for &basic in Basic::ALL {
        let ty = Datatype::basic(basic);
        assert_eq!(ty.size(), basic.size() as i64);
        assert_eq!((ty.lb(), ty.extent()), (0, basic.extent() as i64));
        assert_eq!((ty.true_lb(), ty.true_extent()), (0, basic.true_extent() as i64));
        assert_eq!(ty.as_basic(), Some(basic));
        assert_eq!(ty.is_contiguous(), basic.size() == basic.extent());
        assert!(ty.committed());
        assert_eq!(Datatype::dup(&ty).unwrap().as_basic(), None);
    }
}

#[test]
fn wrong_counts_are_named() {
    let ty = int();
    refused(Datatype::contiguous(-1, &ty), ErrorKind::Count, &["count", "-1"]);
    refused(Datatype::vector(2, -3, 1, &ty), ErrorKind::Count, &["blocklength", "-3"]);
    refused(Datatype::hvector(-2, 1, 1, &ty), ErrorKind::Count, &["count", "-2"]);
    refused(
        Datatype::indexed(&[1, -7], &[0, 1], &ty),
        ErrorKind::Count,
        &["array_of_blocklengths[1]", "-7"],
    );
    refused(Datatype::hindexed(&[1], &[0, 1], &ty), ErrorKind::Argument, &["1", "2"]);
    refused(Datatype::indexed_block(-1, &[0], &ty), ErrorKind::Count, &["blocklength"]);
    refused(Datatype::structured(&[1], &[0], &[]), ErrorKind::Argument, &["array_of_types"]);
}

#[test]
fn wrong_subarrays_are_named() {
    let sub = |sizes: &[i64], subsizes: &[i64], starts: &[i64]| {
        Datatype::subarray(sizes, subsizes, starts, Order::C, &int())
    };
    refused(sub(&[], &[], &[]), ErrorKind::Dimension, &["ndims", "0"]);
    refused(sub(&[4, 4], &[2], &[0, 0]), ErrorKind::Dimension, &["array_of_subsizes"]);
    refused(sub(&[0], &[1], &[0]), ErrorKind::Argument, &["array_of_sizes[0]", "0"]);
    refused(sub(&[4], &[5], &[0]), ErrorKind::Argument, &["array_of_subsizes[0]", "5", "4"]);
    refused(sub(&[4], &[0], &[0]), ErrorKind::Argument, &["array_of_subsizes[0]"]);
    refused(sub(&[4, 4], &[2, 2], &[0, 3]), ErrorKind::Argument, &["array_of_starts[1]", "3"]);
    refused(sub(&[4], &[2], &[-1]), ErrorKind::Argument, &["array_of_starts[0]", "-1"]);
}

#[test]
fn wrong_distributed_arrays_are_named() {
    let darray = |size, rank, distrib, darg, psize| {
        Datatype::darray(size, rank, &[10], &[distrib], &[darg], &[psize], Order::C, &int())
    };
    let (block, none) = (Distribution::Block, Distribution::None);
    refused(darray(3, 0, block, DISTRIBUTE_DEFAULT, 2), ErrorKind::Argument, &["size is 3"]);
    refused(darray(2, 2, block, DISTRIBUTE_DEFAULT, 2), ErrorKind::Argument, &["rank is 2"]);
    refused(darray(2, 0, block, 4, 2), ErrorKind::Argument, &["array_of_dargs[0]", "4"]);
    refused(darray(2, 0, none, 1, 2), ErrorKind::Argument, &["array_of_psizes[0]"]);
    refused(darray(0, 0, block, 4, 0), ErrorKind::Argument, &["array_of_psizes[0]", "0"]);
    refused(darray(2, 0, Distribution::Cyclic, 0, 2), ErrorKind::Argument, &["array_of_dargs[0]"]);
    assert!(darray(2, 1, block, 5, 2).is_ok());
}

#[test]
fn what_does_not_fit_in_64_bits_is_refused() {
    let ty = int();
    let large = i64::MAX / 2;
    refused(Datatype::contiguous(large, &ty), ErrorKind::TooLarge, &["size"]);
    refused(Datatype::vector(2, 1, large, &ty), ErrorKind::TooLarge, &["stride"]);
    refused(Datatype::hvector(5, 1, large, &ty), ErrorKind::TooLarge, &[]);
    refused(Datatype::indexed(&[1], &[large], &ty), ErrorKind::TooLarge, &[]);
    let (low, high) = (-large - 2, large);
    refused(Datatype::hindexed(&[1, 1], &[low, high], &ty), ErrorKind::TooLarge, &[]);
    refused(Datatype::resized(i64::MAX, 1, &ty), ErrorKind::TooLarge, &["upper bound"]);
    let half = Datatype::contiguous(large / 4, &ty).unwrap();
    let types = vec![half; 3];
    refused(Datatype::structured(&[1; 3], &[0; 3], &types), ErrorKind::TooLarge, &["size"]);
    // Nothing moves, so nothing is too large.
    assert_eq!(Datatype::vector(large, 0, large, &ty).unwrap().size(), 0);
}

#[test]
fn nesting_has_a_limit_and_long_chains_of_duplicates_have_not() {
    let mut ty = int();
    let error = loop {
        match Datatype::vector(1, 1, 1, &ty) {
            Ok(deeper) => ty = deeper,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind, ErrorKind::TooDeep);
    let mut chain = Datatype::structured(&[1, 1], &[0, 4], &[int(), ty]).unwrap_err();
    assert_eq!(chain.kind, ErrorKind::TooDeep);
    chain.message.clear();

    let mut ty = Datatype::structured(&[1, 1], &[0, 4], &[int(), Datatype::basic(Basic::Float)]);
    for _ in 0..200_000 {
        ty = Datatype::dup(&ty.unwrap());
    }
    let ty = ty.unwrap();
    let mut leaves = 0;
    ty.for_each_leaf(&mut |_| leaves += 1);
    assert_eq!(leaves, 2);
    drop(ty); // Must not overflow the stack.
}

#[test]
fn nested_to_the_limit_still_packs() {
    let mut ty = int();
    // A struct of two in each level keeps the plan from collapsing.
    while let Ok(deeper) =
        Datatype::structured(&[1, 1], &[0, ty.extent() + 8], &[ty.clone(), int()])
    {
        ty = deeper;
    }
    let memory: Vec<u8> = (0..ty.extent()).map(|i| i as u8).collect();
    let mut packed = vec![0; ty.size() as usize];
    // SAFETY: the memory has the extent of the type, whose lower bound is 0.
    let written = unsafe { pack(memory.as_ptr(), 1, &ty, 0, &mut packed) };
    assert_eq!(written, packed.len());
    assert_eq!(&packed[packed.len() - 4..], &memory[memory.len() - 4..]);
}

#[test]
fn huge_counts_cost_nothing() {
    // 2^60 elements with holes: seeking and listing a few blocks at the far end must not walk.
    let ty = Datatype::vector(1 << 58, 1, 2, &Datatype::basic(Basic::Char)).unwrap();
    assert_eq!(ty.size(), 1 << 58);
    let nested = Datatype::resized(0, 1 << 60, &ty).unwrap();
    let mut out = Vec::new();
    let skip = (1 << 58) + 12345;
    assert_eq!(blocks(0, 2, &nested, skip, 1 << 40, 3, &mut out), 3);
    assert_eq!(out[0].addr, (1 << 60) + 2 * 12345);
    assert_eq!(ty.elements(1 << 57), starling_datatype::Elements::Whole(1 << 57));
}

#[test]
fn explicit_bounds_win_over_data() {
    let inner = Datatype::resized(4, 8, &int()).unwrap();
    let ty = Datatype::structured(&[1, 1], &[0, 0], &[inner, int()]).unwrap();
    assert_eq!((ty.lb(), ty.extent()), (4, 8));
    let nothing = Datatype::contiguous(0, &int()).unwrap();
    assert_eq!((nothing.lb(), nothing.extent(), nothing.true_extent()), (0, 0, 0));
    let marked = Datatype::resized(-4, 16, &nothing).unwrap();
    let two = Datatype::contiguous(2, &marked).unwrap();
    assert_eq!((two.lb(), two.extent(), two.size()), (-4, 32, 0));
}

#[test]
fn contents_keep_the_arguments_in_order() {
    let ty = int();
    let plain = |built: Built| built.unwrap().combiner().contents(false);
    let vector = plain(Datatype::vector(2, 3, 4, &ty));
    assert_eq!(vector.integers, [2, 3, 4]);
    let hvector = plain(Datatype::hvector(2, 3, 40, &ty));
    assert_eq!((&hvector.integers[..], &hvector.addresses[..]), (&[2, 3][..], &[40][..]));
    let indexed = plain(Datatype::indexed(&[1, 2], &[3, 4], &ty));
    assert_eq!(indexed.integers, [2, 1, 2, 3, 4]);
    let block = plain(Datatype::hindexed_block(5, &[8, 64], &ty));
    assert_eq!((&block.integers[..], &block.addresses[..]), (&[2, 5][..], &[8, 64][..]));
    let types = [ty.clone(), Datatype::basic(Basic::Char)];
    let fields = plain(Datatype::structured(&[1, 2], &[0, 4], &types));
    assert_eq!((&fields.integers[..], &fields.addresses[..]), (&[2, 1, 2][..], &[0, 4][..]));
    assert!(Rc::ptr_eq(&fields.datatypes[0], &ty) && fields.datatypes.len() == 2);
    let sub = Datatype::subarray(&[4, 5], &[2, 3], &[1, 0], Order::Fortran, &ty).unwrap();
    assert_eq!(sub.combiner().contents(false).integers, [2, 4, 5, 2, 3, 1, 0, 15]);
    let large = sub.combiner().contents(true);
    assert_eq!(
        (&large.integers[..], &large.large_counts[..]),
        (&[2, 15][..], &[4, 5, 2, 3, 1, 0][..])
    );
    let dist = [Distribution::Cyclic];
    let darray = Datatype::darray(2, 1, &[9], &dist, &[3], &[2], Order::C, &ty).unwrap();
    assert_eq!(darray.combiner().contents(false).integers, [2, 1, 1, 9, 18, 3, 2, 12]);
    let large = darray.combiner().contents(true);
    assert_eq!(
        (&large.integers[..], &large.large_counts[..]),
        (&[2, 1, 1, 18, 3, 2, 12][..], &[9][..])
    );
    let resized = Datatype::resized(-8, 24, &ty).unwrap();
    assert_eq!(resized.combiner().contents(false).addresses, [-8, 24]);
    assert_eq!(resized.combiner().contents(true).large_counts, [-8, 24]);
    let contents = plain(Datatype::f90_real(Some(6), None));
    assert_eq!(contents.integers, [6, -32766]);
    assert!(contents.datatypes.is_empty());
}

#[test]
fn combiners_agree_with_the_specification() {
    let spec = include_str!("../../../spec/mpi-5.0-abi.json");
    let value = |name: &str| {
        let at = spec.find(&format!("\"{name}\": {{")).unwrap_or_else(|| panic!("{name}"));
        let row = &spec[at..spec[at..].find('}').unwrap() + at];
        let text = row.rsplit('"').nth(1).unwrap();
        let hex = text.strip_prefix("0x").map(|digits| i32::from_str_radix(digits, 16).unwrap());
        hex.unwrap_or_else(|| text.parse().unwrap())
    };
    let ty = int();
    let built: [(&str, Built); 13] = [
        ("DUP", Datatype::dup(&ty)),
        ("CONTIGUOUS", Datatype::contiguous(1, &ty)),
        ("VECTOR", Datatype::vector(1, 1, 1, &ty)),
        ("HVECTOR", Datatype::hvector(1, 1, 1, &ty)),
        ("INDEXED", Datatype::indexed(&[1], &[1], &ty)),
        ("HINDEXED", Datatype::hindexed(&[1], &[1], &ty)),
        ("INDEXED_BLOCK", Datatype::indexed_block(1, &[1], &ty)),
        ("HINDEXED_BLOCK", Datatype::hindexed_block(1, &[1], &ty)),
        ("STRUCT", Datatype::structured(&[1], &[0], std::slice::from_ref(&ty))),
        ("SUBARRAY", Datatype::subarray(&[1], &[1], &[0], Order::C, &ty)),
        ("RESIZED", Datatype::resized(0, 4, &ty)),
        ("F90_COMPLEX", Datatype::f90_complex(Some(15), Some(300))),
        ("F90_INTEGER", Datatype::f90_integer(5)),
    ];
    for (name, ty) in built {
        let number = ty.unwrap().combiner().abi_value();
        assert_eq!(number, value(&format!("MPI_COMBINER_{name}")));
    }
    assert_eq!(ty.combiner().abi_value(), value("MPI_COMBINER_NAMED"));
    for order in [Order::C, Order::Fortran] {
        assert_eq!(Order::from_abi_value(order.abi_value()), Some(order));
    }
    assert_eq!(Order::Fortran.abi_value(), value("MPI_ORDER_FORTRAN"));
    assert_eq!(Distribution::Cyclic.abi_value(), value("MPI_DISTRIBUTE_CYCLIC"));
    assert_eq!(Distribution::from_abi_value(16), Some(Distribution::None));
    assert_eq!(DISTRIBUTE_DEFAULT, value("MPI_DISTRIBUTE_DFLT_DARG").into());
}

#[test]
fn fortran_kinds_by_precision() {
    let real = |p, r| Datatype::f90_real(p, r).unwrap().single_basic().unwrap();
    assert_eq!(real(Some(6), Some(37)), Basic::Real4);
    assert_eq!(real(Some(7), None), Basic::Real8);
    assert_eq!(real(None, Some(308)), Basic::Real16);
    refused(Datatype::f90_real(Some(34), None), ErrorKind::Argument, &["34"]);
    refused(Datatype::f90_complex(None, None), ErrorKind::Argument, &["MPI_UNDEFINED"]);
    let integer = |r| Datatype::f90_integer(r).unwrap().single_basic().unwrap();
    assert_eq!(integer(2), Basic::Integer1);
    assert_eq!(integer(9), Basic::Integer4);
    assert_eq!(integer(10), Basic::Integer8);
    refused(Datatype::f90_integer(39), ErrorKind::Argument, &["39"]);
    let ty = Datatype::f90_integer(9).unwrap();
    assert!(ty.committed() && ty.as_basic().is_none() && ty.is_contiguous());
}

#[test]
fn pairs_by_value_and_index() {
    let basic = Datatype::basic;
    let named = Datatype::value_index(&basic(Basic::Double), &basic(Basic::Int)).unwrap();
    assert_eq!(named.as_basic(), Some(Basic::DoubleInt));
    let unnamed = Datatype::value_index(&basic(Basic::Int32), &basic(Basic::Int64)).unwrap();
    assert_eq!((unnamed.size(), unnamed.extent()), (12, 16));
    assert_eq!(unnamed.pair(), Some((Basic::Int32, Basic::Int64)));
    assert!(matches!(unnamed.combiner(), Combiner::ValueIndex { .. }) && unnamed.committed());
    assert!(Datatype::value_index(&basic(Basic::Complex), &basic(Basic::Int)).is_none());
    assert!(Datatype::value_index(&basic(Basic::Int), &basic(Basic::Float)).is_none());
    assert!(Datatype::value_index(&unnamed, &basic(Basic::Int)).is_none());
}

#[test]
fn null_base_with_absolute_addresses() {
    let (a, b) = ([1u8, 2, 3, 4], [5u8, 6]);
    let displs = [a.as_ptr() as i64, b.as_ptr() as i64];
    let ty = Datatype::hindexed(&[4, 2], &displs, &Datatype::basic(Basic::Byte)).unwrap();
    let mut packed = [0; 6];
    // SAFETY: the displacements are the addresses of live arrays.
    assert_eq!(unsafe { pack(std::ptr::null(), 1, &ty, 0, &mut packed) }, 6);
    assert_eq!(packed, [1, 2, 3, 4, 5, 6]);
}
