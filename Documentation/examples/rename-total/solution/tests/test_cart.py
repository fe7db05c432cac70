# SPDX-License-Identifier: GPL-2.0-only
"""Unit tests of the cart."""

import unittest
from decimal import Decimal

from shop.cart import Cart


class CartTest(unittest.TestCase):
    """What a cart costs."""

    def test_empty(self):
        self.assertEqual(Cart().calculate_total(), 0)

    def test_counts(self):
        cart = Cart()
        cart.add("pen", "2.00", count=3)
        self.assertEqual(cart.calculate_total(), Decimal("6.00"))

    def test_bad_count(self):
        with self.assertRaises(ValueError):
            Cart().add("pen", "2.00", count=0)


if __name__ == "__main__":
    unittest.main()
