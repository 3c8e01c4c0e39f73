"""One module of questions for each subject."""
