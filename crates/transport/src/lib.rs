//! How bytes reach another rank: the trait, and one folder per transport.
