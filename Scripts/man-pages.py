#!/usr/bin/env python3
"""Writes the manual pages of a program from the help that its argument parser describes as JSON.

    PROGRAM --experimental-dump-help | man-pages.py FOLDER VERSION

The program has a page, and so has each of its commands: descant.1, descant-play.1. Commands of commands are parts of a page."""

import json
import pathlib
import re
import sys


# Commands that are programs with pages of their own.
SIBLINGS = {
    "descant-library": "Keeps a library of music: folders, tags and play counts.",
    "descant-ma": "Controls the players of a Music Assistant server.",
}


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def paragraphs(text: str) -> list[str]:
    """Lines that are indented are examples, whose breaks are kept."""
    lines, in_example = [], False
    for line in text.split("\n"):
        is_example = line.startswith("  ")
        if is_example != in_example:
            lines.append(".PP\n.EX" if is_example else ".EE")
            in_example = is_example
        if line.strip():
            lines.append(escaped(line if is_example else line.strip()))
        elif lines and not is_example:
            lines.append(".PP")
    if in_example:
        lines.append(".EE")
    while lines and lines[-1] == ".PP":
        lines.pop()
    # A paragraph that begins right behind a heading needs no mark.
    return [line for index, line in enumerate(lines) if line != ".PP" or lines[index - 1] != ".PP"]


def shown(items: list | None) -> list:
    return [item for item in items or [] if item.get("shouldDisplay", True)]


def name_of(name: dict) -> str:
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def value_of(argument: dict) -> str:
    return f"\\fI{escaped(argument.get('valueName', 'value'))}\\fR"


def synopsis(argument: dict) -> str:
    if argument["kind"] == "positional":
        text = value_of(argument)
    else:
        text = f"\\fB{escaped(name_of(argument['preferredName']))}\\fR"
        if argument["kind"] == "option":
            text += f" {value_of(argument)}"
    if argument.get("isRepeating"):
        text += " ..."
    return f"[{text}]" if argument.get("isOptional") else text


def entry(argument: dict) -> list[str]:
    if argument["kind"] == "positional":
        head = value_of(argument)
    else:
        head = ", ".join(f"\\fB{escaped(name_of(name))}\\fR" for name in argument["names"])
        if argument["kind"] == "option":
            head += f" {value_of(argument)}"
    text = [part for part in (argument.get("abstract"), argument.get("discussion")) if part]
    values = argument.get("allValues") or []
    if values:
        text.append("Values: " + ", ".join(values) + ".")
    if argument.get("defaultValue"):
        text.append(f"Default: {argument['defaultValue']}.")
    return [".TP", head] + [escaped(" ".join(" ".join(text).split())) or "\\&"]


def options(command: dict) -> list[str]:
    arguments = shown(command.get("arguments"))
    # Every command has these two, and the program's page names them.
    common = {"help", "version"}
    own = [a for a in arguments if a.get("valueName") not in common]
    return [line for argument in own for line in entry(argument)]


def usage(names: list[str], command: dict) -> list[str]:
    words = [f"\\fB{escaped(' '.join(names))}\\fR"]
    arguments = [a for a in shown(command.get("arguments")) if a.get("valueName") not in {"help", "version"}]
    positional = [a for a in arguments if a["kind"] == "positional"]
    if len(arguments) - len(positional) > 5:
        words.append("[\\fIoption\\fR ...]")
        arguments = positional
    words += [synopsis(argument) for argument in arguments]
    if shown(command.get("subcommands")):
        words.append("\\fIcommand\\fR ...")
    return [" ".join(words)]


def children(command: dict) -> list[dict]:
    return [child for child in shown(command.get("subcommands")) if child["commandName"] != "help"]


def part(names: list[str], command: dict) -> list[str]:
    """A command of a command."""
    lines = [f".SS {escaped(' '.join(names))}"] + usage(names, command) + [".PP"]
    lines += paragraphs(command.get("abstract", "")) + paragraphs(command.get("discussion", "")) + options(command)
    for child in children(command):
        lines += part(names + [child["commandName"]], child)
    return lines


def page(names: list[str], command: dict, version: str, has_pages: bool) -> str:
    title = "-".join(names)
    abstract = command.get("abstract", "").strip().rstrip(".")
    lines = [f'.TH "{title.upper()}" "1" "" "{names[0]} {version}" "User Commands"', ".SH NAME"]
    lines += [f"{escaped(title)} \\- {escaped(abstract[:1].lower() + abstract[1:])}", ".SH SYNOPSIS"]
    lines += usage(names, command)
    if command.get("discussion"):
        lines += [".SH DESCRIPTION"] + paragraphs(command["discussion"])
    entries = options(command)
    if entries:
        lines += [".SH OPTIONS"] + entries
    commands = children(command)
    if commands:
        lines.append(".SH COMMANDS")
        for child in commands:
            if has_pages:
                other = f"\\fB{escaped(title + '-' + child['commandName'])}\\fR(1)"
                lines += [".TP", other, escaped(child.get("abstract", "")) or "\\&"]
            else:
                lines += part(names + [child["commandName"]], child)
        for name, text in SIBLINGS.items() if has_pages else ():
            lines += [".TP", f"\\fB{escaped(name)}\\fR(1)", escaped(text)]
    if len(names) > 1:
        lines += [".SH SEE ALSO", f"\\fB{escaped(names[0])}\\fR(1)"]
    return "\n".join(lines) + "\n"


def main() -> None:
    folder, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    folder.mkdir(parents=True, exist_ok=True)
    command = json.load(sys.stdin)["command"]
    # A program such as descant-library calls itself as it is typed: "descant library".
    names = command["commandName"].split()
    # The commands of a program that is itself a command are parts of its page.
    has_pages = len(names) == 1 and "-" not in names[0]
    pages = {"-".join(names): page(names, command, version, has_pages)}
    if has_pages:
        for child in children(command):
            name = child["commandName"]
            pages[f"{names[0]}-{name}"] = page(names + [name], child, version, False)
    for name, text in pages.items():
        (folder / f"{name}.1").write_text(text)


main()
