import CPulse
import DescantCore
import Foundation
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

    @Test("A port that the server calls unavailable is not reachable, and one in an unknown state is")
    func portsOfAnAnswer() {
        let words = ["card", "Sound Card", "headphones", "Headphones", "speaker"]
        let texts: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for text in texts { free(text) } }
        func text(_ number: Int) -> UnsafePointer<CChar>? { UnsafePointer(texts[number]) }
        let ports = UnsafeMutablePointer<pa_sink_port_info>.allocate(capacity: 2)
        ports.initialize(repeating: pa_sink_port_info(), count: 2)
        let list = UnsafeMutablePointer<UnsafeMutablePointer<pa_sink_port_info>?>.allocate(capacity: 2)
        list.initialize(to: ports)
        (list + 1).initialize(to: ports + 1)
        defer {
            list.deallocate()
            ports.deallocate()
        }
        ports[0].name = text(2)
        ports[0].description = text(3)
        ports[0].available = Int32(PA_PORT_AVAILABLE_NO.rawValue)
        ports[1].name = text(4)
        ports[1].available = Int32(PA_PORT_AVAILABLE_UNKNOWN.rawValue)
        var info = pa_sink_info()
        info.index = 3
        info.name = text(0)
        info.description = text(1)
        info.n_ports = 2
        info.ports = list
        info.active_port = ports + 1
        let sink = PulseQuery.sink(info)
        let expected = ServerSink(
            index: 3, name: "card", label: "Sound Card",
            ports: [
                ServerPort(name: "headphones", label: "Headphones", isAvailable: false),
                // A port without a name for people.
                ServerPort(name: "speaker", label: "speaker", isAvailable: true),
            ], activePort: "speaker")
        #expect(sink == expected)
        #expect(sink.reachableDevices == ["card", "card#speaker"])
    }
}
