"""A question, and the learner's answer to it.

Not here: the cell that compares, and is covered until there is an answer (session.py).
"""
import html

from ..notebook.display import STATUS, card, code, message, paragraphs, say, show
from ..notebook.progress_file import is_off, record
from .controls import GO_ON, AnswerControls

RUN = "Run the cell that tries it: it asks for your answer before it shows anything."
OPEN = "Answer, and run the next cell with Shift+Enter or ▶."
LATE = "What happened is shown already, so an answer counts as said afterwards."


class Prediction:
    """What a notebook asks, answers and compares. `predict` makes it.

    question: a Question
    session:  the Session that it is asked in
    """

    def __init__(self, question, session):
        self.question, self._session = question, session
        self._controls = None       # where the question was shown with them

    def show(self):
        """Show the question (again)."""
        question, entry = self.question, self.entry()
        options = question.options or [question.number]
        lines = [f"Predict: {question.text}", "", *(f"  ( ) {option}" for option in options), "", RUN]
        # A line of text, not a list: what looks like buttons is pressed. Long answers have a line each.
        listed = " · ".join(options)
        if question.options and (len(listed) > 75 or max(map(len, options)) > 16):
            listed = "".join(f"\n– {option}" for option in options)
        listed = code(html.escape(listed)).replace("\n", "<br>")
        listed = f"<p style='margin:4px 0'>Answer{'s' * bool(question.options)}: {listed}</p>"
        if not is_off():
            self._controls = AnswerControls(f"<b>Predict</b>{paragraphs(question.text)}", question.options,
                                            question.number, self._chosen)
            self._tell_controls(entry)
        show("\n".join(lines), card("Predict", paragraphs(question.text) + listed,
                                    f"{self._predicted(entry)}." if self.has_answer(entry) else RUN),
             self._controls and self._controls.widget)

    def _chosen(self, value):
        """A control was used."""
        sentence, entry = self.take(value)
        if not (entry and self._session.uncovers(self, entry)):
            self._controls.say(message(sentence, announced=True) + (GO_ON if entry else ""))

    def _tell_controls(self, entry):
        """Have the controls show what the record says."""
        if self._controls:
            shown_already = self.question.name in self._session.shown
            if self.has_answer(entry) and ("right" in entry or entry.get("after")):
                self._controls.show_answered(entry["answer"])
            status = f"{self._predicted(entry)}." if self.has_answer(entry) else LATE if shown_already else OPEN
            self._controls.say(STATUS.format(html.escape(status)))

    def answer(self, value):
        """Answer the question: the same as choosing in the widget. value: one of the options, or a number."""
        sentence, entry = self.take(value)
        if entry:
            self._tell_controls(entry)
        if not (entry and self._session.uncovers(self, entry)) or entry["after"]:
            say("\n".join([sentence, *record().news()]))

    def compare(self, observed):
        """Show the prediction beside what was observed, and a reply to an answer that was wrong.

        observed: one of the options, or the number; or, where the options stand for observations, what one stands for.
                  An Outcome of the sandbox stands for what it has observed, and a list of them for a list of that
        """
        observed = self.question.option_for(_of_outcomes(observed))
        self._session.observed[self.question.name] = observed
        if not self._session.keeps_back(self):
            show(*self.comparison(self.judged()))

    def entry(self):
        """What the record has of it: {field: value}."""
        return record().entry("predictions", self.question.name)

    def has_answer(self, entry):
        """Whether the record has an answer, and to this question: an older one may have had other options."""
        return "answer" in entry and self.question.read(entry["answer"]) is not None

    def is_open(self, entry):
        """Whether it may still be predicted: it has no answer, and nothing was shown of what was observed."""
        return not self.has_answer(entry) and self.question.name not in self._session.shown

    def take(self, value):
        """Take an answer into the record; returns the sentence that says what became of it, and the entry; None for it
        where it was not taken."""
        question = self.question
        answer = question.read(value)
        if answer is None:
            return question.refusal(value), None
        with record().changing("predictions", question.name) as entry:
            if self.has_answer(entry) and ("right" in entry or entry.get("after")):
                return f"The cell has run, and your prediction stays: {question.words(entry['answer'])}.", None
            entry.update(answer=answer, after=question.name in self._session.shown)
            self._judge(entry)
        if entry["after"]:
            return f"Kept: {question.words(answer)}. The cell has already run, so it counts as said afterwards.", entry
        return f"Kept: {question.words(answer)}. Now run the next cell, with Shift+Enter or ▶.", entry

    def judged(self):
        """The record's entry, judged by what was observed if there is an answer."""
        with record().changing("predictions", self.question.name) as entry:
            if self.has_answer(entry) and "right" not in entry:
                self._judge(entry)
        return entry

    def _judge(self, entry):
        """Keep whether the answer is right, and what was observed if that is an answer as well: again.py asks with
        it."""
        name = self.question.name
        if name in self._session.observed:
            observed = self._session.observed[name]
            entry["right"] = self.question.is_right(entry["answer"], observed)
            if (observation := self.question.read(observed)) is not None:
                entry["observed"] = observation

    def comparison(self, entry, announced=False):
        """The comparison as text and HTML; from here on the question is not open.

        entry:     the record's
        announced: a screen reader says it by itself
        """
        question = self.question
        observed = self._session.observed[question.name]
        self._session.shown.add(question.name)
        good, verdict, lines, reply = None, "You have not predicted.", [], ""
        if self.has_answer(entry):
            good = question.is_right(entry["answer"], observed)
            after, before = ("Not right.", "Right."), ("Not as you predicted.", "As you predicted.")
            verdict = (after if entry.get("after") else before)[good]
            lines = [self._predicted(entry)]
            reply = "" if good else question.reply(entry["answer"])
        lines.append(f"Observed: {question.words(observed)}")
        text = "\n\n".join(["\n".join(lines), *filter(None, [reply]), *record().news()])
        self._tell_controls(entry)
        return f"{verdict}\n{text}", message(text, good, announced, verdict)

    def _predicted(self, entry):
        return f"You {'said afterwards' if entry.get('after') else 'predicted'}: {self.question.words(entry['answer'])}"

    def __repr__(self):
        return f"<prediction {self.question.name}>"


def _of_outcomes(observed):
    """An observation with what was observed for each Outcome: so no cell has to name what will end its code."""
    if isinstance(observed, list):
        return [_of_outcomes(element) for element in observed]
    return getattr(observed, "observed", observed)
