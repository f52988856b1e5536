/// Where sound goes to and comes from.
public struct AudioRoute: Sendable, Hashable, Codable {
    /// Why a route changed.
    public enum Change: String, Sendable, Hashable, Codable {
        /// The device that was played to is gone: headphones were pulled out, a loudspeaker was switched off.
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
