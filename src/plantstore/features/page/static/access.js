// Who has access to the store: members with their roles, links and tokens; and the store's webhooks with their state.
// For owners whose token has the scope `manage`. A link, a token or a secret is shown once, until the user leaves the
// page.

import { say } from "./actions.js";
import { NO_PATH } from "./api.js";
import { $, all, announce, ask, bdi, copy, explain, make, makeButton, makeHint, makePill, onClick } from "./dom.js";
import { list } from "./list.js";
import { formatClock, formatDay, formatTime, t } from "./texts.js";

const DAY = 24 * 3600 * 1000; // milliseconds
const ROLES = ["reader", "editor", "owner"];

let waiting = 0; // actions in progress, without the lists that are reloaded after them
let last = Promise.resolve();
/** @type {Store | null} */ let managed = null; // the list may show another store meanwhile
/** @type {string | undefined} */ let ownId; // of the token of this page

export function openAccess() {
  managed = list.store;
  $("access-title").textContent = t("access.of", { store: managed?.name });
  for (const id of ["access-all", "credential-box"]) $(id).hidden = true;
  for (const form of all("#access form")) /** @type {HTMLFormElement} */ (form).reset();
  run(async () => {});
}

/** @param {string} method @param {string} target @param {object} [body] */
const request = async (method, target, body) => managed?.api.send(method, `${managed.path}/${target}`, body);

/** Runs one action after another; after each, even if it failed, the lists are reloaded. @param {() => Promise<void>} act */
function run(act) {
  const tell = (/** @type {Error} */ { message }) => explain("access-reason", message);
  waiting += 1;
  last = last.then(async () => {
    explain("access-reason", "");
    await act().catch(tell);
    waiting -= 1;
    ownId = await managed?.api.findTokenId();
    await Promise.all(Object.keys(describers).map(showList)).catch(tell);
  });
}

/** A service may lack the feature of a list, such as webhooks. @param {string} name */
async function showList(name) {
  /** @type {any[] | null} */ const items = await request("GET", name).catch((error) => {
    if (error.number !== NO_PATH) throw error;
    return null;
  });
  if ($("access").hidden) return;
  const describe = /** @type {(item: unknown) => HTMLElement} */ (describers[name]);
  $(name).replaceChildren(...(items ?? []).map(describe));
  if (name === "webhooks") $("webhooks-part").hidden = !items;
  if (name !== "members") return;
  const chosen = $("token-user").value;
  const users = items?.map(({ user }) => new Option(user, user, false, user === chosen)) ?? [];
  $("token-user").replaceChildren(...users);
  $("access-all").hidden = false;
  if (document.activeElement === document.body) $("access-title").focus();
}

const makeRoles = (/** @type {string} */ chosen) =>
  ROLES.map((role) => new Option(t(`role.${role}`), role, role === chosen, role === chosen));

/** @param {string} name @param {Content} facts @param {HTMLElement[]} controls */
const makeItem = (name, facts, ...controls) =>
  make("li", {}, make("p", {}, bdi(name), " ", makeHint(...facts)), ...controls);

/** @param {string} text @param {string} name of the item @param {() => Promise<void>} act */
const makeAct = (text, name, act) => makeButton(text, () => run(act), `${text}: ${name}`);

/** @param {string} verb @param {string} question @param {string} target */
function makeRemover(verb, question, target) {
  const remove = async () => {
    if (await ask(question, "", verb)) run(() => request("DELETE", target));
  };
  return makeButton(verb, remove, question);
}

