"""Where a state is made: a visitor, a store to furnish, and the register of all states."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from tests.service import Service
from tests.web.visitor import Visitor, plant

PLANTS = (
    ("Monstera deliciosa", "tropical"),
    ("Ficus lyrata", "tropical"),
    ("Aloe vera", "succulent"),
    ("Basil ‘Genovese’", "herb"),
    ("Adiantum raddianum", "fern"),
    ("Clematis montana", "climber"),
    ("Narcissus ‘Thalia’", "bulb"),
    ("Pinus mugo", "conifer"),
    ("Echeveria elegans", "succulent"),
    ("Olea europaea", None),
    ("Strelitzia nicolai", "tropical"),
    ("Rosmarinus officinalis", "herb"),
    ("Lavandula angustifolia", "herb"),
    ("Nephrolepis exaltata", "fern"),
    ("Calathea orbifolia", "tropical"),
    ("Hedera helix", "climber"),
    ("Crassula ovata", "succulent"),
    ("Salvia nemorosa", "shrub"),
    ("Hydrangea quercifolia", "shrub"),
    ("Philodendron hederaceum", "tropical"),
    ("Mentha spicata", "herb"),
    ("Phalaenopsis ‘White Dream’", "orchid"),
    ("Camellia japonica", "shrub"),
    ("Phyllostachys aurea", "bamboo"),
)


@dataclass(frozen=True)
class Stage:
    """A visitor at the closed page, and the store that it is about."""

    visitor: Visitor
    service: Service
    store: str
    token: str

    def furnish(self) -> None:
        """Give the store some plants."""
        rows = enumerate((*PLANTS, *PLANTS), start=1001)
        plants = ({"id": n, "name": name, "tag": tag} for n, (name, tag) in rows)
        with_tags = ({k: v for k, v in one.items() if v is not None} for one in plants)
        plant(self.service, self.token, *with_tags)

    def browse(self) -> Visitor:
        """Sign in to the furnished store."""
        self.furnish()
        self.visitor.sign_in(self.token)
        self.visitor.counts("48 plants")
        return self.visitor


MakeState = Callable[[Stage], None]
STATES: dict[str, MakeState] = {}


def state(make: MakeState) -> MakeState:
    """Have this state looked at, under the function's name."""
    assert make.__name__ not in STATES
    STATES[make.__name__] = make
    return make


def unfold(visitor: Visitor, part: str) -> None:
    """Open the card that has this part, which is folded away in a narrow window."""
    if not visitor[part].is_visible():
        visitor[f"details:has({part}) > summary"].click()


def let_through(visitor: Visitor, pattern: str, number: int) -> None:
    """So many requests to such addresses are answered from now on; all others wait."""
    left = iter(range(number))
    visitor.page.route(
        pattern, lambda route: route.continue_() if next(left, None) is not None else None
    )


def refuse(visitor: Visitor, pattern: str, number: int, message: str) -> None:
    """Requests to such addresses are answered with this error from now on."""
    body = json.dumps({"error": number, "message": message})
    visitor.answer(pattern, number // 100, body)


def cut_off(visitor: Visitor, *patterns: str) -> None:
    """Requests to such addresses get no answer from now on."""
    for pattern in patterns:
        visitor.page.route(pattern, lambda route: route.abort())
