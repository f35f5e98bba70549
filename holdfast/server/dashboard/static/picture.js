// The topology, drawn where the server has laid it out; rates and late records stand on the edges, slow nodes are warm.
import { rate, short } from "./format.js";
import { html } from "./html.js";

const BUSY = [0.02, 0.1, 0.3, 0.6];
const CORNER = 6, STORE = 30;

export function Picture({ topology, figures, chosen, line, choose }) {
  const { width, height, boxes, edges, stages } = topology;
  const by = new Map(boxes.map((box) => [box.id, box]));
  return html`
    <svg class="topology" viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} role="group" aria-label="Nodes of the program">
      <defs>${["flow", "exchange"].map((kind) => html`<marker id=${`arrow-${kind}`} viewBox="0 0 8 8" refX="2" refY="4" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto"><path class=${`head ${kind}`} d="M0 0L8 4L0 8z" /></marker>`)}</defs>
      ${stages.map(({ name, top, bottom }) => html`<g class="stage"><rect x="12" y=${top} width=${width - 24} height=${bottom - top} rx="10" /><text x="24" y=${top + 20}>${name}</text></g>`)}
      ${edges.map((edge) => html`<${Line} edge=${edge} flow=${flow(edge, by, figures, edges)} />`)}
      ${boxes.map((box) => html`<${Box} box=${box} figures=${figures} chosen=${box.id === chosen || (line && box.at === line)} choose=${choose} />`)}
      ${edges.map((edge) => html`<${Label} edge=${edge} flow=${flow(edge, by, figures, edges)} edges=${edges} />`)}
    </svg>`;
}

// How many records come along an edge, as far as it is counted, and how many wait or are late at its end.
function flow(edge, by, figures, edges) {
  const target = by.get(edge.to);
  if (!figures || edge.kind === "lookup") return {};
  if (edge.from.startsWith("topic ")) {
    const seen = figures.topics[edge.from.slice(6)];
    return { rate: seen?.rate, lag: seen?.lag };
  }
  const late = figures.late[edge.to];
  return { rate: rateAlong(edge, target, edges, figures), late };
}

// What a node takes, by input where it has several; a node that only names a key is none for the kernel: what follows it is counted.
function rateAlong(edge, target, edges, figures) {
  const input = figures.inputs[`${edge.to}#${target.inputs?.indexOf(edge.from)}`];
  if (input !== undefined) return input;
  if (figures.nodes[edge.to]) return figures.nodes[edge.to].rate;
  const next = edges.filter((each) => each.from === edge.to && each.kind !== "lookup");
  return next.length === 1 ? figures.nodes[next[0].to]?.rate : undefined;
}

const Line = ({ edge, flow }) => html`
  <path class=${`edge ${edge.kind} ${flow.rate > 0 ? "moving" : ""}`} d=${edge.path} marker-end=${`url(#arrow-${edge.kind === "exchange" ? "exchange" : "flow"})`} />`;

function Label({ edge, flow, edges }) {
  const said = [flow.rate != null && (flow.rate > 0 || flow.late) ? rate(flow.rate) : null].filter(Boolean);
  if (!said.length && !flow.lag && !flow.late) return null;
  const numbers = edge.path.match(/-?[\d.]+/g).map(Number);
  const fan = edges.filter((each) => each.to === edge.to).length > edges.filter((each) => each.from === edge.from).length;
  const [x, y] = fan ? [numbers[0], numbers[1] + 16] : [numbers.at(-2), numbers.at(-1) - 8];
  return html`
    <text class="label" x=${x + 7} y=${y}>${said.join("")}${flow.lag > 0 && html`<tspan class="lag" dx="6">lag ${short(flow.lag)}</tspan>`}${flow.late > 0 && html`<tspan class="late" dx="6">${short(flow.late)} late</tspan>`}</text>`;
}

function Box({ box, figures, chosen, choose }) {
  const seen = figures?.nodes[box.id];
  const heat = seen ? BUSY.filter((step) => seen.busy >= step).length : 0;
  const left = box.x - box.width / 2;
  const round = box.kind === "topic" ? box.height / 2 : CORNER;
  const said = [box.tip, box.python && "calls Python", seen && rate(seen.rate), heat > 1 && `${Math.round(seen.busy * 100)} % busy`].filter(Boolean).join("\n");
  const key = (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose(box.id));
  return html`
    <g class=${`box ${box.kind} heat-${heat} ${chosen ? "chosen" : ""}`} data-node=${box.id} role="button" tabindex="0" aria-pressed=${Boolean(chosen)} onClick=${() => choose(box.id)} onKeyDown=${key}>
      <title>${said}</title>
      <rect class="shape" x=${left} y=${box.y} width=${box.width} height=${box.height} rx=${round} />
      ${(box.kind === "table" || box.kind === "global") && html`<path class="mark" d=${`M${left + 6} ${box.y}V${box.y + box.height}`} />`}
      <text class="title" x=${box.x} y=${box.y + 20}>${box.title}</text>
      ${box.more && html`<text class="more" x=${box.x} y=${box.y + 36}>${box.more}</text>`}
      ${box.store && html`<${Cylinder} name=${box.store} x=${box.x} y=${box.y + box.height - STORE + 1} />`}
      ${box.python && html`<g class="chip"><rect x=${left + box.width - 22} y=${box.y - 8} width="24" height="16" rx="8" /><text x=${left + box.width - 10} y=${box.y + 4}>py</text></g>`}
      ${heat > 1 && html`<g class="chip hot"><rect x=${left - 8} y=${box.y - 8} width="40" height="16" rx="8" /><text x=${left + 12} y=${box.y + 4}>${Math.round(seen.busy * 100)} %</text></g>`}
    </g>`;
}

function Cylinder({ name, x, y }) {
  const half = (name.length * 7.4 + 26) / 2 - 4, top = y + 3.5;
  const arc = `${half} 3.5 0 0`;
  return html`
    <path class="store" d=${`M${x - half} ${top}A${arc} 1 ${x + half} ${top}v16A${arc} 1 ${x - half} ${top + 16}z`} />
    <path class="store lid" d=${`M${x - half} ${top}A${arc} 0 ${x + half} ${top}`} />
    <text class="more" x=${x} y=${y + 18.5}>${name}</text>`;
}
