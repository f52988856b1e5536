import Foundation

/// The required behaviour of a playback service as data: operations, and assertions on the result. Ports of the core to
/// other platforms run the same files.
///
/// Durations and positions are in seconds. Fixtures have names only; the runner provides a file for each name, in a format
/// of the decoder under test.
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

    /// An operation.
    struct Operation: Sendable, Hashable, Codable {
        /// The arguments.
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
        /// The arguments.
        var args: Arguments?
    }

    /// An assertion after all operations.
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
        /// The tolerance of `seconds`; 0 by default. One frame is always allowed.
        var tolerance: Double?
    }

    /// Operations and assertions, run on a new service.
    struct TestCase: Sendable, Hashable, Codable {
        /// The title of the case.
        var name: String
        /// Whether the case needs an output that paces playback; `nil` for no.
        var realTime: Bool?
        /// The operations in order.
        var operations: [Operation]
        /// The assertions.
        var assertions: [Assertion]

        enum CodingKeys: String, CodingKey {
            case name, operations, assertions
            case realTime = "real_time"
        }
    }

    /// The title of the vector.
    var name: String
    /// The version of the format; 1.
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
