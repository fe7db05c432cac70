# SPDX-License-Identifier: GPL-2.0-only
"""A shopping cart."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Item:
    """So many pieces of one article."""

    name: str
    price: Decimal
    count: int


class Cart:
    """What one customer is about to buy."""

    def __init__(self):
        self.items = []

    def add(self, name, price, count=1):
        """Put COUNT pieces into the cart, PRICE each."""
        if count < 1:
            raise ValueError(f"{name}: the count must be positive")
        self.items.append(Item(name, Decimal(price), count))

    def calculateTotal(self):
        """Return what all items cost together."""
        return sum((i.price * i.count for i in self.items), Decimal(0))
