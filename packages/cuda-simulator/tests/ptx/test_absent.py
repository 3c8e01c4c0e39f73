"""What the interpreter has not is refused when the module is loaded, by the name that a programmer knows it by."""
import pytest

from . import interpreter as ptx
from .cuda import compile, kernel


@pytest.mark.parametrize("construct, source, architecture", [
    ("textures", kernel("o[0] = tex2D<float>(t, 1.f, 2.f);", "cudaTextureObject_t t, float *o"), "compute_80"),
    ("textures", kernel("o[0] = tex2Dgather<float4>(t, 1.f, 2.f, 3);", "cudaTextureObject_t t, float4 *o"), "compute_80"),
    ("surfaces", kernel("o[0] = surf2Dread<float>(s, 4, 2);", "cudaSurfaceObject_t s, float *o"), "compute_80"),
    ("surfaces", kernel("surf2Dwrite(o[0], s, 4, 2);", "cudaSurfaceObject_t s, float *o"), "compute_80"),
    ("clusters of blocks", 'extern "C" __global__ void __cluster_dims__(2, 1, 1) k(int *o) { o[0] = 1; }', "compute_90"),
    ("clusters of blocks", 'extern "C" __global__ void __launch_bounds__(128, 1, 2) k(int *o) { o[0] = 1; }', "compute_90"),
    ("clusters of blocks", kernel("namespace g = cooperative_groups; g::this_cluster().sync();", "int *o",
                                  "#include <cooperative_groups.h>"), "compute_90"),
    ("tensor cores", kernel("using namespace nvcuda::wmma; fragment<accumulator, 16, 16, 16, float> c; fill_fragment(c, 0.f);"
                            "store_matrix_sync(o, c, 16, mem_row_major);", "float *o", "#include <mma.h>"), "compute_80"),
    ("some of the video instructions", kernel('asm("vadd.u32.u32.u32 %0, %0.b1, %0;" : "+r"(o[0]));', "unsigned *o"), "compute_80"),
])
def test_it_is_named(construct, source, architecture):
    with pytest.raises(ptx.PtxError, match=f": {construct} are not simulated"):
        ptx.load(compile(source, architecture))

