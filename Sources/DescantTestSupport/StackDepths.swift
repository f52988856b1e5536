internal import Synchronization

/// How deep into the stack of its caller a closure is called.
public final class StackDepths: Sendable {
    private let addresses = Mutex<[UInt]>([])

    /// No calls so far.
    public init() {}

    /// Notes the present depth.
    public func note() {
        var local = 0
        let address = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
        addresses.withLock { $0.append(address) }
    }

    /// The number of calls.
    public var count: Int { addresses.withLock(\.count) }

    /// The bytes by which the last call was deeper than the first one, negative when it was less deep. Both come from the same caller.
    public var growth: Int {
        let (first, last) = addresses.withLock { ($0.first ?? 0, $0.last ?? 0) }
        return Int(bitPattern: first) - Int(bitPattern: last)
    }
}
