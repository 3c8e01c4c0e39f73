"""In the sandbox: a program run line by line, with a look at memory after each; every record goes to a file at once.

A program is followed by its *statements*: the lines of one are one step, in every version of Python. Work on streams is
held back until the host waits for it (cuda_simulator/watch.py), and each piece of it that is done then is a step too. A
crash of the process costs nothing: the file has what came before, and which line was under way.

Not here: what a look at memory has (looking.py), and what the steps say of it (steps.py).
"""
import ast
import contextlib
import io
import os
import pickle
import sys
import threading
import time

from cuda_simulator import watch

from .looking import ASKED, Looking, about

MOST_LINES = 400        # that a program runs, before it is taken for endless
PATIENCE = 40           # lines that it runs while work is held, before the GPU is let go: it may wait by reading memory
# In seconds of this process's own work, so that a busy machine sees the same steps; and LONG on a clock, for who
# sleeps.
AT_ONCE = 0.5           # work that is let go is mostly done by then: what is seen of it is the same each time
SLOW = 0.3              # that a line takes while work is held: a library may wait in it by looking at memory
LONG = 3
KERNEL_LIMIT, KERNEL_SECONDS = "CUDA_SIMULATOR_KERNEL_SECONDS", "2"


class Endless(BaseException):
    """Ends a program that has run too many lines; no `except Exception` of the program's stops it."""


def follow_function(path, source, first_line, function, arguments):
    """Call a function and follow it, with records in the file `path`.

    source, first_line: its text, and the line of its file on which that begins
    """
    _Tracer(path, function.__code__.co_filename, source, first_line).run(lambda: function(*arguments))


def follow_source(path, source, names, early=()):
    """Run source text with these names and follow it, with records in the file `path`. early: numbers of streams"""
    code = compile(source, "<followed>", "exec")
    _Tracer(path, "<followed>", source, 1, early).run(lambda: exec(code, {**names, "__name__": "__main__"}))


def statements(source):
    """{line: the line on which its statement begins}; of a statement with a body, its head alone."""
    begins = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.stmt, ast.excepthandler)):
            body = getattr(node, "body", None)
            last_line = max(body[0].lineno - 1, node.lineno) if body else node.end_lineno
            begins.update({line: max(node.lineno, begins.get(line, 0)) for line in range(node.lineno, last_line + 1)})
    return begins


