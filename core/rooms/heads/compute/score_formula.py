"""How a score of attention follows from its dot product: as LaTeX, in symbols and in the numbers of one cell."""

from core.inspect.trace import AttentionRecord


def in_symbols(record: AttentionRecord, product: str, divided: str, bias: str = r"\text{bias}") -> str:
    """The score, of the product of a query and a key.

    Args:
        product: how that is written; `divided`: how, divided by the root of the head's width.
        bias: how what positions add is written, where they add something.
    """
    scaled = divided if record.is_scaled else product if record.scale == 1 else rf"{record.scale:.4g}\,{product}"
    if record.softcap is not None:
        scaled = rf"{record.softcap:g}\,\tanh\!\left({scaled} \,/\, {record.softcap:g}\right)"
    return scaled if record.bias is None else f"{scaled} + {bias}"


def in_numbers(record: AttentionRecord, layer: int, head: int, query: int, key: int) -> str:
    """Lines of LaTeX, each aligned at its `&`; the last one gives the score."""
    q, k = record.q[layer, head, query], record.k[layer, head, key]
    dot, score = float(q @ k), float(record.scores[layer, head, query, key])
    scaled = f"{dot:.3f}"
    if record.is_scaled:
        scaled = rf"\frac{{{dot:.3f}}}{{\sqrt{{{len(q)}}}}}"
    elif record.scale != 1:
        scaled = rf"{record.scale:.4g} \cdot " + (f"({dot:.3f})" if dot < 0 else f"{dot:.3f}")
    bias = "" if record.bias is None else f" {record.bias[head, query, key]:+.3f}"
    if record.softcap is None:
        return rf"\text{{score}} &= {scaled}{bias} = {score:.3f}"
    most = f"{record.softcap:g}"
    bounded = rf"\text{{score}} &= {most}\,\tanh(x / {most}){bias} = {score:.3f}"
    return rf"x &= {scaled} = {dot * record.scale:.3f} \\ {bounded}"
