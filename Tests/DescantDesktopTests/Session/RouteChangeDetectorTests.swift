import DescantCore
import Testing

@testable import DescantDesktop

/// Reports of real servers, which arrive in several parts and in various orders.
@Suite("Reasons of route changes")
struct RouteChangeDetectorTests {
    private let us = ProcessName(identifier: 7, host: nil)
    private let second: UInt64 = 1_000_000_000

    private func sink(_ index: UInt32, _ name: String, ports: [ServerPort] = [], active: String? = nil) -> ServerChange
    {
        .sink(ServerSink(index: index, name: name, label: name, ports: ports, activePort: active))
    }

    private func ourStream(on sink: UInt32) -> ServerChange {
        .stream(
            ServerStream(
                index: 1, sink: sink, owner: us, application: "us", role: "music", isCorked: false, isMuted: false))
    }

    private var snapshot: ServerSnapshot {
        var snapshot = ServerSnapshot(process: us)
        snapshot.apply(sink(1, "speakers"))
        snapshot.apply(sink(2, "headphones"))
        snapshot.apply(.defaults(sink: "speakers", source: nil))
        return snapshot
    }

    /// Applies changes one after the other, a millisecond apart.
    ///
    /// - Returns: "reason outputs" of every report.
    private func reports(_ snapshot: ServerSnapshot, _ changes: [ServerChange], step: UInt64 = 1_000_000) -> [String] {
        var snapshot = snapshot
        var detector = RouteChangeDetector(snapshot)
        return changes.enumerated().compactMap { index, change in
            snapshot.apply(change)
            return detector.update(with: snapshot, now: 10 * second + UInt64(index) * step).map { route, reason in
                "\(reason) \(route.outputs.map(\.identifier).joined(separator: ","))"
            }
        }
    }

    @Test("The device is removed first, then the stream is moved")
    func goneThenMoved() {
        var snapshot = snapshot
        snapshot.apply(ourStream(on: 2))
        #expect(reports(snapshot, [.sinkRemoved(2), ourStream(on: 1)]) == ["oldDeviceUnavailable speakers"])
    }

    @Test("The stream is moved first, then the device is removed")
    func movedThenGone() {
        var snapshot = snapshot
        snapshot.apply(ourStream(on: 2))
        let changes = [ourStream(on: 1), .sinkRemoved(2)]
        #expect(reports(snapshot, changes) == ["override speakers", "oldDeviceUnavailable speakers"])
        #expect(
            reports(snapshot, changes, step: 2 * second) == ["override speakers"],
            "a device that goes long after is none of our business")
    }

    @Test("A move through an unknown sink is reported only with its final device")
    func phantomSink() {
        var snapshot = snapshot
        snapshot.apply(ourStream(on: 1))
        let changes: [ServerChange] = [
            ourStream(on: 99), .defaults(sink: "@DEFAULT_SINK@", source: nil), ourStream(on: 1),
            .defaults(sink: "speakers", source: nil),
        ]
        #expect(reports(snapshot, changes) == [])
    }

    @Test("A change of the default, of the stream, or of both is reported")
    func defaultChanges() {
        var snapshot = snapshot
        #expect(
            reports(snapshot, [.defaults(sink: "headphones", source: nil)]) == ["defaultChanged headphones"])
        snapshot.apply(ourStream(on: 1))
        let together = [ServerChange.defaults(sink: "headphones", source: nil), ourStream(on: 2)]
        #expect(reports(snapshot, together) == ["defaultChanged headphones"])
        #expect(reports(snapshot, together, step: 2 * second) == ["override headphones"])
        #expect(reports(snapshot, [ourStream(on: 2)]) == ["override headphones"])
    }

    @Test("Unplugged headphones of a device with a loudspeaker are reported as unavailable")
    func portChanges() {
        func card(plugged: Bool, active: String) -> ServerChange {
            let ports = [
                ServerPort(name: "speaker", label: "Speaker", isAvailable: true),
                ServerPort(name: "headphones", label: "Headphones", isAvailable: plugged),
            ]
            return sink(1, "card", ports: ports, active: active)
        }
        var snapshot = ServerSnapshot(process: us)
        snapshot.apply(card(plugged: true, active: "headphones"))
        snapshot.apply(.defaults(sink: "card", source: nil))
        #expect(snapshot.route?.outputs == [AudioDevice("card#headphones", name: "card, Headphones")])
        #expect(reports(snapshot, [card(plugged: true, active: "speaker")]) == ["override card#speaker"])
        let pulled = card(plugged: false, active: "speaker")
        #expect(reports(snapshot, [pulled]) == ["oldDeviceUnavailable card#speaker"])
        #expect(
            reports(snapshot, [pulled, card(plugged: true, active: "headphones")])
                == ["oldDeviceUnavailable card#speaker", "newDeviceAvailable card#headphones"])
    }

    @Test("Without a sink the route has no output")
    func noSinks() {
        let changes: [ServerChange] = [.sinkRemoved(1), .sinkRemoved(2), .defaults(sink: nil, source: nil)]
        #expect(reports(snapshot, changes) == ["oldDeviceUnavailable "])
    }

    @Test("The removal of a placeholder sink is not reported as an unavailable device")
    func placeholder() {
        var snapshot = ServerSnapshot(process: us)
        snapshot.apply(sink(9, "auto_null"))
        snapshot.apply(.defaults(sink: "auto_null", source: nil))
        let changes: [ServerChange] = [
            sink(1, "speakers"), .sinkRemoved(9), .defaults(sink: "speakers", source: nil),
        ]
        #expect(reports(snapshot, changes) == ["newDeviceAvailable speakers"])
    }

    @Test("A stream that was there first, and gets its sink afterwards, is no change of the route")
    func streamWithoutASink() {
        var snapshot = snapshot
        snapshot.apply(ourStream(on: .max))
        #expect(reports(snapshot, [ourStream(on: 1)]) == [])
        #expect(reports(snapshot, [ourStream(on: 2)]) == ["override headphones"])
    }

    @Test("Another microphone is a change of the default, another monitor is not")
    func inputs() {
        #expect(reports(snapshot, [.defaults(sink: "speakers", source: "microphone")]) == ["defaultChanged speakers"])
        #expect(reports(snapshot, [.defaults(sink: "speakers", source: "speakers.monitor")]) == [])
    }
}
