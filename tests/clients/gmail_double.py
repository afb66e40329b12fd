"""Google's own Python client against the tests' double of the Gmail API: what the client takes for Gmail is good
enough for us. Usage: gmail_double.py URL; the double must be empty."""

import base64
import json
import sys
import urllib.error
import urllib.request
from importlib import resources

from google.auth.exceptions import RefreshError
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build_from_document
from googleapiclient.errors import HttpError

URL = sys.argv[1].rstrip("/")
done = 0


def check(name, holds, seen=None):
    global done
    if not holds:
        sys.exit(f"failed: {name}: {seen!r}")
    done += 1


def service(refresh="1//refresh"):
    documents = resources.files("googleapiclient") / "discovery_cache" / "documents"
    document = json.loads((documents / "gmail.v1.json").read_text())
    document.update(rootUrl=f"{URL}/", baseUrl=f"{URL}/", mtlsRootUrl=f"{URL}/")
    credentials = Credentials(None, refresh_token=refresh, token_uri=f"{URL}/token", client_id="x", client_secret="y")
    return build_from_document(document, credentials=credentials)


def encoded(raw):
    return base64.urlsafe_b64encode(raw).decode()


def letter(number):
    return (f"From: carol@example.org\r\nTo: ada@example.org\r\nSubject: Letter {number}\r\n"
            f"Message-ID: <l{number}@example.org>\r\n\r\nna\u00efve {number}\r\n").encode()


def error_of(call):
    try:
        call.execute()
    except HttpError as error:
        return error.resp.status, json.loads(error.content)["error"]
    return 200, {}


gmail = service().users()
messages, labels, history, drafts = gmail.messages(), gmail.labels(), gmail.history(), gmail.drafts()
me = {"userId": "me"}

profile = gmail.getProfile(**me).execute()
check("profile", profile["emailAddress"] == "ada@example.org" and profile["historyId"].isdigit(), profile)
start = profile["historyId"]

# Messages: insert, get in all formats, modify, trash, delete.
made = [messages.insert(**me, body={"raw": encoded(letter(n)), "labelIds": ["INBOX", "UNREAD"]}).execute() for n in range(7)]
ids = [one["id"] for one in made]
check("ids are 16 hex digits", all(len(one) == 16 and int(one, 16) for one in ids), ids)
raw = messages.get(**me, id=ids[3], format="raw").execute()
check("bytes come back", base64.urlsafe_b64decode(raw["raw"] + "===") == letter(3), raw)
check("numbers are text", raw["internalDate"].isdigit() and raw["historyId"].isdigit(), raw)
minimal = messages.get(**me, id=ids[3], format="minimal").execute()
check("minimal has no payload", "payload" not in minimal and "raw" not in minimal, minimal)
fields = messages.get(**me, id=ids[3], format="metadata", metadataHeaders=["Subject"]).execute()["payload"]["headers"]
check("metadata", fields == [{"name": "Subject", "value": "Letter 3"}], fields)
changed = messages.modify(**me, id=ids[0], body={"addLabelIds": ["STARRED"], "removeLabelIds": ["UNREAD"]}).execute()
check("modify", sorted(changed["labelIds"]) == ["INBOX", "STARRED"], changed)
check("modify an unknown label", error_of(messages.modify(**me, id=ids[0], body={"addLabelIds": ["NOPE"]}))[0] == 400)
messages.batchModify(**me, body={"ids": ids[1:3], "addLabelIds": ["IMPORTANT"]}).execute()
check("batchModify", "IMPORTANT" in messages.get(**me, id=ids[2], format="minimal").execute()["labelIds"])
check("trash", "TRASH" in messages.trash(**me, id=ids[4]).execute()["labelIds"])
check("untrash", "TRASH" not in messages.untrash(**me, id=ids[4]).execute()["labelIds"])
messages.trash(**me, id=ids[4]).execute()
messages.delete(**me, id=ids[6]).execute()
status, error = error_of(messages.get(**me, id=ids[6]))
check("a deleted message is not found", (status, error["errors"][0]["reason"]) == (404, "notFound"), error)
check("import", messages.import_(**me, body={"raw": encoded(letter(9)), "labelIds": ["SENT"]}).execute()["id"])


# Lists, page by page, with the client's own paging.
def listed(**options):
    request, found = messages.list(**me, maxResults=2, **options), []
    while request is not None:
        page = request.execute()
        found += [one["id"] for one in page.get("messages", [])]
        request = messages.list_next(request, page)
    return found


