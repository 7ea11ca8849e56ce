// Reports in Chromium, on a wide and on a narrow screen: node report.mjs PROGRAM NODE_MODULES PICTURES
//
// Names, categories and ids are long. Nothing may stick out of the page or be cut off.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [program, modules, out] = process.argv.slice(2);
const { chromium } = createRequire(join(modules, "x.js"))("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "likelier-report-"));
mkdirSync(out, { recursive: true });

/** Numbers from 0 to 1, the same each time. */
let state = 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;

const CATEGORY = "the kind of the thing as the department of weights and measures calls it";
const columns = [...Array(30).keys()].map((at) => `measurement_of_the_${at}th_physical_property_in_micrometres_per_second`);
const items = [...Array(400).keys()].map((at) => ({
  id: `urn:uuid:${"0123456789abcdef".repeat(2)}-https://example.org/a/very/long/path/without/a/break/${at}`,
  numbers: columns.map(random),
  kind: `category number ${Math.floor(25 * random())} with a rather long description of what it means`,
}));
const line = ({ id, numbers, kind }) => [id, ...numbers.map((number) => number.toFixed(4)), kind].join(",");
writeFileSync(join(folder, "items.csv"), [["id", ...columns, CATEGORY].join(","), ...items.map(line)].join("\n"));
const score = ({ numbers }) => numbers[0] - 0.7 * numbers[3] + 0.3 * random();
const pairs = [...Array(200).keys()].map((at) => [items[at], items[at + 200]]);
const ordered = pairs.map(([one, two]) => (score(one) > score(two) ? [one, two] : [two, one]).map(({ id }) => id).join(","));
writeFileSync(join(folder, "comparisons.csv"), ["likelier,other", ...ordered].join("\n"));

function train(name, ...more) {
  const given = ["--items", "items.csv", "--comparisons", "comparisons.csv", "--categories", CATEGORY, "--prior", "0.5"];
  const { status, stderr } = spawnSync(
    program,
    ["train", ...given, "--protocol", "forced-choice", "--sensitivity", "--out", `${name}.likelier`, ...more],
    { cwd: folder, encoding: "utf8" },
  );
  assert.equal(status, 0, stderr);
  return join(folder, `${name}.html`);
}

/** What sticks out of the page, or is cut off; a table that can be scrolled inside its box is neither. */
function odd() {
  const page = document.documentElement;
  const found = [];
  if (page.scrollWidth > page.clientWidth) found.push(`the page is ${page.scrollWidth} wide`);
  const scrolls = (element) => element && (["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest("svg")) continue;
    const told = `${element.tagName} ${element.className} ${element.textContent.slice(0, 40)}`;
    if (element.getBoundingClientRect().right > page.clientWidth + 1 && !scrolls(element.parentElement)) found.push(`sticks out: ${told}`);
    const { overflowX, overflowY } = getComputedStyle(element);
    const hides = [overflowX, overflowY].some((overflow) => ["hidden", "clip"].includes(overflow));
    if (hides && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1)) found.push(`cut off: ${told}`);
    // With such data every table fits without scrolling.
    if (element.classList.contains("table") && element.scrollWidth > element.clientWidth + 1) found.push(`must be scrolled: ${told}`);
  }
  for (const text of document.querySelectorAll("svg text")) {
    const [picture, box] = [text.closest("svg").getBoundingClientRect(), text.getBoundingClientRect()];
    if (box.left < picture.left - 1 || box.right > picture.right + 1) found.push(`leaves its plot: ${text.textContent}`);
  }
  return found;
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
try {
  const network = "a-model-with-a-very-long-name-without-any-break_whatsoever_0123456789_0123456789";
  const reports = [train("linear"), train(network, "--model", "mlp", "--hidden", "20")];
  for (const [at, report] of reports.entries()) {
    for (const width of [1200, 390]) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, isMobile: width < 600 });
      await page.goto(`file://${report}`);
      await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
      assert.deepEqual(await page.evaluate(odd), [], `${["linear", "mlp"][at]} at ${width} px`);
      const whole = await page.getAttribute("#items td[title]", "title");
      assert.ok(items.some(({ id }) => id === whole), whole);
      await page.screenshot({ path: join(out, `report-${["linear", "mlp"][at]}-${width}.png`), fullPage: true });
      console.log(`${["linear", "mlp"][at]} at ${width} px: nothing sticks out`);
      await page.close();
    }
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
