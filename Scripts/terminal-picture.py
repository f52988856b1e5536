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
# The colours of the 256-colour palette that the player uses.
PALETTE = {71: "#5faf5f", 75: "#5fafff", 170: "#d75fd7", 178: "#d7af00", 203: "#ff5f5f"}
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


class Style:
    def __init__(self):
        self.reset()

    def reset(self):
        self.color, self.bold, self.dim, self.inverse = None, False, False, False

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
            elif code == 38 and codes[:1] == [5]:
                self.color = PALETTE.get(codes[1], FOREGROUND)
                codes = codes[2:]
            elif code == 39:
                self.color = None

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
            if part.strip() or style.inverse and part:
                x, length = MARGIN + column * CELL_WIDTH, len(part) * CELL_WIDTH
                if style.inverse:
                    out.append(f'<rect x="{x:.1f}" y="{y - 0.75 * LINE_HEIGHT:.1f}" width="{length:.1f}" '
                               f'height="{LINE_HEIGHT}" fill="{FOREGROUND}"/>')
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
