const filters = document.getElementById("filters");
function showFitting() {
  const [words, type, state] = ["search", "type", "state"].map((id) => document.getElementById(id).value);
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [...document.querySelectorAll("#fleet tbody tr")];
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !(wanted.every((word) => text.includes(word)) && (!type || row.dataset.type === type) &&
      (!state || row.dataset.state.split(" ").includes(state)));
  }
  const shown = rows.filter((row) => !row.hidden).length;
  document.getElementById("shown").textContent = `${shown} of ${rows.length} robots`;
  document.getElementById("none").hidden = shown > 0;
}
if (filters) {
  filters.hidden = false;
  filters.addEventListener("input", showFitting);
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { filters.reset(); showFitting(); }
  });
  document.addEventListener("keydown", (event) => {
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement.tagName);
    if (event.key === "/" && !typing) { event.preventDefault(); document.getElementById("search").focus(); }
  });
  // a browser that goes back restores what was typed
  addEventListener("pageshow", showFitting);
}
