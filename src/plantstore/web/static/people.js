// The members of the store and their tokens, for owners whose token has the scope `manage`. What
// gives access, a link or a token, is shown once: until the dialog is closed.

import { $, announce, bdi, choose, copy, explain, make, makeButton } from "./dom.js";
import { list } from "./list.js";

const DAY = 24 * 3600 * 1000; // milliseconds
/** @type {("user" | "label" | "expires_at")[]} */
const OWN = ["user", "label", "expires_at"]; // what is known of the token in use
/** @param {string} time */
const writeDate = (time) => new Date(time).toLocaleDateString(undefined, { dateStyle: "medium" });

/** @param {string} [time] */
export const isSoon = (time) => Date.parse(time ?? "") - Date.now() < 14 * DAY;

/** @type {Me | null} */ let me = null;
let isWorking = false;
/** @type {Store | null} */ let managed = null; // another one may be shown meanwhile

/** @param {Me} opened */
export function openPeople(opened) {
  me = opened;
  managed = list.store;
  $("people-title").textContent = `Members and tokens of ${managed?.name}`;
  $("people").showModal();
  if (list.may("manage")) run(async () => {});
}

/** @param {string} method @param {string} target @param {object} [body] */
async function ask(method, target, body) {
  return managed?.api.send(method, `${managed.path}/${target}`, body);
}

// One action at a time; after it, the lists are read again.
/** @param {() => Promise<void>} act */
async function run(act) {
  if (isWorking) return;
  isWorking = true;
  explain("people-reason", "");
  try {
    await act();
    showLists(...(await Promise.all([ask("GET", "members"), ask("GET", "tokens")])));
  } catch (error) {
    explain("people-reason", error.message);
  }
  isWorking = false;
}

/** @param {Member[]} members @param {Token[]} tokens */
function showLists(members, tokens) {
  if (!$("people").open) return;
  const chosen = $("access-user").value;
  $("members").replaceChildren(...members.map(describeMember));
  const own = tokens.filter((one) => OWN.every((field) => one[field] === me?.[field]));
  const mark = own.length > 1 ? " (may be this one)" : " (this one)"; // nothing else tells them apart
  $("tokens").replaceChildren(...tokens.map((one) => describeToken(one, own.includes(one) ? mark : "")));
  const options = members.map(({ user }) => make("option", { textContent: user, selected: user === chosen }));
  $("access-user").replaceChildren(...options);
  $("people-all").hidden = false;
  if (document.activeElement === document.body) $("people-title").focus();
}

async function setRole() {
  const [user, role] = [$("member-name").value, $("member-role").value];
  await ask("PUT", `members/${encodeURIComponent(user)}`, { role });
  $("member-form").reset();
  announce(`${user} is now ${role} of this store.`);
}

/** @param {Member} member */
function describeMember({ user, role }) {
  const change = () => {
    $("member-name").value = user;
    $("member-role").value = role;
    $("member-role").focus();
  };
  const button = makeButton("Change", change, { "aria-label": `Change role of ${user}` });
  return makeItem(user, role, button, makeRemover("Remove", user, `members/${encodeURIComponent(user)}`));
}

/** @param {Token} token @param {string} mark */
function describeToken({ id, user, label, scopes, last_used_at: used, expires_at: end }, mark) {
  const name = [user, label].filter(Boolean).join(", ") + mark;
  const use = used ? `last used on ${writeDate(used)}` : "never used";
  const expiry = end ? `${isSoon(end) ? "expires soon, on" : "expires on"} ${writeDate(end)}` : "does not expire";
  const facts = `${scopes.join(", ")} · ${use} · ${expiry}`;
  return makeItem(name, facts, makeRemover("Revoke", `token of ${name}`, `tokens/${id}`));
}

/** @param {string} verb @param {string} what @param {string} target */
function makeRemover(verb, what, target) {
  const remove = async () => {
    $("sure-text").textContent = `${verb} ${what}?`;
    $("sure-yes").textContent = verb;
    if ((await choose($("sure"))) === "yes") run(() => ask("DELETE", target));
  };
  return makeButton(verb, remove, { "aria-label": `${verb} ${what}` });
}

/** @param {string} kind */
async function giveAccess(kind) {
  const user = $("access-user").value;
  const days = Number($("access-days").value);
  const made = await ask("POST", kind, {
    user,
    label: $("access-label").value || undefined,
    scopes: $("access-scopes").value.match(/\w+/g) ?? undefined,
    expires_at: days ? new Date(Date.now() + days * DAY).toISOString() : undefined,
  });
  if (!$("people").open) return;
  $("credential").textContent = made.token ?? `${new URL(".", location.href)}#code=${made.code}`;
  $("credential-text").textContent = made.token
    ? `The token of ${user}. Copy it now: it will not be shown again.`
    : `Send this link to ${user}. It can be used once, within 10 minutes.`;
  $("credential-box").hidden = false;
  $("credential-copy").focus();
}

$("people").addEventListener("close", () => {
  for (const id of ["people-all", "credential-box"]) $(id).hidden = true;
  for (const form of [$("member-form"), $("access-form")]) form.reset();
});
$("credential-copy").addEventListener("click", () => copy($("credential"), $("credential-copy")));
$("member-form").addEventListener("submit", () => run(() => setRole()));
$("access-form").addEventListener("submit", ({ submitter }) =>
  run(() => giveAccess(submitter?.dataset.kind ?? "")),
);

/** @param {string} name @param {string} facts @param {HTMLElement[]} buttons */
const makeItem = (name, facts, ...buttons) =>
  make("li", {}, make("p", {}, bdi(name), " ", make("span", { className: "hint", textContent: facts })), ...buttons);
