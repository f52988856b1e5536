import DescantCore
import Testing

@testable import DescantDesktop

@Suite("Snapshot of a server")
struct ServerSnapshotTests {
    private let us = ProcessName(identifier: 7, host: "here")
    private let another = ProcessName(identifier: 8, host: "here")

    private var snapshot: ServerSnapshot {
        var snapshot = ServerSnapshot(process: us)
        snapshot.apply(.sink(ServerSink(index: 1, name: "speakers", label: "Speakers")))
        snapshot.apply(.sink(ServerSink(index: 2, name: "headphones", label: "Headphones")))
        snapshot.apply(.defaults(sink: "speakers", source: "speakers.monitor"))
        return snapshot
    }

    private func stream(
        _ index: UInt32, owner: ProcessName?, sink: UInt32 = 1, role: String = "", isCorked: Bool = false
    ) -> ServerChange {
        .stream(
            ServerStream(
                index: index, sink: sink, owner: owner, application: "app", role: role, isCorked: isCorked,
                isMuted: false))
    }

    @Test("Other audio is an uncorked stream of another process")
    func otherAudio() {
        var snapshot = snapshot
        snapshot.apply(stream(1, owner: us))
        snapshot.apply(stream(2, owner: another, isCorked: true))
        #expect(snapshot.foreignStreams.isEmpty)
        snapshot.apply(stream(2, owner: another))
        #expect(snapshot.foreignStreams.map(\.identifier) == [2])
        snapshot.apply(stream(3, owner: nil))
        #expect(snapshot.foreignStreams.map(\.identifier) == [2, 3], "a stream without a process is not ours")
        snapshot.apply(stream(4, owner: ProcessName(identifier: 7, host: "there")))
        #expect(snapshot.foreignStreams.map(\.identifier) == [2, 3, 4], "our number on another machine is not ours")
        #expect(snapshot.ownStreams.map(\.index) == [1])
    }

    @Test("A call is a phone stream of another program that plays")
    func call() {
        var snapshot = snapshot
        snapshot.apply(stream(1, owner: us, role: "phone"))
        snapshot.apply(stream(2, owner: another, role: "phone", isCorked: true))
        #expect(!snapshot.isCallRunning)
        snapshot.apply(stream(2, owner: another, role: "phone"))
        #expect(snapshot.isCallRunning)
        snapshot.apply(.streamRemoved(2))
        #expect(!snapshot.isCallRunning)
    }

    @Test("The route is the device of own streams, else the default, and unknown during a move")
    func route() {
        var snapshot = snapshot
        #expect(snapshot.route == AudioRoute(outputs: [AudioDevice("speakers", name: "Speakers")]))
        snapshot.apply(stream(1, owner: us, sink: 2))
        #expect(snapshot.route?.outputs == [AudioDevice("headphones", name: "Headphones")])
        snapshot.apply(stream(1, owner: us, sink: 99))
        #expect(snapshot.route == nil)
        snapshot.apply(.streamRemoved(1))
        snapshot.apply(.defaults(sink: "@DEFAULT_SINK@", source: "@DEFAULT_SOURCE@"))
        #expect(snapshot.route == nil)
        snapshot.apply(.defaults(sink: nil, source: "microphone"))
        #expect(snapshot.route == AudioRoute(outputs: [], inputs: [AudioDevice("microphone")]))
    }
}
