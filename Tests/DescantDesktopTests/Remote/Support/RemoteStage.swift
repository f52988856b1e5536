import DescantCore
import DescantPlayback
import DescantTestSupport
import DescantTesting
import Foundation

@testable import DescantDesktop

/// A player on a private bus, and a client.
struct RemoteStage {
    static let identity = RemoteIdentity(
        name: "descant_test", displayName: "Descant tést", desktopEntry: "org.descant.test", hasPlaylists: true)
    /// The time limit for expected events, in seconds.
    static let patience = 60.0

    let bus: PrivateBus
    let remote: MPRISRemote
    let bridge: RemoteControlBridge
    let client: BusClient
    let name: String

    init(
        _ player: any RemoteControllable, on bus: PrivateBus? = nil, mutation: MPRISMutation? = nil,
        identity: RemoteIdentity = identity, options: RemoteControlOptions = RemoteControlOptions()
    ) async throws {
        let bus = try bus ?? PrivateBus()
        self.bus = bus
        remote =
            mutation.map { Self.mutant($0, bus, identity) } ?? MPRISRemote(identity: identity, busAddress: bus.address)
        bridge = RemoteControlBridge(player: player, remote: remote, options: options)
        await bridge.start()
        name = try await Self.ownedName(of: remote)
        client = try await BusClient(bus.address)
    }

    private static func mutant(_ mutation: MPRISMutation, _ bus: PrivateBus, _ identity: RemoteIdentity) -> MPRISRemote
    {
        let presence = BusPresence(
            address: bus.address, name: MPRISName.bus(identity.name), path: MPRISName.path, logger: NoopLogger())
        let object = MPRISObject(identity, emitter: MutantEmitter(emitter: presence, mutation: mutation))
        return MPRISRemote(presence, object, exported: MutantObject(object, mutation))
    }

    /// Waits until a remote control has a name on the bus.
    static func ownedName(of remote: MPRISRemote) async throws -> String {
        for await name in remote.nameUpdates { if let name { return name } }
        throw CoreError.invalidState("the remote control was closed")
    }

    /// Leaves the bus, and waits until the name is free: a close waits for that 1 s at most.
    func leave() async throws {
        await bridge.close()
        let limit = ContinuousClock.now + .seconds(Self.patience)
        while try await client.bus("NameHasOwner", [.string(name)]).first == .bool(true), ContinuousClock.now < limit {}
    }

    /// The player as clients see it.
    func view(limit: Double = patience) async throws -> RemotePlayer {
        try await RemotePlayer(name, client, limit: limit)
    }
}
