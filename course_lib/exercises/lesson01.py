"""..."""
EXERCISES = ()
