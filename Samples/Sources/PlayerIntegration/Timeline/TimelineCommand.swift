public import Foundation

/// A command to a player on a timeline.
public enum TimelineCommand: Sendable, Hashable {
    /// Skips to the next track.
    case next
    /// Skips to the previous track.
    case previous
    /// Jumps to a track of the playlist, counted from 0.
    case jump(Int)
    /// Pauses the main layer.
    case pause
    /// Resumes the main layer.
    case resume
    /// The main layer fades out and ends.
    case stop
    /// The present track moves to a position, in seconds.
    case seek(TimeInterval)
    /// The present track moves by a number of seconds, negative for backwards.
    case skip(TimeInterval)
    /// The playlist is replaced by one file, with a crossfade.
    case replace(URL)
    /// Pauses the overlay.
    case overlayPause
    /// Resumes the overlay.
    case overlayResume
    /// The overlay fades out and ends.
    case overlayStop
    /// The overlay is replaced, with a crossfade.
    case overlayReplace(URL)
    /// The overlay's volume, 0…1.
    case overlayVolume(Double)
    /// The master volume, 0…100.
    case volume(Double)
    /// The speed, 0.5…3.
    case rate(Double)
    /// A sound effect is played.
    case effect(URL)

    /// The words that ``init(parsing:)`` reads.
    public static let syntax = """
        next, previous, jump:N, pause, resume, stop, seek:S, skip:S, replace:FILE, overlay-pause, overlay-resume, \
        overlay-stop, overlay-replace:FILE, overlay-volume:V, volume:V, rate:R, effect:FILE
        """

    /// Reads a command: a word, and after a colon what it needs.
    ///
    /// - Parameter text: One of ``syntax``.
    /// - Throws: ``InputError`` that names the word and what it needs.
    public init(parsing text: String) throws {
        let colon = text.firstIndex(of: ":")
        let word = String(text[..<(colon ?? text.endIndex)])
        let value = colon.map { String(text[text.index(after: $0)...]) }
        self = try Self.plain(word, value) ?? Self.numeric(word, value) ?? Self.naming(word, value)
    }

    private static func plain(_ word: String, _ value: String?) throws -> Self? {
        let command: Self
        switch word {
        case "next": command = .next
        case "previous": command = .previous
        case "pause": command = .pause
        case "resume": command = .resume
        case "stop": command = .stop
        case "overlay-pause": command = .overlayPause
        case "overlay-resume": command = .overlayResume
        case "overlay-stop": command = .overlayStop
        default: return nil
        }
        guard value == nil else { throw InputError(description: "\"\(word)\" takes no value") }
        return command
    }

    private static func numeric(_ word: String, _ value: String?) throws -> Self? {
        func number(_ range: ClosedRange<Double>, _ meaning: String) throws -> Double {
            guard let value, let number = Double(value), range.contains(number) else {
                throw InputError(description: "\"\(word)\" needs \(meaning), such as \(word):\(example(word))")
            }
            return number
        }
        switch word {
        case "jump":
            guard let index = value.flatMap({ Int($0) }), index >= 0 else {
                throw InputError(description: "\"jump\" needs a track's number, counted from 0, such as jump:2")
            }
            return .jump(index)
        case "seek": return .seek(try number(0...Double.greatestFiniteMagnitude, "a position in seconds"))
        case "skip": return .skip(try number(-1e9...1e9, "a number of seconds"))
        case "volume": return .volume(try number(0...100, "0 to 100"))
        case "overlay-volume": return .overlayVolume(try number(0...1, "0 to 1"))
        case "rate": return .rate(try number(0.5...3, "0.5 to 3"))
        default: return nil
        }
    }

    private static func example(_ word: String) -> String {
        switch word {
        case "volume": "50"
        case "overlay-volume": "0.5"
        case "rate": "1.25"
        default: "30"
        }
    }

    private static func naming(_ word: String, _ value: String?) throws -> Self {
        func file() throws -> URL {
            guard let value, !value.isEmpty else {
                throw InputError(description: "\"\(word)\" needs a file, such as \(word):bell.flac")
            }
            return InputExpander.url(for: value)
        }
        switch word {
        case "replace": return .replace(try file())
        case "overlay-replace": return .overlayReplace(try file())
        case "effect": return .effect(try file())
        default: throw InputError(description: "\"\(word)\" is not a command; use \(syntax)")
        }
    }
}
