internal import DescantCore
internal import Foundation

/// The methods of the interfaces. As the specification says, a call that is not possible at present has no effect, and fails only
/// where the specification demands it.
extension MPRISObject {
    func call(_ interface: String, _ method: String, _ arguments: [BusValue], _ reply: @escaping Reply) throws {
        switch interface {
        case MPRISName.root: try callRoot(method, reply)
        case MPRISName.player: try callPlayer(method, arguments, reply)
        case MPRISName.trackList: try callTrackList(method, arguments, reply)
        case MPRISName.playlists where identity.hasPlaylists: try callPlaylists(method, arguments, reply)
        default: throw BusError.unknownMethod("\(interface).\(method)")
        }
    }

    private func can(_ ability: RemoteAbilities) -> Bool { shown.abilities.contains(ability) }

    /// Carries out a command if it is possible.
    private func perform(_ command: RemoteCommand, if ability: RemoteAbilities, _ reply: @escaping Reply) {
        if can(ability) { perform(command, reply) } else { reply(.success([])) }
    }

    private func callRoot(_ method: String, _ reply: @escaping Reply) throws {
        switch method {
        case "Raise": perform(.raise, if: .raise, reply)
        case "Quit": perform(.quit, if: .quit, reply)
        default: throw BusError.unknownMethod(method)
        }
    }

    private func callPlayer(_ method: String, _ arguments: [BusValue], _ reply: @escaping Reply) throws {
        switch (method, arguments.first, arguments.dropFirst().first) {
        case ("Next", _, _): perform(.next, if: .next, reply)
        case ("Previous", _, _): perform(.previous, if: .previous, reply)
        case ("Pause", _, _): perform(.pause, if: .pause, reply)
        case ("Play", _, _): perform(.play, if: .play, reply)
        case ("Stop", _, _): perform(.stop, reply)
        case ("PlayPause", _, _):
            guard can(.pause) else { throw BusError.failed("there is nothing that can be paused") }
            perform(.togglePlayPause, reply)
        case ("Seek", .int64(let offset)?, _):
            perform(.seek(by: Double(offset) / 1_000_000), if: .seek, reply)
        case ("SetPosition", .path(let path)?, .int64(let position)?): setPosition(path, position, reply)
        case ("OpenUri", .string(let text)?, _):
            guard can(.open) else { throw BusError.unsupported("this player opens nothing") }
            perform(.open(try url(text)), reply)
        default: throw BusError.unknownMethod(method)
        }
    }

    /// Calls for a track that is no longer the current one, and for positions outside of the track, have no effect.
    private func setPosition(_ path: String, _ position: Int64, _ reply: @escaping Reply) {
        let track = shown.track
        let length = track?.duration.flatMap(MPRISMetadata.microseconds) ?? .max
        guard let id = MPRISPath.track(path), id == track?.id, (0...length).contains(position) else {
            return reply(.success([]))
        }
        perform(.seekTo(Double(position) / 1_000_000, of: id), if: .seek, reply)
    }

    /// Parses a URI of a client.
    ///
    /// - Throws: `BusError` when it is no URI, or the program does not open its scheme.
    private func url(_ text: String) throws -> URL {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased() else {
            throw BusError.invalid("\(text) is no URI; a file's begins with file://")
        }
        guard identity.uriSchemes.contains(scheme) else {
            let known = identity.uriSchemes.joined(separator: ", ")
            throw BusError.unsupported("\(scheme): URIs are not supported; these are: \(known)")
        }
        return url
    }

