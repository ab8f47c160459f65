"""Polynomials by Chebyshev interpolation, for the fit_*.py beside it. Needs mpmath."""

import mpmath as mp

mp.mp.dps = 60


def interpolation(function, low, high, degree):
    """Coefficients of Chebyshev polynomials of u, u = -1..1 on [low, high]."""
    count = degree + 8
    nodes = [mp.cos(mp.pi * (k + mp.mpf(1) / 2) / count) for k in range(count)]
    values = [function((high - low) / 2 * u + (low + high) / 2) for u in nodes]
    coefficients = []
    for j in range(degree + 1):
        total = sum(values[k] * mp.cos(j * mp.pi * (k + mp.mpf(1) / 2) / count) for k in range(count))
        coefficients.append(total * (2 if j else 1) / count)
    return coefficients


def powers(coefficients, low, high, centre):
    """The same polynomial as coefficients of (x - centre)^k."""
    scale = 2 / (high - low)
    shift = scale * centre - (low + high) / (high - low)  # u = scale * (x - centre) + shift
    previous, current = [mp.mpf(1)], [shift, scale]
    result = [mp.mpf(0)] * len(coefficients)
    for polynomial, factor in zip((previous, current), coefficients):
        for i, c in enumerate(polynomial):
            result[i] += factor * c
    for factor in coefficients[2:]:
        following = [mp.mpf(0)] * (len(current) + 1)
        for i, c in enumerate(current):
            following[i] += 2 * shift * c
            following[i + 1] += 2 * scale * c
        for i, c in enumerate(previous):
            following[i] -= c
        previous, current = current, following
        for i, c in enumerate(current):
            result[i] += factor * c
    return result


def fit(function, low, high, accuracy, centre=0, longest=48, shortest=4):
    """As short as leaves an error below `accuracy` of the least value."""
    low, high, centre = mp.mpf(low), mp.mpf(high), mp.mpf(centre)
    coefficients = interpolation(function, low, high, longest)
    least = min(abs(function(low + (high - low) * (k + mp.mpf(1) / 2) / 40)) for k in range(40))
    count = len(coefficients)
    while count > shortest and sum(abs(c) for c in coefficients[count - 1:]) < accuracy * least:
        count -= 1
    return [float(c) for c in powers(coefficients[:count], low, high, centre)]


def numbers(values):
    return "[" + ", ".join(repr(v) for v in values) + "]"


def table(name, text, coefficients):
    print(f"\n[[polynomial]]\nname = \"{name}\"\nof = \"{text}\"\ncoefficients = {numbers(coefficients)}")
