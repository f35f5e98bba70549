// Stores: how large they are and how they grow; below, the one that is looked into.
import { Browser } from "./browser.js";
import { Spark } from "./chart.js";
import { growth } from "./columns.js";
import { bytes, count, short } from "./format.js";
import { html, useState } from "./html.js";
import { Empty, Panel } from "./frame.js";

export function Stores({ now, history }) {
  const [chosen, setChosen] = useState(null);
  const store = now.stores.find((each) => each.name === chosen) ?? now.stores[0];
  if (!store) return html`<${Panel} id="stores" title="Stores"><${Empty}>The program has no store with a name.<//><//>`;
  const columns = history?.stores;
  return html`
    <${Panel} id="stores" title="Stores">
      <div class="scroll" tabindex="0" role="region" aria-label="All stores"><table class="stores">
        <thead><tr><th scope="col">Name</th><th scope="col">Kind</th><th scope="col">Key</th><th scope="col">Value</th><th scope="col" class="number">Keys</th>
          <th scope="col">Growth</th><th scope="col" class="number">per minute</th><th scope="col" class="number">Size</th><th scope="col" class="number">Lag</th></tr></thead>
        <tbody>${now.stores.map((each) => html`
          <tr data-store=${each.name} class=${each === store ? "chosen" : ""}>
            <th scope="row"><button type="button" class="link" aria-pressed=${each === store} onClick=${() => setChosen(each.name)}>${each.name}</button></th>
            <td>${each.kind}</td><td><code title=${each.key}>${each.key}</code></td><td><code title=${each.value}>${each.value}</code></td>
            <td class="number" data-count>${count(each.count)}</td>
            <td><${Spark} values=${columns?.series[`rows/${each.name}`] ?? []} /></td>
            <td class="number">${grown(columns, `rows/${each.name}`)}</td>
            <td class="number">${bytes(each.bytes)}</td><td class="number">${each.lag == null ? "–" : count(each.lag)}</td>
          </tr>`)}</tbody>
      </table></div>
      <${Browser} key=${store.name} store=${store} now=${now} />
    <//>`;
}

function grown(columns, name) {
  const value = columns ? growth(columns, name) : null;
  return value == null ? "–" : value > 0 ? `+${short(value)}` : short(value);
}
