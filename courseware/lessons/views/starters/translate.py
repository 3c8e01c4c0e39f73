def translate(table, address):
    ...         # about four lines
