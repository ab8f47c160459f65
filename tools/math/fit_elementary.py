#!/usr/bin/env python3
"""Makes spec/math/elementary.toml: the polynomials of functions that are computed in their own precision. Needs mpmath; nothing that is
built or run needs this.

    python3 tools/math/fit_elementary.py > spec/math/elementary.toml

Each is a Chebyshev interpolation in 60 digits, as short as leaves an error that does not matter beside the rounding of
the function that it is a part of: 2^-bits of the polynomial's own value.
"""

import mpmath as mp
from chebyshev import fit, table

HALF_LN2 = mp.log(2) / 2 + mp.mpf(2) ** -10


def single(name, text, function, low, high, bits, centre=0):
    table(f"{name}_single", text, fit(function, low, high, mp.mpf(2) ** -bits, centre, shortest=2))


def double(name, text, function, low, high, bits):
    table(f"{name}_double", text, fit(function, low, high, mp.mpf(2) ** -bits, shortest=2))


def both(name, text, function, low, high, bits_single, bits_double):
    single(name, text, function, low, high, bits_single)
    double(name, text, function, low, high, bits_double)


def of_square(function):
    """function of x as one of s = x^2."""
    return lambda s: function(mp.sqrt(s))


def main():
    print("# Made by tools/math/fit_elementary.py, which says what these are.")
    end = HALF_LN2**2
    both("cosh", "(cosh r - 1) / r^2, in r^2, |r| <= ln(2) / 2", of_square(lambda r: (mp.cosh(r) - 1) / r**2), 0, end, 24, 55)
    both("sinh", "(sinh r - r) / r^3, in r^2, |r| <= ln(2) / 2", of_square(lambda r: (mp.sinh(r) - r) / r**3), 0, end, 23, 54)
    both("expm1", "(exp(r) - 1 - r) / r^2, in r, |r| <= ln(2) / 2",
         lambda r: (mp.expm1(r) - r) / r**2 if abs(r) > mp.mpf(10) ** -15 else mp.mpf(1) / 2, -HALF_LN2, HALF_LN2, 25, 56)
    single("tanh", "(tanh x - x) / x^3, in x^2, |x| <= 5 / 8", of_square(lambda x: (mp.tanh(x) - x) / x**3), 0, mp.mpf(25) / 64, 24)
    both("log", "(log(1 + f) - f + f^2 / 2) / f^3, in f, 1 + f from sqrt(1 / 2) to sqrt(2)",
         lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3 if abs(f) > mp.mpf(10) ** -12 else mp.mpf(1) / 3,
         mp.sqrt(mp.mpf(1) / 2) - 1, mp.sqrt(2) - 1, 23, 54)
    # Of doubles for floats: as many digits as powers up to 2^128 want.
    table("log2_of_float", "log2(1 + f) / f, in f, 1 + f from sqrt(1 / 2) to sqrt(2)",
          fit(lambda f: mp.log1p(f) / f / mp.log(2) if f else 1 / mp.log(2), mp.sqrt(mp.mpf(1) / 2) - 1, mp.sqrt(2) - 1, mp.mpf(2) ** -36))
    table("exp2_of_float", "2^r, in r, |r| <= 1 / 2", fit(lambda r: mp.mpf(2) ** r, -mp.mpf(1) / 2, mp.mpf(1) / 2, mp.mpf(2) ** -29))
    end = (mp.pi / 4 + mp.mpf(2) ** -10)**2
    both("sin", "(sin r - r) / r^3, in r^2, |r| <= pi / 4", of_square(lambda r: (mp.sin(r) - r) / r**3), 0, end, 24, 55)
    both("cos", "(cos r - 1 + r^2 / 2) / r^4, in r^2, |r| <= pi / 4",
         of_square(lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4), 0, end, 22, 53)
    end = (mp.mpf(1) / 4 + mp.mpf(2) ** -10)**2
    both("sinpi", "(sin(pi r) - pi r) / r^3, in r^2, |r| <= 1 / 4",
         of_square(lambda r: (mp.sin(mp.pi * r) - mp.pi * r) / r**3), 0, end, 24, 55)
    both("cospi", "(cos(pi r) - 1) / r^2, in r^2, |r| <= 1 / 4", of_square(lambda r: (mp.cos(mp.pi * r) - 1) / r**2), 0, end, 25, 55)
    both("atan", "(atan x - x) / x^3, in x^2, |x| <= 1", of_square(lambda x: (mp.atan(x) - x) / x**3), 0, 1, 25, 56)
    both("asin", "(asin x - x) / x^3, in x^2, |x| <= 1 / 2", of_square(lambda x: (mp.asin(x) - x) / x**3), 0, mp.mpf(1) / 4, 24, 55)
    # Between its ends this one is 0.
    both("erf", "erf(x) / x - 1, in x^2, |x| <= 1", of_square(lambda x: mp.erf(x) / x - 1), 0, 1, 20, 50)
    # It is taken from 1: what it is wrong by counts a sixth at most.
    single("log_erfc", "log(erfc x), in x - 1, 1 <= x <= 4", lambda x: mp.log(mp.erfc(1 + x)), 0, 3, 24)
    double("log_erfc", "log(erfc x), in x - 1, 1 <= x <= 6", lambda x: mp.log(mp.erfc(1 + x)), 0, 5, 54)

    def scaled(u):
        x = 2 * (1 + u) / (1 - u)
        return (x + 2) * mp.exp(x**2) * mp.erfc(x)

    text = "(x + 2) exp(x^2) erfc(x), in u = (x - 2) / (x + 2), 0 <= x <= "
    single("erfcx", text + "10.5", scaled, -1, mp.mpf("8.5") / mp.mpf("12.5"), 25)
    double("erfcx", text + "27.5", scaled, -1, mp.mpf("25.5") / mp.mpf("29.5"), 55)


if __name__ == "__main__":
    main()
