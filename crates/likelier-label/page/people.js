// The owner's page: who answered, how well, and how good a classifier would be.

import { Refusal, ask, element, token } from "/server.js";

const find = (id) => document.getElementById(id);
const percent = (share) => `${Math.round(100 * share)} %`;
const interval = (range) => (range ? `${percent(range.value)} (${percent(Math.max(0, range.low))} to ${percent(Math.min(1, range.high))})` : "–");
const when = (at) => new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
const link = (of) => `${location.origin}/#${of}`;

function row(cells, head) {
  const made = element("tr");
  for (const cell of cells) {
    const place = cell instanceof Node ? cell : element(head ? "th" : "td", cell);
    if (head) place.scope = "col";
    made.append(place);
  }
  return made;
}

function copier(person) {
  const place = element("td");
  const button = element("button", "Copy link");
  button.type = "button";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(link(person.token));
      button.textContent = "Copied";
    } catch {
      place.replaceChildren(element("code", link(person.token)));
    }
  });
  button.setAttribute("aria-label", `Copy link of ${person.name}`);
  place.append(button);
  return place;
}

const NOTICED = {
  "stands-out": "agrees less with the others",
  leans: "leans to a side",
  "too-fast": "far faster than the others",
};

function remarks(person) {
  const found = person.noticed.map((what) => NOTICED[what]);
  const place = element("td", found.join(", ") || "–");
  if (found.length) place.className = "warn";
  return place;
}

let links = "";

function show(seen) {
  document.title = `likelier: ${seen.question}`;
  find("question").textContent = seen.question;
  find("summary").textContent = `${seen.answered} answers about ${seen.items} items; ${seen.goal} are asked of each person`;
  find("estimate").textContent = seen.live.words + (seen.live.training ? " A new estimate is being trained." : "");
  find("active").textContent = seen.active ? seen.active.words : "";
  const people = seen.people.map((person) => {
    const again = person.again ? `${person.same} of ${person.again} the same` : "–";
    const error = person.error === null ? "–" : `about ${percent(person.error)}`;
    const head = element("th", person.name + (person.owner && person.name !== "owner" ? " (owner)" : ""));
    head.scope = "row";
    const seconds = person.seconds === null ? "–" : person.seconds.toFixed(1);
    return [head, person.answered, person.ties, person.skipped + person.flagged, again, error, interval(person.picked_left), seconds, remarks(person), copier(person)];
  });
  // A button that has the focus is not taken away for nothing.
  const now = JSON.stringify([seen.people, seen.hours, seen.flags]);
  find("agreement").textContent = seen.agreement ? `Two people agree on ${interval(seen.agreement)} of the pairs that both answered.` : "";
  if (now === links) return;
  links = now;
  find("people").tBodies[0].replaceChildren(...people.map((cells) => row(cells)));
  find("hours").tHead.replaceChildren(row(["Hour", ...seen.people.map(({ name }) => name)], true));
  find("hours").tBodies[0].replaceChildren(...seen.hours.map(([hour, counts]) => row([when(hour), ...counts])));
  const flags = seen.flags.map((flag) => row([flag.by, flag.left, flag.right, flag.reason, when(flag.at)]));
  find("flags").tBodies[0].replaceChildren(...(flags.length ? flags : [row(["none", "", "", "", ""])]));
}

function trouble(text) {
  find("trouble").hidden = !text;
  find("trouble").textContent = text;
}

async function look() {
  try {
    show(await (await ask("/api/overview")).json());
    trouble("");
  } catch (error) {
    trouble(error instanceof Refusal ? error.message : "The server cannot be reached. The page tries again.");
    if (error instanceof Refusal && ["stranger", "owner-only"].includes(error.code)) return;
  }
  setTimeout(look, 3000);
}

find("add").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await ask("/api/people", { name: find("new-name").value });
    find("new-name").value = "";
    show(await (await ask("/api/overview")).json());
  } catch (error) {
    trouble(error.message);
  }
});
find("back").href = `/#${encodeURIComponent(token)}`;
look();
