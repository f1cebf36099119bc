#!/usr/bin/env python3
"""rename_uses_test.py ROOT: packaging/rename_uses.py writes today's names where an older program has those of its version,
names what takes a hand, and leaves the rest; its table has names that the headers declare, and the change log has them.
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path[:0] = [str(ROOT / "packaging"), str(ROOT / "tests/docs")]

import public_names  # noqa: E402
import rename_uses  # noqa: E402

TABLE = (ROOT / "packaging/renamed.txt").read_text(encoding="utf-8")
CHANGES = rename_uses.Changes(TABLE)
NAMES = {old: new for old, new in CHANGES.new.items() if "/" not in old}
HEADERS = {old: new for old, new in CHANGES.new.items() if "/" in old}

# Lines of examples and tests as they were before the change, and as they are.
OLD = """\
#include <dma/proof/catch2.hpp>
using dma::host::FailsBy, dma::host::IsProved;
using dma::host::ProofOptions;
namespace host = dma::host;
/// `dma::host::prove` of each kernel.
const ProofOptions options{.outputs = {dma::host::output(y)}};
REQUIRE_THAT(host::prove(options, Kernel{}, {1}, x, y), IsProved());
CHECK_THROWS_AS(dma::host::launch(Kernel{}, {1}, x), dma::host::KernelError);
CHECK(verdict.kind == ::dma::host::FindingKind::deadlock);
template <dma::Variant V>
using Pipe = dma::VariantPipeline<V, dma::Sequential<float, 256>>;
constexpr dma::VariantSpace space{.engine = {dma::EngineKind::bulk_copy}};
dma::TuneReport report = dma::tune<space>(launch, {.answer = dma::tuned_answer(y, n)});
other::dma::Variant mine; int Variant = 0;
"""
NEW = """\
#include <dma/proof/catch2.hpp>
using dma::proof::FailsBy, dma::proof::IsProved;
using dma::proof::Options;
namespace host = dma::host;
/// `dma::proof::prove` of each kernel.
const Options options{.outputs = {dma::proof::output(y)}};
REQUIRE_THAT(dma::proof::prove(options, Kernel{}, {1}, x, y), IsProved());
CHECK_THROWS_AS(dma::host::launch(Kernel{}, {1}, x), dma::host::KernelError);
CHECK(verdict.kind == ::dma::proof::FindingKind::deadlock);
template <dma::tuning::Variant V>
using Pipe = dma::tuning::Pipeline<V, dma::Sequential<float, 256>>;
constexpr dma::tuning::Space space{.engine = {dma::tuning::EngineKind::bulk_copy}};
dma::tuning::Report<> report = dma::tuning::tune<space>(launch, {.answer = dma::tuning::answer(y, n)});
other::dma::Variant mine; int Variant = 0;
"""


class RenameUses(unittest.TestCase):
    def test_an_old_program_gets_todays_names(self):
        self.assertEqual(rename_uses.rewritten(OLD, CHANGES), (NEW, []))

    def test_a_program_of_today_stays(self):
        self.assertEqual(rename_uses.rewritten(NEW, CHANGES), (NEW, []))

    def test_what_takes_a_hand_is_named_with_its_line(self):
        text = "using namespace dma;\nint a = dma::sm_registers;\ndma::throw_if(e, s);\ndma::SlotRing<P> ring;\n"
        result, places = rename_uses.rewritten(text, CHANGES)
        self.assertEqual(result, text)
        self.assertEqual([line for line, _ in places], [1, 2, 3, 4])
        self.assertIn("65536", places[1][1])
        self.assertIn("the library's own", places[3][1])

    def test_a_header_is_renamed_in_its_include(self):
        changes = rename_uses.Changes("rename dma/old.hpp dma/room/new.hpp")
        text = '#include <dma/old.hpp>\n# include "dma/old.hpp"\n#include <dma/older.hpp>\n'
        self.assertEqual(
            rename_uses.rewritten(text, changes)[0],
            '#include <dma/room/new.hpp>\n# include "dma/room/new.hpp"\n#include <dma/older.hpp>\n',
        )

    def test_the_new_names_are_declared_and_the_old_ones_are_not(self):
        public, inner = public_names.public_names(ROOT / "include")
        declared = {f"dma::{name}" for name in [*public, *inner]}
        for old, new in NAMES.items():
            self.assertIn(re.sub("<.*", "", new), declared)
            self.assertNotIn(old, declared)
        self.assertEqual((CHANGES.inner | set(CHANGES.by_hand)) & declared, set())

    def test_the_new_headers_are_there_and_the_old_ones_are_not(self):
        self.assertGreater(len(HEADERS), 60)
        for old, new in HEADERS.items():
            self.assertTrue((ROOT / "include" / new).is_file(), new)
            self.assertFalse((ROOT / "include" / old).exists(), old)

    def test_the_change_log_has_each_new_name(self):
        log = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        rows = set(re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", log, re.MULTILINE))
        self.assertEqual(set(NAMES.items()) - rows, set())


if __name__ == "__main__":
    unittest.main()
