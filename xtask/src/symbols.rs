//! `xtask exports <library>`: compares the dynamic symbols of the built shared library with the
//! table of the ABI.

use crate::standard::Standard;
use crate::Findings;
use object::read::elf::{ElfFile64, FileHeader};
use object::{Endianness, Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::path::Path;

/// What a library may export beyond the table: functions removed from the standard long ago, which
/// old programs still call, and the older names of conversions, which are macros in our header.
const ALSO_ALLOWED: [&str; 34] = [
    "Address",
    "Errhandler_create",
    "Errhandler_get",
    "Errhandler_set",
    "Type_extent",
    "Type_hindexed",
    "Type_hvector",
    "Type_lb",
    "Type_struct",
    "Type_ub",
    "Comm_c2f",
    "Comm_f2c",
    "Errhandler_c2f",
    "Errhandler_f2c",
    "File_c2f",
    "File_f2c",
    "Group_c2f",
    "Group_f2c",
    "Info_c2f",
    "Info_f2c",
    "Message_c2f",
    "Message_f2c",
    "Op_c2f",
    "Op_f2c",
    "Request_c2f",
    "Request_f2c",
    "Session_c2f",
    "Session_f2c",
    "Status_c2f",
    "Status_f2c",
    "Type_c2f",
    "Type_f2c",
    "Win_c2f",
    "Win_f2c",
];

/// One line per symbol that is missing or should not be there, and per wrong soname.
pub fn compare(root: &Path, library: &Path) -> Findings {
    let standard = Standard::read(root)?;
    let shown = library.display();
    let bytes = std::fs::read(library).map_err(|e| format!("{shown}: {e}"))?;
    let elf = ElfFile64::<Endianness>::parse(&*bytes).map_err(|e| format!("{shown}: {e}"))?;
    let exported: BTreeSet<String> = elf
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
        .filter_map(|symbol| symbol.name().ok().map(String::from))
        .collect();
    let names = standard.functions.iter().map(|function| function.name.as_str());
    let mut found = differences(names, &exported);
    let soname = soname(&elf).map_err(|e| format!("{shown}: {e}"))?;
    if soname.as_deref() != Some(standard.soname.as_str()) {
        let has = soname.unwrap_or("none".into());
        found.push(format!("the soname is {has}, not {}", standard.soname));
    }
    Ok(found.into_iter().map(|line| format!("{shown}: {line}")).collect())
}

fn differences<'a>(
    names: impl Iterator<Item = &'a str>,
    exported: &BTreeSet<String>,
) -> Vec<String> {
    let mut expected: BTreeSet<String> =
        names.flat_map(|name| [name.to_string(), format!("P{name}")]).collect();
    let missing = expected.difference(exported).map(|name| format!("{name} is missing"));
    let mut found: Vec<String> = missing.collect();
    for name in ALSO_ALLOWED {
        expected.extend([format!("MPI_{name}"), format!("PMPI_{name}")]);
    }
    let is_mpi = |name: &&String| name.starts_with("MPI_") || name.starts_with("PMPI_");
    let extra = exported.difference(&expected).filter(is_mpi);
    found.extend(extra.map(|name| format!("{name} does not belong to the standard")));
    found
}

fn soname(elf: &ElfFile64<Endianness>) -> Result<Option<String>, object::read::Error> {
    let (endian, data) = (elf.endian(), elf.data());
    let sections = elf.elf_header().sections(endian, data)?;
    let Some((dynamic, link)) = sections.dynamic(endian, data)? else {
        return Ok(None);
    };
    let strings = sections.strings(endian, data, link)?;
    for entry in dynamic {
        use object::read::elf::Dyn;
        if entry.tag32(endian) == Some(object::elf::DT_SONAME) {
            let name = entry.string(endian, strings)?;
            return Ok(Some(String::from_utf8_lossy(name).into_owned()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(exported: &[&str]) -> Vec<String> {
        let exported = exported.iter().map(|name| name.to_string()).collect();
        differences(["MPI_Send", "MPI_Recv"].into_iter(), &exported)
    }

    #[test]
    fn missing_and_foreign_names_are_found() {
        let all = ["MPI_Send", "PMPI_Send", "MPI_Recv", "PMPI_Recv"];
        assert!(found(&all).is_empty());
        assert_eq!(found(&all[..3]), ["PMPI_Recv is missing"]);
        let more = [&all[..], &["MPI_Sent", "malloc", "MPI_Address", "PMPI_Comm_c2f"]].concat();
        assert_eq!(found(&more), ["MPI_Sent does not belong to the standard"]);
    }
}
