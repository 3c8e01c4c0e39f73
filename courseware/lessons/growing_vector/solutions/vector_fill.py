import pycuda.driver as cuda

def fill(address, data, buffers, streams, work):
    size = len(buffers[0])
    for number, start in enumerate(range(0, len(data), size)):
        buffer, stream = buffers[number % 2], streams[number % 2]
        piece = buffer[:len(data) - start]
        stream.synchronize()
        piece[:] = data[start:start + size]
        cuda.memcpy_htod_async(address + 4 * start, piece, stream)
        work(address + 4 * start, len(piece), stream)
    for stream in streams:
        stream.synchronize()
