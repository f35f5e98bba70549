// What went wrong lately; without anything, that is said in one line.
import { count, named } from "./format.js";
import { html } from "./html.js";
import { Panel, When } from "./frame.js";
import { refusedAt } from "./letters.js";

const LATELY = 3_600_000;
const MOST = 6;
const MARK = { error: "✕", warning: "!", info: "·" };

export function problems(now, problem) {
  const late = now.events.filter((event) => event.level !== "info" && now.now - event.until < LATELY);
  const found = ["error", "warning"].flatMap((level) => late.filter((event) => event.level === level));
  const at = now.now;
  const { replica } = now;
  const said = (text, more) => ({ level: "error", kind: "server", text, more, at, until: at, count: 1 });
  if (problem) found.unshift(said(problem));
  if (!replica.alive) found.unshift(said("the replica of the stores does not move any more", "restart the server; its log says why"));
  else if (replica.problem) found.unshift(said(replica.problem));
  else if (!replica.ready) found.unshift({ ...said(replica.reasons.join("; ")), level: "warning" });
  return found;
}

const general = (reason) => reason.replace(/-?\d[\d.]*/g, "N");

export function Trouble({ now, problem, showLine, letters, topology }) {
  const found = problems(now, problem);
  const earlier = now.events.filter((event) => !found.includes(event));
  const worst = found.some((event) => event.level === "error") ? "bad" : found.length ? "warn" : "good";
  return html`
    <${Panel} id="trouble" title="What went wrong lately">
      <div class="trouble ${worst}">
        ${!found.length && html`<p class="fine"><span aria-hidden="true">✓</span> Nothing in the last hour.</p>`}
        <ul>${found.slice(0, MOST).map((event) => html`<${Line} event=${event} now=${now.now} letters=${letters} topology=${topology} showLine=${showLine} />`)}</ul>
        ${(found.length > MOST || earlier.length > 0) && html`
          <details><summary>Everything that happened (${count(found.length + earlier.length)})</summary>
            <ul>${[...found.slice(MOST), ...earlier].slice(0, 60).map((event) => html`<${Line} event=${event} now=${now.now} />`)}</ul>
          </details>`}
      </div>
    <//>`;
}

function Line({ event, now, letters, topology, showLine }) {
  const group = event.kind === "dead-letters" && letters?.find((each) => general(each.reason) === general(event.text));
  const at = group && showLine && group.letters.length > 0 && refusedAt(group.letters[0], group.at, topology);
  return html`
    <li class=${event.level}>
      <span class="mark" aria-label=${event.level}>${MARK[event.level]}</span>
      <span class="what">${event.kind === "dead-letters" && html`<a href="#letters">dead letter</a>: `}${named(event.text)}
        ${event.count > 1 && html`<span class="times">${count(event.count)}×</span>`}
        ${at && html`<button type="button" class="link" onClick=${() => showLine(at)}>${at}</button>`}
        ${event.more && html`<span class="more">${event.more}</span>`}
      </span>
      <${When} at=${event.until} now=${now} />
    </li>`;
}
