#!/usr/bin/python3
"""Another program, from which files are dragged by XDND, the protocol of X11 for that: drag.py X Y ADDRESS…

It drops at a place of the display, and ends with the status 1 when the window there does not take the files.
"""
import select
import sys
import time

from Xlib import X, Xatom, display
from Xlib.protocol import event

x, y = int(sys.argv[1]), int(sys.argv[2])
addresses = "".join(address + "\r\n" for address in sys.argv[3:]).encode()
server = display.Display()
root = server.screen().root
source = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)


def atom(name):
    return server.intern_atom(name)


def target():
    """The window at the place that takes drops."""
    for window in reversed(root.query_tree().children):
        box = window.get_geometry()
        is_there = box.x <= x < box.x + box.width and box.y <= y < box.y + box.height
        if is_there and window.get_full_property(atom("XdndAware"), Xatom.ATOM):
            return window
    sys.exit("no window takes drops there")


def send(window, kind, *data):
    values = [source.id, *data] + [0] * (4 - len(data))
    message = event.ClientMessage(window=window, client_type=atom(kind), data=(32, values))
    window.send_event(message, event_mask=0)
    server.flush()


def give(request):
    """Hands over the addresses, or that they are not there in the wanted form."""
    is_known = request.target == atom("text/uri-list")
    if is_known:
        request.requestor.change_property(request.property, request.target, 8, addresses)
    request.requestor.send_event(event.SelectionNotify(
        time=request.time, requestor=request.requestor, selection=request.selection, target=request.target,
        property=request.property if is_known else X.NONE))
    server.flush()


def wait(kind):
    """Waits for a message of the window, and hands over the files meanwhile."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if not server.pending_events():
            select.select([server], [], [], 1)
            continue
        received = server.next_event()
        if received.type == X.SelectionRequest:
            give(received)
        if received.type == X.ClientMessage and received.client_type == atom(kind):
            return received.data[1]
    sys.exit(f"no {kind}")


window = target()
source.set_selection_owner(atom("XdndSelection"), X.CurrentTime)
send(window, "XdndEnter", 5 << 24, atom("text/uri-list"))
accepted = False
# A window may refuse before it has asked what is dragged.
for _ in range(20):
    send(window, "XdndPosition", 0, x << 16 | y, X.CurrentTime, atom("XdndActionCopy"))
    accepted = wait("XdndStatus")[1] & 1
    if accepted:
        break
if not accepted:
    send(window, "XdndLeave")
    server.sync()
    sys.exit(1)
send(window, "XdndDrop", 0, X.CurrentTime)
sys.exit(0 if wait("XdndFinished")[1] & 1 else 1)
