"""One rule for all years: the year of the first preprint, or of the publication if there was no preprint.

This catches one paper under two years, and a venue's year although the preprint came before.
"""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = r"[A-Z][\w’'-]+"
CITED = re.compile(
    rf"\b(?P<first>{NAME})(?:,? et al\.?|(?:, {NAME})*,? and {NAME})?,? ?(?:“[^”]*”,? ?)?\(?"
    r"(?P<year>(?:19|20)\d\d)\b"
    r"(?: \((?P<preprint>\d{4}\.\d{4,5}))?"
)
# The first preprints on arXiv of all papers that are cited by author, by first author. Of what is not here the year is
# that of the publication.
PREPRINTS = {
    "Abnar": {2020}, "Ainslie": {2023}, "Alain": {2016}, "Amsel": {2025}, "Arjovsky": {2015}, "Ba": {2016},
    "Bahdanau": {2014}, "Beltagy": {2020}, "Bengio": {1994, 2003, 2013, 2015}, "Black": {2022}, "Brown": {2020},
    "Chen": {1999, 2020, 2023}, "Cho": {2014}, "Christiano": {2017}, "Clark": {2019, 2020}, "Conneau": {2019},
    "Cunningham": {2023}, "Dai": {2024}, "DeepSeek-AI": {2024}, "Dettmers": {2022}, "Devlin": {2018}, "Ding": {2024},
    "Dong": {2021}, "Dosovitskiy": {2020}, "Elazar": {2020}, "Elhage": {2021, 2022}, "Fan": {2018, 2021},
    "Fedus": {2021}, "Frantar": {2022}, "Gao": {2022, 2024}, "Geva": {2020, 2023}, "Ghazvininejad": {2019},
    "Goyal": {2017}, "Graves": {2014}, "Hahn": {2019}, "Haviv": {2022}, "He": {2015, 2021}, "Heap": {2025},
    "Hendrycks": {2016}, "Henry": {2020}, "Hewitt": {2019, 2020, 2022}, "Hoffmann": {2022}, "Holtzman": {2019},
    "Houlsby": {2019}, "Hu": {2021, 2024}, "Hägele": {2024}, "Jacob": {2017}, "Jain": {2019}, "Jiang": {2023, 2024},
    "Kaplan": {2020}, "Keskar": {2019}, "Kingma": {2014}, "Kool": {2019}, "Korthikanti": {2022}, "Lambert": {2024},
    "Lan": {2019}, "Lepikhin": {2020}, "Leviathan": {2022}, "Li": {2015}, "Liu": {2018, 2019, 2021},
    "Loshchilov": {2016, 2017}, "Luo": {2017}, "Ma": {2024}, "Makhzani": {2013}, "Martin": {2019}, "Meister": {2022},
    "Meng": {2022}, "Merrill": {2021}, "Michel": {2019}, "Nanda": {2022, 2023}, "Nguyen": {2024}, "Nie": {2025},
    "Nogueira": {2021}, "Olsson": {2022}, "Ouyang": {2022}, "Pascanu": {2012}, "Paulus": {2017}, "Peng": {2023},
    "Petrov": {2023}, "Pope": {2022}, "Power": {2022}, "Press": {2016, 2021}, "Provilkov": {2019}, "Qiu": {2025},
    "Rafailov": {2023}, "Raffel": {2019}, "Ranzato": {2015}, "Ravfogel": {2020}, "Reimers": {2019}, "Rushing": {2024},
    "Sanford": {2023}, "Sanh": {2019}, "Sennrich": {2015}, "Shao": {2024}, "Shaw": {2018},
    "Shazeer": {2017, 2019, 2020}, "So": {2021}, "Stahlberg": {2019}, "Stern": {2018}, "Stiennon": {2020}, "Su": {2021},
    "Sutskever": {2013, 2014}, "Szegedy": {2015}, "Tay": {2021}, "Team": {2025}, "Touvron": {2020, 2023},
    "Vaswani": {2017}, "Vig": {2020}, "Vinyals": {2014}, "Voita": {2019}, "Wang": {2019, 2020, 2022}, "Warner": {2024},
    "Welleck": {2019}, "Wiegreffe": {2019}, "Wortsman": {2021}, "Wu": {2016}, "Xiao": {2022, 2023},
    "Xiong": {2020, 2023}, "Xu": {2015}, "Yang": {2025}, "Zeiler": {2013}, "Zhang": {2019, 2023},
    "Biderman": {2024}, "Heimersheim": {2024}, "Kirkpatrick": {2016}, "McGrath": {2023}, "Varma": {2023},
    "Zhou": {2023},
}  # fmt: skip


def citations() -> list[tuple[str, str, int, str]]:
    """(file, first author, year, arXiv number or "") of all that is cited in what people read, and in docstrings."""
    listed = ["git", "ls-files", "assets", "core", "pages", "README.md"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = []
    for name in files.splitlines():
        if not name.endswith((".md", ".py")):
            continue
        text = re.sub(r"\"?\n\s*(?:# )?f?\"?", " ", (ROOT / name).read_text(encoding="utf-8"))  # a citation may break
        found += [(name, m["first"], int(m["year"]), m["preprint"] or "") for m in CITED.finditer(text)]
    return found


def test_a_year_is_that_of_the_first_preprint() -> None:
    cited = citations()
    assert len(cited) > 200, "the pattern no longer finds what is cited"
    wrong = [one for one in cited if one[1] in PREPRINTS and one[2] not in PREPRINTS[one[1]]]
    assert not wrong, f"another year than that of the first preprint: {wrong}"


def test_an_arxiv_number_and_its_year_agree() -> None:
    wrong = [one for one in citations() if one[3] and int(one[3][:2]) != one[2] % 100]
    assert not wrong, f"the number of the preprint says another year: {wrong}"
    missing = {one[1] for one in citations() if one[3]} - PREPRINTS.keys()
    assert not missing, f"has a preprint, and stands not among them: {missing}"
