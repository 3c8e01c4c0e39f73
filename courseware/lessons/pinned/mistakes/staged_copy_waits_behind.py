import pycuda.driver as cuda

def staged_copy(source, target, staging, stream):
    for start in range(0, len(source), len(staging)):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        stream.synchronize()
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
    stream.synchronize()
