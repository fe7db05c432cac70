# SPDX-License-Identifier: GPL-2.0-only
"""Discounts on a whole cart."""

from decimal import Decimal


def discounted_total(cart, percent):
    """Return the total of the cart, PERCENT cheaper."""
    if not 0 <= percent <= 100:
        raise ValueError(f"no such discount: {percent} %")
    return cart.calculate_total() * (100 - Decimal(percent)) / 100
