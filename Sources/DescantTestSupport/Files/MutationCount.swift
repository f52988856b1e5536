internal import Foundation

/// How many damaged files a test makes.
public enum MutationCount {
    /// A share of `DESCANT_MUTATIONS`, or of a number that takes seconds.
    ///
    /// - Parameters:
    ///   - usual: The number without the variable.
    ///   - parts: How many tests the variable's number is divided among.
    public static func share(usual: Int, of parts: Int) -> Int {
        guard let text = ProcessInfo.processInfo.environment["DESCANT_MUTATIONS"], let count = Int(text) else {
            return usual
        }
        return max(1, (count + parts - 1) / parts)
    }

    /// Whether so many are made that memory and descriptors are looked at, which only a process of its own allows.
    public static var isLong: Bool { ProcessInfo.processInfo.environment["DESCANT_MUTATIONS"] != nil }
}
