def offsets(sizes):
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size)
    return starts
