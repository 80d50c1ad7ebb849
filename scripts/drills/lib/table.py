"""Tables for the terminal, which are Markdown too."""


def text_of(value):
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}" if value < 10 else f"{value:.1f}"
    if isinstance(value, (list, tuple, set)):
        return ", ".join(map(str, value))
    return str(value)


def render(columns, rows):
    """`columns`: names; `rows`: lists of values."""
    cells = [[text_of(value) for value in row] for row in rows]
    widths = [max(len(column), *(len(row[i]) for row in cells)) if cells else len(column)
              for i, column in enumerate(columns)]

    def line(words):
        return "| " + " | ".join(word.ljust(width) for word, width in zip(words, widths)) + " |"

    return "\n".join([line(columns), "|" + "|".join("-" * (w + 2) for w in widths) + "|", *map(line, cells)])
