"""Requests that list plants and events, compared with the model."""

from urllib.parse import urlencode

from hypothesis import strategies as st
from hypothesis.stateful import rule

from plantstore.core.model import Role, Scope
from tests.contract.harness import describe
from tests.http.raw import Response
from tests.whole.store_requests import StoreRequests, bases, expect, numbers, tags


class ListRequests(StoreRequests):
    """Lists of plants and of events."""

    @rule(
        number=numbers,
        base=bases,
        limit=st.none() | st.integers(0, 4),
        tag=tags,
        with_ids=st.booleans(),
    )
    def list_plants(
        self, number: int, base: str, limit: int | None, tag: str | None, *, with_ids: bool
    ) -> None:
        parameters = {"limit": limit, "tag": tag, "include": "id" if with_ids else None}
        query = urlencode({name: value for name, value in parameters.items() if value is not None})
        refused = self.model.refuse(self.choose(number), Scope.LIST)
        stored = sorted(self.model.store.plants.values(), key=lambda plant: plant.id)
        remaining = [describe(it, with_ids=with_ids) for it in stored if tag in {None, it.tag}]
        total = str(len(remaining))
        while True:
            response = self.request(number, "GET", f"{base}/plants?{query}")
            expect(response, refused or 200, remaining[:limit])
            if refused is not None:
                return
            assert response.headers["x-total-count"] == total
            self.check_etag(number, base, query, response)
            remaining = [] if not limit else remaining[limit:]
            assert ("link" in response.headers) == bool(remaining)
            if not remaining:
                return
            query = response.headers["link"].removeprefix("<?").removesuffix('>; rel="next"')

    def check_etag(self, number: int, base: str, query: str, response: Response) -> None:
        """Check that the entity tag depends on revision and query, and only the last one fits."""
        etag = response.headers["etag"]
        key = (self.model.store.revision, query)
        assert self.etags.setdefault(key, etag) == etag
        assert sum(known == etag for known in self.etags.values()) == 1
        etags_of_query = [it for (revision, its), it in self.etags.items() if its == query]
        for known in (etag, etags_of_query[0]):
            conditional = self.request(
                number, "GET", f"{base}/plants?{query}", None, {"If-None-Match": known}
            )
            expect(conditional, 304 if known == etag else 200, response.json)

    @rule(number=numbers, base=bases, after=st.none() | st.integers(0, 40), limit=st.integers(1, 9))
    def list_events(self, number: int, base: str, after: int | None, limit: int) -> None:
        """Read the events after a revision; only an owner sees who did what."""
        token = self.choose(number)
        query = f"limit={limit}" if after is None else f"limit={limit}&after={after}"
        response = self.request(number, "GET", f"{base}/events?{query}")
        is_owner = self.model.members.get(token.user) is Role.OWNER
        events = [
            {"revision": revision, "kind": kind, "plant": describe(plant)}
            | ({"user": author.user, "token_id": author.id} if is_owner else {})
            for revision, ((kind, plant), author) in enumerate(
                zip(self.model.store.events, self.model.authors, strict=True), 1
            )
        ][after or 0 :]
        refused = self.model.refuse(token, Scope.LIST)
        if refused is not None:
            expect(response, refused)
            return
        if (after or 0) > self.model.store.revision:
            expect(response, 41001)
            return
        assert response.status == 200
        listed = [
            {k: v for k, v in it.items() if k not in {"at", "token_label"}} for it in response.json
        ]
        assert listed == events[:limit]
        assert ("link" in response.headers) == (len(events) > limit)
