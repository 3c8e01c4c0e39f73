"""IPython's settings for the kernels of an environment; the set-up copies them to etc/ipython in it."""
get_config().InteractiveShellApp.extensions.append("missing_name")  # noqa: F821  (IPython runs this, and has defined it)
