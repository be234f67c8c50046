"""2-D heat flow over a picture with mpi4py and NumPy: heat.c again, to the last bit.

    mpiexec -n 4 python heat.py -o result.png murmuration.png

The same grid of blocks with a frame, the same swaps of edges (columns through a strided datatype)
and the same order of operations per cell. NumPy's ufuncs round after each operation, as heat.c
does with -ffp-contract=off. The sum in the residual runs row by row through add.accumulate, since
numpy.sum adds in pairs.
"""

import argparse
import sys
import zlib

import numpy as np
from mpi4py import MPI

import png

RATE = 0.2  # time step over cell size squared; stable up to 0.25
CHECK_STEPS = 10  # steps from one residual to the next
TAG_BLOCK, TAG_UP, TAG_DOWN, TAG_LEFT, TAG_RIGHT = range(1, 6)
STOPS = np.array([  # heat, red, green, blue: from black through violet and orange to white
    (0.00, 6, 4, 20), (0.16, 38, 14, 78), (0.34, 100, 24, 112), (0.52, 172, 46, 92),
    (0.68, 224, 88, 54), (0.83, 249, 156, 28), (0.94, 253, 218, 88), (1.00, 255, 251, 212),
])


class Failed(Exception):
    """The job cannot go on; every rank raises it, rank 0 has the reason."""


def read_options(rank):
    """The command line; only rank 0 speaks about mistakes, all ranks leave with status 2."""
    parser = argparse.ArgumentParser(prog="heat.py", description="2-D heat flow over a picture")
    parser.add_argument("-i", dest="iterations", type=int, default=300, metavar="N",
                        help="steps to compute, 1 or more (300)")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write the result as a picture")
    parser.add_argument("-d", dest="dump", metavar="FILE",
                        help="write the result as raw numbers, for compare.py")
    parser.add_argument("-q", dest="quiet", action="store_true", help="print only errors")
    parser.add_argument("picture", help="an 8-bit PNG")
    if rank != 0:
        parser._print_message = lambda message, file=None: None
    options = parser.parse_args()
    if not 1 <= options.iterations <= 1000000000:
        parser.error(f"-i takes a number from 1 to 1000000000, not '{options.iterations}'")
    return options


def read_picture(path):
    """Rank 0's picture as temperatures from 0 to 1, and its shape on every rank."""
    plane = problem = None
    if MPI.COMM_WORLD.rank == 0:
        try:
            width, height, channels, pixels = png.read(path)
            p = np.frombuffer(pixels, np.uint8).reshape(height, width, channels)
            p = p.astype(np.float64)
            if channels < 3:
                plane = p[:, :, 0] / 255.0
            else:
                plane = (0.2126 * p[:, :, 0] + 0.7152 * p[:, :, 1] + 0.0722 * p[:, :, 2]) / 255.0
        except png.PngError as error:
            problem = f"{path}: {error}"
        except OSError as error:
            problem = f"{path}: {error.strerror}"
    shape = MPI.COMM_WORLD.bcast(None if plane is None else plane.shape)
    if shape is None:
        raise Failed(problem)
    return plane, shape


