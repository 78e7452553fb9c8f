"""A future for what a client waits for, such as a write."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


class Completion(asyncio.Future[Result]):
    """A future that also calls ``then``, at once, if ``settle`` ends it.

    Its other callbacks wait for the loop's next iteration, and for all that arrived meanwhile.
    """

    then: Callable[["asyncio.Future[Any]"], None] | None = None

    def settle(self, result: Result | Exception) -> None:
        """Set the result or the error, unless it was cancelled."""
        if self.done():
            return
        if isinstance(result, Exception):
            self.set_exception(result)
        else:
            self.set_result(result)
        then, self.then = self.then, None  # or the two refer to each other
        if then is None:
            return
        try:
            then(self)
        except Exception as error:  # noqa: BLE001 - it must not stop the others
            message = "what waited for a completion failed"
            self.get_loop().call_exception_handler({"message": message, "exception": error})
