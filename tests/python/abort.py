# An exception on one rank ends the whole job with a traceback.
# ranks: 2 4
# expect-exit: nonzero
# expect-stderr: nobody catches this
# timeout: 20
from mpi4py import MPI

comm = MPI.COMM_WORLD
if comm.rank == 1:
    raise RuntimeError("nobody catches this")
comm.recv(source=1)
print("FAIL still here")