def plain(source):
    """The lines on which statements begin that do nothing to memory by themselves: no steps, if nothing happens."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Try, ast.ExceptHandler, ast.Pass,
             ast.Return, ast.Global, ast.Nonlocal)
    return {node.lineno for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)}


def empties(source):
    """{the line on which a statement begins: the names that it gives to new arrays, whose content is whatever was there
    before}"""
    names = {}
    for node in ast.walk(ast.parse(source)):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            for name, value in zip(target.elts, node.value.elts) if several else [(target, node.value)]:
                if isinstance(name, ast.Name) and _is_empty(value):
                    names.setdefault(node.lineno, []).append(name.id)
    return names


def _is_empty(value):
    """Does an expression make such an array, as ``numpy.empty(8).reshape(2, 4)`` does?"""
    while isinstance(value, (ast.Call, ast.Attribute)):
        value = value.func if isinstance(value, ast.Call) else value
        if getattr(value, "attr", getattr(value, "id", "")).endswith(("empty", "empty_like", "ndarray")):
            return True
        value = getattr(value, "value", None)
    return False


class _Tracer(watch.Hold):
    """Follows a program, and holds its work on streams back."""

    def __init__(self, path, file, source, first_line, early=()):
        super().__init__()
        self.streams = []                               # in the order in which they are first given work
        self.early = early                              # numbers of those whose work is done at once
        self.file, self.before_first = file, first_line - 1
        self.source, self.statements = source.splitlines(), statements(source)
        self.plain, self.empties = plain(source), empties(source)
        self.out = open(path, "wb")
        self.frames, self.under_way = [], []            # of the program; of each, the line of its statement
        self.lines = self.since_wait = 0
        self.raised, self.busy, self.ended = "", False, False
        self.calls, self.moves, self.questions, self.called = [], [], [], True      # since the last record
        self.work, self.numbers = {}, 0                 # held work -> what is told of it
        self.asked_for = []                             # held work for which the host has asked last whether it is done
        self.printed = io.StringIO()
        self.looking = Looking(source)
        self.thread = threading.get_ident()
        self.moved = threading.Event()                  # set at each line, for _let_go_if_slow

    def run(self, program):
        """Follow it to its end, and raise what it raises."""
        os.environ[KERNEL_LIMIT] = KERNEL_SECONDS
        threading.Thread(target=self._let_go_if_slow, daemon=True).start()
        with contextlib.redirect_stdout(_Tee(sys.stdout, self.printed)), watch.calling(self), watch.holding(self), \
                watch.kernels_allocating(lambda address, _: self.looking.allocated(address)):
            try:
                sys.settrace(self._enter)
                try:
                    program()
                finally:
                    sys.settrace(None)
                self._after_the_end()
            except Endless as endless:
                self._write({"endless": str(endless)})
            finally:
                self.busy = True

    # -- lines -----------------------------------------------------------------------------------------------------

    def _enter(self, frame, event, argument):
        """For sys.settrace: a function begins.

        Python 3.12 has no frame for a comprehension, so it is no step before either.
        """
        code = frame.f_code
        ours = code.co_filename == self.file and 0 < code.co_firstlineno - self.before_first <= len(self.source)
        if not ours or code.co_name.startswith("<") and code.co_name != "<module>":
            return None
        self.frames.append(frame)
        self.under_way.append(None)
        return self._within

    def _within(self, frame, event, argument):
        if event == "line":
            line = frame.f_lineno - self.before_first
            self._line(self.statements.get(line, line))
        elif event == "exception" and not issubclass(argument[0], (StopIteration, GeneratorExit, Endless)):
            self.raised = f"{argument[0].__name__}: {argument[1]}"
        elif event == "return":
            self._finish()
            self.frames.pop()
            self.under_way.pop()
        return self._within

    def _line(self, line):
        self.lines += 1
        self.since_wait = self.since_wait + 1 if self.held else 0
        self.moved.set()
        if self.lines > MOST_LINES:
            raise Endless
        if self.since_wait > PATIENCE:
            held = list(self.held)
            self.let_go()
            slow = _slow(AT_ONCE)
            while not slow() and not all(work.done for work in held):
                time.sleep(.002)
        if self.under_way[-1] != line:
            self._finish()
            self.under_way[-1] = line
            self._write({"begins": line})

    def _finish(self):
        """The statement that was under way has ended, or a function of the program begins in it."""
        if self.under_way[-1] is not None:
            self._record(self.under_way[-1])

    def _after_the_end(self):
        """What the program has left to the GPU is done now."""
        self.ended = True
        while self.held:
            self.release(self.held[0])

    def _record(self, line, **more):
        """Look, and write down what there is and what has happened since the last record.

        line: 0 when the program has ended
        more: where it is not the end of a statement, what else to write down
        """
        if self.busy:
            return
        self.busy = True
        try:
            names = {name: value for frame in self.frames for name, value in frame.f_locals.items()
                     if not name.startswith("__")}
            self.looking.fill_empty(names[name] for name in self.empties.get(line, ()) if name in names)
            scene, contents = self.looking.look(names, line, bool(more), bool(self.moves), called=self.called)
            self.called = False
            meanwhile = [self._finished(work) for work in list(self.work) if work.done]
            pending = [self.work[work] for work in self.held if work in self.work]
            self._write({"line": line, "scene": scene, "contents": contents, "calls": self.calls, "moves": self.moves,
                         "questions": self.questions, "pending": pending, "meanwhile": meanwhile,
                         "printed": self.printed.getvalue(), "raised": self.raised,
                         "plain": line in self.plain, **more})
            self.calls, self.moves, self.questions, self.raised = [], [], [], ""
            self.printed.seek(0)
            self.printed.truncate()
        finally:
            self.busy = False

    def _write(self, record):
        pickle.dump(record, self.out)
        self.out.flush()

    # -- the driver ------------------------------------------------------------------------------------------------

    def call(self, name, arguments, make):
        """For watch.calling: make a call, and keep what it was and what came of it."""
        if self.busy or threading.get_ident() != self.thread or not self.frames:
            return make()
        self.called = True
        earlier, operation = set(self.held), about(name, arguments)
        answer = make()
        if not answer:
            self.looking.sides.answered(name, arguments)
        if name in ASKED:
            self.questions.append(arguments[ASKED[name]])
        if operation is None:
            return answer
        self.calls.append((name, answer))
        if not answer and operation:
            operation = self.looking.came_of(arguments, operation)
            new_work = [work for work in self.held if work not in earlier and work.action is not None]
            for work in new_work:
                self.numbers += 1
                self.work[work] = {"number": self.numbers, **self.looking.launch(watch.launch_of(work), operation)}
            if not new_work:
                self.moves.append(operation)
            for work in new_work:
                self._release_if_early(work)
        return answer

    def _release_if_early(self, work):
        """Have work done at once if its stream is one of `early`, whose numbers count streams as they come into use."""
        if work.stream not in self.streams:
            self.streams.append(work.stream)
        if self.streams.index(work.stream) in self.early:
            self.release(work)

    def asked(self, works):
        """The host has asked whether work is done: a GPU may be later than that, and goes on when it is asked again."""
        if works == self.asked_for:
            super().asked(works)
        self.asked_for = works

    def before(self, work):
        """Held work is about to be done: first, what the statement did until then."""
        if self.calls and work in self.work and self.under_way:
            self._record(self.under_way[-1], within=True)

    def after(self, work):
        """Held work was done."""
        self.since_wait = 0
        self.called = True
        if work in self.work:
            self._record(self.under_way[-1] if self.under_way else 0, done=self._finished(work))

    def _finished(self, work):
        """What is told of work that is done, with why it failed if it did."""
        return {**self.work.pop(work), "failure": work.failure}

    def _let_go_if_slow(self):
        """On a thread of its own: let the GPU go where a line takes long."""
        while not self.ended:
            self.moved.clear()
            slow = _slow(SLOW)
            while not self.moved.wait(.1) and not self.ended:
                if slow() and self.held and not self.busy:
                    self.let_go()


def _slow(seconds):
    """A function that tells if this process has worked for so many seconds from now on, or LONG has gone by."""
    used, began = time.process_time(), time.monotonic()
    return lambda: time.process_time() - used > seconds or time.monotonic() - began > LONG


class _Tee(io.TextIOBase):
    """Writes to two files."""

    def __init__(self, *files):
        self.files = files

    def write(self, text):
        for file in self.files:
            file.write(text)
        return len(text)

    def flush(self):
        for file in self.files:
            file.flush()