/** @type {Describers} */ const describers = {
  members({ user, role }) {
    const target = `members/${encodeURIComponent(user)}`;
    const select = make("select", { ariaLabel: `${t("role")}: ${user}` }, ...makeRoles(role));
    const setRole = async () => {
      await request("PUT", target, { role: select.value });
      const told = `${user}: ${t(`role.${select.value}`)}`;
      if (ROLES.indexOf(select.value) <= ROLES.indexOf(role)) return announce(told);
      say([`${told}. ${t("role.raised")}`], { [t("invite.make")]: () => run(() => makeLink(user)) });
    };
    select.addEventListener("change", () => run(setRole));
    const link = makeAct(t("invite.make"), user, () => makeLink(user));
    return makeItem(user, [], select, link, makeRemover(t("member.remove"), t("member.remove.ask", { user }), target));
  },

  links({ id, user, code_expires_at: end }) {
    const remover = makeRemover(t("token.revoke"), t("link.revoke.ask", { user }), `links/${id}`);
    return makeItem(user, [t("link.until", { time: formatClock(end) })], remover);
  },

  tokens({ id, user, label, scopes, last_used_at: used, expires_at: end }) {
    const name = [user, label].filter(Boolean).join(", ") + (id === ownId ? t("token.this") : "");
    const use = used ? t("token.used", { time: formatDay(used) }) : t("token.never");
    const expiry = end ? t("expires.on", { time: formatDay(end) }) : t("expires.never");
    const remover = makeRemover(t("token.revoke"), t("token.revoke.ask", { user: name }), `tokens/${id}`);
    return makeItem(name, [`${scopes.join(", ")} · ${use} · ${expiry}`], remover);
  },

  webhooks(webhook) {
    const { id, url, tag, events, description, paused } = webhook;
    const target = `webhooks/${id}`;
    const question = t("webhook.delete.ask", { url });
    const pause = () => request("PUT", target, { url, tag, events, description, paused: !paused });
    const rotate = async () => {
      const isSure = await ask(t("webhook.rotate.ask"), t("webhook.rotate.hint"), t("webhook.rotate"), "primary");
      if (isSure) showSecret(await request("POST", `${target}/rotate`));
    };
    const test = async () => {
      /** @type {Delivery} */ const { status = 0, response } = await request("POST", `${target}/test`);
      const isAccepted = status >= 200 && status < 300;
      const outcome = [status || "", isAccepted ? t("webhook.accepted") : response].filter(Boolean).join(" · ");
      say([`${t("webhook.test.done")}: ${outcome}`], {}, isAccepted ? "done" : "failed");
    };
    const kinds = events.map((kind) => t(`webhook.${kind}`)).join(", ");
    const facts = [kinds, ...(tag ? [" · ", makePill(tag)] : []), ` · ${describeState(webhook)}`];
    const item = makeItem(url, facts, makeAct(t("webhook.test"), url, test));
    item.append(makeAct(t(paused ? "webhook.resume" : "webhook.pause"), url, pause));
    item.append(makeAct(t("webhook.rotate"), url, rotate), makeRemover(t("delete"), question, target));
    return item;
  },
};

/** The service's own reason for a pause is written for operators. @param {Webhook} webhook */
function describeState({ paused, failing_since: since, delivered, revision }) {
  if (paused?.startsWith("paused by")) return t("webhook.paused");
  if (paused) return t(paused.includes("410") ? "webhook.gone" : "webhook.ended");
  if (since) return t("webhook.failing", { time: formatTime(since) });
  return t(delivered < revision ? "webhook.behind" : "webhook.works");
}

/** @param {string} credential @param {string} text */
function show(credential, text) {
  if ($("access").hidden) return;
  $("credential").textContent = credential;
  $("credential-text").textContent = text;
  $("credential-box").hidden = false;
  $("credential-copy").focus();
}

/** @param {{url: string, secret: string}} made */
const showSecret = ({ url, secret }) => show(secret, t("webhook.secret", { url }));

/** @param {string} user */
async function makeLink(user) {
  const { code } = await request("POST", "links", { user });
  show(`${new URL(".", location.href)}#code=${code}`, t("invite.link", { user }));
}

/** @type {Record<string, () => Promise<void>>} what each form does */ const forms = {
  // Adds the member and makes a sign-in link, in one step.
  invite: async () => {
    const user = $("invite-name").value.trim();
    await request("PUT", `members/${encodeURIComponent(user)}`, { role: $("invite-role").value });
    await makeLink(user);
    $("invite").reset();
  },
  "token-form": async () => {
    const user = $("token-user").value;
    const lasting = Number($("token-days").value) * DAY;
    const { token } = await request("POST", "tokens", {
      user,
      label: $("token-label").value || undefined,
      scopes: $("token-scopes").value.match(/\w+/g) ?? undefined,
      expires_at: lasting ? new Date(Date.now() + lasting).toISOString() : undefined,
    });
    show(token, t("invite.token", { user }));
  },
  "webhook-form": async () => {
    const events = [...all("#webhook-form :checked")].map(({ dataset }) => dataset.kind);
    const tag = $("webhook-tag").value.trim() || undefined;
    showSecret(await request("POST", "webhooks", { url: $("webhook-url").value, events, tag }));
    $("webhook-form").reset();
  },
};
for (const [id, act] of Object.entries(forms)) $(id).addEventListener("submit", () => waiting || run(act));
$("invite-role").replaceChildren(...makeRoles("editor"));
onClick("credential-copy", () => copy($("credential"), $("credential-copy"), t("copied.link")));
