/* The player of a program that was followed: moves what Python has placed (memory_map/picture/layout.py), from one step to the next.

   data: {code: [HTML of each line], steps, markups, pieces, widths, heights}. A step is {line, say, wrong, calls, work, done, flights, flows, at},
   where `at` has, for the wide picture and for the narrow one, the numbers of its pieces; a piece is [name, layer, x, y, number of its
   markup]. A page whose policy allows no script of its own has the data in the element's attribute data-steps. */
function courseFollow(root, data) {
  const SVG = "http://www.w3.org/2000/svg", LAYERS = 4, EASE = "cubic-bezier(.45, 0, .2, 1)";
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
    const svg = document.createElementNS(SVG, "svg"), shown = new Map();
    svg.setAttribute("viewBox", `-1 0 ${width + 10} ${data.heights[number]}`);
    svg.setAttribute("class", `mm mm-${number ? "narrow" : "wide"}`);
    svg.setAttribute("role", "img");
    map.append(svg);
    const layers = Array.from({length: LAYERS}, () => svg.appendChild(document.createElementNS(SVG, "g")));

    this.svg = svg;
    this.show = (step, moving) => {
      const wanted = new Set(), fresh = this.fresh = [];
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

    /* Numbers fly from one piece of memory to another, or to and from a place of the host's that is not drawn, at the left; those of memory that
       has just appeared came with it. The arrow of a kernel's memory flows. */
    this.move = step => {
      for (const [from, to] of step.flights)
        for (let cell = 0; cell < 8; cell++) {
          const start = shown.get(`${from}-${cell}`), end = shown.get(`${to}-${cell}`), either = end || start;
          if (!either || from && !start || to && !end || !from && this.fresh.includes(end)) continue;
          const ghost = either.g.cloneNode(true), delay = 60 * cell;
          layers[3].append(ghost);
          const at = place => ({transform: `translate(${place ? place.x : -40}px, ${(place || either).y}px)`, opacity: place ? 1 : 0});
          ghost.animate([at(start), at(end)], {duration: 800, delay, easing: EASE, fill: "both"}).onfinish = () => ghost.remove();
          if (end) end.g.animate([{opacity: 0}, {opacity: 0}], {duration: 790 + delay});
        }
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
    const above = line.offsetTop - code.clientHeight / 2, first = lines.find(({offsetTop}) => offsetTop >= above);
    code.scrollTop = first === lines[0] ? 0 : first.offsetTop;
  }

  /* -- steps ------------------------------------------------------------------------------------------------------- */

  function go(to) {
    to = Math.min(Math.max(to, 0), last);
    const step = data.steps[to], moving = !still.matches && Math.abs(to - now) === 1, forward = to > now;
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
      if (moving && forward) picture.move(step);
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
