import DescantCore
import Testing

@testable import DescantDesktop

@Suite("Order of remote commands", .timeLimit(.minutes(1)))
struct RemoteCommandQueueTests {
    private let target = HoldingTarget()
    private let queue = RemoteCommandQueue()

    init() { queue.connect(to: target) }

    /// Submits commands, the first of which runs, and a stop that ends them.
    ///
    /// - Returns: What the target was given.
    private func begun(_ commands: [RemoteCommand]) async -> [RemoteCommand] {
        let (answers, feed) = AsyncStream.makeStream(of: RemoteCommand.self)
        for command in commands {
            queue.submit(command) { _ in }
            if command == commands.first { await target.wait(for: [command]) }
        }
        queue.submit(.stop) { _ in feed.yield(.stop) }
        for await _ in answers { break }
        return await target.begun
    }

    @Test(
        "Pause and PlayPause do not wait for a command that opens a file",
        arguments: [RemoteCommand.play, .togglePlayPause, .next, .previous], [RemoteCommand.pause, .togglePlayPause])
    func pauseOvertakes(opening: RemoteCommand, pause: RemoteCommand) async {
        // A start need not be shown as playing.
        queue.note(isPlaying: opening == .next || opening == .previous)
        queue.submit(opening) { _ in }
        await target.wait(for: [opening])
        queue.submit(.setVolume(0.5)) { _ in }
        queue.submit(pause) { _ in }
        await target.wait(for: [opening, pause])
        #expect(await target.begun == [opening, pause])
        queue.close()
    }

    @Test("the next command waits for a pause that has overtaken another one")
    func commandsBehindAPause() async {
        queue.submit(.play) { _ in }
        await target.wait(for: [.play])
        queue.submit(.pause) { _ in }
        await target.wait(for: [.play, .pause])
        queue.submit(.setVolume(0.5)) { _ in }
        await target.release(.play)
        // The volume would be set by then. If it is not, the test does not see what it looks for.
        for _ in 0..<1_000 { await Task.yield() }
        #expect(await target.begun == [.play, .pause])
        await target.release(.pause)
        await target.wait(for: [.play, .pause, .setVolume(0.5)])
        #expect(await target.begun == [.play, .pause, .setVolume(0.5)])
        queue.close()
    }

    @Test("a pause waits for a command before it that plays")
    func pauseKeepsItsPlace() async {
        #expect(await begun([.next, .play, .pause]) == [.next, .stop])
    }

    @Test("PlayPause waits for one that pauses, and for a paused player's next track")
    func playKeepsItsPlace() async {
        #expect(await begun([.next, .togglePlayPause]) == [.next, .stop])
        queue.note(isPlaying: true)
        await target.forget()
        #expect(await begun([.togglePlayPause, .togglePlayPause]) == [.togglePlayPause, .stop])
    }
}

/// Every command except stop waits until it is released or cancelled.
private actor HoldingTarget: RemoteCommandTarget {
    private(set) var begun: [RemoteCommand] = []
    private var held: [RemoteCommand: AsyncStream<Void>.Continuation] = [:]
    private let changes = EventHub<[RemoteCommand]>(initial: [])

    /// Waits until the target was given these commands.
    func wait(for commands: [RemoteCommand]) async {
        for await begun in changes.stream(buffer: .newest) where begun == commands { return }
    }

    func release(_ command: RemoteCommand) { held[command]?.finish() }

    func forget() {
        begun = []
        changes.post([])
    }

    func perform(_ command: RemoteCommand) async throws {
        let (ending, end) = AsyncStream.makeStream(of: Void.self)
        held[command] = end
        begun.append(command)
        changes.post(begun)
        if command == .stop { return }
        // Cancellation ends the stream, too.
        for await _ in ending {}
        try Task.checkCancellation()
    }

    var remotePosition: Double { 0 }
}
