"""The first program: every rank says who it is. Run: mpiexec -n 4 python hello.py"""

from mpi4py import MPI

world = MPI.COMM_WORLD
print(f"hello from rank {world.rank} of {world.size} on {MPI.Get_processor_name()}")
