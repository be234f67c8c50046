# Pickled objects: send, receive, probe, broadcast, gather, scatter, reduce with Python operations.
# ranks: 1 2 4
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
following, previous = (rank + 1) % size, (rank - 1) % size

thing = {"rank": rank, "list": list(range(1000)), "nested": {"a": (1, 2.5, None)}}
got = comm.sendrecv(thing, dest=following, source=previous)
assert got == dict(thing, rank=previous), got

request = comm.isend("x" * 100000 + str(rank), dest=following, tag=3)
status = MPI.Status()
message = comm.mprobe(source=MPI.ANY_SOURCE, tag=3, status=status)
assert status.source == previous
assert message.recv() == "x" * 100000 + str(previous)
request.wait()

for root in range(size):
    assert comm.bcast(thing if rank == root else None, root=root)["rank"] == root
    everything = comm.gather(rank * "ab", root=root)
    assert everything == ([r * "ab" for r in range(size)] if rank == root else None)
    part = comm.scatter([(root, r) for r in range(size)] if rank == root else None, root=root)
    assert part == (root, rank)
assert comm.allgather(str(rank)) == [str(r) for r in range(size)]
assert comm.alltoall([(rank, r) for r in range(size)]) == [(r, rank) for r in range(size)]
assert comm.allreduce(rank + 1) == size * (size + 1) // 2
# Concatenation does not commute: the order of ranks is kept.
assert comm.allreduce([rank]) == list(range(size))
assert comm.scan(rank) == rank * (rank + 1) // 2
