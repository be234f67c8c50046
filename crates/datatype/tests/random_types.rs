//! Random nested datatypes against the naive model of their type maps.

mod oracle;

use oracle::{spec, Area, Map, Spec};
use proptest::prelude::*;
use starling_datatype::{blocks, copy, pack, unpack, Basic, Elements};

/// Keeps a case small enough for the naive model.
fn small(map: &Map, count: i64) -> bool {
    let (low, high) = map.true_bounds();
    map.entries.len() as i64 * count < 4000 && high - low < 1 << 20 && map.extent().abs() < 1 << 20
}

fn cut_points() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(any::<u32>(), 0..6)
}

/// Positions inside 0..=total from arbitrary numbers, sorted.
fn cuts(total: usize, raw: &[u32]) -> Vec<usize> {
    let mut cuts: Vec<usize> = raw.iter().map(|x| *x as usize % (total + 1)).collect();
    cuts.extend([0, total]);
    cuts.sort_unstable();
    cuts
}

fn check_queries(spec: &Spec, map: &Map) -> Result<(), TestCaseError> {
    let ty = spec.build();
    let bytes = map.bytes();
    prop_assert_eq!(ty.size(), bytes.len() as i64);
    prop_assert_eq!((ty.lb(), ty.extent()), (map.lb(), map.extent()));
    prop_assert_eq!(ty.ub(), map.lb() + map.extent());
    let (low, high) = map.true_bounds();
    prop_assert_eq!((ty.true_lb(), ty.true_extent()), (low, high - low));
    let three = map.all_bytes(3);
    let contiguous = three.iter().enumerate().all(|(i, at)| *at == low + i as i64);
    prop_assert_eq!(ty.is_contiguous(), contiguous);

    let mut leaves = Vec::new();
    ty.for_each_leaf(&mut |leaf| {
        let extent = leaf.basic.extent() as i64;
        leaves.extend((0..leaf.count as i64).map(|i| (leaf.offset + i * extent, leaf.basic)));
    });
    prop_assert_eq!(&leaves, &map.entries);
    let first = map.entries.first().map(|entry| entry.1);
    let single = first.filter(|basic| map.entries.iter().all(|entry| entry.1 == *basic));
    prop_assert_eq!(ty.single_basic(), single);
    Ok(())
}

/// The basic elements with pairs taken apart.
fn elements_of(map: &Map) -> Vec<Basic> {
    let parts = |basic: Basic| match basic.pair() {
        Some((value, index)) => vec![value, index],
        None => vec![basic],
    };
    map.entries.iter().flat_map(|(_, basic)| parts(*basic)).collect()
}

fn check_copy(from: &Spec, scount: i64, to: &Spec, dcount: i64) -> Result<(), TestCaseError> {
    let (smap, dmap) = (from.map(), to.map());
    prop_assume!(small(&smap, scount) && small(&dmap, dcount));
    let (sty, dty) = (from.build(), to.build());
    let (sources, targets) = (smap.all_bytes(scount), dmap.all_bytes(dcount));
    let mut source = Area::new(&sources, 3);
    let mut target = Area::new(&targets, 4);
    let mut expected = Area::new(&targets, 4);
    sources.iter().zip(&targets).for_each(|(s, d)| expected.set(*d, source.at(*s)));
    // SAFETY: both areas have room for all offsets of their type maps.
    let copied = unsafe { copy(source.pointer(), scount, &sty, target.pointer(), dcount, &dty) };
    prop_assert_eq!(copied as usize, sources.len().min(targets.len()));
    prop_assert_eq!(target.memory, expected.memory);
    Ok(())
}

