import Descant
import Foundation
import Observation
import PlayerApp
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct FilePlayerTests {
    private static let gate: @Sendable (Bool) -> [String: CoreError] = { isProUser in
        isProUser ? [:] : ["b.flac": .unsupported("b.flac: " + ProFormat.flac.refusal)]
    }

    private let factory: FakeFactory
    private let iap = FakeIAPManager()
    private let clock = ManualClock()
    private let storage = FakeStorage()
    private let state: AppState
    private let following: Task<Void, Never>

    init() {
        factory = FakeFactory(refusals: Self.gate)
        state = AppState(factory: factory, iap: iap, storage: storage, clock: clock)
        following = Task { [state] in await state.follow() }
    }

    private var service: FakeService { get throws { try #require(factory.services.last) } }

    private func load(_ names: String...) async {
        await state.loadFiles(urls: names.map { URL(fileURLWithPath: "/m/\($0)") })
        await until { state.entries.count == state.playlist.tracks.count }
    }

    /// Waits until the state fulfils a condition.
    private func until(_ condition: @escaping @MainActor () -> Bool) async {
        for await isTrue in Observations({ condition() }) where isTrue { return }
    }

    private func playing(_ title: String) async { await until { isPlaying(title) } }

    private func isPlaying(_ title: String) -> Bool { state.activity == .playing && state.current?.title == title }

    private var failures: [String] { state.entries.compactMap(\.failure) }

    // MARK: Playing

    @Test func tracksArePlayedToTheEndOfThePlaylist() async throws {
        await load("a.wav", "c.wav")
        try await state.play()
        await playing("A")
        try service.end()
        await playing("C")
        #expect(state.currentTrack?.url.lastPathComponent == "c.wav")
        try service.end()
        await until { state.hasEnded }
        #expect(state.playbackState == .finished && state.ending == .played)
        #expect(try service.calls.filter { $0.hasPrefix("load") } == ["load a.wav", "load c.wav"])
    }

    @Test func aTrackOfProIsMarkedAndTheRestIsPlayed() async throws {
        await load("a.wav", "b.flac", "c.wav")
        try await state.play()
        await playing("A")
        try service.end()
        await playing("C")
        #expect(failures == ["b.flac: " + ProFormat.flac.refusal])
        #expect(state.entries[1].failure != nil)
        #expect(state.notices.kept.map(\.text) == failures)
        #expect(try !service.isForPro)
    }

    @Test func aTrackThatBreaksInTheMiddleIsMarkedAndTheRestIsPlayed() async throws {
        await load("a.wav", "c.wav")
        try await state.play()
        await playing("A")
        try service.end(.decodeError("a.wav is damaged at 3 s"))
        await playing("C")
        #expect(failures == ["a.wav is damaged at 3 s"])
    }

    @Test(arguments: RepeatSetting.allCases)
    func everyTrackIsTriedOnceWhenNoneCanBePlayed(_ setting: RepeatSetting) async throws {
        await load("b.flac", "b.flac")
        await state.files?.setRepeat(setting)
        try await state.play()
        await until { state.hasEnded }
        #expect(state.activity == .failed && failures.count == 2)
        #expect(try service.calls.filter { $0.hasPrefix("load") }.count == 2)
        #expect(state.lastError == .unsupportedFormat("b.flac: " + ProFormat.flac.refusal))
        #expect(state.ending == .failure("b.flac: " + ProFormat.flac.refusal))
    }

    @Test func anOutputThatDoesNotStartIsReportedOnce() async throws {
        await load("a.wav", "c.wav")
        try service.setOutputError(.ioError("no sound server"))
        try await state.play()
        await until { state.activity == .failed }
        #expect(state.lastError == .outputError("no sound server"))
        #expect(failures.isEmpty && state.notices.kept.map(\.text) == ["no sound server"])
        try service.setOutputError(nil)
        try await state.play()
        await playing("A")
        #expect(state.lastError == nil)
    }

    @Test func anEndThatANextHasOvertakenPassesNoTrackOver() async throws {
        await load("a.wav", "c.wav", "d.wav")
        try await state.play()
        await playing("A")
        // The end is reported while the command is carried out.
        try service.end()
        try await state.files?.next()
        await playing("C")
        try await state.pause()
        await until { state.activity == .paused }
        try await state.play()
        await playing("C")
        #expect(try service.calls.filter { $0.hasPrefix("load") } == ["load a.wav", "load c.wav"])
    }

    // MARK: Product

    @Test func proPlaysWhatWasRefused() async throws {
        await load("b.flac")
        try await state.play()
        await until { state.hasEnded }
        #expect(!state.isProUser && failures.count == 1)
        iap.set(ProStatus(isProUser: true))
        await until { state.isProUser && failures.isEmpty }
        try await state.play()
        await playing("B")
        #expect(factory.services.map(\.isForPro) == [false, true])
        #expect(factory.services[0].state == .stopped)
    }

    @Test func aLostLicenceConcernsTheNextTrack() async throws {
        iap.set(ProStatus(isProUser: true))
        await until { state.isProUser }
        await load("b.flac", "b.flac", "c.wav")
        try await state.play()
        await playing("B")
        iap.set(ProStatus(isProUser: false, refusal: "the licence expired"))
        await until { !state.isProUser }
        #expect(isPlaying("B"))
        #expect(PlaybackViewModel(state).product == "Free: the licence expired")
        try service.end()
        await playing("C")
        #expect(failures.count == 1)
    }

    // MARK: Commands

    @Test func pauseResumeSeekAndStop() async throws {
        await load("a.wav")
        try await state.play()
        await playing("A")
        try await state.pause()
        await until { state.activity == .paused }
        try await state.play()
        await playing("A")
        try await state.seek(to: 4)
        await until { state.position == 4 }
        await #expect(throws: PlaybackError.invalidArgument("11.0 s is not within 0…10 s")) {
            try await state.seek(to: 11)
        }
        await state.stop()
        await until { state.activity == .stopped && state.position == 0 }
        #expect(try service.calls.last == "stop")
        try await state.play()
        await playing("A")
        #expect(try service.calls.filter { $0 == "load a.wav" }.count == 2)
    }

    @Test func aPauseOfTheAudioSessionIsShown() async throws {
        await load("a.wav")
        try await state.play()
        await playing("A")
        try service.setPausedBySession(true)
        await until { state.activity == .paused }
        try service.setPausedBySession(false)
        await playing("A")
        try service.setPausedBySession(true)
        await until { state.activity == .paused }
        // One press of the key resumes.
        try await state.files?.togglePause()
        await playing("A")
    }

    @Test func thePositionFollowsTheClock() async throws {
        await load("a.wav")
        try await state.play()
        await playing("A")
        try service.setPosition(2.5)
        // The reader of positions may not sleep yet.
        while state.position != 2.5 {
            clock.advance(by: .milliseconds(200))
            await Task.yield()
        }
        let model = PlaybackViewModel(state)
        #expect(model.progress == 0.25 && model.shownTime == 2.5 && model.canSeek && model.showsPause)
        await state.setShowsRemainingTime(true)
        #expect(model.shownTime == -7.5)
    }

    @Test func anEmptyPlaylistIsAnErrorOfTheCommand() async throws {
        await #expect { try await state.play() } throws: { "\($0)" == "the playlist is empty" }
        #expect(!PlaybackViewModel(state).canPlay)
    }

    // MARK: Files

    @Test func filesKeepTheirOrderAndThoseThatCannotBeReadAreReported() async throws {
        await load("c.wav", "gone.missing", "a.wav", "x.untagged", "y.locked")
        await until { state.notices.count == 2 }
        #expect(state.entries.map(\.title) == ["C", "A", "x"])
        #expect(state.entries.map(\.artist) == ["Ensemble", "Ensemble", nil])
        let texts = Set(state.notices.kept.map(\.text))
        #expect(texts == ["/m/gone.missing: there is no such file", "/m/y.locked: permission denied"])
    }

    @Test func thePresentTrackIsRemovedAndTheNextOneTakesItsPlace() async throws {
        await load("a.wav", "c.wav")
        try await state.play()
        await playing("A")
        let model = PlaylistViewModel(state)
        try await model.remove([model.rows[0].id])
        await playing("C")
        #expect(model.rows.map(\.title) == ["C"] && model.rows[0].isCurrent)
        try await model.remove([model.rows[0].id])
        await until { state.activity == .stopped && state.entries.isEmpty }
    }

    @Test func severalTracksAreRemovedAndTheNextOneThatIsLeftIsPlayed() async throws {
        await load("a.wav", "c.wav", "d.wav")
        try await state.play()
        await playing("A")
        let model = PlaylistViewModel(state)
        try await model.remove([model.rows[0].id, model.rows[1].id])
        await playing("D")
        #expect(model.rows.map(\.title) == ["D"] && model.rows[0].isCurrent)
        #expect(state.entries.allSatisfy { $0.failure == nil })
    }

    @Test func rowsAreMovedSortedAndPlayed() async throws {
        await load("c.wav", "a.wav", "d.wav")
        let model = PlaylistViewModel(state)
        let last = model.rows[2].id
        try await model.move(last, to: 0)
        await until { model.rows.map(\.title) == ["D", "C", "A"] }
        await state.sort(by: .title)
        await until { model.rows.map(\.title) == ["A", "C", "D"] }
        await state.sort(by: .added)
        await until { model.rows.map(\.title) == ["D", "C", "A"] }
        try await model.play(last)
        await playing("D")
        #expect(model.rows.map(\.isCurrent) == [true, false, false])
    }

    // MARK: Preferences

    @Test func preferencesAreKept() async throws {
        await state.files?.setVolume(0.25)
        await state.files?.setRepeat(.playlist)
        await state.files?.setShuffle(true)
        await state.sort(by: .album)
        await state.setShowsRemainingTime(true)
        let kept = try #require(storage.preferences.last)
        #expect(
            kept
                == ViewPreferences(
                    volume: 0.25, repeats: .playlist, isShuffled: true, sorting: .album, showsRemainingTime: true))
        let next = AppState(factory: factory, iap: iap, preferences: kept)
        #expect(next.volume == 0.25 && next.modes.isShuffled && next.playlist.repeats == .playlist)
        #expect(next.playlist.sorting == .album && next.viewPreferences == kept)
    }

    @Test func aStorageThatRefusesIsReported() async throws {
        let state = AppState(factory: factory, iap: iap, storage: FakeStorage(refusing: "the disk is full"))
        let following = Task { await state.follow() }
        await state.files?.setVolume(0.5)
        await until { state.notices.shown?.text == "the disk is full" }
        #expect(state.viewPreferences.volume == 0.5)
        following.cancel()
    }

    @Test func aReleasedStateLeavesNothingBehind() async throws {
        var state: AppState? = AppState(factory: factory, iap: iap, clock: clock)
        weak let player = state?.files
        let updates = try #require(player?.updates)
        state = nil
        for await _ in updates {}
        #expect(player == nil)
    }
}
