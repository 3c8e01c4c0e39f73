"""What NVIDIA's compilers write and this interpreter does not have: by its first letters in PTX, and what a programmer calls it.

Not here: what there is (instructions/). A word in neither is refused by its name alone.
"""

ABSENT = {
    "tex.": "textures", "tld4.": "textures", "txq.": "textures", ".texref": "textures", ".samplerref": "textures",
    "suld.": "surfaces", "sust.": "surfaces", "sured.": "surfaces", "suq.": "surfaces", ".surfref": "surfaces",
    ".explicitcluster": "clusters of blocks", ".reqnctapercluster": "clusters of blocks", ".maxclusterrank": "clusters of blocks",
    "barrier.cluster": "clusters of blocks", "mapa.": "clusters of blocks", "getctarank.": "clusters of blocks",
    "%cluster": "clusters of blocks", "%nclusterid": "clusters of blocks", "%is_explicit_cluster": "clusters of blocks",
    "wmma.": "tensor cores", "mma.": "tensor cores", "wgmma.": "tensor cores", "ldmatrix.": "tensor cores", "stmatrix.": "tensor cores",
    "movmatrix.": "tensor cores",
    "cp.async.bulk": "bulk copies (TMA)", "cp.reduce.async.bulk": "bulk copies (TMA)", "prefetch.tensormap": "bulk copies (TMA)",
    "mbarrier.": "clusters of blocks",      # their forms of it
    **dict.fromkeys(("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset", "vmad", "vavrg"),
                    "some of the video instructions"),
    "griddepcontrol.": "launches that depend on each other's kernels",
    "__cudaCDP2": "kernels that launch kernels",
}


def not_simulated(word):
    """``": textures are not simulated"`` for a word of such a family, in the middle of a message; "" for another word."""
    family = next((family for begins, family in ABSENT.items() if word.startswith(begins)), None)
    return f": {family} are not simulated" if family else ""
