// Epochs side by side, each a bar of its phases, with starts, failures and restores between them.
import { clock, count, seconds, stamp } from "./format.js";
import { html, useState } from "./html.js";
import { Empty, Panel } from "./frame.js";

// Spark's phases in the order in which they run; what is left of an epoch is "other".
const PHASES = [
  ["latestOffset", "look for records"], ["getBatch", "get batch"], ["queryPlanning", "plan"], ["walCommit", "log offsets"],
  ["addBatch", "work and write"], ["commitOffsets", "commit"], ["other", "other"],
];
const HEIGHT = 120, MOST = 90;
const MARKED = { failed: "bad", stalled: "bad", silent: "bad", started: "good", stopped: "quiet", restored: "info" };

export function phases(epoch) {
  const known = PHASES.map(([name]) => [name, epoch.phases[name] ?? 0]);
  const rest = epoch.ms - known.reduce((total, [, millis]) => total + millis, 0);
  return known.map(([name, millis]) => [name, name === "other" ? Math.max(0, rest) : millis]);
}

export function Epochs({ now }) {
  const [chosen, setChosen] = useState(null);
  const epochs = now.epochs.slice(-MOST);
  if (!epochs.length) return html`<${Panel} id="epochs" title="Epochs"><${Empty}>${now.server.live ? "In real-time mode there are no epochs that end soon." : "No epoch has been published yet."}<//><//>`;
  const key = (each) => `${each.run}/${each.epoch}`;
  const shown = epochs.find((each) => key(each) === chosen) ?? epochs.at(-1);
  const longest = Math.max(...epochs.map((each) => each.ms), 1);
  const top = height(epochs.map((each) => each.ms));
  const step = 1000 / Math.max(epochs.length, 30), left = 1000 - epochs.length * step;
  const move = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = epochs.indexOf(shown) + by;
    if (epochs[at]) setChosen(key(epochs[at]));
  };
  return html`
    <${Panel} id="epochs" title="Epochs" more=${html`<span class="quiet">the last ${count(epochs.length)}, up to ${seconds(longest / 1000)}</span>`}>
      <div class="epochs" tabindex="0" role="group" aria-label=${`Epochs; arrow keys choose one. Epoch ${shown.epoch} took ${seconds(shown.ms / 1000)}`} onKeyDown=${move}>
        <svg viewBox=${`0 -16 1000 ${HEIGHT + 18}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="base" d=${`M0 ${HEIGHT}H1000M0 ${HEIGHT / 2}H1000M0 0H1000`} />
          ${epochs.map((each, at) => html`<${Bar} epoch=${each} x=${left + at * step} width=${step} top=${top} chosen=${each === shown} choose=${() => setChosen(key(each))} />`)}
          ${marks(now.events, epochs, step, left)}
        </svg>
        <span class="top-label" aria-hidden="true">${seconds(top / 1000)}</span>
      </div>
      <div class="epoch-ends" aria-hidden="true"><span>${clock(start(epochs[0]))}</span><span>${clock(start(epochs.at(-1)))}</span></div>
      <div class="details">
        <b>Epoch ${count(shown.epoch)}</b> <span class="quiet">${stamp(start(shown))} UTC</span>
        <dl><div><dt>took</dt><dd>${seconds(shown.ms / 1000)}</dd></div><div><dt>records</dt><dd>${count(shown.records)}</dd></div>
          ${phases(shown).filter(([, millis]) => millis).map(([name, millis]) => html`<div><dt><i class=${`phase-${name}`}></i>${PHASES.find(([each]) => each === name)[1]}</dt><dd>${seconds(millis / 1000)}</dd></div>`)}</dl>
      </div>
    <//>`;
}

// How long an epoch is at the upper edge: a few that are much longer than the others are cut off there.
function height(times) {
  const ordered = times.toSorted((a, b) => a - b);
  const most = ordered[Math.floor(ordered.length * 0.9)];
  const longest = ordered.at(-1);
  return Math.max(ordered.length > 10 && longest > 4 * most ? 2 * most : longest, 1);
}

const start = (epoch) => Date.parse(epoch.at);

function Bar({ epoch, x, width, top, chosen, choose }) {
  let y = HEIGHT;
  const scale = (HEIGHT - 2) / Math.max(top, epoch.ms);
  return html`
    <g class=${`epoch ${chosen ? "chosen" : ""}`} data-epoch=${epoch.epoch} onClick=${choose}>
      <rect class="hit" x=${x} y="0" width=${width} height=${HEIGHT} />
      ${phases(epoch).map(([name, millis]) => {
        const tall = millis * scale;
        y -= tall;
        return tall > 0.2 && html`<rect class=${`phase-${name}`} x=${x + width * 0.12} y=${y} width=${width * 0.76} height=${tall} />`;
      })}
      ${epoch.ms > top && html`<path class="cut" d=${`M${x} 7l${width / 2} -5l${width / 2} 5v4l${-width / 2} -5l${-width / 2} 5z`} />`}
    </g>`;
}

function marks(events, epochs, step, left) {
  const first = start(epochs[0]);
  return events.filter((event) => MARKED[event.kind] && event.at >= first - 5_000).map((event) => {
    const at = epochs.findIndex((each) => start(each) >= event.at);
    const x = left + (at < 0 ? epochs.length : at) * step;
    return html`<path class=${`event ${MARKED[event.kind]}`} d=${`M${x} -14V${HEIGHT}`}><title>${event.text}</title></path>`;
  });
}
