// The page on which pairs are compared.
//
// An answer is shown as given at once, because the next pairs are here already, and is sent in the background. Until the
// server has acknowledged it, it waits in a queue that is also kept in the browser's storage: neither a server that is
// gone nor a reload loses it.

import { Refusal, ask, element, newKey, token } from "/server.js";

const find = (id) => document.getElementById(id);
const QUEUE = `likelier-queue-${token.slice(0, 12)}`;
const RETRY = [500, 1000, 2000, 4000, 8000];

let about; // What the server said at the start.
let pairs = []; // Pairs in hand, the one that is shown first.
let progress;
let queue = stored(); // Requests that are not acknowledged.
let sending = false;
let tries = 0;
let shownAt = 0;
const images = new Map(); // Pictures by pair and side, as promises of their addresses.

function stored() {
  try {
    return JSON.parse(localStorage.getItem(QUEUE)) ?? [];
  } catch {
    return [];
  }
}

function store() {
  try {
    if (queue.length) localStorage.setItem(QUEUE, JSON.stringify(queue));
    else localStorage.removeItem(QUEUE);
  } catch {
    // Without storage the queue is kept as long as the page is open.
  }
}

// ---- showing

function trouble(text) {
  const place = find("trouble");
  place.hidden = !text;
  if (place.textContent !== text) place.textContent = text;
}

function minutes(milliseconds) {
  const all = Math.round(milliseconds / 60000);
  if (all < 1) return "less than a minute";
  if (all < 90) return `${all} min`;
  return `${Math.floor(all / 60)} h ${all % 60} min`;
}

function showProgress() {
  // What is in the queue is not safe yet, and does not count.
  const { answered, goal, pace, again, skipped, flagged } = progress;
  find("bar").max = goal;
  find("bar").value = Math.min(answered, goal);
  const parts = [answered < goal ? `${answered} of ${goal} answers` : `${answered} answers, ${goal} were asked for`];
  // A pace from fewer answers is mostly the first look at the page.
  if (pace !== null && answered >= 5) {
    parts.push(`${(pace / 1000).toFixed(1)} s each`);
    if (answered < goal) parts.push(`${minutes((goal - answered) * pace)} left`);
  }
  const aside = [again && `${again} of them asked again`, skipped && `${skipped} skipped`, flagged && `${flagged} flagged`];
  find("progress").textContent = parts.join(" · ");
  find("progress").title = aside.filter(Boolean).join(", ");
  const undoable = progress.undoable + queue.length > 0;
  find("undo").disabled = find("undo-done").disabled = !undoable;
}

function image(pair, side) {
  const name = `${pair}/${side}`;
  if (!images.has(name)) {
    const loaded = ask(`/api/image?pair=${pair}&side=${side}`).then(async (response) => URL.createObjectURL(await response.blob()));
    loaded.catch(() => images.delete(name));
    images.set(name, loaded);
  }
  return images.get(name);
}

function content(pair, side) {
  const item = side === 0 ? pair.left : pair.right;
  const other = side === 0 ? pair.right : pair.left;
  const place = document.createDocumentFragment();
  if (item.image) {
    const picture = element("img");
    picture.alt = side === 0 ? "the left item" : "the right item";
    picture.addEventListener("click", zoom);
    image(pair.pair, side).then(
      (address) => { picture.src = address; picture.decode().then(steady, () => {}); },
      (error) => picture.replaceWith(element("p", `No picture: ${error.message}. Press S to skip, or F to flag it.`, "missing")),
    );
    place.append(picture);
  }
  if (about.columns.length === 1 && !item.image) {
    place.append(element("p", item.cells[0], "text"));
  } else if (about.columns.length) {
    const table = element("table", undefined, "cells");
    about.columns.forEach((column, at) => {
      const row = table.insertRow();
      const head = element("th", column);
      head.scope = "row";
      const cell = element("td");
      cell.append(element("span", item.cells[at]));
      row.append(head, cell);
      if (item.cells[at] !== other.cells[at]) row.className = "differs";
    });
    place.append(table);
  }
  return place;
}

/** The place for the items grows with the tallest pair so far and does not shrink, so that the buttons stay under the pointer. */
function steady() {
  const items = document.querySelector(".items");
  items.style.minHeight = `${items.offsetHeight}px`;
}

function show() {
  const pair = pairs[0];
  find("pair").hidden = !pair;
  find("done").hidden = Boolean(pair);
  if (pair) {
    for (const [side, id] of ["left", "right"].entries()) {
      const place = find(id).querySelector(".content");
      place.replaceChildren(content(pair, side));
      place.scrollTop = 0;
    }
    steady();
    shownAt = performance.now();
    for (const next of pairs.slice(1)) {
      if (next.left.image) image(next.pair, 0).catch(() => {});
      if (next.right.image) image(next.pair, 1).catch(() => {});
    }
    const needed = new Set(pairs.flatMap(({ pair: id }) => [`${id}/0`, `${id}/1`]));
    for (const [name, address] of images) {
      if (needed.has(name)) continue;
      images.delete(name);
      address.then((made) => URL.revokeObjectURL(made), () => {});
    }
  } else if (queue.length) {
    find("done-words").textContent = "Waiting for the server …";
  } else {
    find("done-words").textContent = "You have answered every pair there is. Thank you!";
  }
  showProgress();
}

function say(text) {
  find("said").textContent = text;
}

