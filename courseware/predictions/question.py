"""A question of a lesson: what is asked, which answers there are, and which of them is right.

Not here: who answered what (prediction.py).
"""
OTHER = "any other number"      # the key of the reply to a number that has no reply of its own


class Question:
    """A question with options to choose from, or for a number.

    name:         the lesson's topic, a hyphen, and words
    text:         the question
    options:      the answers to choose from, texts; None for a question whose answer is a number
    unit:         of the number, such as "GB/s"
    tolerance:    how far from the observed number still counts as right, as a part of it: 0.2 is 20 percent
    observations: {option: the observation that it stands for}
    replies:      {answer: what is said to it where it was wrong}
    """

    def __init__(self, name, text, options, unit, tolerance, observations, replies):
        self.name, self.text, self.options, self.unit, self.tolerance = name, text, options, unit, tolerance
        self._observations, self._replies = observations, replies

    @property
    def number(self):
        """What is asked for where there are no options."""
        return f"a number, in {self.unit}" if self.unit else "a number"

    def read(self, value):
        """An answer as the record keeps it, a text; None for what is no answer."""
        if self.options:
            return str(value) if str(value) in self.options else None
        try:
            number = float(str(value).replace(self.unit, "").strip() if self.unit else value)
        except (TypeError, ValueError):
            return None
        return f"{number:.6g}" if abs(number) < float("inf") else None

    def words(self, value):
        """An answer or an observation in words, a number with its unit."""
        text = self.read(value)
        if text is None:
            return str(value)
        return text if self.options else f"{text} {self.unit}".rstrip()

    def refusal(self, value):
        """The sentence for what is no answer."""
        expected = "one of " + ", ".join(map(repr, self.options)) if self.options else "a number, such as 12.5"
        return f"{value!r} is not an answer to this question: it takes {expected}."

    def option_for(self, observed):
        """The option that stands for an observation; the observation itself where none does."""
        written = sorted(observed) if isinstance(observed, set) else _as_lists(observed)
        return next((option for option, meant in self._observations.items() if meant == written), observed)

    def is_right(self, answer, observed):
        """Whether an answer, as the record keeps it, is what was observed."""
        if self.options or self.read(observed) is None:
            return answer == str(observed)
        predicted, measured = float(answer), float(self.read(observed))
        return abs(predicted - measured) <= self.tolerance * abs(measured) + 1e-9

    def reply(self, answer):
        """What is said to an answer that was wrong; "" where there is nothing."""
        return self._replies.get(answer, self._replies.get(OTHER, ""))


def _as_lists(observed):
    """An observation with lists in the place of tuples, which TOML has not."""
    return [_as_lists(element) for element in observed] if isinstance(observed, (tuple, list)) else observed
