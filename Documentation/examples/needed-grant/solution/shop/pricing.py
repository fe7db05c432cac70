# SPDX-License-Identifier: GPL-2.0-only
"""What an article costs."""

from decimal import Decimal

from shop.rates import RATES


def price(article, amount):
    """Return the amount after the discount on this kind of article."""
    return Decimal(amount) * (100 - RATES.get(article, 0)) / 100
