/**
 * Plant Store from TypeScript and JavaScript: exact ids, paging, many changes at once, events, and safe retries.
 *
 * Ids are bigints, because a number is exact only up to 2^53. A request that is lost, or that the service asks to send
 * later, is retried up to three times. A create has an `Idempotency-Key`, so it is done once. Runs in browsers, Node 18
 * or newer, Deno and Bun.
 */

/** A plant. `etag` identifies its contents as you read them; pass it as `ifMatch`. */
export interface Plant {
  id: bigint;
  name: string;
  tag?: string;
  etag?: string;
}

/** One of many changes; `delete` needs only the id. */
export interface Change {
  op: "create" | "update" | "upsert" | "delete";
  id: bigint;
  name?: string;
  tag?: string;
  ifMatch?: string;
}

/** The result of one change: the status that a single request would have, and its error, if any. */
export interface Result {
  status: number;
  etag?: string;
  error?: number;
  message?: string;
}

/** One change to the store. Only owners of the store see who made the change. */
export interface StoreEvent {
  revision: number;
  kind: "plant.created" | "plant.updated" | "plant.deleted";
  at: string;
  plant: Plant;
  user?: string;
  token_label?: string;
  token_id?: string;
}

/** The service refused: `error` is a number, such as 40401; `line`, for `changeAll`, counts from 1. */
export class Refused extends Error {
  constructor(
    readonly status: number, readonly error: number, message: string, readonly retryAfter: number, readonly line?: number,
  ) {
    super(`${error}: ${message}`);
  }
}

const WAITS = [200, 1000, 5000]; // milliseconds before each retry
const SILENCE = 40_000; // a quiet stream has a comment every 15 s
const LINES_A_REQUEST = 1000;
const [OUTCOME_UNKNOWN, IDENTICAL_PLANT, CHANGED] = [50303, 40004, 41201];
const NDJSON = { "Content-Type": "application/x-ndjson" };

type Sent = RequestInit & { headers?: Record<string, string> };
type Data = any; // any JSON value

