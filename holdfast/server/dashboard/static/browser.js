// One store: a page of its entries that stays up to date, a key that is searched, its windows on a line of time.
import { ask } from "./api.js";
import { count, cut, json } from "./format.js";
import { html, useEffect, useState } from "./html.js";
import { Entry } from "./entry.js";

const PAGE = 50;
const EVERY = 2_000;

const isWindowed = (store) => store.kind === "window" || store.kind === "session";
const keyText = (key) => (typeof key === "string" ? key : JSON.stringify(key));
const shownKey = (store, key) => (isWindowed(store) ? json(key.key) : json(key));

function path(store, typed, after) {
  const base = `stores/${encodeURIComponent(store.name)}?limit=${PAGE}`;
  const bounds = typed && !isWindowed(store) ? (store.key === "string" ? `&prefix=${encodeURIComponent(typed)}` : `&from=${encodeURIComponent(typed)}`) : "";
  return `${base}${bounds}${after ? `&after=${after}` : ""}`;
}

async function page(store, typed, after) {
  if (typed && isWindowed(store)) {
    const found = await ask(`stores/${encodeURIComponent(store.name)}/keys/${encodeURIComponent(typed)}?from=0&limit=${PAGE}${after ? `&after=${after}` : ""}`);
    return found;
  }
  return ask(path(store, typed, after));
}

export function Browser({ store, now }) {
  const [typed, setTyped] = useState("");
  const [pages, setPages] = useState([null]);
  const [found, setFound] = useState({ entries: [], next: null, problem: null });
  const [chosen, setChosen] = useState(null);
  const after = pages.at(-1);
  useEffect(() => {
    let ended = false, timer = null;
    const look = async () => {
      if (!document.hidden) {
        try {
          const { entries, next } = await page(store, typed.trim(), after);
          if (!ended) setFound((before) => ({ entries, next, problem: null, changed: changed(before.entries, entries) }));
        } catch (error) {
          if (!ended) setFound((before) => ({ ...before, problem: error.message }));
        }
      }
      if (!ended) timer = setTimeout(look, EVERY);
    };
    timer = setTimeout(look, typed ? 200 : 0);
    return () => ((ended = true), clearTimeout(timer));
  }, [store.name, typed, after]);
  const type = (event) => (setTyped(event.target.value), setPages([null]));
  const submit = (event) => (event.preventDefault(), found.entries[0] && setChosen(found.entries[0].key));
  return html`
    <div class="browser">
      <div class="list">
        <form class="search" role="search" onSubmit=${submit}>
          <label for="store-key">Keys of ${store.name}</label>
          <input id="store-key" type="search" autocomplete="off" spellcheck="false" placeholder=${hint(store)} value=${typed} onInput=${type} />
        </form>
        ${found.problem && html`<p class="problem" role="alert">${found.problem}</p>`}
        <ul class="entries" aria-label="Entries">${found.entries.map(({ key, value }) => html`
          <li class=${found.changed?.has(keyText(key)) ? "changed" : ""} key=${`${keyText(key)}/${found.changed?.has(keyText(key)) ? now.now : ""}`}>
            <button type="button" aria-pressed=${chosen != null && keyText(chosen) === keyText(key)} onClick=${() => setChosen(key)}>
              <span class="key">${cut(shownKey(store, key), 60)}${isWindowed(store) && html`<small>${new Date(key.start).toISOString().slice(0, 19)}</small>`}</span>
              <span class="value">${cut(json(value) ?? "null", 90)}</span>
            </button>
          </li>`)}</ul>
        ${!found.entries.length && !found.problem && html`<p class="empty">${typed ? "No such key." : "The store is empty."}</p>`}
        <div class="pager">
          <button type="button" disabled=${pages.length < 2} onClick=${() => setPages(pages.slice(0, -1))}>Back</button>
          <span class="quiet">page ${count(pages.length)} of ${typed ? "what was found" : count(Math.max(1, Math.ceil(store.count / PAGE)))}</span>
          <button type="button" disabled=${!found.next} onClick=${() => setPages([...pages, found.next])}>Next</button>
        </div>
      </div>
      ${chosen != null ? html`<${Entry} key=${keyText(chosen)} store=${store} chosen=${chosen} now=${now} />` : html`<p class="empty pick">Choose a key to see its value, and watch it change.</p>`}
    </div>`;
}

function hint(store) {
  if (isWindowed(store)) return "a whole key, for its windows";
  return store.key === "string" ? "the beginning of a key" : `keys from here on (${cut(store.key, 30)})`;
}

function changed(before, after) {
  const old = new Map(before.map(({ key, value }) => [keyText(key), JSON.stringify(value)]));
  const differs = ({ key, value }) => old.has(keyText(key)) && old.get(keyText(key)) !== JSON.stringify(value);
  return new Set(after.filter(differs).map(({ key }) => keyText(key)));
}
