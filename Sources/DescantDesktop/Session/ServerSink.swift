internal import DescantCore

/// A device of a sound server that plays.
struct ServerSink: Hashable, Sendable {
    /// The server's number for it, never used twice in a server's life.
    var index: UInt32
    /// Its name among programs, such as `alsa_output.pci-0000_00_1f.3.analog-stereo`.
    var name: String
    /// Its name for people.
    var label: String
    /// Where its sound can come out; empty for devices without sockets.
    var ports: [ServerPort] = []
    /// The name of the port in use.
    var activePort: String?

    /// The sink as our sound's goal: with the port, where there is a choice of them.
    var device: AudioDevice {
        guard ports.count > 1, let port = ports.first(where: { $0.name == activePort }) else {
            return AudioDevice(name, name: label)
        }
        return AudioDevice("\(name)#\(port.name)", name: "\(label), \(port.label)")
    }

    /// The devices that this sink is or could be: itself, or each of its ports where something is plugged in.
    var reachableDevices: Set<String> {
        guard ports.count > 1 else { return [name] }
        // A server may name no port at all for a moment.
        return Set([name] + ports.filter(\.isAvailable).map { "\(name)#\($0.name)" })
    }
}
