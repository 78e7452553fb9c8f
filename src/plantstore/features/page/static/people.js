// The members of the store and their tokens, for owners whose token has the scope `manage`. What
// gives access, a link or a token, is shown once: until the dialog is closed.

import { $, announce, bdi, choose, copy, explain, make, makeButton } from "./dom.js";
import { list } from "./list.js";

const DAY = 24 * 3600 * 1000; // milliseconds
const { format } = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

// For a shell.
/** @param {string} text */
const quote = (text) => (/^[\w.@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

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
  const { name, role } = me.stores.find((store) => store.name === managed?.name) ?? {};
  const owner = role === "owner" ? quote(me.user) : "NAME";
  $("people-command").textContent = `plantstore link create --store ${name} --user ${owner} --manage`;
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
    showLists(...(await Promise.all([ask("GET", "members"), ask("GET", "tokens"), managed?.api.findTokenId()])));
  } catch (error) {
    explain("people-reason", error.message);
  }
  isWorking = false;
}

/** @param {Member[]} members @param {Token[]} tokens @param {string | undefined} ownId */
function showLists(members, tokens, ownId) {
  if (!$("people").open) return;
  const chosen = $("access-user").value;
  $("members").replaceChildren(...members.map(describeMember));
  $("tokens").replaceChildren(...tokens.map((one) => describeToken(one, markOwn(one, ownId))));
  const options = members.map(({ user }) => make("option", { textContent: user, selected: user === chosen }));
  $("access-user").replaceChildren(...options);
  $("people-all").hidden = false;
  if (document.activeElement === document.body) $("people-title").focus();
}

// Without its id, all that is known of the token in use may be the same in others.
/** @param {Token} token @param {string | undefined} ownId */
function markOwn(token, ownId) {
  if (ownId) return token.id === ownId ? " (this one)" : "";
  const isAlike = token.user === me?.user && token.label === me.label && token.expires_at === me.expires_at;
  return isAlike ? " (may be this one)" : "";
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
  const use = used ? `last used on ${format(Date.parse(used))}` : "never used";
  const expiry = end ? `${isSoon(end) ? "expires soon, on" : "expires on"} ${format(Date.parse(end))}` : "does not expire";
  return makeItem(name, `${scopes.join(", ")} · ${use} · ${expiry}`, makeRemover("Revoke", `token of ${name}`, `tokens/${id}`));
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
