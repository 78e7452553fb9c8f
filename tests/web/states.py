"""The states that the page can be in, each with the way to it: for looking at all of them."""

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import expect

from plantstore.model import Role, Scope
from tests.http.stalls import fill_store
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
BAD_FILE = "id,name,tag\n1,Fern,herb\nx,Aloe,\n3,,shrub\n4,Basil,herb\n5,Monstera,\n" + "".join(
    f"{number},Plant {number},tag {number % 5}\n" for number in range(100, 160)
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


def sign_in(stage: Stage) -> None:
    stage.visitor.open()


def refused(stage: Stage) -> None:
    visitor = stage.visitor.open()
    visitor["#token"].fill("pst_1_nonsense")
    visitor["#token"].press("Enter")
    expect(visitor["#sign-in-reason"]).to_be_visible()


def loading(stage: Stage) -> None:
    stage.visitor.open().hold("**/plants?*")
    stage.visitor.sign_in(stage.token)
    expect(stage.visitor["#state-loading"]).to_be_visible()


def slow(stage: Stage) -> None:
    loading(stage)
    expect(stage.visitor["#slow"]).to_be_visible(timeout=10_000)


def empty(stage: Stage) -> None:
    stage.visitor.sign_in(stage.token)
    expect(stage.visitor["#state-empty"]).to_be_visible()


def empty_for_a_reader(stage: Stage) -> None:
    token = stage.service.make_token(stage.store, f"reader-of-{stage.store}", role=Role.READER)
    stage.visitor.sign_in(token)
    expect(stage.visitor["#empty-read"]).to_be_visible()


def plants(stage: Stage) -> None:
    visitor = stage.browse()
    visitor["#grid"].focus()
    visitor["#plants-title"].focus()


def very_many(stage: Stage) -> None:
    fill_store(stage.service, stage.store, 100_000, size=12)
    stage.visitor.sign_in(stage.token)
    expect(stage.visitor["#count"]).to_have_text("100,000 plants", timeout=60_000)
    stage.visitor["#grid"].focus()
    stage.visitor["#grid"].press("End")


def for_a_reader(stage: Stage) -> None:
    stage.furnish()
    token = stage.service.make_token(stage.store, f"reader-of-{stage.store}", role=Role.READER)
    stage.visitor.sign_in(token).counts("48 plants")


def several_stores(stage: Stage) -> None:
    stage.furnish()
    user = f"owner-of-{stage.store}"
    stage.service.make_token(f"{stage.store}-second", user)
    token = stage.service.make_token(None, user, all_stores=True, expires_at=2 * 10**12)
    stage.visitor.sign_in(token).counts("48 plants")


def filtered(stage: Stage) -> None:
    visitor = stage.browse()
    visitor["#tag-filter"].select_option("=herb")
    visitor["#find"].fill("i")
    visitor.counts("8 of 48 plants")


def nothing_found(stage: Stage) -> None:
    visitor = stage.browse()
    visitor["#find"].fill("no such plant")
    expect(visitor["#state-nothing"]).to_be_visible()


def selected(stage: Stage) -> None:
    visitor = stage.browse()
    visitor["#grid"].focus()
    for key in ("Space", "ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown"):
        visitor["#grid"].press(key)
    expect(visitor["#selection"]).to_be_visible()


def deleted(stage: Stage) -> None:
    selected(stage)
    stage.visitor["#delete-selected"].click()
    stage.visitor.sees("Deleted", "#toasts")


def asked(stage: Stage) -> None:
    fill_store(stage.service, stage.store, 60)
    stage.visitor.sign_in(stage.token).counts("60 plants")
    stage.visitor["#grid"].focus()
    stage.visitor["#grid"].press("Control+a")
    stage.visitor["#delete-selected"].click()
    expect(stage.visitor["#confirm"]).to_be_visible()


def added(stage: Stage) -> None:
    visitor = stage.browse()
    unfold(visitor)
    visitor.adds("Zamioculcas zamiifolia", "tropical")


def add_refused(stage: Stage) -> None:
    visitor = stage.browse()
    unfold(visitor)
    visitor.add("Another", "herb", "1001")
    expect(visitor["#add-id-fault"]).to_be_visible()


def add_failed(stage: Stage) -> None:
    visitor = stage.browse()
    unfold(visitor)
    visitor.page.route("**/plants", lambda route: route.abort())
    visitor.page.route("**/livez", lambda route: route.abort())
    visitor.add("Another", "herb")
    expect(visitor["#add-fault"]).to_be_visible()
    expect(visitor["#offline"]).to_be_visible()


def failed(stage: Stage) -> None:
    body = '{"error": 50302, "message": "the database is not available: try again soon"}'
    stage.visitor.open().page.route(
        "**/plants?*",
        lambda route: route.fulfill(status=503, body=body, content_type="application/json"),
    )
    stage.visitor.sign_in(stage.token)
    expect(stage.visitor["#state-error"]).to_be_visible()


def broken_off(stage: Stage) -> None:
    fill_store(stage.service, stage.store, 3000)
    for pattern in ("**/plants?*after=*", "**/livez"):
        stage.visitor.page.route(pattern, lambda route: route.abort())
    stage.visitor.sign_in(stage.token)
    expect(stage.visitor["#state-error"]).to_be_visible()


def not_listed(stage: Stage) -> None:
    user = f"owner-of-{stage.store}"
    scopes = frozenset({Scope.CREATE})
    stage.visitor.sign_in(stage.service.make_token(stage.store, user, scopes=scopes))
    expect(stage.visitor["#state-forbidden"]).to_be_visible()


def export(stage: Stage) -> None:
    stage.browse()["#export-summary"].click()


def import_choice(stage: Stage) -> None:
    stage.browse()["#import-open"].click()


def import_preview(stage: Stage) -> None:
    stage.browse().choose_file("spring order.csv", BAD_FILE)
    expect(stage.visitor["#import-preview"]).to_be_visible()


def import_progress(stage: Stage) -> None:
    import_preview(stage)
    answered = iter(range(30))
    stage.visitor.page.route(
        "**/plants",
        lambda route: route.continue_() if next(answered, None) is not None else None,
    )
    stage.visitor["#import-start"].click()
    expect(stage.visitor["#import-progress-text"]).to_contain_text("30 of")


def import_summary(stage: Stage) -> None:
    import_preview(stage)
    stage.visitor["#import-start"].click()
    expect(stage.visitor["#import-summary"]).to_be_visible()


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


def docs(stage: Stage) -> None:
    stage.visitor.open("/docs")
    expect(stage.visitor["#operations-plants-list_plants"]).to_be_visible(timeout=30_000)


def errors(stage: Stage) -> None:
    stage.visitor.open("/docs/errors")


def unfold(visitor: Visitor) -> None:
    """Open the form, which is folded away in a narrow window."""
    if not visitor["#add-form"].is_visible():
        visitor["details:has(#add-form) > summary"].click()


OWN: tuple[Callable[[Stage], None], ...] = (
    sign_in,
    refused,
    loading,
    slow,
    empty,
    empty_for_a_reader,
    plants,
    very_many,
    for_a_reader,
    several_stores,
    filtered,
    nothing_found,
    selected,
    deleted,
    asked,
    added,
    add_refused,
    add_failed,
    failed,
    broken_off,
    not_listed,
    export,
    import_choice,
    import_preview,
    import_progress,
    import_summary,
    odd_texts,
    errors,
)
STATES = (*OWN, docs)
