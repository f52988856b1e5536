import DescantCore
import Foundation

/// The required behaviour of a playback service as data: operations, and assertions on the result. Ports of the core to
/// other platforms run the same files.
///
/// Durations and positions are in seconds. `{name}` in an argument stands for the fixture of that name; the runner provides its
/// file, in a format of the decoder under test.
struct ParityVector: Sendable, Decodable {
    /// A file.
    enum Fixture: Sendable, Hashable {
        /// A path. The name of the file says what is heard, such as `sine_440hz_1s.mp3`; with any other name there is no file.
        case path(String)
        /// A file with sound.
        case sound(Sound)
        /// Something that cannot be played.
        case unplayable(Unplayable)
    }

    /// A sound.
    struct Sound: Sendable, Hashable, Codable {
        /// `sine` is a tone of 440 Hz, `noise` shows positions.
        enum Signal: String, Sendable, Codable { case sine, noise }

        /// Its length in seconds.
        var duration: Double
        /// Its sample rate in Hz.
        var sampleRate = 44_100
        /// Samples per frame.
        var channels = 2
        /// What is heard; `nil` is `sine`.
        var signal: Signal?
        /// The part of the file that is kept, 0…1; `nil` keeps all of it.
        var keep: Double?

        enum CodingKeys: String, CodingKey {
            case duration, channels, signal, keep
            case sampleRate = "sample_rate"
        }
    }

    /// Something that cannot be played: a text file, an empty file, a folder, or a symbolic link to itself.
    enum Unplayable: String, Sendable, Codable { case text, empty, folder, loop }

    /// An operation.
    struct Operation: Sendable, Decodable {
        /// The arguments.
        struct Arguments: Sendable, Decodable {
            /// For `load` and `write_tags`: a fixture in braces, or a path.
            var url: String?
            /// For `seek`.
            var to: Double?
            /// For `wait_for_position`.
            var target: Double?
            /// For `wait_for_state`: a state's name.
            var state: String?
            /// For `set_range`.
            var start: Double?
            /// For `set_range`.
            var end: Double?
            /// For `set_volume`: 0…1.
            var volume: Float?
            /// For `write_tags`: the fields to change.
            var tags: Tags?
        }

        /// `load`, `play`, `pause`, `stop`, `seek`, `set_range`, `clear_range`, `set_volume`, `wait_for_state`,
        /// `wait_for_position`, `write_tags`.
        var action: String
        /// The arguments.
        var args: Arguments?
    }

    /// An assertion after all operations.
    struct Assertion: Sendable, Decodable {
        /// `state_equals`, `error_thrown`, `position_near`, `duration_equals`, `tags_equal`, `waveform_match`.
        var type: String
        /// For `state_equals` a state's name, for `duration_equals` seconds, for `tags_equal` the fields; others are absent.
        var expected: Expected?
        /// For `error_thrown`: an error's code, such as `invalidState`.
        var category: String?
        /// For `error_thrown`: a part of the message.
        var messageContains: String?
        /// For `error_thrown`: which operation threw it, from 0 on; `nil` for any. Other operations must not throw.
        var operation: Int?
        /// For `position_near`.
        var target: Double?
        /// For `position_near`: the tolerance in milliseconds, 1 by default. One frame is always allowed.
        var toleranceMs: Double?
        /// For `tags_equal` and `waveform_match`: a fixture in braces, or a path; `nil` for the file loaded last.
        var url: String?
        /// For `waveform_match`: the position in seconds from which the samples are compared, after a seek; `nil` compares the
        /// whole file and its length, rate and channels.
        var from: Double?
        /// For `waveform_match`: the largest difference in steps of 16 bits; 1 by default.
        var toleranceSamples: Float?

        enum CodingKeys: String, CodingKey {
            case type, expected, category, operation, target, url, from
            case messageContains = "message_contains"
            case toleranceMs = "tolerance_ms"
            case toleranceSamples = "tolerance_samples"
        }
    }

    /// What an assertion expects.
    enum Expected: Sendable {
        case text(String)
        case number(Double)
        case tags(Tags)
    }

    /// The tags of a vector; pictures are not compared.
    struct Tags: Sendable, Decodable {
        var title, artist, album, albumArtist, composer, genre, comment: String?
        var year, trackNumber, trackTotal, discNumber, discTotal: Int?
        var bpm, replayGainTrack, replayGainAlbum: Double?

        var bundle: TagBundle {
            var bundle = TagBundle(
                title: title, artist: artist, album: album, albumArtist: albumArtist, genre: genre, year: year,
                trackNumber: trackNumber, discNumber: discNumber)
            bundle.composer = composer
            bundle.comment = comment
            (bundle.trackTotal, bundle.discTotal, bundle.bpm) = (trackTotal, discTotal, bpm)
            (bundle.replayGainTrack, bundle.replayGainAlbum) = (replayGainTrack, replayGainAlbum)
            return bundle
        }
    }

    /// What not all ports and formats have.
    enum Requirement: String, Sendable, Codable {
        /// An output that paces playback.
        case pacedOutput = "paced_output"
        /// Tags of the format can be written.
        case tagWriting = "tag_writing"
        /// The format stores its length, so that a file that was cut off is noticed.
        case storedLength = "stored_length"
    }

    /// Operations and assertions, run on a new service.
    struct TestCase: Sendable, Decodable {
        /// The title of the case.
        var name: String
        /// A platform that does not run the case; `nil` for none.
        var skipPlatform: String?
        /// Why it does not.
        var skipReason: String?
        /// What the case needs; on ports without it the case is skipped.
        var requires: Set<Requirement>?
        /// The operations in order.
        var operations: [Operation]
        /// The assertions.
        var assertions: [Assertion]

        enum CodingKeys: String, CodingKey {
            case name, requires, operations, assertions
            case skipPlatform = "skip_platform"
            case skipReason = "skip_reason"
        }
    }

    /// The title of the vector.
    var name: String
    /// The version of the format; `1.0`.
    var version: String
    /// What the vector checks.
    var description: String?
    /// The files by their names.
    var fixtures: [String: Fixture]?
    /// The cases.
    var testCases: [TestCase]

    enum CodingKeys: String, CodingKey {
        case version, description, fixtures
        case name = "vector_name"
        case testCases = "test_cases"
    }

    /// Reads a vector.
    ///
    /// - Parameter url: A JSON file.
    /// - Throws: An error of reading or decoding.
    init(contentsOf url: URL) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
    }
}

extension ParityVector.Fixture: Decodable {
    private enum CodingKeys: CodingKey { case kind }

    init(from decoder: any Decoder) throws {
        if let path = try? decoder.singleValueContainer().decode(String.self) {
            self = .path(path)
        } else if let kind = try decoder.container(keyedBy: CodingKeys.self)
            .decodeIfPresent(ParityVector.Unplayable.self, forKey: .kind)
        {
            self = .unplayable(kind)
        } else {
            self = .sound(try ParityVector.Sound(from: decoder))
        }
    }

    /// The sound of the file; `nil` when there is none.
    var sound: ParityVector.Sound? {
        switch self {
        case .sound(let sound): return sound
        case .unplayable: return nil
        case .path(let path):
            let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            guard let match = name.wholeMatch(of: /sine_440hz_([0-9.]+)s/), let seconds = Double(match.1) else {
                return nil
            }
            return ParityVector.Sound(duration: seconds)
        }
    }
}

extension ParityVector.Expected: Decodable {
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else {
            self = .tags(try value.decode(ParityVector.Tags.self))
        }
    }
}
