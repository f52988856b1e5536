internal import DescantCore
internal import Foundation

/// Runs calls that may block for seconds, such as closing a stream on a sound server that hangs, on threads that can be
/// abandoned.
enum DisposableThread {
    /// Runs a call on a thread of its own and waits for it.
    ///
    /// - Parameters:
    ///   - seconds: The longest wait; after it the call goes on alone and its result is dropped.
    ///   - body: The call.
    /// - Returns: The call's result; `nil` when the limit came first.
    static func run<Value: Sendable>(
        limit seconds: Double, _ body: @escaping @Sendable () -> Value
    ) async -> Value? {
        let result = OneShot<Value>()
        start { result.resolve(body()) }
        return await result.value(within: seconds)
    }

    /// Runs a call on a thread of its own.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = "descant-control"
        thread.start()
    }
}
