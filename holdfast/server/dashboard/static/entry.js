// One key: its value, its changes while it is watched, and where it has windows, those on a line of time.
import { ask, follow, post } from "./api.js";
import { clock, count, json, stamp } from "./format.js";
import { html, useEffect, useRef, useState } from "./html.js";

const MOST = 50;

export function Entry({ store, chosen, now }) {
  const windowed = store.kind === "window" || store.kind === "session";
  const [value, setValue] = useState({ state: "asked" });
  const [watching, setWatching] = useState(false);
  const [changes, setChanges] = useState([]);
  const name = encodeURIComponent(store.name);
  const show = async () => {
    try {
      const [found] = (await post(`stores/${name}/keys`, { keys: [chosen] })).values;
      setValue(found === null ? { gone: true } : { value: found });
    } catch (error) {
      setValue({ problem: error.message });
    }
  };
  useEffect(() => void (watching || show()), [now.replica.epoch, watching]);
  useEffect(() => {
    if (!watching) return undefined;
    const ended = new AbortController();
    watch(name, chosen, ended.signal, (update) => {
      for (const change of update.changes ?? update.entries ?? []) {
        setValue(change.value == null ? { gone: true } : { value: change.value });
        if (update.epoch != null && update.changes.length) setChanges((before) => [{ epoch: update.epoch, at: Date.now(), value: change.value }, ...before].slice(0, MOST));
      }
    }).catch((error) => error.name !== "AbortError" && (setWatching(false), setValue((before) => ({ ...before, problem: error.message }))));
    return () => ended.abort();
  }, [watching]);
  return html`
    <div class="entry">
      <div class="entry-head">
        <h3>${windowed ? json(chosen.key) : json(chosen)}</h3>
        <button type="button" class="watch" aria-pressed=${watching} onClick=${() => setWatching(!watching)}>${watching ? "Watching" : "Watch"}</button>
      </div>
      ${windowed && html`<p class="quiet">${stamp(chosen.start)} – ${stamp(chosen.end)} UTC</p>`}
      ${value.gone ? html`<p class="empty">Deleted.</p>` : value.problem ? html`<p class="problem" role="alert">${value.problem}</p>` : html`<pre class="value" tabindex="0" aria-live=${watching ? "polite" : "off"}>${value.value === undefined ? "…" : JSON.stringify(value.value, null, 2)}</pre>`}
      ${watching && html`<ol class="changes" tabindex="0" aria-label="Changes">${changes.map((each) => html`<li><span class="quiet">${clock(each.at)} · epoch ${count(each.epoch)}</span><code>${each.value === null ? "deleted" : json(each.value)}</code></li>`)}${!changes.length && html`<li class="quiet">No change yet.</li>`}</ol>`}
      ${windowed && html`<${Windows} store=${store} chosen=${chosen} epoch=${now.replica.epoch} />`}
    </div>`;
}

async function watch(name, key, signal, take) {
  const text = typeof key === "string" ? key : JSON.stringify(key);
  for await (const update of follow(`stores/${name}/changes?key=${encodeURIComponent(text)}`, signal)) {
    if (update.error) throw new Error(update.error.message);
    take(update);
  }
}

function Windows({ store, chosen, epoch }) {
  const [found, setFound] = useState([]);
  const seen = useRef(true);
  useEffect(() => {
    seen.current = true;
    const key = typeof chosen.key === "string" ? chosen.key : JSON.stringify(chosen.key);
    ask(`stores/${encodeURIComponent(store.name)}/keys/${encodeURIComponent(key)}?from=0&limit=200`)
      .then(({ entries }) => seen.current && setFound(entries.slice(-60)))
      .catch(() => seen.current && setFound([]));
    return () => (seen.current = false);
  }, [epoch]);
  if (!found.length) return null;
  const begin = Math.min(...found.map(({ key }) => key.start)), end = Math.max(...found.map(({ key }) => key.end));
  const lanes = laid(found);
  const rows = Math.max(...lanes) + 1, row = 24;
  const percent = (at) => `${((at - begin) / (end - begin)) * 100}%`;
  return html`
    <figure class="windows" aria-label=${`${found.length} windows of the key`}>
      <figcaption>Windows</figcaption>
      <svg width="100%" height=${rows * row + 4} role="img" aria-label=${`Windows from ${stamp(begin)} to ${stamp(end)}`}>
        ${found.map(({ key, value }, at) => html`
          <g class=${key.start === chosen.start && key.end === chosen.end ? "chosen" : ""}>
            <title>${`${stamp(key.start)} – ${stamp(key.end)}: ${json(value)}`}</title>
            <rect x=${percent(key.start)} y=${lanes[at] * row + 2} width=${`${(Math.max(key.end - key.start, (end - begin) / 200) / (end - begin)) * 100}%`} height=${row - 4} rx="4" />
            ${found.length < 30 && typeof value !== "object" && html`<text x=${percent(key.start)} dx="5" y=${lanes[at] * row + 16}>${json(value)}</text>`}
          </g>`)}
      </svg>
      <div class="epoch-ends"><span>${stamp(begin)}</span><span>${stamp(end)}</span></div>
    </figure>`;
}

// Windows that overlap lie below each other.
function laid(found) {
  const ends = [];
  return found.map(({ key }) => {
    const free = ends.findIndex((end) => end <= key.start);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = Math.max(key.end, key.start + 1);
    return lane;
  });
}
