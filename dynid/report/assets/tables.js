// Tables of the class "sortable": a click on the name of a column sorts by it.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const rows = [...body.rows];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const key = (row) => {
      const cell = row.cells[column];
      return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent.trim();
    };
    const numbers = rows.length > 0 && typeof key(rows[0]) === "number";
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      // a third click restores the order of the page; numbers begin with the largest
      const order = numbers ? ["descending", "ascending", null] : ["ascending", "descending", null];
      const next = order[now ? order.indexOf(now) + 1 : 0];
      if (!next) { body.append(...rows); return; }
      head.setAttribute("aria-sort", next);
      const sign = next === "ascending" ? 1 : -1;
      body.append(...[...rows].sort((a, b) => {
        const [first, second] = [key(a), key(b)];
        if (!numbers) { return sign * first.localeCompare(second, "en", { numeric: true }); }
        if (Number.isNaN(first) || Number.isNaN(second)) { return Number.isNaN(first) - Number.isNaN(second); }
        return sign * (first - second);
      }));
    });
  });
}
