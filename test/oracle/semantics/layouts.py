"""Layouts of q, k, v and out; everything inside the oracle is [B, H, S, D]."""


def split_heads(x, layout, heads):
    """To [B, H, S, D]."""
    if layout == "bhsd":
        return x
    if layout == "bshd":
        return x.transpose(0, 2, 1, 3)
    batch, length, width = x.shape
    return x.reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)


def merge_heads(x, layout):
    """From [B, H, S, D]."""
    if layout == "bhsd":
        return x
    batch, heads, length, dim = x.shape
    x = x.transpose(0, 2, 1, 3)
    return x if layout == "bshd" else x.reshape(batch, length, heads * dim)


def truth(x):
    """A bool tensor: one byte an element, any nonzero byte true.

    NumPy's own bool arithmetic is wrong on bytes other than 0 and 1, so look at the bytes.
    """
    return x.view("u1") != 0 if x.dtype == bool else x != 0
