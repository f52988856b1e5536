import DescantCore
import Foundation
import Synchronization

@testable import DescantDesktop

/// A player as its clients see it over the bus, with the copy of its properties that clients keep by signals.
final class RemotePlayer: Sendable {
    struct PropertyCache: Sendable {
        var values: [String: [String: BusValue]] = [:]
        var invalid: [String: Set<String>] = [:]
        /// The names of the properties that signals have told.
        var told: [String: Set<String>] = [:]
        var signals: [BusSignal] = []
        /// Signals of changes without a change.
        var idleChanges: [String] = []
        /// Signals of changes of the position, which are not allowed.
        var positionChanges = 0
    }

    let client: BusClient
    let name: String
    let unique: String
    /// The time limit for expected signals, in seconds.
    let limit: Double
    private let cache = Mutex(PropertyCache())
    private let arrivals = EventHub<Int>(initial: 0)
    private let listening = Mutex<Task<Void, Never>?>(nil)

    static let interfaces = [MPRISName.root, MPRISName.player, MPRISName.trackList, MPRISName.playlists]

    init(_ name: String, _ client: BusClient, limit: Double) async throws {
        self.client = client
        self.name = name
        self.limit = limit
        unique = try await client.bus("GetNameOwner", [.string(name)]).first?.string ?? ""
        let signals = client.heard.stream(buffer: .bounded(100_000)).numbered
        for interface in Self.interfaces {
            let values = try? await getAll(interface)
            cache.withLock { $0.values[interface] = values }
        }
        let task = Task { [weak self] in
            for await heard in signals {
                guard let self else { return }
                if heard.event.sender == self.unique { self.note(heard.event.signal) }
            }
        }
        listening.withLock { $0 = task }
    }

    deinit { listening.withLock { $0 }?.cancel() }

    private func note(_ signal: BusSignal) {
        let count = cache.withLock { cache in
            cache.signals.append(signal)
            if signal.name == "PropertiesChanged", signal.arguments.count == 3 { cache.note(signal) }
            return cache.signals.count
        }
        arrivals.post(count)
    }

    // MARK: Calls

    func getAll(_ interface: String) async throws -> [String: BusValue] {
        try await call(MPRISName.properties, "GetAll", [.string(interface)]).first?.dictionary ?? [:]
    }

    func get(_ name: String, _ interface: String = MPRISName.player) async throws -> BusValue {
        let answer = try await call(MPRISName.properties, "Get", [.string(interface), .string(name)])
        return answer.first?.content ?? .other("")
    }

    func set(_ name: String, _ value: BusValue, _ interface: String = MPRISName.player) async throws {
        _ = try await call(MPRISName.properties, "Set", [.string(interface), .string(name), .variant(value)])
    }

    @discardableResult
    func player(_ method: String, _ arguments: BusValue...) async throws -> [BusValue] {
        try await call(MPRISName.player, method, arguments)
    }

    func call(_ interface: String, _ method: String, _ arguments: [BusValue] = []) async throws -> [BusValue] {
        try await client.call(name, MPRISName.path, interface, method, arguments)
    }

    // MARK: Signals

    /// The number of signals so far.
    var mark: Int { cache.withLock { $0.signals.count } }

    /// The signals of a name since a mark.
    func signals(_ name: String, since mark: Int) -> [BusSignal] {
        cache.withLock { $0.signals.dropFirst(mark).filter { $0.name == name } }
    }

    /// The value of a property according to signals.
    func known(_ name: String, _ interface: String = MPRISName.player) -> BusValue? {
        cache.withLock { $0.values[interface]?[name] }
    }

    var idleChanges: [String] { cache.withLock { $0.idleChanges } }

    var positionChanges: Int { cache.withLock { $0.positionChanges } }

    /// Whether a property was invalidated since the last call.
    func takeInvalidation(_ name: String, _ interface: String) -> Bool {
        cache.withLock { $0.invalid[interface]?.remove(name) != nil }
    }

    /// The properties according to signals, to compare with the real ones.
    func knownValues(_ interface: String) -> [String: BusValue] { cache.withLock { $0.values[interface] ?? [:] } }

    /// Waits until a condition is true; checks it at every signal and once more at the end.
    ///
    /// - Returns: Whether it became true within the limit.
    func wait(until isReached: @escaping @Sendable (RemotePlayer) async throws -> Bool) async throws -> Bool {
        let arrivals = arrivals.stream(buffer: .newest)
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { [self] in
                for await _ in arrivals where try await isReached(self) { return true }
                return false
            }
            group.addTask { [self] in
                // Reached only when the wait fails.
                guard (try? await Task.sleep(for: .seconds(limit))) != nil else { return false }
                return try await isReached(self)
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    /// Waits for a signal of a name after a mark.
    func wait(for name: String, since mark: Int) async throws -> BusSignal? {
        _ = try await wait { !$0.signals(name, since: mark).isEmpty }
        return signals(name, since: mark).first
    }
}

extension RemotePlayer.PropertyCache {
    fileprivate mutating func note(_ signal: BusSignal) {
        guard let interface = signal.arguments[0].string, let changed = signal.arguments[1].dictionary else { return }
        let invalidated = signal.arguments[2].elements?.compactMap(\.string) ?? []
        if changed["Position"] != nil { positionChanges += 1 }
        let news = changed.filter { values[interface]?[$0.key] != $0.value }
        // The first signal of a property may be older than the answer that began the copy, and tell the same.
        let isRepeated = told[interface, default: []].isSuperset(of: changed.keys)
        told[interface, default: []].formUnion(changed.keys)
        if news.isEmpty, invalidated.isEmpty, isRepeated {
            idleChanges.append(changed.keys.sorted().joined(separator: ", "))
        }
        values[interface, default: [:]].merge(changed) { $1 }
        invalid[interface, default: []].formUnion(invalidated)
    }
}

extension BusClient {
    /// Calls the bus itself.
    func bus(_ method: String, _ arguments: [BusValue] = []) async throws -> [BusValue] {
        try await call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method, arguments)
    }
}
