import Foundation

/// What a playback service must do, told as data: operations, and what must hold behind them. A port of the core to another
/// platform runs the same files to prove itself.
///
/// Durations and positions are in seconds. A fixture is named, not located: whoever runs a vector provides a file for each
/// name, in whatever format the decoder under test reads.
struct ParityVector: Sendable, Hashable, Codable {
    /// The sound of a file.
    struct Fixture: Sendable, Hashable, Codable {
        /// Its length in seconds.
        var duration: Double
        /// Its sample rate in Hz.
        var sampleRate: Int
        /// Samples per frame.
        var channels: Int

        enum CodingKeys: String, CodingKey {
            case duration, channels
            case sampleRate = "sample_rate"
        }
    }

    /// Something that is done.
    struct Operation: Sendable, Hashable, Codable {
        /// What is given to it.
        struct Arguments: Sendable, Hashable, Codable {
            /// For `load`: a fixture's name. One that the vector does not list is a file that does not exist.
            var fixture: String?
            /// For `seek` and `wait_for_position`.
            var seconds: Double?
            /// For `wait_for_state`: a state's name.
            var state: String?
            /// For `set_range`.
            var start: Double?
            /// For `set_range`.
            var end: Double?
            /// For `set_volume`: 0…1.
            var volume: Float?
        }

        /// `load`, `play`, `pause`, `stop`, `seek`, `set_range`, `clear_range`, `set_volume`, `wait_for_state`,
        /// `wait_for_position`.
        var action: String
        /// What is given to it.
        var args: Arguments?
    }

    /// Something that must hold when all operations are done.
    struct Assertion: Sendable, Hashable, Codable {
        /// `state_equals`, `error_thrown`, `position_near`, `duration_equals`.
        var type: String
        /// For `state_equals`: a state's name.
        var state: String?
        /// For `error_thrown`: an error's code, such as `invalidState`.
        var code: String?
        /// For `error_thrown`: which operation threw it, from 0 on. Operations that no assertion names must not throw.
        var operation: Int?
        /// For `position_near` and `duration_equals`.
        var seconds: Double?
        /// How far off `seconds` may be; 0 when left out. One frame is always allowed.
        var tolerance: Double?
    }

    /// Operations with what must hold behind them, on a service of their own.
    struct TestCase: Sendable, Hashable, Codable {
        /// What the case shows.
        var name: String
        /// Whether it makes sense only where the output keeps the time; left out for everywhere.
        var realTime: Bool?
        /// What is done, in order.
        var operations: [Operation]
        /// What must hold then.
        var assertions: [Assertion]

        enum CodingKeys: String, CodingKey {
            case name, operations, assertions
            case realTime = "real_time"
        }
    }

    /// What the vector is about.
    var name: String
    /// The version of the form; 1.
    var version: Int
    /// The files by their names.
    var fixtures: [String: Fixture]
    /// The cases.
    var testCases: [TestCase]

    enum CodingKeys: String, CodingKey {
        case version, fixtures
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
