"""What every client does: look for something, read it, ask for something wrong."""

ACCOUNT = "ada.berg@example.org"
QUERY = "subject:re"


def check(good, what):
    if not good:
        raise SystemExit(f"WRONG {what}")
