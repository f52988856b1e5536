import DescantCore
import DescantPlayback
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

@testable import DescantDesktop

@Suite("Remote control over a bus")
struct MPRISRemoteTests {
    @Test("a second instance gets another name, and the first name is free after a close")
    func instances() async throws {
        let (one, two, three) = (ScriptedPlayer(), ScriptedPlayer(), ScriptedPlayer())
        let first = try await RemoteStage(one)
        let second = try await RemoteStage(two, on: first.bus)
        let third = try await RemoteStage(three, on: first.bus)
        let process = ProcessInfo.processInfo.processIdentifier
        #expect(first.name == "org.mpris.MediaPlayer2.descant_test")
        #expect(second.name == "\(first.name).instance\(process)")
        #expect(third.name == "\(first.name).instance\(process)_2")
        try await second.view().player("Play")
        #expect(try await second.view().get("PlaybackStatus") == .string("Playing"))
        #expect(try await first.view().get("PlaybackStatus") == .string("Stopped"))
        try await first.leave()
        let fourth = try await RemoteStage(one, on: first.bus)
        #expect(fourth.name == first.name)
        for stage in [second, third, fourth] { await stage.bridge.close() }
    }

    @Test("after a restart of the bus the name is owned again")
    func restartedBus() async throws {
        let player = ScriptedPlayer()
        let stage = try await RemoteStage(player)
        try await stage.view().player("Play")
        var names = stage.remote.nameUpdates.makeAsyncIterator()
        #expect(await names.next() == .some(stage.name))
        stage.bus.kill()
        #expect(await names.next() == .some(nil))
        // Changes in the meantime are visible afterwards. The bridge publishes this one before it returns.
        try await stage.bridge.perform(.next)
        try stage.bus.start()
        #expect(await names.next() == .some(stage.name))
        let client = try await BusClient(stage.bus.address)
        let view = try await RemotePlayer(stage.name, client, limit: RemoteStage.patience)
        #expect(try await view.get("PlaybackStatus") == .string("Playing"))
        #expect(try await view.get("Metadata").dictionary?["xesam:title"] == .string("Track 2"))
        let findings = await checkAfterStop(view)
        #expect(findings == [])
        await stage.bridge.close()
    }

    private func checkAfterStop(_ view: RemotePlayer) async -> [MPRISFinding] {
        _ = try? await view.player("Stop")
        return await MPRISChecker(player: view).run()
    }

    @Test("a frozen bus does not block callers")
    func frozenBus() async throws {
        let player = ScriptedPlayer()
        let stage = try await RemoteStage(player)
        stage.bus.freeze()
        defer { stage.bus.thaw() }
        for _ in 0..<100 {
            try await stage.bridge.perform(.play)
            try await stage.bridge.perform(.next)
            try await stage.bridge.perform(.stop)
        }
        await stage.bridge.close()
    }

    @Test("a missing bus is ignored")
    func noBus() async throws {
        let player = ScriptedPlayer()
        let remote = MPRISRemote(identity: RemoteStage.identity, busAddress: "unix:path=/nonexistent/bus")
        let bridge = RemoteControlBridge(player: player, remote: remote)
        await bridge.start()
        try await bridge.perform(.play)
        await bridge.close()
    }

    @Test("a name that the bus refuses is requested again", .timeLimit(.minutes(1))) func refusedName() async throws {
        let bus = try PrivateBus()
        let presence = BusPresence(
            address: bus.address, name: "no name", path: MPRISName.path, logger: NoopLogger())
        presence.show(MPRISObject(RemoteStage.identity, emitter: presence))
        // There is no name at the beginning, and at the end of each connection.
        var ends = 0
        for await name in presence.nameUpdates {
            #expect(name == nil)
            ends += 1
            if ends == 3 { break }
        }
        await presence.close()
    }

