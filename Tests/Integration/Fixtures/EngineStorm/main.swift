import Descant
import DescantTesting
import Foundation

// Opens and closes decks in a separate process and reports leaks.
//
//   EngineStorm OPENS STORMS    prints one line of JSON: threads, descriptors and resident kilobytes before and after

/// The kernel's counts for this process.
struct Footprint: Codable {
    var threads: Int
    var descriptors: Int
    var residentKilobytes: Int

    init() throws {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        func value(_ key: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(key) } ?? ""
            return Int(line.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0
        }
        threads = value("Threads:")
        residentKilobytes = value("VmRSS:")
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}

struct Report: Codable {
    var before: Footprint
    var after: Footprint
    var opened: Int
}

/// Closing goes on behind the engine, limits in time that were set for openings pass for ten seconds more, and Dispatch keeps idle
/// threads for five; waits until nothing changes any more.
func settled() async throws -> Footprint {
    var last = try Footprint()
    var calm = 0
    for _ in 0..<600 where calm < 110 {
        try await Task.sleep(nanoseconds: 100_000_000)
        let present = try Footprint()
        calm = present.threads == last.threads && present.descriptors == last.descriptors ? calm + 1 : 0
        last = present
    }
    return last
}

func open(_ count: Int, _ files: [URL], on engine: any MixingEngine) async throws {
    for index in 0..<count {
        let deck = try await engine.openDeck(.url(files[index % files.count]), gain: 1, isClip: false)
        await engine.closeDeck(deck.id)
    }
}

/// Many openings at once, closed as soon as they are there. Always as many, so that the memory and the threads that they need
/// together are there from the first storm on, and only what is left behind can grow.
func storm(_ count: Int, _ files: [URL], on engine: any MixingEngine) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<count {
            if index >= 40 { _ = try await group.next() }
            group.addTask {
                let deck = try await engine.openDeck(.url(files[index % files.count]), gain: 1, isClip: false)
                await engine.closeDeck(deck.id)
            }
        }
        try await group.waitForAll()
    }
}

let arguments = CommandLine.arguments.dropFirst().compactMap(Int.init)
guard arguments.count == 2 else { fatalError("usage: EngineStorm OPENS STORMS") }
let directory = try TemporaryDirectory(label: "descant-storm")
let tone = TestSignal.sine(440, seconds: 2)
let files = try [FixtureFormat.flac(bits: 16), .mp3(kilobitsPerSecond: 128), .vorbis(quality: 4), .wav(.int16)]
    .map { try FixtureEncoder().make(tone, as: $0, named: "tone", in: directory) }
let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
let engine = try environment.makeEngine(output: .discard)
try await open(40, files, on: engine)
try await storm(40, files, on: engine)
let before = try await settled()
try await open(arguments[0], files, on: engine)
try await storm(arguments[1], files, on: engine)
let report = Report(before: before, after: try await settled(), opened: arguments[0] + arguments[1])
await engine.shutdown()
print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
