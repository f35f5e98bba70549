// Requests to the server; where it wants a token, the one that was typed in goes with each of them.
const TOKEN = "holdfast-token";

export class Unauthorized extends Error {}

export class Refused extends Error {
  constructor({ code, message, hint }) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

export const setToken = (token) => sessionStorage.setItem(TOKEN, token);

function request(path, { headers = {}, ...options } = {}) {
  const token = sessionStorage.getItem(TOKEN);
  const known = token ? { Authorization: `Bearer ${token}` } : {};
  return fetch(path, { ...options, headers: { ...known, ...headers }, cache: "no-store" });
}

async function checked(response) {
  if (response.status === 401) throw new Unauthorized("the server wants its token");
  if (response.ok) return response;
  const said = await response.json().catch(() => null);
  throw new Refused(said?.error ?? { code: `http_${response.status}`, message: response.statusText, hint: "" });
}

export async function ask(path, options) {
  return (await checked(await request(path, options))).json();
}

export function post(path, body) {
  return ask(path, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
}

export async function* follow(path, signal) {
  const response = await checked(await request(path, { signal, headers: { Accept: "application/x-ndjson" } }));
  let rest = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) yield JSON.parse(line);
  }
}
