"""How far from the oracle a result may be: the one place that says so.

f32: with E = |emulated - exact|, the error of the oracle's own float32 emulation,
    largest: |got - exact| <= 3 * max(E) + floor, element by element
    RMS:     rms(got - exact) <= 1.5 * rms(E) + rms(floor) / 2
where
    floor = eps * (4 M + 2 L N)

M is the magnitude that the element is rounded at: for out the sum of weight * |v| (for a layer the
largest |out|), for lse max(1, |lse|), for weights the weight itself. N is M too, but 1 for lse.
L = sum of weight * |score| over the row: a score is rounded at least once, in whatever base the
kernel takes the exponent, and an error of eps * |score| in it is a relative error in the weight. A
floor is needed since on small or neat inputs (all scores equal, one key) the emulation is exact by
luck, and three times zero would forbid a kernel the rounding that its type requires.

f16, bf16: the same, with float32's eps, since that is what a kernel computes in. The emulation is
rounded to the type as `reference.py run --emulate` writes it, which makes most of E. For the same
luck half a unit of the type is added to the floor of out and weights: that of |exact|, not of M.

f64: |got - exact| <= 1e-12 * (M + L N / 200).

Where the exact value is NaN or infinite the result must not be finite (which of them is not
specified), an lse of -inf must be just that, and a row with no allowed key must be exactly 0.
"""
import numpy as np

from semantics import attention
from semantics.config import head_counts, input_dtype, statistics_dtype
from semantics.layouts import merge_heads, split_heads

# Added to every floor: a kernel may keep or flush what is this small, or clamp an exponent there.
NEGLIGIBLE = 2 * float(np.finfo(np.float32).tiny)
# Half a unit of the 16-bit types: relative, and of numbers below the smallest normal one.
HALF_UNIT = {"float16": (2.0 ** -11, 2.0 ** -25), "bfloat16": (2.0 ** -8, 0.0)}


