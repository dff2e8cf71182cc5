#!/usr/bin/env python3
"""Known-wrong variants of the product, made of a catalogue.

    mutate.py CATALOGUE --sources            files of src/ that have mutants
    mutate.py CATALOGUE --table OUT          the mutants as a C++ table
    mutate.py CATALOGUE --mutate FILE SRC OUT   the copy of one file

A catalogue is a directory of *.mutant files. An entry:

    mutant NAME
    says   What is wrong with it, in one sentence.
    rule   The invariant or rule that it breaks.
    quick                             (optional: part of the default test)
    in     FILE, below src/
    --- statement | expression | text
    the snippet, as it stands exactly once in FILE
    +++
    the wrong one; in a text, MUTANT is true where this mutant was chosen
    ===

`in` and a hunk may come again. A statement becomes `if (chosen) wrong else
original`, an expression `chosen ? wrong : original`. What does not stand
exactly once in FILE, or overlaps another hunk, ends the build.
"""
import sys
from pathlib import Path

KINDS = ("statement", "expression", "text")


class Hunk:
    def __init__(self, file, kind):
        self.file, self.kind, self.original, self.wrong = file, kind, [], []

    def mutated(self, name):
        chosen = f'parcelflow::mutants::chosen("{name}")'
        wrong, original = "\n".join(self.wrong), "\n".join(self.original)
        if self.kind == "statement":
            return f"if ({chosen}) {{\n{wrong}\n}} else {{\n{original}\n}}"
        if self.kind == "expression":
            return f"({chosen} ? ({wrong}) : ({original}))"
        return wrong.replace("MUTANT", chosen)


class Mutant:
    def __init__(self, name):
        self.name, self.says, self.rule, self.quick = name, "", "", False
        self.hunks = []


def fail(where, what):
    sys.exit(f"mutate.py: {where}: {what}")


def read_lines(path, mutants):
    """One *.mutant file; a small state machine over its lines."""
    hunk, into, file = None, None, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path}:{number}"
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if into is not None and line not in ("+++", "==="):
            into.append(line)
        elif line == "+++":
            into = hunk.wrong
        elif line == "===":
            into = None
        elif word == "---":
            if rest not in KINDS:
                fail(where, f"no such kind: {rest}")
            hunk = Hunk(file, rest)
            mutants[-1].hunks.append(hunk)
            into = hunk.original
        elif word == "mutant":
            mutants.append(Mutant(rest))
        elif word in ("says", "rule"):
            setattr(mutants[-1], word, rest)
        elif word == "quick":
            mutants[-1].quick = True
        elif word == "in":
            file = rest
        elif line and not line.startswith("#"):
            fail(where, f"not understood: {line}")
    if into is not None:
        fail(path, "ends within a hunk")


def read(catalogue):
    mutants = []
    for path in sorted(Path(catalogue).glob("*.mutant")):
        read_lines(path, mutants)
    names = [one.name for one in mutants]
    for one in mutants:
        if names.count(one.name) > 1:
            fail(one.name, "is there twice")
        if not (one.says and one.rule and one.hunks):
            fail(one.name, "lacks what it says, its rule or a hunk")
    return mutants


def mutate(mutants, file, source):
    text = Path(source).read_text()
    places = []
    for one in mutants:
        for hunk in one.hunks:
            if hunk.file != file:
                continue
            original = "\n".join(hunk.original).strip()
            count = text.count(original)
            if count != 1:
                fail(one.name, f"stands {count} times in {file}:\n{original}")
            begin = text.index(original)
            places.append((begin, begin + len(original), one.name, hunk))
    places.sort(key=lambda place: place[0])
    out, done, last = [], 0, ""
    for begin, end, name, hunk in places:
        if begin < done:
            fail(name, f"overlaps {last} in {file}")
        line = text.count("\n", 0, end) + 1
        out += [text[done:begin], hunk.mutated(name),
                f'\n#line {line} "{source}"\n']
        done, last = end, name
    out.append(text[done:])
    return ('#include "tests/mutants/chosen.hpp"\n'
            f'#line 1 "{source}"\n' + "".join(out))


def table(mutants):
    rows = []
    for one in mutants:
        texts = (one.name, one.says, one.rule, one.hunks[0].file)
        quoted = ", ".join(
            '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
            for text in texts)
        rows.append(f"    {{{quoted}, {'true' if one.quick else 'false'}}},\n")
    return ('#include "tests/mutants/catalogue.hpp"\n\n'
            "const std::vector<parcelflow::mutants::mutant>&\n"
            "parcelflow::mutants::catalogue() {\n"
            "  static const std::vector<mutant> all = {\n" + "".join(rows)
            + "  };\n  return all;\n}\n")


def main(arguments):
    mutants = read(arguments[0])
    if arguments[1] == "--sources":
        files = sorted({h.file for one in mutants for h in one.hunks})
        print(";".join(files), end="")
    elif arguments[1] == "--table":
        Path(arguments[2]).write_text(table(mutants))
    else:
        Path(arguments[4]).write_text(
            mutate(mutants, arguments[2], arguments[3]))


main(sys.argv[1:])
