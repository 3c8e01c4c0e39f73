/* A board with the accesses of a kernel's threads: time goes down, each thread has a lane. An access is dragged, or chosen and moved by the keys
   ↑ and ↓ or the buttons that are called so.

   data: {source, threads: [[{kind, name, value, copies, line, after}]], barriers, initial, wanted, spaces, sentences}; `after` has, for each barrier
   by its line, how often the thread has passed it before the access. What a read gets is what the last write has left; orders.py has the rule,
   and counted what comes of all orders. A page whose policy allows no script of its own has the data in the attribute data-orders. */
function courseOrders(root, data) {
  const keys = {"data-lm-suppress-shortcuts": "true"};      // JupyterLab leaves an element its keys, if it says so itself
  const active = new Set(data.barriers);        // as in the kernel, until the reader takes one away
  const order = [];             // [thread, number of the access], as time goes on
  let shown;                    // how many accesses are done
  let chosen = null;            // the access that the buttons move

  function element(parent, tag, attributes = {}, text = "") {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.textContent = text;
    parent.append(node);
    return node;
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
  for (const line of data.barriers) {       // the line itself takes it out, and puts it back
    const place = lines[line - 1], code = place.firstChild, margin = code.textContent.search(/\S/);
    const button = element(place, "button", {type: "button", class: "co-barrier", ...keys}), does = element(button, "span", {}, "× take out");
    code.textContent = code.textContent.slice(margin);
    button.prepend(code);
    button.style.marginLeft = `calc(${margin}ch - 9px)`;     // its code stands where it stood
    button.addEventListener("click", () => {
      const out = active.delete(line);
      if (!out) active.add(line);
      place.classList.toggle("co-off", out);
      does.textContent = out ? "+ put back" : "× take out";
      order.sort((a, b) => segment(a) - segment(b));        // what the barriers do not allow is put right
      draw(out ? "Now nothing holds a thread at this line." : "Now no thread passes the barrier before all have come to it.", "");
    });
  }
  const lanes = element(board, "div", {class: "co-lanes"});
  lanes.style.setProperty("--threads", data.threads.length);
  const why = root.querySelector(".co-why");      // why some threads cannot be caught, where a page says so
  const tasks = root.querySelectorAll(".task > *");     // take a barrier out, catch a thread, catch the others, all are caught, if a page sets them
  root.querySelector(`.task a[href="#${why?.id}"]`)?.addEventListener("click", () => { why.open = true; });
  const caught = new Set();     // threads that have read a wrong number in one of the reader's orders
  const heads = data.threads.map(() => element(lanes, "div", {class: "co-head"}));
  heads.forEach((head, thread) => { head.style.gridColumn = thread + 1; head.style.gridRow = 1; });
  const tiles = new Map(every.map(item => [item.join(), tile(item)]));
  const line = element(lanes, "div", {class: "co-now", "aria-hidden": "true"});
  const result = element(board, "div", {class: "co-result"});
  const say = element(result, "p", {class: "co-say", "aria-live": "polite"});
  const moves = element(result, "div", {class: "co-moves"});
  const buttons = [["↑", "earlier", -1], ["↓", "later", 1]].map(([sign, when, by]) => {
    const button = element(moves, "button", {type: "button", disabled: "", "aria-label": `Move the chosen access ${when}`, ...keys}, sign);
    button.addEventListener("click", () => draw(move(chosen, by)));
    return button;
  });
  const time = element(moves, "label", {}, "Time");
  const slider = element(time, "input", {type: "range", min: 0, max: every.length, ...keys});
  slider.addEventListener("input", () => { shown = Number(slider.value); draw(""); });
  element(moves, "button", {type: "button", class: "co-again", ...keys}, "Start again").addEventListener("click", begin);
  const cells = new Map();
  const spaces = element(result, "div", {class: "co-spaces"});
  for (const [space, names] of Object.entries(data.spaces)) {
    const part = element(spaces, "div");
    element(part, "div", {class: "co-head"}, `${space} memory`);
    const list = element(part, "ul", {class: "co-memory"});
    for (const name of names) {
      const cell = element(list, "li");
      element(cell, "span", {}, name);
      cells.set(name, [cell, element(cell, "b"), element(cell, "small")]);
    }
  }
  const all = element(board, "p", {class: "co-all"});

  function tile(item) {
    const button = element(lanes, "button", {type: "button", class: `co-tile co-${access(item).kind}`, ...keys});
    button.style.gridColumn = item[0] + 1;
    button.addEventListener("focus", () => choose(item));
    button.addEventListener("keydown", event => {
      const by = {ArrowUp: -1, ArrowDown: 1}[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      draw(move(item, by));
      button.focus();
    });
    button.addEventListener("pointerdown", event => {
      if (event.button) return;
      choose(item);
      button.setPointerCapture(event.pointerId);
      button.classList.add("co-held");
      let from = event.clientY, why = "";
      const height = button.offsetHeight + 4;
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
        button.classList.remove("co-held");
        button.removeEventListener("pointermove", drag);
      };
      button.addEventListener("pointermove", drag);
      button.addEventListener("pointerup", end, {once: true});
      button.addEventListener("pointercancel", end, {once: true});
    });
    return button;
  }

  /* -- order ------------------------------------------------------------------------------------------------------- */

  /* The buttons move this one from now on; null for none. */
  function choose(item) {
    chosen = item;
    for (const [name, tile] of tiles) tile.classList.toggle("co-chosen", Boolean(item) && name === item.join());
    for (const button of buttons) button.disabled = !item;
  }

  /* Exchange an access with the one before or after it; returns why not, or "". */
  function move(item, by) {
    const at = order.findIndex(place => place.join() === item.join()), other = order[at + by];
    if (!other) return "";
    if (other[0] === item[0]) return `Thread ${item[0]} does its own accesses in the order of its program.`;
    if (segment(other) !== segment(item)) return "The barrier makes this impossible: no thread passes it before all have come to it.";
    order[at] = other;
    order[at + by] = item;
    return "";
  }

  /* What each access finds or leaves, in this order: a Map from it to {value, wrong}, and the memory after `shown` of them. */
  function replay() {
    const memory = new Map(Object.keys(data.wanted).map(name => [name, {value: data.initial[name] ?? null, by: name in data.initial ? "the host" : ""}]));
    const threads = data.threads.map(() => ({last: null, clean: true})), values = new Map();
    let then = null;
    order.forEach((item, number) => {
      if (number === shown) then = new Map([...memory].map(([name, held]) => [name, {...held}]));
      const {kind, name, value: right, copies} = access(item), thread = threads[item[0]];
      if (kind === "read") {
        const held = memory.get(name), stale = held.value !== right;
        thread.last = held.value;
        thread.clean = thread.clean && !stale;
        values.set(item.join(), {value: held.value, wrong: stale});
      } else {
        const value = copies ? thread.last : thread.clean ? right : null;
        memory.set(name, {value, right, by: `thread ${item[0]}`, at: number});
        values.set(item.join(), {value, wrong: value !== right});
      }
    });
    return {values, memory: then || memory, end: memory};
  }

  /* All threads go in step, as far as the barriers let them: each does an access before any does its next. A barrier that was
     taken away stays so. */
  function begin() {
    choose(null);
    order.splice(0, Infinity, ...every.slice().sort((a, b) => segment(a) - segment(b) || a[1] - b[1] || a[0] - b[0]));
    shown = every.length;
    draw("");
  }

  /* A barrier stands between the accesses that each thread does before it and after it; a time line shows how far time has come.
     refusal: why a move was not made, in which case nothing is said in praise of the order */
  function draw(remark, refusal = remark) {
    const {values, memory, end} = replay();
    let stale = "", row = 1, passed = {};
    for (const wait of lanes.querySelectorAll(".co-wait")) wait.remove();
    line.style.gridRow = row;
    order.forEach((item, number) => {
      const {kind, name, value: right, after} = access(item), {value, wrong} = values.get(item.join()), button = tiles.get(item.join());
      for (const barrier of data.barriers.filter(barrier => active.has(barrier) && after[barrier] > (passed[barrier] || 0)))
        element(lanes, "div", {class: "co-wait", "aria-hidden": "true"}, `line ${barrier}: each thread waits for all`).style.gridRow = ++row;
      passed = {...passed, ...after};
      const mark = wrong ? kind === "read" ? " ✗" : " !" : "";
      button.textContent = "";
      element(button, "span", {}, `${kind}s ${name}`);
      button.append(" ");
      element(button, "b", {}, `${value ?? "?"}${mark}`);
      button.style.gridRow = ++row;
      if (number + 1 === shown) line.style.gridRow = row;
      button.classList.toggle("co-wrong", wrong);
      button.classList.toggle("co-later", number >= shown);
      const judged = !wrong ? "" : kind === "read" ? ", the wrong number" : value === null ? ", nobody knows what" : ", made from a wrong number";
      const behind = segment(item) ? `, after ${segment(item) > 1 ? `${segment(item)} barriers` : "a barrier"}` : "";
      button.setAttribute("aria-label", `${button.textContent}${judged}, thread ${item[0]}, ${number + 1} of ${every.length}${behind}`);     // who speaks to it says what is seen
      if (wrong && kind === "read") caught.add(item[0]);
      if (wrong && kind === "read" && !stale)
        stale = `Thread ${item[0]} is caught: it reads ${name} ${value === null ? "before it is written" : `and finds ${value} instead of ${right}`}.`;
    });
    heads.forEach((head, thread) => { head.textContent = `thread ${thread}${caught.has(thread) ? ": caught" : ""}`; });
    line.hidden = shown === every.length;
    slider.value = shown;
    slider.setAttribute("aria-valuetext", `${shown} of ${every.length} accesses are done`);
    for (const [name, [cell, number, by]] of cells) {
      const held = memory.get(name), wrong = held.at !== undefined && held.value !== held.right;
      number.textContent = `${held.value ?? "?"}${wrong ? " ✗" : ""}`;
      by.textContent = wrong ? `should be ${held.right}` : held.by ? `by ${held.by}` : "not written";
      cell.classList.toggle("co-wrong", wrong);
      cell.classList.toggle("co-fresh", !wrong && shown < every.length && held.at === shown - 1);      // at the end none is the last
    }
    const wrong = Object.keys(data.wanted).filter(name => end.get(name).value !== data.wanted[name] && name in data.wanted).length;
    const ending = stale ? `✗ ${stale} ${wrong ? `At the end ${wrong} number${wrong > 1 ? "s are" : " is"} wrong.` : "The numbers are right all the same."}`
      : refusal ? "" : "In this order every read finds its number.";
    say.textContent = "";
    if (remark) element(say, "span", {class: "co-told"}, remark).after(" ");
    say.append(ending);
    say.classList.toggle("co-wrong", Boolean(stale));
    const all_caught = why && JSON.parse(why.dataset.threads).every(thread => caught.has(thread));
    const due = all_caught ? 3 : caught.size ? 2 : Number(active.size < data.barriers.length);
    tasks.forEach((task, number) => task.classList.toggle("co-due", number === due));
    all.textContent = "";
    if (caught.size) element(all, "b", {}, `Caught so far: ${[...caught].sort().map(thread => `thread ${thread}`).join(", ")}.`).after(" ");
    all.append(data.sentences[data.barriers.filter(barrier => active.has(barrier)).join()]);
    if (wrong) all.append(" The order on the board is one of those that give wrong numbers.");
  }

  root.classList.add("co-plays");
  const table = root.querySelector("details");
  if (table) table.open = false;
  begin();
}
for (const root of document.querySelectorAll(".course-orders[data-orders]")) courseOrders(root, JSON.parse(root.dataset.orders));
