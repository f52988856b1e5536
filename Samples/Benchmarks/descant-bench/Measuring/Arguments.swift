internal import Foundation

/// The arguments after a sub-command, read one by one.
struct Arguments {
    private var words: [String]
    private let usage: String

    init(_ words: [String], usage: String) {
        self.words = words
        self.usage = usage
    }

    var isEmpty: Bool { words.isEmpty }

    mutating func word() throws -> String {
        guard !words.isEmpty else { throw BenchError.usage(usage) }
        return words.removeFirst()
    }

    mutating func file() throws -> URL { URL(fileURLWithPath: try word()) }

    mutating func files() throws -> [URL] {
        guard !words.isEmpty else { throw BenchError.usage(usage) }
        defer { words = [] }
        return words.map { URL(fileURLWithPath: $0) }
    }

    /// The folder of a ``LibraryCorpus``, and a file that a player begins with: the tracks of the library have no sound.
    mutating func library() throws -> (LibraryCorpus, sound: URL) { (try LibraryCorpus(at: try file()), try file()) }

    mutating func integer() throws -> Int {
        guard let value = Int(try word()) else { throw BenchError.usage(usage) }
        return value
    }

    mutating func number() throws -> Double {
        guard let value = Double(try word()) else { throw BenchError.usage(usage) }
        return value
    }

    mutating func numbers() throws -> [Double] {
        defer { words = [] }
        let values = words.compactMap { Double($0) }
        guard !values.isEmpty, values.count == words.count else { throw BenchError.usage(usage) }
        return values
    }

    /// Reads one of several words.
    mutating func choice<Choice: RawRepresentable>(_ type: Choice.Type) throws -> Choice
    where Choice.RawValue == String {
        guard let choice = Choice(rawValue: try word()) else { throw BenchError.usage(usage) }
        return choice
    }

    /// Removes `--check`, for which the variable CHECK can stand, and returns whether a missed demand is a failure.
    mutating func wantsCheck() -> Bool {
        let wanted = ProcessInfo.processInfo.environment["CHECK"].map { !$0.isEmpty && $0 != "0" } ?? false
        return flag("--check") || wanted
    }

    /// Removes a flag and returns whether it was present.
    mutating func flag(_ name: String) -> Bool {
        guard let index = words.firstIndex(of: name) else { return false }
        words.remove(at: index)
        return true
    }

    /// Removes an option and returns its value.
    mutating func text(after name: String) throws -> String? {
        guard let index = words.firstIndex(of: name) else { return nil }
        guard index + 1 < words.count else { throw BenchError.usage(usage) }
        defer { words.removeSubrange(index...index + 1) }
        return words[index + 1]
    }

    /// Removes an option and returns its value as a number.
    mutating func option(_ name: String) throws -> Int? {
        guard let index = words.firstIndex(of: name) else { return nil }
        guard index + 1 < words.count, let value = Int(words[index + 1]) else { throw BenchError.usage(usage) }
        words.removeSubrange(index...index + 1)
        return value
    }
}
