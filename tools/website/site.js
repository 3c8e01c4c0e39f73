/* What the pages have beyond their text: the question that a program asks before a step, and the search. */

/* A question stands above the memory map from the step before the one that answers it; an answer goes on to that step. */
for (const asked of document.querySelectorAll(".question[data-before]")) {
  const program = asked.nextElementSibling, answers = Number(asked.dataset.before), options = [...asked.querySelectorAll("details")];
  const chosen = () => options.some(one => one.open);
  program.querySelector(".cf-map").prepend(asked);
  const show = step => { asked.hidden = !(step === answers - 1 || step === answers && chosen()); };
  program.addEventListener("course-step", event => {
    show(event.detail.step);
    if (event.detail.step === answers - 1) asked.scrollIntoView({block: "nearest"});
  });
  for (const option of options)
    option.addEventListener("toggle", () => { if (option.open) program.courseStep(answers); });
  show(0);
}

/* The search loads what it looks through when it is opened. Every word has to be there; where it is a heading's, the section comes first. */
for (const box of document.querySelectorAll(".search")) {
  const field = box.querySelector("input"), status = box.querySelector("[role=status]"), list = box.querySelector("ol");
  const MOST = 12, AROUND = 60;
  let sections = null;
  box.hidden = false;

  window.courseSearch = found => {
    sections = found.map(([address, heading, title, text]) => ({address, heading, title, text,
      low: text.toLowerCase(), head: `${heading} ${title}`.toLowerCase()}));
    search();
  };
  box.addEventListener("toggle", () => {
    if (!box.open) return;
    field.focus();
    if (sections || document.querySelector("[src='search-index.js']")) return;
    const script = document.createElement("script");
    script.src = "search-index.js";
    script.addEventListener("error", () => { status.textContent = "The list of words could not be loaded."; script.remove(); });
    document.body.append(script);
  });
  field.addEventListener("input", search);
  box.addEventListener("keydown", event => {
    if (event.key !== "Escape") return;
    box.open = false;
    box.querySelector("summary").focus();
  });

  function search() {
    const words = field.value.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
    list.textContent = "";
    status.textContent = "";
    if (!sections || !words.length) return;
    const found = [];
    for (const section of sections) {
      const points = words.map(word => section.head.includes(word) ? 20 : section.low.includes(word) ? Math.min(section.low.split(word).length - 1, 5) : 0);
      if (points.every(Boolean)) found.push([points.reduce((sum, one) => sum + one, 0), section]);
    }
    found.sort((one, other) => other[0] - one[0]);
    status.textContent = found.length > MOST ? `The best ${MOST} of ${found.length} places` : found.length === 1 ? "1 place" : `${found.length} places`;
    for (const [, section] of found.slice(0, MOST)) list.append(item(section, words));
  }

  function item(section, words) {
    const line = document.createElement("li"), link = document.createElement("a"), text = document.createElement("p");
    link.href = section.address;
    link.textContent = section.heading === section.title ? section.title : `${section.heading}, in ${section.title}`;
    link.addEventListener("click", () => { box.open = false; });
    const at = Math.max(...words.map(word => section.low.indexOf(word)), 0), from = at < AROUND ? 0 : section.text.indexOf(" ", at - AROUND) + 1;
    text.textContent = `${from ? "…" : ""}${section.text.slice(from, at + 2 * AROUND)}${section.text.length > at + 2 * AROUND ? "…" : ""}`;
    line.append(link, text);
    return line;
  }
}
