"""The possible outcomes of a question, read from its answer's expression without computing anything.

    answer: "'same' if largest < 1e-9 else 'other'"     # same, other
    answer: ({"a": p, "b": q}|dictsort(by="value"))[0][0]      # a, b
    answer: '{0: "own", 1: "right"}.get(offset, "left")'       # own, right, left
    answer: outcome                                     # lower, same: from the field's type Literal["lower", "same"]

An option that isn't among these is there to mislead, and must be listed as one: `distractors: [near]`.
"""

from collections.abc import Iterator
from typing import Literal, get_args, get_origin, get_type_hints

from jinja2 import Environment, TemplateError, nodes

from core.exhibit import GuessOutcome
from core.lessons.format.lesson import ChoiceForm, Lesson, LessonProblem, PredictQuestion
from core.lessons.format.name_checks import find_function_or_class
from core.rooms import all_exhibits
from core.ui.exhibit.exhibit_drawing_state import guess_options

_SYNTAX = Environment(autoescape=True)  # only parses expressions; nothing is rendered


class _Unknown(Exception):
    """The values of an expression can't be derived from its text."""


def answer_option_problems(lesson: Lesson) -> list[LessonProblem]:
    """Return problems: possible answers that aren't options, and impossible options not listed as distractors."""
    asked = [part for step in lesson.steps for part in step.parts if isinstance(part, PredictQuestion)]
    return [LessonProblem(part.line, message) for part in asked for message in _option_problems(part)]


def _option_problems(question: PredictQuestion) -> Iterator[str]:
    """Yield the problems with the options of one question; none if the author has written the answer."""
    if not isinstance(question.form, ChoiceForm) or question.answer is None:
        return
    options, listed = list(question.form.options), question.distractors
    found = _possible_answers(question)
    if found is None:
        yield (
            f"answer: {question.answer!r} doesn't say which options it may give. Write "
            '"a" if … else "b", or {…: "a"}.get(…, "b"), or give the field that it reads the type Literal["a", "b"].'
        )
        return
    for one in sorted(found - set(options)):
        yield f"answer: it may be {one!r}, which is none of the options: {', '.join(options)}."
    for one in options:
        if one not in found and one not in listed:
            yield f"options: {one!r} can never be the answer. If it's there to mislead, add distractors: [{one}]"
        if one in found and one in listed:
            yield f"distractors: {one!r} may be the answer, so it isn't a distractor."


def _possible_answers(question: PredictQuestion) -> frozenset[str] | None:
    """Return the possible values of the answer, or None if the expression doesn't determine them."""
    try:
        (output,) = _SYNTAX.parse(f"{{{{ {question.answer} }}}}").find_all(nodes.Output)
        return frozenset(_values(output.nodes[0], question))
    except (_Unknown, TemplateError):
        return None


def _values(node: nodes.Node, question: PredictQuestion) -> set[str]:
    match node:
        case nodes.Const(value=value):
            return {str(value)}
        case nodes.CondExpr(test=test, expr1=one, expr2=other) if other is not None:
            return (_among(test, one) or _values(one, question)) | _values(other, question)
        case nodes.Filter(name="string", node=inner) if inner is not None:
            return _values(inner, question)
        case nodes.Getitem(node=nodes.List(items=items) | nodes.Tuple(items=items)):
            return set().union(*(_values(item, question) for item in items))
        case nodes.Getitem(node=nodes.Dict(items=pairs)):
            return set().union(*(_values(pair.value, question) for pair in pairs))
        case nodes.Getitem(
            node=nodes.Getitem(node=nodes.Filter(name="dictsort", node=table)), arg=nodes.Const(value=0)
        ):
            return _keys(table)
        case nodes.Call(node=nodes.Getattr(node=nodes.Dict(items=pairs), attr="get"), args=[_, default]):
            return set().union(*(_values(pair.value, question) for pair in pairs)) | _values(default, question)
    return {str(value) for value in _literal(_type(node, question))}


def _among(test: nodes.Expr, one: nodes.Expr) -> set[str]:
    """Return the options in `x if x in ("a", "b") else …`: a, b."""
    match test:
        case nodes.Compare(expr=expr, ops=[nodes.Operand(op="in", expr=nodes.Tuple(items=items))]):
            plain = one.node if isinstance(one, nodes.Filter) and one.name == "string" else one
            return {str(item.value) for item in items if isinstance(item, nodes.Const)} if expr == plain else set()
    return set()


def _keys(table: nodes.Expr | None) -> set[str]:
    """Return the keys of {"a": …, "b": …}, or of a method that is called with names, by_name("a", "b")."""
    match table:
        case nodes.Dict(items=pairs):
            keys = [pair.key for pair in pairs]
        case nodes.Call(args=args) if args:
            keys = args
        case _:
            raise _Unknown
    if not all(isinstance(key, nodes.Const) for key in keys):
        raise _Unknown
    return {str(key.value) for key in keys if isinstance(key, nodes.Const)}


def _type(node: nodes.Node, question: PredictQuestion) -> object:
    """Return the declared type of a field of the result, or of a field's own field."""
    match node:
        case nodes.Name(name=name):
            return _field(_result(question), name)
        case nodes.Getattr(node=inner, attr=attr):
            holder = _type(inner, question)
            if attr == "answer" and GuessOutcome in (holder, *get_args(holder)):
                return Literal[tuple(guess_options(all_exhibits()[question.exhibit].exhibit().module.Inputs))]
            return _field(holder, attr)
        case nodes.Call(node=inner):
            return _type(inner, question)
    raise _Unknown


def _result(question: PredictQuestion) -> object:
    """Return the type of the result of the exhibit or the function."""
    made = (
        find_function_or_class(question.compute)
        if question.compute
        else all_exhibits()[question.exhibit].exhibit().module.compute
    )
    return get_type_hints(made).get("return", object)


def _field(holder: object, name: str) -> object:
    for kind in get_args(holder) or (holder,):
        attribute = getattr(kind, name, None)
        if isinstance(attribute, property):
            return get_type_hints(attribute.fget).get("return")
        if callable(attribute):
            return get_type_hints(attribute).get("return")
        if isinstance(kind, type) and name in (hints := get_type_hints(kind)):
            return hints[name]
    raise _Unknown


def _literal(kind: object) -> tuple[object, ...]:
    if get_origin(kind) is not Literal:
        raise _Unknown
    return get_args(kind)
