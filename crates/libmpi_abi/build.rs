//! Gives the shared library the soname that the MPI 5.0 ABI fixes (section 20).
fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmpi_abi.so.1");
}
