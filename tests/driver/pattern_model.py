"""Patterns, plainly and slowly: every record is tried as a beginning, alone; then overlap is settled."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Step:
    """`x` must be one of `wanted`, or, for a relation, more than what the first step took (`relation` is added)."""

    kind: str
    wanted: frozenset = frozenset()
    relation: int | None = None
    n: int = 1
    at_least: bool = False

    def fits(self, x, first):
        return x in self.wanted if self.relation is None else x > first + self.relation


@dataclass
class Attempt:
    """One record tried as a beginning: the records (positions) that each step took, and when it was complete."""

    key: str
    begin: int
    taken: list[list[int]] = field(default_factory=list)
    done: tuple | None = None
    time: int | None = None

    @property
    def last(self):
        return max(position for each in self.taken for position in each)


def matches(steps, records, within, strict, overlap):
    """What a pattern finds in (key, x, time) records: (key, values per step, time) in the order of emission."""
    clock = [max(at for _, _, at in records[: i + 1]) for i in range(len(records))]
    on_time = [i for i in range(len(records)) if records[i][2] + within >= clock[i]]
    attempts = [attempt(steps, records, within, strict, clock, on_time, i) for i in on_time]
    complete = sorted((each for each in attempts if each and each.done), key=lambda each: each.done)
    past = {}
    out = []
    for each in complete:
        if overlap or each.begin > past.get(each.key, -1):
            past[each.key] = max(past.get(each.key, -1), each.last)
            out.append((each.key, [[records[i][1] for i in taken] for taken in each.taken], each.time))
    return out


def attempt(steps, records, within, strict, clock, on_time, begin):
    key, _, start = records[begin]
    positive = [i for i, step in enumerate(steps) if step.kind != "absent"]
    guards = [_guards(steps, positive, n) for n in range(len(positive) + 1)]
    wanted = [steps[i] for i in positive]
    tried = Attempt(key, begin, [[] for _ in wanted])
    at = 0
    for i in range(begin, len(records)):
        if clock[i] > start + within:
            if ripe(wanted, tried, at):
                # By time, before the record that moves the clock, earliest deadline first.
                tried.done, tried.time = (
                    (i, 0, start + within, key, begin),
                    _time(tried, records, guards, start + within),
                )
            return tried
        if i not in on_time or records[i][0] != key or records[i][2] < start:
            continue
        x, first = records[i][1], records[begin][1]
        goes = place(wanted, guards, tried, at, x, first, strict)
        if goes == "over" or (i == begin and goes is None):
            return None
        if goes == "ended":
            at = len(wanted)
        elif goes is not None:
            at = goes
            tried.taken[at].append(i)
            if not wanted[at].at_least and len(tried.taken[at]) == wanted[at].n:
                at += 1
        if at == len(wanted) and not guards[-1]:
            tried.done, tried.time = (i, 1, 0, key, begin), _time(tried, records, guards, 0)
            return tried
    return None


def place(wanted, guards, tried, at, x, first, strict):
    """The step that takes x; None if it passes by, `over` or `ended` if it is the end."""
    if at == len(wanted):
        return "over" if any(guard.fits(x, first) for guard in guards[at]) else None
    has = len(tried.taken[at])
    enough = has >= wanted[at].n
    for candidate in ([at + 1] if enough and at + 1 < len(wanted) else []) + [at]:
        if wanted[candidate].fits(x, first):
            return candidate
    watching = guards[at + 1] if enough else guards[at] if has == 0 else []
    if any(guard.fits(x, first) for guard in watching):
        return "over"
    if strict:
        return "ended" if enough and at + 1 == len(wanted) else "over"
    return None


def ripe(wanted, tried, at):
    return at == len(wanted) or (at == len(wanted) - 1 and wanted[at].at_least and len(tried.taken[at]) >= wanted[at].n)


def _guards(steps, positive, n):
    """The absent steps before the n-th step with records."""
    before = positive[n - 1] if n else -1
    after = positive[n] if n < len(positive) else len(steps)
    return list(steps[before + 1 : after])


def _time(tried, records, guards, deadline):
    return deadline if guards[-1] else max(records[i][2] for each in tried.taken for i in each)
