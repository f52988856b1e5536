internal import Foundation

/// Holds an answer of ``LoopbackWebServer`` back until a test lets it go on.
public final class WebGate: Sendable {
    private let condition = NSCondition()
    private let isOpen = SharedFlag()

    /// Creates a closed gate.
    public init() {}

    /// Lets everything pass from now on.
    public func open() {
        condition.lock()
        isOpen.raise()
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until the gate is open, at most a minute.
    func pass() {
        condition.lock()
        defer { condition.unlock() }
        let limit = Date(timeIntervalSinceNow: 60)
        while !isOpen.isRaised, condition.wait(until: limit) {}
    }
}
