HOST, DEVICE = {3: 8, 4: 2, 7: 5, 10: 0}, {3: 8, 9: 2, 11: 6, 5: 0}

def in_memory(table, address):
    return table[address // 16] * 16 + address % 16 if address // 16 in table else None

def same_byte(host_address, device_address):
    ...         # about two lines
