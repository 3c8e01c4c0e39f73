/* The player of a program that was followed: moves what Python has placed (memory_map/picture/layout.py), from one step to the next.

   data: {code: [HTML of each line], steps, markups, pieces, widths, heights}. A step is {line, say, wrong, calls, work, done, flights, flows, at}.
   A flight is [from, to, the first number of each, how many]: letters of memory, "" for the host's that is not drawn. `at` has, for the wide
   picture and for the narrow one, the numbers of its pieces; a piece is [name, layer, x, y, number of its markup]. A page whose policy allows
   no script of its own has the data in the element's attribute data-steps. */
function courseFollow(root, data) {
  const SVG = "http://www.w3.org/2000/svg", LAYERS = 5, MOST_CELLS = 8, FAR = 48, EASE = "cubic-bezier(.45, 0, .2, 1)";
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const last = data.steps.length - 1;
  let now = 0;

  function element(parent, tag, attributes = {}, text = "") {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.textContent = text;
    parent.append(node);
    return node;
  }

  /* -- what there is ----------------------------------------------------------------------------------------------- */

  const keys = {"data-lm-suppress-shortcuts": "true"};      // JupyterLab leaves an element its keys, if it says so itself
  const player = root.querySelector(".cf-player");
  player.textContent = "";
  const code = element(player, "ol", {class: "cf-code", "aria-label": "The program", tabindex: 0, ...keys});
  const lines = data.code.map((html, number) => {
    const line = element(code, "li");
    const margin = html.search(/[^ ]|$/);
    line.innerHTML = `<code><span class="cf-margin">${html.slice(0, margin)}</span>${html.slice(margin) || " "}</code>`;
    line.style.setProperty("--cf-margin", margin);
    line.addEventListener("click", () => {
      const step = data.steps.findIndex(({line}) => line === number + 1);
      if (step >= 0) go(step);
    });
    return line;
  });
  const shown = element(player, "div", {class: "cf-shown"}), bar = element(shown, "div", {class: "cf-bar"});
  const back = element(bar, "button", {type: "button", class: "cf-back", ...keys}, "Back");
  const slider = element(bar, "input", {type: "range", min: 0, max: last, value: 0, "aria-label": "Step", ...keys});
  const next = element(bar, "button", {type: "button", class: "cf-next", ...keys}, "Next");
  const count = element(bar, "span", {class: "cf-count", "aria-hidden": "true"});
  const map = element(shown, "div", {class: "cf-map"});
  const pictures = data.widths.map((width, number) => new Picture(width, number));
  const say = element(shown, "p", {class: "cf-say", "aria-live": "polite"});
  const work = element(shown, "ul", {class: "cf-work", "aria-label": "Given to the GPU, and not done yet"});
  work.hidden = !data.steps.some(step => step.work.length || step.done);
  const length = step => step.say.length + step.calls.length;
  const longest = [...data.steps].sort((a, b) => length(b) - length(a)).slice(0, 3);
  new ResizeObserver(() => { makeRoom(); if (!code.scrollTop) scrollCode(); }).observe(player);       // a page may show it later
  root.classList.add("cf-plays");
  const table = root.querySelector("details");
  if (table) table.open = false;

  /* Keep room for the longest sentence, so that what is below it never jumps. */
  function makeRoom() {
    const probe = say.parentNode.appendChild(say.cloneNode());
    probe.removeAttribute("aria-live");
    probe.style.cssText = "visibility: hidden; align-self: start; min-height: 0";
    const heights = longest.map(step => {
      write(probe, `✗ ${step.say}`);
      probe.dataset.calls = step.calls;
      return probe.getBoundingClientRect().height;
    });
    probe.remove();
    say.style.minHeight = `${Math.ceil(Math.max(...heights))}px`;
  }

  /* Words in which the program's names are marked, and numbers in a row stay in one line if that is long enough. */
  function write(parent, words) {
    parent.textContent = "";
    words.split(/`([^`]+)`/).forEach((part, place) => { if (place % 2) element(parent, "code", {}, part); else append(parent, part); });
  }

  function append(parent, words) {
    words.split(/((?:\[ ?)?-?[\d?][\d.]*(?: -?[\d?][\d.]*)+\]?)/).forEach((part, place) => {
      if (place % 2) element(parent, "span", {class: "cf-row"}, part); else parent.append(part);
    });
  }

  /* -- the picture ------------------------------------------------------------------------------------------------- */

  function Picture(width, number) {
    const svg = document.createElementNS(SVG, "svg"), shown = new Map(), hidden = [];
    const row = data.steps.flatMap(step => step.at[number]).map(index => data.pieces[index]).filter(([name]) => name.endsWith("-0")).map(([, , x]) => x);
    const undrawn = data.steps.some(({flights}) => flights.some(([from, to]) => !from || !to));
    const beyond = undrawn ? Math.max(FAR + 2 - Math.min(...row), 0) : 0;        // where an arrow to the host's memory has room
    svg.setAttribute("viewBox", `${-1 - beyond} 0 ${width + 10 + beyond} ${data.heights[number]}`);
    svg.setAttribute("class", `mm mm-${number ? "narrow" : "wide"}`);
    svg.setAttribute("role", "img");
    map.append(svg);
    const layers = Array.from({length: LAYERS}, () => svg.appendChild(document.createElementNS(SVG, "g")));

    this.svg = svg;
    this.show = (step, moving) => {
      const wanted = new Set(), fresh = [];
      for (const index of step.at[number]) {
        const [name, layer, x, y, markup] = data.pieces[index];
        wanted.add(name);
        let piece = shown.get(name);
        if (!piece) {
          piece = {g: document.createElementNS(SVG, "g"), markup: null};
          shown.set(name, piece);
          layers[layer].append(piece.g);
          if (moving) fresh.push(piece);
        }
        if (piece.markup !== markup) {
          const before = piece.markup === null ? null : data.markups[piece.markup];
          piece.markup = markup;
          if (layer === 1 && before && moving) morph(piece, before, data.markups[markup]);
          else piece.g.innerHTML = data.markups[markup];
        }
        piece.x = x;
        piece.y = y;
        piece.g.style.transform = `translate(${x}px, ${y}px)`;
      }
      for (const [name, piece] of shown) {
        if (wanted.has(name)) continue;
        shown.delete(name);
        // Where memory was freed the next may be: of the two only one is seen.
        if (moving && !piece.g.querySelector(".hollow")) piece.g.animate([{opacity: 1}, {opacity: 0}], {duration: 600}).onfinish = () => piece.g.remove();
        else piece.g.remove();
      }
      for (const {g} of fresh) {
        g.animate([{opacity: 0}, {opacity: 1}], {duration: 450});
        for (const way of g.querySelectorAll(".way:not(.end, .no-access)")) {       // a line draws itself
          const strokeDasharray = way.getTotalLength();
          way.animate([{strokeDasharray, strokeDashoffset: strokeDasharray}, {strokeDasharray, strokeDashoffset: 0}], {duration: 600, easing: EASE});
        }
      }
    };

    /* The cells of numbers in a piece of memory, the box around them, and the ends of its rows; null if none of them is drawn. */
    function cells(letter, first, count) {
      const all = Array.from({length: MOST_CELLS}, (_, number) => shown.get(`${letter}-${number}`));
      const places = all.slice(first, first + count).filter(Boolean);
      if (!places.length) return null;
      const size = ({g}, name) => g.querySelector("rect")[name].baseVal.value, row = all.filter(Boolean);
      const left = places => Math.min(...places.map(({x}) => x));
      const right = places => Math.max(...places.map(place => place.x + size(place, "width")));
      const top = Math.min(...places.map(({y}) => y)), foot = Math.max(...places.map(place => place.y + size(place, "height")));
      return {places, left: left(places), right: right(places), top, foot, middle: (top + foot) / 2, begins: left(row), ends: right(row)};
    }

    function drawn(tag, attributes, text = "") {
      const node = layers[LAYERS - 1].appendChild(document.createElementNS(SVG, tag));
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
      node.textContent = text;
      return node;
    }

    /* An arrow from one box's row to the other's: across, or past what stands between them in a column. The host's memory that is not drawn is at the left. */
    function arrow(start, end) {
      const beside = end || start, back = start && end && end.ends < start.begins, across = back || start && end && start.ends < end.begins;
      const left = side => side ? side.begins - 3 : beside.begins - FAR, right = side => side.ends + 3;
      const way = !start || !end ? [left(start), beside.middle, left(end), beside.middle, 0]
        : across ? [back ? left(start) : right(start), start.middle, back ? right(end) : left(end), end.middle, back ? -30 : 30]
        : [right(start), start.middle, right(end), end.middle, 26];
      const [x, y, to, at, bow] = way, away = across || !start || !end ? Math.sign(to - x) : -1;
      drawn("path", {class: "flight", d: `M${x} ${y}C${x + bow} ${y} ${to + (across ? -bow : bow)} ${at} ${to - 6 * away} ${at}`});
      drawn("path", {class: "flight end", d: `M${to} ${at}l${-10 * away} -6v12z`});
      if (!start || !end) drawn("text", {class: "label", x: beside.begins - FAR + 12, y: beside.middle - 10, "text-anchor": "middle"}, "host");
    }

    /* Numbers go from one piece of memory to another. Where from and where to is marked before they fly, and stays so; they fly as one, and
       cover what they pass. The arrow of a kernel's memory flows. */
    this.move = (step, flying) => {
      layers[LAYERS - 1].textContent = "";
      for (const animation of hidden.splice(0)) animation.cancel();       // they have arrived
      for (const [from, to, first, place, count] of step.flights) {
        const start = cells(from, first, count), end = cells(to, place, count);
        if (!start && !end || from && !start || to && !end) continue;
        for (const {left, right, top, foot} of [start, end].filter(Boolean))
          drawn("rect", {class: "flight", x: left - 2, y: top - 2, width: right - left + 4, height: foot - top + 4, rx: 5});
        arrow(start, end);
        if (!flying) continue;
        const row = drawn("g", {});
        for (const {g} of (end || start).places) row.appendChild(g.cloneNode(true)).querySelectorAll("*").forEach(part => part.classList.add("marked"));
        const by = (x, y, scale = 1) => ({transform: `translate(${x}px, ${y}px) scale(${scale})`}), small = .1;
        const {begins: left, middle, places: [{x, y}]} = end || start, far = by(left - FAR - small * left, middle - small * middle, small);
        const way = [start ? by(start.places[0].x - x, start.places[0].y - y) : far, end ? by(0, 0) : far];
        row.animate(way, {duration: 750, delay: 300, easing: EASE, fill: "both"}).onfinish = () => row.remove();
        if (end) for (const {g} of end.places) hidden.push(g.animate([{opacity: 0}, {opacity: 0}], {duration: 1040}));
      }
      if (!flying) return;
      for (const name of step.flows) {
        const line = shown.get(name);
        if (line) line.g.animate([{opacity: 1}, {opacity: .15}, {opacity: 1}], {duration: 350, iterations: 2});
      }
    };

    function morph(piece, before, after) {
      const number = /-?\d+(?:\.\d+)?/g, from = before.match(number), to = after.match(number);
      if (before.replace(number, "") !== after.replace(number, "")) { piece.g.innerHTML = after; return; }
      const began = performance.now(), markup = piece.markup;
      (function frame(time) {
        if (piece.markup !== markup) return;
        const gone = Math.min(Math.max((time - began) / 450, 0), 1), part = gone * gone * (3 - 2 * gone);
        let place = 0;
        piece.g.innerHTML = after.replace(number, () => {
          const value = from[place] * (1 - part) + to[place] * part;
          place++;
          return +value.toFixed(1);
        });
        if (part < 1) requestAnimationFrame(frame);
      })(began);
    }
  }

  /* The line of the step is in view. */
  function scrollCode() {
    const line = lines[data.steps[now].line - 1];
    if (!line) return;
    const above = line.offsetTop - code.clientHeight / 4, first = lines.find(({offsetTop}) => offsetTop >= above);
    code.scrollTop = first === lines[0] ? 0 : first.offsetTop;
  }

  /* -- steps ------------------------------------------------------------------------------------------------------- */

  /* fresh: as if it were come to from the step before */
  function go(to, fresh = false) {
    to = Math.min(Math.max(to, 0), last);
    const step = data.steps[to], moving = !still.matches && (fresh || Math.abs(to - now) === 1), forward = fresh || to > now;
    now = to;
    lines.forEach((line, number) => {
      const current = number + 1 === step.line;
      line.classList.toggle("cf-now", current);
      line.classList.toggle("cf-wrong", current && step.wrong);
      if (current) line.setAttribute("aria-current", "step"); else line.removeAttribute("aria-current");
    });
    scrollCode();
    slider.value = to;
    slider.setAttribute("aria-valuetext", `Step ${to + 1} of ${last + 1}`);
    count.textContent = `step ${to + 1} of ${last + 1}`;
    for (const [button, end] of [[back, 0], [next, last]]) button.setAttribute("aria-disabled", String(to === end));
    write(say, step.say);
    say.dataset.calls = step.calls;     // shown behind it
    say.classList.toggle("cf-wrong", step.wrong);
    work.textContent = "";
    for (const [number, label] of step.work) {
      const chip = element(work, "li");
      element(chip, "b", {}, number);
      chip.append(` ${label}`);
    }
    if (step.done) element(work, "li", {class: "cf-done"}, `${step.done} ✓`);
    for (const picture of pictures) {
      picture.svg.setAttribute("aria-label", `Memory after step ${to + 1}. ${say.textContent}`);
      picture.show(step, moving);
      picture.move(step, moving && forward);
    }
    root.dispatchEvent(new CustomEvent("course-step", {bubbles: true, detail: {step: to, last}}));
  }

  back.addEventListener("click", () => go(now - 1));
  next.addEventListener("click", () => go(now + 1));
  slider.addEventListener("input", () => go(Number(slider.value)));
  player.addEventListener("keydown", event => {
    const to = {ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last}[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    go(to);
  });
  root.courseStep = go;
  go(0);
}
for (const root of document.querySelectorAll(".course-follow[data-steps]")) courseFollow(root, JSON.parse(root.dataset.steps));
