// The types that the scripts share, and the page's elements by their ids. Only `make check` reads
// this file; it is not served.

type Api = import("./static/api.js").Api;
type Store = import("./static/api.js").Store;
type Plants = import("./static/plant.js").Plants;
type Sheet = import("./static/tables.js").Sheet;

type Content = (string | Node)[];
type Actions = Record<string, () => void>;
type Properties = Record<string, unknown>;
type Changes = Map<string, Plant | null>; // plants by their ids, null for a deleted plant
type Difference = [old: Plant | undefined, plant: Plant | null];
type Former = Map<StoreEvent, Plant | undefined>;
type Order = (a: Plant, b: Plant) => number;
type Field = "id" | "name" | "tag";
type TextField = Exclude<Field, "id">;
type ListState = "none" | "loading" | "ready" | "error";
type Kind = "add" | "edit" | "tag" | "untag" | "delete" | "restore" | "import";
type Values = Record<string, string | number | undefined>;

/** A search, and its order: see `View`. */
interface Search {
  text: string;
  tags: string[];
  order: string;
}

/** What the address holds: see `search.js`. */
interface Shown {
  store: string | null;
  plant: string | null;
  page: string | null;
  search: Search;
}

/** Searches look in `folded`; `keys` are for sorting, and `place` is the place in that order. */
interface Plant {
  id: string;
  name: string;
  tag?: string;
  etag?: string;
  folded?: string;
  keys?: [string, string];
  place?: number;
}

/** A plant before and after, undefined if it does not exist; its row in the list; whether the page gave it its id; the row
 * of a file that it came from. */
interface Change {
  before?: Plant;
  after?: Plant;
  rowId?: string;
  isGiven?: boolean;
  row?: Row;
}

/** The text typed into a cell, and the plant as it was when the cell was opened; whether the editor keeps its selection. */
interface Cell {
  id: string;
  field: TextField;
  place: "cell" | "panel";
  text: string;
  before: Plant;
  isPlaced?: boolean;
}

/** What the user did: the changes that are done, and those that were refused. */
interface Action {
  kind: Kind;
  store: Store;
  total: number;
  done: Change[];
  refused: Pending[];
  control: AbortController;
  tell: (isOver: boolean) => void;
  mayUndo: boolean;
  isUndone?: boolean;
}

/** A change that is not stored yet, or was refused. `isUnknown`: sent without a result; `isHeard`: since it was sent, an
 * event of its plant came, so the response may be older than the list; `theirs` is the plant as somebody else has stored
 * it meanwhile. */
interface Pending extends Change {
  action: Action;
  state: "waiting" | "sent" | "refused" | "stored";
  rowId: string;
  isUnknown?: boolean;
  isHeard?: boolean;
  error?: Failure;
  theirs?: Plant | null;
}

/** A change to a plant; only owners see who made it. */
interface StoreEvent {
  revision: number;
  kind: string;
  at: string;
  plant: Plant;
  user?: string;
  token_label?: string;
}

/** What `Api` reports to the whole page. */
interface ApiEvents {
  refused: (message: string) => void;
  barred: () => void;
  away: (isAway: boolean) => void;
}

/** What `Session` reports of other tabs. */
interface SessionEvents {
  joined: (token: string) => void;
  ended: () => void;
}

/** What `Loading` reports of the store's stream of events. */
interface LiveEvents {
  hear: (changes: Changes) => void;
  lose: () => void;
}

/** An action in the history: events of one user at about the same time, with no plant twice. */
interface HistoryAction {
  events: StoreEvent[];
  ids: Set<string>;
}

/** Fields as typed; the service reports missing fields. */
type Draft = Partial<Plant>;

/** A line of a file: the plant that it changes, or why it cannot be imported; whether the page gave its id, and whether it is stored. */
interface Row {
  line: number;
  plant: Plant;
  before?: Plant;
  reason?: string;
  isGiven?: boolean;
  isStored?: boolean;
}

/** The indexes of each field's columns: their cells form the field together. */
type Columns = Record<Field, number[]>;

interface CsvRecord {
  line: number;
  cells: string[];
  reason?: string;
}

/** An error, maybe one that the service reported. */
type Failure = Error & { status?: number; number?: number };

/** What a request has besides its method and target. */
interface RequestOptions {
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  hear?: (text: string) => void;
}

/** The service's complete response. */
interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
}

interface Page {
  plants: Plant[];
  isLast: boolean;
}

interface Me {
  user: string;
  label: string;
  store: string;
  stores: { name: string; role: string; scopes: string[] }[];
  expires_at?: string;
}

interface Member {
  user: string;
  role: string;
}

interface Token {
  id: string;
  user: string;
  label: string;
  scopes: string[];
  last_used_at?: string;
  expires_at?: string;
}

interface Webhook {
  id: string;
  url: string;
  events: string[];
  tag?: string;
  description: string;
  delivered: number;
  revision: number;
  failing_since?: string;
  paused?: string;
}

interface Link {
  id: string;
  user: string;
  code_expires_at: string;
}

/** Makes the items of each list on the access page. */
interface Describers extends Record<string, (item: never) => HTMLElement> {
  members: (member: Member) => HTMLElement;
  links: (link: Link) => HTMLElement;
  tokens: (token: Token) => HTMLElement;
  webhooks: (webhook: Webhook) => HTMLElement;
}

interface Delivery {
  status?: number;
  response: string;
}

interface Elements
  extends Record<`${"add" | "cell" | "panel"}-${TextField}`, HTMLInputElement>,
    Record<`import-${Field}`, HTMLSelectElement> {
  access: HTMLDialogElement;
  "add-id": HTMLInputElement;
  ask: HTMLDialogElement;
  "code-template": HTMLTemplateElement;
  conflict: HTMLDialogElement;
  find: HTMLInputElement;
  history: HTMLDialogElement;
  import: HTMLDialogElement;
  "import-file": HTMLInputElement;
  "import-header": HTMLInputElement;
  "import-start": HTMLButtonElement;
  invite: HTMLFormElement;
  "invite-name": HTMLInputElement;
  "invite-role": HTMLSelectElement;
  keys: HTMLDialogElement;
  panel: HTMLDialogElement;
  remember: HTMLInputElement;
  retag: HTMLFormElement;
  "retag-set": HTMLButtonElement;
  "retag-tag": HTMLInputElement;
  "row-template": HTMLTemplateElement;
  "select-all": HTMLInputElement;
  "sign-in-button": HTMLButtonElement;
  "sign-in-form": HTMLFormElement;
  stores: HTMLSelectElement;
  token: HTMLInputElement;
  "token-days": HTMLSelectElement;
  "token-form": HTMLFormElement;
  "token-label": HTMLInputElement;
  "token-scopes": HTMLSelectElement;
  "token-user": HTMLSelectElement;
  user: HTMLInputElement;
  "webhook-form": HTMLFormElement;
  "webhook-tag": HTMLInputElement;
  "webhook-url": HTMLInputElement;
}

type ElementOf<Id extends string> = Id extends keyof Elements ? Elements[Id] : HTMLElement;
