"""What the bench scripts share: mail in, programs measured, tables out. Python 3.11 standard library only.

Every program runs with a home of its own, so nothing of the person's configuration takes part.
"""

import argparse
import gzip
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from conversation import Conversation

PROJECT = Path(__file__).resolve().parent.parent
DEFAULT_BINARY = PROJECT / "target/dist/mailkeep"
ACCOUNT = "bench@example.org"
SAMPLE_SECONDS = 0.05
MU_FOUND_NOTHING = 4


# -- the command line and what must be installed -------------------------------------------------------

def arguments(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mailkeep", metavar="PATH", type=Path, default=DEFAULT_BINARY,
                        help="the binary; built with `cargo build --profile dist` if absent (default: target/dist/mailkeep)")
    parser.add_argument("--dir", metavar="DIR", type=Path, help="where temporary files go (default: the system's)")
    return parser


def mailkeep_binary(path):
    if path.exists():
        return path.resolve()
    if path != DEFAULT_BINARY:
        sys.exit(f"cannot find `{path}`\nhint: leave out --mailkeep to build it")
    subprocess.run(["cargo", "build", "--profile", "dist"], cwd=PROJECT, check=True)
    return path


def need(**packages):
    """Makes sure that programs are there: `need(mu="maildir-utils")`."""
    missing = {package for program, package in packages.items() if not shutil.which(program)}
    if not missing:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", *sorted(missing)]
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(f"missing programs\nhint: install {' '.join(sorted(missing))}, on Debian: sudo {' '.join(command)}")
    print(f"installing {' '.join(sorted(missing))}", file=sys.stderr)
    subprocess.run(["apt-get", "update"], stdout=subprocess.DEVNULL)
    if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"could not install {' '.join(sorted(missing))}")


@contextmanager
def workplace(parent=None):
    path = Path(tempfile.mkdtemp(prefix="mailkeep-bench-", dir=parent))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


# -- mail ----------------------------------------------------------------------------------------------

@contextmanager
def opened(path):
    """A byte stream of a file that may be .gz or .zst."""
    if path.suffix == ".gz":
        with gzip.open(path, "rb") as stream:
            yield stream
    elif path.suffix == ".zst":
        need(zstd="zstd")
        with subprocess.Popen(["zstd", "-dcq", str(path)], stdout=subprocess.PIPE) as unpack:
            yield unpack.stdout
    else:
        with open(path, "rb") as stream:
            yield stream


def split_mbox(lines):
    """The messages of an mbox, as bytes, one at a time.

    A message begins at a `From ` line that opens the file or follows a blank line; that blank line belongs to
    the format. One `>` comes off every `>From `, `>>From ` ... (mboxrd).
    """
    message, started, after_blank = [], False, True
    for line in lines:
        if after_blank and line.startswith(b"From "):
            if started:
                yield b"".join(message[:-1] if message and not message[-1].strip(b"\r\n") else message)
            message, started, after_blank = [], True, False
            continue
        after_blank = line in (b"\n", b"\r\n")
        if line.startswith(b">") and line.lstrip(b">").startswith(b"From "):
            line = line[1:]
        message.append(line)
    if started:
        yield b"".join(message[:-1] if message and not message[-1].strip(b"\r\n") else message)


def messages_of(path):
    """Every message of an mbox (packed or not) or of a Maildir."""
    if path.is_dir():
        for name in maildir_files(path):
            yield name.read_bytes()
        return
    with opened(path) as stream:
        yield from split_mbox(stream)


def maildir_files(path):
    return sorted(name for folder in ("cur", "new") for name in path.glob(f"**/{folder}/*") if name.is_file())


def write_maildir(messages, path, unread_every=0):
    """All messages are read, but for one in `unread_every`."""
    for folder in ("cur", "new", "tmp"):
        (path / folder).mkdir(parents=True)
    for number, message in enumerate(messages):
        flags = "" if unread_every and number % unread_every == 0 else "S"
        (path / "cur" / f"{number:08}.bench:2,{flags}").write_bytes(message)
    return path


def as_maildir(path, into):
    """The Maildir the peers read: the given one, or one made from an mbox."""
    return path if path.is_dir() else write_maildir(messages_of(path), into)


def bytes_below(path):
    """Bytes that the files below `path` occupy, as their sizes add up."""
    return sum(name.stat().st_size for name in path.rglob("*") if name.is_file())


# -- running and measuring -----------------------------------------------------------------------------

@dataclass
class Run:
    seconds: float
    peak_rss: int      # bytes, with mapped files
    peak_private: int  # bytes, RssAnon
    processor: float   # seconds, of all its threads and children
    output: bytes


