"""The clients and suites that others wrote, in pinned versions, installed below target/test-tools.

What cannot be installed here is told by name and left out; nothing is fetched twice.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

NODE_PACKAGES = {
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/inspector": "2.12.0",
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/ext-tasks": "0.2.2",
    "@modelcontextprotocol/sdk": "1.32.2",
    "axe-core": "4.14.0",
}
PYTHON_PACKAGES = {"python-2": "mcp==2.3.0", "python-1": "mcp==1.30.0", "google-client": "google-api-python-client==2.202.0",
                   "requests": "requests==2.32.5", "pages": "mcp==2.3.0 playwright==1.65.0"}
SDKS = ("python-2", "python-1")
FROM_NPM = "conformance suite, Inspector and TypeScript clients"
NEWEST_NODE = "24"
LEAST_NODE = 22


class Toolbox:
    """What could be installed; `missing` says what could not, and why."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.missing = {}
        self.node = self.attempt(FROM_NPM, self.find_node)
        self.packages = self.node and self.attempt(FROM_NPM, self.install_packages)
        self.pythons = {name: self.attempt(name, self.install_python, name) for name in SDKS}
        self.google = self.attempt("google-client", self.install_python, "google-client")
        self.requests = self.attempt("requests", self.install_python, "requests")
        self.pages = self.attempt("pages", self.install_python, "pages")

    def attempt(self, name, install, *arguments):
        try:
            return install(*arguments)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            told = getattr(error, "stderr", None) or str(error)
            self.missing[name] = told.strip().splitlines()[-1] if told.strip() else type(error).__name__
            return None

    def find_node(self):
        """A node that is new enough: the system's, or one from npm."""
        own = shutil.which("node")
        if own and major_version(own) >= LEAST_NODE:
            return Path(own)
        package = node_package()
        place = self.directory / "node24"
        binary = place / "node_modules" / package / "bin" / "node"
        if not binary.exists():
            npm_install(place, {package: NEWEST_NODE})
        return binary

    def install_packages(self):
        place = self.directory / "node"
        pinned = place / "pinned.json"
        wanted = json.dumps(NODE_PACKAGES, sort_keys=True)
        if not pinned.exists() or pinned.read_text() != wanted:
            npm_install(place, NODE_PACKAGES, self.node)
            pinned.write_text(wanted)
        return place / "node_modules"

    def install_python(self, name):
        place = self.directory / name
        pinned = place / "pinned.txt"
        if not pinned.exists() or pinned.read_text() != PYTHON_PACKAGES[name]:
            run(["python3", "-m", "venv", "--clear", place])
            pip = [place / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "--retries=3"]
            run([*pip, *PYTHON_PACKAGES[name].split()])
            pinned.write_text(PYTHON_PACKAGES[name])
        return place / "bin" / "python"

    def environment(self):
        """The environment in which programs of node packages run."""
        places = [str(self.node.parent), str(self.packages / ".bin"), os.environ.get("PATH", "")]
        return {**os.environ, "PATH": os.pathsep.join(places), "NODE_PACKAGES": str(self.packages)}


def skip(what, reason):
    """Says what does not run here. Where nothing may be missing that ends everything; elsewhere it is counted."""
    print(f"*** SKIPPED {what}: {reason} ***", file=sys.stderr, flush=True)
    if os.environ.get("MAILKEEP_REQUIRE_ALL", "0") not in ("", "0"):
        sys.exit(f"{what}: {reason}, and MAILKEEP_REQUIRE_ALL is set")
    if gathered := os.environ.get("MAILKEEP_SKIPPED"):
        with open(gathered, "a") as file:
            file.write(f"{what}: {reason}\n")


def node_package():
    systems = {"Linux": "linux", "Darwin": "darwin"}
    machines = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
    system, machine = systems.get(platform.system()), machines.get(platform.machine().lower())
    if not system or not machine:
        raise ValueError(f"no node {NEWEST_NODE} for {platform.system()} on {platform.machine()}")
    return f"node-{system}-{machine}"


def npm_install(place, packages, node=None):
    place.mkdir(parents=True, exist_ok=True)
    (place / "package.json").write_text(json.dumps({"private": True, "dependencies": packages}))
    environment = dict(os.environ)
    if node:
        environment["PATH"] = os.pathsep.join([str(node.parent), environment.get("PATH", "")])
    quiet = ["--silent", "--no-audit", "--no-fund", "--no-progress"]
    run(["npm", "install", "--ignore-scripts", "--fetch-retries=3", *quiet], cwd=place, env=environment)


def major_version(node):
    told = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30).stdout
    return int(told.strip().lstrip("v").split(".")[0] or 0)


def run(command, **options):
    subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, timeout=600, **options)
