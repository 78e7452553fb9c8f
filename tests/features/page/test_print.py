"""Printing all plants that match the search, or labels whose codes open their plants."""

import re

from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

_RECORD_PRINTED_ROWS = """() => addEventListener("beforeprint", () => {
    globalThis.printed = [...document.querySelectorAll("#print-title, #print-rows tr")]
        .map((row) => [...row.childNodes].map((cell) => cell.textContent).join("|"));
})"""


def print_page(driver: PageDriver) -> tuple[list[str], int]:
    """The printed lines, which are the title and the plants, and the number of sheets."""
    driver.page.evaluate(_RECORD_PRINTED_ROWS)
    pdf = driver.page.pdf()
    return driver.page.evaluate("printed"), len(re.findall(rb"/Type /Page\b", pdf))


def test_print_contains_the_matching_plants_and_nothing_after_sign_out(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "<b>Fern</b>"}, {"id": 2, "name": "Aloe"})
    driver.sign_in()["#find"].fill("fern")
    driver.assert_count("1 of 2 plants")
    assert print_page(driver) == ([f"{driver.store}: 1 of 2 plants", "1|<b>Fern</b>|"], 1)
    driver.sign_out()
    lines, _ = print_page(driver)
    assert lines == [""]


def test_labels_of_the_selected_plants_are_printed_on_one_sheet(driver: PageDriver) -> None:
    names = [f"Fern {n}" for n in range(1, 31)]
    driver.create_plants(*({"id": n, "name": name} for n, name in enumerate(names, start=1)))
    driver.sign_in().assert_count("30 plants")
    for row in (1, 3):
        driver["#rows .check"].nth(row).click()
    driver.evaluate("window.print = () => {}")  # it would open a dialog
    driver["#labels-selected"].click()
    expect(driver["#print-labels .name"]).to_have_count(2)
    assert driver["#print-labels .name"].all_text_contents() == ["Fern 2", "Fern 4"]
    expect(driver["#print-labels svg path"]).to_have_count(2)
    assert print_page(driver) == ([""], 1)
    expect(driver["#print-labels > *"]).to_have_count(0)
    driver.open("/livez").open(f"/#store={driver.store}&plant=4")
    expect(driver["#panel-title"]).to_have_text("Fern 4")
    driver["#panel-close"].click()
    assert "plant" not in driver.address().partition("#")[2]


def test_a_long_name_and_tag_fit_on_a_label(driver: PageDriver) -> None:
    name = "Rosa gallica var. officinalis " * 12
    driver.create_plants({"id": -(2**63), "name": name, "tag": "bed 3 near the old wall, " * 10})
    driver.sign_in().assert_count("1 plant")
    driver.evaluate("window.print = () => {}")
    driver["#more-open"].click()
    driver["#labels"].click()
    expect(driver["#print-labels .name"]).to_have_count(1)
    driver.page.emulate_media(media="print")
    [label, *texts] = [
        driver[f"#print-labels {part}"].bounding_box()
        for part in (".label", ".name", ".tag", ".id")
    ]
    driver.page.emulate_media(media="null")
    assert label
    for box in texts:
        assert box
        assert box["height"] > 0
        assert label["y"] <= box["y"]
        assert box["y"] + box["height"] <= label["y"] + label["height"]
