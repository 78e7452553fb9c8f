"""What limits the requests of one process, together."""

from msgspec import Struct

from plantstore.core.pools import Pools
from plantstore.http.limits.client_address import ClientAddress
from plantstore.http.limits.rates import Rates
from plantstore.http.limits.turns import Turns


class Limits(Struct, frozen=True):
    """The ``rates`` are None without the setting ``rate_limit``."""

    client_address: ClientAddress
    rates: Rates | None
    turns: Turns
    pools: Pools
