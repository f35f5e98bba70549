// Keys of the page: digits lead to its parts; they do nothing while somebody types.
import { useEffect } from "./html.js";

export function useKeys(sections, { help, theme, range }) {
  useEffect(() => {
    const pressed = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
      const at = Number(event.key) - 1;
      if (sections[at]) go(sections[at][0]);
      else if (event.key === "?") help();
      else if (event.key === "t") theme();
      else if (event.key === "/") event.preventDefault(), go("stores"), document.getElementById("store-key")?.focus();
      else if ("qwer".includes(event.key) && event.key) range("qwer".indexOf(event.key));
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}

export function go(section) {
  const found = document.getElementById(section);
  found?.scrollIntoView();
  found?.querySelector("h2")?.focus({ preventScroll: true });
}
