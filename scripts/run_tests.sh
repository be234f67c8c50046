#!/bin/bash
# Runs every test and adds up what they report; the last line is "N passed, N failed".
# Called by `make test` when everything is built and staged. Status 1 when anything failed.
#
# Each group runs under a time limit and into a log in target/test-logs. A group that fails without
# counting a failure itself (it did not build, it was killed) counts as one.
set -u

cd "$(dirname -- "$0")/.." || exit 1
export STARLING_PREFIX=${STARLING_PREFIX:-$PWD/target/starling}
export STARLING_PYTHON=${STARLING_PYTHON:-$PWD/target/venv/bin/python}
cargo=${CARGO:-cargo}
logs=target/test-logs
passed_all=0
failed_all=0
failed_groups=''
mkdir -p "$logs"

# The tests are compiled for themselves: quick to build, optimised, and with assertions on.
# What the launched tests start is the staged release build.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true

running=''
trap '[ -n "$running" ] && kill "$running" 2>/dev/null; exit 130' INT TERM

# Prints "passed failed" of a log: cargo's result lines, and the last line of our scripts.
count() {
    awk '
        /^test result:/ {
            for (i = 1; i < NF; i++) {
                if ($(i + 1) ~ /^passed/) passed += $i
                if ($(i + 1) ~ /^failed/) failed += $i
            }
        }
        /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
        END { print passed + 0, failed + 0 }' "$1"
}

# group NAME SECONDS KIND COMMAND...: KIND `tests` counts what the command reports; `one` makes
# the whole command one test.
group() {
    local name=$1 seconds=$2 kind=$3 log status passed=0 failed=0
    shift 3
    log=$logs/${name// /-}.log
    printf '\n== %s\n' "$name"
    # timeout(1) makes a process group of its own, so Ctrl-C has to be handed on.
    timeout -k 10 "$seconds" "$@" > >(tee "$log") 2>&1 </dev/null &
    running=$!
    wait "$running"
    status=$?
    wait # for tee
    if [ "$kind" = tests ]; then
        read -r passed failed < <(count "$log")
    elif [ "$status" -eq 0 ]; then
        passed=1
    fi
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        echo "$name: not done after $seconds s"
    fi
    if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
    if [ "$kind" = tests ] && [ "$passed" -eq 0 ] && [ "$failed" -eq 0 ]; then
        echo "$name: ran no test"
        failed=1
    fi
    passed_all=$((passed_all + passed))
    failed_all=$((failed_all + failed))
    if [ "$failed" -ne 0 ]; then failed_groups="$failed_groups, $name ($log)"; fi
    printf -- '-- %s: %d passed, %d failed, %d s so far\n' "$name" "$passed" "$failed" "$SECONDS"
}

group 'Rust tests' 500 tests "$cargo" test --workspace --release --no-fail-fast \
    --exclude starling-tests
group 'launched tests' 300 tests "$cargo" test -p starling-tests --release --no-fail-fast
group 'generated files' 120 one "$cargo" run -q -p xtask -- check
group 'mpi.h against the standard' 120 one "$cargo" run -q -p xtask -- header-check
group 'exports against the standard' 120 one \
    "$cargo" run -q -p xtask -- exports "$STARLING_PREFIX/lib/libmpi_abi.so.1"
group 'tidy' 120 one "$cargo" run -q -p xtask -- tidy
group 'compiler wrappers' 120 tests sh scripts/check_wrappers.sh
group 'examples' 240 tests sh scripts/check_examples.sh

printf '\n'
if [ -n "$failed_groups" ]; then echo "failures in: ${failed_groups#, }"; fi
printf '%d passed, %d failed\n' "$passed_all" "$failed_all"
[ "$failed_all" -eq 0 ]
