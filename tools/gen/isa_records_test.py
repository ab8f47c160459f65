#!/usr/bin/env python3
"""Bad records of spec/isa are refused with file, record and what is wrong; good ones mean what the README says."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import gen  # noqa: E402
import isa_model  # noqa: E402
import isa_names  # noqa: E402
import isa_overlap  # noqa: E402
import isa_records  # noqa: E402
import isa_syntax  # noqa: E402

TABLES = {
    "versions": 'versions = ["1.0", "2.0", "3.0"]',
    "targets": '[targets]\nsm_10 = "1.0"\nsm_20 = "2.0"\nsm_90a = "3.0"',
    "types": '[types]\nu32 = { kind = "unsigned", bits = 32 }\nf32 = { kind = "floating", bits = 32 }\n'
             'pred = { kind = "predicate", bits = 1 }',
    "slots": '[type]\ndoc = "t"\n[rnd]\ndoc = "r"\nwords = "rn rz"\n[sat]\ndoc = "s"\nwords = "sat"\n[abs]\ndoc = "a"\nwords = "abs"',
    "special_registers": "register = []",
    "directives": "directive = []",
}


def load(record: str) -> isa_model.Model:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "isa").mkdir()
        for name, text in TABLES.items():
            (root / "isa" / f"{name}.toml").write_text(text)
        (root / "isa" / "family.toml").write_text(record)
        return isa_records.load(gen.Spec(root))


def one(form: str, name: str = "op") -> str:
    return f'[[instruction]]\nname = "{name}"\ntitle = "T"\n[[instruction.form]]\n{form}'


class Messages(unittest.TestCase):
    def fails(self, form: str, *words: str) -> None:
        with self.assertRaises(gen.SpecError) as caught:
            load(one(form))
        for word in ("family.toml: op: form f", *words):
            self.assertIn(word, str(caught.exception))

    def test_an_unknown_slot(self):
        self.fails('id = "f"\nsyntax = ".typ >d:u32"', "'.typ', which is no slot")

    def test_a_key_that_is_no_slot(self):
        self.fails('id = "f"\nsyntax = ""\nround = "rn"', "'round' is neither a key of a form nor a slot")

    def test_words_of_a_slot_that_the_syntax_does_not_name(self):
        self.fails('id = "f"\nsyntax = ""\ntype = "u32"', "slot 'type', which its syntax does not name")

    def test_a_slot_without_words(self):
        self.fails('id = "f"\nsyntax = ".type"', "no words for slot 'type'")

    def test_a_type_that_is_none(self):
        self.fails('id = "f"\nsyntax = ".type >d:type"\ntype = "u32 rn"', "operand 'd'", "word 'rn' is no type")
        self.fails('id = "f"\nsyntax = ">d:u33"', "operand 'd'", "'u33'")

    def test_broken_syntax_says_where(self):
        self.fails('id = "f"\nsyntax = ".type >d:type a:type"\ntype = "u32"', "expected ',' at column 15")
        self.fails('id = "f"\nsyntax = "{.type >d:u32"\ntype = "u32"', "expected '}'")
        self.fails('id = "f"\nsyntax = "a:u32?"', "'a' is a source")

    def test_versions_and_targets_that_do_not_exist(self):
        self.fails('id = "f"\nsyntax = ""\nptx = "2.5"', "no PTX version 2.5")
        self.fails('id = "f"\nsyntax = ""\nsm = 25', "no target sm_25")

    def test_needs_of_words_that_the_form_does_not_take(self):
        self.fails('id = "f"\nsyntax = "{.rnd}"\nneeds = { rp = { sm = 20 } }', "needs names 'rp'")

    def test_forms_of_one_id_agree_about_operands(self):
        self.fails('id = "f"\nsyntax = [">d:u32, a:u32", ">d:u32, b:u32"]', "share an id")


class Meaning(unittest.TestCase):
    def test_groups_of_modifiers_become_two_forms(self):
        forms = load(one('id = "f"\nsyntax = "{.sat.abs}.type >d:type"\ntype = "u32"')).forms
        self.assertEqual([[rule.slot for rule in form.slots] for form in forms], [["sat", "abs", "type"], ["type"]])

    def test_optional_parts_are_groups(self):
        operands = load(one('id = "f"\nsyntax = "{(>r), }@func{, (params){, a:u32}}"')).forms[0].operands
        self.assertEqual([(o.name, o.group, o.parent) for o in operands], [("r", 1, 0), ("func", 0, 0), ("params", 2, 0), ("a", 3, 2)])

    def test_pipes(self):
        optional, always = load(one('id = "f"\nsyntax = ["{.sat} >d:u32{|>p:pred}", ".rnd >d:u32|>p:pred"]')).forms
        self.assertEqual([(o.piped, o.group) for o in optional.operands], [(False, 0), (True, 1)])
        self.assertEqual([(o.piped, o.group) for o in always.operands], [(False, 0), (True, 0)])

    def test_needs_of_a_word(self):
        form = load(one('id = "f"\nsyntax = "{.rnd}"\nneeds = { "rnd=rz" = { ptx = "3.0", sm = "90a" } }')).forms[0]
        self.assertEqual(form.word_needs, [("rnd", "rz", isa_model.Needs((3, 0), ("90a",)))])

    def test_word_patterns(self):
        rule = isa_syntax.parse(".rnd=b[0-2]x >d:u32")[0].modifiers[0]
        self.assertEqual(rule.words, ["b[0-2]x"])
        form = load(one('id = "f"\nsyntax = ".rnd"\nrnd = "h[0-1][0-1]"')).forms[0]
        self.assertEqual(form.slots[0].words, ["h00", "h01", "h10", "h11"])

    def test_forms_that_one_line_fits_are_found(self):
        both = 'id = "f"\nsyntax = "{.sat} >d:u32, a:u32"\n[[instruction.form]]\nid = "g"\nsyntax = "{.rnd} >d:u32, a:u32!"'
        self.assertIn("fits", isa_overlap.lint(load(one(both)))[0])
        apart = 'id = "f"\nsyntax = "{.sat} >d:u32, a:u32"\nuntil = { ptx = "1.0" }\n[[instruction.form]]\nid = "g"\nptx = "2.0"\n' \
                'syntax = "{.rnd} >d:u32, a:u32!"'
        self.assertEqual(isa_overlap.lint(load(one(apart))), [])

    def test_names_in_cpp(self):
        self.assertEqual([isa_names.identifier(w) for w in ("shared::cta", "1d", "and", "u32", "L2::128B")],
                         ["shared_cta", "_1d", "and_", "u32", "L2_128B"])


if __name__ == "__main__":
    unittest.main()
