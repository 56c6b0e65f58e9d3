// What every page does: swap a part instead of loading the whole, keep live parts fresh, light and dark, keys.
// No text from a case is ever made into HTML here: the server renders, and one policy is the only way in.

const policy = window.trustedTypes
  ? window.trustedTypes.createPolicy("adjudge", { createHTML: (html) => html })
  : { createHTML: (html) => html };

export function parse(html) {
  return new DOMParser().parseFromString(policy.createHTML(html), "text/html");
}

// ---- parts of a page ----

const underWay = new Map();

export async function swap(url, selector, { quiet = false } = {}) {
  underWay.get(selector)?.abort();
  const control = new AbortController();
  underWay.set(selector, control);
  const target = document.querySelector(selector);
  if (!target) return false;
  if (!quiet) target.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(url, { headers: { "X-Swap": selector.slice(1) }, signal: control.signal });
    const fresh = parse(await answer.text()).querySelector(selector);
    if (!answer.ok || !fresh) throw new Error(`the server answered ${answer.status}`);
    const asksAgain = (part) => part.hasAttribute("data-poll");
    if (target.innerHTML !== fresh.innerHTML || asksAgain(target) !== asksAgain(fresh)) {
      keepFocus(target, () => target.replaceWith(document.adoptNode(fresh)));
      document.dispatchEvent(new CustomEvent("adjudge:swapped", { detail: { selector } }));
    } else target.removeAttribute("aria-busy");
    return true;
  } catch (error) {
    if (error.name === "AbortError") return false;
    document.querySelector(selector)?.removeAttribute("aria-busy");
    if (!quiet) say(`Could not load: ${error.message}. Is the server still running?`);
    return false;
  }
}

function keepFocus(target, change) {
  const held = target.contains(document.activeElement) ? document.activeElement : null;
  const name = held?.id ? `#${CSS.escape(held.id)}` : held?.getAttribute("href") ? `a[href="${CSS.escape(held.getAttribute("href"))}"]` : null;
  change();
  if (name) document.querySelector(name)?.focus({ preventScroll: true });
}

export function say(text) {
  const toast = document.getElementById("toast");
  toast.textContent = text;
  toast.classList.add("shown");
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => toast.classList.remove("shown"), 6000);
}

// A form with data-swap="#part" loads that part; the address in the bar follows, so that it can be sent to somebody.
function formUrl(form) {
  const url = new URL(form.action, location.href);
  for (const [name, value] of new FormData(form)) if (value !== "") url.searchParams.append(name, value);
  return url;
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-swap]");
  if (!form || form.method.toLowerCase() !== "get") return;
  event.preventDefault();
  go(formUrl(form), form.dataset.swap);
});

let typed;
document.addEventListener("input", (event) => {
  // a control can belong to a form it does not stand in
  const form = (event.target.form ?? event.target).closest("form[data-swap]");
  if (!form || form.hasAttribute("data-manual")) return;
  clearTimeout(typed);
  const wait = event.target.matches("input[type=search], input[type=text], input[type=number]") ? 300 : 0;
  // while somebody types, the address follows; a choice made is a step that the back button undoes
  typed = setTimeout(() => go(formUrl(form), form.dataset.swap, wait > 0), wait);
});

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const link = event.target.closest("a[data-swap-link]");
  const part = link?.closest("[data-swap-part], section[id]");
  if (!link || !part) return;
  event.preventDefault();
  go(new URL(link.href), `#${part.id}`);
});

// The address of what is shown by now.
export function visit(url, selector, replace = false) {
  history[replace ? "replaceState" : "pushState"]({ selector }, "", url);
  shownAddress = location.pathname + location.search;
}

async function go(url, selector, replace = false) {
  visit(url, selector, replace);
  await swap(url, selector);
}

// A link to a part of the page comes by here, too, and is no reason to load it again and lose what was typed.
let shownAddress = location.pathname + location.search;
addEventListener("popstate", () => {
  if (location.pathname + location.search !== shownAddress) location.reload();
});

// data-poll="2": look again every two seconds while the page is seen.
setInterval(() => {
  if (document.hidden) return;
  for (const part of document.querySelectorAll("[data-poll][id]")) {
    const due = Number(part.dataset.poll) * 1000;
    if (part.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")) continue;
    if (Date.now() - Number(part.dataset.polled || 0) < due) continue;
    part.dataset.polled = Infinity;  // until it is answered, which can take a while
    swap(location.href, `#${part.id}`, { quiet: true }).then(() => {
      const now = document.getElementById(part.id);
      if (now) now.dataset.polled = Date.now();
    });
  }
}, 500);

// ---- light and dark ----

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}
try {
  const kept = localStorage.getItem("adjudge-theme");
  if (kept) setTheme(kept);
} catch { /* storage may be off */ }

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-theme-toggle]")) return;
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  setTheme(dark ? "light" : "dark");
  try { localStorage.setItem("adjudge-theme", dark ? "light" : "dark"); } catch { /* storage may be off */ }
});

// ---- keys: data-key="ArrowLeft" on a link or button makes that key press it ----

export function typing(element) {
  return element.matches("input, select, textarea, [contenteditable]");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const pressed = [...document.querySelectorAll("[data-key]")].find((each) => each.dataset.key === event.key);
  if (!pressed) return;
  event.preventDefault();
  pressed.click();
});

// ---- the API, for pages that change something ----

export async function call(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: body === undefined ? {} : { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const said = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(said.hint ? `${said.problem} (${said.hint})` : said.problem);
  return said;
}
