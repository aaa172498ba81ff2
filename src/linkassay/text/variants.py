"""One form for the spellings of a sequence variant: HGVS, its short forms, and words (tmVar; LINKER-8).

A form says what changed where, not in which gene or transcript: whether two texts that have a form in common mean the
same variant is for the caller to judge from the gene.
"""

from __future__ import annotations

import re

from linkassay.text.normalise import compatible

_AMINO = {
    "A": "Ala alanine", "R": "Arg arginine", "N": "Asn asparagine", "D": "Asp aspartate aspartic",
    "C": "Cys cysteine", "Q": "Gln glutamine", "E": "Glu glutamate glutamic", "G": "Gly glycine", "H": "His histidine",
    "I": "Ile isoleucine", "L": "Leu leucine", "K": "Lys lysine", "M": "Met methionine", "F": "Phe phenylalanine",
    "P": "Pro proline", "S": "Ser serine", "T": "Thr threonine", "W": "Trp tryptophan", "Y": "Tyr tyrosine",
    "V": "Val valine", "*": "Ter stop termination amber ochre opal",
}  # fmt: skip
_LETTER = {word.lower(): letter for letter, words in _AMINO.items() for word in words.split()}
_BASES = {"adenine": "A", "cytosine": "C", "guanine": "G", "thymine": "T", "uracil": "T"}
#: The standard genetic code, codons in the order of TCAG.
_CODONS = dict(zip(
    (a + b + c for a in "TCAG" for b in "TCAG" for c in "TCAG"),
    "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG", strict=True,
))  # fmt: skip

_A3 = "(?:" + "|".join(sorted((w for w in _LETTER if w not in ("stop",)), key=len, reverse=True)) + r"|stop)(?:\sacid)?"
_A1 = r"[ARNDCQEGHILKMFPSTWYVX*]"
_AT = r"(?:codons?|residues?|positions?|amino\sacids?|aa|nucleotides?|nt|bp|site)"
_POS = r"[-+*]?\d+(?:[-+]\d+)?"
_TO = r"\s?[>/]\s?"

_RS = re.compile(r"\b(?:rs|RS|refSNP)\s?#?\s?(\d{1,12})\b")
_IVS = re.compile(
    rf"\b(?:IVS|intron)\s?-?(\d+)\s?([-+])\s?(\d+)\s?(?:([ACGT]){_TO}([ACGT])|(del|ins|dup)([ACGT]*))", re.I
)
_PROTEIN = [
    re.compile(rf"(?:\bp\.)?\(?\b({_A3})[\s-]?\(?(\d+)\)?[\s-]?(?:{_TO})?({_A3}|[X*=])(?![a-z])", re.I),
    re.compile(rf"(?:\bp\.\(?|(?<![\w.+-]))({_A1})[\s-]?\(?(\d+)\)?(?:{_TO})?({_A1}|stop|Stop|Ter)(?!\w)"),
    re.compile(rf"(?<![\w.+-])(\d+)[\s-]?({_A3}){_TO}({_A3})(?![a-z])", re.I),
    re.compile(rf"(?<![\w.+-])(\d+)[\s-]?({_A1}){_TO}({_A1})(?!\w)"),
]
_FRAME = re.compile(rf"(?:\bp\.)?\(?\b({_A3}|{_A1})(\d+)(?:{_A3}|{_A1})?\s?(?:fs|frameshift)", re.I)
_LOST = [re.compile(rf"(?:\bp\.)?\b({_A3}|{_A1})(\d+)\s?(?:del|deletion)\b", re.I),
         re.compile(rf"(?:\bdel(?:ta)?|[Δδ∆])\s?-?({_A3}|{_A1})(\d+)(?!\w)", re.I)]  # fmt: skip
