"""A store as a plain model: the outcome of each write, and the plants after it."""

from plantstore.core.model import IdempotencyKey, NewPlant, Outcome, Precondition, entity_tag_of

Write = tuple[str, NewPlant, Precondition | None, IdempotencyKey | None]


class StoreModel:
    """A store with a quota of plants, and an event for each change."""

    def __init__(self, max_plants: int) -> None:
        self._max_plants = max_plants
        self.plants: dict[int, NewPlant] = {}
        self.events: list[tuple[str, NewPlant]] = []
        self._keys: dict[str, tuple[bytes, Outcome]] = {}

    @property
    def revision(self) -> int:
        return len(self.events)

    def apply(
        self,
        kind: str,
        plant: NewPlant,
        precondition: Precondition | None,
        key: IdempotencyKey | None,
    ) -> Outcome:
        """Apply a write after all others, and return its outcome; a delete needs the plant's id."""
        if kind == "create":
            return self._create_once(plant, key)
        stored = self.plants.get(plant.id)
        if stored is None:
            return Outcome.NO_SUCH_PLANT
        if precondition is not None and not is_met(precondition, stored):
            return Outcome.PRECONDITION_FAILED
        if kind == "delete":
            del self.plants[plant.id]
            self.events.append(("plant.deleted", stored))
            return Outcome.DELETED
        if stored == plant:
            return Outcome.UNCHANGED
        self._store("plant.updated", plant)
        return Outcome.UPDATED

    def _create_once(self, plant: NewPlant, key: IdempotencyKey | None) -> Outcome:
        if key is not None and key.key in self._keys:
            fingerprint, outcome = self._keys[key.key]
            if fingerprint != key.fingerprint:
                return Outcome.KEY_REUSED
            return Outcome.REPLAYED if outcome is Outcome.CREATED else outcome
        outcome = self._create(plant)
        if key is not None and outcome is not Outcome.STORE_FULL:
            self._keys[key.key] = (key.fingerprint, outcome)
        return outcome

    def _create(self, plant: NewPlant) -> Outcome:
        stored = self.plants.get(plant.id)
        if stored is not None:
            return Outcome.ALREADY_STORED if stored == plant else Outcome.ID_TAKEN
        if len(self.plants) == self._max_plants:
            return Outcome.STORE_FULL
        self._store("plant.created", plant)
        return Outcome.CREATED

    def _store(self, kind: str, plant: NewPlant) -> None:
        self.plants[plant.id] = plant
        self.events.append((kind, plant))


def is_met(precondition: Precondition, stored: NewPlant) -> bool:
    tags = {entity_tag_of(stored), "*"}
    wanted, unwanted = precondition.if_match, precondition.if_none_match
    return (wanted is None or bool(tags & set(wanted))) and not tags & set(unwanted or ())
