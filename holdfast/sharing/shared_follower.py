"""The state of all replicas of this server, and of the shares that others hold, as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from holdfast.sharing.membership import Member, Membership
from holdfast.sharing.shares import Shares
from holdfast.stores.catalog import Catalog
from holdfast.stores.follower import Follower
from holdfast.stores.restore_meter import together
from holdfast.stores.snapshot import Snapshot
from holdfast.stores.status import Status


class SharedFollower(Follower):
    """What a server asks its follower, answered from several; `known` follows nothing but what the app publishes."""

    def __init__(self, known: Follower, shares: Shares, membership: Membership) -> None:
        self._known = known
        self._shares = shares
        self._membership = membership
        self.problem = None

    @property
    def catalog(self) -> Catalog:
        """What the app has published."""
        return self._known.catalog

    @property
    def meta_offset(self) -> int:
        """How far the meta topic has been read."""
        return self._known.meta_offset

    def measure_meta(self) -> int:
        """Ask the broker for the end of the meta topic."""
        return self._known.measure_meta()

    @property
    def restores(self) -> Mapping[str, int]:
        """How often each store was read from the beginning, in any share."""
        found: Counter[str] = Counter()
        for held in self._shares.held.values():
            found.update(held.follower.restores)
        return found

    @property
    def alive(self) -> bool:
        """Whether all replicas move."""
        return self._known.alive and all(held.follower.alive for held in self._shares.held.values())

    @property
    def stuck(self) -> str | None:
        """What keeps a replica from going on."""
        return next((why for held in self._shares.held.values() if (why := held.follower.stuck)), None)

    def status(self, snapshot: Snapshot) -> Status:
        """How far this server is: it is ready when somebody answers for every share."""
        held = {number: each.status() for number, each in self._shares.held.items()}
        why, catalog = self._reasons(held), self.catalog
        lag = {name: sum(each.lag.get(name) or 0 for each in held.values()) for name in catalog.stores}
        foreign: Counter[str] = Counter()
        for each in held.values():
            foreign.update(each.skipped_by_topic)
        problem = self._known.problem or next((each.problem for each in held.values() if each.problem), None)
        return Status(
            not why, why, f"holder of {len(held)} of {self._shares.of} shares", lag, snapshot.epoch, catalog.epoch,
            problem, foreign.total(), foreign, together(each.restoring for each in held.values()),
        )  # fmt: skip

    def _reasons(self, held: Mapping[int, Status]) -> tuple[str, ...]:
        if self.catalog.topology is None:
            return (f"no program has published {self.catalog.topic} yet; start it with `holdfast run`",)
        if not self._shares.of or not self._membership.is_settled:
            return ("the other servers are still to be found",)
        others = self._membership.others(self._shares.of)
        missing = [
            number
            for number in range(self._shares.of)
            if not (number in held and held[number].ready)
            and not any(each.epoch(number) is not None for each in others)
        ]
        return tuple(f"share {number}: {_missing(number, held.get(number), others)}" for number in missing)


def _missing(number: int, held: Status | None, others: Sequence[Member]) -> str:
    if held is not None:
        return "; ".join(held.reasons)
    at = ", ".join(each.said.url for each in others if str(number) in each.said.restoring)
    return f"it is being restored at {at}" if at else "nobody holds it yet"
