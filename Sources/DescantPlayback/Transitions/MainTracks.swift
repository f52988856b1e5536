internal import DescantCore
internal import Foundation

/// The tracks of the main layer: those that sound, and those that the engine has been told to play.
struct MainTracks: Sendable {
    /// The track that is heard, or fades in.
    var current: OpenTrack?
    /// The deck whose network source fills its buffer.
    var waiting: DeckID?
    /// The tracks before it whose end was not reported yet.
    var outgoing: [OpenTrack] = []
    /// The track whose end was reported last.
    var lastEnded: OpenTrack?
    /// The track that the engine plays next.
    var prepared: OpenTrack?
    /// The last prepared track that was taken back: the engine may have begun it in the same instant.
    var withdrawn: OpenTrack?
    /// A track that starts as soon as the running crossfade is over.
    var deferred: OpenTrack?

    /// Descriptions of decks that arrived before their tracks were noted here, such as the first title of a station.
    private var early: [DeckID: TrackInfo] = [:]
    /// The maximum number of these descriptions. Those of overlays are never used.
    private static let maximumEarly = 16

    /// The follow-up that the engine has for the end of the current track.
    var decided = FollowUp.undecided
    /// Why nothing follows although tracks are left: none of them can be opened.
    var followUpError: AudioPlayerError?

    /// How the running fade-out ends.
    var ending = Ending(state: .finished, fade: .infinity)
    /// The crossfade that was heard to begin last.
    var crossfade: (to: DeckID, frames: Int64)?

    /// The end of a fade-out.
    struct Ending: Sendable {
        /// The state afterwards.
        var state: PlayerState
        /// The length of the fade in seconds.
        var fade: TimeInterval
    }

    /// Whether the current deck's end was reported.
    var currentEnded = false
    /// Why the current deck ended before its time.
    var currentError: AudioPlayerError?
    /// Where the last track broke off for a reason outside of it, such as a lost connection; `nil` once another one has begun.
    var brokenOff: (url: URL, position: TimeInterval)?
    /// Whether the last track was heard to its end and nothing has begun since.
    var isPlayedToEnd = false

    /// How many tracks in a row ended because they could not be read.
    var failuresInARow = 0

    /// The seek that was asked for and has not been heard yet.
    private(set) var pendingSeek: PendingSeek? { didSet { if pendingSeek == nil { supersededSeeks = [] } } }
    /// Earlier seeks whose arrival may still be reported.
    private var supersededSeeks: [PendingSeek] = []
    /// The position to show until the pending seek is heard, in seconds; `nil` without one.
    var seekTarget: TimeInterval? { pendingSeek?.shownPosition }
    /// The last position that was shown of the current track.
    var shownPosition: TimeInterval = 0
    /// How many seeks have arrived. A position that was asked for before the last of them may be one of before the seek.
    private(set) var arrivals: UInt64 = 0

    /// Makes a track the current one; `nil` when there is none any more.
    mutating func begin(_ track: OpenTrack?) {
        if let current, !currentEnded { outgoing.append(current) }
        current = track
        if prepared?.deck == track?.deck { prepared = nil }
        if deferred?.deck == track?.deck { deferred = nil }
        decided = .undecided
        followUpError = nil
        currentEnded = false
        currentError = nil
        if track != nil { (isPlayedToEnd, brokenOff) = (false, nil) }
        pendingSeek = nil
        shownPosition = 0
    }

    /// Notes a seek of the current track that was asked for.
    ///
    /// - Parameter target: Seconds from the beginning; may lie behind the end.
    mutating func seek(to target: TimeInterval) {
        if let pendingSeek { supersededSeeks.append(pendingSeek) }
        pendingSeek = PendingSeek(target: target, knownDuration: current?.info.duration ?? 0)
    }

    /// Notes that a seek has arrived; one that another seek has overtaken does not count.
    mutating func arrive(at position: TimeInterval) {
        let isOfEarlierSeek = supersededSeeks.contains { $0.leads(to: position) }
        if let pendingSeek, !pendingSeek.leads(to: position), isOfEarlierSeek { return }
        arriveUnheard(at: position)
    }

    /// Notes that the last seek must have arrived: its event was lost.
    mutating func arriveUnheard(at position: TimeInterval) {
        pendingSeek = nil
        shownPosition = position
        arrivals &+= 1
    }

    /// Notes that a deck will not sound any more.
    ///
    /// - Returns: The track that it played, if it is a known one.
    mutating func end(_ deck: DeckID) -> OpenTrack? {
        if let current, current.deck == deck {
            currentEnded = true
            lastEnded = current
        } else if let index = outgoing.firstIndex(where: { $0.deck == deck }) {
            lastEnded = outgoing.remove(at: index)
        } else {
            return nil
        }
        return lastEnded
    }

    /// The tracks that sound or will sound.
    var opened: [OpenTrack] { [current, prepared, deferred].compactMap { $0 } + outgoing }

    /// The track that plays a deck, if it is a known one.
    func track(on deck: DeckID) -> OpenTrack? {
        if let track = outgoing.last(where: { $0.deck == deck }) { return track }
        return [current, prepared, withdrawn, deferred, lastEnded].lazy.compactMap { $0 }.first { $0.deck == deck }
    }

    /// Notes what became known of a deck's track.
    mutating func update(_ info: TrackInfo, of deck: DeckID) {
        if current?.deck == deck { current?.info = info }
        if prepared?.deck == deck { prepared?.info = info }
        if deferred?.deck == deck { deferred?.info = info }
    }

    /// Keeps what became known of a deck that no track plays yet.
    mutating func keepEarly(_ info: TrackInfo, of deck: DeckID) {
        if early.count >= Self.maximumEarly { early = [:] }
        early[deck] = info
    }

    /// Takes what became known of a deck before its track was noted.
    mutating func takeEarly(of deck: DeckID) -> TrackInfo? { early.removeValue(forKey: deck) }
}

/// A seek that was asked for and has not been heard yet.
struct PendingSeek: Sendable {
    /// The position that was asked for, in seconds. It may lie behind the end.
    let target: TimeInterval
    /// The length of the track as it was known then, in seconds; 0 for an unknown one. It may be an estimate that is too low.
    let knownDuration: TimeInterval

    /// The position to show until the seek is heard, in seconds: the target, or the known end in front of it.
    var shownPosition: TimeInterval { knownDuration > 0 ? min(target, knownDuration) : target }

    /// Whether the seek may have led to a position. Behind the end it leads to the end, unless the length was an estimate.
    func leads(to position: TimeInterval) -> Bool {
        abs(target - position) < 0.001 || abs(shownPosition - position) < 0.001
    }
}

/// An item of the playlist with the deck that plays it.
struct OpenTrack: Sendable {
    /// What is played.
    var item: PlaylistItem
    /// Where the item was when it was opened, and what the way to it means.
    var stop: PlaylistRoute.Stop
    /// The engine's deck.
    var deck: DeckID
    /// Title, duration and tags.
    var info: TrackInfo

    /// Where the item was when it was opened.
    var index: Int { stop.index }
}
