/* Exercises that are done on the page: pieces are chosen in the code itself, and Run shows what became of this version when the site was
   made (choices.py). The steps go to the player (follow.js), whose code is the one in which was chosen.

   data: {places, versions, steps, markups, pieces}. A version, found by what is chosen at each place, is {steps: numbers of steps, widths, heights,
   ends: the step of which its words speak, right, says: HTML, blamed: a place or ""}. */
const WORDS = ["no", "one", "two", "three", "four"];
for (const root of document.querySelectorAll("[data-choices]")) {
  const data = JSON.parse(root.dataset.choices);
  const column = root.querySelector(".cf-column"), code = root.querySelector(".cf-code"), ends = root.querySelector(".ch-ends");
  const run = root.querySelector(".ch-run button"), status = root.querySelector(".ch-run span"), title = root.querySelector("h3").textContent;
  const controls = [...code.querySelectorAll("[data-place]")], solved = new Set(), tried = new Set();
  const versions = Object.values(data.versions), right = versions.filter(version => version.right).length, all = versions.length;
  const endings = new Set(versions.map(({says}) => says)), found = new Map();       // of a program in which nothing is wrong: {says: how it ends}
  let player = root.querySelector(".course-follow"), stop = () => {};

  run.hidden = false;
  code.addEventListener("change", chosen);
  code.addEventListener("keydown", event => event.stopPropagation());      // the player's keys are not those of a choice
  run.addEventListener("click", show);
  chosen();

  /* What is chosen at a place: a number as text, or "" before that. */
  function piece(place) {
    const pieces = controls.filter(control => control.dataset.place === place);
    return (pieces.find(control => control.checked) || (pieces[0].type === "radio" ? {value: ""} : pieces[0])).value;
  }

  /* The lines of the version that is chosen: without the places where a line does not stand. */
  function lines() {
    return [...code.children].filter(line => !line.matches(".ch-moves") || line.querySelector("input").checked);
  }

  function chosen() {
    stop();
    ends.textContent = "";
    ends.className = "ch-ends";
    player.classList.toggle("ch-old", player.classList.contains("cf-plays"));
    for (const line of code.children) line.classList.remove("cf-now", "cf-wrong", "ch-blamed");
    const open = data.places.filter(place => !piece(place)), lines = open.every(place => code.querySelector(`input[data-place="${place}"]`));
    run.setAttribute("aria-disabled", String(open.length > 0));
    status.textContent = open.length ? `Choose ${WORDS[open.length] || open.length} ${lines ? "line" : "piece"}${open.length > 1 ? "s" : ""} first.` : "";
  }

  /* The code of a line with what is chosen in it. */
  function code_of(line) {
    const copy = line.querySelector("code").cloneNode(true), chosen = line.querySelectorAll("select");
    copy.querySelectorAll("select").forEach((select, number) => select.replaceWith(chosen[number].selectedOptions[0].text));
    return copy.textContent.trim();
  }

  function show() {
    const key = data.places.map(piece).join(","), version = data.versions[key];
    if (!version) {
      controls.find(control => !piece(control.dataset.place)).focus();
      return;
    }
    chosen();
    const last = version.ends, figure = document.createElement("div"), written = lines();
    figure.className = "course-follow";
    figure.innerHTML = '<div class="cf-player" role="group"></div>';
    figure.firstChild.setAttribute("aria-label", title);
    player.replaceWith(figure);
    player = figure;
    const steps = version.steps.map(number => data.steps[number]);
    courseFollow(player, {...data, widths: version.widths, heights: version.heights, code: [], steps});
    player.querySelector(".cf-code").replaceWith(column);
    const above = document.createElement("div"), current = above.appendChild(document.createElement("code"));
    above.className = "ch-while";
    player.querySelector(".cf-map").prepend(above);
    run.focus({preventScroll: true});
    tried.add(key);
    if (version.right) solved.add(key);
    player.addEventListener("course-step", ({detail: {step}}) => {
      written.forEach((line, number) => {
        line.classList.toggle("cf-now", number + 1 === steps[step].line);
        line.classList.toggle("cf-wrong", number + 1 === steps[step].line && steps[step].wrong);
      });
      const now = written[steps[step].line - 1];
      current.textContent = now ? code_of(now) : "";
      current.hidden = !now;
      above.classList.toggle("cf-wrong", steps[step].wrong);
      if (step >= last) end(version);
    });
    for (const type of ["pointerdown", "keydown"]) player.querySelector(".cf-bar").addEventListener(type, () => stop());

    // It goes by itself from the first line with a place on.
    const first = steps.findIndex(({line}) => written[line - 1] && written[line - 1].querySelector("[data-place]"));
    stop = courseWalk(player, steps, Math.max(first - 1, 0), last);
    if (ends.childElementCount) return;
    const map = player.querySelector(".cf-map");      // in its place when the player has made room for the longest sentence
    requestAnimationFrame(() => requestAnimationFrame(() => map.scrollIntoView({block: "nearest"})));
  }

  function end({right: is_right, says, blamed}) {
    if (ends.childElementCount) return;
    ends.innerHTML = is_right === null ? says : `<p><b>${is_right ? "✓ Right." : "✗ Not yet."}</b></p>${says}`;
    for (const code of ends.querySelectorAll("code")) code.classList.toggle("cf-row", /^[[\]\d. -]+$/.test(code.textContent));     // numbers in a row
    ends.classList.add(is_right === null ? "seen" : is_right ? "right" : "wrong");
    const count = `${tried.size} of ${all} versions tried`;
    if (is_right === null) {
      found.set(says, ends.querySelector("p").innerHTML);
      status.textContent = `${found.size} of ${endings.size} endings found, ${count}.`;
      if (found.size > 1) ends.insertAdjacentHTML("beforeend", `<p>Found so far:</p><ul>${[...found.values()].map(how => `<li>${how}</li>`).join("")}</ul>`);
    } else status.textContent = is_right && solved.size < right
      ? `${count}. ${right} of the ${all} are right, and you have found ${solved.size}: can you find another?` : `${count}.`;
    for (const line of lines()) line.classList.toggle("ch-blamed", Boolean(blamed && line.querySelector(`[data-place="${blamed}"]`)));
    // How it ended stands where it was run; above it, as far as there is room, what can be chosen.
    for (const shown of [ends, root.querySelector(".ch-blamed") || controls[0]]) shown.scrollIntoView({block: "nearest"});
  }
}
