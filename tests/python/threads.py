# Python threads that talk at the same time, each on a communicator of its own.
# ranks: 1 2 4
import threading

from mpi4py import MPI

assert MPI.Query_thread() == MPI.THREAD_MULTIPLE
world = MPI.COMM_WORLD
comms = [world.Dup() for _ in range(4)]
wrong = []
# mpi4py makes a second communicator for reductions of objects, under one lock for all of them: two
# threads that come there in different orders on two ranks would wait for each other.
for comm in comms:
    comm.allreduce(0)


def work(number):
    comm = comms[number]
    following, previous = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    for turn in range(20):
        got = comm.sendrecv((number, turn, comm.rank), following, source=previous)
        if got != (number, turn, previous):
            wrong.append(got)
        if comm.allreduce(turn) != turn * comm.size:
            wrong.append(turn)


threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not wrong, wrong[:3]
for comm in comms:
    comm.Free()
