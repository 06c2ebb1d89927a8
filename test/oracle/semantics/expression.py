"""The `expr` entries of a config, evaluated over broadcast arrays."""
import ast
import re

import numpy as np

FUNCTIONS = {"abs": np.abs, "min": np.minimum, "max": np.maximum, "exp": np.exp, "log": np.log,
             "tanh": np.tanh, "sqrt": np.sqrt, "select": np.where}
BINARY = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide,
          ast.FloorDiv: np.floor_divide, ast.Mod: np.mod}
COMPARE = {ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal,
           ast.Eq: np.equal, ast.NotEq: np.not_equal}


def evaluate(text, places, tensors):
    """`places` gives s, b, h, i, p and j; `tensors` the declared captures.

    An index past the end of a tensor reads its nearest element.
    """

    def value(node):
        if isinstance(node, ast.Constant):
            return np.asarray(node.value)
        if isinstance(node, ast.Name):
            return places[node.id]
        if isinstance(node, ast.BinOp):
            return BINARY[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp):
            operand = value(node.operand)
            return np.logical_not(operand) if isinstance(node.op, ast.Not) else -operand
        if isinstance(node, ast.BoolOp):
            join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            result = value(node.values[0])
            for operand in node.values[1:]:
                result = join(result, value(operand))
            return result
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return COMPARE[type(node.ops[0])](value(node.left), value(node.comparators[0]))
        if isinstance(node, ast.Call):
            return FUNCTIONS[node.func.id](*map(value, node.args))
        if isinstance(node, ast.Subscript):
            at = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            tensor = tensors[node.value.id]
            if tensor.dtype.kind not in "biu":
                tensor = tensor.astype(np.float64)
            return tensor[tuple(np.clip(value(a).astype(np.int64), 0, size - 1)
                                for a, size in zip(at, tensor.shape))]
        raise SystemExit("expr: cannot read '%s'" % text)

    python = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
    with np.errstate(all="ignore"):
        return value(ast.parse(python.strip(), mode="eval").body)
