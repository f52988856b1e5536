import Descant
import DescantTesting
import Dispatch
import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

/// The reader with a synthesizer of the tests.
struct ReaderPlaybackTests {
    private let shelf: Shelf

    init() throws { shelf = try Shelf() }

    /// A reader that is stopped while the voice is set up keeps the stored place.
    @Test(.timeLimit(.minutes(2))) func stopDuringVoiceSetupKeepsThePlace() async throws {
        let book = try shelf.load("One is short. Two is not longer. Three ends.").book
        let place = book.sentences[1].lowerBound
        let plugins = PluginRegistry(searchPath: [])
        plugins.register(.speechSynthesizer("tones") { ToneSynthesizer() })
        let gate = LoadingGate()
        var request = ReadRequest(book: book, source: nil, settings: .init(), output: .null)
        request.start = place
        request.isRemoteControlled = false
        let positions = ReadingPositions(folder: shelf.folder.appendingPathComponent("places"))
        request.positions = positions
        let reader = try ReaderPlayback(request, environment: AudioEnvironment(plugins: plugins, logger: gate))
        let starting = Task { try await reader.start() }
        await gate.reached()
        #expect(await reader.heard() == place)
        gate.open()
        await reader.stop()
        _ = await starting.result
        #expect(positions.position(of: book, source: nil).position?.offset ?? 0 >= place)
    }

