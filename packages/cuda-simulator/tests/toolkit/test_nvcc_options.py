"""nvcc's options as NVRTC takes them."""
from cuda_without_toolkit.nvcc_options import UnknownOption, translate

import pytest


@pytest.mark.parametrize("options, expected", [
    (["-DN=4"], ["--define-macro=N=4"]),
    (["-D", "N=4"], ["--define-macro=N=4"]),
    (["-DN"], ["--define-macro=N"]),
    (["--define-macro=N=4"], ["--define-macro=N=4"]),
    (["-UN"], ["--undefine-macro=N"]),
    (["-I/some where"], ["--include-path=/some where"]),
    (["-I", "/a", "--include-path", "/b"], ["--include-path=/a", "--include-path=/b"]),
    (["-use_fast_math"], ["--use_fast_math"]),
    (["--use_fast_math"], ["--use_fast_math"]),
    (["-std=c++17"], ["--std=c++17"]),
    (["-std", "c++17"], ["--std=c++17"]),
    (["-lineinfo", "-G"], ["--generate-line-info", "--device-debug"]),
    (["-maxrregcount=32"], ["--maxrregcount=32"]),
    (["--fmad=false", "-ftz=true"], ["--fmad=false", "--ftz=true"]),
    (["-rdc=true"], ["--relocatable-device-code=true"]),
    (["-include", "mine.h"], ["--pre-include=mine.h"]),
    (["-Xptxas", "-v"], ["--ptxas-options=-v"]),
    (["--ptxas-options=-v"], ["--ptxas-options=-v"]),
])
def test_an_option_of_device_code_keeps_its_meaning(options, expected):
    assert translate(options).options == expected


@pytest.mark.parametrize("options", [
    ["-O3"], ["-O", "3"], ["-Xcompiler", "-fPIC"], ["--compiler-options=-Wall"], ["-lcudadevrt"], ["-L/lib"], ["-m64"],
    ["-g"], ["--keep"], ["-ccbin", "/usr/bin/gcc-12"], ["-Wno-deprecated-gpu-targets"], ["-v"],
    ["-e", "kernel"], ["--entries=kernel"]])
def test_an_option_of_the_host_compiler_or_the_linker_is_passed_over(options):
    assert translate(options).options == []


@pytest.mark.parametrize("options, arch", [
    (["-arch", "sm_90"], "sm_90"),
    (["-arch=sm_90"], "sm_90"),
    (["--gpu-architecture=compute_80"], "compute_80"),
    (["-arch", "compute_80", "-code", "sm_90"], "sm_90"),
    (["-gencode", "arch=compute_80,code=sm_86"], "sm_86"),
    ([], None),
])
def test_the_architecture_is_told_apart(options, arch):
    translated = translate(options)
    assert translated.arch == arch
    assert translated.options == []


@pytest.mark.parametrize("option", ["--funny", "-funny", "-use_fast_maths", "--std17", "-Q"])
def test_an_unknown_option_is_named(option):
    with pytest.raises(UnknownOption, match=option):
        translate(["-DN=4", option])


@pytest.mark.parametrize("options", [["kernel.cu"], ["-std"]])
def test_a_stray_word_and_a_missing_value_are_named(options):
    with pytest.raises(UnknownOption, match=options[-1]):
        translate(options)
