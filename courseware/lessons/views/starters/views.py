def views(table, byte):
    ...         # about two lines
