"""Runs a test of the integration binary with more than it does in `cargo test`, and tells how it went."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The processor's share is what others on the machine leave; a test may wait for them.
PATIENCE = 4 * 3600


def test_program():
    """The integration tests as a program, built if need be."""
    command = ["cargo", "test", "--locked", "--test", "it", "--no-run", "--message-format=json"]
    told = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    parts = (json.loads(line) for line in told.splitlines() if line.startswith("{"))
    return next(part["executable"] for part in parts if part.get("executable") and part["target"]["name"] == "it")


def run(program, tests, environment):
    """Runs these tests; gives the seconds it took, or ends with what they said."""
    begin = time.monotonic()
    done = subprocess.run([program, "--exact", *tests], cwd=ROOT, env={**os.environ, **environment},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=PATIENCE)
    passed = f"test result: ok. {len(tests)} passed" in done.stdout
    if "*** SKIPPED" in done.stdout or not passed:
        sys.exit(f"{done.stdout[-8000:]}\nfailed with {environment}")
    return time.monotonic() - begin
