"""The memory map as a picture: what stands where (layout.py), and the picture that stands still (still.py).

And the pictures of pages (pages.py) and of the inside of a launch (inside.py), with what these two have in common
(scale.py, shapes.py). All stand in one frame (frame.py).
"""
