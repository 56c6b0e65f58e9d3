// Two runs ticked in the list lead to their comparison. What is ticked stays ticked when the list is renewed.

const chosen = new Set();

function boxes() {
  return [...document.querySelectorAll('#choose input[name="run"]')];
}

function show() {
  const button = document.getElementById("compare-chosen");
  if (!button) return;
  const count = boxes().filter((box) => box.checked).length;
  button.disabled = count !== 2;
  const said = document.getElementById("chosen");
  const text = ["Tick two runs to compare them.", "Tick one more.", "The earlier run is what the later one is compared with."][count] ?? `${count} are ticked: compare two at a time.`;
  if (said.textContent !== text) said.textContent = text;
}

document.addEventListener("change", (event) => {
  if (!event.target.matches('#choose input[name="run"]')) return;
  chosen[event.target.checked ? "add" : "delete"](event.target.value);
  show();
});

function restore() {
  for (const box of boxes()) box.checked = chosen.has(box.value);
  show();
}

document.addEventListener("adjudge:swapped", restore);
for (const box of boxes()) if (box.checked) chosen.add(box.value); // what a browser restores on the way back
restore();
