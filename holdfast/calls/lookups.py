"""Run coroutines for a batch of records: many at the same time, each with a time limit, tried again when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from holdfast.calls import loop
from holdfast.calls.failures import failure
from holdfast.calls.run import Runner

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 10.0


class LookupRunner(Runner):
    """Gives the results in the order of the records, whichever comes first."""

    def _answers(self, records: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
        return loop.run(self._all(records))

    async def _all(self, records: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
        gate = asyncio.Semaphore(self._call.lookups.concurrency)

        async def one(record: tuple[Any, ...]) -> dict[str, Any]:
            async with gate:
                return await self._answer(record)

        return list(await asyncio.gather(*map(one, records)))

    async def _answer(self, record: tuple[Any, ...]) -> dict[str, Any]:
        try:
            return self._checked(await self._tried(record))
        except Exception as error:
            return {"result": None, "error": failure(self._call, error)}

    async def _tried(self, record: tuple[Any, ...]) -> Any:
        """The result of the first try that succeeds; between two tries the pause doubles."""
        options = self._call.lookups
        for failed in range(options.retries):
            try:
                return await self._within(record)
            except Exception:
                await asyncio.sleep(min(_FIRST_PAUSE * 2**failed, _LONGEST_PAUSE))
        try:
            return await self._within(record)
        except Exception as error:
            if options.retries:
                error.add_note(f"tried {options.retries + 1} times")
            raise

    async def _within(self, record: tuple[Any, ...]) -> Any:
        """One try."""
        limit = self._call.lookups.timeout_ms
        if limit is None:
            return await self._call.function(*record)
        try:
            async with asyncio.timeout(limit / 1000) as clock:
                return await self._call.function(*record)
        except TimeoutError as error:
            if not clock.expired():
                raise
            raise TimeoutError(f"no answer within {limit} ms").with_traceback(error.__traceback__) from None
