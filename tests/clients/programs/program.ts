// A client of the three operations, typed by a document. Arguments: origin and token.
import createClient from "openapi-fetch";
import type { components, paths } from "./document.js";

type Plant = components["schemas"]["Plant"];
type NewPlant = components["schemas"]["NewPlant"];
type ErrorBody = components["schemas"]["Error"];

declare const process: { argv: string[] };
const [origin, token] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl: origin,
  headers: { Authorization: `Bearer ${token}` },
});

const plant: NewPlant = { id: 7, name: "Ficus", tag: "tree" };
const created = await client.POST("/plants", { body: plant });
const stored: Plant | undefined = created.data;
const again = await client.POST("/plants", { body: plant });
const refused: ErrorBody | undefined = again.error;
const listed = await client.GET("/plants", { params: { query: { limit: 10 } } });
const plants: Plant[] = listed.data ?? [];
const names: string[] = plants.map((each) => each.name);
const deleted = await client.DELETE("/plants/{id}", { params: { path: { id: plant.id } } });
console.log(JSON.stringify([stored, refused?.error, names, deleted.response.status]));
