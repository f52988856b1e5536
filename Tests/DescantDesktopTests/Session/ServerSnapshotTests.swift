import DescantCore
import Testing

@testable import DescantDesktop

@Suite("What a server's picture means")
struct ServerSnapshotTests {
    private let us = ProcessName(identifier: 7, host: "here")
    private let another = ProcessName(identifier: 8, host: "here")

    private var picture: ServerSnapshot {
        var picture = ServerSnapshot(process: us)
        picture.apply(.sink(ServerSink(index: 1, name: "speakers", label: "Speakers")))
        picture.apply(.sink(ServerSink(index: 2, name: "headphones", label: "Headphones")))
        picture.apply(.defaults(sink: "speakers", source: "speakers.monitor"))
        return picture
    }

    private func stream(
        _ index: UInt32, owner: ProcessName?, sink: UInt32 = 1, role: String = "", isCorked: Bool = false
    ) -> ServerChange {
        .stream(
            ServerStream(
                index: index, sink: sink, owner: owner, application: "app", role: role, isCorked: isCorked,
                isMuted: false))
    }

    @Test("Other audio is what another process plays and has not paused")
    func otherAudio() {
        var picture = picture
        picture.apply(stream(1, owner: us))
        picture.apply(stream(2, owner: another, isCorked: true))
        #expect(picture.foreignStreams.isEmpty)
        picture.apply(stream(2, owner: another))
        #expect(picture.foreignStreams.map(\.identifier) == [2])
        picture.apply(stream(3, owner: nil))
        #expect(picture.foreignStreams.map(\.identifier) == [2, 3], "a stream without a process is not ours")
        picture.apply(stream(4, owner: ProcessName(identifier: 7, host: "there")))
        #expect(picture.foreignStreams.map(\.identifier) == [2, 3, 4], "our number on another machine is not ours")
        #expect(picture.ownStreams.map(\.index) == [1])
    }

    @Test("A call is a phone stream of another program that plays")
    func call() {
        var picture = picture
        picture.apply(stream(1, owner: us, role: "phone"))
        picture.apply(stream(2, owner: another, role: "phone", isCorked: true))
        #expect(!picture.isCallRunning)
        picture.apply(stream(2, owner: another, role: "phone"))
        #expect(picture.isCallRunning)
        picture.apply(.streamRemoved(2))
        #expect(!picture.isCallRunning)
    }

    @Test("The route is where our streams play, else the default, and unknown in the middle of a move")
    func route() {
        var picture = picture
        #expect(picture.route == AudioRoute(outputs: [AudioDevice("speakers", name: "Speakers")]))
        picture.apply(stream(1, owner: us, sink: 2))
        #expect(picture.route?.outputs == [AudioDevice("headphones", name: "Headphones")])
        picture.apply(stream(1, owner: us, sink: 99))
        #expect(picture.route == nil)
        picture.apply(.streamRemoved(1))
        picture.apply(.defaults(sink: "@DEFAULT_SINK@", source: "@DEFAULT_SOURCE@"))
        #expect(picture.route == nil)
        picture.apply(.defaults(sink: nil, source: "microphone"))
        #expect(picture.route == AudioRoute(outputs: [], inputs: [AudioDevice("microphone")]))
    }
}
