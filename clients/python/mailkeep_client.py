"""Sends mail through a running `mailkeep serve`, over its plain HTTP interface.

    client = MCPEmailClient("http://127.0.0.1:8025")
    answer = client.send_email("bob@example.org", "Hello", "Hi Bob.")
    client.get_email_status(answer["messageId"])["status"]

A message waits for the owner's approval unless they let mail leave at once; `status` in the answer says which. A call
that failed on its way is made again under the same key, so that it can never become a second message. Needs `requests`.
"""

from __future__ import annotations

import json
import logging
import time
import uuid
from pathlib import Path

import requests

__all__ = ["MCPEmailClient", "MCPError", "NetworkError"]

SEND_TIMEOUT = 30
VALIDATE_TIMEOUT = 5
RETRIES = 3
RETRY_DELAY = 2.0
LOG = logging.getLogger("mailkeep_client")


class MCPError(Exception):
    """The server answered with an error. `code` is its errorCode, `retryable` whether the same call may work later."""

    def __init__(self, message, code="INTERNAL_ERROR", retryable=False, retry_after=None, status=None):
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.retry_after = retry_after
        self.status = status


class NetworkError(MCPError):
    """The server could not be reached, or did not answer."""

    def __init__(self, message):
        super().__init__(message, code="NETWORK_ERROR", retryable=True)


class MCPEmailClient:
    """One server. `token` is needed where the owner lets mail leave at once; `audit_log` is a file that gets one line a
    call, with neither addresses nor text."""

    def __init__(self, server_url: str, token: str | None = None, audit_log: str | Path | None = None,
                 retries: int = RETRIES, retry_delay: float = RETRY_DELAY):
        self.server_url = server_url.rstrip("/")
        self.session = requests.Session()
        # Whatever proxy is set for the web, mail for this machine does not go there.
        self.session.trust_env = False
        if token:
            self.session.headers["Authorization"] = f"Bearer {token}"
        self.audit_log = Path(audit_log) if audit_log else None
        self.retries = max(1, retries)
        self.retry_delay = retry_delay

    def send_email(self, to: str | list[str], subject: str, body: str, **kwargs) -> dict:
        """Send an email.

        Args:
            to: Recipient email address(es)
            subject: Email subject
            body: Email body (plain text or HTML)
            **kwargs: Optional fields (cc, bcc, from, replyTo, attachments, idempotencyKey). `from_` stands for `from`,
                which Python keeps for itself.

        Returns:
            Response dictionary with success, messageId, timestamp, status and message

        Raises:
            MCPError: If the server returns an error
            NetworkError: If the server cannot be reached
        """
        if "from_" in kwargs:
            kwargs["from"] = kwargs.pop("from_")
        payload = {"to": to, "subject": subject, "body": body, **kwargs}
        # One key for all tries of this call: whatever got lost on the way, it is the same message.
        payload.setdefault("idempotencyKey", str(uuid.uuid4()))
        return self._call("send-email", payload, SEND_TIMEOUT)

    def get_email_status(self, message_id: str) -> dict:
        """What became of a message: messageId, status, timestamp, error."""
        return self._call("get-email-status", {"messageId": message_id}, SEND_TIMEOUT)

    def validate_email(self, email: str) -> bool:
        """Validate email address format."""
        return self._call("validate-email", {"email": email}, VALIDATE_TIMEOUT)["valid"]

    def _call(self, tool, payload, timeout):
        begun = time.monotonic()
        tries = 0
        while True:
            tries += 1
            try:
                answer = self._post(tool, payload, timeout)
                self._log(tool, begun, tries, "success", answer.get("messageId"))
                return answer
            except MCPError as error:
                if not self._is_transient(error) or tries >= self.retries:
                    self._log(tool, begun, tries, "failure", None, error)
                    raise
                LOG.warning("%s failed (%s), try %d of %d", tool, error.code, tries, self.retries)
                time.sleep(self.retry_delay * 2 ** (tries - 1))

    @staticmethod
    def _is_transient(error):
        """A lost connection and 5xx may pass; what the server refuses (4xx) it refuses again."""
        return isinstance(error, NetworkError) or (error.status or 0) >= 500

    def _post(self, tool, payload, timeout):
        try:
            response = self.session.post(f"{self.server_url}/{tool}", json=payload, timeout=timeout)
        except requests.exceptions.RequestException as error:
            raise NetworkError(f"MCP server error: {type(error).__name__}") from error
        try:
            answer = response.json()
        except ValueError:
            answer = {}
        if response.ok and isinstance(answer, dict) and answer.get("success", True):
            return answer
        error = answer if isinstance(answer, dict) else {}
        raise MCPError(error.get("error", f"MCP server error: HTTP {response.status_code}"),
                       code=error.get("errorCode", "INTERNAL_ERROR"), retryable=error.get("retryable", False),
                       retry_after=error.get("retryAfter"), status=response.status_code)

    def _log(self, tool, begun, tries, result, message_id, error=None):
        entry = {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "action_type": tool.replace("-", "_"),
            "actor": "mcp_client",
            "parameters": {"messageId": message_id},
            "result": result,
            "execution_time_ms": round((time.monotonic() - begun) * 1000),
            "retry_count": tries - 1,
            "error": error.code if error else None,
        }
        LOG.info("%s %s", tool, result)
        if self.audit_log:
            self.audit_log.parent.mkdir(parents=True, exist_ok=True)
            with open(self.audit_log, "a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
