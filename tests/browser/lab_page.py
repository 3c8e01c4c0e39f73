"""A notebook in a JupyterLab page of a browser: run it, look at it, use its widgets.

JupyterLab's own commands do what a user's clicks on menus would (run all cells, change the theme); widgets are used as
a user does, by mouse and keys. Everything that the page complains of is kept in `complaints`.
"""
import contextlib
import re
from urllib.parse import urlsplit

THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
# What a page may say without anything being wrong: (pattern, reason).
HARMLESS = (
    ("ResizeObserver loop", "Chromium's note that a layout took more than one round; nothing is lost"),
    (r"setting 'text'\)\s+at \w+\._setValue", "JupyterLab 3's editor of metadata, when a page opens a second notebook"),
    ("Could not restore the debugger state", "JupyterLab's debugger asks a kernel that ends when a lesson is left"),
    ("Canceled future for create_subshell_request", "JupyterLab's widgets ask a kernel for a thread that ends when a lesson is left"),
    ("ERR_UNKNOWN_URL_SCHEME", "JupyterLab puts an attached picture in its place after the text that names it is in the page"),
    ("No current kernel", "JupyterLab 3 asks for the widgets of a kernel that has not started yet"),
    ("Could not determine jupyter_lsp server manifest", "no language servers are installed, and none are needed"),
)

# Widgets talk to the kernel beside the cells, in JupyterLab 4 even on a thread of their own. So the page counts: every
# request sent, until the kernel says that it is done with it, and the page has dealt with all that came before (iopubMessage;
# anyMessage tells what has arrived).
COUNT_REQUESTS = """async () => {
    const session = window.jupyterapp.shell.currentWidget.sessionContext;
    await session.ready;
    const kernel = session.session.kernel;
    window.unanswered = new Set();
    kernel.anyMessage.connect((_, {direction, msg}) => {
        if (direction === 'send' && msg.channel === 'shell') window.unanswered.add(msg.header.msg_id);
    });
    kernel.iopubMessage.connect((_, msg) => {
        if (msg.header.msg_type === 'status' && msg.content.execution_state === 'idle')
            window.unanswered.delete(msg.parent_header.msg_id);
    });
}"""
END_KERNEL = "window.jupyterapp.shell.currentWidget.sessionContext.shutdown()"
# A control sends its new value a frame after it was used; the answer is drawn a frame after it came. In between no frame is
# asked for: sixty a second would be drawn for nothing. What stands for a widget until it is drawn: JupyterLab's words, and in
# a box an element that is no widget.
IDLE = """async () => {
    const frame = () => new Promise(requestAnimationFrame), until = Date.now() + 180_000;
    const undrawn = () => document.querySelector('.jupyter-widgets > .lm-Widget:not(.jupyter-widgets)')
        || [...document.querySelectorAll('.jp-OutputArea-output')].some(one => one.textContent === 'Loading widget...');
    await frame();
    await frame();
    while (window.unanswered.size || undrawn()) {
        if (Date.now() > until) throw new Error('the kernel does not answer, or a widget is not drawn');
        await new Promise(next => setTimeout(next, 10));
    }
    await frame();
}"""
ACTIVE = "window.jupyterapp.shell.currentWidget.content.activeCellIndex"


