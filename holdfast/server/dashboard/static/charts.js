// Throughput, latency, backlog and epochs over time.
import { Chart } from "./chart.js";
import { bytes, rate, seconds, short } from "./format.js";
import { html } from "./html.js";
import { Empty, Panel } from "./frame.js";

export function Charts({ history, theme }) {
  const app = history?.app;
  if (!app?.t.length) {
    return html`<${Panel} id="figures" title="Throughput and latency"><${Empty}>The app has published no figures in this span. It does so while it runs, unless <code>telemetry</code> is off.<//><//>`;
  }
  return html`
    <${Panel} id="figures" title="Throughput and latency">
      <div class="charts">
        <${Chart} title="Records" columns=${app} theme=${theme} format=${rate}
          series=${[{ name: "rate/read", label: "read", stroke: "blue", fill: true }, { name: "rate/written", label: "written", stroke: "teal" }]} />
        <${Chart} title="Latency" columns=${app} theme=${theme} format=${seconds}
          series=${[{ name: "peak/latency-99", label: "99 %", stroke: "amber" }, { name: "peak/latency-50", label: "50 %", stroke: "blue" }]} />
        <${Chart} title="Waiting" columns=${app} theme=${theme} format=${short}
          series=${[{ name: "lag", label: "records to be read", stroke: "violet", fill: true }]} />
        <${Chart} title="Epochs" columns=${app} theme=${theme} format=${seconds}
          series=${[{ name: "peak/epoch", label: "longest", stroke: "teal", fill: true }]} />
        <${Chart} title="Left behind" columns=${app} theme=${theme} format=${rate}
          series=${[{ name: "rate/dead", label: "dead letters", stroke: "red" }, { name: "rate/late", label: "late", stroke: "amber" }]} />
        <${Chart} title="State" columns=${app} theme=${theme} format=${bytes}
          series=${Object.keys(app.series).filter((name) => name.startsWith("state/")).slice(0, 5).map((name, at) => ({ name, label: `stage ${name.slice(6)}`, stroke: ["blue", "teal", "violet", "amber", "red"][at] }))} />
      </div>
      <p class="note">Latency is from a record's own time to the commit of its result: for old records it is as large as they are old.</p>
    <//>`;
}
