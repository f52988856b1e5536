/// An output or input device.
public struct AudioDevice: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name by which the server knows it, with the port in use where it has several: `alsa_output.pci#headphones`.
    public var identifier: String
    /// A name for people.
    public var name: String

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - identifier: The name by which the server knows it.
    ///   - name: A name for people; `nil` for the identifier.
    public init(_ identifier: String, name: String? = nil) {
        self.identifier = identifier
        self.name = name ?? identifier
    }

    /// The name by which the server knows it.
    public var description: String { identifier }
}

/// Where sound goes to and comes from.
public struct AudioRoute: Sendable, Hashable, Codable {
    /// Why a route changed.
    public enum Change: String, Sendable, Hashable, Codable {
        /// The output device disappeared: headphones were unplugged, a loudspeaker was switched off.
        case oldDeviceUnavailable
        /// A new device is available.
        case newDeviceAvailable
        /// The user chose another default device.
        case defaultChanged
        /// The stream of this process was moved to another device.
        case override
    }

    /// The output devices of this process; the server's default while it plays nothing.
    public var outputs: [AudioDevice]
    /// The server's default source, or the device that this process records from.
    public var inputs: [AudioDevice]

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - outputs: The output devices.
    ///   - inputs: The input devices.
    public init(outputs: [AudioDevice] = [], inputs: [AudioDevice] = []) {
        self.outputs = outputs
        self.inputs = inputs
    }
}

/// A stream that another program plays on the same server.
public struct ForeignStream: Sendable, Hashable, Codable {
    /// The server's number for the stream; unique while the server runs.
    public var identifier: UInt32
    /// The program's name; empty when it gives none.
    public var application: String
    /// The role of the stream; empty when the program sets none.
    public var role: AudioRole

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - identifier: The server's number for it.
    ///   - application: The program's name.
    ///   - role: The role of the stream.
    public init(identifier: UInt32, application: String = "", role: AudioRole = "") {
        self.identifier = identifier
        self.application = application
        self.role = role
    }
}