/// Types of a few shapes that differ in one number at most, more often than random ones.
fn similar() -> impl Strategy<Value = Spec> {
    let double = || Box::new(Spec::Basic(Basic::Double));
    let number = 2..4i64;
    let shapes = (0..4, number.clone(), 1..3i64, number.clone(), number);
    shapes.prop_map(move |(shape, count, len, stride, last)| {
        let spec = match shape {
            0 => Spec::Vector(count, len, stride + 1, double()),
            1 => Spec::Hindexed(vec![(1, 0), (len, 16), (1, 40 * last)], double()),
            2 => Spec::IndexedBlock(len, vec![0, 4, 4 + stride, 10 * last], double()),
            _ => {
                let vector = Spec::Vector(count, len, stride + 1, double());
                Spec::Struct(vec![(1, 0, vector), (1, 80 * last, Spec::Basic(Basic::Int))])
            }
        };
        Spec::Resized(0, 400, Box::new(spec))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn queries(spec in spec()) {
        let map = spec.map();
        prop_assume!(small(&map, 1));
        check_queries(&spec, &map)?;
    }

    #[test]
    fn element_counts(spec in spec(), raw in any::<u32>()) {
        let map = spec.map();
        prop_assume!(small(&map, 3));
        let ty = spec.build();
        let elements = elements_of(&map);
        prop_assert_eq!(ty.signature_count(), elements.len() as i64);
        let runs = ty.signature_runs();
        let expanded = runs.iter().flat_map(|(basic, n)| (0..*n).map(|_| *basic));
        prop_assert!(expanded.eq(elements.iter().copied()));

        let bytes = i64::from(raw) % (3 * ty.size() + 1);
        let (mut count, mut left) = (0, bytes);
        for basic in elements.iter().cycle().take(3 * elements.len()) {
            if left < basic.size() as i64 {
                break;
            }
            left -= basic.size() as i64;
            count += 1;
        }
        let expected = if left == 0 { Elements::Whole(count) } else { Elements::Partial(count) };
        prop_assert_eq!(ty.elements(bytes), expected);
    }

    #[test]
    fn pack_in_pieces(spec in spec(), count in 0..4i64, raw in cut_points()) {
        let map = spec.map();
        prop_assume!(small(&map, count));
        let ty = spec.build();
        let offsets = map.all_bytes(count);
        let mut area = Area::new(&offsets, 1);
        let expected: Vec<u8> = offsets.iter().map(|at| area.at(*at)).collect();
        let base = area.pointer();

        let mut whole = vec![0xAA; expected.len() + 3];
        // SAFETY: the area has room for all offsets of the type map.
        let written = unsafe { pack(base, count, &ty, 0, &mut whole) };
        prop_assert_eq!(written, expected.len());
        prop_assert_eq!(&whole[..written], &expected[..]);
        prop_assert_eq!(&whole[written..], &[0xAA; 3]);

        let mut pieces = vec![0xAA; expected.len()];
        for cut in cuts(expected.len(), &raw).windows(2) {
            let piece = &mut pieces[cut[0]..cut[1]];
            // SAFETY: as above.
            let written = unsafe { pack(base, count, &ty, cut[0] as u64, piece) };
            prop_assert_eq!(written, cut[1] - cut[0]);
        }
        prop_assert_eq!(pieces, expected);
    }

    #[test]
    fn unpack_in_pieces(spec in spec(), count in 0..4i64, raw in cut_points()) {
        let map = spec.map();
        prop_assume!(small(&map, count));
        let ty = spec.build();
        let offsets = map.all_bytes(count);
        let packed: Vec<u8> = (0..offsets.len()).map(|i| (i * 7 + 3) as u8).collect();
        let mut expected = Area::new(&offsets, 2);
        offsets.iter().zip(&packed).for_each(|(at, byte)| expected.set(*at, *byte));
        let mut area = Area::new(&offsets, 2);
        for cut in cuts(packed.len(), &raw).windows(2) {
            let piece = &packed[cut[0]..cut[1]];
            // SAFETY: the area has room for all offsets of the type map.
            let read = unsafe { unpack(piece, area.pointer(), count, &ty, cut[0] as u64) };
            prop_assert_eq!(read, piece.len());
        }
        prop_assert_eq!(area.memory, expected.memory);
    }

    #[test]
    fn block_lists(spec in spec(), count in 0..4i64, raw in any::<[u32; 3]>()) {
        let map = spec.map();
        prop_assume!(small(&map, count));
        let ty = spec.build();
        let base = 1usize << 40;
        let offsets = map.all_bytes(count);
        let skip = raw[0] as usize % (offsets.len() + 1);
        let max_bytes = raw[1] as usize % (offsets.len() + 2);
        let max_blocks = 1 + raw[2] as usize % 12;
        let wanted = &offsets[skip..offsets.len().min(skip + max_bytes)];
        let mut out = Vec::new();
        let (skip, max_bytes) = (skip as u64, max_bytes as u64);
        let covered = blocks(base, count, &ty, skip, max_bytes, max_blocks, &mut out);
        prop_assert!(out.len() <= max_blocks);
        let merged = out.windows(2).all(|pair| pair[0].addr + pair[0].len != pair[1].addr);
        prop_assert!(merged, "{:?}", out);
        prop_assert!(out.len() == max_blocks || covered as usize == wanted.len());
        let listed = out.iter().flat_map(|b| b.addr..b.addr + b.len);
        let wanted = wanted[..covered as usize].iter();
        let wanted = wanted.map(|at| base.wrapping_add_signed(*at as isize));
        prop_assert!(listed.eq(wanted));
    }

    #[test]
    fn typed_copies(from in spec(), to in spec(), scount in 0..4i64, dcount in 0..4i64) {
        check_copy(&from, scount, &to, dcount)?;
        check_copy(&from, scount, &from, dcount)?;
        let wider = Spec::Resized(0, from.map().extent() + 8, Box::new(from.clone()));
        check_copy(&from, scount, &wider, dcount)?;
    }

    #[test]
    fn copies_between_similar_types(a in similar(), b in similar(), count in 0..4i64) {
        check_copy(&a, count, &b, count)?;
    }
}

/// The loops that pick blocks out of whole vectors, which random types seldom reach.
#[test]
fn evenly_spaced_numbers() -> Result<(), TestCaseError> {
    for basic in [Basic::Char, Basic::Short, Basic::Int, Basic::Double, Basic::DoubleComplex] {
        for stride in [-3, 2, 3, 4, 5] {
            for count in (0..70).step_by(3) {
                let inner = Box::new(Spec::Basic(basic));
                let vector = Spec::Vector(count, 1, stride, inner.clone());
                check_copy(&vector, 1, &Spec::Contiguous(count, inner.clone()), 1)?;
                check_copy(&Spec::Contiguous(count, inner), 1, &vector, 1)?;
            }
        }
    }
    Ok(())
}
