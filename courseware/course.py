"""The course's lessons, in order: the one table that exercises, predictions, the exam, progress and grading read.

A lesson is known by its topic, which stays. Its number says where it stands on the road, and may change. What a lesson
asks and checks is in its folder, lessons/<topic>/.

Not here: what is in those folders. exercises/catalogue.py finds the exercises, exercises/listing.py the exam's
listings, and predictions/catalogue.py the predictions.
"""
from dataclasses import dataclass
from pathlib import Path

from course_lib.core.errors import WrongArgument

try:
    import tomllib
except ImportError:     # Python 3.10
    import tomli as tomllib

FOLDER = Path(__file__).parent / "lessons"


@dataclass(frozen=True)
class Lesson:
    """A lesson of the road, or a side trip, which has no number."""

    topic: str          # "way-back": what names of predictions begin with
    number: str         # "06"; "" for a side trip
    title: str
    notebook: str       # relative to notebooks/
    part: str           # the topic of a lesson: those of one part are one to the exam's draw
    of: str = ""        # of a side trip: the topic of the lesson that it belongs to

    @property
    def folder(self):
        """Where its exercises, predictions and listings are."""
        return FOLDER / self.topic.replace("-", "_")

    def read(self, file):
        """What a file of its folder says, such as "exam.toml"; an empty dict where it has none."""
        path = self.folder / file
        return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}

    @property
    def objectives(self):
        """What a learner can do after it: three sentences that can be checked; none where it does not say."""
        return tuple(self.read("objectives.toml").get("objectives", ()))

    @property
    def label(self):
        """Its number; of a side trip the topic."""
        return self.number or self.topic

    @property
    def mention(self):
        """How it is called within a sentence."""
        return f"lesson {self.number}" if self.number else f"the side trip {self.title.rstrip('?')}"

    @property
    def heading(self):
        """How it is called in a table."""
        return f"{self.number} {self.title}" if self.number else f"side trip: {self.title}"


@dataclass(frozen=True)
class Way:
    """A way into the course."""

    name: str           # as in "from the puzzles, 1 of 2"
    title: str          # of a list of its lessons
    topics: tuple       # of its lessons, in their order

    def after(self, topic):
        """The Lesson that comes after one of its lessons; None after the last, and for a lesson that is not on it."""
        following = dict(zip(self.topics, self.topics[1:])).get(topic)
        return following and lesson(following)

    def before(self, topic):
        """The Lesson that comes before one of its lessons; None before the first, and for one that is not on it."""
        earlier = dict(zip(self.topics[1:], self.topics)).get(topic)
        return earlier and lesson(earlier)

    @property
    def other(self):
        """The first Lesson of the other way, with which a learner goes on who has come to the end of this one."""
        return lesson(next(way for way in WAYS if way is not self).topics[0])


LESSONS = (
    Lesson("views", "00", "Two views of one memory", "00_two_views_of_one_memory.ipynb", "views"),
    Lesson("addresses", "01", "Addresses from Python", "01_addresses_from_python.ipynb", "addresses"),
    Lesson("libraries", "", "Three libraries", "side_trips/three_libraries.ipynb", "addresses", of="addresses"),
    Lesson("pinned", "02", "Pinned memory", "02_pinned_memory.ipynb", "pinned"),
    Lesson("registered", "03", "Registered memory", "03_registered_memory.ipynb", "pinned"),
    Lesson("bandwidth", "04", "Bandwidth", "04_bandwidth.ipynb", "pinned"),
    Lesson("mapped", "05", "Mapped memory", "05_mapped_memory.ipynb", "mapped"),
    Lesson("way-back", "06", "The way back", "06_the_way_back.ipynb", "mapped"),
    Lesson("before-unified", "07", "Before unified addressing", "07_before_unified_addressing.ipynb", "mapped"),
    Lesson("kernel-heap", "08", "Memory that kernels allocate", "08_memory_that_kernels_allocate.ipynb", "kernel-heap"),
    Lesson("heap-limits", "", "When the heap is full", "side_trips/when_the_heap_is_full.ipynb",
           "kernel-heap", of="kernel-heap"),
    Lesson("reservations", "09", "Virtual reservations", "09_virtual_reservations.ipynb", "reservations"),
    Lesson("aliases", "10", "Several addresses of one memory", "10_several_addresses_of_one_memory.ipynb",
           "reservations"),
    Lesson("why", "11", "Why only one direction is a function", "11_why_only_one_direction_is_a_function.ipynb",
           "why"),
    Lesson("inverse", "12", "Your own inverse, and an exam", "12_your_own_inverse_and_an_exam.ipynb", "why"),
    Lesson("managed", "13", "Memory that moves", "13_memory_that_moves.ipynb", "managed"),
    Lesson("processes", "14", "Several processes", "14_several_processes.ipynb", "processes"),
    Lesson("devices", "15", "Several devices", "15_several_devices.ipynb", "processes"),
    Lesson("order", "16", "Who comes first?", "16_who_comes_first.ipynb", "order"),
    Lesson("inside", "17", "Inside the kernel", "17_inside_the_kernel.ipynb", "inside"),
    Lesson("distances", "", "How far is it?", "side_trips/how_far_is_it.ipynb", "inside", of="inside"),
    Lesson("growing-vector", "18", "A vector that grows", "18_a_vector_that_grows.ipynb", "growing-vector"),
    Lesson("stream-order", "19", "Memory in stream order", "19_memory_in_stream_order.ipynb", "stream-order"),
    Lesson("fragmentation", "", "Six blocks for one array", "side_trips/six_blocks_for_one_array.ipynb", "stream-order",
           of="stream-order"),
)
BY_TOPIC = {lesson.topic: lesson for lesson in LESSONS}
# The two ways into the course. The second one is the short road: to the answer of the first question, in an afternoon.
WAYS = (Way("from the puzzles", "If the puzzles brought you", ("order", "stream-order")),
        Way("on the short road", "The whole question, from the beginning",
            ("views", "mapped", "way-back", "before-unified", "why")))
SHORT_ROAD = WAYS[1].topics


def way_of(topic):
    """The Way that a lesson is on; None if it is on neither."""
    return next((way for way in WAYS if topic in way.topics), None)


def by_way():
    """[(title, its lessons)]: of the two ways, the other lessons, and the side trips."""
    others = [other for other in LESSONS if not way_of(other.topic)]
    return [*((way.title, [lesson(topic) for topic in way.topics]) for way in WAYS),
            ("The other lessons", [other for other in others if other.number]),
            ("Side trips", [other for other in others if not other.number])]


def lesson(topic):
    """The Lesson of a topic. Raises WrongArgument where there is none."""
    if topic not in BY_TOPIC:
        raise WrongArgument(f"There is no lesson {topic!r}. There are: {', '.join(BY_TOPIC)}.")
    return BY_TOPIC[topic]
