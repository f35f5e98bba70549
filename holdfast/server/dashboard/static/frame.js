// What stands around the panels: the head of the page, its foot, the list of keys, the question for the token.
import { setToken } from "./api.js";
import { ago, count, seconds } from "./format.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { RANGES } from "./live.js";

export function health(now, problem) {
  if (problem) return ["bad", "no answer"];
  if (!now) return ["quiet", "loading"];
  const status = now.app?.status;
  if (status === "failed") return ["bad", "failed"];
  if (status === "silent" || now.app?.problem) return ["bad", "not moving"];
  if (!now.replica.alive || now.replica.problem) return ["bad", "replica stands still"];
  if (!now.replica.ready) return ["warn", "not ready"];
  if (status === "stopped") return ["quiet", "stopped"];
  return ["good", status ?? "ready"];
}

export function Header({ now, problem, range, setRange, theme, nextTheme, sections, showHelp }) {
  const [kind, word] = health(now, problem);
  const name = now?.name ?? "Holdfast";
  useEffect(() => void (document.title = `${kind === "bad" ? "⚠ " : ""}${name} · Holdfast`), [name, kind]);
  return html`
    <header class="top">
      <div class="who">
        <h1>${name}</h1>
        <span class="state ${kind}" role="status" id="state">${word}</span>
        <span class="facts">
          ${now?.replica.epoch != null && html`<span>epoch <b id="epoch">${count(now.replica.epoch)}</b></span>`}
          ${now?.app && html`<span>${now.app.mode}</span>`}
          ${now?.app?.status === "running" && html`<span>up ${seconds(Math.round((now.now - now.app.began) / 1000))}</span>`}
        </span>
      </div>
      <div class="tools">
        <div class="choice" role="group" aria-label="Span of the charts">
          ${RANGES.map((each) => html`<button type="button" aria-pressed=${each === range} onClick=${() => setRange(each)}>${each.name}</button>`)}
        </div>
        <button type="button" class="icon" onClick=${nextTheme} title="Light, dark or as the system (t)" aria-label=${`Theme: ${theme.split(" ")[0]}`}>
          <svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="5.5"/><path d="M8 2.5a5.5 5.5 0 0 1 0 11z" class="half"/></svg>
        </button>
        <button type="button" class="icon" onClick=${showHelp} title="Keys (?)" aria-label="Keys">?</button>
      </div>
      <nav aria-label="Parts of the page">
        ${sections.map(([id, title]) => html`<a href=${`#${id}`}>${title}</a>`)}
      </nav>
    </header>`;
}

export function Footer({ topology }) {
  const links = ["stores", "topology", "topology.json", "topology.svg", "health", "ready", "metrics", "openapi.json"];
  return html`
    <footer>
      ${topology?.routes?.length > 0 && html`
        <div><h2>Routes of the app</h2>
          <ul class="routes">${topology.routes.map(([method, path]) => html`
            <li><span class="method">${method}</span> ${method === "GET" && !path.includes("{") ? html`<a href=${`.${path}`}><code>${path}</code></a>` : html`<code>${path}</code>`}</li>`)}
          </ul>
        </div>`}
      <div><h2>As data</h2><ul class="routes">${links.map((path) => html`<li><a href=${path}><code>/${path}</code></a></li>`)}</ul></div>
    </footer>`;
}

const KEYS = [["/", "search a key"], ["t", "light, dark, system"], ["q w e r", "span of the charts"], ["Ctrl Enter", "run the SQL query"], ["?", "this list"]];

export function Help({ sections, close }) {
  const dialog = useRef(null);
  useEffect(() => dialog.current.showModal(), []);
  return html`
    <dialog ref=${dialog} onClose=${close} aria-label="Keys">
      <h2>Keys</h2>
      <dl>${[...sections.map(([, title], at) => [at + 1, title]), ...KEYS].map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
      <form method="dialog"><button class="primary">Close</button></form>
    </dialog>`;
}

export function Login({ done }) {
  const [wrong, setWrong] = useState(false);
  const submit = (event) => {
    event.preventDefault();
    setToken(new FormData(event.target).get("token"));
    setWrong(true);
    done();
  };
  return html`
    <main class="login">
      <form onSubmit=${submit}>
        <h1>Holdfast</h1>
        <p>This server answers those who know its token. It stays in this tab and is forgotten with it.</p>
        <label for="token">Token</label>
        <input id="token" name="token" type="password" autocomplete="current-password" required autofocus />
        ${wrong && html`<p class="problem" role="alert">That is not the server's token.</p>`}
        <button class="primary">Show the dashboard</button>
      </form>
    </main>`;
}

export function Panel({ id, title, more, children, wide = true }) {
  return html`
    <section id=${id} class=${`panel ${wide ? "" : "narrow"}`} aria-labelledby=${`${id}-title`}>
      <div class="panel-head"><h2 id=${`${id}-title`} tabindex="-1">${title}</h2>${more}</div>
      ${children}
    </section>`;
}

export const Empty = ({ children }) => html`<p class="empty">${children}</p>`;

export const When = ({ at, now }) => html`<time datetime=${new Date(at).toISOString()} title=${new Date(at).toISOString()}>${ago(at, now)}</time>`;
