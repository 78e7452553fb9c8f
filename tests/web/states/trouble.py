"""What the service, the way to it or a token does not let happen."""

from playwright.sync_api import expect

from plantstore.model import Scope
from tests.http.stalls import fill_store
from tests.web.states.stage import Stage, cut_off, refuse, state, unfold


@state
def failed(stage: Stage) -> None:
    refuse(
        stage.visitor.open(),
        "**/plants?*",
        50302,
        "the database is not available: try again soon",
    )
    stage.visitor.sign_in(stage.token)
    expect(stage.visitor["#state-error"]).to_be_visible()


@state
def broken_off(stage: Stage) -> None:
    fill_store(stage.service, stage.store, 3000)
    cut_off(stage.visitor, "**/plants?*after=*", "**/livez")
    stage.visitor.sign_in(stage.token)
    expect(stage.visitor["#state-error"]).to_be_visible()
    stage.visitor["#retry"].scroll_into_view_if_needed()


@state
def not_listed(stage: Stage) -> None:
    user = f"owner-of-{stage.store}"
    scopes = frozenset({Scope.CREATE})
    stage.visitor.sign_in(stage.service.make_token(stage.store, user, scopes=scopes))
    expect(stage.visitor["#state-forbidden"]).to_be_visible()


@state
def add_failed(stage: Stage) -> None:
    visitor = stage.browse()
    unfold(visitor, "#add-form")
    cut_off(visitor, "**/plants", "**/livez")
    visitor.add("Another", "herb")
    expect(visitor["#add-fault"]).to_be_visible()
    expect(visitor["#offline"]).to_be_visible()


@state
def delete_failed(stage: Stage) -> None:
    visitor = stage.browse()
    refuse(visitor, "**/plants/*", 50001, "the service failed: its log has the cause")
    visitor["#rows .remove"].first.click()
    visitor.sees("was not deleted", "#toasts .failed")
