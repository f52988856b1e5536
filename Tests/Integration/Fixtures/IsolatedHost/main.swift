import Descant
import Foundation

// Opens files with bundles in helper processes, in a process whose children and descriptors can be counted.
//
//   IsolatedHost FOLDER COUNT FILES…    opens and reads the files in turn, COUNT in all, and prints what is left behind
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

let count = Int(arguments[2]) ?? 0
// What the first use leaves, such as the descriptors of the dispatch queues, stays.
_ = crash(2)
while !children().isEmpty { sched_yield() }
let before = descriptors().count
print("failed \(crash(count)) of \(count)")
print("children \(children().count)")
print("descriptors +\(max(0, descriptors().count - before))")
print("memory \(descriptors().count { $0.contains("memfd:descant") })")
