"""Record sequences on one driver, replay them on another, compare call by call.

On disk: gzip of JSON, {"header": ..., "sequences": [{"seed": n, "calls": [...], "answers": [...]}]}. The calls are kept,
not only the seed, so a recording outlives changes of the writer.

Alike means equal, except for calls that either driver could not make or that met a reused address (executor.py).
"""
import dataclasses
import functools
import gzip
import json

from .. import asking, careful, workers
from ..recording import FOLDER, alike
from . import executor, managed_writer, order_executor, order_writer, rules, sharing_executor, sharing_writer, writer

H200 = FOLDER / "h200_sequences.json.gz"
BATCH = 20     # sequences that share a process
SMALL_BATCH = 5    # of those that start others from it, and take longer
CRASHED = "(after the last answer)"


@dataclasses.dataclass
class SequenceDifference:
    seed: int
    number: int
    calls: list
    recorded: list
    answered: list

    @property
    def rule(self):
        return rules.rule(self.calls[self.number], self.recorded)

    def __str__(self):
        call, *arguments = self.calls[self.number]
        lines = [f"sequence {self.seed}, call {self.number}: {call}({', '.join(map(str, arguments))})",
                 f"    recorded: {self.recorded}", f"    answered: {self.answered}"]
        if self.rule:
            lines.append(f"    rule: {self.rule}")
        return "\n".join(lines)


def run(sequences, attach, jobs=2, recording=False, patience=60):
    """{seed: answers} for {seed: calls}; an answer is None where the process had ended before it. A sequence of two devices has
    none at all where there is one."""
    questions = [_as_question(i, seed, calls, recording) for i, (seed, calls) in enumerate(sequences.items())]
    by_question = workers.ask_all(questions, attach, jobs, patience)
    answers = {}
    for question in questions:
        seed = int(question.name.partition(".")[2])
        by_label = by_question.get(question.name, {})
        if careful.NOT_ASKED in by_label:
            continue
        answers[seed] = [by_label.get(str(n)) for n in range(len(sequences[seed]))]
        end = by_label.get(CRASHED) or by_label.get("(question)")
        if end and None in answers[seed]:
            answers[seed][answers[seed].index(None)] = [end]
    return answers


def _as_question(i, seed, calls, recording):
    """Sequences of one batch have one subject, and so share a process; those of two processes start others from it."""
    group = next((name for name in GROUPS if of_groups([name], [seed])), "any")
    if group == "order of streams":
        return asking.DriverQuestion(f"sequences {group} {seed // BATCH}.{seed}", "", lambda: order_executor.execute(calls))
    devices = DEVICES.get(group, 0)
    if not devices:
        return asking.DriverQuestion(f"sequences{i // BATCH}.{seed}", "", lambda: executor.execute(calls, recording), asking.DRIVER)
    return asking.DriverQuestion(f"sequences {group} {seed // SMALL_BATCH}.{seed}", "", lambda: sharing_executor.execute(calls, recording, devices),
                                 asking.DRIVER, processes=True, devices=devices)


def save(path, header, sequences, answers):
    path.parent.mkdir(exist_ok=True)
    data = {"header": header, "sequences": [{"seed": seed, "calls": calls, "answers": answers[seed]} for seed, calls in sequences.items()]}
    with gzip.GzipFile(path, "wb", compresslevel=9, mtime=0) as file:
        file.write(json.dumps(data, separators=(",", ":")).encode())


def load(path=H200):
    data = json.loads(gzip.decompress(path.read_bytes()))
    return (data["header"], {sequence["seed"]: sequence["calls"] for sequence in data["sequences"]},
            {sequence["seed"]: sequence["answers"] for sequence in data["sequences"]})


def is_comparable(recorded, answered):
    """Is this pair of answers one to compare?"""
    not_made = (executor.UNSET, executor.REUSED)
    return None not in (recorded, answered) and recorded not in not_made and answered not in not_made


def compare(sequences, recorded, answered):
    """(calls compared, [SequenceDifference])."""
    count, differences = 0, []
    for seed, calls in sequences.items():
        for number, (was, now) in enumerate(zip(recorded[seed], answered.get(seed, ()))):
            if is_comparable(was, now):
                count += 1
                if was != now and not (len(was) == len(now) == 1 and alike(was[0], now[0])):
                    differences.append(SequenceDifference(seed, number, calls, was, now))
    return count, differences


# What is written by whom: (first seed, how many, calls of each).
GROUPS = {"any": (writer, [(0, 420, 150), (1000, 30, 500)]), "managed": (managed_writer, [(2000, 60, 150), (2100, 134, 150)]),
          "order of streams": (order_writer, [(4000, 100, 100)]),
          "sharing": (sharing_writer, [(3000, 40, 100), (3200, 25, 100), (3400, 25, 100)]),
          "two devices": (sharing_writer.OnTwoDevices, [(3100, 20, 100), (3300, 15, 100), (3500, 15, 100)])}
DEVICES = {"sharing": 1, "two devices": 2}    # of the groups whose sequences are of two processes


def fresh(groups=GROUPS):
    """{seed: calls} of these groups, newly written."""
    return {seed: calls for group in groups for seed, calls in _sequences_of(group).items()}


@functools.cache
def _sequences_of(group):
    writer, parts = GROUPS[group]
    return {seed: writer.write(seed, length) for first, number, length in parts for seed in range(first, first + number)}


def of_groups(groups, by_seed):
    """What `by_seed` has of these groups."""
    by_seed = by_seed if isinstance(by_seed, dict) else dict.fromkeys(by_seed)
    return {seed: value for seed, value in by_seed.items()
            if any(first <= seed < first + number for group in groups for first, number, _ in GROUPS[group][1])}
