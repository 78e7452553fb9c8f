"""Requests that write and read plants, compared with the model."""

import json
from copy import deepcopy
from functools import partial
from itertools import starmap

from hypothesis import strategies as st
from hypothesis.stateful import rule

from plantstore.core.model import NewPlant, Precondition, Scope, entity_tag_of
from tests.contract.harness import describe
from tests.features.changes.client import changes_message, numbers_of, read_lines
from tests.http.expect import expect_error
from tests.http.model import Token
from tests.whole.store_requests import (
    OTHER_TAG,
    StoreRequests,
    bases,
    changes,
    conditions,
    etag_of,
    expect,
    ids,
    numbers,
    plants,
)


class PlantRequests(StoreRequests):
    """Writes and reads of plants."""

    @rule(number=numbers, base=bases, plant=plants, key=st.none() | st.sampled_from("ab"))
    def create(self, number: int, base: str, plant: NewPlant, key: str | None) -> None:
        headers = {} if key is None else {"Idempotency-Key": key}
        body = describe(plant)
        response = self.request(number, "POST", f"{base}/plants", body, headers)
        before = self.model.store.revision
        status = self.model.write(self.choose(number), Scope.CREATE, plant, key=key)
        is_replay = status == 200 and before == self.model.store.revision
        assert response.headers.get("idempotent-replayed") == ("true" if is_replay else None)
        expect(response, status, describe(plant, with_ids=False))

    @rule(number=numbers, many=st.lists(changes, min_size=1, max_size=4), is_atomic=st.booleans())
    def change_many(
        self, number: int, many: list[tuple[str, NewPlant]], *, is_atomic: bool
    ) -> None:
        """Send several changes in one request, maybe atomic."""
        token = self.choose(number)
        lines = ({"op": op} | describe(plant) for op, plant in many)
        body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        target = f"/changes?atomic={str(is_atomic).lower()}"
        response = self.connection.request(changes_message(token.secret, body, target))
        if refused := self.model.refuse(token, None):
            expect_error(response, refused)
            return
        before = deepcopy((self.model.store, self.model.authors))
        numbers = list(enumerate(starmap(partial(self.change, token), many), 1))
        if is_atomic and (refusals := [it for it in numbers if it[1] >= 300]):
            self.model.store, self.model.authors = before
            # Without a scope, a line is refused before the others are tried.
            line, number = next((it for it in refusals if it[1] == 40301), refusals[0])
            expect_error(response, number)
            assert response.json["message"].startswith(f"line {line}: ")
        else:
            assert numbers_of(read_lines(response.body)) == numbers

    def change(self, token: Token, op: str, plant: NewPlant) -> int:
        if op != "upsert":
            return self.model.write(token, Scope(op), plant)
        refused = self.model.refuse(token, Scope.CREATE)
        status = refused or self.model.write(token, Scope.UPDATE, plant)
        return self.model.write(token, Scope.CREATE, plant) if status == 40401 else status

    @rule(number=numbers, base=bases, plant=plants, condition=conditions)
    def replace(
        self, number: int, base: str, plant: NewPlant, condition: tuple[str, str] | None
    ) -> None:
        """Replace a plant, maybe with a precondition."""
        headers, precondition = self.read_condition(plant.id, condition)
        path = f"{base}/plants/{plant.id}"
        response = self.request(number, "PUT", path, describe(plant, with_ids=False), headers)
        status = self.model.write(self.choose(number), Scope.UPDATE, plant, precondition)
        expect(response, status, describe(plant, with_ids=False))
        if status == 200:
            assert response.headers["etag"] == etag_of(plant)
            assert response.headers["cache-control"] == "no-store"

    @rule(number=numbers, base=bases, plant_id=ids, condition=conditions)
    def delete(
        self, number: int, base: str, plant_id: int, condition: tuple[str, str] | None
    ) -> None:
        headers, precondition = self.read_condition(plant_id, condition)
        response = self.request(number, "DELETE", f"{base}/plants/{plant_id}", None, headers)
        plant = NewPlant(plant_id, "")
        expect(response, self.model.write(self.choose(number), Scope.DELETE, plant, precondition))

    @rule(number=numbers, base=bases, plant_id=ids, condition=conditions)
    def read(
        self, number: int, base: str, plant_id: int, condition: tuple[str, str] | None
    ) -> None:
        """Read a plant, maybe with a precondition."""
        headers, precondition = self.read_condition(plant_id, condition)
        response = self.request(number, "GET", f"{base}/plants/{plant_id}", None, headers)
        plant = self.model.store.plants.get(plant_id)
        refused = self.model.refuse(self.choose(number), Scope.LIST)
        if refused is not None or plant is None:
            expect(response, refused or 40401)
            return
        tag = entity_tag_of(plant)
        if precondition is not None and not precondition.matches(tag):
            expect(response, 41201)
            return
        is_known = precondition is not None and precondition.excludes(tag)
        expect(response, 304 if is_known else 200, describe(plant, with_ids=False))
        assert response.headers["etag"] == f'"{tag}"'

    def read_condition(
        self, plant_id: int, condition: tuple[str, str] | None
    ) -> tuple[dict[str, str], Precondition | None]:
        if condition is None:
            return {}, None
        name, kind = condition
        plant = self.model.store.plants.get(plant_id)
        right = OTHER_TAG if plant is None else etag_of(plant)
        header = {"right": right, "wrong": OTHER_TAG, "any": "*"}[kind]
        tag_values = (header.strip('"'),)
        precondition = (
            Precondition(tag_values, None) if name == "If-Match" else Precondition(None, tag_values)
        )
        return {name: header}, precondition
