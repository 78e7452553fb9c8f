"""An import as it goes: dropped where it should not be, held keys, no server, no eyes, no mouse."""

from itertools import count

from playwright.sync_api import Route, expect

from plantstore.model import Role
from tests.http.stalls import fill_store
from tests.service import Service
from tests.web.visitor import Held, Visit, Visitor, list_all

ROWS = "".join(f"{number},Plant {number}\n" for number in range(1, 41))


def test_a_file_dropped_before_signing_in_opens_nothing(visit: Visit) -> None:
    visitor = visit().open()
    expect(visitor["#sign-in"]).to_be_visible()
    assert visitor.drops("plants.csv", ROWS)
    visitor.rest()
    expect(visitor["#import"]).to_be_hidden()


def test_a_file_dropped_by_a_reader_opens_nothing(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    assert owner
    visitor = visit().sign_in(shop.make_token(store, "eve", role=Role.READER))
    expect(visitor["#empty-read"]).to_be_visible()
    assert visitor.drops("plants.csv", ROWS)
    visitor.rest()
    expect(visitor["#import"]).to_be_hidden()


def test_a_file_dropped_on_a_question_opens_nothing(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    fill_store(shop, store, 60)
    visitor = visit().sign_in(owner)
    visitor.counts("60 plants")
    visitor["#grid"].press("Control+a")
    visitor["#grid"].press("Delete")
    expect(visitor["#confirm"]).to_be_visible()
    assert visitor.drops("plants.csv", ROWS)
    visitor.rest()
    expect(visitor["#confirm"]).to_be_visible()
    expect(visitor["#import"]).to_be_hidden()


def chosen(visit: Visit, owner: str) -> Visitor:
    visitor = visit().sign_in(owner)
    visitor.choose_file("many.csv", ROWS)
    expect(visitor["#import-start"]).to_be_enabled()
    return visitor


def test_enter_held_does_not_stop_it(visit: Visit, shop: Service, owner: str) -> None:
    visitor = chosen(visit, owner)
    held = visitor.hold("**/plants")
    visitor["#import-start"].focus()
    visitor.page.keyboard.down("Enter")
    visitor.until(lambda: held.routes)
    visitor.keeps_pressing("Enter")
    visitor.rest()
    held.let_go()
    visitor.sees("Import finished", "#import-summary-title")
    visitor.sees("40 plants imported.", "#import-result")
    assert len(list_all(shop, owner)) == 40


def test_a_server_that_is_away_is_told_in_the_dialog(visit: Visit, owner: str) -> None:
    visitor = chosen(visit, owner)
    for pattern in ("**/plants", "**/livez"):
        visitor.page.route(pattern, lambda route: route.abort())
    visitor["#import-start"].click()
    told = visitor["#import"].get_by_text("cannot be reached").filter(visible=True)
    expect(told.first).to_be_visible()
    visitor.page.unroute("**/plants")
    visitor.page.unroute("**/livez")
    visitor.sees("40 plants imported.", "#import-result")
    expect(told).to_have_count(0)


def test_how_far_it_is_and_how_it_ended_is_announced(visit: Visit, owner: str) -> None:
    visitor = chosen(visit, owner)
    visitor.page.clock.install()
    asked = count()
    held = Held()

    def answer(route: Route) -> None:
        if next(asked) < 27:
            route.continue_()
        else:
            held.take(route)

    visitor.page.route("**/plants", answer)
    visitor["#import-start"].click()
    told = visitor["#import"].get_by_role("log")
    visitor.sees("27 of 40", "#import-progress-text")
    visitor.page.clock.fast_forward(10_000)
    held.let_go()
    expect(told).to_contain_text("28 of 40")
    visitor.sees("40 plants imported.", "#import-result")
    visitor.counts("40 plants")
    expect(told).to_contain_text("40 plants imported.")


def test_it_needs_no_mouse(visit: Visit, shop: Service, owner: str) -> None:
    visitor = visit().sign_in(owner)
    keyboard = visitor.page.keyboard
    # From the start: a busy browser may learn of it too late else.
    with visitor.page.expect_file_chooser() as chooser:
        visitor["#import-open"].focus()
        keyboard.press("Enter")
        expect(visitor["#import-file"]).to_be_focused()
        keyboard.press("Space")
    chooser.value.set_files({"name": "a.csv", "mimeType": "", "buffer": ROWS.encode()})
    expect(visitor["#import-start"]).to_be_focused()
    keyboard.press("Enter")
    visitor.sees("40 plants imported.", "#import-result")
    expect(visitor["#import-done"]).to_be_focused()
    keyboard.press("Enter")
    expect(visitor["#import"]).to_be_hidden()
    expect(visitor["#import-open"]).to_be_focused()
    visitor.counts("40 plants")
    assert len(list_all(shop, owner)) == 40
