//! Both ends of the process management interface PMI-1.
