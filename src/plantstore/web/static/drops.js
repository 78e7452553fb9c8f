// Files dropped on the page. Left to the browser they would take the page's place, whoever may
// import or not.

export function acceptDrops(importer, isOffered) {
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  const isWelcome = () =>
    isOffered() && !importer.isRunning && !document.querySelector("dialog[open]:not(#import)");
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = isWelcome() ? "copy" : "none";
    document.body.classList.toggle("dropping", isWelcome());
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (isWelcome()) importer.read(event.dataTransfer.files[0]);
  });
}