    /// A book that is opened again begins where it was left, at the speed and the volume of the last time.
    @Test(.timeLimit(.minutes(2))) func aShelfOpensABookWhereItWasLeft() async throws {
        let file = try shelf.put(
            Data("One is short. Two is not longer. Three goes on for a while. Four ends.".utf8), as: "book.txt")
        let plugins = PluginRegistry(searchPath: [])
        plugins.register(.speechSynthesizer("tones") { ToneSynthesizer() })
        let books = BookShelf(
            environment: AudioEnvironment(plugins: plugins), output: .null,
            positions: ReadingPositions(folder: shelf.folder.appendingPathComponent("places")), player: { nil })
        let first = try await books.open([file])
        #expect(first.place == 0 && first.notices.isEmpty && first.book.sentences.count == 4)
        try await first.reader.start()
        for await update in first.reader.updates {
            guard case .voices(let voices) = update else { continue }
            #expect(!voices.isEmpty)
            break
        }
        await first.reader.pause()
        try await first.reader.setRate(2)
        await first.reader.setVolume(0.5)
        try await first.reader.go(to: first.book.sentences[2].lowerBound)
        await first.reader.stop()
        let second = try await books.open([file])
        #expect(second.place == first.book.sentences[2].lowerBound)
        try await second.reader.start()
        for await update in second.reader.updates { if update == .volume(0.5) { break } }
        await second.reader.stop()
        let lost = shelf.folder.appendingPathComponent("lost.txt")
        await #expect(throws: InputError(description: "\(lost.path): there is no such file")) {
            _ = try await books.open([lost])
        }
    }

    /// A voice that was removed since the last reading is told, and not stored again.
    @Test(.timeLimit(.minutes(2))) func aBookWhoseVoiceIsGoneIsReadWithAnother() async throws {
        let book = try shelf.load("One is short. Two is not longer. Three ends.").book
        let plugins = PluginRegistry(searchPath: [])
        plugins.register(.speechSynthesizer("tones") { ToneSynthesizer() })
        var request = ReadRequest(book: book, source: nil, settings: .init(), output: .null)
        request.isRemoteControlled = false
        let positions = ReadingPositions(folder: shelf.folder.appendingPathComponent("places"))
        request.positions = positions
        let kept = ReadingPosition(
            offset: book.sentences[1].lowerBound, in: book, identity: ReadingPosition.identity(of: book), source: nil,
            engine: "tones", voice: "gone")
        request.resume(kept, engines: ["tones"])
        let reader = try ReaderPlayback(request, environment: AudioEnvironment(plugins: plugins))
        try await reader.start()
        var warnings: [String] = []
        for await update in reader.updates {
            if case .notice(let notice) = update { warnings.append(notice.text) }
            // The last activity before sound; a view ends at a failure.
            #expect(update != .activity(.failed))
            if update == .activity(.playing) { break }
        }
        #expect(warnings == ["tones has no voice gone any more; its default voice reads"])
        await reader.pause()
        await reader.stop()
        let stored = try #require(positions.position(of: book, source: nil).position)
        #expect(stored.engine == "tones" && stored.voice == nil && stored.offset >= kept.offset)
    }

    /// A line of asterisks is a paragraph without a sentence.
    @Test(.timeLimit(.minutes(2))) func movingBackByParagraphPassesASceneBreak() async throws {
        let book = try shelf.load("One is short.\n\n* * *\n\nTwo is not longer.").book
        try #require(book.paragraphs.count == 3 && book.sentences.count == 2)
        let plugins = PluginRegistry(searchPath: [])
        plugins.register(.speechSynthesizer("tones") { ToneSynthesizer() })
        var request = ReadRequest(book: book, source: nil, settings: .init(), output: .null)
        request.isRemoteControlled = false
        let reader = try ReaderPlayback(request, environment: AudioEnvironment(plugins: plugins))
        try await reader.start()
        await reader.pause()
        try await reader.go(to: book.sentences[1].lowerBound)
        #expect(await reader.heard() == book.sentences[1].lowerBound)
        try await reader.move(by: .paragraph, forward: false)
        #expect(await reader.heard() == 0)
        try await reader.move(by: .paragraph, forward: true)
        #expect(await reader.heard() == book.sentences[1].lowerBound)
        await reader.stop()
    }

    /// A reader that goes back from the end of the book keeps that place.
    @Test(.timeLimit(.minutes(2))) func goingBackFromTheEndKeepsThePlace() async throws {
        let book = try shelf.load("One is short. Two is not longer. Three ends.").book
        let plugins = PluginRegistry(searchPath: [])
        plugins.register(.speechSynthesizer("tones") { ToneSynthesizer() })
        var request = ReadRequest(book: book, source: nil, settings: .init(), output: .null)
        request.isRemoteControlled = false
        let positions = ReadingPositions(folder: shelf.folder.appendingPathComponent("places"))
        request.positions = positions
        let reader = try ReaderPlayback(request, environment: AudioEnvironment(plugins: plugins))
        try await reader.start()
        for await update in reader.updates { if case .finished = update { break } }
        #expect(await reader.heard() == book.length)
        let place = book.sentences[1].lowerBound
        try await reader.go(to: place)
        #expect(await reader.heard() == place)
        #expect(await reader.controller.state.activity == .paused)
        try await reader.move(by: .sentence, forward: true)
        #expect(await reader.heard() == book.sentences[2].lowerBound)
        await reader.stop()
        #expect(positions.position(of: book, source: nil).position?.offset == book.sentences[2].lowerBound)
    }

    /// A paused reader that repeats its book is paused at the beginning when a remote control moves it behind the end.
    @Test(.timeLimit(.minutes(2))) func aPausedReaderThatRepeatsStaysPaused() async throws {
        // Long, so that it does not come to its end before it is paused.
        let book = try shelf.load("One is short. " + String(repeating: "Two goes on for a while. ", count: 100)).book
        let plugins = PluginRegistry(searchPath: [])
        plugins.register(.speechSynthesizer("tones") { ToneSynthesizer() })
        var request = ReadRequest(book: book, source: nil, settings: .init(), output: .null)
        request.isRemoteControlled = false
        let reader = try ReaderPlayback(request, environment: AudioEnvironment(plugins: plugins))
        try await reader.start()
        await reader.pause()
        try await reader.remote.perform(.setRepeat(.track))
        let states = reader.controller.updates.buffered(.bounded(64)).numbered
        try await reader.remote.perform(.seek(by: 1_000))
        var isAtEnd = false
        for await state in states {
            isAtEnd = isAtEnd || state.event.activity == .finished
            if isAtEnd, state.event.activity == .paused { break }
        }
        // A reader that went on would do so at once.
        for _ in 0..<500 { try #require(await reader.controller.state.activity == .paused) }
        #expect(await reader.heard() == 0)
        try await reader.togglePause()
        #expect(await reader.controller.state.activity != .paused)
        await reader.stop()
    }

    @Test func missingSynthesizerIsNamedInTheError() throws {
        let plugins = PluginRegistry(searchPath: [])
        #expect(throws: InputError(description: "no plugin provides the synthesizer tones; there are: none")) {
            try SynthesizerChoice("tones", in: plugins)
        }
        #expect(throws: InputError.self) { try SynthesizerChoice(nil, in: plugins) }
        plugins.register(.speechSynthesizer("tones") { ToneSynthesizer() })
        #expect(try SynthesizerChoice(nil, in: plugins).name == "tones")
        #expect(try SynthesizerChoice("tones", in: plugins).name == "tones")
    }
}

/// Blocks a speech engine while it loads a text, in a call of its logger.
private final class LoadingGate: LoggerPort {
    private let barrier = DispatchSemaphore(value: 0)
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init() { (arrivals, arrival) = AsyncStream.makeStream() }

    func debug(_ message: @autoclosure () -> String) {}
    func info(_ message: @autoclosure () -> String) {}
    func warn(_ message: @autoclosure () -> String) {}
    func error(_ message: @autoclosure () -> String) {}

    func record(_ event: @autoclosure () -> LogRecord) {
        guard event().name == "speech.prepare" else { return }
        arrival.yield()
        // A request to the engine is answered only after this limit.
        _ = barrier.wait(timeout: .now() + 100)
    }

    func reached() async { for await _ in arrivals { return } }

    func open() { barrier.signal() }
}
