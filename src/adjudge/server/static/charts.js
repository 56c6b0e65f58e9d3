// Draws what the page's tables say, beside the numbers: bars, and dots with their intervals. A drawing says nothing that
// the table does not, so it is hidden from screen readers; its link is the row's own, which the keyboard reaches.
import { axisBottom, scaleLinear, select } from "./vendor/d3-adjudge.js";

const INSET = 16; // so that a dot, and a number, at the end of the scale is whole

function patterns() {
  if (document.querySelector("svg.defs")) return;
  const defs = select(document.body).append("svg").attr("class", "defs").attr("aria-hidden", "true").append("defs");
  const hatched = defs.append("pattern").attr("id", "look-hatched").attr("width", 6).attr("height", 6);
  hatched.attr("patternUnits", "userSpaceOnUse").attr("patternTransform", "rotate(45)");
  hatched.append("line").attr("class", "look-line").attr("y2", 6);
  const dotted = defs.append("pattern").attr("id", "look-dotted").attr("width", 5).attr("height", 5);
  dotted.attr("patternUnits", "userSpaceOnUse");
  dotted.append("circle").attr("class", "look-dot").attr("cx", 2).attr("cy", 2).attr("r", 1.4);
}

function drawing(cell, kind) {
  const link = cell.closest("tr").querySelector("th a[href]");
  let place = select(cell);
  place.selectAll("*").remove();
  if (link && kind !== "own") place = place.append("a").attr("href", link.getAttribute("href")).attr("tabindex", -1).attr("aria-hidden", "true");
  return place.append("svg").attr("class", `chart ${kind}`).attr("aria-hidden", "true").attr("focusable", "false");
}

// ---- bars ----

function drawBars(table) {
  const cells = [...table.querySelectorAll("td.plot[data-count]")];
  const width = scaleLinear([0, Math.max(...cells.map((cell) => Number(cell.dataset.count)), 1)], [0, 100]);
  for (const cell of cells) {
    const bar = drawing(cell, "bar").append("rect").attr("class", cell.dataset.look);
    bar.attr("y", "10%").attr("height", "80%").attr("width", `${width(Number(cell.dataset.count))}%`);
    // a count of one among many is still to be seen
    if (Number(cell.dataset.count) > 0) bar.style("min-width", "2px");
  }
}

// ---- dots with intervals ----

function numbers(cell) {
  const said = (name) => (name in cell.dataset ? Number(cell.dataset[name]) : null);
  return { value: said("value"), low: said("low"), high: said("high"), restLow: said("restLow"), restHigh: said("restHigh") };
}

function domainOf(holder, all) {
  if ("min" in holder.dataset) return [Number(holder.dataset.min), Number(holder.dataset.max)];
  const ends = all.flatMap((each) => [each.low, each.high]);
  const low = Math.min(...ends), high = Math.max(...ends);
  return low < high ? [low, high] : [low - 1, high + 1];
}

function drawInterval(svg, said, x, middle, reach) {
  const at = (value) => x(Math.min(Math.max(value, x.domain()[0]), x.domain()[1]));
  if (said.restLow !== null) {
    svg.append("rect").attr("class", "rest").attr("x", at(said.restLow)).attr("y", middle - reach);
    svg.select("rect.rest").attr("width", Math.max(1, at(said.restHigh) - at(said.restLow))).attr("height", 2 * reach);
  }
  const line = (name, x1, x2, y1, y2) => svg.append("line").attr("class", name).attr("x1", x1).attr("x2", x2).attr("y1", y1).attr("y2", y2);
  line("interval", at(said.low), at(said.high), middle, middle);
  for (const end of [said.low, said.high]) line("end", at(end), at(end), middle - 5, middle + 5);
  svg.append("circle").attr("cx", at(said.value)).attr("cy", middle).attr("r", 4.5);
}

function axisOf(x, width, percent) {
  const axis = axisBottom(x).ticks(Math.max(2, Math.min(6, Math.floor(width / 60)))).tickSize(4);
  return percent ? axis.tickFormat((share) => `${Math.round(share * 100)}%`) : axis;
}

function scaleOf(cell, domain) {
  const width = cell.clientWidth - parseFloat(getComputedStyle(cell).paddingLeft) - parseFloat(getComputedStyle(cell).paddingRight);
  return { x: scaleLinear(domain, [INSET, Math.max(INSET + 20, width - INSET)]), width };
}

function drawOwn(cell) {
  const said = numbers(cell);
  const { x, width } = scaleOf(cell, domainOf(cell, [said]));
  const svg = drawing(cell, "own");
  drawInterval(svg, said, x, 10, 8);
  svg.append("g").attr("transform", "translate(0,20)").call(axisOf(x, width, "percent" in cell.dataset));
}

function drawPlots(table) {
  const cells = [...table.querySelectorAll("tbody td.plot[data-value]")];
  if (!cells.length) return;
  const axis = foot(table);
  const { x, width } = scaleOf(cells[0], domainOf(table, cells.map(numbers)));
  for (const cell of cells) {
    const svg = drawing(cell, "dot");
    if ("mean" in table.dataset) {
      const at = x(Number(table.dataset.mean));
      svg.append("line").attr("class", "all").attr("x1", at).attr("x2", at).attr("y1", -6).attr("y2", 28);
    }
    drawInterval(svg, numbers(cell), x, 10, 8);
  }
  axis.append("g").call(axisOf(x, width, false));
}

// The axis that all rows of a table share, in a row of its own; what it looks like decides how wide the others are.
function foot(table) {
  table.querySelector("tfoot")?.remove();
  const row = select(table).append("tfoot").attr("role", "rowgroup").append("tr").attr("role", "row");
  const words = row.append("td").attr("role", "cell").attr("class", "small dim");
  words.attr("colspan", table.querySelectorAll("thead th").length - 1);
  if ("mean" in table.dataset) words.text(table.dataset.meanWords ?? "The dashed line is the mean of all rows.");
  return row.append("td").attr("role", "cell").attr("class", "plot").append("svg").attr("class", "chart axis").attr("aria-hidden", "true");
}

// ---- when ----

function draw() {
  patterns();
  for (const table of document.querySelectorAll("table[data-bars]")) drawBars(table);
  for (const cell of document.querySelectorAll("td.plot[data-own-axis]")) drawOwn(cell);
  for (const table of document.querySelectorAll("table[data-plots]")) drawPlots(table);
}

draw();
document.addEventListener("adjudge:swapped", draw);
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return; // a phone's address bar comes and goes
  width = innerWidth;
  draw();
});
