"""Deleting plants, one or several, and putting them back."""

from playwright.sync_api import expect

from tests.service import Service
from tests.web.visitor import Visit, Visitor, list_all, plant

NAMES = ("Fern", "Aloe", "Basil", "Ficus")


def opened(visit: Visit, shop: Service, owner: str, *names: str) -> Visitor:
    plants = ({"id": n, "name": name, "tag": "t"} for n, name in enumerate(names or NAMES, start=1))
    plant(shop, owner, *plants)
    visitor = visit().sign_in(owner)
    visitor.counts(f"{len(names or NAMES)} plants")
    return visitor


def names_in(shop: Service, token: str) -> list[str]:
    return [one["name"] for one in list_all(shop, token)]


def test_one_plant_is_deleted_and_put_back(visit: Visit, shop: Service, owner: str) -> None:
    visitor = opened(visit, shop, owner)
    before = list_all(shop, owner)
    visitor.page.get_by_role("button", name="Delete Aloe").click()
    visitor.sees("Deleted Aloe", "#toasts")
    visitor.counts("3 plants")
    assert names_in(shop, owner) == ["Fern", "Basil", "Ficus"]
    visitor.page.get_by_role("button", name="Undo").click()
    visitor.sees("Aloe is back", "#toasts")
    visitor.counts("4 plants")
    assert visitor.names() == list(NAMES)
    assert list_all(shop, owner) == before


def test_several_are_deleted_and_put_back(visit: Visit, shop: Service, owner: str) -> None:
    names = [f"Plant {number:02}" for number in range(1, 31)]
    visitor = opened(visit, shop, owner, *names)
    visitor["#rows .check"].nth(1).click()
    visitor["#rows .name"].nth(5).click(modifiers=["Shift"])
    visitor.sees("5 selected", "#selection")
    visitor["#delete-selected"].click()
    visitor.sees("Deleted 5 plants", "#toasts")
    visitor.counts("25 plants")
    assert names_in(shop, owner) == [names[0], *names[6:]]
    expect(visitor["#selection"]).to_be_hidden()
    visitor.page.get_by_role("button", name="Undo").click()
    visitor.sees("5 plants are back", "#toasts")
    assert names_in(shop, owner) == names


def test_very_many_are_asked_about_first(visit: Visit, shop: Service, owner: str) -> None:
    visitor = opened(visit, shop, owner, *(f"Plant {number}" for number in range(60)))
    visitor["#grid"].focus()
    visitor["#grid"].press("Control+a")
    visitor.sees("60 selected", "#selection")
    visitor["#grid"].press("Delete")
    visitor.sees("Delete 60 plants?", "#confirm")
    visitor["#confirm [value=no]"].click()
    assert len(list_all(shop, owner)) == 60
    visitor["#delete-selected"].click()
    visitor["#confirm [value=yes]"].click()
    visitor.sees("Deleted 60 plants", "#toasts")
    expect(visitor["#state-empty"]).to_be_visible()
    assert list_all(shop, owner) == []


def test_what_somebody_else_deleted_is_gone_too(visit: Visit, shop: Service, owner: str) -> None:
    visitor = opened(visit, shop, owner)
    with shop.client(owner) as client:
        client.delete("/plants/2")
    visitor.page.get_by_role("button", name="Delete Aloe").click()
    visitor.counts("3 plants")


def test_an_id_taken_meanwhile_is_not_put_back(visit: Visit, shop: Service, owner: str) -> None:
    visitor = opened(visit, shop, owner)
    visitor.page.get_by_role("button", name="Delete Aloe").click()
    visitor.sees("Deleted Aloe", "#toasts")
    plant(shop, owner, {"id": 2, "name": "Another"})
    visitor.page.get_by_role("button", name="Undo").click()
    visitor.sees("Aloe was not put back: the id 2 belongs to another plant", "#toasts")
    assert names_in(shop, owner)[1] == "Another"


def test_after_a_delete_the_last_id_is_free_again(visit: Visit, shop: Service, owner: str) -> None:
    visitor = opened(visit, shop, owner)
    expect(visitor["#add-id"]).to_have_value("5")
    visitor.page.get_by_role("button", name="Delete Ficus").click()
    expect(visitor["#add-id"]).to_have_value("4")
