# Counting checks in a script: `. scripts/tally.sh`, then `check` for each, and `tally` at the end.
# Sourced by the check_*.sh scripts; their last line, "N passed, N failed", is what run_tests.sh
# adds up. Not run on its own. POSIX sh has no local variables, so these carry a prefix.
# shellcheck shell=sh

passed=0
failed=0
check_seconds_max=${check_seconds_max:-120}

pass() {
    passed=$((passed + 1))
    printf 'ok      %s\n' "$1"
}

# fail NAME DETAIL: counts a failure and shows why.
fail() {
    failed=$((failed + 1))
    printf 'FAILED  %s\n' "$1"
    printf '%s\n' "$2" | sed 's/^/        | /'
}

# Runs a command under the time limit: its output in $output, its status in $tally_status.
# In the foreground group, so that Ctrl-C reaches it; launchers take their ranks down themselves.
attempt() {
    tally_status=0
    output=$(timeout --foreground -k 10 "$check_seconds_max" "$@" 2>&1 </dev/null) ||
        tally_status=$?
}

# check NAME COMMAND...: passes when the command ends with status 0. Its output is in $output.
check() {
    tally_name=$1
    shift
    attempt "$@"
    if [ "$tally_status" -eq 0 ]; then
        pass "$tally_name"
    else
        fail "$tally_name" "$output
status $tally_status of: $*"
    fi
}

# refuses NAME STATUS TEXT COMMAND...: passes when the command ends with this status and its
# output holds the text.
refuses() {
    tally_name=$1 tally_wanted=$2 tally_text=$3
    shift 3
    attempt "$@"
    case $tally_status:$output in
        "$tally_wanted:"*"$tally_text"*) pass "$tally_name" ;;
        *) fail "$tally_name" "$output
status $tally_status, wanted $tally_wanted with '$tally_text', of: $*" ;;
    esac
}

# says NAME TEXT COMMAND...: passes when the command succeeds and its whole output is the text.
says() {
    tally_name=$1 tally_text=$2
    shift 2
    attempt "$@"
    if [ "$tally_status:$output" = "0:$tally_text" ]; then
        pass "$tally_name"
    else
        fail "$tally_name" "$output
status $tally_status, wanted: $tally_text"
    fi
}

# The closing line; its status is the script's.
tally() {
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
