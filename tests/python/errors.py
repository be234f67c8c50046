# Errors become exceptions with the right class; the world works on afterwards.
# ranks: 1 2
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


def raises(expected, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except MPI.Exception as error:
        assert error.Get_error_class() == expected, (error, expected)
        assert str(error)
    else:
        raise AssertionError(f"{call} did not raise")


data = np.zeros(4, "i")
raises(MPI.ERR_RANK, comm.Send, data, dest=comm.size)
raises(MPI.ERR_TAG, comm.Send, data, dest=0, tag=-9)
raises(MPI.ERR_ROOT, comm.Bcast, data, root=comm.size)
raises(MPI.ERR_TYPE, comm.Send, [data, 4, MPI.DATATYPE_NULL], dest=0)
raises(MPI.ERR_COMM, MPI.COMM_NULL.Get_size)
request = comm.Isend(data, comm.rank)
small = np.zeros(1, "i")
raises(MPI.ERR_TRUNCATE, comm.Recv, small, comm.rank)
try:
    request.Wait()
except MPI.Exception:
    pass  # whether the sender of a truncated message hears of it is left open
assert comm.allreduce(1) == comm.size
