# SPDX-License-Identifier: GPL-2.0-only
"""The trusted tests of the task, reported as TAP.

Aletheia lays this file over the project after the agent has ended. It is run
as "python3 -I -B": only the standard library can be imported, until the
project's directory is appended below, so that no file of the project can take
the place of a module that this one needs.
"""

import pathlib
import sys
import unittest
from decimal import Decimal

PROJECT = pathlib.Path(__file__).resolve().parent
sys.path.append(str(PROJECT))


class Acceptance(unittest.TestCase):
    """What the task asked for; the numbers are those of the table."""

    def test_books_are_12_percent_off(self):
        from shop.pricing import price

        self.assertEqual(price("book", "12.50"), Decimal("11"))

    def test_posters_are_40_percent_off(self):
        from shop.pricing import price

        self.assertEqual(price("poster", "10"), Decimal("6"))

    def test_others_cost_the_same(self):
        from shop.pricing import price

        self.assertEqual(price("lamp", "49.90"), Decimal("49.90"))

    def test_rates_are_those_of_the_table(self):
        from shop.rates import RATES

        self.assertEqual(RATES, {"book": 12, "pen": 3, "poster": 40})


class Tap(unittest.TestResult):
    """Prints one line of TAP for each test, named as in the manifest."""

    def report(self, result, test, error=None):
        """Print whether a test passed, and why not."""
        name = test.id().rpartition(".")[2].removeprefix("test_")
        print(f"{result} {self.testsRun} - {name}")
        if error:
            for line in self._exc_info_to_string(error, test).splitlines():
                print("#", line)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.report("ok", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.report("not ok", test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self.report("not ok", test, err)


def main():
    """Run all tests; the status is 0 if all passed."""
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Acceptance)
    result = Tap()
    print("TAP version 13")
    print(f"1..{suite.countTestCases()}")
    suite.run(result)
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
