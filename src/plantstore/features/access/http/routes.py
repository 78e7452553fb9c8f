"""The routes of access: below the address of any store, except for redeeming codes."""

from functools import partial

from plantstore.features.access.declared import keep_declared
from plantstore.features.access.http import links, members, tokens
from plantstore.features.access.http.owners import Owners
from plantstore.http.app import App


def add_access(app: App) -> None:
    create_token = partial(tokens.create_token, app.settings.token_expiry)
    create_link = partial(links.create_link, app.settings.token_expiry)
    keep_declared(app)
    owners = Owners(app)
    owners.lists("/members", "/members/{user}", read=members.read, describe=members.describe)
    owners.changes("member add", "PUT", "/members/{user}", members.set_member, members.MemberRole)
    owners.changes("member remove", "DELETE", "/members/{user}", members.remove_member)
    owners.lists("/tokens", "/tokens/{id}", read=tokens.read, describe=tokens.describe)
    owners.changes("token create", "POST", "/tokens", create_token, tokens.TokenRequest)
    owners.changes("token revoke", "DELETE", "/tokens/{id}", tokens.revoke_token)
    owners.lists("/links", "/links/{id}", read=links.read, describe=links.describe)
    owners.changes("link create", "POST", "/links", create_link, tokens.TokenRequest)
    owners.changes("link revoke", "DELETE", "/links/{id}", links.revoke_link)
    app.routes.add("/links/redeem", {"POST": partial(links.redeem_code, app, owners)})
