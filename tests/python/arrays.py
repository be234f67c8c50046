# NumPy arrays as buffers: every element type, non-contiguous slices, collectives in place.
# ranks: 1 2 4
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
following, previous = (rank + 1) % size, (rank - 1) % size

for code in "bhilqBHILQfdgFDG?":
    data = (np.arange(1000) % 100 + rank).astype(code)
    got = np.zeros_like(data)
    comm.Sendrecv(data, following, recvbuf=got, source=previous)
    assert (got == (np.arange(1000) % 100 + previous).astype(code)).all(), code

for code in "hilqfd":
    total = np.zeros(50, code)
    comm.Allreduce(np.full(50, rank + 1, code), total)
    assert (total == size * (size + 1) // 2).all(), code

big = np.arange(1 << 20, dtype="d") + rank
request = comm.Isend(big, following)
got = np.empty_like(big)
comm.Recv(got, previous)
request.Wait()
assert got[0] == previous and got[-1] == (1 << 20) - 1 + previous

matrix = np.arange(300.0).reshape(15, 20) + rank
column = MPI.DOUBLE.Create_vector(15, 1, 20).Commit()
got = np.zeros(15)
comm.Sendrecv([matrix, 1, column], following, recvbuf=got, source=previous)
assert (got == np.arange(0, 300, 20) + previous).all()
column.Free()

shared = np.zeros((size, 7), "i")
shared[rank] = rank * 10 + np.arange(7)
comm.Allgather(MPI.IN_PLACE, shared)
assert (shared == np.arange(size)[:, None] * 10 + np.arange(7)).all()

counts = [r + 1 for r in range(size)]
offsets = np.concatenate([[0], np.cumsum(counts)[:-1]])
collected = np.full(sum(counts), -1, "i")
comm.Allgatherv(np.full(counts[rank], rank, "i"), [collected, counts, offsets, MPI.INT])
assert (collected == np.repeat(np.arange(size), counts)).all()
