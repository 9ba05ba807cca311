"""A chart's specification drawn for a page: SVG that reads without a script, with values under the pointer.

Pointing at, tapping or tabbing to a value shows it: each is a focusable group whose label CSS makes
visible. Every text that comes from a run is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from recallreach.study.charts import (
    PALETTE,
    PALETTE_DARK,
    Chart,
    Curves,
    Line,
    Point,
    Stacks,
    label_of,
    spread,
    widest,
)
from recallreach.study.charts_files import readable_on

CHARACTER = 7.1
"""Width that is set aside for a character at the 12 pixels that charts write in."""
ROW = 18
"""Height of one line of a label."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Size of a drawing in pixels and the margins around its plot."""

    width: int
    height: int
    left: int = 50
    right: int = 16
    top: int = 14
    bottom: int = 46


WIDE, NARROW = Frame(760, 360), Frame(360, 300, left=46, right=12)


def drawing(chart: Chart) -> Markup:
    """The chart as HTML: one SVG for wide pages, one for narrow ones; a style sheet shows the fitting one."""
    if isinstance(chart, Stacks):
        return _figure(_keys(chart.kinds, chart.colors), _Bars(chart, WIDE).svg(), _Bars(chart, NARROW).svg())
    wide = _Plot(chart, WIDE)
    keys = _keys([line.label for line in chart.lines])
    return _figure(keys, wide.svg(), _Plot(chart, NARROW).svg(), " named" if wide.named else "")


def style() -> Markup:
    """The style sheet of all drawings, for light and dark pages."""
    light = "".join(f"--c{number}:{color};" for number, color in enumerate(PALETTE))
    dark = "".join(f"--c{number}:{color};" for number, color in enumerate(PALETTE_DARK))
    series = "".join(f".chart .c{number}{{color:var(--c{number})}}" for number in range(len(PALETTE)))
    return Markup(
        f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}{series}{_STYLE}"
    )


def _figure(keys: Markup, wide: Markup, narrow: Markup, named: str = "") -> Markup:
    return Markup(
        '<div class="chart{}"><div class="wide">{}</div><div class="narrow">{}</div>{}</div>'
    ).format(named, wide, narrow, keys)


def _keys(labels: Sequence[str], fills: Sequence[str] = ()) -> Markup:
    """The legend: a swatch and a name each."""
    entries = []
    for number, label in enumerate(labels):
        fill = Markup(' style="background:{}"').format(fills[number]) if fills else Markup("")
        color = "" if fills else f"c{number % len(PALETTE)}{_second(number)}"
        entries.append(Markup('<li class="{}"><i{}></i>{}</li>').format(color, fill, label))
    kind = "fill" if fills else "stroke"
    return Markup('<ul class="keys {}">{}</ul>').format(kind, Markup("").join(entries))


