#!/usr/bin/env python3
"""Prints the tests that failed in a run, one a line, each as a regular expression for `swift test --filter`.

    failed-tests.py EVENTS MOST
    failed-tests.py EVENTS unended

EVENTS is the file that `swift test --event-stream-output-path` wrote. The exit status is 1 when the run was not completed, when a
failure belongs to no test, and when more than MOST tests failed. The second form prints the tests that began and have not ended, in
one of which a run crashed or hung.
"""

import json
import re
import sys

failed: dict[str, None] = {}
running: dict[str, None] = {}
ended = False
path, most = sys.argv[1:]
with open(path, encoding="utf-8") as stream:
    for line in stream:
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            break  # The last line of a run that was killed.
        event = record["payload"] if record["kind"] == "event" else {}
        ended = ended or event.get("kind") == "runEnded"
        # A suite has no function: its name ends with the source location alone.
        if event.get("kind") == "testStarted" and ")/" in event["testID"]:
            running[event["testID"].rpartition("/")[0]] = None
        if event.get("kind") in ("testEnded", "testSkipped"):
            running.pop(event["testID"].rpartition("/")[0], None)
        issue = event.get("issue", {})
        if event.get("kind") != "issueRecorded" or issue.get("isKnown") or not issue.get("isFailure", True):
            continue
        if "testID" not in event:
            sys.exit("a failure belongs to no test")
        # Module.Suite/function()/File.swift:line:column; the name alone finds it again.
        failed[event["testID"].rpartition("/")[0]] = None
if most == "unended":
    for name in running:
        print(name)
    sys.exit()
if not ended or not failed:
    sys.exit("the run was not completed")
if len(failed) > int(most):
    sys.exit(f"{len(failed)} tests failed")
for name in failed:
    print("^" + re.escape(name) + "/")
