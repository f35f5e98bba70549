"""Run coroutines for a batch of records: many at the same time, each with a time limit, tried again when it fails."""

from __future__ import annotations

import asyncio

from holdfast.workers.process import event_loop
from holdfast.workers.process.failures import RAISED, failure_reason
from holdfast.workers.runners.record_runner import RecordRunner, Results

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 10.0


class AsyncRunner(RecordRunner):
    """Gives the results in the order of the records, whichever comes first."""

    def _results(self, columns: list[list[object]]) -> Results:
        return event_loop.run(self._all(columns))

    async def _all(self, columns: list[list[object]]) -> Results:
        gate = asyncio.Semaphore(self._call.async_options.concurrency)
        reasons: dict[int, str] = {}

        async def one(index: int, record: tuple[object, ...]) -> object:
            async with gate:
                try:
                    return self._encode(await self._tried(record))
                except RAISED as error:
                    reasons[index] = failure_reason(self._call, error)
                    return None

        records = enumerate(zip(*columns, strict=True))
        return list(await asyncio.gather(*(one(*each) for each in records))), reasons

    async def _tried(self, record: tuple[object, ...]) -> object:
        """The result of the first try that succeeds; between two tries the pause doubles."""
        options = self._call.async_options
        for failed in range(options.retries):
            try:
                return await self._within(record)
            except RAISED:
                await asyncio.sleep(min(_FIRST_PAUSE * 2**failed, _LONGEST_PAUSE))
        try:
            return await self._within(record)
        except RAISED as error:
            if options.retries:
                error.add_note(f"tried {options.retries + 1} times")
            raise

    async def _within(self, record: tuple[object, ...]) -> object:
        """One try."""
        limit = self._call.async_options.timeout_ms
        if limit is None:
            return await event_loop.answer_of(self._call.function(*record))
        try:
            async with asyncio.timeout(limit / 1000) as clock:
                return await event_loop.answer_of(self._call.function(*record))
        except TimeoutError as error:
            if not clock.expired():
                raise
            raise TimeoutError(f"no answer within {limit} ms").with_traceback(error.__traceback__) from None
