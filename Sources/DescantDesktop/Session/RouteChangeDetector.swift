internal import DescantCore

/// Detects changes of the route, and their reasons.
///
/// A server reports one change as several, in an order that differs between servers: the stream moves, the default changes,
/// the device goes. An event of the last ``memory`` nanoseconds therefore counts as a cause.
struct RouteChangeDetector: Sendable {
    /// The maximum age of a cause, in nanoseconds.
    static let memory: UInt64 = 500_000_000

    /// The sink of servers without a device, for instance after a restart. It has no listener, so its removal is not a cause.
    private static let placeholder = "auto_null"

    private var route: AudioRoute
    private var previousOutputs: [AudioDevice] = []
    private var changedAt: UInt64 = 0
    private var reachable: Set<String>
    private var arrivals: [String: UInt64] = [:]
    private var defaultSink: String?
    private var defaultChangedAt: UInt64?

    /// Creates a detector with the state before the first change.
    init(_ snapshot: ServerSnapshot) {
        route = snapshot.probableRoute
        reachable = snapshot.reachableDevices
        defaultSink = snapshot.defaultSink
    }

    /// The route after the last change.
    var present: AudioRoute { route }

    /// Takes in a new snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: The state of the server.
    ///   - now: The time, in nanoseconds.
    /// - Returns: The new route and why, when there is something to report.
    mutating func update(with snapshot: ServerSnapshot, now: UInt64) -> (AudioRoute, AudioRoute.Change)? {
        note(snapshot, now: now)
        guard let new = snapshot.route else { return nil }
        guard new != route else { return lateDeparture(now: now) }
        let reason = reason(for: new, now: now)
        previousOutputs = reason == .oldDeviceUnavailable ? [] : route.outputs
        changedAt = now
        route = new
        return (new, reason)
    }

    private mutating func note(_ snapshot: ServerSnapshot, now: UInt64) {
        let present = snapshot.reachableDevices
        for device in present.subtracting(reachable) { arrivals[device] = now }
        arrivals = arrivals.filter { present.contains($0.key) && isRecent($0.value, now) }
        reachable = present
        if snapshot.defaultSink != defaultSink {
            defaultSink = snapshot.defaultSink
            defaultChangedAt = now
        }
    }

    private func reason(for new: AudioRoute, now: UInt64) -> AudioRoute.Change {
        if route.outputs.contains(where: isGone) { return .oldDeviceUnavailable }
        if new.outputs.contains(where: { arrivals[$0.identifier] != nil }) { return .newDeviceAvailable }
        let followsDefault = defaultChangedAt.map { isRecent($0, now) } ?? false
        // The route has no other input than the default.
        return followsDefault || new.outputs == route.outputs ? .defaultChanged : .override
    }

    /// The change for a device that goes just after its stream has moved: its removal was the reason of the move.
    private mutating func lateDeparture(now: UInt64) -> (AudioRoute, AudioRoute.Change)? {
        guard isRecent(changedAt, now), previousOutputs.contains(where: isGone) else { return nil }
        previousOutputs = []
        return (route, .oldDeviceUnavailable)
    }

    private func isGone(_ device: AudioDevice) -> Bool {
        device.identifier != Self.placeholder && !reachable.contains(device.identifier)
    }

    private func isRecent(_ time: UInt64, _ now: UInt64) -> Bool { now - min(now, time) <= Self.memory }
}
