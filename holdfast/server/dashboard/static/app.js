// The page: what went wrong lately stands first, then figures, the program, its epochs, stores and dead letters.
import { html, render, useState } from "./html.js";
import { RANGES, useLive } from "./live.js";
import { Charts } from "./charts.js";
import { Epochs } from "./epochs.js";
import { Footer, Header, Help, Login } from "./frame.js";
import { useKeys } from "./keys.js";
import { Letters } from "./letters.js";
import { Program } from "./program.js";
import { Sources } from "./sources.js";
import { Sql } from "./sql.js";
import { Stores } from "./stores.js";
import { useTheme } from "./theme.js";
import { Tiles } from "./tiles.js";
import { Trouble } from "./trouble.js";

export const SECTIONS = [
  ["trouble", "Lately"], ["figures", "Figures"], ["program", "Program"], ["epochs", "Epochs"], ["sources", "Sources"],
  ["stores", "Stores"], ["sql", "SQL"], ["letters", "Dead letters"],
];

function App() {
  const [range, setRange] = useState(RANGES[0]);
  const [theme, nextTheme] = useTheme();
  const [live, again] = useLive(range);
  const [line, setLine] = useState(null);
  const [help, setHelp] = useState(false);
  useKeys(SECTIONS, { help: () => setHelp((shown) => !shown), theme: nextTheme, range: (at) => setRange(RANGES[at]) });
  if (live.unauthorized) return html`<${Login} done=${again} />`;
  const { now, history, topology, letters, problem } = live;
  const showLine = (at) => (setLine(at), document.getElementById("program")?.scrollIntoView());
  return html`
    <${Header} now=${now} problem=${problem} range=${range} setRange=${setRange} theme=${theme} nextTheme=${nextTheme}
      sections=${SECTIONS} showHelp=${() => setHelp(true)} />
    <main>
      ${!now && html`<p class="waiting" role="status">${problem ?? "Loading what the app publishes …"}</p>`}
      ${now && html`
        <${Trouble} topology=${topology} now=${now} problem=${problem} showLine=${showLine} letters=${letters} />
        <${Tiles} now=${now} />
        <${Charts} history=${history} theme=${theme} />
        <${Program} now=${now} topology=${topology} line=${line} setLine=${setLine} />
        <${Epochs} now=${now} />
        <${Sources} now=${now} history=${history} topology=${topology} theme=${theme} />
        <${Stores} now=${now} history=${history} />
        <${Sql} now=${now} theme=${theme} />
        <${Letters} groups=${letters} topology=${topology} now=${now} showLine=${showLine} />`}
    </main>
    ${now && html`<${Footer} topology=${topology} />`}
    ${help && html`<${Help} sections=${SECTIONS} close=${() => setHelp(false)} />`}`;
}

const root = document.getElementById("app");
root.replaceChildren();
render(html`<${App} />`, root);
