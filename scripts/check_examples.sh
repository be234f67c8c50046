#!/bin/sh
# Checks the examples on a staged installation: the heat field has the same bits in C and Python
# and for every number of ranks, mistakes get a sentence and a status, hello greets from each rank,
# and mpi4py's own small benchmarks run. Called by run_tests.sh; STARLING_PREFIX and
# STARLING_PYTHON name another installation.
set -u

cd "$(dirname -- "$0")/.." || exit 1
. scripts/tally.sh
bin=$(cd "${STARLING_PREFIX:-target/starling}/bin" && pwd -P) || exit 1
python=${STARLING_PYTHON:-$PWD/target/venv/bin/python}
heat=examples/heat
picture=$heat/murmuration.png
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# crc FILE: the checksum that a run of the heat example printed.
crc() { sed -n 's/.*crc32 //p' "$1"; }

# Every rank count gives the field of one rank; C and Python also agree on the residual.
same_bits() {
    for ranks in 1 2 3 4 7; do
        check "heat.c on $ranks ranks" "$bin/mpiexec" -n $ranks "$work/heat" -i 60 \
            -d "$work/c.bin" -o "$work/c.png" $picture
        printf '%s\n' "$output" >"$work/c$ranks.txt"
        check "heat.py on $ranks ranks" "$bin/mpiexec" -n $ranks "$python" $heat/heat.py -i 60 \
            -d "$work/py.bin" -o "$work/py.png" $picture
        check "the same bits on $ranks ranks" \
            "$python" $heat/compare.py "$work/c.bin" "$work/py.bin"
        check "the same picture on $ranks ranks" cmp "$work/c.png" "$work/py.png"
        says "the field of one rank on $ranks ranks" "$(crc "$work/c1.txt")" \
            sed -n 's/.*crc32 //p' "$work/c$ranks.txt"
        rm -f "$work/c.bin" "$work/py.bin"
    done
    # One bit more or less must be seen.
    "$bin/mpiexec" -n 2 "$work/heat" -q -i 3 -d "$work/a.bin" $picture
    "$bin/mpiexec" -n 2 "$work/heat" -q -i 4 -d "$work/b.bin" $picture
    refuses "compare.py sees a difference" 1 "differ" \
        "$python" $heat/compare.py "$work/a.bin" "$work/b.bin"
}

mistakes() {
    head -c 5000 $picture >"$work/short.png"
    "$python" - "$work/tiny.png" <<'END'
import sys
sys.path.insert(0, "examples/heat")
import png
png.write(sys.argv[1], 4, 3, bytes(range(36)))
END
    for program in "$work/heat" $heat/heat.py; do
        case $program in *.py) run=$python ;; *) run='' ;; esac
        # shellcheck disable=SC2086 # nothing, or the interpreter
        set -- "$bin/mpiexec" -n 2 $run "$program"
        refuses "no picture: ${program##*/}" 2 usage "$@"
        refuses "a bad number: ${program##*/}" 2 "'-3'" "$@" -i -3 $picture
        refuses "a missing file: ${program##*/}" 1 "no.png: No such file" "$@" no.png
        refuses "not a PNG: ${program##*/}" 1 "is not a PNG file" "$@" $heat/heat.c
        refuses "half a PNG: ${program##*/}" 1 "ends too early" "$@" "$work/short.png"
        refuses "more ranks than cells: ${program##*/}" 1 "too small" "$@" "$work/tiny.png"
        refuses "a folder that is not there: ${program##*/}" 1 "no/such/x.png" \
            "$@" -q -i 1 -o no/such/x.png $picture
    done
}

greetings() {
    for run in "$work/hello" "$python examples/hello/hello.py"; do
        # shellcheck disable=SC2086 # a command line
        check "${run##*/} on 4 ranks" "$bin/mpiexec" -n 4 $run
        for rank in 0 1 2 3; do
            case $output in
                *"hello from rank $rank of 4 on "*) ;;
                *) fail "rank $rank greets" "$output" ;;
            esac
        done
    done
}

mpi4py_benchmarks() {
    for ranks in 2 4 8; do
        check "mpi4py.bench helloworld, $ranks ranks" \
            "$bin/mpiexec" -n $ranks "$python" -m mpi4py.bench helloworld
        check "mpi4py.bench ringtest, $ranks ranks" \
            "$bin/mpiexec" -n $ranks "$python" -m mpi4py.bench ringtest -l 10 -n 1024
        check "mpi4py.bench pingpong, $ranks ranks" \
            "$bin/mpiexec" -n $ranks "$python" -m mpi4py.bench pingpong -m 1 -n 65536 \
            --skip-large 10 --loop-large 10 --skip 10 --loop 10
    done
}

check "heat.c compiles" "$bin/mpicc" -O3 -ffp-contract=off -Wall -Wextra -Werror \
    $heat/heat.c $heat/png.c -lz -lm -o "$work/heat"
check "hello.c compiles" "$bin/mpicc" -Wall -Wextra -Werror examples/hello/hello.c \
    -o "$work/hello"
check "latency.c compiles" "$bin/mpicc" -Wall -Wextra -Werror bench/latency.c -o "$work/latency"
check "latency runs" "$bin/mpiexec" -n 2 "$work/latency" -b 3 -n 10
refuses "latency needs two ranks" 2 "needs 2 ranks" "$bin/mpiexec" -n 1 "$work/latency"
same_bits
mistakes
greetings
mpi4py_benchmarks
tally
