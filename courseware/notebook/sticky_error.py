"""CUDA that a kernel has broken for this process says so, in whichever cell that is met.

After a kernel's fault most calls of CUDA in the process fail, in a new context too, and PyCUDA names the innocent call:
"cuFuncSetBlockShape failed". So after a cell that ended in an exception the driver is asked whether that has happened,
and if it has, a sentence under the traceback says what that means and what to do.

Not here: what went wrong. Over the simulated driver a message says that where it happens.
"""
import sys

SENTENCE = ("A kernel has broken CUDA for this notebook's process ({error}). Most of its CUDA calls fail from now on, "
            "with a GPU and without. Choose Kernel > Restart Kernel, change the cell whose kernel went wrong, and run "
            "the cells from the top. (Run experiments that may end like this in the sandbox: sandbox.run.)")


def install():
    """Have this notebook's kernel look after each failed cell. `import courseware` calls it; elsewhere it does
    nothing."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell and look not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", look)


def look(result):
    """IPython's `post_run_cell`: print the sentence if the cell failed and a kernel has broken CUDA."""
    if result.error_in_exec is not None and (error := sticky_error()):
        print(SENTENCE.format(error=error), file=sys.stderr)


def sticky_error():
    """The name of the error that this process is left with; None where there is none, or no context is current.

    CUDA call: cuCtxSynchronize, and only where this process uses CUDA already.
    """
    if "pycuda.driver" not in sys.modules and "cuda.bindings.driver" not in sys.modules:
        return None
    from cuda.bindings import driver as cu
    status, = cu.cuCtxSynchronize()
    harmless = (cu.CUresult.CUDA_SUCCESS, cu.CUresult.CUDA_ERROR_INVALID_CONTEXT,
                cu.CUresult.CUDA_ERROR_NOT_INITIALIZED, cu.CUresult.CUDA_ERROR_DEINITIALIZED)
    return None if status in harmless else status.name
