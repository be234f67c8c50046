#!/bin/sh
# Prints the first Python that can build and run extensions: 3.9 or newer, with `venv`, pip for it
# and its C headers. Called by setup.sh and python_env.sh. Exit status 1 when there is none.
for python in ${PYTHON:-} python3 /usr/bin/python3; do
    if "$python" - >/dev/null 2>&1 <<'END'
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(sys.version_info < (3, 9) or not os.path.exists(header))
END
    then
        command -v "$python"
        exit 0
    fi
done
exit 1
