// The labelling page in Chromium: node page.mjs PROGRAM NODE_MODULES PICTURES
//
// Timings are printed, not tested.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { end, pictures, serve, texts, wines } from "./served.mjs";

const [program, modules, out] = process.argv.slice(2);
const require = createRequire(join(modules, "x.js"));
const { chromium } = require("playwright-core");
const axe = require("axe-core");

const folder = mkdtempSync(join(tmpdir(), "likelier-label-"));
mkdirSync(out, { recursive: true });
texts(folder);
wines(folder);
pictures(folder);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

/** A page of its own, which may speak to this machine only and complain of nothing. */
async function open(link, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 760 }, ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !/Failed to load resource|ERR_/.test(message.text())) page.problems.push(message.text());
  });
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("dialog", (dialog) => { page.problems.push(`dialog: ${dialog.message()}`); dialog.accept(); });
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol !== "blob:" && hostname !== "127.0.0.1") page.problems.push(`request to ${request.url()}`);
    if (request.headers().referer) page.problems.push(`referer ${request.headers().referer}`);
  });
  await page.goto(link);
  return page;
}

const answered = async (page) => Number((await page.textContent("#progress")).match(/^(\d+)/)?.[1] ?? NaN);
const until = (page, count) => page.waitForFunction((count) => document.getElementById("progress").textContent.startsWith(`${count} `), count, { timeout: 10000 });
const shown = (page) => page.textContent("#pair .items");
const picture = (page, name) => page.screenshot({ path: join(out, `${name}.png`) });

