/// A device that sound goes to or comes from.
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
        /// A device is there that was not.
        case newDeviceAvailable
        /// The person chose another default device.
        case defaultChanged
        /// Our stream was moved to another device.
        case override
    }

    /// The devices that our sound goes to; the server's default while we play nothing.
    public var outputs: [AudioDevice]
    /// The server's default source, or where we record from.
    public var inputs: [AudioDevice]

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - outputs: The devices that our sound goes to.
    ///   - inputs: Where we record from.
    public init(outputs: [AudioDevice] = [], inputs: [AudioDevice] = []) {
        self.outputs = outputs
        self.inputs = inputs
    }
}

/// A stream that another program plays on the same server.
public struct ForeignStream: Sendable, Hashable, Codable {
    /// The server's number for it; unique while the server lives.
    public var identifier: UInt32
    /// The program's name; empty when it gives none.
    public var application: String
    /// What it is for; empty when the program does not say.
    public var role: AudioRole

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - identifier: The server's number for it.
    ///   - application: The program's name.
    ///   - role: What it is for.
    public init(identifier: UInt32, application: String = "", role: AudioRole = "") {
        self.identifier = identifier
        self.application = application
        self.role = role
    }
}