class LabPage:
    """A notebook that is open in a browser's page, with its kernel ready."""

    @classmethod
    @contextlib.contextmanager
    def open(cls, browser, server, notebook):
        """Open a notebook of the server's by its file's name; at the end its page is closed and its kernel ended."""
        with browser.new_context(viewport={"width": 1200, "height": 900}) as context:
            lab = cls(context.new_page(), server.url(notebook), notebook)
            yield lab
            lab.page.evaluate(END_KERNEL)

    def __init__(self, page, url, notebook):
        self.page, self.complaints = page, []
        page.set_default_timeout(180_000)
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self._note(f"uncaught: {error}"))
        page.on("response", lambda answer: answer.status >= 400 and self._note(f"{answer.status} for {answer.url}"))
        page.on("request", self._note_request)
        self._home = urlsplit(url).netloc
        page.goto(url)
        self._wait_for(notebook)

    def turn_to(self, notebook):
        """Open another notebook in the same JupyterLab, and close this one: a page takes four seconds to start, this does not."""
        if notebook != self.notebook:
            self.complaints.clear()
            # Not JupyterLab's own command to close, which asks whether to save; and not while it is the current one, whose
            # cells the panels beside it still follow.
            self.page.evaluate("""async path => {
                const left = window.jupyterapp.shell.currentWidget;
                await left.sessionContext.shutdown();
                await window.jupyterapp.commands.execute('docmanager:open', {path});
                left.dispose();
            }""", notebook)
            self._wait_for(notebook)

    def _wait_for(self, notebook):
        """Wait until a notebook is open and its kernel answers."""
        self.page.wait_for_function("path => { const open = window.jupyterapp?.shell?.currentWidget?.context;"
                                    "          return open?.isReady && open.path === path; }", arg=notebook)
        self.page.evaluate(COUNT_REQUESTS)
        self.notebook = notebook

    def _note(self, text):
        if not any(re.search(pattern, text) for pattern, _ in HARMLESS):
            self.complaints.append(text)

    def _note_console(self, message):
        if message.type == "error":
            self._note(f"console: {message.text}")

    def _note_request(self, request):
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != self._home:
            self._note(f"asked another server: {request.url}")

    # The notebook ---------------------------------------------------------------------------------------------------

    def run_all(self):
        """Run all cells from top to bottom, and wait until the kernel has nothing more to do."""
        visibility = "value => { document.documentElement.style.visibility = value; }"
        self.page.evaluate(visibility, "hidden")    # nobody looks at a hundred pictures of a lesson that is half run
        try:
            self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
            self.wait_until_idle()
        finally:
            self.page.evaluate(visibility, "")

    def wait_until_idle(self):
        """Wait until the kernel has answered all that it was asked, and the page has drawn it, each widget too."""
        self.page.evaluate(IDLE)

    def active_cell(self):
        """The index of the active cell: the one that Shift+Enter runs."""
        return self.page.evaluate(f"() => {ACTIVE}")

    def wait_for_active_cell(self, index):
        """Wait until this cell is the active one."""
        self.page.wait_for_function(f"index => {ACTIVE} === index", arg=index)

    def code_cells(self):
        """Of each code cell: {source, count, outputs}, as the page has them now."""
        return self.page.evaluate("""() => window.jupyterapp.shell.currentWidget.content.widgets
            .filter(cell => cell.model.type === 'code')
            .map(cell => ({source: cell.model.toJSON().source, count: cell.model.executionCount,
                           outputs: cell.model.outputs.toJSON(), tags: cell.model.toJSON().metadata.tags ?? []}))""")

    def errors(self):
        """The exceptions that cells ended in and did not announce (by the tag raises-exception), as text."""
        return [f"{output['ename']}: {output['evalue']}" for cell in self.code_cells() for output in cell["outputs"]
                if output["output_type"] == "error" and "raises-exception" not in cell["tags"]]

    def text(self):
        """What the outputs of all cells show, as text."""
        return "\n".join(self.page.locator(".jp-OutputArea-output").all_inner_texts())

    # Widgets --------------------------------------------------------------------------------------------------------

    def widgets(self):
        """The widgets of the notebook, those within others not counted: a locator for all of them."""
        return self.page.locator(".jp-OutputArea-output > .jupyter-widgets, .jp-OutputArea-output > .widget-box, "
                                 ".jp-OutputArea-output .jupyter-widgets-view > .jupyter-widgets")

    def widget(self, words):
        """The widget that has these words in it."""
        return self.widgets().filter(has_text=words).first

    def cut_off(self):
        """The text of buttons that are too narrow for it."""
        return self.page.evaluate("""() => [...document.querySelectorAll('.jp-OutputArea-output button')]
            .filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)""")

    def scrolled_sideways(self, width):
        """The text of what is wider than its place, in a window of this width, folds opened."""
        usual = self.page.viewport_size["width"]
        self._set_width(width)
        texts = self.page.evaluate("""() => {
            document.querySelectorAll('.jp-Notebook details').forEach(one => { one.open = true; });
            return [...document.querySelectorAll('.jp-Notebook *')].filter(one => one.clientWidth > 100
                && one.scrollWidth > one.clientWidth + 2 && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX))
                .map(one => one.innerText.slice(0, 80)); }""")
        self._set_width(usual)
        return texts

    def _set_width(self, width):
        """Give the window another width, and wait until JupyterLab has laid out its panels for it: beside the notebook a bar is left."""
        self.page.set_viewport_size({**self.page.viewport_size, "width": width})
        self.page.wait_for_function("""() => { const beside = innerWidth
            - document.querySelector('.jp-NotebookPanel').getBoundingClientRect().right; return 0 <= beside && beside < 100; }""")

    # Looks ----------------------------------------------------------------------------------------------------------

    def set_theme(self, name):
        """"light" or "dark"."""
        change = "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})"
        self.page.evaluate(change, THEMES[name])
        light = "true" if name == "light" else "false"
        self.page.wait_for_selector(f"body[data-jp-theme-light={light}]", state="attached")
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")

    def screenshot(self, path):
        """Keep a picture of the whole notebook, without the panels beside it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.evaluate("() => { const shell = window.jupyterapp.shell; shell.collapseLeft(); shell.collapseRight?.(); }")
        height = self.page.evaluate("""() => { const cells = [...document.querySelectorAll('.jp-Notebook .jp-Cell')];
            return Math.ceil(cells.at(-1).getBoundingClientRect().bottom - cells[0].getBoundingClientRect().top); }""")
        usual = self.page.viewport_size
        self.page.set_viewport_size({"width": usual["width"], "height": min(height + 150, 16_000)})
        self.page.evaluate("() => document.querySelector('.jp-Notebook .jp-Cell').scrollIntoView()")
        self.page.screenshot(path=path)
        self.page.set_viewport_size(usual)
