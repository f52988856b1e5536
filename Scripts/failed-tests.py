#!/usr/bin/env python3
"""Prints the tests that failed in a run, one a line, each as a regular expression for `swift test --filter`.

    failed-tests.py EVENTS MOST

EVENTS is the file that `swift test --event-stream-output-path` wrote. The exit status is 1 when the run was not completed, when a
failure belongs to no test, and when more than MOST tests failed.
"""

import json
import re
import sys

failed: dict[str, None] = {}
ended = False
path, most = sys.argv[1], int(sys.argv[2])
with open(path, encoding="utf-8") as stream:
    for line in stream:
        record = json.loads(line)
        event = record["payload"] if record["kind"] == "event" else {}
        ended = ended or event.get("kind") == "runEnded"
        issue = event.get("issue", {})
        if event.get("kind") != "issueRecorded" or issue.get("isKnown") or not issue.get("isFailure", True):
            continue
        if "testID" not in event:
            sys.exit("a failure belongs to no test")
        # Module.Suite/function()/File.swift:line:column; the name alone finds it again.
        failed[event["testID"].rpartition("/")[0]] = None
if not ended or not failed:
    sys.exit("the run was not completed")
if len(failed) > most:
    sys.exit(f"{len(failed)} tests failed")
for name in failed:
    print("^" + re.escape(name) + "/")
