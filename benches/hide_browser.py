"""Debian's Chromium as a judge of what can be read: many small documents side by side in one page, rendered twice with
different words of the same letters, and the pixels that differ counted by the browser itself.

Spoken to over two pipes, so that no port is open and nothing but the standard library is needed. Nothing is fetched.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile

FIRST, SECOND = "zanthoquimber", "quimberzantho"
HIDDEN_BELOW, VISIBLE_FROM = 60, 150
WINDOW = (1024, 768)
# What is looked at first of each document; the whole window only where nothing is seen there.
PEEK = (680, 200)
COLUMNS = 2
# Nobody can say whether a person would scroll further.
FARTHEST = 3500

PAGE = r"""
let frames = [];
const settle = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
async function load(sources, boxes) {
  for (const frame of frames) frame.wrap.remove();
  frames = sources.map((source, n) => {
    const wrap = document.createElement('div');
    const [x, y, w, h, fw, fh] = boxes[n];
    wrap.style.cssText = `position:absolute;overflow:hidden;left:${x}px;top:${y}px;width:${w}px;height:${h}px;contain:strict`;
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-same-origin');
    frame.style.cssText = `position:absolute;left:0;top:0;width:${fw}px;height:${fh}px;border:0;background:#fff;color-scheme:light`;
    wrap.append(frame); document.body.append(wrap);
    const doc = frame.contentDocument;
    doc.open(); doc.write(source); doc.close();
    // A person opens them with a click.
    doc.querySelectorAll('details').forEach(details => details.open = true);
    return {wrap, frame};
  });
  await settle();
  return frames.map(({frame}) => {
    const doc = frame.contentDocument;
    let moving = 0;
    for (const animation of doc.getAnimations()) {
      try { animation.finish(); } catch { moving++; }
    }
    const root = doc.scrollingElement || doc.documentElement;
    return {moving, width: root ? root.scrollWidth : 0, height: root ? root.scrollHeight : 0};
  });
}
async function swap(from, to) {
  for (const {frame} of frames) {
    const doc = frame.contentDocument;
    const roots = [doc];
    for (const root of roots) {
      const walker = doc.createTreeWalker(root, NodeFilter.SHOW_ALL);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.nodeType === 3 && node.data.includes(from)) node.data = node.data.replaceAll(from, to);
        if (node.nodeType === 1) {
          for (const attribute of node.attributes) {
            if (attribute.value.includes(from)) attribute.value = attribute.value.replaceAll(from, to);
          }
          if (node.shadowRoot) roots.push(node.shadowRoot);
          if ((node.localName === 'textarea' || node.localName === 'input') && node.value.includes(from)) node.value = node.value.replaceAll(from, to);
        }
      }
    }
  }
  await settle();
}
async function pixels(data) {
  const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + data)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d', {willReadFrequently: true});
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.width, image.height);
}
let held = null;
async function hold(data) { held = await pixels(data); }
async function differences(data, boxes) {
  const other = await pixels(data), a = held.data, b = other.data, width = held.width;
  return boxes.map(([left, top, w, h]) => {
    let count = 0;
    for (let y = top; y < top + h; y++) {
      for (let i = 4 * (y * width + left), end = i + 4 * w; i < end; i += 4) {
        const luma = 0.299 * (a[i] - b[i]) + 0.587 * (a[i + 1] - b[i + 1]) + 0.114 * (a[i + 2] - b[i + 2]);
        if (luma > 24 || luma < -24) count++;
      }
    }
    return count;
  });
}
function supported(properties, values) {
  return Object.fromEntries(properties.map(p => [p, values.filter(v => CSS.supports(p, v))]));
}
function properties() {
  const names = new Set();
  for (const name in document.documentElement.style) {
    const dashed = name.replace(/[A-Z]/g, c => '-' + c.toLowerCase());
    for (const one of [dashed, dashed.replace(/^webkit-/, '-webkit-')]) if (CSS.supports(one, 'initial')) names.add(one);
  }
  return [...names].sort();
}
"""


def found():
    return shutil.which("chromium")


class Browser:
    """One headless browser. Use as a context."""

    def __init__(self, nice=19):
        self.nice = nice

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="mailkeep-chromium-", ignore_cleanup_errors=True)
        read_end, self.to = os.pipe()
        self.back, write_end = os.pipe()
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--disable-background-networking",
                   "--host-resolver-rules=MAP * ~NOTFOUND", "--hide-scrollbars", "--force-color-profile=srgb", "--disable-dev-shm-usage",
                   "--disable-extensions", "--no-first-run", "--mute-audio", "--disable-features=Translate,OptimizationHints",
                   f"--user-data-dir={self.profile.name}", "about:blank"]
        wiring = f'exec nice -n {self.nice} chromium "$@" 3<&{read_end} 4>&{write_end}'
        self.process = subprocess.Popen(["sh", "-c", wiring, "sh", *options], pass_fds=(read_end, write_end),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_end)
        os.close(write_end)
        self.number, self.rest = 0, b""
        self.page, self.judge = self.open_page(), self.open_page()
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (OSError, EOFError):
            pass
        self.process.wait(timeout=30)
        os.close(self.to)
        os.close(self.back)
        self.profile.cleanup()

    def open_page(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable", session)
        frame = self.call("Page.getFrameTree", session)["frameTree"]["frame"]["id"]
        content = "<!doctype html><meta charset=utf-8><style>html,body{margin:0;background:#fff}</style><body>"
        self.call("Page.setDocumentContent", session, frameId=frame, html=content)
        self.evaluate(session, PAGE + "; null")
        return session

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise OSError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.back, 1 << 20)
            if not more:
                raise EOFError("the browser is gone")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def evaluate(self, session, code):
        answer = self.call("Runtime.evaluate", session, expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise OSError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def ask(self, session, function, *arguments):
        return self.evaluate(session, f"{function}({', '.join(json.dumps(argument) for argument in arguments)})")

    def picture(self, width, height):
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        return self.call("Page.captureScreenshot", self.page, format="png", clip=clip, optimizeForSpeed=True)["data"]

    def judge_all(self, sources):
        """For each document `hidden`, `visible`, or None where that cannot be said."""
        peeked = self.compared(sources, PEEK, [WINDOW] * len(sources))
        answers = [verdict(count, info) for count, info in peeked]
        again = [n for n, (count, _) in enumerate(peeked) if count < VISIBLE_FROM]
        for start in range(0, len(again), 8):
            chunk = again[start : start + 8]
            whole = self.compared([sources[n] for n in chunk], WINDOW, [WINDOW] * len(chunk))
            for n, (count, info) in zip(chunk, whole):
                answers[n] = verdict(count, info)
                if answers[n] == "hidden" and scrolls(info):
                    answers[n] = self.scrolled(sources[n], info)
        return [None if answer == "visible" and cannot_tell(source) else answer for source, answer in zip(sources, answers)]

    def scrolled(self, source, info):
        """What can only be seen further down or to the right is neither shown nor hidden."""
        size = (max(info["width"], WINDOW[0]), max(info["height"], WINDOW[1]))
        # Lengths of the window grow with it, and so do shares of a page's height in quirks mode and those of its width.
        grows = (r"\d(vh|vb|vmin|vmax|vw|vi|lh|cq\w+)\b|stretch|fill-available|(height|block-size) *: *[\d.]+%|height=.?[\d.]+%"
                 r"|(margin|padding)[\w-]* *:[^;\"']*\d%")
        if re.search(grows, source, re.IGNORECASE) or size[0] > FARTHEST or size[1] > FARTHEST:
            return None
        count, _ = self.compared([source], size, [size])[0]
        return "hidden" if count < HIDDEN_BELOW else None

    def compared(self, sources, size, windows):
        width, height = size
        boxes = [((n % COLUMNS) * width, (n // COLUMNS) * height, width, height, *windows[n]) for n in range(len(sources))]
        whole = (min(len(sources), COLUMNS) * width, -(-len(sources) // COLUMNS) * height)
        self.call("Emulation.setDeviceMetricsOverride", self.page, width=whole[0], height=whole[1], deviceScaleFactor=1, mobile=False)
        self.call("Page.bringToFront", self.page)
        infos = self.ask(self.page, "load", [source.replace("@WORD@", FIRST) for source in sources], boxes)
        first = self.picture(*whole)
        unsteady = [0] * len(sources)
        self.ask(self.judge, "hold", first)
        if any(info["moving"] or re.search("<(marquee|progress)", source) for info, source in zip(infos, sources)):
            unsteady = self.ask(self.judge, "differences", self.picture(*whole), boxes)
        self.ask(self.page, "swap", FIRST, SECOND)
        counts = self.ask(self.judge, "differences", self.picture(*whole), boxes)
        for info, count in zip(infos, unsteady):
            info["unsteady"] = count >= HIDDEN_BELOW
        return list(zip(counts, infos))


def cannot_tell(source):
    """Whether pixels that differ say nothing: a frame has no ground that something in it could be mixed with, as a page
    has, and two words under thick strokes differ and cannot be read."""
    return "blend" in source.lower() or "text-stroke" in source.lower()


def verdict(count, info):
    if info["unsteady"]:
        return None
    return "hidden" if count < HIDDEN_BELOW else "visible" if count >= VISIBLE_FROM else None


def scrolls(info):
    return info["width"] > WINDOW[0] or info["height"] > WINDOW[1]


def save_picture(browser, source, path):
    """For looking at one document."""
    browser.compared([source], WINDOW, [WINDOW])
    with open(path, "wb") as file:
        file.write(base64.b64decode(browser.picture(*WINDOW)))
