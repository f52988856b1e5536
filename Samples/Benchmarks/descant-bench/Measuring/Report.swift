internal import Foundation

/// Prints figures as key=value words, flushed line by line: whoever reads may wait for them.
enum Report {
    static func line(_ words: (String, String)...) {
        print(words.map { "\($0.0)=\($0.1)" }.joined(separator: " "))
        fflush(nil)
    }

    static func text(_ line: String) {
        print(line)
        fflush(nil)
    }

    static func milliseconds(_ nanoseconds: Int64) -> String { decimals(Double(nanoseconds) / 1e6, 3) }

    static func decimals(_ value: Double, _ places: Int) -> String { String(format: "%.\(places)f", value) }
}
