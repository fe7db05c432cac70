# SPDX-License-Identifier: GPL-2.0-only
"""The check-out: python3 -m shop.checkout [--discount N] NAME=PRICE[xCOUNT]..."""

import argparse

from shop.cart import Cart
from shop.receipt import receipt


def parse_item(text):
    """Return name, price and count of an argument."""
    name, _, rest = text.partition("=")
    price, _, count = rest.partition("x")
    return name, price, int(count or 1)


def main():
    """Print the receipt of what the command line names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--discount", type=int, default=0)
    parser.add_argument("item", nargs="+", type=parse_item)
    arguments = parser.parse_args()
    cart = Cart()
    for item in arguments.item:
        cart.add(*item)
    print(receipt(cart, arguments.discount), end="")
    if not cart.calculateTotal():
        print("nothing to pay")


if __name__ == "__main__":
    main()
