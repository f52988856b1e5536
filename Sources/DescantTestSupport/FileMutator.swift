public import Foundation

/// Damages files at random: changed, removed, repeated and zeroed bytes.
///
/// A decoder must render each result or fail with an error that names the file.
public struct FileMutator<Generator: RandomNumberGenerator & Sendable>: Sendable {
    private var generator: Generator

    /// Creates a mutator.
    ///
    /// - Parameter generator: The source of random numbers; a seeded one makes the same damage in every run.
    public init(_ generator: Generator) { self.generator = generator }

    /// Damages a file in one to three ways.
    ///
    /// - Parameter data: The whole file.
    public mutating func mutate(_ data: Data) -> Data {
        var bytes = [UInt8](data)
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty { damage(&bytes) }
        return Data(bytes)
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        let length = bytes.count
        let place = Int.random(in: 0..<length, using: &generator)
        let extent = min(length - place, 1 << Int.random(in: 0...12, using: &generator))
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: change(&bytes, within: min(length, 200), count: 8)
        case 1: change(&bytes, within: length, count: 20)
        case 2: bytes.removeSubrange(place...)
        case 3: bytes.removeSubrange(place..<place + extent)
        case 4: bytes.insert(contentsOf: bytes[place..<place + extent], at: place)
        case 5: for index in place..<place + extent { bytes[index] = 0 }
        case 6:
            bytes.insert(contentsOf: (0..<extent).map { _ in UInt8.random(in: 0...255, using: &generator) }, at: place)
        default: enlarge(&bytes)
        }
    }

    private mutating func change(_ bytes: inout [UInt8], within end: Int, count: Int) {
        for _ in 0..<Int.random(in: 1...count, using: &generator) {
            bytes[Int.random(in: 0..<end, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
    }

    /// Sets 2, 4 or 8 bytes of the header, which may be a length or a count, to the maximum or minimum.
    private mutating func enlarge(_ bytes: inout [UInt8]) {
        let size = [2, 4, 8].randomElement(using: &generator) ?? 4
        let place = Int.random(in: 0..<max(1, min(bytes.count, 200) - size), using: &generator)
        let value: UInt8 = [0, 0x7f, 0x80, 0xff].randomElement(using: &generator) ?? 0xff
        for index in place..<min(bytes.count, place + size) { bytes[index] = value }
    }
}

/// The number of damaged files that a test makes.
public enum MutationCount {
    /// The number of files for one test: its share of `DESCANT_MUTATIONS`, or the usual number when that is not set.
    ///
    /// - Parameters:
    ///   - usual: The number without the variable.
    ///   - parts: The number of tests that share the variable's number.
    public static func share(usual: Int, of parts: Int) -> Int {
        guard let text = ProcessInfo.processInfo.environment["DESCANT_MUTATIONS"], let count = Int(text) else {
            return usual
        }
        return max(1, (count + parts - 1) / parts)
    }

    /// Whether `DESCANT_MUTATIONS` is set. Tests then also check memory and descriptors, which needs a separate process.
    public static var isLong: Bool { ProcessInfo.processInfo.environment["DESCANT_MUTATIONS"] != nil }
}