def measured(command, environment):
    """Runs to the end; memory is sampled from /proc, because a child's ru_maxrss counts its parent's pages too."""
    begin, before = time.perf_counter(), processor_seconds()
    with subprocess.Popen([str(part) for part in command], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        peaks = {"VmHWM": 0, "RssAnon": 0}
        sampler = threading.Thread(target=_sample, args=(process, peaks))
        sampler.start()
        output, complaint = process.communicate()
        seconds = time.perf_counter() - begin
        sampler.join()
    if process.returncode != 0:
        sys.exit(f"`{' '.join(map(str, command))}` failed with {process.returncode}:\n"
                 f"{complaint.decode(errors='replace')}{output.decode(errors='replace')}")
    return Run(seconds, peaks["VmHWM"], peaks["RssAnon"], processor_seconds() - before, output)


def processor_seconds():
    """What the programs that have ended took of the processors: other work disturbs it less than the clock."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _sample(process, peaks):
    while process.returncode is None:
        try:
            for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
                name, _, value = line.partition(":")
                if name in peaks:
                    peaks[name] = max(peaks[name], int(value.split()[0]) * 1024)
        except (OSError, ProcessLookupError, ValueError):
            return
        time.sleep(SAMPLE_SECONDS)


def timed(command, environment, accepted=(0,)):
    """Wall milliseconds and output of a short command; no sampling, so that it disturbs nothing."""
    begin = time.perf_counter()
    done = subprocess.run([str(part) for part in command], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=False)
    elapsed = (time.perf_counter() - begin) * 1000
    if done.returncode not in accepted:
        sys.exit(f"`{' '.join(map(str, command))}` failed with {done.returncode}:\n"
                 f"{done.stderr.decode(errors='replace')}{done.stdout.decode(errors='replace')}")
    return elapsed, done.stdout


def isolated(home):
    """The environment of a program that must see none of the person's own files."""
    home.mkdir(parents=True, exist_ok=True)
    keep = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**keep, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "TZ": "UTC"}


class Mailkeep:
    """One home of mailkeep and the commands that the benches use."""

    def __init__(self, binary, home):
        self.binary, self.home = binary, home
        self.environment = {**isolated(home.parent / f"{home.name}-user"), "MAILKEEP_HOME": str(home)}

    def command(self, *parts):
        return [str(self.binary), *map(str, parts)]

    def import_command(self, path):
        return self.command("import", path, "--account", ACCOUNT, "--json")

    def import_mail(self, path):
        return measured(self.import_command(path), self.environment)

    def json(self, *parts):
        """Wall milliseconds and the answer of a command that prints JSON."""
        elapsed, output = timed(self.command(parts[0], "--json", *parts[1:]), self.environment)
        return elapsed, json.loads(output)

    # `--` ends the options: a query may begin with a minus.
    def search(self, query, limit=50):
        return self.json("search", "--limit", limit, "--", query)

    def count(self, query=""):
        return self.json("count", "--", query)

    def conversation(self):
        return Conversation(self.command("mcp"), self.environment)

    def version(self):
        return timed(self.command("--version"), self.environment)[1].decode().strip()


class Notmuch:
    """notmuch with its own database and configuration beside a Maildir that it only reads."""

    name = "notmuch"

    def __init__(self, home, maildir, extra=""):
        self.home = home
        self.environment = {**isolated(home), "NOTMUCH_CONFIG": str(home / "config")}
        self.database = home / "database"
        self.database.mkdir()
        (home / "config").write_text(
            f"[database]\npath={self.database}\nmail_root={maildir.resolve()}\nhook_dir={home}/no-hooks\n"
            f"[user]\nname=Bench\nprimary_email={ACCOUNT}\n[new]\ntags=unread;inbox\n[search]\nexclude_tags=\n"
            f"[maildir]\nsynchronize_flags=false\n{extra}")

    def index(self):
        return measured(["notmuch", "new", "--no-hooks", "--quiet"], self.environment)

    def search_ms(self, query, form="text"):
        command = ["notmuch", "search", "--output=summary", f"--format={form}", "--limit=50", "--sort=newest-first", query]
        return timed(command, self.environment)[0]

    def json(self, *parts):
        return json.loads(timed(["notmuch", *parts], self.environment)[1])

    def count(self, query="*"):
        return int(timed(["notmuch", "count", query], self.environment)[1])


class Mu:
    """mu with its own database beside a Maildir that it only reads."""

    name = "mu"

    def __init__(self, home, maildir):
        self.home, self.database = home, home / "database"
        self.environment = isolated(home)
        timed(["mu", "init", f"--muhome={self.database}", f"--maildir={maildir.resolve()}", "--quiet"], self.environment)

    def index(self):
        return measured(["mu", "index", f"--muhome={self.database}", "--quiet"], self.environment)

    def search_ms(self, query):
        command = ["mu", "find", f"--muhome={self.database}", "-n", "50", "--sortfield=date", "--reverse", query]
        return timed(command, self.environment, accepted=(0, MU_FOUND_NOTHING))[0]


def empty_process_ms():
    """What starting any program costs here; it is part of every CLI figure."""
    return statistics.median(timed(["true"], os.environ.copy())[0] for _ in range(20))


# -- figures -------------------------------------------------------------------------------------------

def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def p50_p99(values):
    return f"{percentile(values, 0.5):.2f} / {percentile(values, 0.99):.2f}" if values else "-"


def megabytes(count):
    return f"{count / 1e6:.0f} MB"


def table(header, rows):
    """A Markdown table: first column left, figures right."""
    print("| " + " | ".join(header) + " |")
    print("|" + "|".join(["---"] + ["---:"] * (len(header) - 1)) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print(flush=True)


def note(text):
    """Progress, kept out of what goes into BENCHMARKS.md."""
    print(text, file=sys.stderr, flush=True)


def machine(*versions):
    model = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), "unknown processor")
    memory = int(Path("/proc/meminfo").read_text().split()[1]) * 1024
    print(f"Machine: {len(os.sched_getaffinity(0))} cores ({model}), {memory / 1e9:.0f} GB memory, "
          f"Linux {os.uname().release}; {'; '.join(versions)}; "
          f"an empty process takes {empty_process_ms():.1f} ms, which is part of every CLI figure.\n", flush=True)


def first_line(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0]
