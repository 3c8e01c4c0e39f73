"""What the simulated driver says of a kernel that went wrong, told by the line of the learner's source.

Not here: how a fault is noticed (cuda_simulator/device), and the process that it ends (sandboxed.py).
"""
import re

FAULT = re.compile(r"""
    kernel\ (?P<kernel>\w+):\ (?P<reason>[^;]*)
    ;\ block\ \((?P<block>[^)]*)\),\ thread\ \((?P<thread>[^)]*)\)
    (?:;\ (?P<access>\w+)\ of\ (?P<size>\d+)\ bytes\ at\ (?P<address>0x[0-9a-f]+)\ \(\w+\))?
    (?:;\ [^;:]*:(?P<line>\d+))?
    (?:;\ PTX\ line[^\n]*)?
    (?:\n(?P=address)\ is\ (?P<near>[^\n]*))?
    """, re.VERBOSE)
ENDED = re.compile(r"kernel (\w+) was ended after .*? seconds: it seems never to end\."
                   r"(?: Its (thread .*?) was at line (\d+) when)?")
FINDING = re.compile(r"^finding: (.*)$", re.MULTILINE)
DOES = {"read": "reads", "write": "writes", "atomic": "updates", "free": "frees"}


def in_words(explanation, answer):
    """The fault in an explanation of the simulated driver, told to whoever wrote `answer`; "" where there is none."""
    fault = FAULT.search(explanation)
    if fault is None:
        return ""
    name, reason = fault["kernel"], fault["reason"]
    if not isinstance(answer, str) or not re.search(rf"\b{name}\s*\(", answer):
        return (f"The check's own kernel `{name}` could not follow an address that your answer gave it: {reason}. "
                f"It is {fault['near'] or fault['address']}.")
    lines, number = answer.splitlines(), int(fault["line"] or 0)
    place = f"Your kernel `{name}`"
    if 0 < number <= len(lines):
        place = f"Line {number} of your source, `{lines[number - 1].strip()}`"
    return f"{place}: {_access(fault)}{_where(fault)}. ({reason[0].upper()}{reason[1:]}.)"


def _access(fault):
    """Which thread does what: "thread (0,0,0) of block (1,0,0) writes 4 bytes"."""
    thread = f"thread ({fault['thread']}) of block ({fault['block']})"
    if fault["access"] not in DOES:
        return thread
    return f"{thread} {DOES[fault['access']]} {fault['size']} byte{'' if fault['size'] == '1' else 's'}"


def _where(fault):
    if fault["near"]:
        return f", {fault['near']}"
    return f" at {fault['address']}" if fault["address"] else ""


def endless(explanation, answer):
    """The sentence for a kernel of an answer's that the simulated driver ended, as it never would; "" where there is
    none."""
    match = ENDED.search(explanation)
    if match is None or not isinstance(answer, str):
        return ""
    name, who, number = match.groups()
    lines, where = answer.splitlines(), ""
    if number and int(number) <= len(lines):
        where = f" When its time was up, {who} was in line {number}, `{lines[int(number) - 1].strip()}`."
    return (f"Your kernel `{name}` was stopped, because the check waits no longer.{where} Can the loop there come to "
            "its end?")


def findings(explanation):
    """The findings that the simulated driver told, a line each."""
    return FINDING.findall(explanation)
