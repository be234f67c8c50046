# Predefined and own reduction operations, on buffers and on objects; structured data types.
# ranks: 1 2 4
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size


def longest(inbuf, inoutbuf, datatype):
    a, b = np.frombuffer(inbuf, "i"), np.frombuffer(inoutbuf, "i")
    np.maximum(a % 7, b % 7, out=b)


own = MPI.Op.Create(longest, commute=True)
data = (np.arange(200, dtype="i") + rank) % 7
result = np.zeros_like(data)
comm.Allreduce(data, result, op=own)
assert (result == np.max([(np.arange(200) + r) % 7 for r in range(size)], axis=0)).all()
own.Free()

for op, combine in [
    (MPI.MAX, np.maximum),
    (MPI.MIN, np.minimum),
    (MPI.PROD, np.multiply),
    (MPI.BXOR, np.bitwise_xor),
]:
    mine = (np.arange(30, dtype="l") + 3 * rank) % 5
    got = np.zeros_like(mine)
    comm.Allreduce(mine, got, op=op)
    wanted = np.arange(30) % 5
    for r in range(1, size):
        wanted = combine(wanted, (np.arange(30) + 3 * r) % 5)
    assert (got == wanted).all(), op

assert comm.allreduce(((rank * 3) % size, rank), op=MPI.MAXLOC)[0] == max(
    (r * 3) % size for r in range(size)
)
record = np.dtype([("a", "i4"), ("b", "f8"), ("c", "i2", 3)], align=True)
kind = MPI.Datatype.Create_struct(
    [1, 1, 3], [record.fields[f][1] for f in "abc"], [MPI.INT, MPI.DOUBLE, MPI.SHORT]
).Create_resized(0, record.itemsize).Commit()
rows = np.zeros(20, record)
rows["a"], rows["b"], rows["c"] = rank, rank * 0.5, 7
got = np.zeros(20, record)
following, previous = (rank + 1) % size, (rank - 1) % size
comm.Sendrecv([rows, 20, kind], following, recvbuf=[got, 20, kind], source=previous)
assert (got["a"] == previous).all() and (got["c"] == 7).all()
assert (got["b"] == previous * 0.5).all()
