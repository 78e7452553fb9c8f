// A program that uses our client. Arguments: origin and token; prints its results as JSON.
import { type Change, type Plant, PlantStore, Refused } from "plantstore-client";

declare const process: { argv: string[] };
const [origin = "", token = ""] = process.argv.slice(2);
const store = new PlantStore(origin, token);
const refused = (error: unknown) => (error instanceof Refused ? error.error : String(error));
const bigId = 2n ** 53n + 1n;

const plant = await store.create({ id: bigId, name: "Acer", tag: "bed 3" });
const updated = await store.update({ id: bigId, name: "Acer rubrum" }, plant.etag);
const conflict = await store.update(plant, plant.etag).catch(refused);
const before = await store.revision();
const changes: Change[] = Array.from({ length: 2500 }, (_, id) => ({ op: "create", id: BigInt(id), name: `Plant ${id}` }));
changes.push({ op: "update", id: -1n, name: "None" }, { op: "delete", id: 7n }, { op: "upsert", id: 8n, name: "Fern\u2028" });
const statuses: number[] = [];
for await (const [, result] of store.change(changes)) statuses.push(result.status);
const refusal = await store.changeAll([{ op: "delete", id: 9n }, { op: "delete", id: 7n }]).catch((error) => [refused(error), error.line]);
const all = await store.changeAll([{ op: "delete", id: 9n }, { op: "create", id: 7n, name: "Moss" }]);
await store.delete(8n);
const plants: Plant[] = [];
for await (const each of store.plants()) plants.push(each);
let events = 0;
for await (const event of store.events(before)) events += event.revision > before ? 1 : -1e9;
const received: string[] = [];
for await (const event of store.listen({ after: before + 2500 })) {
  received.push(`${event.kind} ${event.plant.id}`);
  if (received.length === 5) break;
}
const last = plants.at(-1);
console.log(
  JSON.stringify({
    last: [String(last?.id), last?.name, last?.etag === updated.etag],
    conflict,
    statuses: [statuses.length, statuses.filter((status) => status === 200).length, ...statuses.slice(-3)],
    refusal,
    all: all.map((result) => result.status),
    count: plants.length,
    events,
    received,
  }),
);
