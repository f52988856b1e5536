#!/usr/bin/python3
"""Another program: a window out of which the files of the arguments are dragged, as out of a file manager."""
import pathlib
import signal
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

signal.signal(signal.SIGTERM, signal.SIG_DFL)
Gtk.init()
addresses = "".join(pathlib.Path(path).as_uri() + "\r\n" for path in sys.argv[1:])
source = Gtk.DragSource()
source.set_content(Gdk.ContentProvider.new_for_bytes("text/uri-list", GLib.Bytes.new(addresses.encode())))
label = Gtk.Label(label="files")
label.add_controller(source)
window = Gtk.Window(title="Files", decorated=False, default_width=120, default_height=60, child=label)
window.present()
GLib.MainLoop().run()
