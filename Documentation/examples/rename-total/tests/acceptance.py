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


def fixed_cart():
    """Return the cart that all tests look at: 2 books and 5 pens."""
    from shop.cart import Cart

    cart = Cart()
    cart.add("book", "12.50", count=2)
    cart.add("pen", "2.00", count=5)
    return cart


class Acceptance(unittest.TestCase):
    """What the task asked for."""

    def test_new_name_exists(self):
        self.assertTrue(callable(getattr(fixed_cart(), "calculate_total", None)))

    def test_old_name_is_gone(self):
        self.assertFalse(hasattr(fixed_cart(), "calculateTotal"))

    def test_nothing_says_the_old_name(self):
        files = [
            *PROJECT.glob("shop/**/*.py"),
            *PROJECT.glob("tests/**/*.py"),
            *PROJECT.glob("docs/**/*.md"),
        ]
        self.assertGreater(len(files), 5)
        for path in files:
            self.assertNotIn("calculateTotal", path.read_text(), path)

    def test_total_is_35(self):
        self.assertEqual(fixed_cart().calculate_total(), 35)

    def test_discounted_total_is_31_5(self):
        from shop.discount import discounted_total

        self.assertEqual(discounted_total(fixed_cart(), 10), Decimal("31.5"))

    def test_receipt_shows_the_total(self):
        from shop.receipt import receipt

        self.assertIn("35.00", receipt(fixed_cart()))
        self.assertIn("31.50", receipt(fixed_cart(), 10))


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
