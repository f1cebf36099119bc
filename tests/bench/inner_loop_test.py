"""Loads and waits of inner loops, counted in SASS whose counts can be seen."""

import pathlib
import sys
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import inner_loop  # noqa: E402


def counts_of(*body):
    """Of a loop with these instructions, inside another that loads more."""
    lines = [
        ".text._Z1kv:", ".L_x_1:", *(f"        /*{i:04x}*/   LDG.E R{100 + i}, desc[UR4][R90.64] ;" for i in range(50)),
        ".L_x_2:", *(f"        /*{i:04x}*/              {text} ;" for i, text in enumerate(body)),
        "        /*0ff0*/               @P0 BRA `(.L_x_2) ;", "        /*0ff8*/              @!P1 BRA `(.L_x_1) ;", ".L_x_3:",
        "        /*1000*/                   BRA `(.L_x_3) ;",
    ]  # fmt: skip
    (kernel,) = inner_loop.kernels("\n".join(lines)).values()
    return inner_loop.inner_loop(kernel)


LOAD_A, LOAD_B = "LDG.E.64 R4, desc[UR6][R20.64]", "LDG.E.64 R6, desc[UR6][R22.64+0x8]"
ADD_A, ADD_B = "DADD R10, R4, R12", "DADD R14, R6, R12"


class InnerLoop(unittest.TestCase):
    def test_loads_before_the_first_sum_share_a_latency(self):
        self.assertEqual(
            counts_of(LOAD_A, LOAD_B, ADD_A, ADD_B), {"sums": 2, "loads": 2, "loads_ahead": 2, "latencies": 1}
        )

    def test_a_load_behind_a_wait_has_its_own(self):
        self.assertEqual(
            counts_of(LOAD_A, ADD_A, LOAD_B, ADD_B), {"sums": 2, "loads": 2, "loads_ahead": 1, "latencies": 2}
        )

    def test_both_registers_of_a_double_and_all_four_of_a_wide_load_are_waited_for(self):
        for wide, word in (("LDG.E.64 R4", 5), ("LDG.E.128 R4", 7)):
            found = counts_of(f"{wide}, desc[UR6][R20.64]", f"FSEL R30, R{word}, R31, P1")
            self.assertEqual(found["latencies"], 1, wide)
        self.assertEqual(counts_of("LDG.E.64 R4, desc[UR6][R20.64]", "FSEL R30, R6, R31, P1")["latencies"], 0)

    def test_a_load_that_the_next_round_needs_costs_a_latency_there(self):
        self.assertEqual(counts_of(ADD_A, LOAD_A)["latencies"], 1)

    def test_an_address_out_of_memory_is_waited_for(self):
        self.assertEqual(counts_of("LDG.E.64 R20, desc[UR6][R2.64]", LOAD_A, ADD_A)["latencies"], 2)

    def test_a_kernel_without_loads_in_a_loop_has_no_counts(self):
        self.assertIsNone(counts_of(ADD_A))


if __name__ == "__main__":
    unittest.main()
