#!/usr/bin/env python3
"""Lists what breaks built plugins between two dumps of the plugin ABI.

    abi-breaks.py OLD.txt NEW.txt      status 1 when something breaks

A plugin holds the layout of the structs and enums that it was compiled with, and the order of the requirements of the protocols
that it implements. New declarations leave both as they are; a new stored property, case or requirement of a type that was there
does not. Instances of classes are made by the library, so a property may be added behind the others.
"""
import re
import sys


class Declaration:
    def __init__(self, line):
        self.kind, self.path = line.split(" ", 2)[:2]
        self.name = line.rsplit(" ", 1)[1]
        order = re.search(r" (?:stored|case|requirement) \d+", line)
        self.order = order.group().strip() if order else None
        self.owner = self.path.split("(")[0].rpartition(".")[0]
        # The mangled name of a private declaration has the file's discriminator: no plugin reads it directly.
        self.is_private = "LL" in self.name


def read(path):
    with open(path, encoding="utf-8") as file:
        declarations = [Declaration(line.rstrip("\n")) for line in file if " $s" in line]
    return {declaration.name: declaration for declaration in declarations}


def breaks(old, new):
    types = {entry.path: entry.kind for entry in old.values() if entry.kind in ("struct", "enum", "protocol", "class")}
    for name, before in old.items():
        after = new.get(name)
        if after is None:
            # The dump has private declarations because they are part of a layout.
            if not (before.is_private and types.get(before.owner) == "class"):
                yield f"{before.path} is gone"
        elif after.order != before.order and not (types.get(before.owner) == "class" and before.is_private):
            yield f"{before.path} was {before.order or 'not part of a layout'}, and is {after.order or 'none'}"
    for name, after in new.items():
        if name not in old and after.order and types.get(after.owner) in ("struct", "enum", "protocol"):
            yield f"{after.path}, {after.order}, is new in the {types[after.owner]} {after.owner}"


found = list(breaks(read(sys.argv[1]), read(sys.argv[2])))
for line in found:
    print(line)
sys.exit(1 if found else 0)
