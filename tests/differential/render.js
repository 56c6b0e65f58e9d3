// Renders with a real template engine: `node render.js LIBRARY`, in the folder that has node_modules.
// Reads lines of JSON, {"template": …, "values": {…}}, and prints one line for each: {"text": …} or {"error": …}.
// HTML escaping is off, because prompts are not HTML.
"use strict";

const path = require("node:path");
const { createRequire } = require("node:module");
const readline = require("node:readline");

const load = createRequire(path.join(process.cwd(), "package.json"));

const LIBRARIES = {
  mustache: () => {
    const mustache = load("mustache");
    return (template, values) => mustache.render(template, values, {}, { escape: (value) => value });
  },
  handlebars: () => {
    const handlebars = load("handlebars");
    return (template, values) => handlebars.compile(template, { noEscape: true })(values);
  },
  nunjucks: () => {
    const environment = new (load("nunjucks").Environment)(null, { autoescape: false });
    return (template, values) => environment.renderString(template, values);
  },
  // One message after another, each as its role and its text, because a prompt can become several.
  "promptl-ai": () => {
    const { render, Adapters } = load("promptl-ai");
    return async (prompt, parameters) => {
      const { messages } = await render({ prompt, parameters, adapter: Adapters.default });
      const parts = ({ content }) => (typeof content === "string" ? content : content.map((part) => part.text).join(""));
      return messages.map((message) => [message.role, parts(message)]);
    };
  },
};

async function main() {
  const render = await LIBRARIES[process.argv[2]]();
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const { template, values } = JSON.parse(line);
    let result;
    try {
      result = { text: await render(template, values) };
    } catch (error) {
      result = { error: String(error.message) };
    }
    process.stdout.write(JSON.stringify(result) + "\n");
  }
}

main();
