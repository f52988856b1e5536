public import Foundation

/// What a playback service must do, told as data: operations, and what must hold behind them. A port of the core to another
/// platform runs the same files to prove itself.
///
/// Durations and positions are in seconds. A fixture is named, not located: whoever runs a vector provides a file for each
/// name, in whatever format the decoder under test reads.
public struct ParityVector: Sendable, Hashable, Codable {
    /// The sound of a file.
    public struct Fixture: Sendable, Hashable, Codable {
        /// Its length in seconds.
        public var duration: Double
        /// Its sample rate in Hz.
        public var sampleRate: Int
        /// Samples per frame.
        public var channels: Int

        enum CodingKeys: String, CodingKey {
            case duration, channels
            case sampleRate = "sample_rate"
        }
    }

    /// Something that is done.
    public struct Operation: Sendable, Hashable, Codable {
        /// What is given to it.
        public struct Arguments: Sendable, Hashable, Codable {
            /// For `load`: a fixture's name. One that the vector does not list is a file that does not exist.
            public var fixture: String?
            /// For `seek` and `wait_for_position`.
            public var seconds: Double?
            /// For `wait_for_state`: a state's name.
            public var state: String?
            /// For `set_range`.
            public var start: Double?
            /// For `set_range`.
            public var end: Double?
            /// For `set_volume`: 0…1.
            public var volume: Float?
        }

        /// `load`, `play`, `pause`, `stop`, `seek`, `set_range`, `clear_range`, `set_volume`, `wait_for_state`,
        /// `wait_for_position`.
        public var action: String
        /// What is given to it.
        public var args: Arguments?
    }

    /// Something that must hold when all operations are done.
    public struct Assertion: Sendable, Hashable, Codable {
        /// `state_equals`, `error_thrown`, `position_near`, `duration_equals`.
        public var type: String
        /// For `state_equals`: a state's name.
        public var state: String?
        /// For `error_thrown`: an error's code, such as `invalidState`.
        public var code: String?
        /// For `error_thrown`: which operation threw it, from 0 on. Operations that no assertion names must not throw.
        public var operation: Int?
        /// For `position_near` and `duration_equals`.
        public var seconds: Double?
        /// How far off `seconds` may be; 0 when left out. One frame is always allowed.
        public var tolerance: Double?
    }

    /// Operations with what must hold behind them, on a service of their own.
    public struct TestCase: Sendable, Hashable, Codable {
        /// What the case shows.
        public var name: String
        /// Whether it makes sense only where the output keeps the time; left out for everywhere.
        public var realTime: Bool?
        /// What is done, in order.
        public var operations: [Operation]
        /// What must hold then.
        public var assertions: [Assertion]

        enum CodingKeys: String, CodingKey {
            case name, operations, assertions
            case realTime = "real_time"
        }
    }

    /// What the vector is about.
    public var name: String
    /// The version of the form; 1.
    public var version: Int
    /// The files by their names.
    public var fixtures: [String: Fixture]
    /// The cases.
    public var testCases: [TestCase]

    enum CodingKeys: String, CodingKey {
        case version, fixtures
        case name = "vector_name"
        case testCases = "test_cases"
    }

    /// Reads a vector.
    ///
    /// - Parameter url: A JSON file.
    /// - Throws: An error of reading or decoding.
    public init(contentsOf url: URL) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
    }
}
