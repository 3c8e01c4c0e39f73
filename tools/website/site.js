/* What the pages have beyond their text: the question that a program asks before a step, keys, and the search. */

/* What a click, a key of a player's or a link leads to comes into view, unless the reader has scrolled since. Of a program that goes on by itself
   that is where it begins, and where it stops; whatever a reader does stops it, but a change of its language. */
let leads = true, passes = false, stopWalk = () => {};
for (const type of ["click", "input", "hashchange", "keydown", "wheel", "touchmove"])
  addEventListener(type, ({key, target}) => {
    const scrolls = /wheel|touch/.test(type);        // to the verdict of an exercise, for example, while its picture plays
    leads = key ? /^(Arrow(Left|Right)|Home|End)$/.test(key) && Boolean(target.closest(".cf-player")) : !scrolls;
    if (!target.closest?.(".languages") && !(scrolls && document.querySelector(".choices .walks"))) stopWalk();
  }, {capture: true, passive: true});

/* As far as there is room, all of these are in view, and before the others the last one. The header cuts no title. */
const inView = (...elements) => {
  if (!leads || passes) return;
  for (const element of elements) element?.scrollIntoView({block: "nearest"});
  const edge = document.querySelector(".menu")?.getBoundingClientRect().bottom;
  for (const title of document.querySelectorAll("h1, .plays > nav")) {
    const {top, bottom} = title.getBoundingClientRect();
    if (top < edge && edge < bottom) scrollBy(0, bottom - edge);
  }
};

/* Is all of it in view, below the header? */
const seen = element => {
  const {top, bottom} = element.getBoundingClientRect();
  return top >= document.querySelector(".menu").getBoundingClientRect().bottom && bottom <= innerHeight;
};

/* A program that goes on by itself shows each step until its sentence can be read, and its numbers have arrived. One in which nothing changes is only
   passed; and where it is known which steps decide, the others, which can be seen again, take a third as long. */
const still = matchMedia("(prefers-reduced-motion: reduce)");
const phone = matchMedia("(max-width: 40rem)"), NARROW = 1080;     // pixels that a program needs for a question beside its code
const A_WORD = 160, A_LOOK = 1600, A_GLANCE = 700;        // milliseconds for a word, the least for a step, and for one in which nothing changes
window.courseWalk = (program, from, to) => {
  const say = program.querySelector(".cf-say"), first = still.matches ? to : from;
  const decide = [...(program.closest(".asking") || program).querySelectorAll(".again button")].map(({value}) => Number(value));
  let timer;
  stopWalk();
  stopWalk = () => {
    clearTimeout(timer);
    program.classList.remove("walks");
    say.setAttribute("aria-live", "polite");
  };
  const show = step => {
    if (step === to) stopWalk();
    passes = step !== first && step !== to;
    program.courseStep(step, step === 0);
    passes = false;
    const words = say.textContent, pace = decide.length && !decide.includes(step) ? 1 / 3 : 1;
    const takes = words.startsWith("Nothing changes") ? A_GLANCE : Math.max(Math.round(pace * Math.max(A_WORD * words.split(/\s+/).length, A_LOOK)), A_GLANCE);
    if (step < to) timer = setTimeout(show, takes, step + 1);
  };
  say.setAttribute("aria-live", "off");     // the last one is said
  program.classList.add("walks");
  show(first);
};

