internal import CGio
internal import Synchronization

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
