// Numbers, sizes and times as people read them.
const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const count = (value) => (value == null ? "–" : whole.format(value));

export function short(value) {
  if (value == null) return "–";
  const size = Math.abs(value);
  if (size >= 1e9) return `${plain.format(value / 1e9)} G`;
  if (size >= 1e6) return `${plain.format(value / 1e6)} M`;
  if (size >= 1e4) return `${plain.format(value / 1e3)} k`;
  return size >= 100 || Number.isInteger(value) ? whole.format(value) : plain.format(value);
}

export const rate = (value) => (value == null ? "–" : `${short(value)}/s`);

export function seconds(value) {
  if (value == null) return "–";
  const size = Math.abs(value);
  if (size < 0.001) return size === 0 ? "0 s" : `${whole.format(value * 1e6)} µs`;
  if (size < 1) return `${whole.format(value * 1e3)} ms`;
  if (size < 90) return `${plain.format(value)} s`;
  if (size < 7200) return `${plain.format(value / 60)} min`;
  return size < 172800 ? `${plain.format(value / 3600)} h` : `${whole.format(value / 86400)} days`;
}

export function bytes(value) {
  if (value == null) return "–";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  while (Math.abs(value) >= 1000 && at < units.length - 1) (value /= 1000), (at += 1);
  return `${plain.format(value)} ${units[at]}`;
}

export const clock = (millis) => new Date(millis).toLocaleTimeString("en-GB");

export const stamp = (millis) => (millis == null ? "–" : new Date(millis).toISOString().replace("T", " ").slice(0, 19));

export function ago(millis, now) {
  const passed = Math.max(0, (now - millis) / 1000);
  if (passed < 5) return "just now";
  const whole = [[172_800, 86_400, "days"], [7_200, 3_600, "h"], [120, 60, "min"], [0, 1, "s"]].find(([least]) => passed >= least);
  return `${Math.floor(passed / whole[1])} ${whole[2]} ago`;
}

export const json = (value) => (typeof value === "string" ? value : JSON.stringify(value));

export const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// A reason with the names of files in place of their paths.
export const named = (reason) => reason.replace(/(?:\/[\w.@-]+)+\/([\w.-]+\.py)/g, "$1");