    @Test("a presence that is closed while it connects is released", .timeLimit(.minutes(1)))
    func closedWhileConnecting() async throws {
        struct Weak { weak var presence: BusPresence? }
        let bus = try PrivateBus()
        var presences: [Weak] = []
        for _ in 0..<200 {
            let presence = BusPresence(
                address: bus.address, name: "test", path: MPRISName.path, logger: NoopLogger())
            presences.append(Weak(presence: presence))
            presence.show(MPRISObject(RemoteStage.identity, emitter: presence))
            await presence.close()
        }
        // Its thread ends a moment later.
        while !Task.isCancelled, presences.contains(where: { $0.presence != nil }) { await Task.yield() }
        #expect(presences.filter { $0.presence != nil }.isEmpty)
    }

    @Test("work that comes after the end of a bus's thread is released", .timeLimit(.minutes(1)))
    func postedAfterTheEnd() async throws {
        struct Weak { weak var thread: BusThread? }
        /// Ends a stream when it is released.
        final class Work: Sendable {
            let runs: AsyncStream<Void>.Continuation
            init(_ runs: AsyncStream<Void>.Continuation) { self.runs = runs }
            deinit { runs.finish() }
        }
        func runs(on thread: BusThread) async -> Bool {
            let (stream, runs) = AsyncStream<Void>.makeStream()
            thread.post { [work = Work(runs)] in work.runs.yield() }
            for await _ in stream { return true }
            return false
        }
        var thread: BusThread? = BusThread(name: "ended")
        let released = Weak(thread: thread)
        thread?.stop()
        while let thread, await runs(on: thread) {}
        thread?.post { [thread] in thread?.stop() }
        thread = nil
        while !Task.isCancelled, released.thread != nil { await Task.yield() }
        #expect(released.thread == nil)
    }

    @Test("the address of the session bus is read from the environment") func address() throws {
        #expect(BusAddress.session(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/a"]) == "unix:path=/a")
        #expect(BusAddress.session(["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": "/run"]) == nil)
        #expect(BusAddress.session(["XDG_RUNTIME_DIR": "/nonexistent"]) == nil)
        #expect(BusAddress.session([:]) == nil)
        let folder = try TemporaryDirectory()
        try folder.write(Data(), to: "bus")
        // The same folder from wherever the tests run.
        let relative = "\(String(repeating: "../", count: 64))\(folder.url.path.dropFirst())"
        #expect(FileManager.default.fileExists(atPath: relative + "/bus"))
        #expect(BusAddress.session(["XDG_RUNTIME_DIR": relative]) == nil)
        let address = BusAddress.session(["XDG_RUNTIME_DIR": folder.url.path])
        #expect(address == "unix:path=\(folder.url.path)/bus")
    }

    @Test("cleared metadata has no track and no actions, but a valid track identifier")
    func cleared() async throws {
        let player = ScriptedPlayer()
        // Cleared before the bridge follows the player, so that it publishes nothing later.
        try await player.perform(.play)
        let stage = try await RemoteStage(player)
        let view = try await stage.view()
        #expect(try await view.get("PlaybackStatus") == .string("Playing"))
        stage.remote.clear()
        _ = try await view.wait { try await $0.get("CanPlay") == .bool(false) }
        #expect(try await view.get("Metadata") == .dictionary(["mpris:trackid": .path(MPRISName.noTrack)]))
        #expect(try await view.get("PlaybackStatus") == .string("Stopped"))
        #expect(try await view.get("Tracks", MPRISName.trackList) == .paths([]))
        #expect(try await view.get("LoopStatus") == .string("None"))
        #expect(try await view.get("Shuffle") == .bool(false))
        await stage.bridge.close()
    }

    @Test("a player that is released disappears from the bus") func released() async throws {
        let bus = try PrivateBus()
        let client = try await BusClient(bus.address)
        let remote = MPRISRemote(identity: RemoteStage.identity, busAddress: bus.address)
        let changes = client.heard.stream(buffer: .bounded(1000)).numbered
        do {
            let player = ScriptedPlayer()
            let bridge = RemoteControlBridge(player: player, remote: remote)
            await bridge.start()
            _ = try await RemoteStage.ownedName(of: remote)
        }
        // The bridge closes the remote control, and the bus reports that the name has no owner.
        for await heard in changes
        where heard.event.signal.name == "NameOwnerChanged"
            && heard.event.signal.arguments.first == .string("org.mpris.MediaPlayer2.descant_test")
            && heard.event.signal.arguments.last == .string("")
        { return }
    }

