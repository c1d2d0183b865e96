"""The attention class of a lecture note, a common way to write it, with a switch for each repair.

Where a repair changes lines, both versions are here as the two branches of an `if self.repairs.<name>`, so that the
code a reader sees is the code that runs. With all switches off it does what the note's class does; the names are the
note's. Changes that were needed just to make it run are in `NEEDED_CHANGES`.
"""

from dataclasses import dataclass, fields

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.nn.tap import tap

LABELS = module_labels(__name__)

# The class as the note prints it; only shown, never run.
PRINTED_CODE = """\
class Attention(nn.Module):
   def __init__(self,enc,dec):
        super().__init__()
       self.enc = enc
       self.dec = dec
       self.enc_emb_sz = enc.embed.embedding_dim
       self.dec_emb_sz = dec.embed.embedding_dim
       self.enc_att = nn.Linear(2 * enc.hidden_size,self.dec.emb_sz,bias=False)
       self.dec att = nn.Linear(self.dec emb sz,self.dec emb sz).cuda()
       self.V = nn.Parameter(torch.rand(self.enc.embed.embedding_dim,1))
   def forward(self,src,dec_out,dec_hid):
       enc_out,enc_hid = self.enc(src)
       enc_attn = self.enc_att(enc_out)
       u = nn.Tanh()(self.dec_att(dec_hid[-1]) + self.dec_att(dec_hid[-1]))
       attn_wgts = nn.Softmax(dim=1)(u@self.V)
       ctx = (attn_wgts.unsqueeze(2)*enc_out).sum(dim=1).unsqueeze(1)
       return torch.cat([ctx,dec.embed(dec_out)],dim=2)"""

NEEDED_CHANGES = (
    LABELS["change.indentation"],
    LABELS["change.width"],
    LABELS["change.decoder"],
    LABELS["change.device"],
    LABELS["change.encoder"],
    LABELS["change.context"],
)


@dataclass(frozen=True, kw_only=True)
class Repairs:
    # the scores use the encoder, instead of the decoder twice; only then is `enc_att` used
    encoder: bool = False
    axis: bool = False  # there is one score, and therefore one weight, for each source token
    mask: bool = False  # padding gets no weight
    sizes: bool = False  # the layers have the widths of their inputs, whatever those are

    @property
    def on(self) -> tuple[str, ...]:
        return tuple(field.name for field in fields(self) if getattr(self, field.name))


@dataclass(frozen=True, kw_only=True)
class LectureWidths:
    """The widths around the class. As written it only runs if all four are equal."""

    enc_emb: int  # enc_emb, dec_emb: the embeddings of encoder and decoder
    enc_hidden: int  # enc_hidden, dec_hidden: the states; the encoder has one in each direction
    dec_emb: int
    dec_hidden: int


class LectureAttention(nn.Module):
    """The note's attention class, or what it should compute: v' tanh(W s + U h), softmax, weighted sum.

    It is called like every decoder attention here: (query, keys, mask) -> (context, weights).
    Raises RuntimeError: by torch, if the repairs or the widths don't fit together.

    Source: Bahdanau et al. 2014 (1409.0473), appendix A.1.2, is what it is meant to be.
    """

    def __init__(self, widths: LectureWidths, repairs: Repairs):
        super().__init__()
        self.repairs = repairs
        enc_hidden, dec_hidden = widths.enc_hidden, widths.dec_hidden
        enc_emb_sz, dec_emb_sz = widths.enc_emb, widths.dec_emb
        if self.repairs.sizes:
            self.enc_att = nn.Linear(2 * enc_hidden, dec_hidden, bias=False)
            self.dec_att = nn.Linear(dec_hidden, dec_hidden)
            self.V = nn.Parameter(torch.empty(dec_hidden, 1))
        else:
            self.enc_att = nn.Linear(2 * enc_hidden, dec_emb_sz, bias=False)
            self.dec_att = nn.Linear(dec_emb_sz, dec_emb_sz)
            self.V = nn.Parameter(torch.empty(enc_emb_sz, 1))

    @torch.no_grad()
    def init_weights(self, generator: torch.Generator) -> None:
        """Initialize the layers as torch does, and V with `rand`, between 0 and 1, as in the note."""
        for layer in (self.enc_att, self.dec_att):
            for parameter in layer.parameters():
                parameter.uniform_(-(layer.in_features**-0.5), layer.in_features**-0.5, generator=generator)
        self.V.uniform_(0, 1, generator=generator)

    def forward(
        self, dec_hid: Float[Tensor, "B D"], enc_out: Float[Tensor, "B S E"], mask: Bool[Tensor, "B S"] | None = None
    ) -> tuple[Float[Tensor, "B E"], Float[Tensor, "B S"]]:
        """Return the context that the decoder's state reads from the encoder's states, and the weights."""
        n_batch, n_source = enc_out.shape[:2]
        if mask is None:
            mask = torch.ones(n_batch, n_source, dtype=torch.bool)
        enc_attn = self.enc_att(enc_out)  # (B, S, D)
        if self.repairs.encoder:
            u = nn.Tanh()(self.dec_att(dec_hid).unsqueeze(1) + enc_attn)  # (B, S, D)
        else:
            u = nn.Tanh()(self.dec_att(dec_hid) + self.dec_att(dec_hid))  # (B, D)
        if self.repairs.axis:  # noqa: SIM108  (two lines, so that each can be shown)
            scores = (u @ self.V).reshape(n_batch, -1).expand(n_batch, n_source)  # (B, S)
        else:
            scores = u @ self.V  # (B, 1), or (B, S, 1) if the encoder is used
        if self.repairs.mask:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_wgts = tap(self, "weights", nn.Softmax(dim=1)(tap(self, "scores", scores)))
        ctx = tap(self, "out", (attn_wgts.unsqueeze(2) * enc_out).sum(dim=1))  # (B, E)
        return ctx, attn_wgts.expand(n_batch, n_source)  # a single weight applies to every token
