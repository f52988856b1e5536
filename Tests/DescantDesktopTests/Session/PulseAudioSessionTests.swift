import DescantCore
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

@testable import DescantDesktop

/// The adapter on real servers with real programs that play. One of them represents this process where a test needs own
/// streams.
@Suite("Audio session on real servers", .serialized)
struct PulseAudioSessionTests {
    /// - Parameter limit: The time limit of a connection, which is longer than usual for busy machines.
    private func session(
        on address: String, as player: ForeignPlayer? = nil, clock: any ClockPort = MonotonicClock(),
        limit: Double = 60
    ) -> PulseAudioSession {
        let process = player.map { ProcessName(identifier: $0.identifier, host: nil) } ?? .own
        return PulseAudioSession(server: address, clock: clock, process: process, limit: limit)
    }

    private func route(_ events: [AudioSessionEvent]) -> [String] {
        events.compactMap { event in
            guard case .routeChanged(let route, let reason) = event else { return nil }
            return "\(reason) \(route.outputs.map(\.identifier).joined(separator: ","))"
        }
    }

    @Test("The contract of sessions", arguments: PrivateSoundServer.Kind.allCases)
    func contract(kind: PrivateSoundServer.Kind) async throws {
        let server = try PrivateSoundServer(kind)
        let contract = AudioSessionContract(port: session(on: server.address), bench: server, limit: 60)
        let findings = try await contract.findings()
        #expect(findings.isEmpty, "\(findings)")
    }

    // MARK: Connecting

    @Test(
        "There is no connection before activation and after deactivation", arguments: PrivateSoundServer.Kind.allCases)
    func connections(kind: PrivateSoundServer.Kind) async throws {
        let server = try PrivateSoundServer(kind)
        let session = session(on: server.address)
        #expect(try server.control.connectionCount(of: getpid()) == 0)
        #expect(await session.situation == AudioSessionSnapshot())
        try await session.activate(AudioSessionConfiguration())
        #expect(try server.control.connectionCount(of: getpid()) == 1)
        let situation = await session.situation
        #expect(situation.isServerAvailable)
        #expect(situation.route.outputs.map(\.identifier) == [PrivatePulseServer.defaultSink])
        #expect(situation.foreignStreams.isEmpty && situation.ownStreamCount == 0)
        try await session.activate(AudioSessionConfiguration(role: .speech))
        #expect(try server.control.connectionCount(of: getpid()) == 1, "activating twice connects once")
        await session.deactivate()
        // A deactivation waits for the end of the connection 1 s at most.
        #expect(await settles { (try? server.control.connectionCount(of: getpid())) == 0 })
        #expect(await session.situation == AudioSessionSnapshot())
        await session.deactivate()
    }

    @Test("A released session leaves no connection")
    func dropped() async throws {
        let server = try PrivateSoundServer(.pulseAudio)
        do {
            let session = session(on: server.address)
            try await session.activate(AudioSessionConfiguration())
        }
        let watcher = session(on: server.address)
        try await watcher.activate(AudioSessionConfiguration())
        // The released session closes its connection on another thread.
        #expect(await settles { (try? server.control.connectionCount(of: getpid())) == 1 })
        await watcher.deactivate()
    }

