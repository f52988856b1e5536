internal import DescantCore

/// The commands under way: one at a time on the main layer and on each overlay.
///
/// Opening a file can take seconds. Calls that open one wait for each other in a queue of their own and enter the queue of their
/// layer only when the file is open, so that no other command waits for a file.
struct PlayerCommands {
    /// The commands on the main layer.
    let main = AsyncSerialQueue()
    /// The calls that open files for the main layer.
    let mainOpenings = AsyncSerialQueue()
    /// The calls that give the engine the volume or a ducking. Each is read when its turn comes: the last one stays.
    let mix = AsyncSerialQueue()
    private var mainStops: UInt64 = 0
    /// How often a move took the place of the moves before it.
    private(set) var overtakings: UInt64 = 0
    /// Whether the file that is being opened for the main layer is that of a move.
    private var opensForMove = false
    private var overlays: [OverlayID: OverlayQueues] = [:]
    private var openings: [DeckOpening.Purpose: DeckOpening] = [:]
    /// The call that opens the track which is to play as soon as it is open; `nil` while none does.
    var preparation: Preparation?
    /// The player's state before the preparation of a move that was overtaken, and how many pauses had come when it began, until the move that
    /// has overtaken it prepares its track or ends.
    private(set) var overtaken: (stateBefore: PlayerState, pauses: UInt64)?
    /// The number of commands that paused everything or the main layer, the audio session's included.
    private(set) var pauses: UInt64 = 0
    /// The last pause that was not resumed.
    private var openPause: Pause?
    /// The number of user commands that affect playing. An interruption resumes only what no later command has changed.
    private(set) var userCommandCount: UInt64 = 0
    /// The number of the user command that resumes everything; `nil` while none does, and when a pause came after it.
    private(set) var resumption: UInt64?

    /// A call that opens the track which is to play next.
    struct Preparation {
        let call: OpeningCall
        /// The player's state without that track.
        var stateBefore: PlayerState
    }

    /// A pause of the main layer.
    struct Pause {
        /// Its number, by ``PlayerCommands/pauses``.
        let number: UInt64
        /// Whether everything else was paused with it.
        var isOfEverything = false
        /// Whether the player paused by itself, because its output stayed lost.
        var isForLostOutput = false
    }

    /// The queues of one overlay.
    private struct OverlayQueues {
        let commands = AsyncSerialQueue()
        let openings = AsyncSerialQueue()
        var stops: UInt64 = 0
    }

    /// Counts a user command that affects playing.
    mutating func countUserCommand() { userCommandCount &+= 1 }

    /// Counts a pause: a track whose file is being opened begins paused.
    mutating func countPause(forLostOutput: Bool = false) {
        pauses &+= 1
        openPause = Pause(number: pauses, isForLostOutput: forLostOutput)
    }

    /// Whether the last pause was for a lost output, and was not resumed.
    var isPausedForLostOutput: Bool { openPause?.isForLostOutput ?? false }

    /// Notes that the last pause was one of everything that sounds.
    mutating func pauseWasOfEverything() { openPause?.isOfEverything = true }

    /// Notes that the main layer was resumed, or plays.
    mutating func endPause() { openPause = nil }

    /// The last pause, when it came after a call and was not resumed.
    func pause(after call: OpeningCall) -> Pause? { openPause.flatMap { call.pauses < $0.number ? $0 : nil } }

    /// Notes that a user command resumes everything.
    ///
    /// - Returns: Its number.
    mutating func beginResumption() -> UInt64 {
        countUserCommand()
        resumption = userCommandCount
        return userCommandCount
    }

    /// Forgets the resumption, which has ended or is to be undone; of another number it stays.
    mutating func endResumption(_ number: UInt64? = nil) {
        if number == nil || number == resumption { resumption = nil }
    }

    // MARK: Overlays

    /// The queue of the commands on an overlay.
    mutating func queue(of id: OverlayID) -> AsyncSerialQueue { queues(of: id).commands }

    private mutating func queues(of id: OverlayID) -> OverlayQueues {
        let queues = overlays[id] ?? OverlayQueues()
        overlays[id] = queues
        return queues
    }

    // MARK: Openings

