/// A port of the host's, which need not be `Sendable`.
///
/// Safe to share: the service calls a port only while it holds one and the same lock, the one that is named where the port
/// is kept.
struct SharedPort<Port>: @unchecked Sendable {
    let port: Port
}
