"""Ready list answers, kept while they are fresh: bounded in bytes, the longest unused go first.

A key holds the store's revision, which the caller's look-up has just proved: an answer of an
older revision is never asked for again. The parameters stand in it as they were sent.

A page is kept from the second time on that it is asked for, at whatever revision: a walk through a
long list asks for each page once, and would push out those that are asked for again and again.
"""

from collections import OrderedDict

from plantstore.http.answers import Answer

PageKey = tuple[int, int, str | None, bytes]
_ENTRY_OVERHEAD = 1000  # bytes of an entry beyond its body, roughly
_MOST_ASKED = 10_000  # a megabyte of them


class ReadyPages:
    """Answers by store, revision, name in the path and parameters: at most ``size`` bytes."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._used = 0
        self._answers: OrderedDict[PageKey, Answer] = OrderedDict()
        self._asked: set[int] = set()

    def get(self, key: PageKey) -> Answer | None:
        """The ready answer, if there is one."""
        answer = self._answers.get(key)
        if answer is not None:
            self._answers.move_to_end(key)
        return answer

    def put(self, key: PageKey, answer: Answer) -> None:
        """Keep an answer, and drop as many of the longest unused as it takes."""
        if key in self._answers or not self._was_asked(key):
            return
        self._answers[key] = answer
        self._used += _measure(key, answer)
        while self._used > self._size:
            self._used -= _measure(*self._answers.popitem(last=False))

    def _was_asked(self, key: PageKey) -> bool:
        """Whether the page was asked for before; from now on it was."""
        store_id, _, store_name, parameters = key
        page = hash((store_id, store_name, parameters))
        if page in self._asked:
            return True
        if len(self._asked) >= _MOST_ASKED:
            self._asked.clear()
        self._asked.add(page)
        return False


def _measure(key: PageKey, answer: Answer) -> int:
    return len(answer.body) + len(key[3]) + _ENTRY_OVERHEAD
