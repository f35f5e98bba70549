// What the page knows: asked again and again while it is looked at, and kept while the server does not answer.
import { Unauthorized, ask } from "./api.js";
import { merged, since } from "./columns.js";
import { useEffect, useRef, useState } from "./html.js";

export const RANGES = [
  { name: "5 min", millis: 300_000, step: 1_000 },
  { name: "15 min", millis: 900_000, step: 1_000 },
  { name: "1 h", millis: 3_600_000, step: 10_000 },
  { name: "6 h", millis: 21_600_000, step: 60_000 },
];
const EVERY = 1_000;

class Live {
  constructor(range) {
    this.range = range;
    this.state = { now: null, history: null, topology: null, letters: null, problem: null, unauthorized: false };
    this.seen = { letters: -1, run: null, epoch: null };
  }

  async look() {
    const before = this.state;
    try {
      const now = await ask("dashboard/now");
      const [history, topology, letters] = await Promise.all([this.history(now.now), this.topology(now), this.letters(now)]);
      return (this.state = { now, history, topology, letters, problem: null, unauthorized: false });
    } catch (error) {
      const unauthorized = error instanceof Unauthorized;
      const problem = error instanceof TypeError ? "The server does not answer. The figures are the last that came." : error.message;
      if (!unauthorized) this.lost = true;
      return (this.state = { ...before, unauthorized, problem: unauthorized ? null : problem });
    }
  }

  async history(now) {
    const { millis, step } = this.range;
    const known = this.lost ? null : this.state.history;
    this.lost = false;
    const newest = known?.range === this.range ? Math.min(...[known.app, known.stores].map((each) => each.t.at(-1) ?? 0)) : 0;
    const begin = Math.max(now - millis, newest);
    const more = await ask(`dashboard/history?since=${begin}&step=${step}`);
    const grown = (name) => since(merged(newest ? known[name] : null, more[name]), now - millis);
    return { range: this.range, app: grown("app"), stores: grown("stores") };
  }

  async topology(now) {
    const run = `${now.app?.run}/${now.stores.map((store) => store.name)}`;
    if (!now.published || run === this.seen.run) return this.state.topology;
    const found = await ask("dashboard/topology");
    this.seen.run = run;
    return found;
  }

  async letters(now) {
    const dead = now.figures?.dead ?? 0;
    if (this.state.letters && dead === this.seen.letters && now.now - this.seen.lettersAt < 10_000) return this.state.letters;
    Object.assign(this.seen, { letters: dead, lettersAt: now.now });
    return (await ask("dashboard/letters")).groups;
  }
}

export function useLive(range) {
  const live = useRef(null);
  live.current ??= new Live(range);
  live.current.range = range;
  const [state, setState] = useState(live.current.state);
  const [round, setRound] = useState(0);
  useEffect(() => {
    let timer = null, ended = false;
    const step = async () => {
      if (!document.hidden) setState(await live.current.look());
      if (!ended) timer = setTimeout(step, EVERY);
    };
    const wake = () => !document.hidden && (clearTimeout(timer), step());
    step();
    document.addEventListener("visibilitychange", wake);
    return () => ((ended = true), clearTimeout(timer), document.removeEventListener("visibilitychange", wake));
  }, [range, round]);
  return [state, () => setRound(round + 1)];
}