    private func callTrackList(_ method: String, _ arguments: [BusValue], _ reply: @escaping Reply) throws {
        switch (method, arguments.first) {
        case ("GetTracksMetadata", let ids?):
            let wanted = ids.elements?.compactMap { $0.path.flatMap { MPRISPath.track($0) } } ?? []
            let tracks = Dictionary(shown.tracks.map { ($0.id, $0) }) { first, _ in first }
            let found = wanted.compactMap { tracks[$0] }.map { BusValue.dictionary(MPRISMetadata.of($0)) }
            reply(.success([.array(of: "a{sv}", found)]))
        case ("AddTrack", .string(let text)?) where arguments.count == 3:
            guard can(.editTracks) else { throw BusError.unsupported("the tracks cannot be changed") }
            let after = arguments[1].path.flatMap { $0 == MPRISName.noTrack ? nil : $0 }
            // An unknown track means the end of the list, as does a removed one.
            let predecessor = after.map { MPRISPath.track($0) ?? NowPlayingTrack.ID(rawValue: "") }
            let isCurrent = arguments[2].bool ?? false
            perform(.addTrack(try url(text), after: predecessor, makeCurrent: isCurrent), reply)
        case ("RemoveTrack", .path(let path)?):
            guard can(.editTracks) else { throw BusError.unsupported("the tracks cannot be changed") }
            guard let id = MPRISPath.track(path) else { return reply(.success([])) }
            perform(.removeTrack(id), reply)
        case ("GoTo", .path(let path)?):
            guard let id = MPRISPath.track(path), shown.tracks.contains(where: { $0.id == id }) else {
                return reply(.success([]))
            }
            perform(.goTo(id), if: .play, reply)
        default: throw BusError.unknownMethod(method)
        }
    }

    private func callPlaylists(_ method: String, _ arguments: [BusValue], _ reply: @escaping Reply) throws {
        switch method {
        case "ActivatePlaylist":
            guard let id = arguments.first?.path.flatMap({ MPRISPath.playlist($0) }),
                shown.playlists.contains(where: { $0.id == id })
            else { throw BusError.invalid("there is no such playlist") }
            perform(.activatePlaylist(id), reply)
        case "GetPlaylists" where arguments.count == 4:
            let (index, count) = (Int(arguments[0].uint32 ?? 0), Int(arguments[1].uint32 ?? 0))
            guard let order = arguments[2].string.flatMap(PlaylistOrdering.init) else {
                let known = PlaylistOrdering.allCases.map(\.rawValue).joined(separator: ", ")
                throw BusError.invalid("no such order; there are: \(known)")
            }
            let sorted = order.sort(shown.playlists)
            let list = arguments[3].bool == true ? sorted.reversed() : sorted
            let part = list.dropFirst(index).prefix(count).map(MPRISProperties.playlist)
            reply(.success([.array(of: "(oss)", Array(part))]))
        default: throw BusError.unknownMethod(method)
        }
    }

    // MARK: Properties

    func set(_ interface: String, _ name: String, _ value: BusValue, _ reply: @escaping Reply) throws {
        switch (interface, name, value) {
        case (MPRISName.root, "Fullscreen", _): throw BusError.unsupported("there is no picture to show")
        case (MPRISName.player, _, _) where !can(.adjust): throw BusError.unsupported("\(name) cannot be set")
        case (MPRISName.player, "LoopStatus", .string(let word)):
            guard let mode = MPRISProperties.repeats(word) else {
                throw BusError.invalid("LoopStatus is None, Track or Playlist, not \(word)")
            }
            guard shown.repeats != nil else { throw BusError.unsupported("\(name) cannot be set") }
            perform(.setRepeat(mode), reply)
        case (MPRISName.player, "Shuffle", .bool(let isOn)):
            guard shown.isShuffled != nil else { throw BusError.unsupported("\(name) cannot be set") }
            perform(.setShuffle(isOn), reply)
        case (MPRISName.player, "Volume", .double(let volume)):
            guard volume.isFinite else { throw BusError.invalid("a volume must be a number") }
            perform(.setVolume(max(0, volume)), reply)
        case (MPRISName.player, "Rate", .double(let rate)): try setRate(rate, reply)
        default: throw BusError.unknownProperty("\(interface) has no property \(name) that can be set so")
        }
    }

    /// A rate of 0 pauses; negative rates have no effect.
    private func setRate(_ rate: Double, _ reply: @escaping Reply) throws {
        guard rate.isFinite else { throw BusError.invalid("a rate must be a number") }
        guard rate != 0 else { return perform(.pause, if: .pause, reply) }
        let range = shown.rateRange
        guard rate > 0, range.lowerBound < range.upperBound else { return reply(.success([])) }
        perform(.setRate(min(max(rate, range.lowerBound), range.upperBound)), reply)
    }
}