    @Test("Concurrent activations and deactivations complete")
    func storm() async throws {
        let server = try PrivateSoundServer(.pulseAudio)
        let session = session(on: server.address)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    if number.isMultiple(of: 3) {
                        await session.deactivate()
                    } else {
                        // Refused when a deactivation comes in between.
                        try? await session.activate(AudioSessionConfiguration())
                    }
                }
            }
        }
        // A busy server refuses connections while its backlog is full.
        #expect(await settles { (try? await session.activate(AudioSessionConfiguration())) != nil })
        #expect(await settles { (try? server.control.connectionCount(of: getpid())) == 1 })
        await session.deactivate()
        #expect(await settles { (try? server.control.connectionCount(of: getpid())) == 0 })
    }

    // MARK: Missing and frozen servers

    @Test("The error for a missing server has its address and the remedy")
    func noServer() async throws {
        let session = session(on: "unix:/nonexistent/native")
        let error = await #expect(throws: CoreError.self) {
            try await session.activate(AudioSessionConfiguration())
        }
        #expect(error?.code == "ioError")
        #expect(error?.message.contains("unix:/nonexistent/native") == true)
        #expect(error?.message.contains("Connection refused") == true)
        #expect(error?.message.contains("pulseaudio --start") == true)
        #expect(await session.situation == AudioSessionSnapshot())
    }

    @Test("The error for a refused connection has the address and the reason")
    func refusingServer() async throws {
        let server = try PrivateSoundServer(.pulseAudio)
        let cookie = try TemporaryDirectory()
        try cookie.write(Data(repeating: 7, count: 256), to: "cookie")
        // A port below the range of ephemeral ports.
        let port = 20_000 + Int(getpid() % 12_000)
        _ = try server.control.load([
            "module-native-protocol-tcp", "listen=127.0.0.1", "port=\(port)",
            "auth-cookie=\(cookie.file("cookie").path)",
        ])
        let session = session(on: "tcp:127.0.0.1:\(port)")
        let error = await #expect(throws: CoreError.self) {
            try await session.activate(AudioSessionConfiguration())
        }
        #expect(error?.message.contains("tcp:127.0.0.1:\(port): Access denied") == true)
        #expect(error?.message.contains("cookie") == true)
    }

    @Test("Activation on a frozen server times out, and works after it resumes")
    func frozenServer() async throws {
        let server = try PrivatePulseServer()
        let session = session(on: server.address, limit: PulseAudioSession.answerLimit)
        server.freeze()
        let second = Task { try await session.activate(AudioSessionConfiguration()) }
        let error = await #expect(throws: CoreError.self) {
            try await session.activate(AudioSessionConfiguration())
        }
        #expect(error?.message.contains("no answer within") == true)
        #expect(error?.message.contains(server.address) == true)
        await #expect(throws: CoreError.self) { try await second.value }
        server.thaw()
        // A busy server may exceed the limit once more.
        #expect(await settles { (try? await session.activate(AudioSessionConfiguration())) != nil })
        await session.deactivate()
    }

    @Test("Deactivation cancels an activation that waits for a frozen server, and returns at once")
    func deactivatedWhileFrozen() async throws {
        let server = try PrivatePulseServer()
        let session = session(on: server.address)
        server.freeze()
        let outcome = Promise<CoreError?>()
        Task {
            do {
                try await session.activate(AudioSessionConfiguration())
                outcome.resolve(nil)
            } catch {
                outcome.resolve(error as? CoreError)
            }
        }
        // The attempt must have begun before it can be cancelled.
        while outcome.present == nil {
            await session.deactivate()
            await Task.yield()
        }
        #expect(outcome.present??.code == "invalidState")
        server.thaw()
        try await session.activate(AudioSessionConfiguration())
        server.freeze()
        await session.deactivate()
        server.thaw()
    }

    @Test("The loss and return of a server are one pair of events", arguments: PrivateSoundServer.Kind.allCases)
    func serverLostAndRestored(kind: PrivateSoundServer.Kind) async throws {
        let server = try PrivateSoundServer(kind)
        let session = session(on: server.address)
        let recorder = EventRecorder(reading: session.sessionEvents)
        try await session.activate(AudioSessionConfiguration())
        server.kill()
        let lost = try await recorder.wait { $0.contains { if case .serverLost = $0 { true } else { false } } }
        guard case .serverLost(let reason)? = lost.last else { return }
        #expect(reason.contains(server.address))
        #expect(await session.situation == AudioSessionSnapshot())
        // A client that changes how it plays meanwhile ends nothing.
        await #expect(throws: CoreError.self) { try await session.activate(AudioSessionConfiguration()) }
        try server.start()
        try await recorder.wait { $0 == .serverRestored }
        #expect(await session.situation.isServerAvailable)
        await session.deactivate()
        #expect(recorder.all.count { if case .serverLost = $0 { true } else { false } } == 1)
        #expect(recorder.all.count { $0 == .serverRestored } == 1)
    }

    @Test("There are no reconnects after deactivation")
    func deactivatedWhileLost() async throws {
        let server = try PrivateSoundServer(.pulseAudio)
        let session = session(on: server.address)
        let recorder = EventRecorder(reading: session.sessionEvents)
        try await session.activate(AudioSessionConfiguration())
        server.kill()
        try await recorder.wait { !$0.isEmpty }
        await #expect(throws: CoreError.self) { try await session.activate(AudioSessionConfiguration()) }
        await session.deactivate()
        try server.start()
        try await session.activate(AudioSessionConfiguration())
        #expect(!recorder.all.contains(.serverRestored), "a session that was given up begins anew")
        await session.deactivate()
    }

    // MARK: Others

    @Test(
        "Another program that begins and ends is reported with its name and role",
        arguments: PrivateSoundServer.Kind.allCases)
    func otherPlayer(kind: PrivateSoundServer.Kind) async throws {
        let server = try PrivateSoundServer(kind)
        let session = session(on: server.address)
        let recorder = EventRecorder(reading: session.sessionEvents)
        try await session.activate(AudioSessionConfiguration())
        let player = try ForeignPlayer(on: server.address, name: "jukebox", role: "music")
        try await recorder.wait { $0.contains { if case .streamBegan = $0 { true } else { false } } }
        let situation = await session.situation
        #expect(situation.foreignStreams.map(\.application) == ["jukebox"])
        #expect(situation.foreignStreams.map(\.role) == [.music])
        #expect(situation.isOtherAudioPlaying && situation.secondaryAudioShouldBeSilencedHint)
        player.stop()
        try await recorder.wait { $0.contains { if case .streamEnded = $0 { true } else { false } } }
        #expect(await !session.situation.isOtherAudioPlaying)
        await session.deactivate()
    }

    /// PipeWire may list a stream before it runs, so a later event of its beginning is allowed.
    @Test("Present streams are known after activation", arguments: PrivateSoundServer.Kind.allCases)
    func playingBefore(kind: PrivateSoundServer.Kind) async throws {
        let server = try PrivateSoundServer(kind)
        let first = try ForeignPlayer(on: server.address, name: "ambience")
        while try server.control.streams().isEmpty { await Task.yield() }
        let session = session(on: server.address)
        let recorder = EventRecorder(reading: session.sessionEvents)
        try await session.activate(AudioSessionConfiguration())
        #expect(await settles { await session.situation.isOtherAudioPlaying })
        #expect(await !session.situation.secondaryAudioShouldBeSilencedHint, "it does not say what it plays")
        first.stop()
        try await recorder.wait { $0.contains { if case .streamEnded = $0 { true } else { false } } }
        #expect(recorder.all.count { if case .streamEnded = $0 { true } else { false } } == 1)
        await session.deactivate()
    }

    // MARK: Routes

    @Test(
        "A change of the default device is reported, idle and while playing",
        arguments: PrivateSoundServer.Kind.allCases)
    func defaultChanges(kind: PrivateSoundServer.Kind) async throws {
        let server = try PrivateSoundServer(kind)
        let ours = try ForeignPlayer(on: server.address, name: "us", role: "music")
        // The manual clock does not advance, because PipeWire may move the stream long after the change of the default.
        let session = session(on: server.address, as: ours, clock: ManualClock())
        let recorder = EventRecorder(reading: session.sessionEvents)
        while try server.control.streams().isEmpty { await Task.yield() }
        try await session.activate(AudioSessionConfiguration())
        #expect(await settles { await session.situation.ownStreamCount == 1 })
        try server.control.setDefaultSink(PrivatePulseServer.otherSink)
        try await recorder.wait { self.route($0).contains("defaultChanged headphones") }
        #expect(
            await settles { await session.situation.route.outputs.map(\.identifier) == [PrivatePulseServer.otherSink] })
        ours.stop()
        while try !server.control.streams().isEmpty { await Task.yield() }
        try server.control.setDefaultSink(PrivatePulseServer.defaultSink)
        try await recorder.wait { self.route($0).last == "defaultChanged speakers" }
        // PipeWire may have put the stream on another device before, or put it there in steps.
        if kind == .pulseAudio {
            #expect(route(recorder.all) == ["defaultChanged headphones", "defaultChanged speakers"])
        }
        await session.deactivate()
    }

    /// Whether a condition becomes true within a minute, because PipeWire reports a change in several steps.
    private func settles(_ isSo: () async -> Bool) async -> Bool {
        let limit = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < limit {
            if await isSo() { return true }
            await Task.yield()
        }
        return false
    }

    @Test(
        "A device that is removed while in use is reported as unavailable", arguments: PrivateSoundServer.Kind.allCases)
    func sinkRemoved(kind: PrivateSoundServer.Kind) async throws {
        let server = try PrivateSoundServer(kind)
        let module = try server.control.addSink("bluetooth")
        try server.control.setDefaultSink("bluetooth")
        let ours = try ForeignPlayer(on: server.address, name: "us", role: "music")
        while try server.control.streams().isEmpty { await Task.yield() }
        // The manual clock does not advance, so the removal counts as the cause of a move that is reported long before.
        let session = session(on: server.address, as: ours, clock: ManualClock())
        let recorder = EventRecorder(reading: session.sessionEvents)
        try await session.activate(AudioSessionConfiguration())
        // PipeWire links a stream to a new default a moment after both are there.
        #expect(await settles { await session.situation.route.outputs.map(\.identifier) == ["bluetooth"] })
        try server.control.remove(module)
        let events = try await recorder.wait { $0.contains { self.isGone($0) } }
        #expect(events.count { isGone($0) } == 1, "\(events)")
        let outputs = await session.situation.route.outputs.map(\.identifier)
        #expect(outputs == [PrivatePulseServer.defaultSink] || outputs == [PrivatePulseServer.otherSink])
        await session.deactivate()
        ours.stop()
    }

    private func isGone(_ event: AudioSessionEvent) -> Bool {
        if case .routeChanged(_, .oldDeviceUnavailable) = event { true } else { false }
    }

    @Test("A new device that is used is reported as new", arguments: PrivateSoundServer.Kind.allCases)
    func sinkAdded(kind: PrivateSoundServer.Kind) async throws {
        let server = try PrivateSoundServer(kind)
        // The manual clock does not advance, so the device counts as new however long the change of the default takes.
        let session = session(on: server.address, clock: ManualClock())
        let recorder = EventRecorder(reading: session.sessionEvents)
        try await session.activate(AudioSessionConfiguration())
        _ = try server.control.addSink("bluetooth")
        try server.control.setDefaultSink("bluetooth")
        let events = try await recorder.wait { self.route($0).contains { $0.hasSuffix("bluetooth") } }
        // PipeWire's session manager may change the default once more after this report.
        #expect(route(events).last == "newDeviceAvailable bluetooth", "\(events)")
        await session.deactivate()
    }

    // MARK: Calls

    @Test("A call is reported, and is no interruption without role-cork", arguments: PrivateSoundServer.Kind.allCases)
    func callWithoutCork(kind: PrivateSoundServer.Kind) async throws {
        let server = try PrivateSoundServer(kind)
        let ours = try ForeignPlayer(on: server.address, name: "us", role: "music")
        while try server.control.streams().isEmpty { await Task.yield() }
        let session = session(on: server.address, as: ours)
        let recorder = EventRecorder(reading: session.sessionEvents)
        try await session.activate(AudioSessionConfiguration())
        let phone = try ForeignPlayer(on: server.address, name: "phone", role: "phone")
        try await recorder.wait { $0.contains { if case .streamBegan = $0 { true } else { false } } }
        #expect(await session.situation.phoneStreams.map(\.application) == ["phone"])
        phone.stop()
        try await recorder.wait { $0.contains { if case .streamEnded = $0 { true } else { false } } }
        #expect(await session.situation.phoneStreams.isEmpty)
        // PipeWire may still be moving our stream to the default.
        let events = recorder.all.filter { if case .routeChanged = $0 { kind == .pulseAudio } else { true } }
        #expect(events.count == 2, "\(events)")
        await session.deactivate()
        ours.stop()
    }

    @Test("With role-cork a call is an interruption")
    func callWithCork() async throws {
        let server = try PrivatePulseServer(modules: ["module-role-cork"])
        let ours = try ForeignPlayer(on: server.address, name: "us", role: "music")
        while try server.control.streams().isEmpty { await Task.yield() }
        // The manual clock does not advance, so mute and call count as one however late each is reported.
        let session = session(on: server.address, as: ours, clock: ManualClock())
        let recorder = EventRecorder(reading: session.sessionEvents)
        try await session.activate(AudioSessionConfiguration())
        for calls in 1...2 {
            let phone = try ForeignPlayer(on: server.address, name: "phone", role: "phone")
            try await recorder.wait {
                $0.count { if case .interruptionBegan = $0 { true } else { false } } == calls
            }
            #expect(try server.control.streams().first { $0.process == ours.identifier }?.isMuted == true)
            phone.stop()
            try await recorder.wait { $0.count { $0 == .interruptionEnded(shouldResume: true) } == calls }
        }
        await session.deactivate()
        ours.stop()
    }

    @Test("A stream that starts muted during a call is an interruption, which does not end with the stream")
    func bornMuted() async throws {
        let server = try PrivatePulseServer(modules: ["module-role-cork"])
        let phone = try ForeignPlayer(on: server.address, name: "phone", role: "phone")
        while try server.control.streams().isEmpty { await Task.yield() }
        let session = PulseAudioSession(
            server: server.address, clock: MonotonicClock(), process: ProcessName(identifier: -1, host: nil), limit: 60)
        try await session.activate(AudioSessionConfiguration())
        #expect(await session.situation.phoneStreams.count == 1)
        await session.deactivate()
        let ours = try ForeignPlayer(on: server.address, name: "us", role: "music")
        let ourSession = self.session(on: server.address, as: ours)
        let recorder = EventRecorder(reading: ourSession.sessionEvents)
        try await ourSession.activate(AudioSessionConfiguration())
        try await recorder.wait { $0.contains { if case .interruptionBegan = $0 { true } else { false } } }
        ours.stop()
        while try server.control.streams().count > 1 { await Task.yield() }
        #expect(!recorder.all.contains(.interruptionEnded(shouldResume: true)))
        phone.stop()
        try await recorder.wait { $0 == .interruptionEnded(shouldResume: true) }
        await ourSession.deactivate()
    }

    @Test("A mute by the user is not an interruption")
    func mutedByHand() async throws {
        let server = try PrivateSoundServer(.pulseAudio)
        let ours = try ForeignPlayer(on: server.address, name: "us", role: "music")
        while try server.control.streams().isEmpty { await Task.yield() }
        let session = session(on: server.address, as: ours)
        let recorder = EventRecorder(reading: session.sessionEvents)
        try await session.activate(AudioSessionConfiguration())
        let stream = try #require(try server.control.streams().first)
        try server.control.setMuted(true, stream: stream.index)
        let other = try ForeignPlayer(on: server.address, name: "other", role: "video")
        try await recorder.wait { !$0.isEmpty }
        #expect(recorder.all.count == 1, "only the other program is reported: \(recorder.all)")
        await session.deactivate()
        other.stop()
        ours.stop()
    }
}

extension PrivateSoundServer: AudioSessionBench {
    /// Starts a program whose stream has the role.
    public func startOther(_ role: AudioRole) throws { try startOther(role: "\(role)") }
}
