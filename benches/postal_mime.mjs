// Reads the messages whose paths come one a line and prints what postal-mime makes of each, as one line of JSON.
// The first argument is the directory of node packages.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { default: PostalMime } = await import(pathToFileURL(`${process.argv[2]}/postal-mime/dist/esm/postal-mime.js`));

const addresses = (list) => (list ?? []).flatMap((entry) => entry.group ?? [entry]).map((entry) => entry.address ?? "");

function attachment({ filename, mimeType, content }) {
    const bytes = Buffer.from(content);
    return { name: filename, type: mimeType, size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

async function reading(path) {
    try {
        const mail = await PostalMime.parse(readFileSync(path), { attachmentEncoding: "arraybuffer" });
        return {
            subject: mail.subject ?? "", from: addresses(mail.from && [mail.from]), to: addresses(mail.to), cc: addresses(mail.cc),
            date: mail.date ?? null, text: mail.text ?? null, html: mail.html ?? null, attachments: mail.attachments.map(attachment),
        };
    } catch (error) {
        return { refused: String(error.message ?? error) };
    }
}

for await (const path of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await reading(path)));
}
