"""What every client does: call every tool, read a resource, take a prompt, ask for something wrong."""

import json
from pathlib import Path

ERRAND = json.loads((Path(__file__).parent / "errand.json").read_text())


def check(good, what):
    if not good:
        raise SystemExit(f"WRONG {what}")


class Errand:
    """The calls in order; what an answer gave goes into the calls behind it."""

    def __init__(self):
        self.kept = {}

    def calls(self):
        for call in ERRAND["calls"]:
            arguments = {name: self.filled_in(value) for name, value in call["arguments"].items()}
            yield call, call["tool"], arguments

    def filled_in(self, value):
        is_name = isinstance(value, str) and value.startswith("$")
        return self.kept[value[1:]] if is_name else value

    def answered(self, call, failed, text, data):
        check(not failed and text and isinstance(data, dict), f"{call['tool']}: {text}")
        for name, path in call.get("keep", {}).items():
            found = data
            for step in path:
                found = found[step]
            self.kept[name] = found
