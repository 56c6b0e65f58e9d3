// The case page: what a step of the score was found by lights up in the texts, and a name is typed once.

function light(event) {
  const name = event.target.closest?.("[data-part]")?.dataset.part;
  for (const mark of document.querySelectorAll(".texts mark[title]")) {
    mark.classList.toggle("lit", event.type === "mouseover" && mark.title.split(", ").includes(name));
  }
}
addEventListener("mouseover", light);
addEventListener("mouseout", light);

// the same place as on the pages of blind labelling
const KEPT = "adjudge-label-annotator";
const field = document.querySelector(".label-form [name=annotator]");
try {
  if (field && !field.value) field.value = localStorage.getItem(KEPT) ?? "";
  field?.form.addEventListener("submit", () => localStorage.setItem(KEPT, field.value.trim()));
} catch { /* storage may be off */ }
