"""Every kind of operation of our document, by its types: an address and an owner's token."""

import json
import sys

from client import AuthenticatedClient
from client.api.access import (
    create_link,
    create_token,
    list_members,
    list_tokens,
    redeem_code,
    remove_member,
    revoke_token,
    set_member,
)
from client.api.caller import get_me
from client.api.health import get_readyz
from client.api.plants import (
    create_plant,
    delete_plant,
    get_plant,
    list_events,
    list_plants,
    update_plant,
)
from client.models import (
    CreatedToken,
    Error,
    GetReadyzResponse200,
    Link,
    LinkCode,
    ListPlantsIncludeItem,
    Me,
    MemberRole,
    MemberRoleRole,
    NewPlant,
    Plant,
    PlantUpdate,
    SignedIn,
    TokenRequest,
    TokenRequestScopesItem,
)

origin, token = sys.argv[1:]
client = AuthenticatedClient(origin, token)

# Plants.
create_plant.sync(client=client, body=NewPlant(id=17, name="Ficus", tag="tree"))
read = get_plant.sync_detailed(17, client=client)
assert isinstance(read.parsed, Plant)
etag = read.headers["ETag"]
new = PlantUpdate(name="Ficus elastica")
updated = update_plant.sync(17, client=client, body=new, if_match=etag)
assert isinstance(updated, Plant)
late = update_plant.sync(17, client=client, body=PlantUpdate(name="Ficus"), if_match=etag)
assert isinstance(late, Error)
listed = list_plants.sync(client=client, limit=5, include=[ListPlantsIncludeItem.ID])
assert isinstance(listed, list)

# Events.
events = list_events.sync(client=client, after=0, limit=10)
assert isinstance(events, list)

# Access.
me = get_me.sync(client=client)
assert isinstance(me, Me)
member = set_member.sync_detailed("kiosk", client=client, body=MemberRole(MemberRoleRole.READER))
members = list_members.sync(client=client)
assert isinstance(members, list)
wanted = TokenRequest("kiosk", scopes=[TokenRequestScopesItem.LIST], expires_at=None)
made = create_token.sync(client=client, body=wanted)
assert isinstance(made, CreatedToken)
tokens = list_tokens.sync(client=client)
assert isinstance(tokens, list)
revoked = revoke_token.sync_detailed(made.id, client=client)
link = create_link.sync(client=client, body=wanted)
assert isinstance(link, Link)
signed_in = redeem_code.sync(client=client, body=LinkCode(link.code))
assert isinstance(signed_in, SignedIn)
gone = remove_member.sync_detailed("kiosk", client=client)

# Whether it runs.
ready = get_readyz.sync(client=client)
assert isinstance(ready, GetReadyzResponse200)

deleted = delete_plant.sync_detailed(17, client=client)
ids = [plant.id for plant in listed]
print(
    json.dumps(
        {
            "plants": [updated.to_dict(), late.error, ids, deleted.status_code],
            "events": [event.kind for event in events],
            "me": [me.user, [store.name for store in me.stores]],
            "members": [member.status_code, [one.role for one in members]],
            "tokens": [len(tokens), revoked.status_code, signed_in.store, gone.status_code],
            "service": ready.status,
        }
    )
)
