// The store's webhooks, on the page of access: where they lead, how they fare, and what came back. A store's
// service may have none of it.

import { makeRemover, request, run, show } from "./access.js";
import { $, all, ask, bdi, make, makeButton, makePill } from "./dom.js";
import { say } from "./message.js";
import { formatTime, t } from "./texts.js";

/** @typedef {{id: string, url: string, events: string[], tag?: string, description: string, delivered: number, revision: number, failing_since?: string, paused?: string}} Webhook */
/** @typedef {{at: string, type: string, status?: number, response: string, next_at?: string}} Delivery */

/** @param {Webhook[] | null} webhooks */
export function showWebhooks(webhooks) {
  $("webhooks-part").hidden = !webhooks;
  $("webhooks").replaceChildren(...(webhooks ?? []).map(describe));
}

/** @param {Webhook} webhook */
function describe(webhook) {
  const { id, url, tag, paused } = webhook;
  const target = `webhooks/${id}`;
  /** @param {string} key @param {() => Promise<void>} act */
  const offer = (key, act) => makeButton(t(key), () => run(act), { className: "quiet", "aria-label": `${t(key)}: ${url}` });
  const pause = () => request("PUT", target, { url, tag, events: webhook.events, description: webhook.description, paused: !paused });
  const rotate = async () => {
    if (await ask(t("webhook.rotate.ask"), t("webhook.rotate.hint"), t("webhook.rotate"), "primary")) showSecret(await request("POST", `${target}/rotate`));
  };
  const test = async () => {
    const delivery = await request("POST", `${target}/test`);
    say([`${t("webhook.webhook.test")}: ${tellOutcome(delivery)}`], {}, isAccepted(delivery) ? "done" : "failed");
  };
  const kinds = webhook.events.map((kind) => t(`webhook.${kind}`)).join(", ");
  const facts = make("span", { className: "hint" }, kinds, ...(tag ? [" · ", makePill(tag)] : []), ` · ${tellState(webhook)}`);
  const buttons = [offer("webhook.test", test), offer(paused ? "webhook.resume" : "webhook.pause", pause), offer("webhook.rotate", rotate)];
  return make("li", {}, make("p", {}, bdi(url), facts), ...buttons, makeRemover(t("delete"), t("webhook.delete.ask", { url }), target), makeLog(target));
}

// The service's words for why it paused are for operators.
/** @param {Webhook} webhook */
function tellState({ paused, failing_since: since, delivered, revision }) {
  if (paused?.startsWith("paused by")) return t("webhook.paused");
  if (paused) return t(paused.includes("410") ? "webhook.gone" : "webhook.ended");
  if (since) return t("webhook.failing", { time: formatTime(since) });
  return t(delivered < revision ? "webhook.behind" : "webhook.works");
}

// Read when it is opened.
/** @param {string} target */
function makeLog(target) {
  const list = make("ul", { className: "events" });
  const log = make("details", {}, make("summary", { textContent: t("webhook.log") }), list);
  log.addEventListener("toggle", async () => {
    if (!log.open) return;
    /** @type {Delivery[]} */ const deliveries = await request("GET", `${target}/deliveries`).catch((error) => say([error.message], {}, "failed"));
    const items = (deliveries ?? []).map((delivery) => make("li", {}, make("p", {}, `${t(`webhook.${delivery.type}`)} · ${tellOutcome(delivery)}`), make("time", { className: "hint", dateTime: delivery.at, textContent: formatTime(delivery.at) })));
    list.replaceChildren(...(items.length ? items : [make("li", { className: "hint", textContent: t("webhook.log.none") })]));
  });
  return log;
}

/** @param {Delivery} delivery */
const isAccepted = ({ status = 0 }) => status >= 200 && status < 300;

/** @param {Delivery} delivery */
function tellOutcome(delivery) {
  const again = delivery.next_at ? t("webhook.again", { time: formatTime(delivery.next_at) }) : "";
  return [delivery.status, isAccepted(delivery) ? t("webhook.accepted") : delivery.response, again].filter(Boolean).join(" · ");
}

/** @param {{url: string, secret: string}} made */
const showSecret = ({ url, secret }) => show(secret, t("webhook.secret", { url }));

$("webhook-form").addEventListener("submit", () => run(async () => {
  const events = [...all("#webhook-form :checked")].map(({ dataset }) => dataset.kind);
  showSecret(await request("POST", "webhooks", { url: $("webhook-url").value, events, tag: $("webhook-tag").value || undefined }));
  $("webhook-form").reset();
}));
