// What static/charts.js uses of d3, and no more.
export { axisBottom } from "d3-axis";
export { scaleLinear } from "d3-scale";
export { select } from "d3-selection";