def share(total, parts, coordinate):
    """(first, count) of the cells that `coordinate` of `parts` gets: equal but for one."""
    rest = total % parts
    first = coordinate * (total // parts) + min(coordinate, rest)
    return first, total // parts + (coordinate < rest)


class Block:
    """This rank's share of the plane, with the frame around it."""

    def __init__(self, shape):
        self.shape = shape
        dims = MPI.Compute_dims(MPI.COMM_WORLD.size, 2)
        if shape[0] - 2 < dims[0] or shape[1] - 2 < dims[1]:
            raise Failed(f"the picture is too small: {shape[1]} x {shape[0]} pixels for a grid of "
                         f"{dims[1]} x {dims[0]} ranks; start fewer ranks")
        self.grid = MPI.COMM_WORLD.Create_cart(dims, periods=(False, False))
        self.row, self.column, self.rows, self.columns = self.place(self.grid.rank)
        self.up, self.down = self.grid.Shift(0, 1)
        self.left, self.right = self.grid.Shift(1, 1)
        self.now = np.zeros((self.rows + 2, self.columns + 2))
        self.next = np.zeros_like(self.now)
        self.around = np.empty((self.rows, self.columns))
        self.scratch = np.empty_like(self.around)
        self.strided = MPI.DOUBLE.Create_vector(self.rows, 1, self.columns + 2).Commit()

    def place(self, rank):
        """(row, column, rows, columns) of a rank: its frame's corner and its cells."""
        y, x = self.grid.Get_coords(rank)
        row, rows = share(self.shape[0] - 2, self.grid.dims[0], y)
        column, columns = share(self.shape[1] - 2, self.grid.dims[1], x)
        return row, column, rows, columns

    def deal(self, plane):
        """Rank 0 sends everyone's block with its frame."""
        pending = [self.grid.Irecv(self.now, 0, TAG_BLOCK)]
        if self.grid.rank == 0:
            for rank in range(self.grid.size):
                row, column, rows, columns = self.place(rank)
                size, start = (rows + 2, columns + 2), (row, column)
                window = MPI.DOUBLE.Create_subarray(self.shape, size, start).Commit()
                pending.append(self.grid.Isend([plane, 1, window], rank, TAG_BLOCK))
                window.Free()
        MPI.Request.Waitall(pending)

    def collect(self, plane):
        """Rank 0 receives everyone's cells without the frame."""
        own = MPI.DOUBLE.Create_subarray(self.now.shape, self.around.shape, (1, 1)).Commit()
        pending = [self.grid.Isend([self.now, 1, own], 0, TAG_BLOCK)]
        own.Free()
        if self.grid.rank == 0:
            for rank in range(self.grid.size):
                row, column, rows, columns = self.place(rank)
                size, start = (rows, columns), (row + 1, column + 1)
                window = MPI.DOUBLE.Create_subarray(self.shape, size, start).Commit()
                pending.append(self.grid.Irecv([plane, 1, window], rank, TAG_BLOCK))
                window.Free()
        MPI.Request.Waitall(pending)

    def swap_edges(self):
        """Fills the frame with the neighbours' edges; at the plane's rim it stays as it is."""
        grid, cells, column = self.grid, self.now.reshape(-1), self.strided
        pitch, rows, columns = self.columns + 2, self.rows, self.columns
        first, last = pitch + 1, rows * pitch + 1
        double = MPI.DOUBLE
        MPI.Request.Waitall([
            grid.Irecv([cells[1:], columns, double], self.up, TAG_DOWN),
            grid.Irecv([cells[last + pitch:], columns, double], self.down, TAG_UP),
            grid.Irecv([cells[pitch:], 1, column], self.left, TAG_RIGHT),
            grid.Irecv([cells[first + columns:], 1, column], self.right, TAG_LEFT),
            grid.Isend([cells[first:], columns, double], self.up, TAG_UP),
            grid.Isend([cells[last:], columns, double], self.down, TAG_DOWN),
            grid.Isend([cells[first:], 1, column], self.left, TAG_LEFT),
            grid.Isend([cells[first + columns - 1:], 1, column], self.right, TAG_RIGHT),
        ])

    def step(self):
        """One time step, in the order of operations that heat.c has."""
        now, around, scratch = self.now, self.around, self.scratch
        here = now[1:-1, 1:-1]
        np.add(now[:-2, 1:-1], now[2:, 1:-1], out=around)
        np.add(now[1:-1, :-2], now[1:-1, 2:], out=scratch)
        np.add(around, scratch, out=around)
        np.multiply(here, 4.0, out=scratch)
        np.subtract(around, scratch, out=around)
        np.multiply(around, RATE, out=around)
        np.add(here, around, out=self.next[1:-1, 1:-1])
        self.now, self.next = self.next, self.now

    def measure(self):
        """The residual over all ranks: largest change, and the sum of squared changes."""
        change, squares = self.around, self.scratch
        np.subtract(self.now[1:-1, 1:-1], self.next[1:-1, 1:-1], out=change)
        np.multiply(change, change, out=squares)
        own = np.abs(change).max(), np.add.accumulate(squares.reshape(-1))[-1]
        largest, total = np.empty(1), np.empty(1)
        self.grid.Allreduce(np.array(own[:1]), largest, MPI.MAX)
        self.grid.Allreduce(np.array(own[1:]), total, MPI.SUM)
        return float(largest[0]), float(total[0])

    def simulate(self, iterations):
        """Runs all steps. Returns the last one's residual, and the seconds they took."""
        self.next[...] = self.now  # for the border in the frame
        self.grid.Barrier()
        begin = MPI.Wtime()
        for i in range(1, iterations + 1):
            self.swap_edges()
            self.step()
            if i % CHECK_STEPS == 0 or i == iterations:
                residual = self.measure()
        return residual, MPI.Wtime() - begin


def write_picture(path, plane):
    """Writes the plane with its coldest cell as black and its hottest as white."""
    low, high = plane.min(), plane.max()
    heat = (plane - low) / (high - low) if high > low else np.zeros_like(plane)
    colours = [np.interp(heat, STOPS[:, 0], STOPS[:, c]) + 0.5 for c in (1, 2, 3)]
    pixels = np.stack(colours, axis=2).astype(np.uint8)
    png.write(path, plane.shape[1], plane.shape[0], pixels.tobytes())


def report(options, block, plane, residual, seconds):
    """Rank 0 tells what came out and writes the files."""
    if not options.quiet:
        dims = block.grid.dims
        print(f"heat.py: {plane.shape[1]} x {plane.shape[0]} cells on {block.grid.size} ranks "
              f"({dims[0]} x {dims[1]}), {options.iterations} iterations")
        print(f"heat.py: {options.iterations / seconds:.1f} iterations per second")
        print(f"heat.py: residual max {residual[0]:.17g} ({residual[0].hex()}), "
              f"squares {residual[1]:.17g} ({residual[1].hex()})")
        print(f"heat.py: field crc32 {zlib.crc32(plane.tobytes()):08x}")
    try:
        if options.out:
            write_picture(options.out, plane)
        if options.dump:
            with open(options.dump, "wb") as out:
                out.write(np.array(plane.shape, np.int64).tobytes())
                out.write(np.array(residual).tobytes())
                out.write(plane.tobytes())
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    return None


def run(options):
    """Everything between reading the picture and the report."""
    plane, shape = read_picture(options.picture)
    block = Block(shape)
    block.deal(plane)
    residual, seconds = block.simulate(options.iterations)
    block.collect(plane)
    problem = None
    if block.grid.rank == 0:
        problem = report(options, block, plane, residual, seconds)
    if block.grid.bcast(problem is not None):
        raise Failed(problem)


def main():
    """The program of one rank; its exit status."""
    rank = MPI.COMM_WORLD.rank
    options = read_options(rank)
    try:
        run(options)
    except Failed as problem:
        if rank == 0:
            print(f"heat.py: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
