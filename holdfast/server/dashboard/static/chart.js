// One chart over time: uPlot draws, the legend is ours, so that it can be read and styled.
import uPlot from "./vendor/uplot.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "./html.js";
import { last } from "./columns.js";
import { colour } from "./theme.js";

const HEIGHT = 150;
const SHORTEST = 10;
const SYNC = uPlot.sync("holdfast");

function options(width, series, format, showAt) {
  const axis = { stroke: colour("quiet"), grid: { stroke: colour("grid"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
  return {
    width, height: HEIGHT, legend: { show: false }, padding: [8, 14, 0, 0],
    cursor: { sync: { key: SYNC.key }, points: { size: 6 }, y: false, drag: { x: false, y: false } },
    // One point alone has no width: then the axis shows the seconds before it, and the point is drawn.
    scales: { x: { range: (_, low, high) => (low == null || high - low >= SHORTEST ? [low, high] : [high - SHORTEST, high]) }, y: { range: (_, low, high) => [Math.min(0, low ?? 0), high > 0 ? high * 1.12 : 1] } },
    axes: [
      { ...axis, space: 70, size: 26, gap: 4, values: [[3600, "{HH}:{mm}", null, null, null, null, null, null, 1], [60, "{HH}:{mm}", null, null, null, null, null, null, 1], [1, "{HH}:{mm}:{ss}", null, null, null, null, null, null, 1]] },
      { ...axis, size: 62, space: 36, values: (_, ticks) => ticks.map(format) },
    ],
    series: [{}, ...series.map(({ stroke, fill, dash }) => ({
      stroke: colour(stroke), width: 1.75, dash, points: { show: (chart) => chart.data[0].length < 2 }, spanGaps: true,
      fill: fill ? colour(`${stroke}-soft`) : undefined,
    }))],
    hooks: { setCursor: [(chart) => showAt(chart.cursor.idx ?? null)] },
  };
}

export function Chart({ title, columns, series, format, theme, note }) {
  const place = useRef(null), chart = useRef(null);
  const [at, showAt] = useState(null);
  const times = columns?.t ?? [];
  const values = series.map(({ name }) => columns?.series[name] ?? new Array(times.length).fill(null));
  const data = [times.map((millis) => millis / 1000), ...values];
  const shape = `${theme}/${series.map(({ name }) => name)}`;
  useLayoutEffect(() => {
    chart.current = new uPlot(options(place.current.clientWidth || 300, series, format, showAt), data, place.current);
    const watch = new ResizeObserver(([entry]) => chart.current?.setSize({ width: entry.contentRect.width, height: HEIGHT }));
    watch.observe(place.current);
    return () => (watch.disconnect(), chart.current.destroy(), (chart.current = null));
  }, [shape]);
  useEffect(() => chart.current?.setData(data), [times.length, times.at(-1), times[0], shape]);
  const shown = (column) => (at == null || at >= column.length ? last(column) : column[at]);
  const said = series.map(({ label }, index) => `${label} ${format(last(values[index]))}`).join(", ");
  return html`
    <figure class="chart">
      <figcaption>
        <span class="chart-title">${title}</span>
        <span class="legend">${series.map(({ label, stroke, dash }, index) => html`
          <span class="key"><i class=${`stroke-${stroke} ${dash ? "dashed" : ""}`}></i>${label} <b>${format(shown(values[index]))}</b></span>`)}</span>
      </figcaption>
      <div class="plot" ref=${place} role="img" aria-label=${`${title}: ${said}`}></div>
      ${note && html`<p class="note">${note}</p>`}
    </figure>`;
}

// A line without axes, for a row of a table.
export function Spark({ values, width = 96, height = 22 }) {
  const known = values.map((value, at) => [at, value]).filter(([, value]) => value != null);
  if (known.length < 2) return html`<svg class="spark" width=${width} height=${height} aria-hidden="true"></svg>`;
  const low = Math.min(...known.map(([, value]) => value)), high = Math.max(...known.map(([, value]) => value));
  const x = (at) => (at / (values.length - 1)) * (width - 2) + 1;
  const y = (value) => (high === low ? height / 2 : height - 2 - ((value - low) / (high - low)) * (height - 4));
  const path = known.map(([at, value], index) => `${index ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  return html`<svg class="spark" width=${width} height=${height} aria-hidden="true"><path d=${path} /></svg>`;
}
