def offsets(sizes):
    found = [0]
    for size in sizes:
        found.append(found[-1] + size)
    return found
