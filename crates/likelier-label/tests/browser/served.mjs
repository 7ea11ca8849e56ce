// The built program, serving its page, and items to show on it.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

const running = new Set();
// A step that fails leaves no server behind.
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/** Starts `likelier label`, and resolves when it has printed its links. */
export function serve(program, folder, options, limit) {
  const call = ["label", ...options];
  const child = limit
    ? spawn("sh", ["-c", `trap '' XFSZ; ulimit -S -f ${limit}; exec "$0" "$@"`, program, ...call], { cwd: folder })
    : spawn(program, call, { cwd: folder });
  running.add(child);
  child.on("close", () => running.delete(child));
  let printed = "";
  let said = "";
  child.stderr.on("data", (data) => { said += data; });
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`the page ended with ${code}: ${printed}${said}`)));
    child.stdout.on("data", (data) => {
      printed += data;
      if (!printed.includes("Ctrl-C stops")) return;
      const links = [...printed.matchAll(/^ {2}(?:(\S+) {2})?(http:\S+)$/gm)].map(([, name, url]) => [name ?? "owner", url]);
      resolve({ child, links: Object.fromEntries(links), port: Number(new URL(links[0][1]).port) });
    });
  });
}

/** Ends a server that `serve` started. */
export function end({ child }, signal = "SIGINT") {
  return new Promise((resolve) => {
    child.removeAllListeners("exit");
    child.on("exit", resolve);
    child.kill(signal);
  });
}

const TEXTS = [
  "Dear customer, your parcel could not be delivered. Pay the fee here: http://parcel-fee.example",
  "Hi Tom, lunch on Friday? The place by the river has a new menu.",
  "You have WON! Send your bank details to claim 1,000,000 today!!!",
  "Minutes of Tuesday's meeting are attached. Please send corrections by noon.",
  "<script>window.attacked = true</script><img src=x onerror=\"window.attacked = true\"> Cheap watches",
  "Your invoice no. 2291 is due on the 30th. Thank you for your business.",
  "Final notice: your account will be closed. Verify your password now.",
  "The library has extended your loan of “Middlemarch” by two weeks.",
];

export function texts(folder) {
  const rows = Array.from({ length: 120 }, (_, at) => `m${at},"${TEXTS[at % TEXTS.length].replaceAll('"', '""')} (${at})"`);
  writeFileSync(join(folder, "messages.csv"), `id,message\n${rows.join("\n")}\n`);
}

export function wines(folder) {
  const rows = Array.from({ length: 80 }, (_, at) => {
    const number = (base, step, times) => (base + ((at * times) % 11) * step).toFixed(1);
    return `w${at},${["red", "white"][at % 2]},${number(9, 0.5, 3)},${number(2.5, 0.1, 7)},${number(0.2, 0.1, 5)},${at % 3 ? "Douro" : "Vinho Verde"}`;
  });
  writeFileSync(join(folder, "wines.csv"), `id,colour,alcohol,pH,acidity,region\n${rows.join("\n")}\n`);
}

/** A grey picture of stripes, as a PNG file. */
function png(size, period) {
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32 ? crc32(body) : crc(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head[8] = 8;
  const rows = Buffer.concat(Array.from({ length: size }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: size }, (_, x) => 128 + 100 * Math.sin((x + y * Math.sin(period)) / period))])));
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

function crc(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

export function pictures(folder) {
  mkdirSync(join(folder, "pictures"), { recursive: true });
  const rows = Array.from({ length: 12 }, (_, at) => {
    writeFileSync(join(folder, "pictures", `p${at}.png`), png(220, 3 + at));
    return `p${at},p${at}.png`;
  });
  rows.push("gone,gone.png");
  writeFileSync(join(folder, "photos.csv"), `id,path\n${rows.join("\n")}\n`);
}
