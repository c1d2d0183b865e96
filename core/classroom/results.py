"""The results of a class when it ends: a table for the teacher, and one page without names, which prints well."""

import html
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.classroom.question_types import questions
from core.classroom.question_types.questions import ClassQuestion
from core.classroom.race import leaderboard
from core.classroom.race.leaderboard import Racer
from core.classroom.race.race_settings import RACE_SETTINGS, setting_texts, settings_summary
from core.classroom.race.racers import ranked_racers
from core.classroom.state import ClassRace, ClassSnapshot
from core.data import corpora
from core.data.csv_export import csv_text
from core.data.localization.labels import module_labels
from core.data.localization.locales import LOCALE
from core.lessons.format.forms import readable_number
from core.lessons.format.lesson import ChoiceForm, CurveAnswerForm

LABELS = module_labels(__name__)

_MARKUP = re.compile(r"<[^>]*>")
CURVE_SIZE = (300.0, 160.0)  # width and height of a curve's picture, in CSS pixels


def answers_csv(whole: ClassSnapshot) -> str:
    """Return every answer with its learner's name, as CSV."""
    rows = [
        (n, round_, _plain(whole.questions[n].ask), whole.learners[one.learner].name, one, whole.questions[n])
        for (n, round_), some in sorted(whole.answers.items())
        for one in some
    ]
    return csv_text(
        {
            LABELS["column.question"]: [n for n, *_ in rows],
            LABELS["column.round"]: [round_ for _, round_, *_ in rows],
            LABELS["column.asked"]: [ask for _, _, ask, *_ in rows],
            LABELS["column.name"]: [name for *_, name, _, _ in rows],
            LABELS["column.answer"]: [_in_words(asked, one.value) for *_, one, asked in rows],
            LABELS["column.is_right"]: [
                _yes(questions.is_right_class_answer(asked, one.value)) for *_, one, asked in rows
            ],
            LABELS["column.is_late"]: [_yes(one.is_late) for *_, one, _ in rows],
            LABELS["column.at"]: [time.strftime("%H:%M:%S", time.localtime(one.at)) for *_, one, _ in rows],
        }
    )


def races_csv(whole: ClassSnapshot) -> str:
    """Return every run of every race with its racer, as CSV."""
    rows = [(n, place, one) for n, race in sorted(whole.races.items()) for place, one in _places(whole, race)]
    settings = [setting_texts(one.settings) for *_, one in rows]
    return csv_text(
        {
            LABELS["column.race"]: [n for n, *_ in rows],
            LABELS["column.text"]: [whole.races[n].text for n, *_ in rows],
            LABELS["column.seed"]: [whole.races[n].seed for n, *_ in rows],
            LABELS["column.place"]: [place for _, place, _ in rows],
            LABELS["column.name"]: [one.name for *_, one in rows],
            **{one.label: [told[one.label] for told in settings] for one in RACE_SETTINGS.values()},
            LABELS["column.parameters"]: [one.n_parameter for *_, one in rows],
            LABELS["column.steps"]: [one.n_step for *_, one in rows],
            LABELS["column.bits_per_byte"]: [one.stands for *_, one in rows],
        }
    )


def class_results_html(whole: ClassSnapshot) -> str:
    """Return all questions with the class's answers, without names, as an HTML page that needs no server."""
    parts = []
    for n, asked in sorted(whole.questions.items()):
        rounds = sorted(round_ for m, round_ in whole.answers if m == n)
        parts.append(f"<section><h2>{n}.</h2>{asked.ask}")
        for round_ in rounds:
            said = [one.value for one in whole.answers[n, round_]]
            key = "n_answer.round" if len(rounds) > 1 else "n_answer"
            parts.append(f"<p>{LABELS(key, n=len(said), round=round_)}</p>")
            parts.append(_counted(asked, said))
        parts.append(f"<blockquote>{asked.told}</blockquote></section>" if asked.told else "</section>")
    for n, race in sorted(whole.races.items()):
        board = _board(whole, race)
        if board:
            text = html.escape(corpora.corpus_title(race.text))
            about = LABELS("race.about", text=text, seconds=race.seconds, seed=race.seed)
            names = ("race.settings", "race.parameters", "race.steps", "race.bits_per_byte")
            head = f"<tr><th></th>{''.join(f'<th>{LABELS[name]}</th>' for name in names)}</tr>"
            title = LABELS("race", n=n)
            parts.append(f"<section><h2>{title}</h2><p>{about}</p><table>{head}{board}</table></section>")
    day = time.strftime("%Y-%m-%d", time.localtime(whole.begun))
    texts = {
        "title": LABELS("title", day=day),
        "heading": LABELS["heading"],
        "about": LABELS("about", day=day, n=len(whole.present)),
    }
    return _PAGE.format(locale=LOCALE, **texts, parts="".join(parts) or f"<p>{LABELS['nothing_asked']}</p>")


