/* Exercises that are done on the page: pieces are chosen in the code itself, and Run shows what became of this version when the site was
   made (choices.py). The steps go to the player (follow.js), whose code is the one in which was chosen. What walks through them, and brings
   elements into view, is site.js's.

   data: {places, versions, steps, markups, pieces}. A version, found by what is chosen at each place, is {ways, first: number of the way that is
   shown first, right, says, why: HTML, blamed: a place or "", found: numbers of lines}, and a way in which it was run {steps: numbers of steps, end: the one of them in which
   it is known how it ended, widths, heights, right, and as HTML system, streams, ended}. */
const WORDS = ["no", "one", "two", "three", "four"];
for (const root of document.querySelectorAll("[data-choices]")) {
  const data = JSON.parse(root.dataset.choices);
  const column = root.querySelector(".cf-column"), code = root.querySelector(".cf-code"), ends = root.querySelector(".ch-ends");
  const runs = [...root.querySelectorAll(".ch-run button")], [run] = runs, at_once = runs.length > 1;        // each is a version
  const status = root.querySelector(".ch-run span"), title = root.getAttribute("aria-label");
  const onward = root.querySelector(".ch-onward") || {};
  const controls = at_once ? runs : [...code.querySelectorAll("[data-place]")], solved = new Set(), tried = new Set();
  const versions = Object.values(data.versions), right = versions.filter(version => version.right).length, all = versions.length;
  const endings = new Set(versions.map(({says}) => says)), found = new Map();       // of a program in which nothing is wrong: {says: how it ends}
  const stepsOf = way => way.steps.map(number => data.steps[number]);
  let player = root.querySelector(".course-follow"), version, panel;

  const languages = root.querySelector(".languages");
  if (languages) {
    languages.hidden = false;
    languages.addEventListener("click", ({target}) => target.value && speak(target));
    speak(languages.firstChild);
  }
  for (const button of runs) {
    button.hidden = false;
    button.addEventListener("click", () => {
      for (const other of at_once ? runs : []) other.setAttribute("aria-pressed", String(other === button));
      fit();
      show();
    });
  }
  code.addEventListener("change", chosen);
  code.addEventListener("keydown", event => event.stopPropagation());      // the player's keys are not those of a choice
  fit();
  chosen();
  const [{ways: [begins]}] = versions, before = begins && Math.max(reached(begins), 1);       // a kernel has none
  if (at_once) film(begins);
  else if (begins) film(begins, before).courseStep(before - 1);        // memory as the first place finds it
  player.classList.add("ch-begins");
  root.querySelector(".question")?.addEventListener("toggle", () => run.click(), {capture: true, once: true});

  /* Shows the program in this button's language. */
  function speak(button) {
    for (const other of languages.children) other.setAttribute("aria-pressed", String(other === button));
    for (const words of column.querySelectorAll("[data-in]")) words.hidden = words.dataset.in !== button.value;
    fit();
  }

  /* Leaves out the lines that the language does not have, and those of other buttons. */
  function fit() {
    for (const line of code.children) line.hidden = !line.querySelector("code:not([hidden])")?.textContent || at_once && !stands(line);
  }

  /* What is chosen at a place: a number as text, or "" before that. */
  function piece(place) {
    const pieces = controls.filter(control => control.dataset.place === place);
    const picked = pieces.find(control => control.checked || control.getAttribute("aria-pressed") === "true");
    return (picked || (pieces[0].matches("select") ? pieces[0] : {value: ""})).value;
  }

  /* The lines of the version that is chosen: without the places where a line does not stand. As long as it has none, it stands at the first. */
  function lines() {
    return [...code.children].filter(stands);
  }

  function stands({dataset}) {
    return !dataset.of || dataset.nth === (piece(dataset.of) || "0");
  }

  function chosen() {
    ends.textContent = "";
    ends.className = "ch-ends";
    if (panel) panel.remove();
    player.classList.toggle("ch-old", Boolean(version));
    for (const line of code.children) line.classList.remove("cf-now", "cf-wrong", "ch-blamed");
    if (at_once) return;
    const open = data.places.filter(place => !piece(place)), lines = open.every(place => code.querySelector(`input[data-place="${place}"]`));
    run.setAttribute("aria-disabled", String(open.length > 0));
    const each = lines && open.length > 1 ? ", one of each" : "";
    status.textContent = open.length ? `Choose ${WORDS[open.length] || open.length} ${lines ? "line" : "piece"}${open.length > 1 ? "s" : ""} first${each}.` : "";
  }

  /* The code of a line with what is chosen in it. */
  function code_of(line) {
    const copy = line.querySelector("code:not([hidden])").cloneNode(true), chosen = line.querySelectorAll("select");
    copy.querySelectorAll("select").forEach((select, number) => select.replaceWith(chosen[number].selectedOptions[0].text));
    return copy.textContent.trim();
  }

  function show() {
    const key = data.places.map(piece).join(",");
    version = data.versions[key];
    if (!version) {
      controls.find(control => !piece(control.dataset.place)).focus();
      return;
    }
    chosen();
    tried.add(key);
    if (version.right) solved.add(key);
    panel = ways(version);
    say();
    if (begins) play(version.first);
    requestAnimationFrame(inSight);         // when the player has made room for its longest sentence
  }

  /* Where a version was run in several ways: a button for each, which plays it. What came of them is said after the first. */
  function ways(version) {
    const panel = document.createElement("div");
    panel.className = "ch-ways";
    if (version.ways.length < 2) return panel;
    panel.innerHTML = '<p class="ch-shown"></p>';
    const systems = new Map();
    version.ways.forEach(({system, streams, right, ended}, number) => {
      const name = streams && system;
      if (!systems.has(name)) {
        const row = systems.set(name, document.createElement("div")).get(name);
        row.setAttribute("role", "group");
        row.innerHTML = name && `<p>${name}</p>`;
        row.setAttribute("aria-label", row.textContent || "Ways in which it was run");
        panel.append(row);
      }
      const button = document.createElement("button");
      button.type = "button";
      const came = version.ways.length > 2 ? "" : ` ${ended}`;       // of many, in one row: what is shown is said in words
      button.innerHTML = `<span>${streams || system}</span> <b class="${right ? "right" : "wrong"}">${right ? "✓" : "✗"}${came}</b>`;
      button.addEventListener("click", () => play(number));
      systems.get(name).append(button);
    });
    return panel;
  }

  /* The number of a way's first step that is in a line with a place, or from there on, if that may be empty. */
  function reached(way) {
    const written = lines();
    return stepsOf(way).findIndex(({line}) => written[line - 1]?.matches(at_once ? "[data-nth='1'], [data-nth='1'] ~ li" : ":has([data-place])"));
  }

  /* A new player in the place of the one before: of a way's first steps, or of all. Its code is the one in which was chosen. */
  function film(way, count) {
    const steps = stepsOf(way).slice(0, count), written = lines(), figure = document.createElement("div");
    figure.className = "course-follow";
    figure.innerHTML = '<div class="cf-player" role="group"></div>';
    figure.firstChild.setAttribute("aria-label", title);
    player.replaceWith(figure);
    player = figure;
    courseFollow(player, {...data, widths: way.widths, heights: way.heights, code: [], steps});
    player.querySelector(".cf-code").replaceWith(column);
    const above = document.createElement("div"), current = above.appendChild(document.createElement("code"));
    above.className = "ch-while";
    player.querySelector(".cf-map").prepend(above);
    player.addEventListener("course-step", ({detail: {step}}) => {
      for (const line of code.children) line.classList.remove("cf-now", "cf-wrong");
      const line = written[steps[step].line - 1];
      if (line) line.classList.add("cf-now");
      if (line && steps[step].wrong) line.classList.add("cf-wrong");
      current.textContent = line ? code_of(line) : "";
      current.hidden = !current.textContent;
      above.classList.toggle("cf-wrong", steps[step].wrong);
    });
    return player;
  }

  /* Shows why a way ends as it does: it goes by itself to the step that decides, from the one before if that brought wrong numbers, and
     else from the first line with a place. */
  function play(number) {
    const way = version.ways[number], focused = [panel, column].some(part => part.contains(document.activeElement)) ? document.activeElement : run;
    film(way);
    panel.querySelectorAll("button").forEach((button, place) => button.setAttribute("aria-pressed", String(place === number)));
    player.querySelector(".cf-map").parentNode.prepend(panel);
    focused.focus({preventScroll: true});
    name(way);
    const brings = brought(way), decides = brings < 0 ? way.end : brings;
    courseWalk(player, Math.max((brings < 0 ? Math.min(reached(way), decides) : brings) - 1, 0), decides);
  }

  /* Of a wrong way: the number of the step in which what is printed last came to where it is read, or of the last copy that was late if the host reads
     without one; -1 if no copy brought it. */
  function brought(way) {
    if (way.right !== false) return -1;
    const steps = stepsOf(way), [source] = steps[way.end].flights.find(([from, to]) => from && !to) || [""];
    return steps.slice(0, way.end).findLastIndex(({flights, done}) => flights.some(([from, to]) => from && to && (source ? to === source : done)));
  }

  /* Which way is shown, if there are several, and where it ends, if that is before it prints. */
  function name(way) {
    const {system, streams, ended, right} = way, step = brought(way);
    const run = `Shown is the run${system && ` ${system}`}${streams && ` with ${streams}`}: it ${ended}${right ? "" : ", which is wrong"}. `;
    const brings = step < 0 ? "" : `Step ${step + 1} of ${way.steps.length} brought these numbers.`;
    root.querySelector(".ch-shown").innerHTML = `${version.ways.length > 1 ? run : ""}${brings}`;
  }

  /* What came of it, at once: why, is shown after that. */
  function say() {
    const {right: is_right, says, why, blamed} = version, count = `${tried.size} of ${all} versions tried`;
    const verdict = is_right === null ? "" : `<b>${is_right ? "✓ Right." : "✗ Not yet."}</b> `;
    const reason = verdict && why ? `<details><summary>Why</summary>${why}</details>` : why;
    ends.innerHTML = `${says.replace(">", `>${verdict}`)}${reason}${version.ways.length === 1 ? '<p class="ch-shown"></p>' : ""}`;
    ends.classList.add(is_right === null ? "seen" : is_right ? "right" : "wrong");
    for (const code of ends.querySelectorAll("code")) code.classList.toggle("cf-row", /^[[\]\d?., -]+$/.test(code.textContent));     // numbers in a row
    if (at_once) return;
    if (is_right === null) {
      found.set(says, ends.querySelector("p").innerHTML);
      status.textContent = `${found.size} of ${endings.size} endings found, ${count}.`;
      onward.hidden = found.size < endings.size;
      if (found.size > 1 && onward.hidden) ends.insertAdjacentHTML("beforeend", `<p>Found so far:</p><ul>${[...found.values()].map(how => `<li>${how}</li>`).join("")}</ul>`);
    } else {
      const all_right = right === 1 ? "the right one" : right === 2 ? "both right ones" : `all ${right} right ones`;
      status.textContent = solved.size === right ? `${count}, and ${all_right} found.` : is_right
        ? `${count}. ${right} of the ${all} are right, and you have found ${solved.size}: can you find another?` : `${count}.`;
      onward.hidden = solved.size < right;
    }
    for (const number of version.found) lines()[number - 1].classList.add("cf-now", "cf-wrong");
    const wrong = lines().find(line => blamed && line.querySelector(`[data-place="${blamed}"]`));
    if (!wrong) return;
    wrong.classList.add("ch-blamed");
    ends.firstChild.insertAdjacentHTML("afterend", '<p class="ch-while cf-wrong"><code></code></p>');
    ends.querySelector(".ch-while code").textContent = code_of(wrong);
  }

  /* How it ended stands where it was run. Above it is what can be chosen, and on a phone, as far as there is room, memory below it. */
  function inSight() {
    const parts = [".cf-say", ".cf-map"].map(part => player.querySelector(part));
    if (!begins) inView(ends, code);
    else if (phone.matches) inView(...parts, ends, version.right === false ? ends : run);
    else inView(ends, onward.hidden === false ? onward : null, code.querySelector(".ch-blamed") || controls[0], panel);
  }
}
