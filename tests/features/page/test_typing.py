"""Adding plants with real keys, without waiting for the server's responses."""

import pytest
from playwright.sync_api import Route, expect

from tests.features.page.page_driver import PageDriver

NAMES = ("Acer", "Rosa", "Salix", "Tilia")


@pytest.mark.parametrize("latency", [0, 400])
def test_plants_typed_quickly_are_stored_as_typed_at_any_latency(
    driver: PageDriver, latency: int
) -> None:
    driver.delay(latency)
    driver.sign_in().open_add()
    for name, tag in zip(NAMES, ("\tbed 3", "", "", ""), strict=True):  # the field keeps its tag
        driver.type(f"{name}{tag}\n", delay=60)
    driver.wait_until(lambda: len(driver.list_plants()) == len(NAMES))
    plants = [{"id": n, "name": name, "tag": "bed 3"} for n, name in enumerate(NAMES, start=1)]
    assert driver.list_plants() == plants
    assert driver["#add-name"].input_value() == ""


def test_a_refused_plant_shows_its_reason_and_can_be_corrected(driver: PageDriver) -> None:
    driver.create_plants({"id": 7, "name": "Basil"})
    driver.sign_in().open_add()
    driver["#add-set-id"].click()
    driver.type("7")
    driver["#add-name"].focus()
    driver.type("Mint\n")
    refused = driver["#rows .row.refused"]
    expect(refused).to_contain_text("Mint")
    expect(refused).to_contain_text("This ID belongs to another plant")
    expect(refused.locator(".id")).to_have_text("7")
    expect(refused.locator(".id")).to_be_in_viewport(ratio=1)
    with driver.page.expect_event("dialog") as dialog:  # a reload would lose the refused plant
        driver.evaluate("void setTimeout(() => location.reload())")
    assert dialog.value.type == "beforeunload"
    dialog.value.dismiss()
    refused.get_by_role("button", name="Edit").click()
    expect(driver["#add-name"]).to_have_value("Mint")
    driver["#add-id"].press("ControlOrMeta+a")
    driver.type("8\n")
    driver.wait_until(lambda: len(driver.list_plants()) == 2)


def test_a_reload_restores_an_unsent_plant_for_the_same_user_only(driver: PageDriver) -> None:
    other = driver.service.make_token(f"{driver.store}-other", f"ben-of-{driver.store}")
    driver.sign_in().open_add()
    driver.type("Acer palmatum\tbed 3")
    driver.page.reload()
    expect(driver["#add-name"]).to_have_value("Acer palmatum")
    expect(driver["#add-tag"]).to_have_value("bed 3")
    driver.evaluate(f"sessionStorage['plantstore/token'] = '{other}'")
    driver.page.reload()
    expect(driver["#who"]).to_have_text(f"ben-of-{driver.store}")
    expect(driver["#add-name"]).to_have_value("")
    driver.sign_out()
    assert "Acer" not in driver.evaluate("JSON.stringify(sessionStorage)")


