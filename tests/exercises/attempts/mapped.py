"""Attempts at the exercises of "Mapped memory"."""
from . import right, wrong

FASTER = "def faster(nbytes, reads, link, memory):\n"

ATTEMPTS = {
    "copy-or-zero-copy": (
        right("times for one byte", FASTER + """
    return "copy" if link["start"] / nbytes + 1 / link["copy"] + reads / memory < reads / link["kernel"] else "zero-copy\""""),
        right("min over a dict", FASTER + """
    times = {"copy": link["start"] + nbytes / link["copy"] + nbytes * reads / memory, "zero-copy": nbytes * reads / link["kernel"]}
    return min(times, key=times.get)"""),
        right("an if", FASTER + """
    in_place = reads * (nbytes / link["kernel"])
    first = link["start"] + nbytes / link["copy"]
    for _ in range(reads):
        first += nbytes / memory
    if in_place <= first:
        return "zero-copy"
    else:
        return "copy\""""),
        wrong("reads passed over", "however often the kernel reads", FASTER + """
    copied = link["start"] + nbytes / link["copy"] + nbytes / memory
    return "copy" if copied < nbytes / link["kernel"] else "zero-copy\""""),
        wrong("reads passed over, and device memory", "however often the kernel reads", FASTER + """
    return "copy" if link["start"] + nbytes / link["copy"] < nbytes / link["kernel"] else "zero-copy\""""),
        wrong("in place once", "crosses the link anew", FASTER + """
    copied = link["start"] + nbytes / link["copy"] + reads * nbytes / memory
    return "copy" if copied < nbytes / link["kernel"] else "zero-copy\""""),
        wrong("copied each time", "however often the kernel reads", FASTER + """
    copied = link["start"] + reads * (nbytes / link["copy"] + nbytes / memory)
    in_place = reads * nbytes / link["kernel"]
    return "copy" if copied < in_place else "zero-copy\""""),
        wrong("turned round", "You return the slower one", FASTER + """
    copied = link["start"] + nbytes / link["copy"] + reads * nbytes / memory
    in_place = reads * nbytes / link["kernel"]
    return "zero-copy" if copied < in_place else "copy\""""),
        wrong("multiplied", "", FASTER + """
    copied = link["start"] + nbytes * link["copy"] + reads * nbytes * memory
    return "copy" if copied < reads * nbytes * link["kernel"] else "zero-copy\""""),
        wrong("always copy", "the same every time", FASTER + "    return 'copy'"),
        wrong("copy from two reads on", "", FASTER + "    return 'copy' if reads >= 2 else 'zero-copy'"),
        wrong("another spelling", "letter by letter", FASTER + """
    copied = link["start"] + nbytes / link["copy"] + reads * nbytes / memory
    return "copy" if copied < reads * nbytes / link["kernel"] else "zero_copy\""""),
        wrong("another word", "not one of the words", FASTER + """
    copied = link["start"] + nbytes / link["copy"] + reads * nbytes / memory
    return "copy" if copied < reads * nbytes / link["kernel"] else "in place\""""),
        wrong("True and False", "a text", FASTER + """
    return link["start"] + nbytes / link["copy"] + reads * nbytes / memory < reads * nbytes / link["kernel"]"""),
        wrong("attributes", "raises AttributeError", FASTER + """
    return "copy" if link.start + nbytes / link.copy + reads * nbytes / memory < reads * nbytes / link.kernel else "zero-copy\""""),
        wrong("the time", "a text", FASTER + "    return link['start'] + nbytes / link['copy'] + reads * nbytes / memory"),
        right("min over a dict, key first for ties", FASTER + """
    t = {"zero-copy": reads * nbytes / link["kernel"], "copy": link["start"] + nbytes / link["copy"] + reads * nbytes / memory}
    return min(t, key=t.get)"""),
        wrong("without nbytes", "for little data these decide", FASTER + """
    return "zero-copy" if reads / link["kernel"] < 1 / link["copy"] + reads / memory else "copy\""""),
        wrong("multiplies by rate", "you multiply", FASTER + """
    a = link["start"] + nbytes * link["copy"] + nbytes * reads * memory
    b = nbytes * reads * link["kernel"]
    return "copy" if a < b else "zero-copy\""""),
    ),
}
