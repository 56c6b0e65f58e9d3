// The case page: what a step of the score was found by lights up in the texts; folds stay open from case to case.

function lit(row, on) {
  for (const mark of document.querySelectorAll(".texts mark[title]")) {
    const names = mark.title.split(", ");
    mark.classList.toggle("lit", on && names.includes(row.dataset.part));
  }
}
for (const row of document.querySelectorAll("tr[data-part]")) {
  row.addEventListener("mouseenter", () => lit(row, true));
  row.addEventListener("mouseleave", () => lit(row, false));
}

const KEPT = "adjudge-open";
function open() {
  try { return new Set(JSON.parse(sessionStorage.getItem(KEPT) || "[]")); } catch { return new Set(); }
}
const kept = open();
for (const fold of document.querySelectorAll("details[data-keep]")) {
  if (kept.has(fold.dataset.keep)) fold.open = true;
  fold.addEventListener("toggle", () => {
    kept[fold.open ? "add" : "delete"](fold.dataset.keep);
    try { sessionStorage.setItem(KEPT, JSON.stringify([...kept].slice(-50))); } catch { /* storage may be off */ }
  });
}
