import CGio
import DescantCore
import Foundation

/// A bus that nobody listens to.
private struct SilentBus: BusEmitter {
    func post(_ work: @escaping @Sendable () -> Void) { work() }
    func post(after seconds: Double, _ work: @escaping @Sendable () -> Void) {}
    func emit(_ signal: BusSignal) { signal.arguments.forEach(checkRoundTrip) }
}

/// The types that messages of other programs have, and a few that they should not have.
private let types = [
    "v", "a{sv}", "(sa{sv}as)", "(ox)", "(s)", "(sob)", "(ao)", "(uusb)", "aa{sv}", "(a{sv}o)", "x", "d", "as", "ay",
    "a{us}",
    "(iiibiiay)", "mv", "h",
]

/// Gives a player on the bus a request of a client, made of arbitrary bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ bytes: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 4 else { return 0 }
    checkPath(String(decoding: UnsafeBufferPointer(start: bytes + 4, count: size - 4), as: UTF8.self))
    // Clients are checked by GDBus, which hands over values in normal form.
    let type = g_variant_type_new(types[Int(bytes[0]) % types.count])
    defer { g_variant_type_free(type) }
    let memory = g_bytes_new(bytes + 4, gsize(size - 4))
    defer { g_bytes_unref(memory) }
    let message = g_variant_ref_sink(g_variant_new_from_bytes(type, memory, 0))
    let variant = g_variant_get_normal_form(message)
    g_variant_unref(message)
    guard let variant else { return 0 }
    let value = BusValue(variant)
    g_variant_unref(variant)
    checkRoundTrip(value)
    request(value, to: player(UInt32(bytes[1]) | UInt32(bytes[2]) << 8), Int(bytes[3]))
    return 0
}

private func player(_ abilities: UInt32) -> MPRISObject {
    let identity = RemoteIdentity(name: "fuzz", displayName: "Fuzz", uriSchemes: ["file", "http"], hasPlaylists: true)
    let object = MPRISObject(identity, emitter: SilentBus())
    let tracks = ["a", "ü/ ", ""].map { NowPlayingTrack(id: NowPlayingTrack.ID(rawValue: $0), title: $0) }
    object.show(
        NowPlaying(
            status: .playing, track: tracks[0], tracks: tracks, rateRange: 0.5...2, repeats: .off, isShuffled: false,
            playlists: [NowPlayingPlaylist(id: NowPlayingPlaylist.ID(rawValue: "list"), name: "List")],
            abilities: RemoteAbilities(rawValue: abilities)))
    return object
}

private func request(_ value: BusValue, to player: MPRISObject, _ number: Int) {
    let methods = [
        (MPRISName.root, ["Raise"]), (MPRISName.player, ["Seek", "SetPosition", "OpenUri"]),
        (MPRISName.trackList, ["GetTracksMetadata", "AddTrack", "RemoveTrack", "GoTo"]),
        (MPRISName.playlists, ["ActivatePlaylist", "GetPlaylists"]),
    ].flatMap { interface, names in names.map { (interface, $0) } }
    let properties = ["Rate", "Volume", "LoopStatus", "Shuffle", "Position", "Fullscreen"]
    let (interface, method) = methods[number % methods.count]
    let kind: BusRequest.Kind =
        switch number >> 6 {
        case 0: .call(interface: interface, method: method, value.parts ?? [value])
        case 1: .set(interface: MPRISName.player, property: properties[number % properties.count], value)
        case 2: .get(interface: interface, property: properties[number % properties.count])
        default: .getAll(interface: interface)
        }
    player.handle(
        BusRequest(kind: kind) { answer in
            if case .success(let values) = answer { values.forEach(checkRoundTrip) }
        })
    player.commands.close()
}

/// A value that is written has to be the same when it is read; of types that are not supported only the signature is kept.
private func checkRoundTrip(_ value: BusValue) {
    guard isSupported(value), let made = value.makeVariant() else { return }
    let variant = g_variant_ref_sink(made)
    defer { g_variant_unref(variant) }
    guard let variant, g_variant_is_normal_form(variant) != 0 else {
        fatalError("\(value) is not written in normal form")
    }
    let copy = BusValue(variant)
    guard copy == value || "\(copy)".contains("nan") else { fatalError("\(value) is read back as \(copy)") }
}

private func isSupported(_ value: BusValue) -> Bool {
    switch value {
    case .other: false
    case .array(_, let values), .tuple(let values): values.allSatisfy(isSupported)
    case .dictionary(let entries): entries.values.allSatisfy(isSupported)
    case .variant(let content): isSupported(content)
    default: true
    }
}

/// The name of a track survives its way through an object path.
private func checkPath(_ text: String) {
    let id = NowPlayingTrack.ID(rawValue: text)
    guard MPRISPath.track(MPRISPath.track(id)) == id else { fatalError("the path of the track \(text) is another's") }
    _ = MPRISPath.track("/org/descant/Track/" + text)
    _ = MPRISName.bus(text)
}
