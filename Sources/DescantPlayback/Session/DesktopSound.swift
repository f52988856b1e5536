internal import DescantCore

/// What a session knows of the desktop's sound: the state that the sound server reports, and the route that counts.
///
/// A route that is reported counts when it has settled. A stream that moves shows phantoms for some milliseconds: a device
/// that is unknown, or gone and back.
struct DesktopSound {
    /// A change of the route that counts.
    struct RouteChange: Equatable {
        /// The route that counted before.
        let previous: AudioRoute
        /// Whether a device that sound went to is gone.
        let isDeviceGone: Bool
        /// Why it changed: `oldDeviceUnavailable` when a device is gone, otherwise the reason that was reported last.
        let reason: AudioRoute.Change
    }

    /// The state that was reported last.
    private(set) var situation = AudioSessionSnapshot()
    /// The route that counts.
    private(set) var settledRoute = AudioRoute()
    /// The route that counted before it.
    private var formerRoute = AudioRoute()
    /// Whether a device of the former route is gone. A server may report that when the move to another device has settled.
    private var hasLateDeparture = false
    /// What was reported since a route settled, in this order.
    private(set) var reportedChanges: [AudioRoute.Change] = []
    /// Whether the sound server went away while the session was active.
    private(set) var isServerLost = false

    /// The numbers of the streams that are conversations.
    var calls: Set<UInt32> { Set(situation.phoneStreams.map(\.identifier)) }

    /// Takes over the present state.
    mutating func update(_ situation: AudioSessionSnapshot) { self.situation = situation }

    /// Makes the present route the one that counts: the session begins, or the server is back.
    mutating func begin() {
        settledRoute = situation.route
        formerRoute = settledRoute
    }

    /// Forgets the server's absence and what was reported of routes. The situation stays as it was last.
    mutating func end() {
        forgetReports()
        isServerLost = false
    }

    // MARK: The server

    /// Notes that the server went away. The routes that it reported do not settle any more.
    ///
    /// - Returns: Whether it was there before.
    mutating func loseServer() -> Bool {
        guard !isServerLost else { return false }
        isServerLost = true
        situation.isServerAvailable = false
        forgetReports()
        return true
    }

    /// Notes that the server is back.
    ///
    /// - Returns: Whether it was away.
    mutating func restoreServer() -> Bool {
        defer { isServerLost = false }
        return isServerLost
    }

    // MARK: Streams of other programs

    /// Adds a stream.
    ///
    /// - Returns: Whether it is a new one.
    mutating func add(_ stream: ForeignStream) -> Bool {
        guard !situation.foreignStreams.contains(stream) else { return false }
        situation.foreignStreams.append(stream)
        return true
    }

    /// Removes a stream.
    ///
    /// - Returns: Whether it was known.
    mutating func remove(_ stream: ForeignStream) -> Bool {
        let count = situation.foreignStreams.count
        situation.foreignStreams.removeAll { $0.identifier == stream.identifier }
        return situation.foreignStreams.count < count
    }

    // MARK: Routes

    /// Notes a route that the server reports.
    mutating func report(_ route: AudioRoute, _ change: AudioRoute.Change) {
        situation.route = route
        if change == .oldDeviceUnavailable, reportedChanges.isEmpty, route == settledRoute { hasLateDeparture = true }
        reportedChanges.append(change)
    }

    private mutating func forgetReports() {
        reportedChanges = []
        hasLateDeparture = false
    }

    /// Makes the route that was reported last the one that counts.
    ///
    /// - Returns: `nil` when that changes nothing: a device that went and came back meanwhile was a phantom.
    mutating func settleRoute() -> RouteChange? {
        let previous = hasLateDeparture ? formerRoute : settledRoute
        let changes = reportedChanges
        forgetReports()
        if settledRoute != situation.route { formerRoute = settledRoute }
        settledRoute = situation.route
        let lost = previous.outputs.filter { device in
            !settledRoute.outputs.contains { $0.identifier == device.identifier }
        }
        let isGone = changes.contains(.oldDeviceUnavailable) && (previous.outputs.isEmpty || !lost.isEmpty)
        guard isGone || previous != settledRoute, let last = changes.last else { return nil }
        return RouteChange(previous: previous, isDeviceGone: isGone, reason: isGone ? .oldDeviceUnavailable : last)
    }
}
