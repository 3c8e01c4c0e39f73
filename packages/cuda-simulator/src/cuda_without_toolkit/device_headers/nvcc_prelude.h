#pragma once
// What nvcc's implicit cuda_runtime.h brings along from the host's headers.
// libcu++ defines some of these constants again, with other words for the same values (warning 47).
#pragma nv_diag_suppress 47
#include "limits.h"
#include "math.h"
#include "stdint.h"
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef long ssize_t;

// NVRTC has pow for two floats, for two doubles, and for either with an int; a call with other arguments is ambiguous.
// nvcc's math_functions.h takes libstdc++'s template: it takes any two numbers as doubles.
namespace nvcc_prelude {
// Enumerators, because a static member would be a variable of every module.
template <class T> struct is_number { enum { value = false }; };
#define NVCC_PRELUDE_NUMBER(T) template <> struct is_number<T> { enum { value = true }; };
NVCC_PRELUDE_NUMBER(bool) NVCC_PRELUDE_NUMBER(char) NVCC_PRELUDE_NUMBER(signed char) NVCC_PRELUDE_NUMBER(unsigned char)
NVCC_PRELUDE_NUMBER(short) NVCC_PRELUDE_NUMBER(unsigned short) NVCC_PRELUDE_NUMBER(int) NVCC_PRELUDE_NUMBER(unsigned)
NVCC_PRELUDE_NUMBER(long) NVCC_PRELUDE_NUMBER(unsigned long) NVCC_PRELUDE_NUMBER(long long)
NVCC_PRELUDE_NUMBER(unsigned long long) NVCC_PRELUDE_NUMBER(float) NVCC_PRELUDE_NUMBER(double)
#undef NVCC_PRELUDE_NUMBER
template <bool> struct double_if {};
template <> struct double_if<true> { typedef double type; };
}
template <class T, class U>
__device__ inline typename nvcc_prelude::double_if<bool(nvcc_prelude::is_number<T>::value)
                                                   && bool(nvcc_prelude::is_number<U>::value)>::type pow(T x, U y)
{
    return pow(static_cast<double>(x), static_cast<double>(y));
}
