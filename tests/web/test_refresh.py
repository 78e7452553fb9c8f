"""What others change, and what one does meanwhile: the row and the selection stay right."""

from playwright.sync_api import expect

from tests.http.stalls import fill_store
from tests.service import Service
from tests.web.visitor import Visit, Visitor, list_all, plant


def opened(visit: Visit, shop: Service, owner: str) -> Visitor:
    plant(shop, owner, *({"id": number, "name": f"P{number}"} for number in range(10, 20)))
    visitor = visit().sign_in(owner)
    visitor.counts("10 plants")
    return visitor


def delete(shop: Service, owner: str, *ids: int) -> None:
    with shop.client(owner) as client:
        for one in ids:
            client.delete(f"/plants/{one}").raise_for_status()


def test_the_active_plant_stays_the_active_one(visit: Visit, shop: Service, owner: str) -> None:
    visitor = opened(visit, shop, owner)
    visitor["#grid"].focus()
    for _ in range(3):
        visitor["#grid"].press("ArrowDown")
    assert visitor.active_name() == "P13"
    plant(shop, owner, {"id": 1, "name": "New"})
    visitor.comes_back()
    visitor.counts("11 plants")
    assert visitor.active_name() == "P13"
    visitor["#grid"].press("Delete")
    visitor.sees("Deleted P13", "#toasts")


def test_what_others_add_is_told_though_none_of_it_is_shown(
    visit: Visit, shop: Service, owner: str
) -> None:
    visitor = opened(visit, shop, owner)
    visitor["#find"].fill("nothing of this name")
    visitor.sees("0 of 10 plants", "#announcements")
    plant(shop, owner, {"id": 1, "name": "New"})
    visitor.comes_back()
    visitor.sees("0 of 11 plants", "#announcements")


def test_after_a_filter_a_shift_click_selects_one(visit: Visit, shop: Service, owner: str) -> None:
    visitor = opened(visit, shop, owner)
    visitor["#rows .name"].nth(7).click()
    visitor["#find"].fill("p")
    visitor["#rows .name"].nth(2).click(modifiers=["Shift"])
    visitor.sees("1 selected", "#selection")
    assert visitor["#rows [aria-selected=true] .name"].all_inner_texts() == ["P12"]


def test_what_others_deleted_is_not_selected(visit: Visit, shop: Service, owner: str) -> None:
    visitor = opened(visit, shop, owner)
    for index in range(3):
        visitor["#rows .check"].nth(index).click()
    visitor.sees("3 selected", "#selection")
    delete(shop, owner, 10, 11)
    visitor.comes_back()
    visitor.counts("8 plants")
    visitor.sees("1 selected", "#selection")
    delete(shop, owner, 12)
    visitor.comes_back()
    visitor.counts("7 plants")
    expect(visitor["#selection"]).to_be_hidden()


def test_coming_back_loads_the_list_once(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    fill_store(shop, store, 1500)
    visitor = visit().sign_in(owner)
    visitor.counts("1,500 plants")
    plant(shop, owner, {"id": 1501, "name": "New"})
    asked = visitor.asked("GET")
    visitor.stays(
        "(document.dispatchEvent(new Event('visibilitychange')), dispatchEvent(new Event('focus')))"
    )
    visitor.counts("1,501 plants")
    visitor.rest()
    pages = [url for url in asked if "fields=" in url]
    assert len(pages) == 2


def test_a_refresh_that_fails_is_told_and_made_up_for(
    visit: Visit, shop: Service, owner: str
) -> None:
    visitor = opened(visit, shop, owner)
    plant(shop, owner, {"id": 20, "name": "P20"})
    visitor.answer("**/plants?fields*", 500, '{"error": 50001, "message": "the service failed"}')
    visitor.comes_back()
    visitor.sees("The list may be out of date", "#state-error")
    visitor.counts("10 plants")
    visitor.page.unroute("**/plants?fields*")
    visitor.comes_back()
    visitor.counts("11 plants")
    expect(visitor["#state-error"]).to_be_hidden()


def test_a_plant_is_deleted_once_though_the_list_is_new(
    visit: Visit, shop: Service, owner: str
) -> None:
    visitor = opened(visit, shop, owner)
    plant(shop, owner, {"id": 20, "name": "P20"})
    asked = visitor.asked("DELETE")
    held = visitor.hold("**/plants/14")
    visitor.page.get_by_role("button", name="Delete P14").click()
    visitor.until(lambda: held.routes)
    visitor.comes_back()
    visitor.counts("11 plants")
    visitor.page.get_by_role("button", name="Delete P14").click()
    held.let_go()
    visitor.sees("Deleted P14", "#toasts")
    visitor.counts("10 plants")
    assert len(asked) == 1


def test_what_one_deletes_during_a_refresh_is_gone(visit: Visit, shop: Service, owner: str) -> None:
    visitor = opened(visit, shop, owner)
    visitor["#find"].fill("p")
    plant(shop, owner, {"id": 20, "name": "P20"})
    held = visitor.hold("**/plants?fields*", answers=True)
    visitor.comes_back()
    visitor.until(lambda: held.routes)
    visitor.page.get_by_role("button", name="Delete P14").click()
    visitor.sees("Deleted P14", "#toasts")
    held.let_go()
    visitor.counts("10 of 10 plants")
    assert visitor.names() == [one["name"] for one in list_all(shop, owner)]


def test_what_one_does_during_a_load_is_shown_with_a_filter_too(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    fill_store(shop, store, 1500)
    visitor = visit().open()
    held = visitor.hold("**/plants?*after=*", answers=True)
    visitor.sign_in(owner)
    visitor.counts("1,000 plants so far")
    visitor.until(lambda: held.routes)
    visitor["#find"].fill("x")
    visitor.adds("New x", plant_id="5000")
    visitor["#rows .remove"].first.click()
    visitor.sees("Deleted 000001xxxx", "#toasts")
    held.let_go()
    visitor.counts("1,500 of 1,500 plants")
    assert visitor.names()[0] == "000002xxxx"
    visitor["#grid"].press("End")
    visitor.sees("New x", "#rows")
