"""The memory map as a picture: where everything goes (layout.py, scale.py) and how it is drawn (svg.py, rows.py, shapes.py)."""