check("list without trash", len(listed()) == 6 and ids[4] not in listed(), listed())
check("list with trash", sorted(listed(includeSpamTrash=True)) == sorted(set(listed(includeSpamTrash=True))) and len(listed(includeSpamTrash=True)) == 7)
check("list of a label", listed(labelIds=["STARRED"]) == [ids[0]], listed(labelIds=["STARRED"]))
check("an unknown label", error_of(messages.list(**me, labelIds=["NOPE"]))[0] == 400)

# Labels.
label = labels.create(**me, body={"name": "Work"}).execute()
check("create a label", label["name"] == "Work" and label["type"] == "user", label)
check("a name is taken once", error_of(labels.create(**me, body={"name": "work"}))[0] == 409)
check("patch", labels.patch(**me, id=label["id"], body={"name": "Play"}).execute()["name"] == "Play")
check("update", labels.update(**me, id=label["id"], body={"name": "Rest"}).execute()["name"] == "Rest")
check("get a label", labels.get(**me, id=label["id"]).execute()["name"] == "Rest")
every = {one["id"]: one["type"] for one in labels.list(**me).execute()["labels"]}
check("list labels", every["INBOX"] == "system" and every[label["id"]] == "user", every)
messages.modify(**me, id=ids[0], body={"addLabelIds": [label["id"]]}).execute()
labels.delete(**me, id=label["id"]).execute()
check("a deleted label is on no message", label["id"] not in messages.get(**me, id=ids[0], format="minimal").execute()["labelIds"])
check("system labels stay", error_of(labels.delete(**me, id="INBOX"))[0] == 400)

# History.
request, records = history.list(**me, startHistoryId=start, maxResults=3), []
while request is not None:
    page = request.execute()
    records += page.get("history", [])
    request = history.list_next(request, page)
kinds = {kind for record in records for kind in record if kind not in ("id", "messages")}
check("kinds of history", kinds == {"messagesAdded", "messagesDeleted", "labelsAdded", "labelsRemoved"}, kinds)
numbers = [int(record["id"]) for record in records]
check("history is in order", numbers == sorted(numbers) and numbers[0] > int(start), numbers)
only = history.list(**me, startHistoryId=start, historyTypes=["messageDeleted"]).execute()["history"]
check("history of one kind", all("messagesDeleted" in record for record in only), only)
check("nothing since now", "history" not in history.list(**me, startHistoryId=page["historyId"]).execute())
check("too old", error_of(history.list(**me, startHistoryId="0"))[0] == 404)

# Drafts and threads.
draft = drafts.create(**me, body={"message": {"raw": encoded(letter(20))}}).execute()
newer = drafts.update(**me, id=draft["id"], body={"message": {"raw": encoded(letter(21))}}).execute()
check("a draft's message is a new one after an update", newer["id"] == draft["id"] and newer["message"]["id"] != draft["message"]["id"])
check("list drafts", [one["id"] for one in drafts.list(**me).execute()["drafts"]] == [draft["id"]])
got = drafts.get(**me, id=draft["id"], format="raw").execute()
check("get a draft", base64.urlsafe_b64decode(got["message"]["raw"] + "===") == letter(21))
drafts.delete(**me, id=draft["id"]).execute()
check("no drafts", "drafts" not in drafts.list(**me).execute())
check("thread", gmail.threads().get(**me, id=made[0]["threadId"], format="minimal").execute()["messages"][0]["id"] == ids[0])

# Batches, with the client's own reading of them.
answers = {}
batch = service().new_batch_http_request(callback=lambda name, answer, error: answers.update({name: (answer, error)}))
for place, one in enumerate([ids[0], ids[6], ids[1]]):
    batch.add(messages.get(**me, id=one, format="minimal"), request_id=str(place))
batch.add(labels.list(**me), request_id="labels")
batch.execute()
check("batch", answers["0"][0]["id"] == ids[0] and answers["2"][0]["id"] == ids[1] and "labels" in answers["labels"][0], answers)
check("a batch has a status a part", answers["1"][1].resp.status == 404, answers["1"])

# Tokens.
try:
    service("revoked").users().getProfile(**me).execute()
    check("a wrong refresh token is refused", False)
except RefreshError as error:
    check("a wrong refresh token is refused", "invalid_grant" in str(error), error)
try:
    urllib.request.urlopen(urllib.request.Request(f"{URL}/gmail/v1/users/me/profile", headers={"Authorization": "Bearer x"}))
    check("a wrong token is refused", False)
except urllib.error.HTTPError as error:
    body = json.load(error)["error"]
    check("a wrong token is refused", (error.code, body["errors"][0]["reason"]) == (401, "authError"), body)

print(f"{done} checks passed")