_DNA = [
    re.compile(rf"(?<![\w+-])(?:[cgmnr]\.?)?\s?({_POS})\s?([ACGT]){_TO}([ACGT])(?!\w)", re.I),
    re.compile(rf"(?<![\w+-])(?:[cgmnr]\.)?([ACGT])\s?\(?({_POS})\)?(?:{_TO})?([ACGT])(?!\w)"),
    re.compile(rf"(?<![\w+-])([ACGT]){_TO}([ACGT])\s?(?:[a-z]+\s){{0,4}}?\(?({_POS})(?!\w)"),
]
_PIECES = re.compile(
    r"(?<![\w+-])(?:[cgmnr]\.)?([-+]?\d+)(?:\s?[_-]\s?(\d+))?\s?(del|ins|dup)\s?([ACGT]+|\d+)?(?!\w)", re.I
)
_CODON = re.compile(rf"(?:codon\s?(\d+)\D{{0,3}}\(?\b([ACGTU]{{3}}){_TO}([ACGTU]{{3}})\b|"
                    rf"\b([ACGTU]{{3}}){_TO}([ACGTU]{{3}})\D{{0,12}}codon\s?(\d+))")  # fmt: skip
_ONE_ALLELE = [re.compile(rf"({_POS})\s?((?i:{_A3})|{_A1})\2?"), re.compile(rf"(?:p\.)?((?i:{_A3})|{_A1})\s?({_POS})")]
_BASE = re.compile(r"\b(?:[ACGT]|(?i:" + "|".join(_BASES) + r"))\b")
#: A row of dashes is looked at from its first one only: from each of them would take the square of its length.
_ARROW = re.compile(r"\s?(?:(?<!-)-+>|(?<!=)=+>|→|⟶|➔|➝)\s?")
#: No number that means anything has more digits; Python would not read it.
_DIGITS = 4000
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?!\w)")


def variant_forms(text: str) -> tuple[str, ...]:
    """The forms that a text may stand for, the likeliest first; none if it is no variant.

    >>> variant_forms("p.Val600Glu"), variant_forms("valine to glutamate at codon 600"), variant_forms("V600E")
    (('p.V600E',), ('p.V600E',), ('p.V600E',))
    >>> variant_forms("c.1799T>A"), variant_forms("IVS2-1G>A"), variant_forms("185delAG"), variant_forms("rs113488022")
    (('1799T>A',), ('IVS2-1G>A',), ('185_186del',), ('rs113488022',))
    >>> variant_forms("G2677T")  # of bases or of amino acids
    ('2677G>T', 'p.G2677T')
    >>> variant_forms("gout")
    ()
    """
    clean = _clean(text)
    found: dict[str, None] = {}
    for number in _RS.findall(clean):
        found[f"rs{int(number)}"] = None
    if not found and re.fullmatch(r"\d{5,12}", clean):
        found[f"rs{int(clean)}"] = None
    for form in (*_introns(clean), *_dna(clean), *_pieces(clean), *_protein(clean)):
        found[form] = None
    if not found:
        found = dict.fromkeys(_words(clean))
    return tuple(found)


def reversed_form(form: str) -> str:
    """The form with reference and variant exchanged, as sources differ in which is which; "" if it has no such.

    >>> reversed_form("p.R72P"), reversed_form("215C>G"), reversed_form("rs1042522")
    ('p.P72R', '215G>C', '')
    """
    if match := re.fullmatch(r"p\.([A-Z*])(\d+)([A-Z*])", form):
        return f"p.{match[3]}{match[2]}{match[1]}"
    if match := re.fullmatch(r"(.*?)([ACGT])>([ACGT])", form):
        return f"{match[1]}{match[3]}>{match[2]}"
    return ""


def alleles(text: str) -> tuple[str, ...]:
    """What a text says that names one allele only: its place and letter.

    >>> alleles("I103"), alleles("Ala12"), alleles("-616 CC"), alleles("p.V600E")
    (('103I',), ('12A',), ('-616C',), ('600V', '600E'))
    """
    clean = _clean(text)
    for pattern in _ONE_ALLELE:
        if match := pattern.fullmatch(clean):
            place, letter = match.groups() if match[1][-1].isdigit() else match.groups()[::-1]
            return (f"{_place(place)}{_amino(letter)}",)
    found: dict[str, None] = {}
    for form in variant_forms(text):
        if match := re.fullmatch(r"p\.([A-Z*])(\d+)([A-Z*])", form):
            found |= {match[2] + match[1]: None, match[2] + match[3]: None}
        elif match := re.fullmatch(r"(.*?)([ACGT])>([ACGT])", form):
            found |= {match[1] + match[2]: None, match[1] + match[3]: None}
    return tuple(found)