class _Plot:
    """Curves in one frame."""

    def __init__(self, chart: Curves, frame: Frame) -> None:
        self.chart = chart
        ends = widest(line.label for line in chart.lines) if frame is WIDE else 0
        self.named = 0 < ends <= 30 and len(chart.lines) <= 12
        right = round(ends * CHARACTER) + 24 if self.named else frame.right
        self.frame = Frame(frame.width, frame.height, frame.left, right, frame.top, frame.bottom)
        self.xs = chart.xs

    def svg(self) -> Markup:
        """The whole drawing."""
        frame = self.frame
        parts = [*self._grid(), *self._ticks(), *self._reference()]
        for number, line in enumerate(self.chart.lines):
            parts += self._line(line, number)
        parts += self._names() if self.named else ()
        parts += self._columns()
        return Markup('<svg viewBox="0 0 {} {}" role="group" aria-label="{}">{}</svg>').format(
            frame.width, frame.height, f"{self.chart.title}, chart", Markup("").join(parts)
        )

    def _x(self, x: float) -> float:
        first, last = (self.xs[0], self.xs[-1]) if self.xs else (0.0, 1.0)
        room = self.frame.width - self.frame.left - self.frame.right
        return round(self.frame.left + 10 + (x - first) / ((last - first) or 1) * (room - 20), 1)

    def _y(self, y: float) -> float:
        return round(self.frame.height - self.frame.bottom - y * self._tall, 1)

    @property
    def _tall(self) -> int:
        return self.frame.height - self.frame.top - self.frame.bottom

    def _grid(self) -> Iterator[Markup]:
        end = self.frame.width - self.frame.right
        for step in range(6):
            height = self._y(step / 5)
            yield Markup('<path class="grid" d="M{} {}H{}"/>').format(self.frame.left, height, end)
            yield _text(self.frame.left - 8, height + 4, f"{20 * step} %" if step else "0", "tick end")

    def _ticks(self) -> Iterator[Markup]:
        every = max(1, -(-len(self.xs) // (12 if self.frame.width > 500 else 7)))
        for x in self.xs[::every]:
            yield _text(self._x(x), self.frame.height - 26, label_of(x), "tick mid")
        middle = (self.frame.left + self.frame.width - self.frame.right) / 2
        yield _text(middle, self.frame.height - 6, self.chart.x_label, "axis mid")

    def _reference(self) -> Iterator[Markup]:
        if self.chart.reference:
            yield Markup('<path class="guess" d="{}"/>').format(self._path(self.chart.reference.points))

    def _path(self, points: Sequence[Point]) -> str:
        return "M" + "L".join(f"{self._x(point.x)} {self._y(point.y)}" for point in points)

    def _line(self, line: Line, number: int) -> Iterator[Markup]:
        color = number % len(PALETTE)
        upper = [f"{self._x(point.x)} {self._y(_or(point.high, point.y))}" for point in line.points]
        lower = [f"{self._x(point.x)} {self._y(_or(point.low, point.y))}" for point in line.points[::-1]]
        yield Markup('<path class="band c{}" d="M{}Z"/>').format(color, "L".join(upper + lower))
        drawn = (color, _second(number), self._path(line.points))
        yield Markup('<path class="line c{}{}" d="{}"/>').format(*drawn)
        radius = 3.5 if len(self.xs) <= 20 else 2
        for point in line.points:
            place = (self._x(point.x), self._y(point.y))
            yield Markup('<circle class="dot c{}" cx="{}" cy="{}" r="{}"/>').format(color, *place, radius)

    def _names(self) -> Iterator[Markup]:
        lines = [line for line in self.chart.lines if line.points]
        heights = spread([line.points[-1].y for line in lines], 15 / self._tall)
        for line, height in zip(lines, heights, strict=True):
            color = self.chart.lines.index(line) % len(PALETTE)
            x = self.frame.width - self.frame.right + 4
            yield _text(x, self._y(height) + 4, line.label, f"name c{color}")

    def _columns(self) -> Iterator[Markup]:
        """One focusable column per x, with the values of all lines there."""
        for number, x in enumerate(self.xs):
            left = self._middle(number - 1, number) if number else self.frame.left
            last = number == len(self.xs) - 1
            right = self.frame.width - self.frame.right if last else self._middle(number, number + 1)
            rows = list(self._rows(x))
            label = _label(f"{self.chart.x_name} {label_of(x)}", rows, self._x(x), self.frame)
            spoken = f"{self.chart.x_name} {label_of(x)}: " + "; ".join(text for _, text in rows)
            yield Markup(
                '<g class="value" tabindex="0" role="img" aria-label="{}">'
                '<rect class="hit" x="{}" y="{}" width="{}" height="{}"/>'
                '<path class="rule" d="M{} {}V{}"/>{}</g>'
            ).format(
                spoken,
                left,
                self.frame.top,
                round(max(right - left, 1), 1),
                self._tall,
                self._x(x),
                self.frame.top,
                self.frame.height - self.frame.bottom,
                label,
            )

    def _middle(self, one: int, two: int) -> float:
        return round((self._x(self.xs[one]) + self._x(self.xs[two])) / 2, 1)

    def _rows(self, x: float) -> Iterator[tuple[str, str]]:
        found = [
            (point.y, number, line.label, point)
            for number, line in enumerate(self.chart.lines)
            for point in line.points
            if point.x == x
        ]
        for _, number, label, point in sorted(found, key=lambda entry: (-entry[0], entry[1])):
            yield f"c{number % len(PALETTE)}", f"{label} {_value(point)}"
        for point in self.chart.reference.points if self.chart.reference else ():
            if point.x == x and self.chart.reference:
                yield "guess", f"{self.chart.reference.label} {_value(point)}"


class _Bars:
    """Stacked bars in one frame."""

    def __init__(self, chart: Stacks, frame: Frame) -> None:
        self.chart, self.wide = chart, frame is WIDE
        names = min(widest(bar.label for bar in chart.bars) * CHARACTER + 12, 260)
        self.left = round(names) if self.wide else 2
        self.step = 34 if self.wide else 50
        height = self.step * len(chart.bars) + 8
        self.frame = Frame(frame.width, height, self.left, 2, 4, 4)

    def svg(self) -> Markup:
        """The whole drawing; labels come last, so that no bar covers one."""
        parts = [part for row in range(len(self.chart.bars)) for part in self._parts(row)]
        names = [self._name(row) for row in range(len(self.chart.bars))]
        drawn = [self._drawn(*part) for part in parts] + [self._value(*part) for part in parts]
        return Markup('<svg viewBox="0 0 {} {}" role="group" aria-label="{}">{}</svg>').format(
            self.frame.width, self.frame.height, f"{self.chart.title}, chart", Markup("").join(names + drawn)
        )

    def _top(self, row: int) -> int:
        return self.frame.top + row * self.step + (3 if self.wide else 19)

    def _name(self, row: int) -> Markup:
        label = self.chart.bars[row].label
        if self.wide:
            return _text(self.left - 10, self._top(row) + 17, fitted(label, self.left - 10), "tick end ink")
        return _text(self.left, self._top(row) - 6, fitted(label, self.frame.width), "tick ink")

    def _parts(self, row: int) -> Iterator[tuple[int, int, float, float]]:
        """Row, number, left end and width of each part that is there."""
        start = float(self.left)
        for number, share in enumerate(self.chart.bars[row].shares()):
            width = share * (self.frame.width - self.left - self.frame.right)
            if width > 0:
                yield row, number, round(start, 1), round(width, 1)
            start += width

    def _drawn(self, row: int, number: int, start: float, width: float) -> Markup:
        fill, top = self.chart.colors[number], self._top(row)
        share = f"{100 * self.chart.bars[row].shares()[number]:.0f} %"
        written = _text(start + width / 2, top + 17, share, "mid", readable_on(fill))
        return Markup('<rect x="{}" y="{}" width="{}" height="26" fill="{}"/>{}').format(
            start, top, width, fill, written if width > 38 else ""
        )

    def _value(self, row: int, number: int, start: float, width: float) -> Markup:
        bar, kind = self.chart.bars[row], self.chart.kinds[number]
        figures = f"{bar.counts[number]} of {bar.total}, {100 * bar.shares()[number]:.1f} %"
        label = _label(kind, [("", figures)], start + width / 2, self.frame, self._top(row) - 2)
        return Markup(
            '<g class="value" tabindex="0" role="img" aria-label="{}">'
            '<rect class="hit" x="{}" y="{}" width="{}" height="26"/>{}</g>'
        ).format(f"{bar.label}, {kind}: {figures}", start, self._top(row), width, label)


def _second(number: int) -> str:
    """Lines beyond the colours are told from the first ones of their colour by dashes."""
    return " second" if number >= len(PALETTE) else ""


def fitted(text: str, width: float) -> str:
    """A text, cut where it is wider than so many pixels."""
    most = max(4, int(width / CHARACTER))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _value(point: Point) -> str:
    ends = (
        "" if point.low is None or point.high is None else f" [{100 * point.low:.1f}, {100 * point.high:.1f}]"
    )
    count = f" n={point.count}" if point.count else ""
    return f"{100 * point.y:.1f} %{ends}{count}"


def _text(x: float, y: float, text: str, classes: str, fill: str = "") -> Markup:
    color = Markup(' style="fill:{}"').format(fill) if fill else Markup("")
    return Markup('<text x="{}" y="{}" class="{}"{}>{}</text>').format(
        round(x, 1), round(y, 1), classes, color, text
    )


def _label(
    head: str, rows: Sequence[tuple[str, str]], x: float, frame: Frame, top: float | None = None
) -> Markup:
    """A box of text beside x that stays within the frame."""
    rows = [(color, fitted(text, frame.width - 44)) for color, text in rows]
    width = round(max(widest([head]), widest(text for _, text in rows) + 2) * CHARACTER) + 20
    height = ROW * (len(rows) + 1) + 10
    left = x + 10 if x + 10 + width <= frame.width else max(0, x - 10 - width)
    left = round(max(0, min(left, frame.width - width)), 1)
    above = frame.top if top is None else max(0, min(top, frame.height - height))
    lines = [_text(left + 10, above + ROW, head, "head")]
    for number, (color, text) in enumerate(rows, start=2):
        height_now = above + ROW * number
        if color:
            lines.append(
                Markup('<circle class="dot {}" cx="{}" cy="{}" r="4"/>').format(
                    color, left + 14, height_now - 4
                )
            )
        lines.append(_text(left + (24 if color else 10), height_now, text, ""))
    return Markup('<g class="tip"><rect x="{}" y="{}" width="{}" height="{}" rx="4"/>{}</g>').format(
        left, above, width, height, Markup("").join(lines)
    )


_STYLE = """
.chart{margin:.5rem 0}.chart svg{display:block;width:100%;height:auto;font-size:12px}
.chart text{fill:var(--ink)}.chart .tick,.chart .axis{fill:var(--faint)}.chart .ink{fill:var(--ink)}
.chart .mid{text-anchor:middle}.chart .end{text-anchor:end}.chart .name{fill:currentColor;font-weight:600}
.chart .grid{stroke:var(--line);stroke-width:1}.chart .band{fill:currentColor;opacity:.13;stroke:none}
.chart .line{fill:none;stroke:currentColor;stroke-width:2.2;stroke-linejoin:round}
.chart .line.second{stroke-dasharray:7 3}
.chart .keys.stroke .second i{background:repeating-linear-gradient(90deg,currentColor 0 5px,#0000 0 7px)}
.chart .dot{fill:currentColor;stroke:var(--paper);stroke-width:1}.chart .dot.guess{color:var(--faint)}
.chart path.guess{fill:none;stroke:var(--faint);stroke-width:1.3;stroke-dasharray:5 4}
.chart .value{outline:none}.chart .hit{fill:transparent}
.chart .rule{stroke:var(--faint);stroke-width:1;opacity:0}
.chart .tip{opacity:0;pointer-events:none;visibility:hidden}
.chart .tip rect{fill:var(--paper);stroke:var(--faint);stroke-width:1}.chart .tip .head{font-weight:700}
.chart .value:hover .tip,.chart .value:focus .tip{opacity:1;visibility:visible}
.chart .value:hover .rule,.chart .value:focus .rule{opacity:.7}
.chart .value:focus-visible .hit{stroke:var(--ink);stroke-width:1.5}
.chart .keys{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:.5rem 0 0;padding:0}
.chart .keys{font-size:.82rem;overflow-wrap:anywhere}.chart .keys.stroke i{height:.22rem;vertical-align:.22em}
.chart .keys i{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;margin-right:.4rem}
.chart .keys i{vertical-align:-.08em;background:currentColor}
.chart .keys.fill li{color:var(--ink)}.chart.named .keys{display:none}.chart .narrow{display:none}
@media screen and (max-width:36rem){.chart .wide{display:none}.chart .narrow{display:block}
.chart.named .keys{display:flex}}
@media print{.chart .tip,.chart .rule{display:none}}
"""
