//! Lock-free queues in memory that several processes map. One file each.

pub mod spsc_ring;
