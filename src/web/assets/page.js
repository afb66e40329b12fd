// What the pages do beyond forms and links. Nothing here decides anything: every yes is a form that the person sends.
"use strict";

const body = document.body;
const base = body.dataset.base;

// A link from a chat leads to the door, which does not know this browser: its address does. Only pages of this very
// address and port can read it.
if (base) {
  localStorage.setItem("base", base);
} else if (body.dataset.door) {
  const known = localStorage.getItem("base");
  if (known) {
    fetch(`${known}/state`, { redirect: "error" }).then(
      (answer) => (answer.ok ? location.replace(known + body.dataset.door) : localStorage.removeItem("base")),
      () => localStorage.removeItem("base"),
    );
  }
}

// The page behind a one-time link signs in by itself, once somebody looks at it.
const entry = document.querySelector("form[data-enter]");
if (entry) {
  const enter = () => document.visibilityState === "visible" && entry.requestSubmit();
  enter();
  document.addEventListener("visibilitychange", enter, { once: true });
}

// A yes can be clicked a second after the page is in front, and a second after it was covered: whoever puts something
// under the pointer at the last moment wins nothing.
const armed = [...document.querySelectorAll("button[data-arm]")];
let arming = 0;
function disarm() {
  clearTimeout(arming);
  armed.forEach((button) => (button.disabled = true));
  arming = setTimeout(arm, 1000);
}
function arm() {
  if (document.visibilityState !== "visible" || !document.hasFocus()) {
    arming = setTimeout(arm, 1000);
    return;
  }
  armed.forEach((button) => {
    button.disabled = button.dataset.needs === "pick" && !button.form.querySelector("input[name=pick]:checked");
    button.form.querySelectorAll("input[name=armed]").forEach((field) => (field.value = "1"));
  });
}
if (armed.length) {
  disarm();
  ["focus", "blur", "resize"].forEach((name) => window.addEventListener(name, disarm));
  document.addEventListener("visibilitychange", disarm);
  document.addEventListener("change", (event) => event.target.name === "pick" && disarm());
}

// How long something can still be taken back.
document.querySelectorAll("[data-until]").forEach((place) => {
  const left = () => Math.max(0, Math.ceil(place.dataset.until - Date.now() / 1000));
  const tell = () => (place.textContent = left() === 1 ? "1 second" : `${left()} seconds`);
  tell();
  setInterval(tell, 250);
});

// What changes elsewhere is seen here: the page is loaded anew, unless something is being typed into it. Such a load says
// so: it is no look of the person's, who may not be there. When they load the page themselves, it is one.
function anew() {
  const item = body.dataset.watch === "outbox" ? location.pathname : `${base}/outbox/${body.dataset.watch}`;
  const address = new URL(item, location.origin);
  if (item === location.pathname) address.search = location.search;
  address.searchParams.delete("done");
  address.searchParams.set("again", "1");
  return address.href;
}
if (new URLSearchParams(location.search).has("again")) {
  const address = new URL(location.href);
  address.searchParams.delete("again");
  history.replaceState(null, "", address.href);
}
// A form that is on its way leads to a page of its own, which must not be overtaken.
let leaving = false;
document.addEventListener("submit", () => (leaving = true));
window.addEventListener("pageshow", () => (leaving = false));
if (base && body.dataset.watch) {
  const watch = `${base}/state?of=${encodeURIComponent(body.dataset.watch)}`;
  const typed = () => [...document.querySelectorAll("input, textarea")].some((field) =>
    field.type === "radio" || field.type === "checkbox" ? field.checked !== field.defaultChecked
      : field.type !== "hidden" && field.value !== field.defaultValue);
  const look = async () => {
    if (document.visibilityState !== "visible") return;
    const answer = await fetch(watch, { redirect: "error" }).catch(() => null);
    if (!answer || !answer.ok) return;
    if ((await answer.text()) === body.dataset.state || leaving) return;
    if (!typed()) location.replace(anew());
    else document.getElementById("changed").hidden = false;
  };
  setInterval(look, 1500);
}

// A passkey signs exactly what the form is about. The question comes from the server, the answer goes with the form.
function failed(form, error) {
  leaving = false;
  let place = form.querySelector("[data-failed]");
  if (!place) {
    place = document.createElement("p");
    place.dataset.failed = "";
    place.className = "note bad";
    place.setAttribute("role", "alert");
    form.append(place);
  }
  place.textContent = `The passkey was not used: ${error.message || error}. Nothing was decided.`;
}
async function ask(address, fields) {
  // As a form sends it, to the letter: anything else is refused.
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams(fields).toString();
  const answer = await fetch(address, { method: "POST", headers, body, redirect: "error" });
  if (!answer.ok) throw new Error("this page is not current any more; load it again");
  return answer.json();
}
async function signature(address, fields) {
  const question = await ask(address, fields);
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(question.publicKey);
  const credential = await navigator.credentials.get({ publicKey: options });
  return JSON.stringify({ ticket: question.ticket, credential: credential.toJSON() });
}
document.querySelectorAll("form[data-passkey]").forEach((form) => {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const fields = [...new FormData(form), ["for", form.dataset.passkey]];
      form.elements.signature.value = await signature(form.dataset.question, fields);
      form.submit();
    } catch (error) {
      failed(form, error);
    }
  });
});

// A new passkey: made by the browser, vouched for by the PIN, a code from the terminal or a key that is there.
document.querySelectorAll("form[data-new-passkey]").forEach((form) => {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const question = await ask(form.dataset.newPasskey, new FormData(form));
      const options = PublicKeyCredential.parseCreationOptionsFromJSON(question.publicKey);
      const credential = await navigator.credentials.create({ publicKey: options });
      const made = JSON.stringify({ ticket: question.ticket, credential: credential.toJSON() });
      form.elements.made.value = made;
      if (form.dataset.voucher === "passkey") {
        form.elements.signature.value = await signature(form.dataset.question, [...new FormData(form), ["for", "enrol"]]);
      }
      form.submit();
    } catch (error) {
      failed(form, error);
    }
  });
});
