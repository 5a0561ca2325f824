// Sorts tables by their headings. Without this script the page can be read as it is.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const sorter = new Intl.Collator("en", { numeric: true });

  // A number if the cell has one, its text in a column of texts, null where there is nothing.
  const key = (row, column) => {
    const cell = row.cells[column], value = cell.dataset.v;
    return value !== undefined ? Number(value) : cell.tagName === "TH" ? cell.textContent : null;
  };
  const compare = (a, b) => typeof a === "string" ? sorter.compare(a, b) : a - b;

  const sort = column => {
    const down = heads[column].getAttribute("aria-sort") === "ascending", sign = down ? -1 : 1;
    const rows = [...body.rows].map(row => [key(row, column), row]);
    rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null) : sign * compare(a, b));
    body.append(...rows.map(([, row]) => row));
    heads.forEach(head => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  };

  heads.forEach((head, column) => {
    const label = head.querySelector(".by");
    if (!label) return;
    const button = document.createElement("button");
    button.type = "button";
    label.replaceWith(button);
    button.append(...label.childNodes);
    button.addEventListener("click", () => sort(column));
  });
}
