# SPDX-License-Identifier: GPL-2.0-only
"""Receipts, as text."""

from shop.discount import discounted_total


def receipt(cart, percent=0):
    """Return the receipt of a cart: one line an item, then the total."""
    lines = [
        f"{item.count} x {item.name:<20} {item.price * item.count:>8.2f}"
        for item in cart.items
    ]
    lines.append(f"total {cart.calculateTotal():>27.2f}")
    if percent:
        lines.append(f"minus {percent} % {discounted_total(cart, percent):>22.2f}")
    return "\n".join(lines) + "\n"
