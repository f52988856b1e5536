// Writes recorded conversations with a Music Assistant server as the small fixtures of the test server:
//
//   swift Scripts/reduce-transcripts.swift RECORDINGS Tests/MusicAssistant/Sources/MusicAssistantTestServer/Transcripts
//
// RECORDINGS holds files of lines such as {"t":0.1,"dir":"in","msg":{…}}. Data that identifies a machine or a user is
// replaced, long lists and repeated parts of items are shortened, times are removed. The result is a text that is stable:
// the same recordings give the same files.

import Foundation

typealias Object = [String: Any]

/// The recordings in which the server, not the recorder, ended the conversation.
let closedByServer: Set<String> = [
    "00-setup-required", "08b-invalid-json-closes", "08c-missing-message-id-closes", "13-server-shutdown",
]
/// Members of items that are long and say nothing about the protocol: they become empty values of their kind.
let emptied: Set<String> = [
    "provider_mappings", "streamdetails", "dsp", "metadata", "source_list", "output_protocols", "extra_data",
    "hide_player_in_ui",
    "values", "sound_mode_list", "options", "device_info", "image", "extra_attributes", "can_group_with",
]
/// Members whose values are replaced.
let replaced: [String: String] = [
    "server_id": "00112233445566778899aabbccddeeff", "base_url": "http://127.0.0.1:8095",
    "mac_address": "02:00:00:00:00:01", "ip_address": "192.0.2.1", "access_token": "TOKEN", "token": "TOKEN",
    "password": "PASSWORD", "image_url": "http://127.0.0.1:8095/imageproxy",
]
/// The number of elements of a list that are kept.
let longestList = 4

/// The fields that are kept of an item inside another item.
let keptOfNested: Set<String> = [
    "item_id", "provider", "name", "uri", "media_type", "duration",
]

/// Whether a text is kept although its member is replaced, such as a wrong token that is part of the conversation.
func isTelling(_ text: String) -> Bool { ["wrong", "not-a-token"].contains(text) }

/// The reduced value; `isNested` inside an item.
func reduced(_ value: Any, named name: String = "", isNested: Bool = false) -> Any {
    if let text = value as? String {
        if let other = replaced[name], !isTelling(text) { return other }
        return name == "path" && !text.contains("://") ? "cover.png" : text
    }
    if isNested && emptied.contains(name) { return value is [Any] ? [] as [Any] : Object() }
    if let list = value as? [Any] {
        // The first element is kept in full.
        return list.prefix(longestList).enumerated().map { reduced($1, isNested: isNested || $0 > 0) }
    }
    guard let object = value as? Object else { return value }
    let isItem = object["media_type"] != nil && object["item_id"] != nil
    var result = Object()
    for (member, value) in object where !isItem || !isNested || keptOfNested.contains(member) {
        // Results show which members may be null; events need not.
        if isNested && value is NSNull && !isItem { continue }
        result[member] = reduced(value, named: member, isNested: isNested || isItem)
    }
    return result
}

func text(_ object: Object) throws -> String {
    let data = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self)
}

/// The lines of one recording.
func lines(of recording: String, name: String) throws -> [String] {
    var result: [String] = []
    var lastEvent: String?
    var repetitions = 0
    for line in recording.split(separator: "\n") {
        guard let step = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? Object,
            let direction = step["dir"] as? String
        else { continue }
        if direction == "close" {
            if closedByServer.contains(name) {
                result.append(try text(["dir": "close", "code": step["code"] ?? 1000]))
            }
            continue
        }
        if let raw = step["raw"] as? String {
            result.append(try text(["dir": direction, "raw": raw]))
            continue
        }
        guard let message = step["msg"] as? Object else { continue }
        // Servers repeat events; one repetition in a row is enough.
        let event = message["event"] as? String
        repetitions = event != nil && event == lastEvent ? repetitions + 1 : 0
        lastEvent = event
        guard repetitions < 2 else { continue }
        result.append(try text(["dir": direction, "msg": reduced(message, isNested: event != nil)]))
    }
    return result
}

func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
        FileHandle.standardError.write(Data("usage: reduce-transcripts.swift RECORDINGS TRANSCRIPTS\n".utf8))
        exit(2)
    }
    let (source, target) = (URL(fileURLWithPath: arguments[1]), URL(fileURLWithPath: arguments[2]))
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    let files = try FileManager.default.contentsOfDirectory(at: source, includingPropertiesForKeys: nil)
    for file in files.filter({ $0.pathExtension == "jsonl" }).sorted(by: { $0.path < $1.path }) {
        let name = file.deletingPathExtension().lastPathComponent
        let reduced = try lines(of: String(contentsOf: file, encoding: .utf8), name: name)
        try Data((reduced.joined(separator: "\n") + "\n").utf8)
            .write(to: target.appendingPathComponent(file.lastPathComponent))
    }
}

try run()
