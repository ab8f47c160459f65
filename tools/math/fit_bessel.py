#!/usr/bin/env python3
"""Makes spec/math/bessel.toml: the polynomials of the Bessel functions. Needs mpmath; nothing that is built or run needs this.

    python3 tools/math/fit_bessel.py > spec/math/bessel.toml

Each is a Chebyshev interpolation in 60 digits, as short as leaves an error below 2^-57 of the function, then written as powers of its
argument less a centre. Where a function has zeros the polynomial is of the function divided by (x - zero), so that the
product is right to a few ulps there too; a zero is two doubles.
"""

import mpmath as mp
from chebyshev import fit as fit_to
from chebyshev import numbers, table

PI = mp.pi
ACCURACY = mp.mpf(2) ** -57


def fit(function, low, high, centre=0):
    return fit_to(function, low, high, ACCURACY, centre)


def zero_near(function, guess):
    zero = mp.findroot(function, guess)
    high = float(zero)
    return zero, [high, float(zero - mp.mpf(high))]


def pieces(name, text, function, parts):
    """parts: where each begins and ends, its centre and a guess of its nearest zero."""
    rows = []
    for low, high, centre, guess in parts:
        zero, pair = zero_near(function, guess)

        def divided(x, zero=zero):
            if abs(x - zero) < mp.mpf(10) ** -20:
                return mp.diff(function, zero)
            return function(x) / (x - zero)

        rows.append((low, centre, pair, fit(divided, low, high, centre)))
    longest = max(len(row[3]) for row in rows)
    print(f"\n[[pieces]]\nname = \"{name}\"\nof = \"{text}\"")
    print("begin =", numbers([float(row[0]) for row in rows]))
    print("centre =", numbers([float(row[1]) for row in rows]))
    print("zero = [" + ", ".join(numbers(row[2]) for row in rows) + "]")
    print("coefficients = [")
    for row in rows:
        print("  " + numbers(row[3] + [0.0] * (longest - len(row[3]))) + ",")
    print("]")


def hankel(order, part):
    """P or x Q of s = (8 / x)^2, where J = sqrt(2 / (pi x)) (P cos c - Q sin c), Y = sqrt(2 / (pi x)) (P sin c + Q cos c)."""

    def value(s):
        x = 8 / mp.sqrt(s)
        c = x - PI / 4 - order * PI / 2
        root = mp.sqrt(PI * x / 2)
        j, y = mp.besselj(order, x), mp.bessely(order, x)
        if part == "p":
            return root * (j * mp.cos(c) + y * mp.sin(c))
        return x * root * (y * mp.cos(c) - j * mp.sin(c))

    return value


def modified(order):
    def value(v):
        if v < mp.mpf(10) ** -3:
            return mp.hyp2f0(mp.mpf(1) / 2 + order, mp.mpf(1) / 2 - order, v / 2) / mp.sqrt(2 * PI)
        return mp.besseli(order, 1 / v) * mp.exp(-1 / v) / mp.sqrt(v)

    return value


def main():
    print("# Made by tools/math/fit_bessel.py, which says what these are.")
    half, tiny = mp.mpf(1) / 2, mp.mpf(10) ** -25
    root = mp.sqrt
    table("i0_small", "I0(x), in x^2, x < 8", fit(lambda s: mp.besseli(0, root(s)), 0, 64))
    table("i1_small", "I1(x) / x, in x^2, x < 8", fit(lambda s: mp.besseli(1, root(s)) / root(s) if s else half, 0, 64))
    eighth = mp.mpf(1) / 8
    for order in (0, 1):
        scaled = modified(order)
        table(f"i{order}_large", f"I{order}(x) exp(-x) sqrt(x), in 16 / x - 1, x >= 8",
              fit(lambda u: scaled((u + 1) / 16), -1, 1))
    table("j0_small", "J0(x), in x^2, x < 2", fit(lambda s: mp.besselj(0, root(s)), 0, 4))
    table("j1_small", "J1(x) / x, in x^2, x < 2", fit(lambda s: mp.besselj(1, root(s)) / root(s) if s else half, 0, 4))
    j0, j1 = (lambda x: mp.besselj(0, x)), (lambda x: mp.besselj(1, x))
    y0, y1 = (lambda x: mp.bessely(0, x)), (lambda x: mp.bessely(1, x))
    pieces("j0", "J0(x) / (x - zero), in x - centre", j0,
           [(2, 4, 3, 2.4), (4, 5.75, 4.875, 5.5), (5.75, 7, 6.375, 5.5), (7, 8, 7.5, 8.65)])
    pieces("j1", "J1(x) / (x - zero), in x - centre", j1,
           [(2, 3.5, 2.75, 3.83), (3.5, 5.25, 4.375, 3.83), (5.25, 6.75, 6, 7.01), (6.75, 8, 7.375, 7.01)])
    pieces("y0", "Y0(x) / (x - zero), in x - centre", y0,
           [(2, 3, 2.5, 3.96), (3, 4.5, 3.75, 3.96), (4.5, 5.75, 5.125, 3.96), (5.75, 8, 6.875, 7.09)])
    pieces("y1", "Y1(x) / (x - zero), in x - centre", y1,
           [(1.5, 2.125, 1.8125, 2.2), (2.125, 3, 2.5625, 2.2), (3, 4.5, 3.75, 5.43), (4.5, 6.25, 5.375, 5.43),
            (6.25, 8, 7.125, 8.6)])
    zero, pair = zero_near(y0, 0.9)
    print(f"\n[[polynomial]]\nname = \"y0_zero\"\nof = \"the least zero of Y0, as two doubles\"\ncoefficients = {numbers(pair)}")

    def y0_rest(s):
        if abs(s - zero**2) < tiny:
            s = zero**2 + tiny
        if s < tiny:
            return (2 / PI) * (mp.euler + mp.log(zero / 2)) / (s - zero**2)
        x = root(s)
        return (y0(x) - 2 / PI * mp.log(x / zero) * j0(x)) / (s - zero**2)

    table("y0_small", "(Y0(x) - 2/pi log(x / zero) J0(x)) / (x^2 - zero^2), in x^2, x < 2", fit(y0_rest, 0, 4))

    def y1_rest(s):
        s = max(s, tiny)
        x = root(s)
        return (y1(x) - 2 / PI * (mp.log(x / 2) * j1(x) - 1 / x)) / x

    table("y1_small", "(Y1(x) - 2/pi (log(x / 2) J1(x) - 1 / x)) / x, in x^2, x < 1.5", fit(y1_rest, 0, 2.25))
    for order in (0, 1):
        for part in "pq":
            text = "P" if part == "p" else "x Q"
            table(f"{part}{order}", f"{text} of Hankel's form of order {order}, in (8 / x)^2, x >= 8", fit(hankel(order, part), 0, 1))


if __name__ == "__main__":
    main()
