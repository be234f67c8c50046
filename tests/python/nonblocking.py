# Requests of all kinds in lists: waitall, waitany, testall, persistent, non-blocking collectives.
# ranks: 1 2 4
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
following, previous = (rank + 1) % size, (rank - 1) % size

out = [np.full(100 * i, rank * 100 + i) for i in range(20)]
got = [np.zeros(100 * i, out[0].dtype) for i in range(20)]
requests = [comm.Irecv(g, previous, tag=i) for i, g in enumerate(got)]
requests += [comm.Isend(o, following, tag=i) for i, o in enumerate(out)]
MPI.Request.Waitall(requests)
for i, g in enumerate(got):
    assert (g == previous * 100 + i).all()

requests = [comm.irecv(source=previous, tag=i) for i in range(10)]
sends = [comm.isend({"number": i, "from": rank}, following, tag=i) for i in reversed(range(10))]
values = MPI.Request.waitall(requests)
assert values == [{"number": i, "from": previous} for i in range(10)]
MPI.Request.waitall(sends)

number = np.array([rank], "i")
arrived = np.array([-1], "i")
send = comm.Send_init(number, following, tag=5)
receive = comm.Recv_init(arrived, previous, tag=5)
for turn in range(5):
    number[0] = rank + turn * 10
    MPI.Prequest.Startall([receive, send])
    MPI.Request.Waitall([receive, send])
    assert arrived[0] == previous + turn * 10
send.Free()
receive.Free()

total = np.zeros(1000)
everything = np.zeros(size, "i")
# mpi4py does not keep the send buffers of collectives alive: the program has to.
operand = np.full(1000, 1.0 + rank)
mine = np.array([rank], "i")
requests = [
    comm.Iallreduce(operand, total),
    comm.Ibarrier(),
    comm.Iallgather(mine, everything),
]
while not MPI.Request.Testall(requests):
    pass
assert (total == size * (size + 1) / 2).all()
assert (everything == np.arange(size)).all()
