//! Tests of files, on ranks as threads.
