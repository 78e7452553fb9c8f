// The types that the scripts share, and the page's elements by their ids. Only for `make check`:
// none of it is served.

type Api = import("./static/api.js").Api;
type Store = import("./static/api.js").Store;
type Plants = import("./static/plant.js").Plants;
type Sheet = import("./static/tables.js").Sheet;

type Content = (string | Node)[];
type Actions = Record<string, () => void>;
type Order = (a: Plant, b: Plant) => number;
type Field = Exclude<keyof Plant, "folded">;
type TextField = Exclude<Field, "id">;
type ListState = "none" | "loading" | "ready" | "error";

/** What is looked for, and in which order: see `View`. */
interface Looked {
  text: string;
  tag: string | null;
  order: string;
}

/** What the user asks the list for, and that it has changed or its rows have moved. */
interface ListEvents {
  changed: () => void;
  moved: () => void;
  remove: (ids: string[]) => void;
  open: (plant: Plant, field: TextField | null) => void;
}

/** And by its rows: a tag, more where the end is near, or another selection. */
interface GridEvents extends Omit<ListEvents, "changed"> {
  filter: (tag: string) => void;
  near: () => void;
  select: () => void;
}

/** `folded` is the name in its searchable form. */
interface Plant {
  id: string;
  name: string;
  tag?: string;
  folded?: string;
}

/** A plant before and after; undefined where it is not there. */
interface Change {
  before?: Plant;
  after?: Plant;
}

/** What is being done, was done, and the scope to undo it, where that is offered. */
interface Words {
  doing: string;
  done: string;
  undone?: string;
}

/** What many changes are sent with, so many at once: the signal ends them, but for those in flight, and `tell` gets how many have ended. */
interface Batch {
  atOnce?: number;
  signal: AbortSignal;
  tell: (ended: number) => void;
}

/** What happened to a plant; who did it is for owners alone. */
interface StoreEvent {
  revision: number;
  kind: string;
  at: string;
  plant: Plant;
  user?: string;
  token_label?: string;
}

/** What the whole page is told by `Api`. */
interface ApiEvents {
  refused: (message: string) => void;
  barred: () => void;
  unreachable: () => void;
  reached: () => void;
  slow: (isSlow: boolean) => void;
  isAway: () => boolean;
}

/** What the address says: see `address.js`. */
type Shown = Record<string, string | null | undefined>;

/** Fields as typed; the service reports what is missing. */
type Draft = Partial<Plant>;

/** A line of a file: why it cannot be imported, and whether its id was given by the page, and is stored. */
interface Row {
  line: number;
  plant: Plant;
  reason?: string;
  isGiven?: boolean;
  isIn?: boolean;
}

/** The index of each field's column; -1 for none. */
type Columns = Record<Field, number>;

interface CsvRecord {
  line: number;
  cells: string[];
  reason?: string;
}

/** An error, maybe one that the service reported. */
type Failure = Error & { status?: number; number?: number };

/** What a request has beside its method and target. */
interface Asked {
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
  next: (() => Promise<Page>) | null;
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

interface Elements extends Record<`add-${Field}` | `edit-${TextField}`, HTMLInputElement>, Record<`import-${Field}`, HTMLSelectElement> {
  add: HTMLDetailsElement;
  "access-days": HTMLSelectElement;
  "access-form": HTMLFormElement;
  "access-label": HTMLInputElement;
  "access-scopes": HTMLSelectElement;
  "access-user": HTMLSelectElement;
  "add-button": HTMLButtonElement;
  "add-form": HTMLFormElement;
  confirm: HTMLDialogElement;
  conflict: HTMLDialogElement;
  detail: HTMLDialogElement;
  edit: HTMLFormElement;
  "edit-save": HTMLButtonElement;
  export: HTMLDetailsElement;
  find: HTMLInputElement;
  history: HTMLDialogElement;
  import: HTMLDialogElement;
  "import-file": HTMLInputElement;
  "import-header": HTMLInputElement;
  "import-start": HTMLButtonElement;
  "label-template": HTMLTemplateElement;
  "member-form": HTMLFormElement;
  "member-name": HTMLInputElement;
  "member-role": HTMLSelectElement;
  people: HTMLDialogElement;
  "show-token": HTMLInputElement;
  "sign-in-button": HTMLButtonElement;
  "sign-in-form": HTMLFormElement;
  remember: HTMLInputElement;
  retag: HTMLFormElement;
  "row-template": HTMLTemplateElement;
  "select-all": HTMLInputElement;
  "retag-tag": HTMLInputElement;
  stores: HTMLSelectElement;
  sure: HTMLDialogElement;
  switch: HTMLDialogElement;
  "tag-filter": HTMLSelectElement;
  token: HTMLInputElement;
  user: HTMLInputElement;
}

type ElementOf<Id extends string> = Id extends keyof Elements ? Elements[Id] : HTMLElement;