def _clean(text: str) -> str:
    """Arrows and dashes in one spelling, white space collapsed, brackets around all of it gone."""
    text = compatible(text).replace("−", "-").replace("–", "-").replace("—", "-")
    text = _ARROW.sub(">", text)
    return " ".join(text.split()).strip("[](){} ,;")


def _amino(word: str) -> str:
    return _LETTER.get(word.lower().removesuffix(" acid").strip(), "*" if word in ("X", "*") else word)


def _introns(text: str) -> list[str]:
    found = []
    for number, sign, place, ref, alt, change, bases in _IVS.findall(text):
        end = f"{ref}>{alt}".upper() if ref else change.lower() + (bases.upper() if change.lower() == "ins" else "")
        found.append(f"IVS{_number(number)}{sign}{_number(place)}{end}")
    return found


def _protein(text: str) -> list[str]:
    found = []
    if not _introns(text):
        for n, pattern in enumerate(_PROTEIN):
            for groups in pattern.findall(text):
                first, place, last = groups if n < 2 else (groups[1], groups[0], groups[2])
                first = _amino(first)
                found.append(f"p.{first}{_number(place)}{first if last == '=' else _amino(last)}")
            if found:
                break
        for one, place_one, one_to, other, other_to, place_other in _CODON.findall(text):
            first, last, place = (place_one, one_to, one) if one else (other, other_to, place_other)
            first, last = (_CODONS[c.upper().replace("U", "T")] for c in (first, last))
            found.append(f"p.{first}{_number(place)}{last}")
    shifted = [(first, place, "fs") for first, place in _FRAME.findall(text)]
    lost = [(first, place, "del") for pattern in _LOST for first, place in pattern.findall(text)]
    found += [f"p.{_amino(f)}{_number(place)}{change}" for f, place, change in shifted + lost if _amino(f) != "*"]
    return found


def _dna(text: str) -> list[str]:
    if _introns(text) or re.search(r"\bp\.", text):
        return []
    for n, pattern in enumerate(_DNA):
        found = []
        for groups in pattern.findall(text):
            place, ref, alt = (groups, (groups[1], groups[0], groups[2]), (groups[2], groups[0], groups[1]))[n]
            found.append(f"{_place(place)}{ref.upper()}>{alt.upper()}")
        if found:
            return found
    return []


def _pieces(text: str) -> list[str]:
    """Deletions and duplications by first and last place, insertions by the place before and what is put there."""
    if _introns(text):
        return []
    found = []
    for first, last, change, what in _PIECES.findall(text):
        change = change.lower()
        if change == "ins":
            found.append(f"{_place(first)}ins{what.upper()}")
            continue
        if any(len(number) > _DIGITS and not number.isalpha() for number in (first, last, what)):
            continue
        size = int(what) if what.isdigit() else len(what)
        end = int(last) if last else int(first) + max(1, size) - 1
        found.append(f"{_place(first)}{'' if end == int(first) else f'_{end}'}{change}")
    return found


def _number(digits: str) -> str:
    """A number without leading zeros."""
    return str(int(digits)) if len(digits) <= _DIGITS else digits


def _place(text: str) -> str:
    return text.removeprefix("+")


def _words(text: str) -> list[str]:
    """Two amino acids, or two bases, and one number, in words; "A for B" puts A in the place of B."""
    numbers = _NUMBER.findall(text)
    if len(set(numbers)) != 1:
        return []
    acids = [(m.start(), _amino(m[0])) for m in re.finditer(rf"\b{_A3}(?![a-z])", text, re.I)]
    bases = [(m.start(), _BASES.get(m[0].lower(), m[0])) for m in _BASE.finditer(text)]
    for letters, form in ((acids, "p.{0}{2}{1}"), (bases, "{2}{0}>{1}")):
        if len(letters) == 2:
            (start, first), (end, last) = letters
            if re.search(r"\bfor\b|\binstead\b", text[start:end]):
                first, last = last, first
            return [form.format(first, last, numbers[0].removeprefix("+") if form[0] == "{" else _number(numbers[0]))]
    return []
