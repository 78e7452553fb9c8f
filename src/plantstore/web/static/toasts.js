// Short messages that stay until they are closed or replaced: nobody has to be quick.

import { $, make } from "./dom.js";

export class Toast {
  constructor(text, { kind = "done" } = {}) {
    this.text = make("p", { textContent: text });
    this.buttons = make("div", { className: "buttons" });
    this.element = make("div", { className: `toast ${kind}` }, this.text, this.buttons);
    const close = make("button", { type: "button", className: "quiet close", textContent: "×" });
    close.setAttribute("aria-label", "Close this message");
    close.addEventListener("click", () => this.close());
    this.element.append(close);
  }

  show() {
    const area = $("toasts");
    area.append(this.element);
    while (area.children.length > 3) area.firstElementChild.remove();
    return this;
  }

  offer(label, act) {
    const button = make("button", { type: "button", textContent: label });
    button.addEventListener("click", () => {
      this.close();
      act();
    });
    this.buttons.append(button);
    return this;
  }

  say(text) {
    this.text.textContent = text;
  }

  close() {
    const hadFocus = this.element.contains(document.activeElement);
    this.element.remove();
    if (hadFocus) $("grid").focus();
  }
}

export const toast = (text, options) => new Toast(text, options).show();
