"""The language of the server: its decimal point, its thousands separators and its plurals.

The environment variable GLASSFORMER_LOCALE names it, such as "de" or "pt-BR"; "en" by default. English needs no table,
so the library with those of all languages is only loaded for another one.
"""

import os

LOCALE = os.environ.get("GLASSFORMER_LOCALE", "en")
PSEUDO_LOCALE = "en-XA"  # English whose texts are marked, see `core.data.localization.labels`
_IS_ENGLISH = LOCALE.partition("-")[0] == "en"


def localize_number(text: str) -> str:
    """Return a number that Python has formatted, "1,234.5", as the language writes it: "1.234,5" in German."""
    if _IS_ENGLISH:
        return text
    decimal, group = number_separators()
    return text.translate({ord("."): decimal, ord(","): group})


def number_separators() -> tuple[str, str]:
    """Return the decimal point of the language, and what it puts between thousands."""
    if _IS_ENGLISH:
        return ".", ","
    from babel.numbers import get_decimal_symbol, get_group_symbol

    locale = LOCALE.replace("-", "_")
    return get_decimal_symbol(locale), get_group_symbol(locale)


def plural_category(n: float) -> str:
    """Return the plural form that the language uses with a number: "one" or "other"; some also have "few", "many", …"""
    if _IS_ENGLISH:
        return "one" if n == 1 else "other"
    from babel import Locale

    return str(Locale.parse(LOCALE, sep="-").plural_form(n))
