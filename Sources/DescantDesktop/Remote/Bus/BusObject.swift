internal import CGio
internal import Synchronization

/// An object on the bus.
protocol BusObject: AnyObject, Sendable {
    /// The interfaces as introspection data.
    var introspection: String { get }

    /// Answers a request, at once or later. Called on the bus's thread; must not wait.
    func handle(_ request: BusRequest)
}

/// A request of a client on the bus.
struct BusRequest: Sendable {
    enum Kind: Sendable, Hashable {
        case get(interface: String, property: String)
        case getAll(interface: String)
        case set(interface: String, property: String, BusValue)
        case call(interface: String, method: String, [BusValue])
    }

    var kind: Kind
    /// Takes the answer's values, once; later ones are ignored. Any thread.
    var reply: @Sendable (Result<[BusValue], BusError>) -> Void
}

/// The answer to one call, given once.
///
/// GLib allows an invocation to be answered from any thread, and the flag makes sure that it is answered once, after which it is not
/// touched any more; hence the unchecked conformance.
final class BusReply: @unchecked Sendable {
    private let invocation: OpaquePointer
    private let isGiven = Atomic(false)

    init(_ invocation: OpaquePointer) { self.invocation = invocation }

    deinit { give(.failure(.failed("no answer"))) }

    func give(_ answer: Result<[BusValue], BusError>) {
        guard !isGiven.exchange(true, ordering: .acquiringAndReleasing) else { return }
        switch answer {
        case .success(let values):
            g_dbus_method_invocation_return_value(invocation, BusValue.tuple(values).makeVariant())
        case .failure(let error):
            g_dbus_method_invocation_return_dbus_error(invocation, error.name, error.message.busText)
        }
    }
}

/// A signal to all clients on the bus.
struct BusSignal: Sendable, Hashable {
    var interface: String
    var name: String
    var arguments: [BusValue]
}

/// Sends signals.
protocol BusEmitter: Sendable {
    /// Runs work on the bus's thread, in the order of the calls.
    func post(_ work: @escaping @Sendable () -> Void)

    /// Runs work on the bus's thread after some seconds.
    func post(after seconds: Double, _ work: @escaping @Sendable () -> Void)

    /// Sends a signal; it is lost while there is no bus. Must be called on the bus's thread.
    func emit(_ signal: BusSignal)
}