/* What a browser remembers under a name, and is to remember, unless it forbids that. */
function remembered(name, words) {
  try {
    if (words) localStorage.setItem(name, words);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/* A program that the page has in CUDA C++, too, gets a switch, which is remembered, and those of its lines are marked that do what the step's
   line of Python does; the calls that are named are theirs. Returns the switch, if there is one. */
function inCpp(section, program, python) {
  const fold = section.querySelector(".cpp");
  if (!fold) return null;
  const cpp = fold.querySelector("ol"), printed = section.querySelector(".printed"), languages = document.createElement("div");
  const lines = [...cpp.children], steps = JSON.parse(program.dataset.steps).steps;
  languages.className = "languages";
  languages.setAttribute("role", "group");
  languages.setAttribute("aria-label", "Language");
  python.after(cpp);
  fold.remove();
  const say = program.querySelector(".cf-say");
  let now = 0;
  const choose = chosen => {
    for (const button of languages.children) button.setAttribute("aria-pressed", String(button === chosen));
    cpp.hidden = chosen !== languages.firstChild;
    python.hidden = !cpp.hidden;
    const marked = lines.filter(line => line.matches(".cf-now"));
    const called = marked.flatMap(line => line.textContent.match(/\bcuda\w+(?=\()/g) || []).filter(name => name !== "cudaGetErrorName");
    say.dataset.calls = cpp.hidden || !steps[now].calls ? steps[now].calls : [...new Set(called)].join(", ");
  };
  for (const name of ["CUDA C++", "Python, with PyCUDA"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => {
      choose(button);
      remembered("language", name);
    });
    languages.append(button);
  }
  program.addEventListener("course-step", ({detail: {step, last}}) => {
    for (const line of lines) {
      line.classList.toggle("cf-now", Number(line.dataset.line) === steps[step].line);
      line.classList.toggle("cf-wrong", line.matches(".cf-now") && steps[step].wrong);
    }
    now = step;
    printed.hidden = step !== last;
    choose(languages.querySelector("[aria-pressed=true]"));
  });
  cpp.addEventListener("click", ({target}) => {
    const line = target.closest("li"), step = line ? steps.findIndex(({line: number}) => number === Number(line.dataset.line)) : -1;
    if (step >= 0) program.courseStep(step);
  });
  choose([...languages.children].find(({textContent}) => textContent === remembered("language")) || languages.firstChild);
  return languages;
}

/* A question stands below memory at its step. An answer goes on to the step that answers it, where it is said whether it is right, and
   why, and the steps that decided can be seen again. If Next has passed a question, the last step says why as well. What to go on with stands
   there after the last step, where Next plays it again. */
for (const section of document.querySelectorAll(".asking")) {
  const program = section.querySelector(".course-follow"), code = program.querySelector(".cf-code");
  const column = document.createElement("div"), onward = section.querySelector(".onward");
  const questions = [...section.querySelectorAll(".question")].map(asked => (
    {asked, from: Number(asked.dataset.from), at: Number(asked.dataset.at), answers: Number(asked.dataset.answers),
     options: [...asked.querySelectorAll("details")]}));
  const given = ({options}) => options.some(option => option.open);
  column.className = "cf-column";
  code.before(column);
  column.append(program.querySelector(".cf-bar"), code);
  program.querySelector(".cf-shown").append(...questions.map(({asked}) => asked));
  program.querySelector(document.querySelector("main").clientWidth < NARROW ? ".cf-shown" : ".cf-column").append(onward);
  for (const {asked} of questions) {
    const answers = asked.querySelector(".answers"), why = document.createElement("div"), skip = document.createElement("button");
    answers.setAttribute("aria-live", "polite");
    why.className = "why-passed";
    why.append(...[...asked.querySelectorAll(".right > :not(summary)")].map(part => part.cloneNode(true)));
    skip.type = "button";
    skip.className = "quiet-button at-once";
    skip.textContent = "Show the answer now";
    skip.addEventListener("click", () => program.courseStep(Number(asked.dataset.answers)));
    answers.after(why, skip);
  }
  const decisive = [...section.querySelectorAll(".again button")];
  for (const button of decisive) button.addEventListener("click", () => program.courseStep(Number(button.value)));
  if (decisive.length) questions[0].asked.append(decisive[0].parentNode);

  /* Next, on a question that has no answer yet, says so once. */
  let now = 0, refused = false;
  const next = program.querySelector(".cf-next"), refusal = document.createElement("p");
  refusal.className = "refusal";
  refusal.setAttribute("role", "status");
  const ask = event => {
    const by_key = event.type === "keydown";
    if (refused || !section.matches(".due") || !(by_key ? event.key === "ArrowRight" : next.contains(event.target))) return;
    refused = true;
    event.preventDefault();
    event.stopPropagation();
    questions.find(({asked}) => !asked.hidden).asked.append(refusal);
    refusal.textContent = "Guess first, or go on anyway.";
    next.textContent = "Next anyway";
  };
  for (const type of ["click", "keydown"]) program.addEventListener(type, ask, true);

  const languages = inCpp(section, program, code);
  if (languages) code.before(languages);

  const steps = JSON.parse(program.dataset.steps).steps, again = questions[0].at;
  program.addEventListener("course-step", ({detail: {step, last}}) => {
    now = step;
    next.textContent = step === last ? "Play again" : "Next";
    next.setAttribute("aria-disabled", "false");
    refused = false;
    refusal.textContent = "";
    for (const question of questions) {
      const {asked, from, at, answers} = question;
      const passed = step === last && answers === last && !given(question);
      asked.hidden = !(step >= from && step <= at || step > at && step <= answers && given(question) || passed);
      asked.classList.toggle("passed", passed);
      if (step === answers && given(question)) asked.classList.add("told");      // and stays so when it is played again
      asked.classList.toggle("waits", step < answers && !asked.matches(".told"));
    }
    section.classList.toggle("due", questions.some(question => now === question.at && now < question.answers && !given(question)));
    section.classList.toggle("asks", questions.some(question => !question.asked.matches("[hidden], .passed") && !given(question)));
    onward.hidden = step !== last || section.matches(".asks");
  });
  next.addEventListener("click", event => {
    if (now < steps.length - 1) return;
    event.stopImmediatePropagation();
    if (still.matches) program.courseStep(again); else courseWalk(program, again, steps.length - 1);
  }, true);
  program.courseStep(questions[0].from);
  let met = !section.matches(".plays > nav + .asking") || !section.checkVisibility(), walks = section.matches(".plays > nav + *");
  program.addEventListener("course-step", () => {
    if (!met) return;
    const map = program.querySelector(".cf-map"), told = questions.find(question => !question.asked.hidden && given(question));
    if (told && (onward.hidden || !phone.matches) && [map, told.asked].every(seen)) return;
    const listings = phone.matches ? program.querySelectorAll(".cf-code") : [], way = onward.hidden ? onward : phone.matches && onward.querySelector("a") || onward;
    inView(...[...listings, way, map, program.querySelector(".cf-bar"), ...questions.map(({asked}) => asked)].filter(element => !element.hidden));
  });
  for (const type of ["pointerdown", "keydown", "input"])       // the reader takes over
    section.addEventListener(type, ({target}) => {
      if (target.closest(".languages")) return;
      met = true;
      walks = false;
    }, true);
  for (const {from, at, answers, options} of questions)
    for (const option of options)
      option.addEventListener("toggle", () => {
        if (!option.open) return;
        const away = now < from || now >= answers;
        courseWalk(program, away ? answers : now + 1, answers);
      });
  /* The first page's first one goes to its question by itself, when it is first seen. */
  const walk = () => {
    if (!walks || !section.checkVisibility()) return;
    walks = false;
    courseWalk(program, 0, questions[0].at);
  };
  for (const type of ["load", "hashchange"]) addEventListener(type, walk);       // before it is loaded, a page has no target
}

/* A tab that is in view stays where it is when it is pressed: the next one is beside it. A phone needs the room. */
for (const tab of document.querySelectorAll(".plays > nav a"))
  tab.addEventListener("click", () => {
    const before = scrollY;
    if (!phone.matches && seen(tab)) addEventListener("hashchange", () => scrollTo(0, before), {once: true});
  });

/* A lesson goes on below its first question without an answer when that gets one, when a reader wants to read on, or follows a link to what
   is there. Beside the text, and below the question, stand all its questions. */
const lesson = document.querySelector("main.lesson"), asked = [...document.querySelectorAll(".lesson > .question, .lesson > .asking .question")];
if (asked.length) {
  const blockOf = question => question.closest("main > *"), given = question => question.querySelector("details[open]");
  const more = document.createElement("div"), beside = document.querySelector(".contents");
  more.className = "more";
  more.innerHTML = '<span class="cells" role="img"></span> <span>Answer, and the lesson goes on.</span> <button type="button" class="quiet-button"></button>';
  const rows = [more.querySelector(".cells")];
  if (beside) {
    beside.append(Object.assign(document.createElement("p"), {textContent: "Your predictions"}), rows[0].cloneNode());
    rows.push(beside.lastChild);
  }
  let passed = 0, at;         // up to here they need no answer; the next one that does
  const pass = count => {
    passed = Math.max(passed, count);
    show();
  };
  const show = () => {
    at = asked.findIndex((question, number) => number >= passed && !given(question));
    const gate = asked[at];
    lesson.querySelector(".gate")?.classList.remove("gate");
    if (gate) {
      blockOf(gate).classList.add("gate");
      blockOf(gate).after(more);
      more.querySelector("button").textContent = `Read on to the ${gate === asked.at(-1) ? "end" : "next question"}`;
    } else more.remove();
    for (const row of rows) {
      row.setAttribute("aria-label", `${asked.filter(given).length} of ${asked.length} questions have an answer`);
      row.innerHTML = asked.map((question, number) => {
        const answer = given(question), kind = answer && !question.matches(".waits") ? answer.className : number === at ? "now" : "";
        return `<i class="${kind}">${{right: "✓", wrong: "✗"}[kind] || "?"}</i>`;
      }).join("");
    }
  };
  const lead = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || target.checkVisibility()) return;
    pass(asked.filter(question => question.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING).length);
    target.scrollIntoView();
  };
  /* What came of a question that is read past is open: what follows may speak of it. Who follows a link can still guess what came before. */
  more.querySelector("button").addEventListener("click", () => {
    const next = more.nextElementSibling, {id} = asked[at];
    for (const fold of lesson.querySelectorAll(id.replace(/ask-(.*)/, ".seen-$1 > .output > details, details.seen-$1"))) fold.open = true;
    pass(at + 1);
    next.scrollIntoView({block: "center"});
  });
  lesson.addEventListener("toggle", show, true);
  for (const program of lesson.querySelectorAll(".asking > .course-follow")) program.addEventListener("course-step", show);
  addEventListener("hashchange", lead);
  show();
  lead();
}

/* The section that is read is marked in the list beside the text. */
const sections = [...document.querySelectorAll(".contents a")].map(link => [link, document.getElementById(link.hash.slice(1))]);
if (sections.length) {
  const mark = () => {
    const read = sections.filter(([, heading]) => heading.checkVisibility() && heading.getBoundingClientRect().top < innerHeight / 3).at(-1);
    for (const [link] of sections) link.removeAttribute("aria-current");
    if (read) read[0].setAttribute("aria-current", "true");
  };
  addEventListener("scroll", mark, {passive: true});
  mark();
}

/* An answer that was given stays: only another one takes its place. */
document.addEventListener("click", event => { if (event.target.closest(".answers [open] > summary")) event.preventDefault(); });

/* What is said to an answer is in view, and so is what the cell showed, and the state of an explorer that was chosen. */
for (const asked of document.querySelectorAll("main > .question"))
  asked.addEventListener("toggle", () => inView(document.querySelector(`.seen-${asked.id.slice("ask-".length)} > .output`), asked), true);
for (const explorer of document.querySelectorAll(".explorer"))
  explorer.addEventListener("change", event => inView([...explorer.querySelectorAll(".state")].find(state => state.offsetParent), event.target.closest("label")));

/* What a step of the reader's shows is in view. */
for (const program of document.querySelectorAll(".cf-plays:not(.asking *)"))
  program.addEventListener("course-step", () => inView(...[".cf-say", ".cf-map", ".cf-now", ".cf-bar"].map(part => program.querySelector(part))));

/* If nothing is focused, the arrows step through the program of which most is in view. A program that is focused has its keys itself. */
document.addEventListener("keydown", event => {
  const button = {ArrowLeft: ".cf-back", ArrowRight: ".cf-next"}[event.key];
  if (!button || document.activeElement !== document.body || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  const seen = [...document.querySelectorAll(".cf-plays")].map(program => {
    const {top, bottom} = program.querySelector(".cf-player").getBoundingClientRect();
    return {program, height: Math.min(bottom, innerHeight) - Math.max(top, 0)};
  }).sort((a, b) => b.height - a.height)[0];
  if (!seen || seen.height <= 0) return;
  event.preventDefault();
  seen.program.querySelector(button).click();
});

/* One of the header's menus is open at a time; a click elsewhere or Escape closes it, and / opens the search. */
const menus = [...document.querySelectorAll(".menu > details")];
document.addEventListener("click", event => {
  for (const menu of menus) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", event => {
  const open = menus.find(menu => menu.open);
  if (event.key === "Escape" && open) {
    open.open = false;
    open.querySelector("summary").focus();
  } else if (event.key === "/" && !event.target.closest("input, textarea")) {
    event.preventDefault();
    document.querySelector(".menu > .search:not([open]) > summary")?.click();
  }
});

/* The search loads what it looks through when it is opened. Every word has to be there; where all are in one sentence, or in the heading, the section comes
   first, and before it one that explains these words in this order, has them as its heading's or as its whole heading, of which a lesson's
   number is no part, or is a page that is also called so. What is for few readers comes last (search.py).
   A page's other names are there for each of its sections that has one of the words itself.
   Little words and underscores do not count, so the runtime's name of an error, cudaErrorIllegalAddress, finds the driver's. For a word that is nowhere, the
   words with one letter more, fewer, other, or exchanged with the next are looked for, which begin alike. If no section has every word, the rarest ones are left
   out, and named. */
for (const box of document.querySelectorAll(".search")) {
  const field = box.querySelector("input"), status = box.querySelector("[role=status]"), list = box.querySelector("ol");
  const MOST = 12, AROUND = 60;
  const NOTHING = "No place has it. Try another word, or the beginning of a name.";
  const LONG = 4;       // letters of a word that may have a wrong one, and may stand within another
  const A_SENTENCE = 240;       // letters, at the most
  const LITTLE = new Set(`a an and are at be by can did do does for from has have how i if in is it me my of on or should that the there this to was
    what when where which who why with`.split(/\s+/));
  let sections = null, vocabulary = [];
  box.hidden = false;

  window.courseSearch = index => {
    const names = new Map();        // of each page: they stand with its first section
    for (const [address, , , , others] of index) names.set(pageOf(address), names.get(pageOf(address)) ?? others);
    sections = index.map(([address, heading, title, text, others, late]) => ({address, heading, title, text, late, page: names.get(pageOf(address)).toLowerCase(),
      low: text.toLowerCase(), sentences: [heading, ...text.split(/(?<=[.?!]) /)].filter(({length}) => length < A_SENTENCE).map(words => words.toLowerCase()), called: wordsOf(heading.replace(/^\d+ · /, "")).join(" "), also: others.split(", "), others: wordsOf(others).join(" "),
      words: wordsOf(text).join(" "), head: `${heading} ${title} ${others}`.toLowerCase()}));
    vocabulary = [...new Set(sections.flatMap(section => wordsOf(`${section.head} ${section.low}`)))].filter(word => word.length >= LONG);
    search();
  };
  box.querySelector("summary").addEventListener("click", event => {
    event.preventDefault();
    box.open = !box.open;
    if (!box.open) return;
    field.focus();        // at once: who types on loses no letter
    if (sections || document.querySelector("[src='search-index.js']")) return;
    const script = document.createElement("script");
    script.src = "search-index.js";
    script.addEventListener("error", () => { status.textContent = "The list of words could not be loaded."; script.remove(); });
    document.body.append(script);
  });
  field.addEventListener("input", search);

  /* Enter opens the first place, and the arrows go from the field to the places and back. */
  box.addEventListener("keydown", event => {
    const stops = [field, ...list.querySelectorAll("a")], by = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (event.key === "Enter" && event.target === field && stops[1]) stops[1].click();
    const next = by && stops[stops.indexOf(event.target) + by];
    if (!next || !stops.includes(event.target)) return;
    event.preventDefault();
    next.focus();
  });

  function pageOf(address) {
    return address.split("#")[0];
  }

  function wordsOf(text) {
    return text.toLowerCase().replaceAll("_", "").split(/[^\p{L}\p{N}]+/u).filter(word => word && !LITTLE.has(word));
  }

  function pattern(words) {
    return new RegExp(words.map(word => (word.length < LONG ? "\\b" : "") + [...word].join("_?")).join("|"), "g");
  }

  function near(word, other) {
    if (word.length < other.length) return near(other, word);
    let at = 0;
    while (at < other.length && word[at] === other[at]) at++;
    const rest = word.slice(at + 1);
    return rest === other.slice(at) || rest === other.slice(at + 1)
      || word[at] === other[at + 1] && word[at + 1] === other[at] && word.slice(at + 2) === other.slice(at + 2);
  }

  /* What to look for in a word's place: a regular expression, and the words themselves if they are others. */
  function wanted(word) {
    const exact = pattern([word]);
    const others = sections.some(({head, low}) => head.search(exact) >= 0 || low.search(exact) >= 0) || word.length < LONG ? []
      : vocabulary.filter(other => other.startsWith(word.slice(0, 2)) && near(word, other));
    return {expression: others.length ? pattern(others) : exact, others};
  }

  function search() {
    if (!sections) return;
    const asked = wordsOf(field.value), dropped = [];
    list.textContent = "";
    status.textContent = "";
    if (!asked.length) return;
    let looked = asked.map(word => ({word, ...wanted(word)})), hits = having(looked);
    while (!hits.length && looked.length > 1) {
      const counts = looked.map(word => having([word]).length), rarest = looked[counts.indexOf(Math.min(...counts))];
      looked = looked.filter(word => word !== rarest);
      dropped.push(rarest.word);
      hits = having(looked);
    }
    const instead = looked.flatMap(({others}) => others);
    const many = hits.length > MOST ? `The best ${MOST} of ${hits.length} places` : hits.length === 1 ? "1 place" : `${hits.length} places`;
    status.textContent = !hits.length ? NOTHING : [dropped.length ? "No place has all of it." : "", many,
      instead.length ? `with ${instead.join(", ")}` : "", dropped.length ? `without ${dropped.join(", ")}` : ""].filter(Boolean).join(" ");
    for (const section of hits.slice(0, MOST)) list.append(item(section, looked.map(({expression}) => expression)));
  }

  /* A section's heading, or its first sentence, that has all of this; "" if none has. */
  function nearest({sentences}, expressions) {
    return sentences.find(words => expressions.every(word => words.search(word) >= 0)) || "";
  }

  /* The sections in which all of this is, the best first. */
  function having(looked) {
    const hits = [], phrase = looked.map(({word}) => word).join(" ");
    for (const section of sections) {
      const own = looked.map(({expression}) => section.head.search(expression) >= 0 ? 20 : Math.min((section.low.match(expression) || []).length, 5));
      const points = own.map((point, number) => point || Number(own.some(Boolean) && section.page.search(looked[number].expression) >= 0));
      const named = ` ${section.others} `.includes(` ${phrase} `), called = ` ${section.called} `.includes(` ${phrase} `);
      const titled = named && section.heading === section.title ? 4 : section.called === phrase ? 3 : called ? 2 : named ? 1 : 0;
      const together = looked.length > 1 ? 20 * Math.min(section.words.split(phrase).length - 1, 3) : 0;
      const close = Number(Boolean(nearest(section, looked.map(({expression}) => expression))));
      if (points.every(Boolean)) hits.push([titled > 2 ? 1 : -section.late, titled, close, points.reduce((sum, point) => sum + point, together), section]);
    }
    return hits.sort((a, b) => b[0] - a[0] || b[1] - a[1] || b[2] - a[2] || b[3] - a[3]).map(hit => hit.at(-1));
  }

  /* A text in which the words that were looked for are marked. */
  function marked(parent, text, words) {
    parent.textContent = "";
    text.split(new RegExp(`(${words.map(({source}) => source).join("|")})`, "i")).forEach((part, place) => {
      parent.append(place % 2 ? Object.assign(document.createElement("mark"), {textContent: part}) : part);
    });
  }

  function item(section, words) {
    const line = document.createElement("li"), link = document.createElement("a"), text = document.createElement("p");
    link.href = section.address;
    link.textContent = section.heading === section.title ? section.title : `${section.heading}, in ${section.title}`;
    link.addEventListener("click", () => { box.open = false; });
    const said = words.every(word => section.low.search(word) >= 0 || link.textContent.toLowerCase().search(word) >= 0);
    const also = said ? "" : section.also.find(name => words.every(word => name.toLowerCase().search(word) >= 0));
    const sentence = nearest(section, words), begins = sentence ? section.low.indexOf(sentence) : -1;
    const at = begins < 0 ? Math.max(...words.map(word => section.low.search(word)), 0) : begins;
    const from = begins >= 0 ? begins : at < AROUND ? 0 : section.text.indexOf(" ", at - AROUND) + 1;
    const end = section.text.indexOf(" ", at + 2 * AROUND);
    const shown = `${also ? `Found as ${also}. ` : ""}${from && begins < 0 ? "…" : ""}${end < 0 ? section.text.slice(from) : `${section.text.slice(from, end)}…`}`;
    marked(link, link.textContent, words);
    marked(text, shown, words);
    line.append(link, text);
    return line;
  }
}
