// Every operation of our document, typed by it. Arguments: origin and the token of an owner.
import createClient from "openapi-fetch";
import type { components, paths } from "./document.js";

type Schemas = components["schemas"];

declare const process: { argv: string[] };
const [origin, token] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl: origin,
  headers: { Authorization: `Bearer ${token}` },
});

function need<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the service refused");
  return value;
}

// Plants.
await client.POST("/plants", { body: { id: 7, name: "Ficus", tag: "tree" } });
const path = { id: 7 };
const read = await client.GET("/plants/{id}", { params: { path } });
const before: Schemas["Plant"] = need(read.data);
const etag = need(read.response.headers.get("etag") ?? undefined);
const header = { "If-Match": etag };
const updated = await client.PUT("/plants/{id}", {
  params: { path, header },
  body: { name: "Ficus elastica" },
});
const conflict = await client.PUT("/plants/{id}", { params: { path, header }, body: before });
const query = { include: ["id"] as "id"[], tag: undefined, limit: 5 };
const listed = need((await client.GET("/plants", { params: { query } })).data);
const ids: (number | undefined)[] = listed.map((plant) => plant.id);

// Many changes.
const changes: Schemas["Change"][] = [8, 9].map((id) => ({ id, name: "Fern" }));
const lines = changes.map((change) => JSON.stringify(change)).join("\n");
const many = await client.POST("/changes", {
  body: lines,
  bodySerializer: (body) => body as string,
  headers: { "Content-Type": "application/x-ndjson" },
  parseAs: "text",
});
const results: Schemas["LineResult"][] = String(need(many.data))
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

// Events, also live.
const events = await client.GET("/events", { params: { query: { after: 0, limit: 10 } } });
const kinds = (need(events.data) as Schemas["Event"][]).map((event) => event.kind);
const live = await client.GET("/events", {
  params: { query: { after: 3 } },
  headers: { Accept: "text/event-stream" },
  parseAs: "stream",
});
const reader = need(live.data as ReadableStream<Uint8Array> | undefined).getReader();
let text = "";
while (!text.includes("data: ")) text += new TextDecoder().decode((await reader.read()).value);
await reader.cancel();

// Access.
const me: Schemas["Me"] = need((await client.GET("/me")).data);
const member = await client.PUT("/members/{user}", {
  params: { path: { user: "kiosk" } },
  body: { role: "reader" },
});
const members = need((await client.GET("/members")).data);
const tokenRequest: Schemas["TokenRequest"] = { user: "kiosk", scopes: ["list"], expires_at: null };
const newToken = need((await client.POST("/tokens", { body: tokenRequest })).data);
const tokens = need((await client.GET("/tokens")).data);
const revoked = await client.DELETE("/tokens/{id}", { params: { path: { id: newToken.id } } });
const link = need((await client.POST("/links", { body: tokenRequest })).data);
const signedIn = need((await client.POST("/links/redeem", { body: { code: link.code } })).data);
const removed = await client.DELETE("/members/{user}", { params: { path: { user: "kiosk" } } });

// Health.
const ready = need((await client.GET("/readyz")).data);

const deleted = await client.DELETE("/plants/{id}", { params: { path } });
console.log(
  JSON.stringify({
    plants: [updated.data, conflict.error?.error, ids, deleted.response.status],
    many: results.map((result) => [result.line, result.status]),
    events: [kinds, text.match(/^event: .*$/m)?.[0]],
    me: [me.user, me.stores.map((store) => store.name)],
    members: [member.response.status, members.map((each) => each.role)],
    tokens: [tokens.length, revoked.response.status, signedIn.store, removed.response.status],
    service: ready.status,
  }),
);
