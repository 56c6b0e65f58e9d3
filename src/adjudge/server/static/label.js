// Labelling with the keyboard. A label is sent, and the next case is asked for only when the server has it for good;
// one that could not be sent is kept in this browser and sent again. Without this script the forms do the same.
import { say, swap, typing, visit } from "./app.js";

const store = {
  get(name) { try { return localStorage.getItem(`adjudge-label-${name}`); } catch { return null; } },
  set(name, value) { try { localStorage.setItem(`adjudge-label-${name}`, value); } catch { /* storage may be off */ } },
  drop(name) { try { localStorage.removeItem(`adjudge-label-${name}`); } catch { /* storage may be off */ } },
};
const part = () => document.getElementById("turn");
const nameOf = (element) => JSON.stringify([element.dataset.run, element.dataset.judge, element.dataset.annotator]);

// ---- the start: the name is remembered, and a file is read here ----

for (const field of document.querySelectorAll("[data-remember]")) {
  const name = field.dataset.remember;
  if (!field.value) field.value = store.get(name) ?? "";
  field.form.addEventListener("submit", () => store.set(name, field.value.trim()));
  if (field.value) store.set(name, field.value);
}

const files = document.querySelector("form[data-label-file]");
if (files) {
  for (const each of files.querySelectorAll("[data-scripted]")) each.hidden = false;
  files.addEventListener("submit", async (event) => {
    event.preventDefault();
    const file = files.querySelector("input[type=file]").files[0];
    const answer = files.querySelector(".imported");
    answer.hidden = false;
    answer.textContent = "Reading…";
    try {
      const got = await fetch(files.dataset.labelFile, {
        method: "POST",
        headers: { "Content-Type": "application/octet-stream" },
        body: file ?? files.elements.labels.value,
      });
      const said = await got.json();
      answer.textContent = got.ok
        ? [`${said.labels} labels imported, ${said.new} of them new.`, ...said.notes.map((note) => note.text)].join(" ")
        : [said.problem, said.hint].filter(Boolean).join(" · ");
      answer.className = got.ok ? "imported" : "imported warn";
    } catch {
      answer.textContent = "The server does not answer. Is it still running?";
      answer.className = "imported warn";
    }
  });
}

// ---- the figures have been seen ----

const revealed = document.getElementById("revealed");
if (revealed) store.set(`seen-${nameOf(revealed)}`, "1");

// ---- one case after another ----

let sending = false;

async function show(url, { replace = false } = {}) {
  keepDraft();
  if (!(await swap(url, "#turn"))) return false;
  visit(url, "#turn", replace);
  arrive();
  return true;
}

function arrive() {
  const turn = part();
  if (!turn) return;
  const progress = document.getElementById("progress");
  progress.textContent = `${turn.dataset.labelled} of ${turn.dataset.total} labelled`;
  document.title = `${turn.dataset.labelled} of ${turn.dataset.total} · Label · adjudge`;
  document.getElementById("seen").hidden = !store.get(`seen-${nameOf(turn)}`);
  const comment = document.getElementById("comment");
  if (comment && !comment.value) comment.value = drafts.get(draftName()) ?? "";
  scrollTo({ top: 0 });
  document.getElementById("case-title")?.focus({ preventScroll: true });
}

// A comment on a case that was left without a label is there again when the case is.
const drafts = new Map();
const draftName = () => nameOf(part()) + part().dataset.case;
function keepDraft() {
  const comment = document.getElementById("comment");
  if (comment) drafts.set(draftName(), comment.value);
}

function forgetDraft() {
  drafts.delete(draftName());
  const comment = document.getElementById("comment");
  if (comment) comment.value = "";
}

function url(form, changed) {
  const next = new URL(location.pathname, location.href);
  for (const name of ["judge", "annotator", "overlap"]) if (form.elements[name]?.value) next.searchParams.set(name, form.elements[name].value);
  for (const [name, value] of Object.entries(changed)) next.searchParams.set(name, value);
  return next;
}

// Answers by criterion or rating, null where nothing is said; none where one label is asked for.
function partsOf(form) {
  const fields = new FormData(form);
  const found = [];
  while (fields.has(`part_${found.length}`)) found.push(fields.get(`part_${found.length}`) || null);
  return found;
}

// The criterion in focus, or the first without an answer; then the next one, and in the end the button, has the focus.
function answer(key, target) {
  const criteria = [...document.querySelectorAll(".part")].filter((each) => each.querySelector("[data-answer]"));
  const at = criteria.indexOf(target.closest(".part") ?? criteria.find((each) => !each.querySelector(":checked")));
  if (at < 0) return false;
  [...criteria[at].querySelectorAll("[data-answer]")].find((each) => each.dataset.answer === key).checked = true;
  (criteria[at + 1]?.querySelector("input") ?? document.querySelector(".parts > button")).focus();
  return true;
}