/** A store: the token's own, or the store NAME if `url` ends in `/stores/NAME`. */
export class PlantStore {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url.endsWith("/") ? url : `${url}/`;
    this.#token = token;
  }

  /** Create a plant. Refused: 40003, the id belongs to another plant; 40004, an identical plant exists. */
  async create(plant: Plant): Promise<Plant> {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() };
    return toPlant(plant.id, await this.#send("POST", "plants", { headers, body: line(plant) }));
  }

  /** Plants by id, all or those with a tag; each request reads a page of 1,000. */
  async *plants(query: { tag?: string } = {}): AsyncGenerator<Plant> {
    const parameters = new URLSearchParams("include=id_text&include=etag&limit=1000");
    if (query.tag !== undefined) parameters.set("tag", query.tag);
    for await (const plant of this.#pages(`plants?${parameters}`)) yield exact(plant);
  }

  /** Read a plant. Refused: 40401, the plant does not exist. */
  async plant(id: bigint): Promise<Plant> {
    return toPlant(id, await this.#send("GET", `plants/${id}`));
  }

  /** Replace name and tag. Refused: 40401, the plant does not exist; 41201, it does not match `ifMatch`. */
  async update(plant: Plant, ifMatch?: string): Promise<Plant> {
    const headers = { "Content-Type": "application/json", ...condition(ifMatch) };
    try {
      return await toPlant(plant.id, await this.#send("PUT", `plants/${plant.id}`, { headers, body: line(plant) }));
    } catch (error) {
      const current = error instanceof Refused && error.error === CHANGED && (await this.plant(plant.id));
      if (current && current.name === plant.name && current.tag === plant.tag) return current; // that response was lost
      throw error;
    }
  }

  /** Delete a plant. Refused: 40401, the plant does not exist; 41201, it does not match `ifMatch`. */
  async delete(id: bigint, ifMatch?: string): Promise<void> {
    await this.#send("DELETE", `plants/${id}`, { headers: condition(ifMatch) });
  }

  /**
   * Make changes, as many as there are, and yield each with its result, in order. After an interruption, the changes
   * without a result are sent again: then a create is done if an identical plant exists, and a delete if its plant
   * does not.
   */
  async *change(changes: Iterable<Change>): AsyncGenerator<[Change, Result]> {
    const rest = [...changes];
    while (rest.length > 0) yield* this.#changePortion(rest.splice(0, LINES_A_REQUEST));
  }

  /** Make up to 1,000 changes: all or none. Refused: the change at `line` failed. */
  async changeAll(changes: Change[]): Promise<Result[]> {
    const headers = { ...NDJSON, "Idempotency-Key": crypto.randomUUID() };
    const done = await this.#send("POST", "changes?atomic=true", { headers, body: toLines(changes) });
    return (await done.text()).trim().split("\n").map((text) => JSON.parse(text));
  }

  /** The number of the store's last change, for `after`. */
  async revision(): Promise<number> {
    return Number((await this.#send("GET", "events?after=latest")).headers.get("Store-Revision"));
  }

  /** The events after a revision, until now. Refused: 41001, some are no longer available: list the plants again. */
  async *events(after: number): AsyncGenerator<StoreEvent> {
    for await (const event of this.#pages(`events?include=id_text&limit=1000&after=${after}`)) yield toEvent(event);
  }

  /**
   * The changes after a revision, or from now on, as they happen, each once, until `signal` aborts. Refused: 41001,
   * some are no longer available; 40102, the token was revoked.
   */
  async *listen(options: { after?: number; signal?: AbortSignal } = {}): AsyncGenerator<StoreEvent> {
    let last = options.after ?? (await this.revision());
    while (!options.signal?.aborted) {
      const headers = { Accept: "text/event-stream", "Last-Event-ID": String(last) };
      try {
        const stream = await this.#fetch("GET", "events?include=id_text", { headers, signal: options.signal ?? null });
        for await (const text of lines(stream)) {
          if (!text.startsWith("data: ")) continue;
          const event = toEvent(JSON.parse(text.slice(6)));
          last = event.revision;
          yield event;
        }
      } catch (error) {
        if (options.signal?.aborted) return;
        if (isFinal(error)) throw error;
      }
      await sleep(1000);
    }
  }

  async *#pages(path: string): AsyncGenerator<Data> {
    for (let url: string | undefined = path; url !== undefined; ) {
      const page: Response = await this.#send("GET", url);
      yield* (await page.json()) as Data[];
      const next = /<([^>]*)>; rel="next"/.exec(page.headers.get("Link") ?? "")?.[1];
      url = next && new URL(next, page.url).href;
    }
  }

  async *#changePortion(rest: Change[]): AsyncGenerator<[Change, Result]> {
    for (let attempt = 0; rest.length > 0; attempt++) {
      let done = 0;
      try {
        const response = await this.#fetch("POST", "changes", { headers: NDJSON, body: toLines(rest) });
        for await (const text of lines(response)) {
          const change = rest[done++] as Change;
          const result: Result = JSON.parse(text);
          yield [change, attempt > 0 ? repeated(change, result) : result];
        }
      } catch (error) {
        await wait(attempt, error);
      }
      rest = rest.slice(done);
    }
  }

  async #send(method: string, path: string, init: Sent = {}): Promise<Response> {
    for (let attempt = 0, isRepeated = false; ; attempt++) {
      try {
        return await this.#fetch(method, path, init);
      } catch (error) {
        if (isRepeated && method === "DELETE" && error instanceof Refused && error.status === 404) return new Response();
        await wait(attempt, error);
        isRepeated ||= !(error instanceof Refused) || error.error === OUTCOME_UNKNOWN;
      }
    }
  }

  async #fetch(method: string, path: string, init: Sent): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.#token}`, ...init.headers };
    const response = await fetch(new URL(path, this.#url), { ...init, method, headers });
    if (response.ok) return response;
    const body = await response.json().catch(() => ({})); // not JSON: a proxy's error
    const { error = 100 * response.status, message = response.statusText } = body;
    const read = (name: string) => Number(response.headers.get(name)) || undefined;
    throw new Refused(response.status, error, message, read("Retry-After") ?? 0, read("Refused-Line"));
  }
}

/** The lines of a response as they arrive; a stream that is silent for too long, without even a comment, fails. */
async function* lines(response: Response): AsyncGenerator<string> {
  const reader = (response.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const timer = setTimeout(() => reader.cancel(), SILENCE);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      const parts = (rest + value).split("\n");
      rest = parts.pop() as string;
      yield* parts;
    }
  } finally {
    await reader.cancel();
  }
}

const isFinal = (error: unknown): boolean =>
  error instanceof Refused ? ![429, 503].includes(error.status) : !(error instanceof TypeError);

async function wait(attempt: number, error: unknown): Promise<void> {
  const milliseconds = WAITS[attempt];
  if (milliseconds === undefined || isFinal(error)) throw error;
  await sleep(Math.max(milliseconds, error instanceof Refused ? 1000 * error.retryAfter : 0));
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
/** The result of a change that the previous request may have made. */
function repeated(change: Change, result: Result): Result {
  if (change.op === "create" && result.error === IDENTICAL_PLANT) return { status: 200 };
  return change.op === "delete" && result.status === 404 ? { status: 204 } : result;
}
const condition = (ifMatch?: string): Record<string, string> => (ifMatch === undefined ? {} : { "If-Match": ifMatch });

/** JSON.stringify refuses bigints: an id is written before the rest. */
const line = ({ id, etag, ifMatch, ...rest }: Partial<Plant & Change>) =>
  `{"id":${id},${JSON.stringify({ ...rest, if_match: ifMatch }).slice(1)}`;
const toLines = (changes: Change[]) => changes.map(line).join("\n");
const exact = ({ id_text, ...plant }: Data): Plant => ({ ...plant, id: BigInt(id_text) });
const toEvent = (event: Data): StoreEvent => ({ ...event, plant: exact(event.plant) });
const toPlant = async (id: bigint, response: Response): Promise<Plant> =>
  ({ id, ...(await response.json()), etag: response.headers.get("ETag")?.replace(/^W\/|-gzip/g, "") }); // by a proxy
