"""The form while it waits for an answer, and ids that are not what they seemed."""

from playwright.sync_api import expect

from tests.service import Service
from tests.web.visitor import Visit, Visitor, list_all, plant

# As WebKit does it, where this page was left for another and comes back as it was.
_COME_BACK = """() => {
    dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}));
    for (const input of document.querySelectorAll("input")) input.value = "";
}"""


def opened(visit: Visit, owner: str) -> Visitor:
    visitor = visit().sign_in(owner)
    expect(visitor["#add-id"]).not_to_have_value("")
    return visitor


def test_what_is_typed_meanwhile_stays(visit: Visit, owner: str) -> None:
    visitor = opened(visit, owner)
    held = visitor.hold("**/plants")
    visitor.add("Fern")
    visitor.sees("Adding…", "#add-button")
    visitor["#add-tag"].fill("herb")
    visitor["#add-name"].fill("Basil, the ne")
    held.let_go()
    visitor.sees("Added Fern, id 1", "#add-done")
    expect(visitor["#add-id"]).to_have_value("2")
    expect(visitor["#add-name"]).to_be_focused()
    visitor.page.keyboard.type("xt")
    expect(visitor["#add-name"]).to_have_value("Basil, the next")
    expect(visitor["#add-tag"]).to_have_value("herb")


def test_what_is_typed_is_there_when_one_comes_back(visit: Visit, owner: str) -> None:
    visitor = opened(visit, owner)
    visitor["#find"].fill("ferns")
    visitor["#add-name"].fill("Fern")
    visitor.stays(_COME_BACK)
    visitor.rest()
    expect(visitor["#find"]).to_have_value("ferns")
    expect(visitor["#add-name"]).to_have_value("Fern")
    expect(visitor["#add-id"]).to_have_value("1")


def test_enter_held_adds_one(visit: Visit, shop: Service, owner: str) -> None:
    visitor = opened(visit, owner)
    visitor["#add-name"].fill("Fern")
    visitor.page.keyboard.down("Enter")
    visitor.sees("Added Fern", "#add-done")
    visitor.keeps_pressing("Enter")
    visitor.rest()
    visitor.sees("Added Fern", "#add-done")
    for field in ("name", "tag", "id"):
        expect(visitor[f"#add-{field}-fault"]).to_be_hidden()
    assert len(list_all(shop, owner)) == 1


def test_a_proposed_id_that_was_taken_is_proposed_no_more(
    visit: Visit, shop: Service, owner: str
) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = opened(visit, owner)
    expect(visitor["#add-id"]).to_have_value("2")
    plant(shop, owner, {"id": 2, "name": "Somebody else's"})
    visitor.add("Aloe")
    visitor.sees("the id 2 belongs to another plant", "#add-id-fault")
    expect(visitor["#add-id"]).to_have_value("3")
    expect(visitor["#add-name"]).to_have_value("Aloe")
    visitor.page.keyboard.press("Enter")
    visitor.sees("Added Aloe, id 3", "#add-done")
    assert len(list_all(shop, owner)) == 3


def test_minus_nought_is_nought(visit: Visit, shop: Service, owner: str) -> None:
    visitor = opened(visit, owner)
    visitor.adds("Fern", plant_id="-0")
    visitor.counts("1 plant")
    expect(visitor["#rows .id"]).to_have_text(["0"])
    visitor["#rows .remove"].click()
    visitor.sees("Deleted Fern", "#toasts")
    assert list_all(shop, owner) == []
