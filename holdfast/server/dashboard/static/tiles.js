// The figures that matter, large.
import { count, rate, seconds, short } from "./format.js";
import { html } from "./html.js";

const sum = (found, field) => Object.values(found ?? {}).reduce((total, each) => total + (each[field] ?? 0), 0);

export function Tiles({ now }) {
  const figures = now.figures, epoch = now.epochs.at(-1);
  const late = Object.values(figures?.late ?? {}).reduce((a, b) => a + b, 0);
  const rows = now.stores.reduce((total, store) => total + store.count, 0);
  const tiles = [
    ["read", rate(figures && sum(figures.topics, "rate")), figures && `${short(sum(figures.topics, "records"))} since the start`],
    ["written", rate(figures && sum(figures.written, "rate")), figures && `${short(sum(figures.written, "records"))} since the start`],
    ["waiting", short(figures && sum(figures.topics, "lag")), "records to be read"],
    ["epoch", seconds(epoch && epoch.ms / 1000), epoch && `${count(epoch.records)} records`],
    ["late", count(figures && late), "since the start", late ? "warn" : ""],
    ["dead letters", count(figures?.dead), "since the start", figures?.dead ? "bad" : ""],
    ["keys", short(rows), `in ${now.stores.length} store${now.stores.length === 1 ? "" : "s"}`],
  ];
  return html`
    <dl class="tiles" aria-label="Figures">
      ${tiles.map(([name, value, more, kind]) => html`<div class=${`tile ${kind ?? ""}`}><dt>${name}</dt><dd><b>${value}</b><span>${more || "\u00a0"}</span></dd></div>`)}
    </dl>`;
}
