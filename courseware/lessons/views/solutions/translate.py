def translate(table, address):
    page, offset = divmod(address, 16)
    if page not in table:
        return None
    return table[page] * 16 + offset
