/* A board with the accesses of a kernel's threads: time goes down, each thread has a lane. An access is dragged, or moved by the keys ↑ and ↓.

   data: {source, threads: [[{kind, name, value, copies, line, after}]], barriers, initial, wanted, spaces, sentences}; `after` has, for each barrier
   by its line, how often the thread has passed it before the access. What a read gets is what the last write has left; orders.py has the rule,
   and counted what comes of all orders. A page whose policy allows no script of its own has the data in the attribute data-orders. */
function courseOrders(root, data) {
  const keys = {"data-lm-suppress-shortcuts": "true"};      // JupyterLab leaves an element its keys, if it says so itself
  const active = new Set(data.barriers);        // as in the kernel, until the reader takes one away
  const order = [];             // [thread, number of the access], as time goes on
  let shown;                    // how many accesses are done

  function element(parent, tag, attributes = {}, text = "") {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.textContent = text;
    parent.append(made);
    return made;
  }

  const access = ([thread, number]) => data.threads[thread][number];
  const segment = item => data.barriers.reduce((sum, line) => sum + (active.has(line) ? access(item).after[line] || 0 : 0), 0);
  const every = data.threads.flatMap((accesses, thread) => accesses.map((_, number) => [thread, number]));

  /* -- what there is ----------------------------------------------------------------------------------------------- */

  const board = root.querySelector(".co-board");
  board.textContent = "";
  const code = element(board, "ol", {class: "co-code", "aria-label": "The kernel"});
  const lines = data.source.map(text => {
    const line = element(code, "li");
    element(line, "code", {}, text || " ");
    return line;
  });
  for (const line of data.barriers) {
    const place = lines[line - 1], label = element(place, "label", {class: "co-barrier"});
    place.prepend(label);
    const box = element(label, "input", {type: "checkbox", checked: "", "aria-label": `Barrier in line ${line}`, ...keys});
    label.append(" barrier");
    box.addEventListener("change", () => {
      if (box.checked) active.add(line); else active.delete(line);
      place.classList.toggle("co-off", !box.checked);
      order.sort((one, other) => segment(one) - segment(other));        // what the barriers do not allow is put right
      draw(box.checked ? "Now no thread passes the barrier before all have come to it." : "Now nothing holds a thread at this line.");
    });
  }
  const bar = element(board, "div", {class: "co-bar"});
  const orders = {
    "in step": () => every.slice().sort((a, b) => segment(a) - segment(b) || a[1] - b[1] || a[0] - b[0]),
    "one after the other": () => every.slice().sort((a, b) => segment(a) - segment(b) || a[0] - b[0] || a[1] - b[1]),
    "the last one first": () => every.slice().sort((a, b) => segment(a) - segment(b) || b[0] - a[0] || a[1] - b[1]),
  };
  for (const [name, make] of Object.entries(orders))
    element(bar, "button", {type: "button", ...keys}, name).addEventListener("click", () => {
      order.splice(0, Infinity, ...make());
      shown = every.length;
      draw("");
    });
  const result = element(board, "div", {class: "co-result"});
  const say = element(result, "p", {class: "co-say", "aria-live": "polite"});
  const all = element(result, "p", {class: "co-all"});
  const lanes = element(board, "div", {class: "co-lanes"});
  lanes.style.setProperty("--threads", data.threads.length);
  const heads = data.threads.map((_, thread) => element(lanes, "div", {class: "co-head"}, `thread ${thread}`));
  heads.forEach((head, thread) => { head.style.gridColumn = thread + 1; head.style.gridRow = 1; });
  const tiles = new Map(every.map(item => [item.join(), tile(item)]));
  const line = element(lanes, "div", {class: "co-now", "aria-hidden": "true"});
  const side = element(board, "div", {class: "co-side"});
  const slider = element(side, "input", {type: "range", min: 0, max: every.length, "aria-label": "How many accesses are done", ...keys});
  slider.addEventListener("input", () => { shown = Number(slider.value); draw(""); });
  const cells = new Map();
  for (const [space, names] of Object.entries(data.spaces)) {
    element(side, "div", {class: "co-head"}, `${space} memory`);
    const list = element(side, "ul", {class: "co-memory"});
    for (const name of names) {
      const cell = element(list, "li");
      element(cell, "span", {}, name);
      cells.set(name, [cell, element(cell, "b"), element(cell, "small")]);
    }
  }

  function tile(item) {
    const made = element(lanes, "button", {type: "button", class: `co-tile co-${access(item).kind}`, ...keys});
    made.style.gridColumn = item[0] + 1;
    made.addEventListener("keydown", event => {
      const by = {ArrowUp: -1, ArrowDown: 1}[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      draw(move(item, by));
      made.focus();
    });
    made.addEventListener("pointerdown", event => {
      if (event.button) return;
      made.setPointerCapture(event.pointerId);
      made.classList.add("co-held");
      let from = event.clientY, why = "";
      const height = made.offsetHeight + 4;
      const drag = moved => {
        while (Math.abs(moved.clientY - from) > height * .6) {
          const by = Math.sign(moved.clientY - from);
          const blocked = move(item, by);
          if (blocked) { if (blocked !== why) draw(why = blocked); return; }
          from += by * height;
          draw(why = "");
        }
      };
      const end = () => {
        made.classList.remove("co-held");
        made.removeEventListener("pointermove", drag);
      };
      made.addEventListener("pointermove", drag);
      made.addEventListener("pointerup", end, {once: true});
      made.addEventListener("pointercancel", end, {once: true});
    });
    return made;
  }

  /* -- order ------------------------------------------------------------------------------------------------------- */

  /* Exchange an access with the one before or after it; returns why not, or "". */
  function move(item, by) {
    const at = order.findIndex(one => one.join() === item.join()), other = order[at + by];
    if (!other) return "";
    if (other[0] === item[0]) return `Thread ${item[0]} does its own accesses in the order of its program.`;
    if (segment(other) !== segment(item)) return "The barrier makes this impossible: no thread passes it before all have come to it.";
    order[at] = other;
    order[at + by] = item;
    return "";
  }

  /* What each access finds or leaves, in this order: a Map from its name to {value, stale, by}, and the memory after `shown` of them. */
  function replay() {
    const memory = new Map(Object.keys(data.wanted).map(name => [name, {value: data.initial[name] ?? null, by: name in data.initial ? "the host" : ""}]));
    const threads = data.threads.map(() => ({last: null, clean: true})), found = new Map();
    let then = null;
    order.forEach((item, number) => {
      if (number === shown) then = new Map([...memory].map(([name, held]) => [name, {...held}]));
      const one = access(item), thread = threads[item[0]];
      if (one.kind === "read") {
        const held = memory.get(one.name), stale = held.value !== one.value;
        thread.last = held.value;
        thread.clean = thread.clean && !stale;
        found.set(item.join(), {value: held.value, wrong: stale, read: held});
      } else {
        const value = one.copies ? thread.last : thread.clean ? one.value : null;
        memory.set(one.name, {value, by: `thread ${item[0]}`, at: number});
        found.set(item.join(), {value, wrong: value !== one.value});
      }
    });
    return {found, memory: then || memory, end: memory};
  }

  function draw(told) {
    const {found, memory, end} = replay();
    let stale = "";
    order.forEach((item, number) => {
      const one = access(item), {value, wrong} = found.get(item.join()), made = tiles.get(item.join());
      const mark = wrong ? one.kind === "read" ? " ✗" : " !" : "";
      made.textContent = "";
      element(made, "span", {}, `${one.kind}s ${one.name}`);
      made.append(" ");
      element(made, "b", {}, `${value ?? "?"}${mark}`);
      made.style.gridRow = number + 2;
      made.classList.toggle("co-wrong", wrong);
      made.classList.toggle("co-later", number >= shown);
      const judged = !wrong ? "" : one.kind === "read" ? ", the wrong number" : value === null ? ", nobody knows what" : ", made from a wrong number";
      made.setAttribute("aria-label", `${made.textContent}${judged}, thread ${item[0]}, ${number + 1} of ${every.length}`);     // who speaks to it says what is seen
      if (wrong && one.kind === "read" && !stale)
        stale = value === null ? `Thread ${item[0]} reads ${one.name} before it is written.`
          : `Thread ${item[0]} reads ${one.name} and finds ${value}, where ${one.value} belongs.`;
    });
    line.style.gridRow = shown + 1;
    line.hidden = shown === every.length;
    slider.value = shown;
    slider.setAttribute("aria-valuetext", `${shown} of ${every.length} accesses are done`);
    for (const [name, [cell, number, by]] of cells) {
      const held = memory.get(name);
      number.textContent = held.value ?? "?";
      by.textContent = held.by ? `by ${held.by}` : "not written";
      cell.classList.toggle("co-fresh", held.at === shown - 1);
    }
    const wrong = Object.keys(data.wanted).filter(name => end.get(name).value !== data.wanted[name] && name in data.wanted).length;
    const ending = stale ? `✗ ${stale} ${wrong ? `At the end ${wrong} number${wrong > 1 ? "s are" : " is"} wrong.` : "The numbers are right all the same."}`
      : "✓ In this order every read finds its number.";
    say.textContent = "";
    if (told) element(say, "span", {class: "co-told"}, told).after(" ");
    say.append(ending);
    say.classList.toggle("co-wrong", Boolean(stale));
    all.textContent = data.sentences[data.barriers.filter(one => active.has(one)).join()];
    if (wrong) all.append(" The order on the board is one of those that give other numbers.");
  }

  root.classList.add("co-plays");
  const table = root.querySelector("details");
  if (table) table.open = false;
  order.push(...orders["in step"]());
  shown = every.length;
  draw("");
}
for (const root of document.querySelectorAll(".course-orders[data-orders]")) courseOrders(root, JSON.parse(root.dataset.orders));
