// Light, dark, or as the system has it; remembered in the browser.
import { useCallback, useEffect, useState } from "./html.js";

const KEY = "holdfast-theme";
const NEXT = { auto: "light", light: "dark", dark: "auto" };

export function useTheme() {
  const [chosen, setChosen] = useState(localStorage.getItem(KEY) ?? "auto");
  const [system, setSystem] = useState(matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const changed = () => setSystem(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  const dark = chosen === "dark" || (chosen === "auto" && system);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  const next = useCallback(() => setChosen((now) => (localStorage.setItem(KEY, NEXT[now]), NEXT[now])), []);
  return [`${chosen}${dark ? " dark" : " light"}`, next];
}

export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
