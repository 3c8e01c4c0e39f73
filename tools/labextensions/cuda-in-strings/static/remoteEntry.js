/* Colours for CUDA C++ in Python strings: to JupyterLab's editor a kernel is one string, and so has one colour.

   A prebuilt extension of JupyterLab 4, but no tool has built it. JupyterLab's loader expects an object with `init`, which gets the
   modules that JupyterLab shares, and `get`, which gives ours. */
(() => {
const NAME = "cuda-in-strings";
const KERNEL = /__(global|device|shared|constant|managed)__/;
// Each by JupyterLab's name for its colour, in this order: a comment may have a quotation mark in it, and a string two slashes.
const PARTS = {
  comment: String.raw`\/\/.*|\/\*[^]*?\*\/`,
  string: String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`,
  meta: String.raw`^[ \t]*#.*`,
  keyword: String.raw`\b(?:__\w+__|asm|auto|bool|break|case|char|class|const|constexpr|continue|default|do|double|else|enum|extern|` +
    String.raw`false|float|for|if|inline|int|long|namespace|new|nullptr|operator|return|short|signed|sizeof|static|struct|switch|` +
    String.raw`template|this|true|typedef|typename|union|unsigned|using|void|volatile|while)\b`,
  builtin: String.raw`\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize)\b`,
  number: String.raw`\b(?:0[xX][\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)[uUlLfF]*\b`,
};
const PART = new RegExp(Object.entries(PARTS).map(([name, pattern]) => `(?<${name}>${pattern})`).join("|"), "gm");

function extension({EditorView, ViewPlugin, Decoration}, {RangeSetBuilder}, {syntaxTree}) {
  const whole = Decoration.mark({class: NAME});
  const marks = Object.fromEntries(Object.keys(PARTS).map(part => [part, Decoration.mark({class: `${NAME}-${part}`})]));

  function decorations(view) {
    const builder = new RangeSetBuilder();
    let end = 0;    // of the last string: one that is folded lies in two ranges
    for (const {from, to} of view.visibleRanges)
      syntaxTree(view.state).iterate({from, to, enter(node) {
        if (node.name !== "String" || node.from < end) return;
        end = node.to;
        const text = view.state.sliceDoc(node.from, node.to);
        if (!KERNEL.test(text)) return;
        const [start, quotes] = /^\w*("""|'''|"|')/.exec(text);
        const inside = text.slice(start.length, text.endsWith(quotes) ? -quotes.length : undefined);   // one that is typed has no end
        builder.add(node.from + start.length, node.from + start.length + inside.length, whole);
        for (const match of inside.matchAll(PART)) {
          const part = Object.keys(PARTS).find(name => match.groups[name] !== undefined);
          const at = node.from + start.length + match.index;
          builder.add(at, at + match[0].length, marks[part]);
        }
      }});
    return builder.finish();
  }

  const plugin = ViewPlugin.fromClass(class {
    constructor(view) { this.decorations = decorations(view); }
    update(update) {
      if (update.docChanged || update.viewportChanged || syntaxTree(update.startState) !== syntaxTree(update.state))
        this.decorations = decorations(update.view);
    }
  }, {decorations: value => value.decorations});
  // The colour of Python's string may be set on an element within ours, or around it.
  const rule = (selector, part) => [`${selector}, ${selector} *`, {color: `var(--jp-mirror-editor-${part}-color)`}];
  return [plugin, EditorView.baseTheme(Object.fromEntries([
    rule(`.${NAME}`, "variable"), ...Object.keys(PARTS).map(part => rule(`.${NAME} .${NAME}-${part}`, part))]))];
}

let shared;
const share = async name => (await Object.values(shared[name])[0].get())();

async function plugin() {
  const [codemirror, view, state, language] = await Promise.all(
    ["@jupyterlab/codemirror", "@codemirror/view", "@codemirror/state", "@codemirror/language"].map(share));
  return {
    id: `${NAME}:plugin`, autoStart: true, requires: [codemirror.IEditorExtensionRegistry],
    activate: (app, registry) => registry.addExtension({
      name: NAME,
      factory: () => codemirror.EditorExtensionRegistry.createImmutableExtension(extension(view, state, language))}),
  };
}

(window._JUPYTERLAB ??= {})[NAME] = {
  init: modules => { shared = modules; },
  get: async () => {      // JupyterLab 3 has another editor, and gets no plugin
    const value = {default: "@codemirror/view" in shared ? await plugin() : [], __esModule: true};
    return () => value;
  },
};
})();