// ---- answering

const WORDS = { left: "Left", right: "Right", tie: "Can’t tell", skip: "Skipped", flag: "Flagged" };

function choose(choice, reason) {
  const pair = pairs[0];
  if (!pair || document.querySelector("dialog[open]")) return;
  const took = Math.round(performance.now() - shownAt);
  queue.push({ path: "/api/answer", body: { key: newKey(), pair: pair.pair, choice, reason, took } });
  store();
  pairs.shift();
  say(`${WORDS[choice]}. ${pairs.length ? "Next pair." : ""}`);
  show();
  send();
}

function undo() {
  if (document.querySelector("dialog[open]") || find("undo").disabled) return;
  queue.push({ path: "/api/undo", body: { key: newKey() } });
  store();
  // Which pair comes back, the server knows.
  pairs = [];
  say("Undone.");
  show();
  send();
}

function take(hand) {
  progress = hand.progress;
  // Pairs whose answers are still in the queue are answered as far as the page is concerned.
  const waiting = new Set(queue.map(({ body }) => body.pair));
  const undoing = queue.some(({ path }) => path === "/api/undo");
  const before = pairs[0]?.pair;
  pairs = undoing ? [] : hand.pairs.filter(({ pair }) => !waiting.has(pair));
  if (pairs[0]?.pair === before && before !== undefined) showProgress();
  else show();
}

/** Sends the queue, one request after the other. */
async function send() {
  if (sending) return;
  sending = true;
  while (queue.length) {
    const { path, body } = queue[0];
    try {
      const hand = await (await ask(path, body)).json();
      queue.shift();
      store();
      tries = 0;
      trouble("");
      take(hand);
    } catch (error) {
      if (error instanceof Refusal && ["not-asked", "malformed", "too-large"].includes(error.code)) {
        // Trying again cannot help: this happens if the same link is open in two places.
        queue.shift();
        store();
        trouble(`One answer was not taken: ${error.message}.`);
        await start();
        continue;
      }
      if (error instanceof Refusal && error.code === "stranger") {
        trouble(`${error.message} Your last ${count(queue.length)} not saved.`);
        break;
      }
      const why = error instanceof Refusal ? error.message : "the server cannot be reached";
      trouble(`${capital(why)}. Your last ${count(queue.length)} kept on this page and not saved yet; it tries again. Keep it open.`);
      await new Promise((wake) => setTimeout(wake, RETRY[Math.min(tries, RETRY.length - 1)]));
      tries += 1;
    }
  }
  sending = false;
}

const count = (many) => (many === 1 ? "answer is" : `${many} answers are`);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// ---- help, flags, zoom

function zoom() {
  document.querySelector(".items").classList.toggle("zoomed");
}

function flag() {
  if (!pairs[0] || document.querySelector("dialog[open]")) return;
  const dialog = find("flag-dialog");
  find("reason").value = "";
  dialog.returnValue = "";
  dialog.showModal();
  find("reason").focus();
}

find("flag-dialog").addEventListener("close", () => {
  if (find("flag-dialog").returnValue === "flag") choose("flag", find("reason").value);
});
find("reason").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    find("flag-dialog").close("flag");
  }
});

function help() {
  if (!document.querySelector("dialog[open]")) find("help-dialog").showModal();
}

const KEYS = {
  ArrowLeft: () => choose("left"),
  ArrowRight: () => choose("right"),
  ArrowDown: () => choose("tie"),
  u: undo,
  Backspace: undo,
  s: () => choose("skip"),
  f: flag,
  z: zoom,
  "?": help,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  // All text is typed in dialogs. One that was just closed may still have the focus, and is not meant.
  if (document.querySelector("dialog[open]")) return;
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
for (const button of document.querySelectorAll("[data-choice]")) {
  button.addEventListener("click", () => choose(button.dataset.choice));
}
find("flag").addEventListener("click", flag);
find("undo").addEventListener("click", undo);
find("undo-done").addEventListener("click", undo);
find("help").addEventListener("click", help);
addEventListener("hashchange", () => location.reload());
addEventListener("resize", () => {
  document.querySelector(".items").style.minHeight = "";
  steady();
});
addEventListener("beforeunload", (event) => {
  if (queue.length) event.preventDefault();
});

// ---- beginning

async function start() {
  try {
    about = await (await ask("/api/start")).json();
  } catch (error) {
    if (error instanceof Refusal && error.code === "stranger") {
      find("question").textContent = "This link is not known here";
      trouble("Open the link that you were given, whole, or ask for a new one.");
      return;
    }
    const why = error instanceof Refusal ? error.message : "the server cannot be reached";
    trouble(`${capital(why)}. The page tries again.`);
    setTimeout(start, RETRY[Math.min(tries++, RETRY.length - 1)]);
    return;
  }
  tries = 0;
  if (!queue.length) trouble(find("trouble").textContent.startsWith("One answer") ? find("trouble").textContent : "");
  document.title = about.question;
  find("question").textContent = about.question;
  find("name").textContent = about.name;
  find("people").hidden = !about.owner;
  find("people").href = `/people#${encodeURIComponent(token)}`;
  find("instructions").hidden = !about.instructions;
  find("instructions").querySelector("p").textContent = about.instructions;
  find("instructions").open = about.progress.undoable === 0;
  take(about);
  if (!sending) send();
}

start();
