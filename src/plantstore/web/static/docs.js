// The OpenAPI document in Swagger UI, whose controls get labels for screen readers.

/** @type {Record<string, (one: Element) => string>} */
const NAMES = {
  "#servers": () => "Servers",
  ".examples-select-element": () => "Examples",
  ".body-param__text": () => "Body",
  ".close-modal": () => "Close",
  ".copy-to-clipboard button": () => "Copy",
  ".json-schema-2020-12-accordion:not(:has(.json-schema-2020-12__title))": () => "Schema",
  "[data-param-name] select": (one) => one.closest("[data-param-name]")?.getAttribute("data-param-name") ?? "",
  "table[role=region]": (one) => `Responses of ${one.closest(".opblock")?.id}: ${one.id}`,
};

const root = /** @type {HTMLElement} */ (document.getElementById("interface"));

function nameControls() {
  for (const [selector, nameOf] of Object.entries(NAMES))
    for (const one of root.querySelectorAll(`:is(${selector}):not([aria-label])`))
      one.setAttribute("aria-label", nameOf(one));
  for (const code of root.querySelectorAll("pre:not([tabindex])"))
    if (code.scrollHeight > code.clientHeight) code.setAttribute("tabindex", "0"); // to scroll it without a mouse
}

new MutationObserver(nameControls).observe(root, { childList: true, subtree: true });

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#interface",
  deepLinking: true,
  // A button opens an operation; a link inside it would be a redundant tab stop.
  plugins: [{ components: { DeepLink: (/** @type {{text: string}} */ { text }) => text } }],
  syntaxHighlight: { theme: "monokai" },
  validatorUrl: null,
  persistAuthorization: false,
});
