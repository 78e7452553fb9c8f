"""Fills a store for the states of the page, and registers the flows that lead to the states."""

import json
from collections.abc import Callable, Iterator

from tests.features.page.page_driver import PageDriver

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


def create_plants(driver: PageDriver) -> None:
    rows = enumerate((*PLANTS, *PLANTS), start=1001)
    plants = ({"id": n, "name": name, "tag": tag} for n, (name, tag) in rows)
    driver.create_plants(*({k: v for k, v in plant.items() if v is not None} for plant in plants))


def browse(driver: PageDriver) -> PageDriver:
    create_plants(driver)
    driver.sign_in().assert_count("48 plants")
    return driver


# Yields the name of each state, and continues after the state has been checked.
Flow = Callable[[PageDriver], Iterator[str]]
FLOWS: dict[str, Flow] = {}


def flow(function: Flow) -> Flow:
    """Register a flow, whose states are checked; it starts on a phone with an empty store."""
    assert function.__name__ not in FLOWS
    FLOWS[function.__name__] = function
    return function


def respond_with_error(driver: PageDriver, pattern: str, number: int, message: str) -> None:
    """Respond to matching requests with this error from now on."""
    body = json.dumps({"error": number, "message": message})
    driver.respond(pattern, number // 100, body)


def abort_requests(driver: PageDriver, *patterns: str) -> None:
    """Abort matching requests from now on."""
    for pattern in patterns:
        driver.route(pattern, lambda route: route.abort())
