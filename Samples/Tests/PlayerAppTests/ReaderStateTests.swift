import Foundation
import PlayerApp
import Testing

@MainActor
struct ReaderStateTests {
    private let book = Book(
        title: "Mill", text: "One.\n\nTwo is é. Three.", paragraphs: [0..<4, 6..<23], headings: [0],
        sentences: [0..<4, 6..<16, 17..<23], chapters: [Book.Chapter(title: "Two", start: 6)])

    /// A state after updates of a reader.
    private func state(_ updates: [ReaderUpdate], reader: FakeReader = FakeReader()) async -> ReaderState {
        let state = ReaderState(reader: reader, book: book)
        for update in updates { reader.feed.yield(update) }
        reader.feed.finish()
        await state.follow()
        return state
    }

    @Test func sentencesParagraphsAndChaptersAreFound() async {
        let start = await state([.place(0, word: nil)])
        #expect(start.sentence == 0..<4 && start.chapter == nil && start.share == 0)
        let middle = await state([.place(10, word: 10..<12)])
        #expect(middle.sentence == 6..<16 && middle.chapter == "Two" && middle.word == 10..<12)
        // A place between two sentences belongs to the next one; there is none after the last.
        #expect(await state([.place(4, word: nil)]).sentence == 6..<16)
        let end = await state([.place(99, word: nil)])
        #expect(end.sentence == nil && end.share == 1 && end.place == 23 && end.isDone)
        #expect(book.characterOffset(of: 17) == 16 && book.characterOffset(of: 23) == 22)
    }

    @Test func remainingTimeDependsOnTheSpeed() async {
        let updates: [ReaderUpdate] = [.time(20, duration: 80, isEstimated: true)]
        #expect(await state(updates).remaining == 60)
        let fast = await state(updates + [.rate(2)])
        #expect(fast.remaining == 30 && fast.isEstimated)
        #expect(await state([]).remaining == nil)
        #expect(await state([.time(90, duration: 80, isEstimated: false)]).remaining == 0)
    }

