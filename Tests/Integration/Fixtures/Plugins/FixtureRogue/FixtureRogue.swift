import Descant
import FixtureRogueStart
import Foundation
import Synchronization

/// The fault, from the environment of the process: `hang read`, `abort open`, `throw make`, `rate 4e9`.
enum Behaviour {
    static let words = (ProcessInfo.processInfo.environment["DESCANT_ROGUE"] ?? "").split(separator: " ").map(
        String.init)

    /// Hangs, aborts or throws if the fault is set for this call.
    static func act(_ place: String) throws {
        guard words.count == 2, words[1] == place else { return }
        switch words[0] {
        case "hang": fixture_rogue_hang()
        case "abort": abort()
        case "throw": throw CoreError.decodeError("the rogue threw in its \(place)")
        default: break
        }
    }

    /// The number behind a word; `nil` for another behaviour.
    static func number(_ word: String) -> Double? { words.first == word ? words.last.flatMap(Double.init) : nil }

    static func isActive(_ text: String) -> Bool { words.joined(separator: " ") == text }
}

/// A plugin with a decoder whose files begin with "ROGU" and are a second of a constant.
struct RoguePlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.example.rogue", name: "Rogue fixture", version: "1.0.0", license: "Apache-2.0",
        provides: [
            .decoder("rogue", extensions: ["rogue"], signatures: [FileSignature("524f4755")]) {
                try Behaviour.act("make")
                return RogueDecoder()
            }
        ])

    init() throws {
        try Behaviour.act("initialiser")
    }
}

final class RogueDecoder: DecoderPort, DecoderProbe, Sendable {
    private let positions = Mutex<[DecodeHandle: Int]>([:])

    func score(_ input: ProbeInput) -> ProbeScore {
        // The probe cannot throw.
        if !Behaviour.isActive("throw score") { try? Behaviour.act("score") }
        return ProbeScore(90)
    }

    func open(url: URL) throws -> DecodeHandle {
        try Behaviour.act("open")
        let handle = DecodeHandle()
        positions.withLock { $0[handle] = 0 }
        return handle
    }

    func info(_ handle: DecodeHandle) throws -> StreamInfo {
        StreamInfo(
            duration: Behaviour.number("duration") ?? 1, sampleRate: Behaviour.number("rate") ?? 48_000,
            channels: Behaviour.number("channels").map { Int($0) } ?? 2, bitDepth: 16)
    }

    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        try Behaviour.act("read")
        for index in 0..<maxFrames * 2 { buffer[index] = Behaviour.isActive("samples nan") ? .nan : 0.25 }
        if Behaviour.isActive("frames endless") { return maxFrames }
        if Behaviour.isActive("frames excess") { return maxFrames + 1 }
        if Behaviour.isActive("frames negative") { return -1 }
        let length = Behaviour.isActive("frames early") ? 24_000 : 48_000
        return positions.withLock { positions in
            let position = positions[handle] ?? length
            let frames = min(maxFrames, max(0, length - position))
            positions[handle] = position + frames
            return frames
        }
    }

    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
        try Behaviour.act("seek")
        positions.withLock { $0[handle] = Int(seconds * 48_000) }
    }

    func close(_ handle: DecodeHandle) { try? Behaviour.act("close") }
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: RoguePlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(RoguePlugin.self, host) }