    @Test("stop precedes waiting commands, which are refused") func stopOvertakes() async throws {
        let slow = SlowTarget()
        let queue = RemoteCommandQueue()
        queue.connect(to: slow)
        let (answers, feed) = AsyncStream.makeStream(of: String.self)
        queue.submit(.next) { feed.yield("next \($0.isSuccess)") }
        await slow.waitUntilBusy()
        queue.submit(.previous) { feed.yield("previous \($0.isSuccess)") }
        queue.submit(.stop) { feed.yield("stop \($0.isSuccess)") }
        var heard: Set<String> = []
        for await answer in answers {
            heard.insert(answer)
            if heard.count == 3 { break }
        }
        #expect(heard == ["next false", "previous false", "stop true"])
        #expect(await slow.done == [.stop])
    }

    @Test("no command waits for one that opens something, and stop ends that one", .timeLimit(.minutes(1)))
    func openingHoldsNothingUp() async throws {
        let slow = SlowTarget()
        let queue = RemoteCommandQueue()
        queue.connect(to: slow)
        let (answers, feed) = AsyncStream.makeStream(of: String.self)
        queue.submit(.open(URL(fileURLWithPath: "/list.m3u"))) { feed.yield("open \($0.isSuccess)") }
        await slow.waitUntilBusy()
        var answer = answers.makeAsyncIterator()
        queue.submit(.pause) { feed.yield("pause \($0.isSuccess)") }
        #expect(await answer.next() == "pause true")
        queue.submit(.stop) { feed.yield("stop \($0.isSuccess)") }
        #expect(await Set([answer.next(), answer.next()]) == ["open false", "stop true"])
        #expect(await slow.done == [.pause, .stop])
    }

    @Test("the host can restrict, replace and handle commands and Quit")
    func options() async throws {
        let player = ScriptedPlayer()
        let (quits, feed) = AsyncStream.makeStream(of: Void.self)
        let options = RemoteControlOptions(
            allowed: RemoteAbilities.all.subtracting(.next), quit: { feed.yield() },
            shouldPerform: { command in
                if command == .pause { throw CoreError.unsupported("not now") }
                return command != .setVolume(0.5)
            })
        let stage = try await RemoteStage(player, options: options)
        let view = try await stage.view()
        try await view.player("Play")
        #expect(try await view.get("CanGoNext") == .bool(false))
        try await view.player("Next")
        #expect(try await view.get("Metadata").dictionary?["xesam:title"] == .string("Track 1"))
        await #expect(throws: BusError.self) { try await view.player("Pause") }
        try await view.set("Volume", .double(0.5))
        #expect(try await view.get("Volume") == .double(1))
        #expect(try await view.get("CanQuit", MPRISName.root) == .bool(true))
        _ = try await view.call(MPRISName.root, "Quit")
        var iterator = quits.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        await stage.bridge.close()
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

/// Every command except pause and stop waits until it is cancelled.
private actor SlowTarget: RemoteCommandTarget {
    private(set) var done: [RemoteCommand] = []
    private let busy = EventHub<Bool>(initial: false)

    func waitUntilBusy() async { for await isBusy in busy.stream(buffer: .newest) where isBusy { return } }

    func perform(_ command: RemoteCommand) async throws {
        if command != .stop, command != .pause {
            busy.post(true)
            for await _ in AsyncStream<Void>(unfolding: { try? await Task.sleep(for: .seconds(3600)) }) {
                if Task.isCancelled { break }
            }
            try Task.checkCancellation()
        }
        done.append(command)
    }

    var remotePosition: Double { 0 }
}
