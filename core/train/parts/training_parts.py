"""The parts of a training: the model is none the larger for them."""

from core.train.parts.part import ALL_KINDS, LEARNS, REGULAR, Part, Values, as_it_is, or_none, when_is


def _deviations(raw: dict[str, float], _: Values) -> str | float:
    """One for all, or each by the beginning of its names."""
    if set(raw) <= {""}:
        return raw.get("", 0.0)
    return ", ".join(f"{name} {value:g}" for name, value in raw.items())


TRAINING_PARTS = (
    Part(
        kinds=ALL_KINDS, name="n_warmup", label="Warm-up steps", group=LEARNS, paths=("n_warmup",),
        sentence="The learning rate rises from 0 over these: the first gradients are the wildest.",
        paper="Goyal et al. 2017 (1706.02677), section 2.2",
        low=0, high=5000, reason="longer ones leave nothing to learn in", plain=0, typical=30,
        sets=as_it_is("n_warmup"),
    ),
    Part(
        kinds=ALL_KINDS, name="decay", label="How the learning rate falls", group=LEARNS, paths=("decay",),
        sentence="Large steps find the valley, small ones its floor.",
        paper="cosine: 1608.03983; stable first: MiniCPM (2404.06395); by the root: Vaswani et al. 2017, equation 3",
        options={"linear": "on a straight line", "cosine": "half a cosine", "wsd": "stable, then down",
                 "root": "by the root of steps (2017)", "constant": "not at all"},
        plain="linear", typical="cosine", sets=as_it_is("decay"),
    ),
    Part(
        kinds=ALL_KINDS, name="decay_to", label="What is left at the end", group=LEARNS, paths=("decay_to",),
        sentence="Of the highest learning rate.", paper="a tenth: GPT-3 (2005.14165), appendix B",
        low=0, high=1, step=0.05, reason="that is all of it", plain=0.0, typical=0.1, sets=as_it_is("decay_to"),
        when=when_is("decay", "linear", "cosine", "wsd"),
    ),
    Part(
        kinds=ALL_KINDS, name="decay_share", label="Share of the steps that fall", group=LEARNS, paths=("decay_share",),
        sentence="Until then the rate is level, so a run can be made longer at any time.",
        paper="Hägele et al. 2024 (2405.18392)",
        low=0.05, high=1, step=0.05, reason="that is all of them", plain=0.2, typical=0.1,
        sets=as_it_is("decay_share"), when=when_is("decay", "wsd"),
    ),
    Part(
        kinds=ALL_KINDS, name="momentum", label="Memory of the gradient", group=LEARNS, paths=("momentum",),
        sentence="How much of the direction so far each step keeps; 0 means the optimizer's own share.",
        paper="Polyak 1964; Sutskever et al. 2013",
        none="the optimizer's own", low=0, high=0.99, step=0.01, reason="with more it never forgets", plain=0.0,
        typical=0.5,
        sets=or_none("momentum"),
    ),
    Part(
        kinds=ALL_KINDS, name="beta_2", label="Memory of the gradient's size", group=LEARNS, paths=("beta_2",),
        sentence="AdamW divides by the gradient's usual size: how much of that each step keeps. SGD has none.",
        paper="Kingma and Ba 2014 (1412.6980), algorithm 1; 0.95: GPT-3 (2005.14165), appendix B",
        options={0.0: "the optimizer's own", 0.9: "0.9", 0.95: "0.95", 0.99: "0.99", 0.999: "0.999"},
        plain=0.0, typical=0.999, sets=or_none("beta_2"),
    ),
    Part(
        kinds=ALL_KINDS, name="start", label="Deviation at the start", group=LEARNS, paths=("start",),
        sentence="How wide the matrices are drawn, those into the stream narrower; 0 means the model's own start.",
        paper="0.02: Radford et al. 2019 (GPT-2), section 2.3",
        none="the model's own", low=0, high=1, step=0.01, reason="wider ones drown all gradients", plain=0.0,
        typical=0.02,
        sets=lambda value, _: {"start": {"": float(value)} if value else {}}, reads=_deviations,
    ),
    Part(
        kinds=ALL_KINDS, name="weight_decay", label="Weight decay", group=REGULAR, paths=("weight_decay",),
        sentence="Each step pulls all matrices of AdamW and SGD a little towards 0.",
        paper="Loshchilov and Hutter 2017 (1711.05101)",
        low=0, high=1, step=0.01, reason="more erases what is learned", plain=0.0, typical=0.1,
        sets=as_it_is("weight_decay"),
    ),
    Part(
        kinds=ALL_KINDS, name="clip", label="Longest gradient", group=REGULAR, paths=("clip",),
        sentence="A longer one is cut to it, so one odd batch can't undo many; 0 means none is cut.",
        paper="Pascanu et al. 2012 (1211.5063)",
        none="none is cut", low=0, high=100, step=0.1, reason="no gradient here is longer", plain=0.0, typical=1.0,
        sets=lambda value, _: {"clip": max(0.001, float(value)) if value else None},
    ),
    Part(
        kinds=ALL_KINDS, name="label_smoothing", label="Label smoothing", group=REGULAR, paths=("label_smoothing",),
        sentence="In training, so much of each target is spread over all tokens: certainty never pays.",
        paper="Szegedy et al. 2015 (1512.00567), section 7",
        low=0, high=0.5, step=0.05, reason="more leaves nothing to learn", plain=0.0, typical=0.1,
        sets=as_it_is("label_smoothing"),
    ),
    Part(
        kinds=ALL_KINDS, name="dropout", label="Dropout", group=REGULAR, paths=("dropout",),
        sentence="In training, so many numbers are left out at random, so none is relied upon alone.",
        paper="Srivastava et al. 2014",
        low=0, high=0.9, step=0.05, reason="more leaves nothing to learn from", plain=0.0, typical=0.1,
        sets=as_it_is("dropout"),
    ),
    Part(
        kinds=ALL_KINDS, name="dropout_at", label="Where numbers are dropped", group=REGULAR, paths=("dropout_at",),
        sentence="From what is written into the stream, from the attention weights, or both.",
        paper="Vaswani et al. 2017 (1706.03762), section 5.4; both: GPT-2",
        options={"stream": "in the stream", "weights": "attention weights", "both": "both"},
        plain="stream", typical="both", sets=as_it_is("dropout_at"),
        when=lambda values: values["dropout"] > 0 and values["kind"] not in ("rnn", "seq2seq"),
    ),
)  # fmt: skip
