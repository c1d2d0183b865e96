"""The key-value cache of a GPT, which stores the keys and values of earlier tokens for later ones.

In a causal model, the vectors of a token never change once it has been read, and later tokens need only its keys and
values. So these are cached, and a step computes only the new tokens. `KeyValues.read` does the same arithmetic as
`GPT.forward`, written for few tokens: a single matrix product for queries, keys and values, as few operations as
possible, and logits after the last token only. The tests compare the two on every variant of the model.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.generate.block_functions import BlockFunctions, block_to_functions, plain_linear_function, plain_norm_function
from core.models.gpt import GPT
from core.nn.block import Block
from core.nn.positions import RelativeBias, RotarySettings, alibi_bias, sinusoidal

_Rotation = tuple[Tensor, Tensor]


class _PassPositions(NamedTuple):
    """The positions of a pass's N rows of T tokens.

    Args:
        is_step: True if there is one new token in each row, all at the same position, as in nearly every pass.
        start: the position of the first row's first token.
        end: the largest position plus 1, which is the number of slots of the tables that are read.
        shape: (N, T), or (N,) in a step.
        bias: added to the scores, broadcastable to (N H, T, S), in layers without a window (False) and with a window
            (True); None: all slots are read without a bias.
        row, position: (N, 1) and (N, T), if the rows are at different positions; else None.
    """

    is_step: bool
    start: int
    end: int
    shape: tuple[int, ...]
    bias: Mapping[bool, Tensor | None]
    row: Tensor | None = None
    position: Tensor | None = None


class _LayerCache(NamedTuple):
    """The part of a layer's cached keys and values that a pass reads, and the slots that it fills.

    Args:
        keys: (N G, K, S); values: (N G, S, K).
        new_keys, new_values: (N, T, G, K), the last T slots of both; without T in a step.
        halves: (N, S + 1, D / 2), see `KeyValues`.
    """

    keys: Tensor
    values: Tensor
    new_keys: Tensor
    new_values: Tensor
    halves: Tensor


class _NewQKV(NamedTuple):
    """A layer's queries, keys and values of the new tokens: a single tensor and views of its parts.

    Args:
        all: (M, (H + 2 G) K); qk: (N, T, H + G, K); q: (N, T, H, K); k, v: (N, T, G, K); without T in a step.
    """

    all: Tensor
    qk: Tensor
    q: Tensor
    k: Tensor
    v: Tensor


class KeyValues:
    """The cached keys and values of N sequences in a causal GPT. A token at position t of its sequence is in slot t.

    Sequences of different lengths share the tables. Slots after the end of a shorter one are never read, because a
    query reads the slots up to its own position.

    Args:
        model: its weights must not change while this is in use.

    Attributes:
        keys: (L, N, G, K, S), a column for each token, with room to grow; G heads, each shared by H / G query heads.
        values: (L, N, G, S, K), a row for each token.
        halves: (L, N, S + 1, D / 2), in a model with token shift: the half that each token's feed-forward passes to the
            next token, shifted by one slot; the first slot stays 0. In other models its width is 0.
    """

    can_go_back = True

    def __init__(self, model: GPT):
        self.config = model.config
        self.model = model
        blocks = cast(Sequence[Block], model.blocks)
        attn = blocks[0].attn
        self.n_head, self.n_kv_head, self.d_head = attn.n_head, attn.n_kv_head, attn.d_head
        self.n_turned = attn.rotary.n_turned(attn.d_head)
        self.style = model.config.block
        self.windowed = [model.config.has_window(layer) for layer in range(model.config.n_layer)]
        self.is_turned = [model.config.has_rotary(layer) for layer in range(model.config.n_layer)]
        self.window = {False: None, True: model.config.modern.window}
        self.layers = [block_to_functions(block) for block in blocks]
        self.norm, self.embed_norm = plain_norm_function(model.norm), plain_norm_function(model.embed_norm)
        self.embeddings, self.unembed = model.tok_emb.weight, plain_linear_function(model.unembed)
        self.tok_proj = model.tok_proj
        self.scale = 1 / math.sqrt(self.d_head) if attn.scale is None else attn.scale
        is_widened = model.tok_emb.is_widened  # then everything except the matrices is float32
        self.nothing = self.embeddings.new_zeros(1, 1, 1, dtype=torch.float32 if is_widened else None)
        self.d_half = model.config.d_model // 2 if model.config.modern.token_shift else 0
        self.keys, self.values, self.halves = self._room(0, 0)
        self.fresh: _NewQKV | None = None
        self.added: Tensor | None = None  # (S, D) to the embeddings, by position
        self.rotations: dict[bool, _Rotation] = {}  # has a window -> cosines and sines (S, 1, K) by position
        self.bias: Tensor | None = None  # (H, S) to the scores, by distance

    def choose(self, rows: Sequence[int], lengths: Sequence[int], known: int) -> None:
        """Replace row n by the former row rows[n]; rows may be reordered, repeated or dropped.

        Args:
            rows: N of them.
            lengths: the number of tokens of each row that are kept. Only other caches need it; here, later slots are
                overwritten later.
            known: the number of slots of every row that are correct already.
        """
        index = list(rows)
        if not self.keys.shape[1]:
            self.keys, self.values, self.halves = self._room(len(rows), 0)
        elif len(rows) != self.keys.shape[1]:
            self.keys, self.values, self.halves = (one[:, index] for one in (self.keys, self.values, self.halves))
        elif known < max(lengths):
            part, behind = slice(known, max(lengths)), slice(known + 1, max(lengths) + 1)
            self.keys[..., part] = self.keys[:, index, :, :, part]
            self.values[:, :, :, part] = self.values[:, index, :, part]
            self.halves[:, :, behind] = self.halves[:, index, behind]

    def read(self, new: Sequence[Sequence[int]], starts: Sequence[int], n_last: int = 1) -> Float[Tensor, "M V"]:
        """Read new tokens and return the logits after the last one of each row, or after each of the last n_last.

        Args:
            new: at least n_last tokens for each row.
            starts: the position of each row's first new token; the slots before it are filled.
        """
        n_row, counts = len(new), [len(row) for row in new]
        n_token = max(counts)
        self._grow(max(starts) + n_token)
        place = self._place(starts, counts, n_token)
        if min(counts) < n_token:  # padding on the right, where no query looks
            new = [[*row, *[0] * (n_token - len(row))] for row in new]
        ids = torch.tensor(new, device=self.nothing.device).flatten()  # (M,), M = N T
        x = self.embeddings.index_select(0, ids).to(self.nothing.dtype)
        x = self.tok_proj(x)  # (M, D)
        if self.config.modern.embed_scale != 1:
            x = x * self.config.modern.embed_scale
        if self.added is not None:
            added = self.at(self.added, place)  # (D,), (T, D) or (N, T, D)
            x = x + (added if place.is_step else added.expand(n_row, n_token, -1).reshape(x.shape))
        x = self.embed_norm(x)
        rotations = {kind: (self.at(cos, place), self.at(sin, place)) for kind, (cos, sin) in self.rotations.items()}
        fresh = self._fresh(place)
        for n, (layer, table) in enumerate(zip(self.layers, self._tables(place), strict=True)):
            windowed = self.windowed[n]
            rotation = rotations[windowed] if self.is_turned[n] else None
            x = self._block(layer, table, fresh, x, place, rotation, place.bias[windowed])  # (M, D)
        if n_token > 1:
            ends = [n * n_token + count for n, count in enumerate(counts)]
            x = x[torch.tensor([end - n for end in ends for n in range(n_last, 0, -1)], device=x.device)]
        return self.model.soft_capped(self.unembed(self.norm(x)))  # (N n_last, V)

    def _block(
        self,
        layer: BlockFunctions,
        table: _LayerCache,
        fresh: _NewQKV,
        x: Tensor,
        place: _PassPositions,
        rotation: _Rotation | None,
        bias: Tensor | None,
    ) -> Float[Tensor, "M D"]:
        """Compute the same as `core.nn.block.Block`."""
        style, came = self.style, x
        read = layer.norm_1(x) if style.norm_first else x
        change = layer.norm_1_out(self.attention(layer, table, fresh, read, place, rotation, bias))
        x = x + change if style.residual else change
        x = layer.norm_1(x) if style.post_norm else x
        if layer.mlp is not None:
            if style.parallel != "one norm":
                read = came if style.parallel else x
                read = layer.norm_2(read) if style.norm_first else read
            change = layer.norm_2_out(layer.mlp(self._shift(table.halves, read, place) if self.d_half else read))
            x = x + change if style.residual else change
            x = layer.norm_2(x) if style.post_norm else x
        return x

    def attention(
        self,
        layer: BlockFunctions,
        table: _LayerCache,
        fresh: _NewQKV,
        x: Tensor,
        place: _PassPositions,
        rotation: _Rotation | None,
        bias: Tensor | None,
    ) -> Float[Tensor, "M D"]:
        """Compute the same as `core.nn.attention.MultiHeadAttention`, with cached keys and values of earlier tokens."""
        layer.project(x, out=fresh.all)
        q, k, v = fresh.q, fresh.k, fresh.v  # (N, T, H, K), (N, T, G, K) twice; without T if it is 1
        if layer.norm_qk is not None or rotation is not None:
            qk = fresh.qk if layer.norm_qk is None else layer.norm_qk(fresh.qk)
            if rotation is not None:  # `core.nn.positions.rotate`, with angles that are computed once
                qk = torch.addcmul(qk * rotation[0], self._swapped(qk), rotation[1])
            q, k = qk.split([self.n_head, self.n_kv_head], -2)
        self._write(table, k, v, place)
        # The query heads that share keys are laid out like additional tokens: R = T H / G rows.
        q = (q if place.is_step else q.transpose(1, 2)).reshape(len(table.keys), -1, self.d_head)  # (N G, R, K)
        bias, beta = (self.nothing, 0) if bias is None else (bias.view(*q.shape[:2], -1), 1)
        most = self.style.softcap
        if most is None:
            scores = torch.baddbmm(bias, q, table.keys, beta=beta, alpha=self.scale)  # (N G, R, S)
        else:
            scores = torch.bmm(q, table.keys).mul_(self.scale / most).tanh_().mul_(most)
            scores = scores + bias if beta else scores
        weights = scores.softmax(-1) if layer.sinks is None else _beside_sinks(scores, layer.sinks)
        mixed = torch.bmm(weights, table.values)  # (N G, R, K)
        if not place.is_step:
            mixed = mixed.view(-1, self.n_head, place.shape[1], self.d_head).transpose(1, 2)  # (N, T, H, K)
        if layer.gate is not None:
            mixed = mixed.reshape(len(x), self.n_head, -1) * layer.gate(x)
        return layer.w_o(mixed.reshape(len(x), -1))

    def _swapped(self, x: Tensor) -> Tensor:
        """Return the rotated dimensions with their two halves exchanged."""
        n = self.n_turned
        if n == self.d_head:
            return x.roll(n // 2, -1)
        return torch.cat([x[..., n // 2 : n], x[..., : n // 2], x[..., n:]], -1)

    def _shift(self, halves: Tensor, x: Tensor, place: _PassPositions) -> Float[Tensor, "M D"]:
        """Compute `core.nn.feed_forward.token_shift` with the stored halves of earlier tokens."""
        new = x[:, : self.d_half].view(*place.shape, -1)  # (N, T, D / 2), without T in a step
        if place.position is None:
            halves[:, place.start + 1 : place.end + 1].view_as(new).copy_(new)
            before = halves[:, place.start : place.end]
        else:
            halves[place.row, place.position + 1] = new
            before = halves[place.row, place.position]
        return torch.cat([before.reshape(len(x), -1), x[:, self.d_half :]], -1)

    def _fresh(self, place: _PassPositions) -> _NewQKV:
        """Allocate memory for a layer's new queries, keys and values; consecutive steps reuse it."""
        if place.is_step and self.fresh is not None and len(self.fresh.all) == place.shape[0]:
            return self.fresh
        n_part = self.n_head + 2 * self.n_kv_head
        qkv = self.nothing.new_empty(*place.shape, n_part, self.d_head)  # (N, T, H + 2 G, K), without T if it is 1
        fresh = _NewQKV(
            qkv.view(-1, n_part * self.d_head),
            qkv[..., : -self.n_kv_head, :],
            *qkv.split([self.n_head, self.n_kv_head, self.n_kv_head], -2),
        )
        if place.is_step:
            self.fresh = fresh
        return fresh

    def _tables(self, place: _PassPositions) -> list[_LayerCache]:
        """Return the slots that each layer reads and writes, as views made for all layers at once."""
        keys, values = self.keys[..., : place.end], self.values[:, :, :, : place.end]
        new_keys, new_values = (
            (self.keys.select(-1, place.start), self.values.select(3, place.start))
            if place.is_step
            else (keys[..., place.start :].permute(0, 1, 4, 2, 3), values[:, :, :, place.start :].transpose(2, 3))
        )  # (L, N, T, G, K), without T if it is 1
        views = (keys.flatten(1, 2), values.flatten(1, 2), new_keys, new_values, self.halves)
        return [_LayerCache(*of_layer) for of_layer in zip(*(view.unbind() for view in views), strict=True)]

    def _write(self, table: _LayerCache, k: Tensor, v: Tensor, place: _PassPositions) -> None:
        """Put the new tokens' keys and values (N, T, G, K) into their slots."""
        if place.row is None:
            table.new_keys.copy_(k)
            table.new_values.copy_(v)
            return
        keys = table.keys.unflatten(0, (-1, self.n_kv_head))
        values = table.values.unflatten(0, (-1, self.n_kv_head))
        keys[place.row, :, :, place.position] = k
        values[place.row, :, place.position] = v

    def at(self, by_position: Tensor, place: _PassPositions) -> Tensor:
        """Return the rows of a table by position that belong to the new tokens."""
        if place.is_step:
            return by_position[place.start]
        return by_position[slice(place.start, place.end) if place.row is None else place.position]

    def _place(self, starts: Sequence[int], counts: Sequence[int], n_token: int) -> _PassPositions:
        start, end, n_row, device = starts[0], max(starts) + n_token, len(starts), self.nothing.device
        if min(starts) < max(starts) or min(counts) < n_token:
            position = torch.tensor(starts, device=device)[:, None] + torch.arange(n_token, device=device)  # (N, T)
            row = torch.arange(n_row, device=device)[:, None]  # (N, 1)
            ragged = {kind: self._bias(position, end, window) for kind, window in self.window.items()}
            return _PassPositions(False, start, end, (n_row, n_token), ragged, row, position)
        position = torch.arange(start, end, device=device)[None]  # (1, T)
        bias: dict[bool, Tensor | None] = {}
        for kind, window in self.window.items():
            if n_token == 1 and self.bias is None and (window is None or end <= window):
                bias[kind] = None  # the newest token reads everything
            else:
                bias[kind] = self._bias(position, end, window).repeat(n_row, 1, 1)  # (N H, T, S)
        return _PassPositions(n_token == 1, start, end, (n_row,) if n_token == 1 else (n_row, n_token), bias)

    def _bias(self, position: Int[Tensor, "N T"], end: int, window: int | None) -> Float[Tensor, "NH T S"]:
        """Return the bias of the position scheme, with -inf after each token and before its window."""
        distance = position[:, None, :, None] - torch.arange(end, device=position.device)  # (N, 1, T, S)
        if self.bias is None:
            bias = self.nothing.new_zeros(1).expand(len(position), self.n_head, *distance.shape[2:])
        else:
            bias = self.bias[:, distance[:, 0].clamp(min=0)].transpose(0, 1)  # (N, H, T, S)
        unread = distance < 0 if window is None else (distance < 0) | (distance >= window)
        return bias.masked_fill(unread, -torch.inf).flatten(0, 1)

    def _grow(self, n_slot: int) -> None:
        """Make room for n slots; the size doubles each time, so copying costs little on average."""
        have = self.values.shape[3]
        if n_slot <= have:
            return
        n_slot = max(n_slot, 2 * have, 64)
        keys, values, halves = self._room(self.keys.shape[1], n_slot)
        keys[..., :have], values[:, :, :, :have], halves[:, :, : have + 1] = self.keys, self.values, self.halves
        self.keys, self.values, self.halves = keys, values, halves
        self._tell_positions(n_slot)

    def _room(self, n_row: int, n_slot: int) -> tuple[Tensor, Tensor, Tensor]:
        """Allocate tables of zeros, because 0 times a value of uninitialized memory may be NaN."""
        shape = (len(self.layers), n_row, self.n_kv_head)
        new = self.nothing.new_zeros
        halves = new(*shape[:2], n_slot + 1, self.d_half)
        return new(*shape, self.d_head, n_slot), new(*shape, n_slot, self.d_head), halves

    def _tell_positions(self, n_slot: int) -> None:
        """Tabulate the position scheme for n_slot slots: vectors or rotations by position, or biases by distance."""
        config, weight, scheme = self.config, self.nothing, self.model.pos_emb
        if config.positions == "learned":
            assert isinstance(scheme, nn.Embedding)
            places = torch.arange(n_slot, device=weight.device).clamp(max=config.context_length - 1)  # padding only
            self.added = scheme.weight[places]
        elif config.positions == "sinusoidal":
            self.added = sinusoidal(n_slot, config.d_model, weight.device, weight.dtype)
        elif config.positions == "rotary":
            self.rotations = {kind: self._turn(layer, n_slot) for layer, kind in enumerate(self.windowed)}
        elif config.positions == "alibi":
            slopes = None if config.modern.slopes is None else torch.tensor(config.modern.slopes)
            row = alibi_bias(self.n_head, 1, n_slot, slopes, weight.device)  # (H, 1, S), the query at the last key
            self.bias = row[:, 0].flip(-1).to(weight.dtype)
        elif config.positions == "relative":
            assert isinstance(scheme, RelativeBias)
            self.bias = scheme(1, n_slot)[:, 0].flip(-1)

    def _turn(self, layer: int, n_slot: int) -> _Rotation:
        """Return the cosines and sines (S, 1, K) of a layer's rotary positions; unrotated dimensions have 1 and 0."""
        rotary, dtype = self.config.rotary_of(layer) or RotarySettings(), self.nothing.dtype
        precise = torch.float64 if dtype == torch.float64 else torch.float32
        n_turned = rotary.n_turned(self.d_head)
        places = torch.arange(n_slot, device=self.nothing.device)
        angle = places[:, None, None] * rotary.speeds(n_turned, places.device, precise)  # (S, 1, n_turned / 2)
        cos, sin = rotary.gain * angle.cos(), rotary.gain * angle.sin()
        still = cos.new_zeros(n_slot, 1, self.d_head - n_turned)
        return torch.cat([cos, cos, still + 1], -1).to(dtype), torch.cat([-sin, sin, still], -1).to(dtype)


def _beside_sinks(scores: Float[Tensor, "NG R S"], sinks: Float[Tensor, "G HG 1"]) -> Float[Tensor, "NG R S"]:
    """Compute `core.nn.attention.masked_softmax` with a sink: one more score in each row, whose weight is dropped."""
    n_row, n_new = len(scores) // len(sinks), scores.shape[1] // sinks.shape[1]
    column = sinks.expand(-1, -1, n_new).reshape(len(sinks), -1, 1).repeat(n_row, 1, 1)  # (N G, R, 1)
    return torch.cat([scores, column.to(scores.dtype)], -1).softmax(-1)[..., :-1]
