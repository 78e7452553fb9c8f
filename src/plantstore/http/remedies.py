"""What to do about each error, for the reference at ``/docs``; CommonMark, by the error's number.

The table in ``errors.py`` has what a response says; a test checks that no number is missing here.
"""

REMEDIES = {
    40001: "Send exactly one JSON value in UTF-8, with nothing before or after it. An empty body is none.",
    40002: "Mend the field that the message names. `id` is a whole number, not text; leave `tag` out where a "
    "plant has none.",
    40003: "Choose another `id`. To change the plant that has this one, replace it with PUT.",
    40004: "Nothing: the plant is there. If this was a retry, the first attempt succeeded; with an "
    "`Idempotency-Key` a retry gets the first response again.",
    40005: "Send `limit` once, as a whole number within its bounds, or leave it out.",
    40006: "Take the address of the next page from the `Link` header as it is, instead of making `after` yourself. "
    "If you kept it for long, begin anew without it.",
    40007: "Send `include=id`, or leave it out.",
    40008: "Send `tag` once, as a plant could have it, or leave it out.",
    40009: "Write the id in the path in plain digits, with a minus sign if it is negative.",
    40010: "Send a key of 1 to 255 printable ASCII characters, such as a UUID.",
    40011: "The message says what is wrong with the request as HTTP: it is your client or a proxy that must be mended.",
    40012: "Send fewer query parameters.",
    40101: "Send the header `Authorization: Bearer TOKEN`. A proxy in between may have removed it.",
    40102: "Ask the owner of the store for a new token. Check first that it was copied whole: it begins with `pst_`.",
    40301: "Use a token with the scope that `WWW-Authenticate` names, of a user whose role in the store allows it. "
    "`GET /me` says what a token may do.",
    40302: "Delete plants, or ask the operator of the service to raise the store's quota.",
    40401: "Check the id and the store. After a retried DELETE it means that the first attempt succeeded.",
    40402: "Check the path, also its prefix if the service is behind a proxy. There is no slash at the end.",
    40403: "Check the name of the store: `GET /me` lists those that the token has access to.",
    40501: "Use one of the methods in the `Allow` header.",
    40801: "Send it again. If it happens often, the network or the program that sends is too slow for the "
    "operator's limit.",
    40802: "Send it again, and the whole head at once.",
    41001: "Begin anew: open a stream without `after`, list the plants, then apply the stream's events.",
    41201: "Read the plant again, decide whether your change is still right, and send it with the new `ETag`.",
    41301: "Send less in one request.",
    41401: "Shorten the path and the query.",
    41501: "Send the header `Content-Type: application/json`, the body in UTF-8 and not compressed.",
    42201: "Use a new key for each new request, and the same one only to retry the very same request.",
    42901: "Wait as many seconds as `Retry-After` says, then send it again.",
    43101: "Send fewer or shorter headers; in a chunked body, larger chunks.",
    50001: "Report it to the operator of the service, with the response's `X-Request-Id`.",
    50101: "Use a method of HTTP; each operation here has its own.",
    50301: "Nothing was done. Wait as many seconds as `Retry-After` says, then send it again.",
    50302: "Nothing was written. Send it again later; `/readyz` says whether the service can serve.",
    50303: "The write may have happened or not. Send the same request with the same `Idempotency-Key`; without a key, "
    "read first what is there.",
    50501: "Use HTTP/1.1.",
}
