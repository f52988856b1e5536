internal import Foundation
internal import Synchronization

/// Holds an answer of ``LoopbackWebServer`` back until a test opens it.
public final class WebGate: Sendable {
    private let isOpen = Atomic(false)

    /// Creates a closed gate.
    public init() {}

    /// Opens the gate for good.
    public func open() { isOpen.store(true, ordering: .releasing) }

    /// Waits until the gate is open, at most a minute.
    func pass() {
        let deadline = ContinuousClock.now + .seconds(60)
        while !isOpen.load(ordering: .acquiring), ContinuousClock.now < deadline {
            Thread.sleep(forTimeInterval: 0.001)
        }
    }
}
