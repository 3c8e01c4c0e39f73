/* Exercises that are done on the page: pieces are chosen in the code itself, and Run shows what became of this version when the site was
   made (choices.py). The steps go to the player (follow.js), whose code is the one in which was chosen.

   data: {places, versions, steps, markups, pieces, heights}. A version, found by what is chosen at each place, is {steps: numbers of steps,
   right, says: HTML, blamed: a place or ""}. */
for (const root of document.querySelectorAll("[data-choices]")) {
  const data = JSON.parse(root.dataset.choices);
  const column = root.querySelector(".cf-column"), code = root.querySelector(".cf-code"), ends = root.querySelector(".ch-ends");
  const run = root.querySelector(".ch-run button"), status = root.querySelector(".ch-run span"), title = root.querySelector("h3").textContent;
  const controls = [...code.querySelectorAll("[data-place]")], solved = new Set(), tried = new Set();
  const versions = Object.values(data.versions), right = versions.filter(version => version.right).length, all = versions.length;
  const endings = new Set(versions.map(({says}) => says)), found = new Set();       // of a program in which nothing is wrong
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
    const open = data.places.filter(place => !piece(place)).length;
    run.setAttribute("aria-disabled", String(open > 0));
    status.textContent = open ? `${open === 1 ? "One place is" : `${open} places are`} open.` : "";
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
    const last = version.steps.length - 1, figure = document.createElement("div"), written = lines();
    figure.className = "course-follow";
    figure.innerHTML = '<div class="cf-player" role="group"></div>';
    figure.firstChild.setAttribute("aria-label", title);
    player.replaceWith(figure);
    player = figure;
    const steps = version.steps.map(number => data.steps[number]);
    courseFollow(player, {...data, code: [], steps});
    player.querySelector(".cf-code").replaceWith(column);
    const screen = player.querySelector(".cf-player"), wide = getComputedStyle(screen).display === "grid";
    if (wide) screen.append(ends); else column.append(ends);
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
      if (step === last) end(version, wide);
    });
    for (const type of ["pointerdown", "keydown"]) player.querySelector(".cf-bar").addEventListener(type, () => stop());

    // It goes by itself from the first line with a place on.
    const first = steps.findIndex(({line}) => written[line - 1] && written[line - 1].querySelector("[data-place]"));
    stop = courseWalk(player, steps, Math.max(first - 1, 0), last);
    if (ends.childElementCount) return;
    const map = player.querySelector(".cf-map");      // in its place when the player has made room for the longest sentence
    requestAnimationFrame(() => requestAnimationFrame(() => map.scrollIntoView({block: "nearest"})));
  }

  function end({right: is_right, says, blamed}, wide) {
    if (ends.childElementCount) return;
    ends.innerHTML = is_right === null ? says : `<p><b>${is_right ? "✓ Right." : "✗ Not yet."}</b></p>${says}`;
    for (const code of ends.querySelectorAll("code")) code.classList.toggle("cf-row", /^[[\]\d. -]+$/.test(code.textContent));     // numbers in a row
    ends.classList.add(is_right === null ? "seen" : is_right ? "right" : "wrong");
    found.add(says);
    const count = `${tried.size} of ${all} versions tried`;
    if (is_right === null) status.textContent = `${found.size} of ${endings.size} endings found, ${count}.`;
    else status.textContent = is_right && solved.size < right ? `${count}. ${right} of them are right: can you find another?` : `${count}.`;
    for (const line of lines()) line.classList.toggle("ch-blamed", Boolean(blamed && line.querySelector(`[data-place="${blamed}"]`)));
    // How it ended stands below the memory, with what was printed and the buttons above it; in one column where it was run, and above
    // it, as far as there is room, what can be chosen.
    const above = wide ? player.querySelector(".cf-bar") : root.querySelector(".ch-blamed") || controls[0];
    for (const shown of [ends, above]) shown.scrollIntoView({block: "nearest"});
  }
}
