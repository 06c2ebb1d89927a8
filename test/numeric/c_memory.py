"""Memory that catches stray reads and writes, and tensors placed in it with any strides."""
import ctypes
import mmap

import numpy as np

PAGE = mmap.PAGESIZE
CANARY_BYTES = 64
PROT_NONE, PROT_READ, PROT_WRITE = 0, 1, 2
MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE = 0x02, 0x20, 0x4000
# In every float type this byte repeated is a NaN: reading a gap or a forgotten element shows.
GAP = 0xFF

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Tensor(ctypes.Structure):
    """fovea_tensor: the layout of DLPack's DLTensor."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


DTYPE_CODE = {"i": 0, "u": 1, "f": 2, "V": 4, "b": 6}  # V: bfloat16, as ml_dtypes has it


def mapped(size, flags=0):
    """The address of that many fresh bytes."""
    flags |= MAP_PRIVATE | MAP_ANONYMOUS
    address = libc.mmap(None, size, PROT_READ | PROT_WRITE, flags, -1, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise MemoryError("mmap of %d bytes: errno %d" % (size, ctypes.get_errno()))
    return address


def guarded(size, side="after"):
    """The address of `size` bytes with an unreadable page right behind (or before) them."""
    pages = -(-max(size, 1) // PAGE) * PAGE
    start = mapped(pages + 2 * PAGE)
    for guard in (start, start + PAGE + pages):
        libc.mprotect(guard, PAGE, PROT_NONE)
    return start + PAGE + (pages - size if side == "after" else 0)


def bytes_at(address, size):
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def compact_strides(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return strides[::-1]


def extent(shape, strides):
    """How many elements lie between the first and the last, both counted."""
    if 0 in shape:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))


class Placed:
    """A tensor at an address of our choice. `array` is a NumPy view of its elements."""

    def __init__(self, address, shape, dtype, strides=None, byte_offset=0):
        dtype = np.dtype(dtype)
        self.strides = list(strides) if strides is not None else compact_strides(shape)
        self.bytes = extent(shape, self.strides) * dtype.itemsize
        count = len(shape)
        self._shape = (ctypes.c_int64 * count)(*shape)
        self._strides = (ctypes.c_int64 * count)(*self.strides)
        self.c = Tensor(address - byte_offset, 1, 0, count, DTYPE_CODE[dtype.kind],
                        8 * dtype.itemsize, 1, self._shape,
                        self._strides if strides is not None else None, byte_offset)
        self.address = address
        base = (ctypes.c_uint8 * max(self.bytes, 1)).from_address(address)
        self.array = np.ndarray(shape, dtype, base, 0,
                                [stride * dtype.itemsize for stride in self.strides])


def place(values, strides=None, side="after", byte_offset=0, shift=0):
    """An input: the values in guarded memory, with NaN in the gaps between rows.

    `shift` moves the tensor that many bytes away from the guard page.
    """
    values = np.asarray(values)
    size = extent(values.shape, strides or compact_strides(values.shape)) * values.itemsize
    address = guarded(size + shift, side)
    bytes_at(address, size + shift)[:] = GAP
    placed = Placed(address + (shift if side == "before" else 0), values.shape, values.dtype,
                    strides, byte_offset)
    np.copyto(placed.array, values)
    return placed


class Output:
    """An output inside a filled buffer, which knows whether anything around it was touched."""

    FILL = 0xC5

    def __init__(self, shape, dtype, strides=None, base_shift=0):
        strides = strides or compact_strides(shape)
        size = extent(shape, strides) * np.dtype(dtype).itemsize
        self.buffer = np.full(size + 2 * CANARY_BYTES + base_shift + 64, self.FILL, np.uint8)
        aligned = -self.buffer.ctypes.data % 64
        start = aligned + CANARY_BYTES + base_shift
        self.placed = Placed(self.buffer.ctypes.data + start, shape, dtype, strides)
        self.owned = np.zeros(len(self.buffer), bool)
        np.ndarray(tuple(shape) + (np.dtype(dtype).itemsize,), bool, self.owned, start,
                   list(self.placed.array.strides) + [1])[...] = True

    @property
    def c(self):
        return self.placed.c

    @property
    def array(self):
        return self.placed.array

    def strays(self):
        """How many bytes around and between the elements were written."""
        return int((self.buffer[~self.owned] != self.FILL).sum())

    def untouched(self):
        return bool((self.buffer == self.FILL).all())
