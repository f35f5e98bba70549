// Dead letters by reason; below each, the records that were refused and the line of code that refused them.
import { count, named, stamp } from "./format.js";
import { html, useState } from "./html.js";
import { Empty, Panel, When } from "./frame.js";
import { split } from "./program.js";
import { tokens } from "./python.js";

const AROUND = 2;

export function Letters({ groups, topology, now, showLine }) {
  const total = now.figures?.dead ?? 0;
  if (!groups?.length) return html`<${Panel} id="letters" title="Dead letters"><${Empty}>No record was refused.<//><//>`;
  return html`
    <${Panel} id="letters" title="Dead letters" more=${html`<span class="quiet">${total ? `${count(total)} since the start; ` : ""}the last ones by reason</span>`}>
      <ul class="groups">${groups.map((group) => html`<${Group} key=${`${group.reason}/${group.node}`} group=${group} topology=${topology} now=${now} showLine=${showLine} open=${groups.length === 1} />`)}</ul>
    <//>`;
}

function Group({ group, topology, now, showLine, open }) {
  const [at, setAt] = useState(0);
  const letter = group.letters[Math.min(at, group.letters.length - 1)];
  if (!letter) return html`<li><p class="without"><span class="times">${count(group.count)}</span> ${named(group.reason)} <span class="quiet">${group.topic} → ${group.node}; this token may not see the records</span></p></li>`;
  return html`
    <li><details open=${open}>
      <summary><span class="times">${count(group.count)}</span><span class="reason">${named(group.reason)}</span>
        <span class="quiet where">${group.topic} → ${group.node}</span><${When} at=${group.last} now=${now.now} /></summary>
      <div class="letter">
        <div>
          <div class="letter-head"><h3>${letter.topic}, partition ${letter.partition}, offset ${letter.offset}</h3>
            ${group.letters.length > 1 && html`<div class="choice" role="group" aria-label="Records">${group.letters.map((_, index) => html`<button type="button" aria-pressed=${index === at} aria-label=${`Record ${index + 1}`} onClick=${() => setAt(index)}>${index + 1}</button>`)}</div>`}</div>
          <p class="problem">${named(letter.reason)}</p>
          <dl class="record">
            <dt>key</dt><dd><code>${letter.key ?? "null"}</code></dd>
            <dt>value</dt><dd><code>${pretty(letter.value)}</code></dd>
            ${letter.seen && pretty(letter.seen.value) !== pretty(letter.value) && html`<dt>seen by the node</dt><dd><code>${pretty(letter.seen.value)}</code></dd>`}
            ${letter.headers.length > 0 && html`<dt>headers</dt><dd>${letter.headers.map(([name, value]) => html`<code>${name}: ${value ?? "null"}</code><br />`)}</dd>`}
            <dt>time</dt><dd>${stamp(letter.timestamp)} UTC, refused ${stamp(letter.time)} UTC</dd>
          </dl>
        </div>
        <${Excerpt} at=${refusedAt(letter, group.at, topology)} topology=${topology} showLine=${showLine} />
      </div>
    </details></li>`;
}

// The line of a Python function that raised, if it is one of the program's; else that of the operation.
export function refusedAt(letter, at, topology) {
  const raised = [...letter.reason.matchAll(/([\w.-]+\.py):(\d+) in /g)].findLast(([, file]) => topology?.files[file]);
  return raised ? `${raised[1]}:${raised[2]}` : at;
}

function pretty(text) {
  if (text == null) return "null";
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function Excerpt({ at, topology, showLine }) {
  const [file, number] = split(at);
  const text = topology?.files[file];
  if (!text) return at ? html`<p class="quiet">Refused at <code>${at}</code></p>` : null;
  const lines = tokens(text);
  const from = Math.max(0, number - 1 - AROUND);
  return html`
    <div class="source excerpt">
      <h3>Refused at <button type="button" class="link" onClick=${() => showLine(at)}>${at}</button></h3>
      <div class="code" tabindex="0" role="region" aria-label=${`Lines around ${at}`}>${lines.slice(from, number + AROUND).map((parts, index) => html`
        <div class=${`line ${from + index + 1 === number ? "shown" : ""}`}><span class="number" aria-hidden="true">${from + index + 1}</span><code>${parts.map(([kind, piece]) => (kind ? html`<span class=${`py-${kind}`}>${piece}</span>` : piece))}</code></div>`)}</div>
    </div>`;
}
