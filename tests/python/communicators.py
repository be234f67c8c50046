# Communicators, groups, topologies, attributes and info objects from Python.
# ranks: 1 2 4
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size

part = comm.Split(rank % 2, -rank)
assert part.size == (size + 1 - rank % 2) // 2
assert part.allreduce(1) == part.size
part.Free()
copy = comm.Dup()
assert MPI.Comm.Compare(comm, copy) == MPI.CONGRUENT
copy.name = "copy"
assert copy.name == "copy"

group = comm.Get_group()
back = group.Range_incl([(size - 1, 0, -1)])
assert MPI.Group.Translate_ranks(group, [0], back) == [size - 1]
turned = copy.Create(back)
assert turned.rank == size - 1 - rank
turned.Free()

dims = MPI.Compute_dims(size, 2)
grid = comm.Create_cart(dims, periods=[True, False])
assert grid.Get_cart_rank(grid.coords) == grid.rank
source, target = grid.Shift(0, 1)
assert grid.sendrecv(grid.rank, target, source=source) == source
grid.Free()

deleted = []
key = MPI.Comm.Create_keyval(
    copy_fn=lambda c, k, value: value + 1,
    delete_fn=lambda c, k, value: deleted.append(value),
)
copy.Set_attr(key, 41)
second = copy.Dup()
assert second.Get_attr(key) == 42
second.Free()
assert deleted == [42]
copy.Free()
assert deleted == [42, 41]
MPI.Comm.Free_keyval(key)

info = MPI.Info.Create()
info["key"] = "value"
assert dict(info) == {"key": "value"}
info.Free()
assert comm.Get_attr(MPI.TAG_UB) >= 32767
assert MPI.Get_version() >= (4, 0)
