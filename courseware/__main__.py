"""The commands of the course beside its notebooks.

    python -m courseware record         measures the bandwidths of this machine's GPU (bandwidth/command.py)
    python -m courseware grade FOLDER   the records of a class as a gradebook and slides (grading/)

Not here: what the course would run on (``python -m course_lib``), and the exercises for teachers
(``python -m courseware.exercises``).
"""
import argparse
import sys

from course_lib.core.errors import WrongArgument

from course_files import NotOurs


def main(arguments=()):
    """Do what the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m courseware",
                                     description="The course's commands beside its notebooks.")
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="measure the bandwidths of this machine's GPU, into a file")
    record.add_argument("--quick", action="store_true", help="fewer sizes and samples: about a minute instead of four")
    record.add_argument("--output", metavar="FILE",
                        help="the file to write (default: named after the device and the day)")
    grade = commands.add_parser("grade", help="the records of a class as a gradebook and slides")
    grade.add_argument("folder", help="or a .zip, with a folder for each learner and course-progress.json in it")
    grade.add_argument("--class-list", metavar="FILE",
                       help="a CSV file with a line for each learner, for the gradebook")
    grade.add_argument("--table", metavar="FILE", default="gradebook.csv", help="the CSV file to write (%(default)s)")
    grade.add_argument("--picture", metavar="FILE", default="class.png",
                       help="what the names of the PNG files to write begin with (%(default)s)")
    options = parser.parse_args(arguments)
    return make_grades(options) if options.command == "grade" else make_recording(options)


def make_grades(options):
    """Read the records of a class; returns the exit status."""
    from .grading import grade
    try:
        grade(options.folder, options.table, options.picture, options.class_list)
    except (WrongArgument, NotOurs, OSError) as error:
        print(error)
        return 1
    return 0


def make_recording(options):
    """Measure this machine's GPU into a file; returns the exit status."""
    from .bandwidth import command
    return command.record(options.quick, options.output)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
