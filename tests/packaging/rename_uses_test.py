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


# Arguments by their place, as the examples had them, and as they are.
ARGUMENTS = (
    ("dma::Tile3D<T, cols, rows + 2 * Radius, 1>", "dma::Tile3D<T, dma::TileShape{.cols = cols, .rows = rows + 2 * Radius}>"),
    (
        "dma::Tile3D<T, Wide, Rows, Columns / Wide, (Wide == 64 ? swizzled : half_swizzled)>",
        "dma::Tile3D<T, dma::TileShape{.cols = Wide, .rows = Rows, .planes = Columns / Wide}, (Wide == 64 ? swizzled : half_swizzled)>",
    ),
    ("dma::Halo2D<float, 8, 4, 1>", "dma::Halo2D<float, dma::HaloShape{.cols = 8, .rows = 4, .radius = 1}>"),
    (
        "dma::Halo3D<float, 8, 4, 2, 1, dma::Corners::excluded>",
        "dma::Halo3D<float, dma::HaloShape{.cols = 8, .rows = 4, .planes = 2, .radius = 1, .corners = dma::Corners::excluded}>",
    ),
    ("dma::Paged<float, 4, 8, 4>", "dma::Paged<float, dma::PagedShape{.cols = 4, .rows = 8, .box_rows = 4}>"),
    (
        "dma::Paged<Element, 64, block, box_rows, head_size / 64, int, swizzled>",
        "dma::Paged<Element, dma::PagedShape{.cols = 64, .rows = block, .box_rows = box_rows, .planes = head_size / 64}, swizzled>",
    ),
    ("dma::Indirect<float, 128, 16, long long>", "dma::Indirect<float, 128, 16, dma::IndexedRows<long long>{}>"),
    ("dma::Csr<T, C, R, int, layout>", "dma::Csr<T, C, R, layout>"),
    (
        "dma::HandOff<Tile, 0, 1, dma::MultiBuffer<Layout, 2, 1, 1>>",
        "dma::HandOff<Tile, dma::FromTo{.from = 0, .to = 1}, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>>",
    ),
    ("dma::MultiBuffer<Layout, slots_of(tile, n), 1, 0>", "dma::MultiBuffer<Layout, slots_of(tile, n)>"),
    ("::dma::MultiBuffer<Layout, n, groups, first>", "::dma::MultiBuffer<Layout, n, ::dma::DmaGroups{.first = first, .count = groups}>"),
    ("dma::Compute<4, dma::Registers<240>>", "dma::Compute<4, dma::Registers{240}>"),
    ("pipe.for_each_tile(cta.block().x, n, cta.blocks().x, load, use);", "pipe.for_each_tile(cta.tiles(n), load, use);"),
    (
        "pipe->for_each_tile(0, f<a, b>(c), 1, [&](int t) { g(t, t < 2); }, load, [](int, int) {});",
        "pipe->for_each_tile(dma::TileRange{0, f<a, b>(c), 1}, [&](int t) { g(t, t < 2); }, load, [](int, int) {});",
    ),
    ("dma.update_tiles(0, n, 1, load, store);", "dma.for_each_tile(dma::TileRange{0, n, 1}, load, store);"),
    ("for (int z : dma.my_tiles(0, u.nz)) {", "for (int z : dma.my_tiles(dma::TileRange{0, u.nz})) {"),
)


class RenameUses(unittest.TestCase):
    def test_arguments_by_place_become_what_they_are(self):
        for old, new in ARGUMENTS:
            self.assertEqual(rename_uses.rewritten(old, CHANGES)[0], new)
            self.assertEqual(rename_uses.rewritten(new, CHANGES)[0], new)

    def test_sources_of_today_stay(self):
        sources = [file for room in ("examples", "applications") for file in (ROOT / room).rglob("*.*pp")]
        self.assertGreater(len(sources), 150)
        for file in sources:
            text = file.read_text(encoding="utf-8")
            self.assertEqual(rename_uses.rewritten(text, CHANGES)[0], text, file)

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
        self.assertEqual([name for name in CHANGES.by_hand if not re.search(rf"{name.rpartition('::')[2]}\b", log)], [])
        self.assertIn(f"the {len(HEADERS)} headers that moved", log)


if __name__ == "__main__":
    unittest.main()