    @Test func intentsBecomeCommands() async {
        let reader = FakeReader()
        let state = ReaderState(reader: reader, book: book, rate: 3.95)
        for intent: ReaderIntent in [
            .togglePause, .move(.sentence, forward: true), .move(.chapter, forward: false), .changeRate(0.1),
            .changeVolume(-0.05), .changeVolume(-0.05), .changeVolume(1), .nextEngine, .nextVoice,
        ] { await state.send(intent) }
        #expect(
            reader.commands == [
                "pause", "next sentence", "previous chapter", "rate 4.0", "volume 0.95", "volume 0.9", "volume 1.0",
                "engine", "voice",
            ])
        await state.send(.toggleHelp)
        #expect(state.showsHelp && !state.isDone && state.notices.kept.isEmpty)
        await state.send(.quit)
        #expect(state.isDone)
    }

    @Test func aMutedReaderHasTheVolumeFromBeforeAfterwards() async {
        let reader = FakeReader()
        let state = ReaderState(reader: reader, book: book)
        for intent: ReaderIntent in [.changeVolume(-0.2), .toggleMute] { await state.send(intent) }
        state.apply(.volume(0.8))
        state.apply(.volume(0))
        #expect(state.isMuted && state.volume == 0.8)
        await state.send(.toggleMute)
        state.apply(.volume(0))
        #expect(!state.isMuted && state.volume == 0.8)
        // Any change of the volume ends it, also one by another program.
        for intent: ReaderIntent in [.toggleMute, .changeVolume(-0.05)] { await state.send(intent) }
        #expect(!state.isMuted && state.volume == 0.75)
        #expect(
            reader.commands == ["volume 0.8", "volume 0.0", "volume 0.8", "volume 0.0", "volume 0.75"])
        await state.send(.toggleMute)
        state.apply(.volume(0.3))
        #expect(!state.isMuted && state.volume == 0.3)
    }

    @Test func refusalsBecomeNotices() async {
        let state = ReaderState(
            reader: FakeReader(refusal: "there is no other engine"), book: book,
            notices: [Notice(.information, "going on at 5%")])
        #expect(state.notices.count == 1)
        await state.send(.nextEngine)
        #expect(state.notices.shown == Notice(.warning, "there is no other engine") && state.notices.count == 2)
        await state.send(.changeRate(0.1))
        #expect(state.rate == 1)
    }

    /// Each value is reported after two more steps, and at first the one that was there before.
    @Test func quickStepsAddUpAlthoughTheReaderReportsLate() async {
        let reader = FakeReader()
        let state = ReaderState(reader: reader, book: book)
        let rates = (0...10).map { Double(100 + 10 * $0) / 100 }
        let volumes = (0...10).map { Double(100 - 5 * $0) / 100 }
        for step in 1...13 {
            if step <= 10 {
                await state.send(.changeRate(0.1))
                await state.send(.changeVolume(-0.05))
            }
            state.apply(.rate(rates[max(0, step - 3)]))
            state.apply(.volume(volumes[max(0, step - 3)]))
            #expect(state.rate == rates[min(10, step)] && state.volume == volumes[min(10, step)])
        }
        #expect(reader.commands.count == 20 && reader.commands.suffix(2) == ["rate 2.0", "volume 0.5"])
        // What another program sets afterwards is taken over, also a value that was there before.
        state.apply(.rate(1.1))
        state.apply(.volume(1))
        #expect(state.rate == 1.1 && state.volume == 1)
    }

    // MARK: The sleep timer

    /// A state that reads, with a timer.
    private func sleepy(_ setting: SleepSetting, _ reader: FakeReader) -> ReaderState {
        let state = ReaderState(reader: reader, book: book, rate: 2)
        state.setSleep(setting)
        state.apply(.activity(.playing))
        return state
    }

    @Test func theReadingPausesBehindTheSentenceInWhichTheTimeIsOver() async {
        let reader = FakeReader()
        let state = sleepy(.after(minutes: 1), reader)
        #expect(state.sleepRemaining == 60)
        // At twice the speed, two seconds of the book are one. Moves, and what is told in a pause, are not counted.
        state.apply(.time(2, duration: 400, isEstimated: true))
        #expect(state.sleepRemaining == 59)
        state.apply(.time(90, duration: 400, isEstimated: true))
        state.apply(.activity(.paused))
        state.apply(.time(92, duration: 400, isEstimated: true))
        state.apply(.time(90, duration: 400, isEstimated: true))
        #expect(state.sleepRemaining == 59)
        state.apply(.activity(.playing))
        for step in 1...59 { state.apply(.time(90 + 2 * Double(step), duration: 400, isEstimated: true)) }
        #expect(state.sleepRemaining == 0 && !state.isAsleep && reader.commands.isEmpty)
        state.apply(.place(2, word: 2..<3))
        #expect(!state.isAsleep)
        state.apply(.place(6, word: nil))
        #expect(state.isAsleep && state.sleep == .off && state.sleepRemaining == nil)
        #expect(state.notices.shown?.text == "the sleep timer has paused the reading; space reads on")
        while reader.commands.isEmpty { await Task.yield() }
        #expect(reader.commands == ["hold"])
        // What comes behind the sentence and in front of the pause.
        for activity in [PlayerActivity.playing, .preparing, .playing] { state.apply(.activity(activity)) }
        #expect(state.isAsleep)
        state.apply(.activity(.paused))
        #expect(state.isAsleep)
        state.apply(.activity(.playing))
        state.apply(.place(17, word: nil))
        #expect(!state.isAsleep && reader.commands == ["hold"])
    }

    @Test func theReadingPausesBehindTheChapter() async {
        let reader = FakeReader()
        let state = sleepy(.endOfTrack, reader)
        #expect(state.sleepRemaining == nil)
        // Who moves into another chapter is awake, and so is who goes back.
        state.apply(.place(17, word: nil))
        state.apply(.place(0, word: nil))
        #expect(!state.isAsleep && state.sleep == .endOfTrack)
        state.apply(.place(6, word: nil))
        #expect(state.isAsleep && state.sleep == .off)
        while reader.commands.isEmpty { await Task.yield() }
        #expect(reader.commands == ["hold"])
    }

    @Test func theKeyGoesThroughTheSettings() async {
        let state = ReaderState(reader: FakeReader(), book: book)
        var settings: [SleepSetting] = []
        for _ in 0..<6 {
            await state.send(.changeSleep)
            settings.append(state.sleep)
        }
        #expect(settings == [15, 30, 60, 90].map { .after(minutes: $0) } + [.endOfTrack, .off])
        #expect(state.notices.kept.isEmpty)
    }
}
