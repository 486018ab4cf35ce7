"""LaTeX in Markdown as MathML: $`…`$ in a line, and blocks of the language `math`. Repository hosts render both forms.

`latex2mathml` translates; what follows it are the rules of spacing that MathML leaves to the author.
"""

import re
import xml.etree.ElementTree as ET

from latex2mathml.converter import convert
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
TAG = re.compile(r"\s*\\tag\{(.+?)\}")
LIMITS = {"max", "min", "sup", "inf", "lim", "∑", "∏"}
FENCES = "‖|⌊⌋⌈⌉⟨⟩∣"
# without code, but with blocks of formulas that were taken for code
CODE = re.compile(r"<(pre|code)(?:(?!```math).)*?</\1>", re.S)
RAW = re.compile(r"\$`|`\$|\$\$|```math")


def named(element):
    """Whether it is the name of a function, perhaps with indices."""
    base = element[0] if element.tag.startswith(("msub", "msup", "munder")) else element
    return base.tag == "mi" and len(base.text or "") > 1 and base.text.isalpha()


def spaced(row, display):
    """Sets what MathML does not know: which names are functions, which bars are fences, which minus is a sign."""
    for element in row.iter():
        text = element.text or ""
        if element.tag == "mo" and text.isalpha() and text != "mod":
            element.tag = "mi"
        elif text and text in FENCES:
            element.tag = "mo"
            element.attrib.setdefault("stretchy", "false")
            if text in "|‖":
                element.attrib.update(lspace="0", rspace="0")
        elif text in ("~", "′", "″"):
            element.tag, element.text = "mo", text.replace("~", "∼")
        elif text == "/":
            element.attrib.update(lspace="0", rspace="0")
        elif text == "∞":
            element.tag = "mi"
        elif element.tag == "mi" and len(text) == 1 and "Α" <= text <= "Ω":
            element.set("mathvariant", "normal")
        elif text in ("\\{", "\\}"):
            element.text = text[1]
        if element.tag in ("msub", "msubsup") and display and element[0].text in LIMITS:
            element.tag = element.tag.replace("sub", "under").replace("sup", "over")
    for parent in list(row.iter()):
        children = list(parent)
        if parent.tag not in ("mrow", "mtd", "math", "msqrt", "mstyle"):
            continue
        for before, element in zip([None, *children], children):
            sign = element.tag == "mo" and element.text in ("−", "±", "+")
            if sign and (before is None or before.tag == "mo" and before.text not in (")", "]", "}", "!", *FENCES)):
                element.set("form", "prefix")
            if element.tag == "mo" and before is None:
                element.set("lspace", "0")
            after_name = before is not None and named(before) and element.tag != "mo"
            if after_name or named(element) and before is not None and before.tag != "mo" and before.tag != "mspace":
                parent.insert(list(parent).index(element), ET.Element("mspace", width="0.167em"))


def mathml(latex, display=False):
    """A formula as MathML. What `latex2mathml` does not know is an error."""
    source = re.sub(r"(\d)\{,\}(?=\d)", r"\1\\text{,}", TAG.sub("", latex).strip())
    text = convert(source, display="block" if display else "inline").replace("<mi>&</mi>", "<mi>&amp;</mi>")
    tree = ET.fromstring(text)
    for element in tree.iter():
        element.tag = element.tag.removeprefix(NAMESPACE)
    spaced(tree, display)
    if any("\\" in (element.text or "") or element.text == "&" for element in tree.iter()):
        raise ValueError(f"latex2mathml does not know this formula: {latex}")
    tree.set("xmlns", NAMESPACE[1:-1])
    return ET.tostring(tree, encoding="unicode")


def block(source, *_, **__):
    """A block of the language `math`, with its number."""
    tag = TAG.search(source)
    number = f'<span class="number">({tag[1]})</span>' if tag else ""
    return f'<div class="formula">{mathml(source, display=True)}{number}</div>'


class Inline(InlineProcessor):
    """A formula in a line, kept together with the punctuation that follows it."""

    def handleMatch(self, match, data):
        html = f'<span style="white-space: nowrap">{mathml(match[1])}{match[2]}</span>'
        return self.md.htmlStash.store(html), match.start(0), match.end(0)


class Formulas(Extension):
    def extendMarkdown(self, md):
        md.inlinePatterns.register(Inline(r"\$`([^`]+)`\$([.,;:)]*)", md), "formula", 195)  # before code, which is 190


def unrendered(html):
    """What is left of formulas in a page that was rendered."""
    failed = re.search(r"<code>math\s.{,80}", html, re.S)  # a block that failed is shown as code
    if failed:
        return failed[0]
    text = CODE.sub("", html)
    found = RAW.search(text)
    return found and text[max(0, found.start() - 40) : found.end() + 40]
