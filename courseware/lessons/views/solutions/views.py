def views(table, byte):
    page, offset = divmod(byte, 16)
    return sorted(view * 16 + offset for view in table if table[view] == page)
