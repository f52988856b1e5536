internal import Synchronization

/// A closure that any thread may set and call.
///
/// A `Mutex` of the closure itself would grow: a generic type keeps closures in a form of its own, so that every access through the lock
/// wraps the closure once more. Each call then goes 48 bytes or more deeper into the stack, until that overflows. A structure keeps its
/// closures as they are.
package final class SharedCallback<Input>: Sendable {
    private struct State {
        var callback: (@Sendable (Input) -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Sets what is called from now on; `nil` for nothing.
    package func set(_ callback: (@Sendable (Input) -> Void)?) { state.withLock { $0.callback = callback } }

    /// Calls what was set last, on the caller's thread and without the lock.
    package func callAsFunction(_ input: Input) { state.withLock { $0.callback }?(input) }
}
