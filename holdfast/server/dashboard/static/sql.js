// A query over the stores; its rows as a table and as a chart.
import { post } from "./api.js";
import { count, cut, json, short } from "./format.js";
import { html, useState } from "./html.js";
import { Panel } from "./frame.js";

const ROWS = 200, BARS = 40;
const KEY = "holdfast-sql";

const quoted = (name) => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);

export function Sql({ now }) {
  const first = now.stores[0];
  const [text, setText] = useState(sessionStorage.getItem(KEY) ?? (first ? `SELECT * FROM ${quoted(first.name)} LIMIT 20` : ""));
  const [state, setState] = useState({});
  const [view, setView] = useState("table");
  const run = async (event) => {
    event?.preventDefault();
    sessionStorage.setItem(KEY, text);
    setState({ ...state, running: true });
    const began = performance.now();
    try {
      const result = await post("sql", { query: text });
      setState({ result, millis: performance.now() - began });
    } catch (error) {
      setState({ problem: error.message, hint: error.hint });
    }
  };
  const keyed = (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && run(event);
  const { result } = state;
  return html`
    <${Panel} id="sql" title="SQL">
      <form class="sql" onSubmit=${run}>
        <label for="sql-text">A SELECT over the stores, at one epoch</label>
        <textarea id="sql-text" rows="3" spellcheck="false" value=${text} onInput=${(event) => setText(event.target.value)} onKeyDown=${keyed}></textarea>
        <div class="actions">
          <button class="primary" disabled=${state.running || !text.trim()}>${state.running ? "Running …" : "Run"}</button>
          <span class="quiet" role="status">${result && `${count(result.rows.length)} rows${result.truncated ? " and more" : ""} at epoch ${count(result.epoch)}, ${Math.round(state.millis)} ms`}</span>
          ${result && html`<div class="choice" role="group" aria-label="Show rows as">${["table", "chart"].map((each) => html`<button type="button" aria-pressed=${view === each} onClick=${() => setView(each)}>${each === "table" ? "Table" : "Chart"}</button>`)}</div>`}
        </div>
      </form>
      ${state.problem && html`<p class="problem" role="alert">${state.problem}${state.hint && html`<span class="more">${state.hint}</span>`}</p>`}
      ${result && (view === "table" ? html`<${Rows} result=${result} />` : html`<${Bars} result=${result} />`)}
    <//>`;
}

function Rows({ result }) {
  return html`
    <div class="scroll tall" tabindex="0" role="region" aria-label="Rows"><table class="rows">
      <thead><tr>${result.columns.map(({ name, type }) => html`<th scope="col" class=${isNumber(type) ? "number" : ""}>${name} <small>${cut(type, 28)}</small></th>`)}</tr></thead>
      <tbody>${result.rows.slice(0, ROWS).map((row) => html`<tr>${row.map((value, at) => html`<td class=${isNumber(result.columns[at].type) ? "number" : ""}>${value === null ? html`<span class="quiet">null</span>` : cut(json(value), 200)}</td>`)}</tr>`)}</tbody>
    </table></div>
    ${result.rows.length > ROWS && html`<p class="note">The first ${ROWS} of ${count(result.rows.length)} rows.</p>`}`;
}

const isNumber = (type) => /INT|DOUBLE|FLOAT|DECIMAL|REAL|NUMERIC/i.test(type) && !/\[|STRUCT|MAP/i.test(type);

function Bars({ result }) {
  const numeric = result.columns.map(({ type }, at) => (isNumber(type) ? at : -1)).filter((at) => at >= 0);
  const value = numeric.at(-1);
  if (value === undefined) return html`<p class="empty">A chart wants a column of numbers: select one beside a name.</p>`;
  const label = result.columns.findIndex((_, at) => at !== value);
  const rows = result.rows.slice(0, BARS).map((row, at) => [label < 0 ? `${at + 1}` : json(row[label]) ?? "null", Number(row[value])]);
  const high = Math.max(...rows.map(([, number]) => number), 0), low = Math.min(...rows.map(([, number]) => number), 0);
  const span = high - low || 1;
  return html`
    <figure class="bars" aria-label=${`${result.columns[value].name} by ${result.columns[label]?.name ?? "row"}`}>
      <ul>${rows.map(([name, number]) => html`
        <li><span class="name" title=${name}>${cut(name, 30)}</span>
          <svg width="100%" height="16" aria-hidden="true"><rect x=${`${((Math.min(number, 0) - low) / span) * 100}%`} width=${`${(Math.abs(number) / span) * 100}%`} y="1" height="14" rx="3" /></svg>
          <b>${short(number)}</b></li>`)}</ul>
      ${result.rows.length > BARS && html`<p class="note">The first ${BARS} of ${count(result.rows.length)} rows.</p>`}
    </figure>`;
}
