#!/usr/bin/python3
"""A desktop without a screen: an X server, the bus of screen readers, and the program under test.

Reads a request as a line of JSON from the standard input and answers with one. It ends, with everything that it has started, when its
standard input ends. The variables DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR name the session.
"""
import ctypes
import json
import os
import signal
import subprocess
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402

# Tests block signals, and programs inherit that.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


def end_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def launch(arguments, **options):
    return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, preexec_fn=end_with_parent, **options)


def until(condition, limit=20):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False




def describe(element, depth):
    """What a screen reader knows of an element that is on the screen."""
    states = element.get_state_set()
    interfaces = element.get_interfaces()
    x = y = width = height = 0
    if "Component" in interfaces:
        box = Atspi.Component.get_extents(element, Atspi.CoordType.WINDOW)
        x, y, width, height = box.x, box.y, box.width, box.height
    value = Atspi.Value.get_current_value(element) if "Value" in interfaces else None
    text = None
    if "Text" in interfaces and element.get_role() == Atspi.Role.TEXT:
        text = Atspi.Text.get_text(element, 0, min(4000, Atspi.Text.get_character_count(element)))
    return {
        "text": text, "role": element.get_role_name(), "name": element.get_name() or "", "depth": depth, "value": value,
        "x": x, "y": y, "width": width, "height": height,
        "enabled": states.contains(Atspi.StateType.SENSITIVE),
        "focusable": states.contains(Atspi.StateType.FOCUSABLE), "focused": states.contains(Atspi.StateType.FOCUSED),
        "selected": states.contains(Atspi.StateType.SELECTED), "checked": states.contains(Atspi.StateType.CHECKED),
    }


def tree():
    """The elements on the screen. Called in a process of its own: Atspi keeps what it has once read."""
    desktop = Atspi.get_desktop(0)
    found = []

    def visit(element, depth):
        # Elements may go while they are read.
        try:
            entry = describe(element, depth)
            if depth > 1 and entry["width"] == 0:
                # Pages of a stack have no place of their own.
                if entry["role"] != "panel":
                    return
            else:
                found.append(entry)
            for index in range(element.get_child_count()):
                visit(element.get_child_at_index(index), depth + 1)
        except (GLib.Error, AttributeError):
            pass

    for index in range(desktop.get_child_count()):
        visit(desktop.get_child_at_index(index), 0)
    return found


PORTAL = """<node><interface name='org.freedesktop.portal.Settings'>
<method name='Read'><arg direction='in' type='s'/><arg direction='in' type='s'/><arg direction='out' type='v'/></method>
<signal name='SettingChanged'><arg type='s'/><arg type='s'/><arg type='v'/></signal></interface>
<interface name='org.freedesktop.portal.Inhibit'><method name='Inhibit'><arg direction='in' type='s'/>
<arg direction='in' type='u'/><arg direction='in' type='a{sv}'/><arg direction='out' type='o'/></method></interface>
<interface name='org.freedesktop.portal.Request'><method name='Close'/></interface>
<interface name='org.freedesktop.FileManager1'><method name='ShowItems'><arg direction='in' type='as'/>
<arg direction='in' type='s'/></method></interface></node>"""
scheme = 0
# What keeps the machine awake, by the objects that take it back: the flags, the reason, and the object's number.
inhibitions = {}
# The addresses of the files that the file manager was asked to show.
shown_files = []


def start_portal(value):
    """The portal of a desktop for settings and inhibitions, and its file manager, on a thread with a main loop of its own."""
    global scheme
    import threading

    scheme = value
    ready = threading.Event()

    def serve():
        context = GLib.MainContext.new()
        context.push_thread_default()
        bus = Gio.DBusConnection.new_for_address_sync(
            os.environ["DBUS_SESSION_BUS_ADDRESS"],
            Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)

        settings, inhibit, closing, files = Gio.DBusNodeInfo.new_for_xml(PORTAL).interfaces

        def called(connection, sender, path, interface, method, parameters, invocation):
            if method == "Inhibit":
                _, flags, options = parameters.unpack()
                name = f"{sender[1:].replace('.', '_')}/{options.get('handle_token', 't')}"
                handle = f"/org/freedesktop/portal/desktop/request/{name}"
                number = connection.register_object(handle, closing, called, None, None)
                inhibitions[handle] = flags, options["reason"], number
                invocation.return_value(GLib.Variant("(o)", (handle,)))
            elif method == "Close":
                connection.unregister_object(inhibitions.pop(path)[2])
                invocation.return_value(None)
            elif method == "ShowItems":
                shown_files.extend(parameters.unpack()[0])
                invocation.return_value(None)
            else:
                inner = GLib.Variant("v", GLib.Variant("u", scheme))
                invocation.return_value(GLib.Variant.new_tuple(GLib.Variant("v", inner)))

        for offered in [settings, inhibit]:
            bus.register_object("/org/freedesktop/portal/desktop", offered, called, None, None)
        bus.register_object("/org/freedesktop/FileManager1", files, called, None, None)
        for name in ["org.freedesktop.portal.Desktop", "org.freedesktop.FileManager1"]:
            bus.call_sync(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                GLib.Variant("(su)", (name, 0)), None, 0, -1, None)
        start_portal.bus = bus
        ready.set()
        GLib.MainLoop.new(context, False).run()

    threading.Thread(target=serve, daemon=True).start()
    ready.wait(20)


