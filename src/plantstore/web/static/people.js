// The members of the store and their tokens, for owners whose token has the scope `manage`. What
// gives access, a link or a token, is shown once: until the dialog is closed.

import { SignedOut } from "./api.js";
import { $, all, announce, bdi, choose, copy, make } from "./dom.js";

const DAY = 24 * 3600 * 1000; // milliseconds
/** @param {string} time */
const writeDate = (time) => new Date(time).toLocaleDateString(undefined, { dateStyle: "medium" });

/** @param {string} [time] */
export const isSoon = (time) => Date.parse(time ?? "") - Date.now() < 14 * DAY;

export class People {
  mayManage = false;
  #isBusy = false;
  /** @type {Store | null} */
  #store = null; // another one may be shown meanwhile

  /** @param {PlantList} list */
  constructor(list) {
    this.list = list;
    $("people").addEventListener("close", () => this.#forget());
    $("credential-copy").addEventListener("click", () => copy($("credential"), $("credential-copy")));
    $("people-all").addEventListener("submit", (event) => {
      event.preventDefault();
      const kind = event.submitter?.dataset.kind;
      this.#run(() => (kind ? this.#give(kind) : this.#setRole()));
    });
  }

  open() {
    this.#store = this.list.store;
    $("people-title").textContent = `Members and tokens of ${this.#store?.name}`;
    $("people").showModal();
    if (this.mayManage) this.#run(async () => {});
  }

  // Another user must not see it.
  #forget() {
    for (const part of all("#people .private")) part.replaceChildren();
    for (const id of ["people-all", "credential-box", "people-reason"]) $(id).hidden = true;
    for (const form of [$("member-form"), $("access-form")]) form.reset();
  }

  /** @param {string} method @param {string} target @param {object} [body] */
  async #ask(method, target, body) {
    return this.#store?.api.send(method, `stores/${this.#store.name}/${target}`, body);
  }

  // One action at a time; after it, the lists are read again.
  /** @param {() => Promise<void>} act */
  async #run(act) {
    if (this.#isBusy) return;
    this.#isBusy = true;
    $("people-reason").hidden = true;
    try {
      await act();
      this.#show(...(await Promise.all([this.#ask("GET", "members"), this.#ask("GET", "tokens")])));
    } catch (error) {
      $("people-reason").textContent = `Failed: ${error.message}`;
      $("people-reason").hidden = error instanceof SignedOut;
    } finally {
      this.#isBusy = false;
    }
  }

  /** @param {Member[]} members @param {Token[]} tokens */
  #show(members, tokens) {
    if (!$("people").open) return;
    const chosen = $("access-user").value;
    $("members").replaceChildren(...members.map((one) => this.#describeMember(one)));
    $("tokens").replaceChildren(...tokens.map((one) => this.#describeToken(one)));
    $("access-user").replaceChildren(
      ...members.map(({ user }) => make("option", { textContent: user, selected: user === chosen })),
    );
    $("people-all").hidden = false;
    if (document.activeElement === document.body) $("people-title").focus();
  }

  async #setRole() {
    const [user, role] = [$("member-name").value, $("member-role").value];
    await this.#ask("PUT", `members/${encodeURIComponent(user)}`, { role });
    $("member-form").reset();
    announce(`${user} is now ${role} of this store.`);
  }

  /** @param {Member} member */
  #describeMember({ user, role }) {
    const change = makeButton("Change", `role of ${user}`, () => {
      $("member-name").value = user;
      $("member-role").value = role;
      $("member-role").focus();
    });
    const remove = this.#makeRemover("Remove", user, `members/${encodeURIComponent(user)}`);
    return makeItem(user, role, change, remove);
  }

  /** @param {Token} token */
  #describeToken({ id, user, label, scopes, last_used_at: used, expires_at: end }) {
    const name = label ? `${user}, ${label}` : user;
    const use = used ? `last used on ${writeDate(used)}` : "never used";
    const expiry = end ? `${isSoon(end) ? "expires soon, on" : "expires on"} ${writeDate(end)}` : "does not expire";
    const revoke = this.#makeRemover("Revoke", `token of ${name}`, `tokens/${id}`);
    return makeItem(name, `${scopes.join(", ")} · ${use} · ${expiry}`, revoke);
  }

  /** @param {string} verb @param {string} what @param {string} target */
  #makeRemover(verb, what, target) {
    return makeButton(verb, what, async () => {
      $("sure-text").textContent = `${verb} ${what}?`;
      $("sure-yes").textContent = verb;
      if ((await choose($("sure"))) === "yes") this.#run(() => this.#ask("DELETE", target));
    });
  }

  /** @param {string} kind */
  async #give(kind) {
    const user = $("access-user").value;
    const label = $("access-label").value || undefined;
    const days = Number($("access-days").value);
    const made = await this.#ask("POST", kind, {
      user, label,
      scopes: $("access-scopes").value.match(/\w+/g) ?? undefined,
      expires_at: days ? new Date(Date.now() + days * DAY).toISOString() : undefined,
    });
    if (!$("people").open) return;
    $("credential").textContent = made.token ?? `${new URL(".", location.href)}#code=${made.code}`;
    $("credential-text").textContent = made.token
      ? `The token of ${user}. Copy it now: it is not shown again.`
      : `Send this link to ${user}. It signs in once, within 10 minutes.`;
    $("credential-box").hidden = false;
    $("credential-copy").focus();
  }
}

/** @param {string} name @param {string} facts @param {HTMLElement[]} buttons */
const makeItem = (name, facts, ...buttons) =>
  make("li", {}, make("p", {}, bdi(name), " ", make("span", { className: "hint", textContent: facts })), ...buttons);

/** @param {string} text @param {string} what @param {() => void} act */
function makeButton(text, what, act) {
  const button = make("button", { type: "button", textContent: text, "aria-label": `${text} ${what}` });
  button.addEventListener("click", act);
  return button;
}