def test_a_plant_submitted_before_the_list_loads_gets_the_next_id(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    held = driver.hold("**/plants?*", responses=True)
    driver.sign_in()["#grid"].press("+")
    driver.type("Aloe\n")
    expect(driver["#rows .row.busy"]).to_contain_text("Aloe")
    held.release()
    driver.assert_shows("Added Aloe (2)", "#message")
    expect(driver["#rows .row.busy"]).to_have_count(0)


def test_ids_beyond_double_precision_are_shown_and_stored_exactly(driver: PageDriver) -> None:
    ids = [-(2**63), -(2**53) - 1, 2**53 + 1, 2**63 - 2]
    driver.create_plants(*({"id": number, "name": f'{{"id":{number}}},"id":5'} for number in ids))
    driver.sign_in().assert_count("4 plants")
    expect(driver["#rows .id"]).to_have_text([str(number) for number in ids])
    driver.add_plant("Between", "herb", str(2**53))
    driver.add_plant("Nought", plant_id="-0")
    driver.add_plant("Last")
    stored = [plant["id"] for plant in driver.list_plants()]
    assert stored == [*ids[:2], 0, 2**53, *ids[2:], 2**63 - 1]


def test_a_plant_is_added_once_when_its_response_is_lost(driver: PageDriver) -> None:
    def lose_response(route: Route) -> None:
        route.fetch()
        route.abort()

    driver.sign_in().open_add()
    driver.route("**/changes", lose_response)
    driver.type("Fern\n")
    expect(driver["#offline"]).to_be_visible()
    driver.page.unroute("**/changes")
    driver.assert_shows("Added Fern (1)", "#message")
    assert driver.list_plants() == [{"id": 1, "name": "Fern"}]


def test_a_new_plant_gets_another_id_when_another_user_took_its_id(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.block_streams().sign_in().assert_count("1 plant")
    driver.create_plants({"id": 2, "name": "Somebody else's"})
    driver.open_add()
    driver.type("Aloe\n")
    driver.assert_shows("Added Aloe (3)", "#message")


def test_holding_enter_adds_one_plant(driver: PageDriver) -> None:
    driver.sign_in().open_add()
    driver.type("Fern")
    driver.page.keyboard.down("Enter")
    driver.repeat_key("Enter")
    driver.assert_shows("Added Fern (1)", "#message")
    assert driver.validation_message() == ""
    assert len(driver.list_plants()) == 1


@pytest.mark.parametrize(
    ("field", "text", "reason"),
    [
        ("name", "x" * 1001, "Name must be 1 to 1,000 characters long"),
        ("tag", "x" * 257, "Tag must be 0 to 256 characters long"),
        ("id", "1.5", "ID must be a whole number"),
    ],
    ids=["long name", "long tag", "fractional id"],
)
def test_an_invalid_field_keeps_its_text_and_shows_the_reason(
    driver: PageDriver, field: str, text: str, reason: str
) -> None:
    driver.sign_in().open_add()
    driver["#add-name"].fill("Fern")
    if field == "id":
        driver["#add-set-id"].click()
    driver[f"#add-{field}"].fill(text)
    driver.page.keyboard.press("Enter")
    expect(driver[f"#add-{field}"]).to_be_focused()
    assert reason in driver.validation_message()
    expect(driver[f"#add-{field}"]).to_have_value(text)
    driver[f"#add-{field}"].fill("3")
    assert driver.validation_message() == ""


@pytest.mark.parametrize(
    "is_stored_first", [True, False], ids=["stored while editing", "stored after the edit"]
)
def test_a_plant_can_be_edited_before_it_is_stored(
    driver: PageDriver, *, is_stored_first: bool
) -> None:
    driver.sign_in().open_add()
    held = driver.hold("**/changes")
    driver.type("Acer palmatum\n", delay=60)
    driver.wait_until(lambda: held.routes)
    for key in ("ArrowDown", "F2"):
        driver.page.keyboard.press(key)
    driver.type("Acer rub", delay=60)
    if is_stored_first:
        held.release()
        driver.assert_shows("Added Acer palmatum (1)", "#message")
    driver.type("rum\n", delay=60)
    held.release()
    driver.assert_stored(1, "Acer rubrum", None)
    driver.assert_shows("Changed Acer rubrum", "#message")
    driver.assert_count("1 plant")


def test_plants_can_be_tagged_and_deleted_before_they_are_stored(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.sign_in().open_add()
    held = driver.hold("**/changes")
    driver.type("Basil\nMint\n", delay=60)
    for key in ("ArrowDown", "Delete", "#"):
        driver.page.keyboard.press(key)
    driver.type("herb\n", delay=60)
    expect(driver["#rows .row.gone"]).to_contain_text("Mint")
    expect(driver["#rows .row.busy .pill"].nth(1)).to_have_text("herb")
    driver.create_plants({"id": 2, "name": "Somebody else's"})
    held.release()
    driver.assert_stored(4, "Basil", "herb")
    driver.assert_shows("Deleted Mint", "#announcements")
    driver.assert_count("3 plants")
    assert [plant["id"] for plant in driver.list_plants()] == [1, 2, 4]


def test_a_plant_is_added_beside_another_users_identical_plant(driver: PageDriver) -> None:
    driver.sign_in().open_add()
    held = driver.hold("**/changes")
    driver.type("Fern\n")
    driver.wait_until(lambda: held.routes)
    driver.create_plants({"id": 1, "name": "Fern"})
    held.release()
    driver.assert_shows("Added Fern (2)", "#message")
    driver.assert_count("2 plants")


def test_spaces_around_typed_names_and_tags_are_removed(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": " Odd ", "tag": "bed "})
    posts = driver.record_requests("POST")
    driver.sign_in().assert_count("1 plant")
    driver["#grid"].press("F2")
    driver.page.keyboard.press("Enter")  # what was not typed stays
    driver.settle()
    assert posts == []
    driver["#rows .tag"].first.dblclick()
    driver.type("sun \n")
    driver.assert_shows("Changed", "#message")
    driver.add_plant(" Fern ", "shade ")
    plants = [{"id": 1, "name": " Odd ", "tag": "sun"}, {"id": 2, "name": "Fern", "tag": "shade"}]
    assert driver.list_plants() == plants
    expect(driver["#add-tag"]).to_have_value("shade")