async function accessible(page, what) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`), [], what);
}

const steps = {
  async "60 pairs of text by keyboard and mouse, two people at once"() {
    const served = await serve(program, folder, ["messages.csv", "--port", "0", "--seed", "1", "--people", "ann", "--goal", "60", "--question", "Which message is likelier to be spam?",
      "--positive", "spam", "--instructions", "Spam is what nobody asked for.\nDo not open links."]);
    const owner = await open(served.links.owner);
    const ann = await open(served.links.ann, { colorScheme: "dark" });
    await until(owner, 0);
    await until(ann, 0);
    assert.equal(await owner.title(), "Which message is likelier to be spam?");
    assert.equal(await owner.isVisible("#people"), true);
    assert.equal(await ann.isVisible("#people"), false);
    await accessible(owner, "text, light");
    await accessible(ann, "text, dark");
    const keys = ["ArrowLeft", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"];
    for (let number = 1; number <= 30; number += 1) {
      const before = await shown(owner);
      await owner.keyboard.press(keys[number % 5]);
      assert.notEqual(await shown(owner), before, "the next pair is there at once");
      await until(owner, number);
      if (number <= 10) {
        await ann.keyboard.press(keys[(number + 1) % 5]);
        await until(ann, number);
      }
      if (number === 12) await picture(owner, "text");
    }
    for (let number = 31; number <= 60; number += 1) {
      await owner.click(number % 7 === 0 ? "[data-choice=tie]" : number % 2 ? "#left .choose" : "#right .choose");
      await until(owner, number);
    }
    await picture(ann, "text-dark");
    assert.match(await owner.textContent("#progress"), /^60 answers, 60 were asked for/);
    assert.equal(await answered(ann), 10);
    assert.equal(await owner.evaluate(() => window.attacked), undefined);

    // Undo over a reload, many steps.
    const last = await shown(owner);
    await owner.keyboard.press("ArrowLeft");
    await until(owner, 61);
    await owner.reload();
    await until(owner, 61);
    await owner.keyboard.press("u");
    await until(owner, 60);
    assert.equal(await shown(owner), last, "the pair that was undone is shown again");
    await owner.keyboard.press("Backspace");
    await until(owner, 59);
    await owner.click("#undo");
    await until(owner, 58);

    // Skip, flag, help.
    const skipped = await shown(owner);
    await owner.keyboard.press("s");
    assert.notEqual(await shown(owner), skipped);
    await owner.keyboard.press("f");
    await owner.waitForSelector("#flag-dialog[open]");
    await accessible(owner, "flag");
    await owner.keyboard.type("<b>left</b> is empty");
    await picture(owner, "flag");
    await owner.keyboard.press("Enter");
    await owner.waitForFunction(() => document.getElementById("progress").title.includes("1 skipped, 1 flagged"));
    await owner.keyboard.press("f");
    await owner.keyboard.press("Escape");
    await owner.waitForSelector("#flag-dialog:not([open])", { state: "attached" });
    await owner.keyboard.press("?");
    await owner.waitForSelector("#help-dialog[open]");
    await accessible(owner, "help");
    await picture(owner, "help");
    await owner.keyboard.press("ArrowLeft");
    await owner.keyboard.press("Escape");
    assert.equal(await answered(owner), 58, "keys do nothing while help is open");

    // The keyboard alone suffices, and what happened is said.
    await owner.focus("#left .choose");
    await owner.keyboard.press("Enter");
    await until(owner, 59);
    assert.equal(await owner.textContent("#said"), "Left. Next pair.");
    const roles = await owner.locator("#pair").ariaSnapshot();
    for (const name of ["article \"Left\"", "The left one", "Can’t tell", "Undo"]) assert.ok(roles.includes(name), `${name} in ${roles}`);

    // The owner's page.
    await owner.click("#people");
    await owner.waitForFunction(() => document.querySelectorAll("#people tbody tr").length === 2);
    assert.match(await owner.textContent("#flags"), /<b>left<\/b> is empty/);
    await owner.fill("#new-name", "<i>carl</i>");
    await owner.click("#add button");
    await owner.waitForFunction(() => document.querySelectorAll("#people tbody tr").length === 3);
    assert.match(await owner.textContent("#people"), /<i>carl<\/i>/);
    await accessible(owner, "people");
    await ann.goto(served.links.ann.replace("/#", "/people#"));
    await ann.waitForSelector("#trouble:not([hidden])");
    assert.match(await ann.textContent("#trouble"), /owner only/);
    for (const page of [owner, ann]) assert.deepEqual(page.problems, []);
    await end(served);
  },

  async "rows of a table on a narrow screen, by touch"() {
    const served = await serve(program, folder, ["wines.csv", "--port", "0", "--seed", "1", "--question", "Which wine is likelier to be good?", "--prior", "0.5", "--features", "alcohol,pH,acidity"]);
    const wide = await open(served.links.owner);
    await until(wide, 0);
    const marks = await wide.evaluate(() => {
      const cells = (id) => [...document.querySelectorAll(`#${id} .cells tr`)].map((row) => [row.cells[1].textContent, row.className === "differs"]);
      return cells("left").map(([text, marked], at) => (text !== cells("right")[at][0]) === marked);
    });
    assert.ok(marks.length === 5 && marks.every(Boolean), "values that differ are marked, others are not");
    await accessible(wide, "table");
    await picture(wide, "table");
    const phone = await open(served.links.owner, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "dark" });
    await until(phone, 0);
    await accessible(phone, "phone");
    for (let number = 1; number <= 5; number += 1) {
      await phone.tap(number % 2 ? "#left .choose" : "#right .choose");
      await until(phone, number);
    }
    const tooWide = await phone.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(tooWide <= 0, `the page is ${tooWide} pixels too wide`);
    await picture(phone, "phone-dark");
    assert.deepEqual([...wide.problems, ...phone.problems], []);
    await end(served);
  },

  async "the owner's page, with a live estimate"() {
    const served = await serve(program, folder, ["wines.csv", "--port", "0", "--seed", "1", "--file", "live.likelier-label", "--question", "Which wine is likelier to be good?",
      "--positive", "good", "--prior", "0.5", "--features", "alcohol,pH,acidity", "--people", "ann,bob,lefty", "--shared", "0.4"]);
    const base = `http://127.0.0.1:${served.port}`;
    // One after the other: who is asked which pair, and on which side, then follows from the seed alone.
    const people = [];
    for (const name of ["ann", "bob", "lefty"]) {
      const headers = { Authorization: `Bearer ${served.links[name].split("#")[1]}`, "Content-Type": "application/json" };
      const { pairs } = await (await fetch(`${base}/api/start`, { headers })).json();
      people.push({ name, headers, pairs });
    }
    for (let number = 0; number < 150; number += 1) {
      for (const person of people) {
        const { name, headers, pairs: [{ pair, left, right }] } = person;
        const more = Number(left.cells[1]) - Number(right.cells[1]);
        const better = (more || (pair % 2) - 0.5) > 0 ? "left" : "right";
        const choice = name === "lefty" ? "left" : better;
        const body = JSON.stringify({ key: `${name}-${number}-000000`, pair, choice, took: name === "lefty" ? 300 : 2500 + 10 * number });
        ({ pairs: person.pairs } = await (await fetch(`${base}/api/answer`, { method: "POST", headers, body })).json());
      }
    }
    const page = await open(served.links.owner.replace("/#", "/people#"));
    await page.waitForFunction(() => document.getElementById("estimate").textContent.includes("right on"), null, { timeout: 60000 });
    const rows = await page.locator("#people tbody tr").allTextContents();
    assert.match(rows.find((row) => row.startsWith("lefty")), /leans to a side/);
    assert.match(rows.find((row) => row.startsWith("lefty")), /far faster than the others/);
    assert.doesNotMatch(rows.find((row) => row.startsWith("ann")), /leans|faster/);
    assert.equal(await page.textContent("#active"), "");
    await accessible(page, "people with an estimate");
    await picture(page, "people");
    assert.deepEqual(page.problems, []);
    await end(served);
  },

  async "the owner's page in active mode"() {
    const served = await serve(program, folder, ["wines.csv", "--port", "0", "--seed", "1", "--file", "active.likelier-label", "--prior", "0.5", "--features", "alcohol,pH,acidity", "--active", "0.75"]);
    const page = await open(served.links.owner.replace("/#", "/people#"));
    await page.waitForFunction(() => document.getElementById("active").textContent !== "");
    assert.match(await page.textContent("#active"), /^Active mode is on: .*75 % of new pairs are chosen/);
    await accessible(page, "people in active mode");
    assert.deepEqual(page.problems, []);
    await end(served);
  },

  async "images, with zoom, and one that is missing"() {
    const served = await serve(program, folder, ["photos.csv", "--port", "0", "--seed", "1", "--image", "path", "--images", "pictures", "--question", "Which picture is sharper?", "--again", "0"]);
    const page = await open(served.links.owner);
    await until(page, 0);
    let [missing, zoomed] = [false, false];
    for (let number = 0; number < 40 && !missing; number += 1) {
      await page.waitForFunction(() => [...document.querySelectorAll("#pair img")].every((image) => image.complete && image.naturalWidth) && document.querySelectorAll("#pair img, #pair .missing").length === 2);
      if (!zoomed && (await page.locator("#pair img").count()) === 2) {
        zoomed = true;
        const size = () => page.evaluate(() => document.querySelector("#left img").getBoundingClientRect().width);
        const before = await size();
        await page.keyboard.press("z");
        assert.ok(await size() > 1.5 * before);
        await page.click("#left img");
        assert.equal(await size(), before);
        await accessible(page, "images");
        await picture(page, "images");
      }
      missing = await page.isVisible(".missing");
      if (missing) break;
      await page.keyboard.press("ArrowLeft");
      await until(page, number + 1);
    }
    assert.ok(missing && zoomed, "the missing picture came up, and others before it");
    assert.match(await page.textContent(".missing"), /'gone.png' is missing.*Press S to skip/);
    await picture(page, "missing");
    assert.deepEqual(page.problems, []);
    await end(served);
  },

  async "a server that is gone, and a full disk"() {
    let served = await serve(program, folder, ["wines.csv", "--port", "0", "--seed", "1", "--file", "gone.likelier-label"]);
    const page = await open(served.links.owner);
    await until(page, 0);
    await page.keyboard.press("ArrowLeft");
    await until(page, 1);
    await end(served, "SIGKILL");
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector("#trouble:not([hidden])");
    assert.match(await page.textContent("#trouble"), /The server cannot be reached\. Your last answer is kept on this page and not saved yet/);
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.getElementById("trouble").textContent.includes("2 answers are"));
    await accessible(page, "trouble");
    await picture(page, "server-gone");
    assert.equal(await answered(page), 1, "what is not saved does not count");
    served = await serve(program, folder, ["wines.csv", "--port", String(served.port), "--file", "gone.likelier-label"]);
    await until(page, 3);
    await page.waitForSelector("#trouble", { state: "hidden" });
    await end(served);

    served = await serve(program, folder, ["wines.csv", "--port", "0", "--seed", "1", "--file", "full.likelier-label", "--goal", "9000"], 500);
    const full = await open(served.links.owner);
    await until(full, 0);
    for (let number = 0; number < 3000 && !(await full.isVisible("#trouble")); number += 1) {
      await full.keyboard.press(number % 2 ? "ArrowLeft" : "ArrowRight");
    }
    assert.match(await full.textContent("#trouble"), /The disk is full.*kept on this page/);
    await picture(full, "disk-full");
    await end(served, "SIGKILL");
    const wrong = await open(`http://127.0.0.1:${(served = await serve(program, folder, ["wines.csv", "--port", "0", "--seed", "1"])).port}/#wrong`);
    await wrong.waitForSelector("#trouble:not([hidden])");
    assert.match(await wrong.textContent("h1"), /This link is not known here/);
    assert.deepEqual([...page.problems, ...full.problems, ...wrong.problems].filter((text) => !text.startsWith("dialog")), []);
    await end(served);
  },

  async "how long an answer takes"() {
    const served = await serve(program, folder, ["wines.csv", "--port", "0", "--seed", "1", "--file", "timed.likelier-label"]);
    const page = await open(served.links.owner);
    await until(page, 0);
    const times = await page.evaluate(async () => {
      const frame = () => new Promise((done) => requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel(); port1.onmessage = done; port2.postMessage(0); }));
      const times = [];
      for (let number = 1; number <= 100; number += 1) {
        const start = performance.now();
        const key = number % 3 ? "ArrowLeft" : "ArrowRight";
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        await frame();
        const painted = performance.now() - start;
        const progress = document.getElementById("progress");
        while (!progress.textContent.startsWith(`${number} `)) await new Promise((done) => setTimeout(done, 0));
        times.push([painted, performance.now() - start]);
        await new Promise((done) => setTimeout(done, 30));
      }
      return times;
    });
    const median = (at) => times.map((one) => one[at]).sort((one, two) => one - two)[times.length / 2].toFixed(1);
    console.log(`  next pair painted after ${median(0)} ms, answer acknowledged after ${median(1)} ms (medians of ${times.length})`);
    await end(served);
  },
};

let failed = 0;
for (const [name, step] of Object.entries(steps)) {
  const start = performance.now();
  try {
    await step();
    console.log(`ok      ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
await browser.close();
rmSync(folder, { recursive: true });
process.exit(failed ? 1 : 0);
