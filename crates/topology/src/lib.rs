//! Cores, caches and NUMA domains of this node, and who sits where.
