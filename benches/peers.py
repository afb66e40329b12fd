"""The other mail servers for assistants, and the IMAP server they read: installed, configured and started here."""

import grp
import os
import pwd
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass

import workbench as bench

USER, PASSWORD = "bench", "secret"
OLDEST_NODE = 22  # what email-mcp asks for


@dataclass
class Peer:
    """How a server is started and what its tools are called."""

    name: str
    command: list
    environment: dict
    newest: tuple   # tool and arguments that list the newest 20
    search: tuple   # tool and arguments that find a word; the word goes where WORD stands
    sender: tuple   # the same for an address

    def conversation(self):
        return bench.Conversation(self.command, self.environment)


WORD = object()


def filled(call, word):
    tool, arguments = call
    return tool, {name: word if value is WORD else value for name, value in arguments.items()}


def installed(tools, place, port):
    """The peers that could be installed; the others are named on standard error."""
    found = []
    for make in (mcp_email_server, email_mcp):
        try:
            found.append(make(tools, place, port))
        except (OSError, subprocess.SubprocessError) as error:
            bench.note(f"{make.__name__.replace('_', '-')} is left out: {error}")
    return found


def mcp_email_server(tools, place, port):
    """mcp-email-server, from the Python package index"""
    venv = tools / "mcp-email-server"
    program = venv / "bin/mcp-email-server"
    if not program.exists():
        bench.note("installing mcp-email-server")
        _quietly([sys.executable, "-m", "venv", venv])
        _quietly([venv / "bin/pip", "install", "--quiet", "mcp-email-server"])
    home = place / "mcp-email-server"
    account = {"EMAIL_ADDRESS": bench.ACCOUNT, "USER_NAME": USER, "PASSWORD": PASSWORD, "IMAP_HOST": "127.0.0.1",
               "IMAP_PORT": str(port), "IMAP_SSL": "false", "SMTP_HOST": "127.0.0.1",
               "CREDENTIAL_STORAGE": "plaintext", "CONFIG_PATH": str(home / "config.toml")}
    environment = bench.isolated(home) | {f"MCP_EMAIL_SERVER_{name}": value for name, value in account.items()}
    version = bench.first_line(venv / "bin/python", "-c",
                               "from importlib.metadata import version; print(version('mcp-email-server'))")
    listing = {"account_name": "default", "page_size": 20}
    return Peer(f"mcp-email-server {version}", [program, "stdio"], environment,
                ("list_emails_metadata", listing), ("list_emails_metadata", listing | {"text": WORD}),
                ("list_emails_metadata", listing | {"from_address": WORD}))


def email_mcp(tools, place, port):
    """https://www.npmjs.com/package/@codefuturist/email-mcp"""
    folder = tools / "email-mcp"
    program = folder / "node_modules/@codefuturist/email-mcp/dist/main.js"
    if not program.exists():
        bench.note("installing @codefuturist/email-mcp")
        folder.mkdir(parents=True, exist_ok=True)
        _npm_install(folder, "@codefuturist/email-mcp")
    account = {"ADDRESS": bench.ACCOUNT, "USERNAME": USER, "PASSWORD": PASSWORD, "IMAP_HOST": "127.0.0.1",
               "IMAP_PORT": str(port), "IMAP_TLS": "false", "SMTP_HOST": "127.0.0.1"}
    environment = bench.isolated(place / "email-mcp") | {f"MCP_EMAIL_{name}": value for name, value in account.items()}
    node = _node(folder)
    version = bench.first_line(node, "-p", f"require('{program.parent.parent}/package.json').version")
    listing = {"account": "default", "pageSize": 20}
    return Peer(f"email-mcp {version}", [node, program, "stdio"], environment,
                ("list_emails", listing), ("search_emails", listing | {"query": WORD}),
                ("list_emails", listing | {"from": WORD}))


def _node(folder):
    """The installed node if it is new enough, otherwise one from the registry."""
    installed = shutil.which("node")
    if installed and int(bench.first_line(installed, "--version").lstrip("v").split(".")[0]) >= OLDEST_NODE:
        return installed
    package = f"node-linux-{'arm64' if os.uname().machine == 'aarch64' else 'x64'}"
    program = folder / "node_modules" / package / "bin/node"
    if not program.exists():
        _npm_install(folder, f"{package}@24")
    return program


def _npm_install(folder, package):
    _quietly(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, package])


def _quietly(command):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


# -- dovecot -------------------------------------------------------------------------------------------

@contextmanager
def imap_server(maildir, place):
    """Dovecot 2.3 on loopback with this Maildir as everybody's INBOX; gives its port."""
    os.environ["PATH"] += ":/usr/sbin"  # not everybody's path names it
    bench.need(dovecot="dovecot-imapd")
    port = _free_port()
    folder = place / "dovecot"
    folder.mkdir()
    _hand_over(maildir, place)
    (folder / "dovecot.conf").write_text(_configuration(folder, maildir, port))
    server = subprocess.Popen(["dovecot", "-F", "-c", str(folder / "dovecot.conf")], stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, server, folder / "log")
        yield port
    finally:
        server.terminate()
        server.wait()


def _owner():
    """Dovecot reads no mail as root."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())


def _hand_over(maildir, place):
    if os.geteuid() != 0:
        return
    place.chmod(0o711)
    for folder, _, names in os.walk(maildir):
        for path in (folder, *(os.path.join(folder, name) for name in names)):
            os.chown(path, _owner().pw_uid, _owner().pw_gid)


def _configuration(folder, maildir, port):
    owner = _owner()
    accounts = (f"default_internal_user = {owner.pw_name}\ndefault_login_user = {owner.pw_name}\n"
                f"default_internal_group = {grp.getgrgid(owner.pw_gid).gr_name}\n")
    return f"""{'' if os.geteuid() == 0 else accounts}base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
mail_location = maildir:{maildir}:INDEX={maildir}/index
mail_fsync = never
mail_max_userip_connections = 100
namespace inbox {{
  inbox = yes
  separator = /
}}
passdb {{
  driver = static
  args = password={PASSWORD}
}}
userdb {{
  driver = static
  args = uid={owner.pw_uid} gid={owner.pw_gid} home={maildir}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
"""


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_for(port, server, log):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.05)
    sys.exit(f"dovecot does not start:\n{log.read_text(errors='replace') if log.exists() else ''}")