class Judge:
    """The oracle's answers for one config and inputs, and what is near enough to them."""

    def __init__(self, config, inputs, within=None):
        self.config, self.within = config, within or {}
        masked = dict(config, scores_after="mask")
        self.exact = self._heads_first(attention(masked, inputs))
        self.double = input_dtype(config).itemsize == 8
        self.emulated = None if self.double else self._emulate(inputs)
        self.logits = self._weighted_logits()
        self.magnitude = {"out": self._out_magnitude(masked, inputs),
                          "lse": np.maximum(1.0, np.abs(self.exact["lse"])),
                          "weights": self.exact["weights"]}

    def kept(self, name):
        return (statistics_dtype if name == "lse" else input_dtype)(self.config)

    def _heads_first(self, outputs):
        """`out` of whatever layout as [B, H, S, D]; that of a layer stays as it is."""
        if self.config.get("kind", "sdpa") != "sdpa" or "out" not in outputs:
            return outputs
        layout, (heads, _) = self.config.get("layout", "bhsd"), head_counts(self.config)
        return dict(outputs, out=split_heads(outputs["out"], layout, heads))

    def _emulate(self, inputs):
        """The emulation, rounded to the types that it would be written in."""
        with np.errstate(over="ignore"):
            emulated = {name: x.astype(self.kept(name)).astype(np.float64) for name, x
                        in attention(self.config, inputs, emulate=True).items()
                        if name in ("out", "lse", "weights")}
        return self._heads_first(emulated)

    def _weighted_logits(self):
        with np.errstate(invalid="ignore"):
            terms = self.exact["weights"] * np.abs(self.exact["scores"])
        return np.where(np.isfinite(terms), terms, 0.0).sum(axis=-1)

    def _out_magnitude(self, config, inputs):
        if config.get("kind", "sdpa") == "sdpa":
            absolute = attention(config, dict(inputs, v=np.abs(inputs["v"])))
            return self._heads_first(absolute)["out"]
        out = np.abs(self.exact["out"])
        return np.broadcast_to(out[np.isfinite(out)].max(initial=0.0), out.shape)

    def _logits_for(self, name):
        if name == "lse":
            return self.logits
        if name == "weights" or self.config.get("kind", "sdpa") == "sdpa":
            return self.logits[..., None]
        return self.logits.max(initial=0.0)

    def floor(self, name):
        with np.errstate(invalid="ignore"):
            magnitude, logits = self.magnitude[name], self._logits_for(name)
            spread = logits if name == "lse" else logits * magnitude
            if self.double:
                allowed = 1e-12 * (magnitude + spread / 200)
            else:
                allowed = np.finfo(np.float32).eps * (4 * magnitude + 2 * spread)
                relative, absolute = HALF_UNIT.get(self.kept(name).name, (0.0, 0.0))
                allowed = allowed + relative * np.abs(self.exact[name]) + absolute
            return np.nan_to_num(allowed, nan=0.0, posinf=0.0) + NEGLIGIBLE

    def problem(self, name, got):
        """What is wrong with this output, or None."""
        layout, kept = self.config.get("layout", "bhsd"), self.kept(name)
        want = self.exact[name]
        if name == "out" and self.config.get("kind", "sdpa") == "sdpa":
            shape = merge_heads(want, layout).shape
            if got.shape == shape:
                got = self._heads_first({"out": got})["out"]
            else:
                return "out: expected the shape %s, found %s" % (shape, got.shape)
        if got.shape != want.shape or got.dtype != kept:
            return "%s: expected %s of %s, found %s of %s" % (name, want.shape, kept, got.shape,
                                                              got.dtype)
        got = got.astype(np.float64)
        finite = np.isfinite(want)
        empty = np.isneginf(want) if name == "lse" else np.zeros(want.shape, bool)
        if name == "out" and self.config.get("kind", "sdpa") == "sdpa":
            no_keys = np.broadcast_to(np.isneginf(self.exact["lse"])[..., None], want.shape)
            wrong = no_keys & (got != 0)
            if wrong.any():
                return describe(name, wrong, got, want, "a row without allowed keys must be 0")
        wrong = (np.isfinite(got) != finite) | (empty & ~np.isneginf(got))
        if wrong.any():
            return describe(name, wrong, got, want, "finite and non-finite differ")
        return self._error(name, got, want, finite)

    def _error(self, name, got, want, finite):
        error = np.abs(np.where(finite, got, 0.0) - np.where(finite, want, 0.0))
        if name in self.within:
            wrong = error > self.within[name]
            return describe(name, wrong, got, want, "error") if wrong.any() else None
        floor = np.broadcast_to(self.floor(name), want.shape)
        yardstick = np.zeros(want.shape)
        if not self.double:
            emulated = np.where(finite, self.emulated[name], 0.0)
            yardstick = np.abs(emulated - np.where(finite, want, 0.0))
        wrong = error > 3 * yardstick.max(initial=0.0) + floor
        if wrong.any():
            return describe(name, wrong, got, want, "largest error, where the emulation has %.3g,"
                            % yardstick.max(initial=0.0))
        limit = 1.5 * rms(yardstick) + rms(floor) * (1.0 if self.double else 0.5)
        if rms(error) > limit:
            return "%s: RMS error %.3g, expected at most %.3g" % (name, rms(error), limit)
        return None


def rms(x):
    return float(np.sqrt(np.mean(np.square(x)))) if x.size else 0.0


def describe(name, wrong, got, want, what):
    """The worst of the wrong elements, where it is, and how many there are."""
    with np.errstate(invalid="ignore"):
        error = np.where(wrong, np.nan_to_num(np.abs(got - want), nan=np.inf, posinf=np.inf), -1.0)
    at = np.unravel_index(int(error.argmax()), error.shape)
    return "%s[%s]: %s: expected %.9g, found %.9g (%d of %d elements)" % (
        name, ", ".join(map(str, at)), what, want[at], got[at], int(wrong.sum()), wrong.size)
