"""Compares two raw results of the heat example (option -d) bit by bit; status 1 if they differ.

    python3 compare.py c.bin python.bin

Layout of a file: rows and columns as int64, the residual as two doubles, then the cells row by
row as doubles. Needs the standard library only.
"""

import struct
import sys


def load(path):
    """(rows, columns, residual bytes, cell bytes) of a file."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < 32:
        sys.exit(f"compare.py: {path} is too short for a result")
    rows, columns = struct.unpack_from("=qq", data)
    if len(data) != 32 + 8 * rows * columns:
        sys.exit(f"compare.py: {path} should hold {rows} x {columns} cells and does not")
    return rows, columns, data[16:32], data[32:]


def main():
    """Says whether the two results are the same, and else where they part."""
    if len(sys.argv) != 3:
        sys.exit("usage: compare.py first.bin second.bin")
    try:
        first, second = load(sys.argv[1]), load(sys.argv[2])
    except OSError as error:
        sys.exit(f"compare.py: {error.filename}: {error.strerror}")
    if first[:2] != second[:2]:
        sys.exit(f"compare.py: {first[0]} x {first[1]} cells against {second[0]} x {second[1]}")
    if first[2] != second[2]:
        a, b = (struct.unpack("=dd", r[2]) for r in (first, second))
        sys.exit("compare.py: the residuals differ: max {} and {}, squares {} and {}".format(
            a[0].hex(), b[0].hex(), a[1].hex(), b[1].hex()))
    if first[3] != second[3]:
        cells = first[0] * first[1]
        a, b = (struct.unpack(f"={cells}d", r[3]) for r in (first, second))
        apart = [i for i in range(cells)
                 if first[3][8 * i:8 * i + 8] != second[3][8 * i:8 * i + 8]]
        row, column = divmod(apart[0], first[1])
        sys.exit(f"compare.py: {len(apart)} of {cells} cells differ, the first at row {row}, "
                 f"column {column}: {a[apart[0]].hex()} and {b[apart[0]].hex()}")
    peak, squares = struct.unpack("=dd", first[2])
    print(f"identical to the last bit: {first[0] * first[1]} cells, "
          f"residual max {peak.hex()}, squares {squares.hex()}")


if __name__ == "__main__":
    main()