def _board(whole: ClassSnapshot, race: ClassRace) -> str:
    """Return the ranking of a race as rows of an HTML table, without names."""
    row = "<tr><th>{}</th><td>{}</td><td>{:,}</td><td>{:,}</td><td>{}</td></tr>"
    return "".join(
        row.format(place, settings_summary(one.settings), one.n_parameter, one.n_step, one.stands)
        for place, one in _places(whole, race)
        if one.run
    )


def _places(whole: ClassSnapshot, race: ClassRace) -> list[tuple[int, Racer]]:
    ranked = ranked_racers(whole, replace(race, stage="run"))
    return list(zip(leaderboard.racer_places(ranked, race.goal), ranked, strict=True))


def _counted(asked: ClassQuestion, said: Sequence[object]) -> str:
    counted = questions.count_answers(asked.form, said)
    if "curves" in counted:
        return _curves(asked.form, said)
    if "grid" in counted:
        head = "".join(f"<th>{html.escape(one)}</th>" for one in counted["columns"])
        body = "".join(
            f"<tr><th>{html.escape(row)}</th>{''.join(f'<td>{n}</td>' for n in line)}</tr>"
            for row, line in zip(counted["rows"], counted["grid"], strict=True)
        )
        return f"<table><tr><th></th>{head}</tr>{body}</table>"
    if "bins" in counted:
        unit = html.escape(counted["unit"])
        rows = [
            (LABELS("bin", low=readable_number(low), high=readable_number(high), unit=unit), int(n))
            for low, high, n in counted["bins"]
        ]
    elif "options" in counted:
        rows = [(label, n) for label, n, _ in counted["options"]]
    else:
        rows = [(html.escape(word), n) for word, n, _ in counted.get("words", counted.get("tokens", ()))]
    most = max((n for _, n in rows), default=1) or 1
    bar = '<tr><th>{}</th><td><i style="width: {:.0f}%"></i></td><td>{}</td></tr>'
    return f'<table class="bars">{"".join(bar.format(label, 100 * n / most, n) for label, n in rows)}</table>'


def _curves(form: Any, said: Sequence[Any]) -> str:
    width, height = CURVE_SIZE
    first, last = form.x[0], form.x[-1]

    def points(heights: Sequence[float]) -> str:
        return " ".join(
            f"{width * (x - first) / (last - first):.1f},{height * (form.high - y) / (form.high - form.low):.1f}"
            for x, y in zip(form.x, heights, strict=True)
        )

    lines = "".join(f'<polyline points="{points(one)}"/>' for one in said)
    return f'<svg viewBox="-2 -2 {width + 4:.0f} {height + 4:.0f}">{lines}</svg>'


def _in_words(asked: ClassQuestion, value: Any) -> str:
    form = asked.form
    if isinstance(form, ChoiceForm):
        return _plain(form.options[value])
    if isinstance(form, CurveAnswerForm):
        return "; ".join(f"{readable_number(x)}: {readable_number(y)}" for x, y in zip(form.x, value, strict=True))
    if isinstance(form, questions.CellForm):
        return f"{form.rows[value[0]]}, {form.columns[value[1]]}"
    if isinstance(form, questions.TokenPickForm):
        return form.tokens[value]
    return str(value)


def _plain(markup: str) -> str:
    return " ".join(html.unescape(_MARKUP.sub(" ", markup)).split())


def _yes(known: bool | None) -> str:
    return "" if known is None else LABELS["yes" if known else "no"]


_PAGE = """<!doctype html>
<html lang="{locale}">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }}
section {{ border-top: 2px solid #8dc1bd; padding: 0.5rem 0 1rem; break-inside: avoid; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: 2px 8px; text-align: left; font-weight: 400; }}
th p, section > h2 + p {{ display: inline; }}
.bars td:nth-child(2) {{ width: 16rem; }}
i {{ display: block; height: 1rem; background: #0072b2; print-color-adjust: exact; }}
svg {{ width: 30rem; max-width: 100%; border: 1px solid #888; }}
polyline {{ fill: none; stroke: #0072b2; stroke-width: 1.5; opacity: 0.6; }}
blockquote {{ margin: 0.5rem 0; padding-left: 1rem; border-left: 4px solid #009e73; }}
h2 {{ display: inline; margin-right: 0.5rem; font-size: 1.1rem; }}
</style>
<h1>{heading}</h1>
<p>{about}</p>
{parts}
"""
