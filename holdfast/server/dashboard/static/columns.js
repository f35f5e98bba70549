// Figures over time, column by column, as the server sends them and as they grow.

export function merged(before, more) {
  if (!before || before.step !== more.step || !more.t.length) return before && !more.t.length && before.step === more.step ? before : more;
  const first = more.t[0];
  const kept = before.t.findIndex((at) => at >= first);
  const length = kept < 0 ? before.t.length : kept;
  const t = [...before.t.slice(0, length), ...more.t];
  const names = new Set([...Object.keys(before.series), ...Object.keys(more.series)]);
  const empty = (size) => new Array(size).fill(null);
  const series = {};
  for (const name of names) {
    const old = (before.series[name] ?? empty(before.t.length)).slice(0, length);
    series[name] = [...old, ...(more.series[name] ?? empty(more.t.length))];
  }
  return { step: more.step, t, series };
}

export function since(columns, begin) {
  const first = columns.t.findIndex((at) => at >= begin);
  if (first <= 0) return columns;
  const series = Object.fromEntries(Object.entries(columns.series).map(([name, values]) => [name, values.slice(first)]));
  return { ...columns, t: columns.t.slice(first), series };
}

export const named = (columns, prefix) =>
  Object.keys(columns?.series ?? {}).filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));

export const last = (values) => values?.findLast?.((value) => value != null) ?? null;

// By how much a column grows in a minute, over the last ten minutes or what is known.
export function growth(columns, name) {
  const values = columns?.series[name] ?? [];
  const known = values.map((value, at) => [columns.t[at], value]).filter(([, value]) => value != null);
  if (known.length < 2) return null;
  const [endAt, end] = known[known.length - 1];
  const [beginAt, begin] = known.find(([at]) => at >= endAt - 600_000);
  return endAt - beginAt < 2_000 ? null : ((end - begin) / (endAt - beginAt)) * 60_000;
}
