"""Looking at the plants of a store: all, very many, some, none."""

from playwright.sync_api import expect

from plantstore.model import Role
from tests.http.stalls import fill_store
from tests.web.states.stage import Stage, state, unfold
from tests.web.visitor import plant


@state
def plants(stage: Stage) -> None:
    visitor = stage.browse()
    visitor["#grid"].focus()
    visitor["#plants-title"].focus()


@state
def very_many(stage: Stage) -> None:
    fill_store(stage.service, stage.store, 20_000, size=12)
    stage.visitor.sign_in(stage.token).counts("20,000 plants")
    stage.visitor["#grid"].focus()
    stage.visitor["#grid"].press("End")


@state
def for_a_reader(stage: Stage) -> None:
    stage.furnish()
    token = stage.service.make_token(stage.store, f"reader-of-{stage.store}", role=Role.READER)
    stage.visitor.sign_in(token).counts("48 plants")


@state
def several_stores(stage: Stage) -> None:
    stage.furnish()
    user = f"owner-of-{stage.store}"
    stage.service.make_token(f"{stage.store}-second", user)
    token = stage.service.make_token(None, user, all_stores=True, expires_at=2 * 10**12)
    stage.visitor.sign_in(token).counts("48 plants")


@state
def filtered(stage: Stage) -> None:
    visitor = stage.browse()
    visitor["#tag-filter"].select_option("=herb")
    visitor["#find"].fill("i")
    visitor.counts("8 of 48 plants")


@state
def nothing_found(stage: Stage) -> None:
    visitor = stage.browse()
    visitor["#find"].fill("no such plant")
    expect(visitor["#state-nothing"]).to_be_visible()


@state
def by_tag(stage: Stage) -> None:
    visitor = stage.browse()
    unfold(visitor, "#tag-bars")
    visitor["#tag-bars button"].filter(has_text="herb").click()
    visitor.counts("8 of 48 plants")


@state
def all_tags(stage: Stage) -> None:
    tags = ((number, f"tag {number % 19}") for number in range(1, 40))
    plant(stage.service, stage.token, *({"id": n, "name": "Fern", "tag": tag} for n, tag in tags))
    visitor = stage.visitor.sign_in(stage.token)
    visitor.counts("39 plants")
    unfold(visitor, "#tag-bars")
    visitor["#tags-more"].click()
    expect(visitor["#tag-bars button"]).to_have_count(19)


@state
def export(stage: Stage) -> None:
    stage.browse()["#export-summary"].click()


@state
def odd_texts(stage: Stage) -> None:
    rows = (
        (1, "x" * 256, "y" * 64),
        (2**63 - 1, "A name of many words that goes on and on " * 6, "a tag of many words"),
        (-(2**63), "<script>alert('no')</script>", "<b>"),
        (5, "שרך חלק (fern) 12", "עשב"),
        (6, "نخلة 🌴", "🌿"),
        (7, "蝴蝶兰", "兰花"),
    )
    plant(stage.service, stage.token, *({"id": i, "name": n[:256], "tag": t} for i, n, t in rows))
    stage.visitor.sign_in(stage.token).counts("6 plants")
