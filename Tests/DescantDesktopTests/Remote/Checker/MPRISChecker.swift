import Foundation

@testable import DescantDesktop

/// Checks a player on the bus against the rules of MPRIS, by calling it as clients do.
///
/// The player must be stopped and have three tracks or more, each 30 s or longer.
struct MPRISChecker: Sendable {
    let player: RemotePlayer
    /// Whether the check ends with the first finding.
    var stopsAtFirst = false
    /// A URI that the player can open.
    var uri = "file:///music/added.flac"
    /// Whether `mpris:length` is an estimate, as that of a text, which may grow between two calls.
    var hasEstimatedLength = false

    /// Runs every rule.
    ///
    /// - Parameter excluded: The rules that the player cannot be asked to keep, because it has one track only.
    func run(without excluded: Set<MPRISRule> = []) async -> [MPRISFinding] {
        let checks: [(MPRISRule, () async throws -> Void)] = [
            (.introspection, introspection), (.propertyTypes, propertyTypes), (.identity, identity),
            (.repliesAfterEffect, transport), (.metadataTypes, metadata), (.position, position), (.seek, seek),
            (.setPosition, setPosition), (.staleSetPosition, stalePositions), (.writable, writable),
            (.trackList, trackList), (.impossible, ends), (.stopSeeks, stop), (.playlists, playlists),
        ]
        var findings: [MPRISFinding] = []
        for (rule, check) in checks where !excluded.contains(rule) {
            do {
                try await check()
            } catch let finding as MPRISFinding {
                findings.append(finding)
            } catch {
                findings.append(MPRISFinding(rule: rule, detail: "\(error)"))
            }
            if stopsAtFirst, !findings.isEmpty { return findings }
        }
        for change in player.idleChanges { findings.append(.init(rule: .onlyChangesTold, detail: change)) }
        if player.positionChanges > 0 { findings.append(.init(rule: .onlyChangesTold, detail: "Position")) }
        return findings
    }

    // MARK: Assertions

    func require(_ rule: MPRISRule, _ holds: Bool, _ detail: @autoclosure () -> String) throws {
        if !holds { throw MPRISFinding(rule: rule, detail: detail()) }
    }

    func require<Value: Equatable>(_ rule: MPRISRule, _ value: Value, is wanted: Value, _ what: String) throws {
        try require(rule, value == wanted, "\(what) is \(value), not \(wanted)")
    }

    /// Requires that the properties known from signals become equal to the real ones.
    func requireTold(after what: String) async throws {
        for interface in RemotePlayer.interfaces {
            let same: @Sendable (RemotePlayer) async throws -> [String] = { player in
                let present = (try? await player.getAll(interface)) ?? [:]
                let known = player.knownValues(interface)
                return present.keys.filter { !["Position", "Tracks"].contains($0) && present[$0] != known[$0] }.sorted()
            }
            if try await player.wait(until: { try await same($0).isEmpty }) { continue }
            let names = try await same(player)
            if names.isEmpty { continue }
            throw MPRISFinding(
                rule: .changesTold, detail: "\(names.joined(separator: ", ")) after \(what)")
        }
    }

    func status() async throws -> String? { try await player.get("PlaybackStatus").string }

    func trackID() async throws -> String? {
        try await player.get("Metadata").dictionary?["mpris:trackid"]?.path
    }

    func currentPosition() async throws -> Int64 {
        let value = try await player.get("Position")
        guard let position = value.int64 else {
            throw MPRISFinding(rule: .propertyTypes, detail: "Position is of type \(value.signature)")
        }
        return position
    }

    /// Positions near a target, in microseconds: those of the time that was played since, and what a jump to a whole frame rounds off.
    private func range(near target: Int64) -> ClosedRange<Int64> { target - 1_000...target + 20_000_000 }

    /// Requires a `Seeked` near a position, in microseconds.
    func requireSeeked(since mark: Int, near target: Int64, after what: String, rule: MPRISRule = .seeked) async throws
    {
        let range = range(near: target)
        // The signal of an earlier jump may come behind the answer to its command, and so behind the mark.
        let isTold = try await player.wait { player in
            let positions = player.signals("Seeked", since: mark).compactMap { $0.arguments.first?.int64 }
            return positions.contains { range.contains($0) }
        }
        let seen = player.signals("Seeked", since: mark).map(\.arguments)
        try require(rule, isTold, "Seeked after \(what) to \(target): \(seen)")
    }

    /// Requires the position to be a target, plus the time played since.
    func requirePosition(_ rule: MPRISRule, near target: Int64, after what: String) async throws {
        let position = try await currentPosition()
        try require(
            rule, range(near: target).contains(position),
            "the position is \(position) after \(what) to \(target)")
    }
}

/// A violation of a rule.
struct MPRISFinding: Error, Sendable, Hashable, CustomStringConvertible {
    var rule: MPRISRule
    var detail: String

    var description: String { "\(rule) (\(rule.rawValue)): \(detail)" }
}

/// The rules for a player on the bus.
enum MPRISRule: String, CaseIterable, Sendable {
    case introspection = "the interfaces are those of the specification, member for member"
    case propertyTypes = "every property has its type"
    case identity = "identity, desktop entry, schemes and media types are well formed"
    case metadataTypes = "metadata have the types of the specification"
    case trackIdentity = "a track has an object path that is a valid identity"
    case uniqueTracks = "tracks have unique identities, which stay when other tracks are added or removed"
    case changesTold = "every change of a property is announced"
    case onlyChangesTold = "only changes are announced, and never the position"
    case repliesAfterEffect = "a command is answered after it has taken effect"
    case position = "the position is in microseconds and follows the rate"
    case seek = "Seek moves by an offset, stops at the beginning and goes to the next track past the end"
    case setPosition = "SetPosition moves the current track"
    case staleSetPosition = "SetPosition for another track or outside of the track has no effect"
    case seeked = "every jump is announced by Seeked"
    case stopSeeks = "Stop announces the position 0, and Play starts again"
    case writable = "loop status, shuffle, volume and rate can be set, or are refused"
    case impossible = "an impossible call has no effect"
    case playPauseError = "PlayPause is an error when nothing can be paused"
    case trackList = "changes of the list of tracks are announced"
    case tracksInvalidated = "Tracks are invalidated when they change"
    case goTo = "GoTo goes to a track and ignores unknown ones"
    case playlists = "playlists are listed, ordered and activated"
}
