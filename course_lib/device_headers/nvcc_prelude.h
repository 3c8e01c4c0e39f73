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
