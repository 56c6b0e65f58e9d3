// Trying a judge: render its prompt for a case, or ask it. What comes back is shown as text, never as HTML.
import { call, say } from "./app.js";

const section = document.querySelector("section[data-judge]");
const form = document.getElementById("try-form");
const model = document.getElementById("try-model");
const whole = document.getElementById("whole-case");
const shown = document.getElementById("tried");
const buttons = [...document.querySelectorAll("#try-form button")];

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// A control character or a turn of direction is shown as what it is, as in the pages themselves.
function visible(text) {
  return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (one) => {
    const code = one.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

// A list or an object is meant as one; anything else is text, also where it looks like a number.
function read(text) {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return text;
  try { return JSON.parse(trimmed); } catch { return text; }
}

function theCase() {
  if (whole.value.trim()) {
    let given;
    try { given = JSON.parse(whole.value); } catch (error) { throw new Error(`The whole case is not JSON: ${error.message}`); }
    if (!given || typeof given !== "object" || Array.isArray(given)) throw new Error('The whole case must be one JSON object: {"question": …, "response": …}');
    return given;
  }
  const found = Object.create(null); // an input may be called `__proto__`
  for (const field of document.querySelectorAll("#try-form [data-input]")) {
    if (field.value !== "") found[field.dataset.input] = read(field.value);
  }
  if (!Object.keys(found).length) throw new Error("There is nothing to judge yet: fill in the fields above.");
  return found;
}

function folded(summary, text) {
  const details = element("details", undefined, "message");
  const pre = element("pre", visible(text));
  pre.tabIndex = 0;
  pre.setAttribute("role", "region");
  pre.setAttribute("aria-label", summary);
  details.append(element("summary", summary), pre);
  return details;
}

function messages(list) {
  return list.map((message, at) => {
    const details = folded(`${at + 1}. ${message.step}: ${message.role}`, message.content);
    details.open = list.length < 3;
    return details;
  });
}

function verdict(row) {
  const box = element("div", undefined, "verdict");
  const line = element("p");
  if (row.outcome === "scored" || row.outcome === "forced") {
    line.append(element("span", String(row.score), "big"), " ");
    if (row.passed !== null) line.append(element("span", row.passed ? "pass" : "fail", `mark ${row.passed ? "good" : "bad"}`), " ");
    if (row.exact !== null && row.exact !== row.score) line.append(element("span", `exactly ${row.exact}`, "dim"));
  } else if (row.outcome === "judged") line.append(element("span", "judged, no score", "mark"));
  else line.append(element("span", row.outcome, "mark bad"), " ", visible(row.error ? row.error.message : row.reason || ""));
  box.append(line);
  if (row.reason) box.append(element("p", visible(row.reason)));
  for (const note of row.notes) box.append(element("span", visible(note), "mark"), " ");
  if (row.verdict) box.append(folded("Verdict", JSON.stringify(row.verdict, null, 2)));
  const cost = row.cost === null ? "cost unknown" : `$${row.cost.toFixed(4)}`;
  const calls = row.calls === 1 ? "1 call" : `${row.calls} calls`;
  box.append(element("p", `${visible(row.model_snapshot ?? row.model)} · ${calls} · ${Math.round(row.latency_ms ?? 0)} ms · ${cost}`, "dim small"));
  return box;
}

let busy = false;

// Buttons are said to be disabled and not made so: that would take the focus from who pressed one by key.
async function ask(work) {
  if (busy) return;
  busy = true;
  shown.setAttribute("aria-busy", "true");
  for (const button of buttons) button.setAttribute("aria-disabled", "true");
  try {
    shown.replaceChildren(...(await work()));
  } catch (error) {
    shown.replaceChildren(element("p", visible(error.message), "warn"));
    say("It failed: see below the form.");
  } finally {
    busy = false;
    shown.removeAttribute("aria-busy");
    for (const button of buttons) button.removeAttribute("aria-disabled");
  }
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  ask(async () => {
    const said = await call("POST", "/api/judge", { judge: section.dataset.judge, model: model.value, case: theCase() });
    const sent = element("details");
    const replies = said.replies.map((reply, at) => folded(`Reply ${at + 1}`, reply));
    sent.append(element("summary", "Prompt and reply"), ...messages(said.messages), ...replies);
    return [verdict(said.row), sent];
  });
});

document.getElementById("render")?.addEventListener("click", () =>
  ask(async () => {
    const said = await call("POST", "/api/render", { judge: section.dataset.judge, case: theCase() });
    return [element("h3", "The prompt, as it would be sent"), ...messages(said.messages)];
  })
);