async function keep(form, value) {
  if (sending) return;
  const fields = form.elements;
  const body = { judge: fields.judge.value, annotator: fields.annotator.value, case_id: fields.case_id.value, label: value, explanation: fields.explanation.value };
  for (const button of form.querySelectorAll("button[name=label]")) button.setAttribute("aria-pressed", String(button.value === value));
  await send({ api: form.dataset.api, body, next: url(form, { after: body.case_id }).href });
}

// `unsent` outlives a reload and a restart of the server; there is one for each annotator of a judge in a run.
async function send(unsent) {
  const name = `unsent-${nameOf(part())}`;
  sending = true;
  store.set(name, JSON.stringify(unsent));
  part().setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(unsent.api, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(unsent.body) });
    if (answer.ok) {
      store.drop(name);
      waiting(null);
      sending = false;
      forgetDraft();
      if (!(await show(unsent.next))) waiting("The label is saved. The next case could not be loaded: reload this page when the server is back.");
      return;
    }
    const said = await answer.json().catch(() => ({ problem: `the server answered ${answer.status}`, hint: "" }));
    if ([401, 403, 421, 502, 503].includes(answer.status)) {
      waiting(answer.status === 401
        ? "Not saved yet: the server has been started anew. Open the address that it printed; your label is kept here and sent then."
        : `Not saved yet: ${said.problem}. Your label is kept here and sent again.`);
      retry(unsent);
    } else {
      store.drop(name);
      waiting(null);
      say([said.problem, said.hint].filter(Boolean).join(" · "));
      for (const button of document.querySelectorAll("#label-form button[name=label]")) button.setAttribute("aria-pressed", "false");
    }
  } catch {
    waiting("Not saved yet: the server does not answer. Your label is kept here and sent again.");
    retry(unsent);
  }
  sending = false;
  part().removeAttribute("aria-busy");
}

let again;
function retry(unsent) {
  clearTimeout(again);
  again = setTimeout(() => send(unsent), 2000);
}

function waiting(text) {
  clearTimeout(again);
  const line = document.getElementById("waiting");
  line.hidden = text === null;
  line.textContent = text ?? "";
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.id === "label-form") {
    event.preventDefault();
    const parts = partsOf(form);
    const pressed = event.submitter?.name === "label" ? event.submitter.value : document.getElementById("number")?.value;
    if (parts.some(Boolean)) await keep(form, parts);
    else if (parts.length) say("Answer one of the questions, or skip the case.");
    else if (pressed) await keep(form, pressed);
    else say("Press one of the buttons, or type a number.");
  } else if (form.id === "undo-form") {
    event.preventDefault();
    if (sending) return;
    if (store.get(`unsent-${nameOf(part())}`)) {
      store.drop(`unsent-${nameOf(part())}`);
      waiting(null);
      for (const button of document.querySelectorAll("#label-form button[name=label]")) button.setAttribute("aria-pressed", "false");
      say("The label was not sent.");
      return;
    }
    const fields = form.elements;
    const where = new URL(form.dataset.api, location.href);
    for (const name of ["judge", "annotator"]) where.searchParams.set(name, fields[name].value);
    where.searchParams.set("case_id", fields.undo.value);
    try {
      const answer = await fetch(where, { method: "DELETE" });
      if (!answer.ok) throw new Error((await answer.json()).problem);
      waiting(null);
      await show(url(form, { case: fields.undo.value }));
    } catch (error) {
      say(`Not undone: ${error.message}. Is the server still running?`);
    }
  }
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-move]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  if (!sending) show(link.href);
});

document.addEventListener("keydown", (event) => {
  if (!part() || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === "Escape" && typing(event.target)) {
    event.target.blur();
    return;
  }
  const radio = event.target.matches("input[type=radio]");
  if (radio ? event.key.startsWith("Arrow") : typing(event.target)) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key === "Enter" && event.target.closest("a, button, input, summary")) return; // it presses those
  if (["y", "n", "?"].includes(key) && answer(key, event.target)) {
    event.preventDefault();
    return;
  }
  if (key === "c") {
    const comment = document.getElementById("comment");
    if (comment) { event.preventDefault(); comment.focus(); }
    return;
  }
  const pressed = [...document.querySelectorAll("[data-press]")].find((each) => each.dataset.press.split(" ").includes(key));
  const number = document.getElementById("number");
  if (pressed) {
    event.preventDefault();
    if (!sending) pressed.click();
  } else if (number && /^[-.0-9]$/.test(key)) {
    event.preventDefault();
    number.value = "";
    number.focus();
    if (/^[0-9]$/.test(key)) number.value = key;
  }
});

addEventListener("pagehide", () => { if (part()) keepDraft(); });

// ---- what was left unsent when the page was closed ----

if (part()) {
  document.getElementById("seen").hidden = !store.get(`seen-${nameOf(part())}`);
  const left = store.get(`unsent-${nameOf(part())}`);
  if (left) {
    waiting("A label of yours had not been saved when this page was left. Saving it now.");
    send(JSON.parse(left));
  }
}
