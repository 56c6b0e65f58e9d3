// Bundles d3.js into the package's static/vendor folder, with the licences of everything that went into it.
import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const vendor = "../src/adjudge/server/static/vendor";
const made = await build({
  entryPoints: ["d3.js"],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  banner: { js: "/* Parts of d3; versions and licences: README.md and d3-adjudge.LICENSE.txt beside this file. */" },
  outfile: `${vendor}/d3-adjudge.js`,
  metafile: true,
});

const packages = [...new Set(Object.keys(made.metafile.inputs).map((path) => path.match(/^node_modules\/([^/]+)/)?.[1]))]
  .filter(Boolean)
  .sort();
const licences = await Promise.all(
  packages.map(async (name) => {
    const { version } = JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8"));
    return `${name} ${version}\n\n${(await readFile(`node_modules/${name}/LICENSE`, "utf8")).trim()}\n`;
  }),
);
await writeFile(`${vendor}/d3-adjudge.LICENSE.txt`, licences.join(`\n${"-".repeat(80)}\n\n`));
console.log(packages.join(" "), Object.values(made.metafile.outputs)[0].bytes, "bytes");
