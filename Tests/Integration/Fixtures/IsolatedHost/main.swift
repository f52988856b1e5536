import Descant
import Foundation

// Uses bundles in helper processes, in a process whose children and descriptors can be counted.
//
//   IsolatedHost FOLDER COUNT FILES…    opens and reads the files in turn, COUNT in all, and prints what is left behind
//   IsolatedHost FOLDER speak COUNT TEXTS…    speaks the texts in turn, COUNT in all, and prints what is left behind
//   IsolatedHost FOLDER say isolated|direct ENGINE VOICE TEXTS…    speaks the texts in turn and prints marks and samples
//   IsolatedHost FOLDER wait FILES…     opens the files, prints the helpers and hangs in the last file

/// The children of this process.
func children() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.filter { name in
        guard Int(name) != nil, let status = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8) else {
            return false
        }
        // The name in parentheses may contain spaces.
        let fields = status.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 1 && fields[1] == "\(getpid())"
    }
}

func descriptors() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
}

func read(_ url: URL, _ registry: PluginRegistry) throws {
    let stream = try registry.open(url)
    defer { stream.decoder.close(stream.handle) }
    var block = [Float](repeating: 0, count: 8_192)
    while try stream.decoder.read(stream.handle, into: &block, maxFrames: 4_096) > 0 {}
}

let arguments = CommandLine.arguments
let files = arguments.dropFirst(3).map { URL(fileURLWithPath: $0) }
func makeRegistry() -> PluginRegistry {
    let registry = PluginRegistry(isolation: .everything, searchPath: [URL(fileURLWithPath: arguments[1])])
    registry.scan()
    return registry
}

if arguments[2] == "wait" {
    let registry = makeRegistry()
    let streams = try files.map { try registry.open($0) }
    FileHandle.standardOutput.write(Data((children().joined(separator: " ") + "\n").utf8))
    var block = [Float](repeating: 0, count: 8_192)
    for stream in streams.reversed() {
        _ = try stream.decoder.read(stream.handle, into: &block, maxFrames: 4_096)
    }
    exit(1)
}

/// Speaks texts, each of which fails, with one synthesizer.
func speak(_ texts: [String], _ count: Int) async throws -> Int {
    let synthesizer = try makeRegistry().makeSpeechSynthesizer("hostile-speech")
    var failures = 0
    for number in 0..<count {
        do {
            for try await _ in synthesizer.synthesize(SpeechRequest(text: texts[number % texts.count])) {}
        } catch { failures += 1 }
    }
    await synthesizer.shutdown()
    return failures
}

/// Speaks texts in a new process, because engines such as flite draw random numbers from one row for all requests.
func say(_ registry: PluginRegistry, engine: String, voice: String, _ texts: [String]) async throws {
    let synthesizer = try registry.makeSpeechSynthesizer(engine)
    for text in texts {
        let request = SpeechRequest(text: text, voice: voice, language: "en-US", rate: 1.25)
        for try await chunk in synthesizer.synthesize(request) {
            for mark in chunk.marks { print(mark) }
            for warning in chunk.warnings { print(warning) }
            for sample in chunk.samples { print(sample, chunk.sampleRate) }
        }
    }
    await synthesizer.shutdown()
}

/// Every registry ends its own helpers; the last one is gone when this function returns.
func crash(_ count: Int) -> Int {
    let registry = makeRegistry()
    let failures = (0..<count).count { number in
        do { try read(files[number % files.count], registry) } catch { return true }
        return false
    }
    // An opening that fails waits for a helper that is being started ahead, and starts none.
    _ = try? read(files[0], registry)
    return failures
}

if arguments[2] == "say" {
    let folder = URL(fileURLWithPath: arguments[1])
    let isolation = arguments[3] == "isolated" ? PluginIsolation.everything : .asManifest
    let registry = PluginRegistry(isolation: isolation, searchPath: [folder])
    registry.scan()
    try await say(registry, engine: arguments[4], voice: arguments[5], Array(arguments.dropFirst(6)))
    exit(0)
}

let isSpeech = arguments[2] == "speak"
let count = Int(arguments[isSpeech ? 3 : 2]) ?? 0
func fail(_ count: Int) async throws -> Int {
    isSpeech ? try await speak(Array(arguments.dropFirst(4)), count) : crash(count)
}
// What the first use leaves, such as the descriptors of the dispatch queues, stays.
_ = try await fail(2)
while !children().isEmpty { sched_yield() }
let before = descriptors().count
print("failed \(try await fail(count)) of \(count)")
print("children \(children().count)")
print("descriptors +\(max(0, descriptors().count - before))")
print("memory \(descriptors().count { $0.contains("memfd:descant") })")
