"""The known word nearest to a misspelt one, as src/support/spelling.h finds it."""


def edit_distance(a, b):
    """Insertions, removals, replacements and swaps of neighbours (optimal string alignment)."""
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            row.append(min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1])))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                row[j] = min(row[j], rows[i - 2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]


def beginning(a, b):
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def nearest(word, candidates):
    """None where nothing is near enough to be a slip."""
    best, distance = None, max(1, len(word) // 3) + 1
    for candidate in candidates:
        found = edit_distance(word, candidate)
        if found > distance or found >= max(len(word), len(candidate)):
            continue
        if found == distance and (best is None or beginning(word, candidate) <= beginning(word, best)):
            continue
        best, distance = candidate, found
    return best


def unknown(what, word, candidates, tail):
    """'unknown key; did you mean 'x'? known are x, y'"""
    found = nearest(word, candidates)
    return f"unknown {what}; did you mean '{found}'? {tail}" if found else f"unknown {what}; {tail}"
