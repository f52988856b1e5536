internal import DescantCore
internal import DescantMixing

/// Holds an answer of ``LoopbackWebServer`` back until a test lets it go on.
public final class WebGate: Sendable {
    private let opening = EventCount()

    /// Creates a closed gate.
    public init() {}

    /// Lets everything pass from now on.
    public func open() { opening.raise() }

    /// Waits until the gate is open, at most a minute.
    func pass() { _ = opening.wait(after: 0, deadline: MonotonicClock().now() + 60_000_000_000) }
}
