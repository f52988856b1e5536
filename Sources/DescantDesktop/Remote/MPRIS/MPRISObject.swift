internal import DescantCore
internal import Foundation
internal import Synchronization

/// A player on the bus: the properties of the published state, the signals of its changes, and the commands of clients.
///
/// All calls happen on the bus's thread; answers to ``handle(_:)`` may come from any thread.
final class MPRISObject: BusObject {
    private struct State {
        var shown = NowPlaying.nothing
        var properties: [String: [String: BusValue]]
        /// The names of properties whose change is not sent yet, by interface.
        var dirty: [String: Set<String>] = [:]
        var signals: [BusSignal] = []
        var covers: CoverFiles
    }

    let identity: RemoteIdentity
    let commands = RemoteCommandQueue()
    private let emitter: any BusEmitter
    private let logger: any LoggerPort
    private let state: Mutex<State>

    /// The maximum duration of a command before the call fails, in seconds. Clients themselves give up after 25 s.
    static let commandLimit = 20.0

    init(
        _ identity: RemoteIdentity, emitter: any BusEmitter, logger: any LoggerPort = NoopLogger()
    ) {
        self.identity = identity
        self.emitter = emitter
        self.logger = logger
        state = Mutex(
            State(properties: MPRISProperties.all(.nothing, identity, cover: nil), covers: CoverFiles()))
    }

    var introspection: String { MPRISIntrospection.xml(identity) }

    /// The published state.
    var shown: NowPlaying { state.withLock { $0.shown } }

    // MARK: Showing

    /// Publishes a state; ``flush()`` sends the changes.
    func show(_ playing: NowPlaying) {
        commands.note(isPlaying: playing.status == .playing)
        state.withLock { state in
            var playing = playing
            // A cleared player keeps the optional properties: clients that request a withdrawn one get an error.
            if playing == .nothing {
                (playing.repeats, playing.isShuffled) = (state.shown.repeats, state.shown.isShuffled)
            }
            guard playing != state.shown else { return }
            let properties = MPRISProperties.all(playing, identity, cover: cover(of: playing.track, &state.covers))
            for (interface, values) in properties {
                let former = state.properties[interface] ?? [:]
                let changed = Set(values.keys).union(former.keys).filter { former[$0] != values[$0] }
                if !changed.isEmpty { state.dirty[interface, default: []].formUnion(changed) }
            }
            state.signals += MPRISSignals.trackList(from: state.shown, to: playing)
            if identity.hasPlaylists { state.signals += MPRISSignals.playlists(from: state.shown, to: playing) }
            state.properties = properties
            state.shown = playing
        }
    }

    /// Announces a jump of the position with the next ``flush()``.
    func jump(to seconds: Double) {
        state.withLock { $0.signals.append(MPRISSignals.seeked(to: Self.position(seconds, in: $0.shown.track))) }
    }

    /// A position in microseconds as clients see it: never beyond the length that they see, and 0 without a track.
    private static func position(_ seconds: Double, in track: NowPlayingTrack?) -> Int64 {
        guard let track else { return 0 }
        let position = MPRISMetadata.microseconds(max(0, seconds)) ?? 0
        return track.duration.flatMap(MPRISMetadata.microseconds).map { min($0, position) } ?? position
    }

    /// Sends all changes to clients; several changes of a property become one.
    func flush() {
        let signals: [BusSignal] = state.withLock { state in
            let changes = state.dirty.sorted { $0.key < $1.key }.map { interface, names in
                // Clients fetch the list of tracks when they need it.
                let values = state.properties[interface]?.filter { names.contains($0.key) && $0.key != "Tracks" } ?? [:]
                let invalidated = names.filter { values[$0] == nil }.sorted()
                return MPRISSignals.propertiesChanged(interface, changed: values, invalidated: invalidated)
            }
            defer {
                state.dirty = [:]
                state.signals = []
            }
            return changes + state.signals
        }
        for signal in signals { emitter.emit(signal) }
    }

    /// Removes the cover files.
    func removeCovers() { state.withLock { $0.covers.removeAll() } }

    private func cover(of track: NowPlayingTrack?, _ covers: inout CoverFiles) -> URL? {
        do {
            return try covers.show(track)
        } catch {
            logger.warn("remote control: no cover is shown: \(error)")
            return nil
        }
    }

    // MARK: Requests

    func handle(_ request: BusRequest) {
        do {
            switch request.kind {
            case .get(let interface, let name): try get(interface, name, request.reply)
            case .getAll(let interface): getAll(interface, request.reply)
            case .set(let interface, let name, let value): try set(interface, name, value, request.reply)
            case .call(let interface, let method, let arguments):
                try call(interface, method, arguments, request.reply)
            }
        } catch {
            request.reply(.failure(BusError(error)))
        }
    }

    typealias Reply = @Sendable (Result<[BusValue], BusError>) -> Void

    private func get(_ interface: String, _ name: String, _ reply: @escaping Reply) throws {
        if interface == MPRISName.player, name == "Position" {
            return withPosition { reply(.success([.variant(.int64($0))])) }
        }
        guard let value = state.withLock({ $0.properties[interface]?[name] }) else {
            throw BusError.unknownProperty("\(interface) has no property \(name)")
        }
        reply(.success([.variant(value)]))
    }

    private func getAll(_ interface: String, _ reply: @escaping Reply) {
        let values = state.withLock { $0.properties[interface] ?? [:] }
        guard interface == MPRISName.player else { return reply(.success([.dictionary(values)])) }
        withPosition { position in
            reply(.success([.dictionary(values.merging(["Position": .int64(position)]) { first, _ in first })]))
        }
    }

    /// Reads the position of the player in a task; the bus's thread does not wait.
    private func withPosition(_ answer: @escaping @Sendable (Int64) -> Void) {
        guard let target = commands.target else { return answer(0) }
        Task { [self] in
            let seconds = await target.remotePosition
            // The track is read after the answer.
            answer(Self.position(seconds, in: shown.track))
        }
    }

    // MARK: Commands

    /// Carries out a command and answers after its effect was sent to clients.
    func perform(_ command: RemoteCommand, _ reply: @escaping Reply) {
        let answer = Promise(reply)
        // Weakly: the bus may be left before the time is up, and the timer then stays in its context.
        emitter.post(after: Self.commandLimit) { [weak answer] in
            answer?.resolve(.failure(.timeout("this has not taken effect within \(Self.commandLimit) s")))
        }
        commands.submit(command) { [self] result in
            // The effect of the command was published before this runs.
            emitter.post { [self] in
                flush()
                answer.resolve(result.map { [] }.mapError { BusError($0) })
            }
        }
    }
}
