// Speaking to the server. The token is what follows # in the address: browsers send that to nobody.

export const token = decodeURIComponent(location.hash.slice(1));

/** A refusal: the server answered, and said no. */
export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** What the server is asked, with a time limit. Throws a Refusal, or a TypeError or DOMException if it is out of reach. */
export async function ask(path, body) {
  const options = { headers: { Authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(15000) };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const response = await fetch(path, options);
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  throw new Refusal(said.error ?? String(response.status), said.message ?? `the server said ${response.status}`);
}

/** A key that no other request has. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** An element with text in it; never markup. */
export function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}
