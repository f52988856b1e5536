internal import DescantCore

/// Tells why a route changed.
///
/// A server reports a change in pieces, and not every server in the same order: the stream moves, the default changes, the
/// device goes. So what happened a moment ago counts as a cause.
struct RouteChangeDetector: Sendable {
    /// How long ago a cause may lie, in nanoseconds.
    static let memory: UInt64 = 500_000_000

    /// The sink that servers have while there is no other, after a restart for instance. Nobody listens to it, so nothing is
    /// lost when it goes.
    private static let placeholder = "auto_null"

    private var route: AudioRoute
    private var previousOutputs: [AudioDevice] = []
    private var changedAt: UInt64 = 0
    private var reachable: Set<String>
    private var arrivals: [String: UInt64] = [:]
    private var defaultSink: String?
    private var defaultChangedAt: UInt64?

    /// Begins with what is there.
    init(_ picture: ServerSnapshot) {
        route = picture.route ?? AudioRoute()
        reachable = picture.reachableDevices
        defaultSink = picture.defaultSink
    }

    /// The route that was settled on last.
    var present: AudioRoute { route }

    /// Looks at a new picture.
    ///
    /// - Parameter now: The time, in nanoseconds.
    /// - Returns: The new route and why, when there is something to report.
    mutating func judge(_ picture: ServerSnapshot, now: UInt64) -> (AudioRoute, AudioRoute.Change)? {
        note(picture, now: now)
        guard let new = picture.route else { return nil }
        guard new != route else { return lateDeparture(now: now) }
        let reason = reason(for: new, now: now)
        previousOutputs = reason == .oldDeviceUnavailable ? [] : route.outputs
        changedAt = now
        route = new
        return (new, reason)
    }

    private mutating func note(_ picture: ServerSnapshot, now: UInt64) {
        let present = picture.reachableDevices
        for device in present.subtracting(reachable) { arrivals[device] = now }
        arrivals = arrivals.filter { present.contains($0.key) && isRecent($0.value, now) }
        reachable = present
        if picture.defaultSink != defaultSink {
            defaultSink = picture.defaultSink
            defaultChangedAt = now
        }
    }

    private func reason(for new: AudioRoute, now: UInt64) -> AudioRoute.Change {
        if route.outputs.contains(where: isGone) { return .oldDeviceUnavailable }
        if new.outputs.contains(where: { arrivals[$0.identifier] != nil }) { return .newDeviceAvailable }
        let followsDefault = defaultChangedAt.map { isRecent($0, now) } ?? false
        // Of inputs, only the default is looked at.
        return followsDefault || new.outputs == route.outputs ? .defaultChanged : .override
    }

    /// The device that was played to goes just after its sound has been moved away: that is why it was.
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
