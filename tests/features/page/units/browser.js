// What modules ask of a browser when they are loaded: import it before them.

globalThis.location = new URL("http://127.0.0.1:8080/");
globalThis.navigator ??= { languages: ["en"] };
