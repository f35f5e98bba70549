// The program: its picture with live figures, and its source beside it.
import { html, useEffect, useMemo, useRef, useState } from "./html.js";
import { Empty, Panel } from "./frame.js";
import { Picture } from "./picture.js";
import { tokens } from "./python.js";
import { count, rate, seconds } from "./format.js";

export function Program({ now, topology, line, setLine }) {
  const [chosen, setChosen] = useState(null);
  const [zoom, setZoom] = useState("fit");
  if (!topology) return html`<${Panel} id="program" title="Program"><${Empty}>The program has not been published yet.<//><//>`;
  const box = topology.boxes.find((each) => each.id === chosen);
  const choose = (id) => (setChosen(id), setLine(topology.boxes.find((each) => each.id === id)?.at ?? null));
  const files = Object.entries(topology.files);
  const zooms = html`<div class="choice" role="group" aria-label="Size of the picture">
    ${["fit", "full"].map((each) => html`<button type="button" aria-pressed=${zoom === each} onClick=${() => setZoom(each)}>${each === "fit" ? "Fit" : "Full size"}</button>`)}</div>`;
  return html`
    <${Panel} id="program" title="Program" more=${zooms}>
      <div class=${`program ${files.length ? "" : "alone"}`}>
        <div>
          <div class=${`canvas ${zoom}`} tabindex="0" role="region" aria-label="Topology"><${Picture} topology=${topology} figures=${now.figures} chosen=${chosen} line=${line} choose=${choose} /></div>
          <${Legend} />
          ${box && html`<${Details} box=${box} figures=${now.figures} />`}
        </div>
        ${files.map(([name, text]) => html`<${Source} name=${name} text=${text} boxes=${topology.boxes} line=${line} chosen=${chosen} choose=${choose} />`)}
      </div>
    <//>`;
}

const Legend = () => html`
  <p class="note legend-row">
    ${["stream", "table", "global", "topic", "store", "exchange", "warm"].map((kind) => html`<span><i class=${`swatch ${kind}`}></i>${{ global: "global table", warm: "busy" }[kind] ?? kind}</span>`)}
    <span><i class="chip-key">py</i>calls Python</span>
  </p>`;

function Details({ box, figures }) {
  const seen = figures?.nodes[box.id];
  const facts = seen
    ? [["records", `${count(seen.taken)}, ${rate(seen.rate)}`], ["busy", `${(seen.busy * 100).toFixed(1)} % of a core`], ["per record", seconds(seen.micros / 1e6)],
       ["late", count(figures.late[box.id] ?? 0)], ["skipped", count(figures.skipped[box.id] ?? 0)]]
    : [];
  return html`
    <div class="details" aria-live="polite">
      <b>${box.title}</b> ${box.more && html`<span class="quiet">${box.more}</span>`} ${box.at && html`<code>${box.at}</code>`}
      <dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      ${more(box) && html`<pre tabindex="0">${more(box)}</pre>`}
    </div>`;
}

// What the picture has no room for.
const more = (box) => box.tip.split("\n").slice(1).filter((line) => line !== box.at && line !== box.more).join("\n");

function Source({ name, text, boxes, line, chosen, choose }) {
  const place = useRef(null);
  const lines = useMemo(() => tokens(text), [text]);
  const nodes = useMemo(() => {
    const found = new Map();
    for (const box of boxes) {
      const [file, number] = split(box.at);
      if (file === name && !found.has(number)) found.set(number, box.id);
    }
    return found;
  }, [boxes, name]);
  const [file, number] = split(line);
  const shown = file === name ? number : null;
  useEffect(() => {
    const row = shown && place.current.querySelector(`[data-line="${shown}"]`);
    if (row) place.current.scrollTop = row.offsetTop - place.current.clientHeight / 2;
  }, [shown]);
  return html`
    <div class="source">
      <h3>${name}</h3>
      <div class="code" ref=${place} tabindex="0" role="region" aria-label=${`Source of ${name}`}>
        ${lines.map((parts, at) => html`
          <div class=${`line ${shown === at + 1 ? "shown" : ""}`} data-line=${at + 1}>
            ${nodes.has(at + 1) ? html`<button type="button" class="number" aria-label=${`Line ${at + 1}, show its node`} aria-pressed=${nodes.get(at + 1) === chosen} onClick=${() => choose(nodes.get(at + 1))}>${at + 1}</button>` : html`<span class="number" aria-hidden="true">${at + 1}</span>`}
            <code>${parts.map(([kind, piece]) => (kind ? html`<span class=${`py-${kind}`}>${piece}</span>` : piece))}</code>
          </div>`)}
      </div>
    </div>`;
}

export function split(position) {
  const at = position?.lastIndexOf(":") ?? -1;
  return at < 0 ? [null, null] : [position.slice(0, at), Number(position.slice(at + 1))];
}