    /// Notes a call that opens a file.
    ///
    /// - Parameters:
    ///   - isMove: Whether it moves to another track of the playlist.
    ///   - pauses: How many pauses had come when it began; `nil` for those so far.
    mutating func began(
        _ purpose: DeckOpening.Purpose, isMove: Bool = false, pauses: UInt64? = nil
    ) -> OpeningCall {
        if case .overlay(let id) = purpose { _ = queues(of: id) }
        return OpeningCall(
            purpose: purpose, stops: stops(of: purpose), overtakings: isMove ? overtakings : nil,
            pauses: pauses ?? self.pauses)
    }

    /// The queue of the calls that open files for a layer.
    mutating func openings(for purpose: DeckOpening.Purpose) -> AsyncSerialQueue {
        switch purpose {
        case .main: mainOpenings
        case .overlay(let id): queues(of: id).openings
        }
    }

    /// Checks that a call is still wanted.
    ///
    /// - Throws: `CancellationError` when the calling task was cancelled, or its layer was stopped or moved to another track after the
    ///   call.
    func check(_ call: OpeningCall) throws {
        try Task.checkCancellation()
        guard isWanted(call) else { throw CancellationError() }
    }

    /// Whether a call's layer was not stopped after the call, nor a move overtaken by another one.
    func isWanted(_ call: OpeningCall) -> Bool {
        call.stops == stops(of: call.purpose) && (call.overtakings ?? overtakings) == overtakings
    }

    private func stops(of purpose: DeckOpening.Purpose) -> UInt64 {
        switch purpose {
        case .main: mainStops
        case .overlay(let id): overlays[id]?.stops ?? 0
        }
    }

    /// Notes the opening that a call waits for.
    mutating func began(_ opening: DeckOpening, for call: OpeningCall) {
        openings[call.purpose] = opening
        if call.purpose == .main { opensForMove = call.overtakings != nil }
    }

    /// Forgets an opening that has ended.
    mutating func endedOpening(for purpose: DeckOpening.Purpose) { openings[purpose] = nil }

    /// Ends every call so far that opens a file for the main layer.
    mutating func abandonMainOpenings() {
        mainStops &+= 1
        openings[.main]?.abandon()
    }

    /// Ends every move so far that opens a file: the track of a later one is what is to play.
    ///
    /// - Parameter isSilent: Whether nothing plays meanwhile. A pause that came while a move was opening its track is for the later one, too, then.
    /// - Returns: How many pauses had come when the later one began, in this sense.
    mutating func abandonMoves(isSilent: Bool) -> UInt64 {
        let call = preparation.flatMap { $0.call.overtakings == nil ? nil : $0.call }
        overtakings &+= 1
        if opensForMove { openings[.main]?.abandon() }
        return isSilent ? call?.pauses ?? overtaken?.pauses ?? pauses : pauses
    }

    /// Whether a move was overtaken by another one, and its layer was not stopped.
    func isOvertaken(_ call: OpeningCall) -> Bool { call.stops == stops(of: call.purpose) && !isWanted(call) }

    /// Hands the state before a preparation to the move that has overtaken it.
    mutating func handOverPreparation() {
        if let preparation { overtaken = (preparation.stateBefore, preparation.call.pauses) }
    }

    /// Takes the state before a preparation that was handed over.
    mutating func takeStateBefore() -> PlayerState? {
        defer { overtaken = nil }
        return overtaken?.stateBefore
    }

    /// Ends every call so far that opens a file for an overlay.
    mutating func abandonOpenings(of id: OverlayID) {
        overlays[id]?.stops &+= 1
        openings[.overlay(id)]?.abandon()
    }

    /// Ends every call so far that opens a file for any overlay.
    mutating func abandonOverlayOpenings() { for id in Array(overlays.keys) { abandonOpenings(of: id) } }
}

/// A call that opens a file, as it was when it came.
struct OpeningCall: Sendable {
    let purpose: DeckOpening.Purpose
    /// How many stops its layer had seen.
    fileprivate let stops: UInt64
    /// How often moves had been overtaken; `nil` for a call that is no move.
    fileprivate let overtakings: UInt64?
    /// ``PlayerCommands/pauses`` when the call came.
    let pauses: UInt64
}
