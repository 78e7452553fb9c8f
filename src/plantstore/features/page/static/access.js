// Who has access to the store: members, with a role, and their links and tokens; for owners whose token has the
// scope `manage`. A link or a token is shown once: until the page is left.

import { NO_PATH } from "./api.js";
import { $, all, announce, ask, bdi, copy, explain, make, makeButton } from "./dom.js";
import { list } from "./list.js";
import { formatClock, formatDay, t } from "./texts.js";
import { showWebhooks } from "./webhooks.js";

const DAY = 24 * 3600 * 1000; // milliseconds
const ROLES = ["reader", "editor", "owner"];

let isWorking = false;
/** @type {Store | null} */ let managed = null; // another one may be shown meanwhile

export function openAccess() {
  managed = list.store;
  $("access-title").textContent = t("access.of", { store: managed?.name });
  for (const id of ["access-all", "credential-box"]) $(id).hidden = true;
  for (const form of all("#access form")) /** @type {HTMLFormElement} */ (form).reset();
  run(async () => {});
}

/** @param {string} method @param {string} target @param {object} [body] */
export async function request(method, target, body) {
  return managed?.api.send(method, `${managed.path}/${target}`, body);
}

// One action at a time; after it, the lists are read again.
/** @param {() => Promise<void>} act */
export async function run(act) {
  if (isWorking) return;
  isWorking = true;
  explain("access-reason", "");
  try {
    await act();
    const lists = ["members", "links", "tokens"].map((name) => request("GET", name));
    const webhooks = request("GET", "webhooks").catch((error) => {
      if (error.number !== NO_PATH) throw error;
      return null; // a service may be without them
    });
    showLists(await Promise.all([...lists, webhooks]), await managed?.api.findTokenId());
  } catch (error) {
    explain("access-reason", error.message);
  }
  isWorking = false;
}

/** @param {any[]} lists @param {string | undefined} ownId */
function showLists([members, links, tokens, webhooks], ownId) {
  if ($("access").hidden) return;
  showWebhooks(webhooks);
  const chosen = $("token-user").value;
  $("members").replaceChildren(...members.map(describeMember));
  $("links").replaceChildren(...links.map(describeLink));
  $("links-part").hidden = !links.length;
  $("tokens").replaceChildren(...tokens.map((/** @type {Token} */ token) => describeToken(token, token.id === ownId)));
  $("token-user").replaceChildren(...members.map((/** @type {Member} */ { user }) => make("option", { textContent: user, selected: user === chosen })));
  $("access-all").hidden = false;
  if (document.activeElement === document.body) $("access-title").focus();
}

/** @param {string} chosen */
const makeRoles = (chosen) => ROLES.map((role) => make("option", { value: role, textContent: t(`role.${role}`), defaultSelected: role === chosen }));

/** @param {Member} member */
function describeMember({ user, role }) {
  const select = make("select", { "aria-label": `${t("role")}: ${user}` }, ...makeRoles(role));
  select.addEventListener("change", () => run(() => setRole(user, select.value)));
  const remover = makeRemover(t("member.remove"), t("member.remove.ask", { user }), `members/${encodeURIComponent(user)}`);
  const link = makeButton(t("invite.make"), () => run(() => makeLink(user)), { className: "quiet", "aria-label": `${t("invite.make")}: ${user}` });
  return make("li", {}, make("p", {}, bdi(user)), select, link, remover);
}

/** @param {string} user @param {string} role */
async function setRole(user, role) {
  await request("PUT", `members/${encodeURIComponent(user)}`, { role });
  announce(`${user}: ${t(`role.${role}`)}`);
}

/** @param {{id: string, user: string, code_expires_at: string}} link */
function describeLink({ id, user, code_expires_at: end }) {
  const facts = make("span", { className: "hint", textContent: t("link.until", { time: formatClock(end) }) });
  return make("li", {}, make("p", {}, bdi(user), " ", facts), makeRemover(t("token.revoke"), t("link.revoke.ask", { user }), `links/${id}`));
}

/** @param {Token} token @param {boolean} isOwn */
function describeToken({ id, user, label, scopes, last_used_at: used, expires_at: end }, isOwn) {
  const name = [user, label].filter(Boolean).join(", ") + (isOwn ? t("token.this") : "");
  const use = used ? t("token.used", { time: formatDay(used) }) : t("token.never");
  const expiry = end ? t("expires.on", { time: formatDay(end) }) : t("expires.never");
  const facts = make("span", { className: "hint", textContent: `${scopes.join(", ")} · ${use} · ${expiry}` });
  return make("li", {}, make("p", {}, bdi(name), " ", facts), makeRemover(t("token.revoke"), t("token.revoke.ask", { user: name }), `tokens/${id}`));
}

/** @param {string} verb @param {string} question @param {string} target */
export function makeRemover(verb, question, target) {
  const remove = async () => {
    if (await ask(question, "", verb, "danger")) run(() => request("DELETE", target));
  };
  return makeButton(verb, remove, { className: "quiet", "aria-label": question });
}

// One step: the member, and the link that lets them in.
async function invite() {
  const user = $("invite-name").value.trim();
  await request("PUT", `members/${encodeURIComponent(user)}`, { role: $("invite-role").value });
  await makeLink(user);
  $("invite").reset();
}

/** @param {string} user */
async function makeLink(user) {
  const { code } = await request("POST", "links", { user });
  show(`${new URL(".", location.href)}#code=${code}`, t("invite.link", { user }));
}

async function makeToken() {
  const user = $("token-user").value;
  const lasting = Number($("token-days").value);
  const { token } = await request("POST", "tokens", {
    user,
    label: $("token-label").value || undefined,
    scopes: $("token-scopes").value.match(/\w+/g) ?? undefined,
    expires_at: lasting ? new Date(Date.now() + lasting * DAY).toISOString() : undefined,
  });
  show(token, t("invite.token", { user }));
}

/** @param {string} credential @param {string} text */
export function show(credential, text) {
  if ($("access").hidden) return;
  $("credential").textContent = credential;
  $("credential-text").textContent = text;
  $("credential-box").hidden = false;
  $("credential-copy").focus();
}

$("invite-role").replaceChildren(...makeRoles("editor"));
$("invite").addEventListener("submit", () => run(invite));
$("token-form").addEventListener("submit", () => run(makeToken));
$("credential-copy").addEventListener("click", () => copy($("credential"), $("credential-copy"), t("copied.link")));
