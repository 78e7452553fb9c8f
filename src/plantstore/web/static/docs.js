// The interface's document, shown and tried out in Swagger UI, whose controls get names for those
// who do not see them.

const NAMES = {
  "#servers": "Server",
  ".examples-select-element": "Example",
  ".body-param__text": "Body",
  ".close-modal": "Close",
  ".copy-to-clipboard button": "Copy",
};

const root = document.getElementById("interface");

const nameAll = (selector, nameOf) => {
  for (const control of root.querySelectorAll(`:is(${selector}):not([aria-label])`))
    control.setAttribute("aria-label", nameOf(control));
};

function nameControls() {
  for (const [selector, name] of Object.entries(NAMES)) nameAll(selector, () => name);
  for (const answer of root.querySelectorAll(".live-responses-table pre")) answer.tabIndex = 0; // to scroll
  nameAll("[data-param-name] select", (one) => one.closest("[data-param-name]").dataset.paramName);
}

new MutationObserver(nameControls).observe(root, { childList: true, subtree: true });

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#interface",
  deepLinking: true,
  // An operation is opened by its button; a link in there is one more stop that does the same.
  plugins: [{ components: { DeepLink: ({ text }) => text } }],
  syntaxHighlight: { theme: "monokai" },
  validatorUrl: null,
  persistAuthorization: false,
});
