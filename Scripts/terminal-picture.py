#!/usr/bin/env python3
"""Draws what a terminal shows as an SVG picture: runs the terminal player's demo in tmux and captures its screen.

    terminal-picture.py PROGRAM OUTPUT.svg      PROGRAM is the built `descant`, with its voices on DESCANT_PLUGIN_PATH
"""

import html
import re
import subprocess
import sys
import time

COLUMNS, ROWS = 96, 21
CELL_WIDTH, LINE_HEIGHT, MARGIN = 8.4, 19, 16
BACKGROUND, FOREGROUND = "#16181d", "#d8dce3"
# The levels of red, green and blue in the cube of the palette of 256 colours.
LEVELS = (0, 95, 135, 175, 215, 255)
SESSION = "descant-picture"


def tmux(*arguments):
    return subprocess.run(["tmux", *arguments], check=True, capture_output=True, text=True).stdout


def capture(program):
    """The screen while the second track plays, with the crossfade behind it still shown."""
    tmux("new-session", "-d", "-s", SESSION, "-x", str(COLUMNS), "-y", str(ROWS),
         f"'{program}' play --demo --output null")
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if "crossfade █████" in tmux("capture-pane", "-p", "-t", SESSION):
                return tmux("capture-pane", "-e", "-p", "-t", SESSION)
            time.sleep(0.05)
        sys.exit("the demo showed no crossfade within two minutes")
    finally:
        subprocess.run(["tmux", "kill-session", "-t", SESSION], check=False)


def palette(number):
    """A colour of the palette's cube or one of its greys, which is all that the player uses of it."""
    if number >= 232:
        return "#%02x%02x%02x" % ((8 + 10 * (number - 232),) * 3)
    number -= 16
    return "#%02x%02x%02x" % tuple(LEVELS[part % 6] for part in (number // 36, number // 6, number))


class Style:
    def __init__(self):
        self.reset()

    def reset(self):
        self.color, self.background, self.bold, self.dim, self.inverse = None, None, False, False, False

    def apply(self, codes):
        codes = [int(code or 0) for code in codes.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code == 1:
                self.bold = True
            elif code == 2:
                self.dim = True
            elif code == 7:
                self.inverse = True
            elif code in (38, 48) and codes[:1] == [5]:
                name = "color" if code == 38 else "background"
                setattr(self, name, palette(codes[1]))
                codes = codes[2:]
            elif code in (38, 48) and codes[:1] == [2]:
                setattr(self, "color" if code == 38 else "background", "#%02x%02x%02x" % tuple(codes[1:4]))
                codes = codes[4:]
            elif code == 39:
                self.color = None
            elif code == 49:
                self.background = None

    def attributes(self):
        color = BACKGROUND if self.inverse else self.color or FOREGROUND
        return (f' fill="{color}"' + (' font-weight="bold"' if self.bold else "")
                + (' opacity="0.6"' if self.dim else ""))


def draw(screen):
    width, height = COLUMNS * CELL_WIDTH + 2 * MARGIN, ROWS * LINE_HEIGHT + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
           f'font-family="DejaVu Sans Mono, Menlo, monospace" font-size="14" xml:space="preserve">',
           f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>']
    style = Style()
    for row, line in enumerate(screen.split("\n")[:ROWS]):
        column, y = 0, MARGIN + (row + 0.75) * LINE_HEIGHT
        for part in re.split(r"(\x1b\[[0-9;]*m)", line):
            if part.startswith("\x1b["):
                style.apply(part[2:-1])
                continue
            if part.strip() or (style.inverse or style.background) and part:
                x, length = MARGIN + column * CELL_WIDTH, len(part) * CELL_WIDTH
                background = FOREGROUND if style.inverse else style.background
                top = y - 0.75 * LINE_HEIGHT
                if background:
                    out.append(f'<rect x="{x:.1f}" y="{top:.1f}" width="{length:.1f}" '
                               f'height="{LINE_HEIGHT}" fill="{background}"/>')
                if set(part) == {"▀"}:
                    # Pixels of a cover: an exact half, which fonts do not give.
                    out.append(f'<rect x="{x:.1f}" y="{top:.1f}" width="{length:.1f}" '
                               f'height="{LINE_HEIGHT / 2}" fill="{style.color}"/>')
                    column += len(part)
                    continue
                out.append(f'<text x="{x:.1f}" y="{y:.1f}" textLength="{length:.1f}"{style.attributes()}>'
                           f"{html.escape(part)}</text>")
            column += len(part)
    return "\n".join(out + ["</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    picture = draw(capture(sys.argv[1]))
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(picture)
