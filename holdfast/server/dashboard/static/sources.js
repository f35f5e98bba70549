// Each source: how far its stream time is behind the clock, what it reads, what waits.
import { Chart } from "./chart.js";
import { rate, seconds, short, stamp } from "./format.js";
import { html } from "./html.js";
import { Empty, Panel } from "./frame.js";

const COLOURS = ["blue", "teal", "amber", "violet", "red"];

export function Sources({ now, history, topology, theme }) {
  const figures = now.figures;
  const rows = sources(figures, topology, now.app);
  if (!rows.length) return html`<${Panel} id="sources" title="Stream time"><${Empty}>No source has read a record yet.<//><//>`;
  const most = Math.max(...rows.map((row) => row.behind ?? 0), 1);
  const lines = rows.slice(0, 5).map(({ id, title }, at) => ({ name: `behind/${id}`, label: title, stroke: COLOURS[at] }));
  return html`
    <${Panel} id="sources" title="Stream time" more=${html`<span class="quiet">against the clock, by source</span>`}>
      <div class="two">
        <div class="scroll" tabindex="0" role="region" aria-label="Sources"><table>
          <thead><tr><th scope="col">Source</th><th scope="col">Stream time (UTC)</th><th scope="col">Behind the clock</th><th scope="col" class="number">Read</th><th scope="col" class="number">Waiting</th></tr></thead>
          <tbody>${rows.map((row) => html`
            <tr><th scope="row">${row.title}</th><td class="mono">${row.time == null ? "–" : stamp(row.time * 1000)}</td>
              <td><span class="behind"><meter min="0" max=${most} value=${Math.max(0, row.behind ?? 0)} aria-label=${`${row.title} behind the clock`}></meter>${seconds(row.behind)}</span></td>
              <td class="number">${rate(row.rate)}</td><td class="number">${short(row.lag)}</td></tr>`)}</tbody>
        </table></div>
        <${Chart} title="Behind the clock" columns=${history?.app} theme=${theme} format=${seconds} series=${lines} />
      </div>
    <//>`;
}

function sources(figures, topology, app) {
  if (!figures) return [];
  const from = (id) => (topology?.edges ?? []).filter((edge) => edge.to === id && edge.from.startsWith("topic ")).map((edge) => edge.from.slice(6));
  const names = new Map((topology?.boxes ?? []).map((box) => [box.id, box.title]));
  const timed = Object.entries(figures.source_time).map(([id, time]) => {
    const topics = from(id).filter((topic) => figures.topics[topic]);
    const total = (field) => (topics.length ? topics.reduce((sum, topic) => sum + (figures.topics[topic][field] ?? 0), 0) : null);
    return { id, title: topics.join(", ") || names.get(id) || id, time, behind: app.at / 1000 - time, rate: total("rate"), lag: total("lag") };
  });
  const shown = new Set(timed.flatMap((row) => from(row.id)));
  const untimed = Object.entries(figures.topics).filter(([topic]) => !shown.has(topic));
  return [...timed, ...untimed.map(([topic, seen]) => ({ id: topic, title: topic, time: null, behind: null, rate: seen.rate, lag: seen.lag }))];
}