def set_scheme(value):
    global scheme
    scheme = value
    start_portal.bus.emit_signal(
        None, "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings", "SettingChanged",
        GLib.Variant("(ssv)", ("org.freedesktop.appearance", "color-scheme", GLib.Variant("u", value))))


def ask_player(method, parameters):
    """Sends the player what a further start of it sends. It has arrived on the bus when this function returns, and is not answered."""
    bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
    message = Gio.DBusMessage.new_method_call(
        "org.descant.Player", "/org/descant/Player", "org.freedesktop.Application", method)
    message.set_flags(Gio.DBusMessageFlags.NO_REPLY_EXPECTED | Gio.DBusMessageFlags.NO_AUTO_START)
    message.set_body(parameters)
    bus.send_message(message, Gio.DBusSendMessageFlags.NONE)
    # The bus hands on one message of a connection after the other.
    bus.call_sync(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId", None, None, 0, -1, None)


def answer(request):
    what = request["do"]
    if what == "start":
        errors = open(request["errors"], "ab")
        program = launch(
            request["arguments"], env={**os.environ, **request["environment"]}, stdout=errors, stderr=errors)
        programs[program.pid] = program
        return program.pid
    if what == "signal":
        programs[request["pid"]].send_signal(request["number"])
        return None
    if what == "halt":
        # In the moment when the window is hidden.
        search = ["xdotool", "search", "--onlyvisible", "--name", request["window"]]
        until(lambda: subprocess.run(search, capture_output=True).returncode != 0)
        return programs[request["pid"]].send_signal(signal.SIGSTOP)
    if what == "hand over":
        uris = request["uris"]
        data = GLib.Variant("a{sv}", {})
        if uris:
            return ask_player("Open", GLib.Variant.new_tuple(GLib.Variant("as", uris), data))
        return ask_player("Activate", GLib.Variant.new_tuple(data))
    if what == "status":
        # The desktop has started programs of its own, too.
        program = programs.get(request["pid"])
        return program and program.poll()
    if what == "tree":
        # The bus of screen readers may just be starting; then there is nothing yet.
        answered = subprocess.run([sys.executable, __file__, "tree"], stdin=subprocess.DEVNULL, capture_output=True)
        return json.loads(answered.stdout or "[]")
    if what == "run":
        done = subprocess.run(request["arguments"], stdin=subprocess.DEVNULL, capture_output=True)
        return [done.returncode, done.stdout.decode(), done.stderr.decode()]
    if what == "portal":
        return start_portal(request["scheme"])
    if what == "scheme":
        return set_scheme(request["scheme"])
    if what == "inhibitions":
        return [f"{flags} {reason}" for flags, reason, _ in list(inhibitions.values())]
    if what == "shown files":
        return shown_files
    raise ValueError(what)


if sys.argv[1:] == ["tree"]:
    print(json.dumps(tree()))
    sys.exit()

reader, writer = os.pipe()
server = launch(
    ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1000x720x24", "-nolisten", "tcp", "-noreset"],
    pass_fds=[writer], stderr=subprocess.DEVNULL)
os.close(writer)
os.environ["DISPLAY"] = ":" + os.read(reader, 16).decode().strip()
launcher = launch(
    ["/usr/libexec/at-spi-bus-launcher", "--launch-immediately"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def has_reader_bus():
    return subprocess.run(
        ["dbus-send", "--session", "--print-reply", "--dest=org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


until(has_reader_bus)
programs = {}
print(json.dumps(os.environ["DISPLAY"]), flush=True)
try:
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
finally:
    for program in programs.values():
        if program.poll() is None:
            program.kill()
    for process in [launcher, server]:
        process.terminate()
        process.wait()
