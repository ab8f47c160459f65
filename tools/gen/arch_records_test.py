#!/usr/bin/env python3
"""What the generator of architectures and devices says about bad records: file, key, expected type."""

import pathlib
import shutil
import sys
import tempfile
import tomllib
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import gen  # noqa: E402  (the path above comes first)
import gen_arch  # noqa: E402


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("arch", "devices"):
            shutil.copytree(HERE.parents[1] / "spec" / name, self.root / name)
        for path in (self.root / "devices").glob("*.toml"):  # a catalogue of a dozen is read faster
            if "\n[devices." in path.read_text(encoding="utf-8") and not self.whole():
                path.unlink()

    def whole(self):
        return self.id().endswith("as_they_are_pass")

    def edit(self, name, old, new):
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def error(self):
        with self.assertRaises(gen.SpecError) as caught:
            gen_arch.generate(gen.Spec(self.root))
        return str(caught.exception).replace(f"{self.root}/", "")

    def test_the_records_as_they_are_pass(self):
        self.assertEqual(sorted(gen_arch.generate(gen.Spec(self.root))), sorted(gen_arch.outputs(None)))

    def test_a_value_of_the_wrong_type(self):
        self.edit("arch/sm_30.toml", "per_block = 65536", 'per_block = "64 K"')
        self.assertEqual(
            self.error(), "arch/sm_30.toml: registers.per_block: expected an integer from 0 to 4294967295, found '64 K'"
        )

    def test_a_list_of_the_wrong_length(self):
        self.edit("arch/sm_20.toml", "max_block = [1024, 1024, 64]", "max_block = [1024, 1024]")
        self.assertEqual(self.error(), "arch/sm_20.toml: launch.max_block: expected a list of 3 integers, found [1024, 1024]")

    def test_a_flag_is_no_integer_and_an_integer_no_flag(self):
        self.edit("devices/k40.toml", "ecc = true", "ecc = 1")
        self.assertEqual(self.error(), "devices/k40.toml: board.ecc: expected true or false, found 1")
        self.edit("devices/k40.toml", "ecc = 1", "ecc = true")
        self.edit("devices/k40.toml", "multiprocessors = 15", "multiprocessors = true")
        self.assertIn("devices/k40.toml: board.multiprocessors: expected an integer", self.error())

    def test_a_missing_key(self):
        self.edit("arch/sm_10.toml", "warp_size = 32\n", "")
        self.assertEqual(
            self.error(), "arch/sm_10.toml: launch.warp_size: expected an integer from 0 to 4294967295, found nothing"
        )
        self.edit("arch/sm_10.toml", "[launch]", "[launch]\nwarp_size = 32")
        self.edit("devices/h200.toml", 'name = "NVIDIA H200"\n', "")
        self.assertEqual(self.error(), "devices/h200.toml: name: expected a string, found nothing")

    def test_unknown_keys(self):
        self.edit("arch/sm_70.toml", "[memory]", "[memory]\ncolour = 3")
        self.assertIn("arch/sm_70.toml: memory.colour: unknown key; [memory] has constant_bytes", self.error())
        self.edit("arch/sm_70.toml", "colour = 3", "")
        self.edit("arch/sm_70.toml", "match = true", "telepathy = true")
        self.assertIn("arch/sm_70.toml: features.telepathy: unknown feature; `heddle devices sm_90` lists them", self.error())
        self.edit("arch/sm_70.toml", "telepathy = true", "match = true")
        self.edit("devices/h200.toml", "ram_type = 0", "ram_colour = 0")
        self.assertIn("devices/h200.toml: attributes.ram_colour: unknown attribute; `heddle devices h200 --attributes`", self.error())
        self.edit("devices/h200.toml", "ram_colour = 0", "")
        self.edit("devices/gtx480.toml", "[arch.textures]", "[arch.carpets]")
        self.assertIn("devices/gtx480.toml: arch.carpets: unknown key", self.error())

    def test_like_names_a_record_and_goes_in_no_circle(self):
        self.edit("arch/sm_11.toml", 'like = "sm_10"', 'like = "sm_09"')
        self.assertIn("arch/sm_11.toml: like: expected another record: sm_10, sm_100", self.error())
        self.edit("arch/sm_11.toml", 'like = "sm_09"', 'like = "sm_12"')
        self.assertIn("goes in a circle", self.error())

    def test_a_device_names_a_known_capability(self):
        self.edit("devices/k40.toml", 'capability = "3.5"', 'capability = "3.6"')
        self.assertIn("devices/k40.toml: capability: expected a string, one of 1.0, 1.1", self.error())

    def test_one_device_is_the_default(self):
        self.edit("devices/h200.toml", "default = true\n", "")
        self.assertIn("default: expected true in exactly one record, found it in none", self.error())

    def test_expressions_of_attributes(self):
        self.edit("devices/attributes.toml", '"board.async_engines > 0"', '"board.async_engines ? 0"')
        self.assertIn("devices/attributes.toml: attributes.gpu_overlap.is: expected one of * / + % >, found '?'", self.error())
        self.edit("devices/attributes.toml", '"board.async_engines ? 0"', '"board.engines > 0"')
        self.assertIn("expected a known fact (with .x, .y or .z where it is a list), found 'board.engines'", self.error())
        self.edit("devices/attributes.toml", '"board.engines > 0"', '"arch.launch.max_block"')
        self.assertIn("found 'arch.launch.max_block'", self.error())
        self.edit("devices/attributes.toml", '"arch.launch.max_block"', '"board.async_engines >"')
        self.assertIn("expected an operand after '>'", self.error())

    def test_a_number_of_the_driver_is_taken_once(self):
        self.edit("devices/attributes.toml", "cuda = 2,", "cuda = 1,")
        self.assertIn("attributes.max_block_dim_x.cuda: 1 is taken by max_threads_per_block", self.error())

    def test_contradictions(self):
        self.edit("arch/sm_20.toml", "max_warps = 48", "max_warps = 47")
        self.assertEqual(self.error(), "arch/sm_20.toml: contradicts itself: max_threads is max_warps warps")

    def test_several_devices_in_a_file(self):
        path = self.root / "devices" / "mine.toml"
        path.write_text('source = "s"\n[devices.a]\nname = "A"\nlike = "k40"\nboard = { multiprocessor = 3 }\n', encoding="utf-8")
        self.assertIn("devices/mine.toml: devices.a.board.multiprocessor: unknown key; did you mean 'multiprocessors'? [board] has", self.error())
        path.write_text('source = "s"\n[devices.k40]\nname = "A"\nlike = "gtx480"\n', encoding="utf-8")
        self.assertIn("the device 'k40' has a record in", self.error())

    def test_users_records_get_the_same_errors(self):
        """src/arch/record_test.cpp reads the same list."""
        cases = tomllib.loads((HERE.parents[1] / "src/arch/bad_records.toml").read_text(encoding="utf-8"))
        path = self.root / "devices" / "mine.toml"
        for name, case in cases.items():
            with self.subTest(name):
                path.write_text(case["record"], encoding="utf-8")
                self.assertEqual(self.error().replace("mine.toml: mine: ", "mine.toml: "), "devices/mine.toml: " + case["error"])


if __name__ == "__main__":
    unittest.main()
