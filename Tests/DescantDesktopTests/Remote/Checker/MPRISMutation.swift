import Synchronization

@testable import DescantDesktop

/// A fault by which a player breaks a rule; most are from bug reports of real players.
enum MPRISMutation: String, CaseIterable, Sendable {
    case noPropertiesChanged, noSeeked, noSeekedAfterStop, abilitiesNotTold, everyChangeTwice, positionTold
    case trackIDAsText, noTrackID, indexAsTrackID, lengthInNarrowType, artistAsText, albumAsList, yearAlone
    case positionZero, positionInMilliseconds, lengthInSeconds
    case staleSetPositionObeyed, seekAsSetPosition, seekPastEndIgnored, answersAtOnce, rateZeroTaken
    case volumeNegative, desktopEntryAsPath, upperCaseScheme, statusInLowerCase, unknownLoopStatusTaken
    case listNotTold, tracksNotInvalidated, sharedTrackIDs, goToObeysUnknown, reversedIgnored, missingMember

    /// The rules of which at least one must be reported as broken.
    var rules: Set<MPRISRule> {
        switch self {
        case .noPropertiesChanged, .abilitiesNotTold: [.changesTold]
        case .noSeeked: [.seeked]
        case .noSeekedAfterStop: [.seeked, .stopSeeks]
        case .everyChangeTwice, .positionTold: [.onlyChangesTold]
        case .trackIDAsText, .noTrackID, .indexAsTrackID: [.trackIdentity]
        case .lengthInNarrowType, .artistAsText, .albumAsList, .yearAlone: [.metadataTypes]
        case .positionZero, .positionInMilliseconds: [.position]
        case .lengthInSeconds: [.position]
        case .staleSetPositionObeyed: [.staleSetPosition]
        case .seekAsSetPosition, .seekPastEndIgnored: [.seek]
        case .answersAtOnce: [.repliesAfterEffect]
        case .rateZeroTaken, .unknownLoopStatusTaken, .volumeNegative: [.writable]
        case .desktopEntryAsPath, .upperCaseScheme: [.identity]
        case .statusInLowerCase: [.propertyTypes]
        case .listNotTold: [.trackList]
        case .tracksNotInvalidated: [.tracksInvalidated]
        case .sharedTrackIDs: [.uniqueTracks]
        case .goToObeysUnknown: [.goTo]
        case .reversedIgnored: [.playlists]
        case .missingMember: [.introspection]
        }
    }

    /// Whether it is found only when the wait for a signal ends at its limit.
    var withholdsSignals: Bool {
        switch self {
        case .noPropertiesChanged, .noSeeked, .noSeekedAfterStop, .abilitiesNotTold, .listNotTold,
            .tracksNotInvalidated:
            true
        default: false
        }
    }

    // MARK: Values

    /// The value that a client gets for a property.
    func value(of name: String, _ value: BusValue) -> BusValue {
        switch (self, name) {
        case (_, "Metadata"): .dictionary(metadata(value.dictionary ?? [:]))
        case (.positionZero, "Position"): .int64(0)
        case (.positionInMilliseconds, "Position"): .int64((value.int64 ?? 0) / 1000)
        case (.volumeNegative, "Volume") where value.double == 0: .double(-1)
        case (.desktopEntryAsPath, "DesktopEntry"): .string("/usr/share/applications/test.desktop")
        case (.upperCaseScheme, "SupportedUriSchemes"): .strings(["FILE"])
        case (.statusInLowerCase, "PlaybackStatus"): .string((value.string ?? "").lowercased())
        case (.sharedTrackIDs, "Tracks"): .paths((value.elements ?? []).map { _ in "/org/descant/Track/same" })
        default: value
        }
    }

    private func metadata(_ entries: [String: BusValue]) -> [String: BusValue] {
        var entries = entries
        switch self {
        case .trackIDAsText: entries["mpris:trackid"] = entries["mpris:trackid"]?.path.map { .string($0) }
        case .noTrackID: entries["mpris:trackid"] = nil
        case .indexAsTrackID: entries["mpris:trackid"] = .path("/org/mpris/MediaPlayer2/Track/0")
        case .lengthInNarrowType: entries["mpris:length"] = entries["mpris:length"].map { _ in .int32(60_000_000) }
        case .lengthInSeconds: entries["mpris:length"] = entries["mpris:length"].map { _ in .int64(60) }
        case .artistAsText: entries["xesam:artist"] = entries["xesam:artist"].map { _ in .string("One") }
        case .albumAsList: entries["xesam:album"] = entries["xesam:album"].map { _ in .strings(["Album"]) }
        case .yearAlone: entries["xesam:contentCreated"] = entries["xesam:contentCreated"].map { _ in .string("1984") }
        default: break
        }
        return entries
    }

    // MARK: Signals

    /// The signals that are sent in place of a signal.
    func signals(for signal: BusSignal) -> [BusSignal] {
        switch (self, signal.name) {
        case (.noPropertiesChanged, "PropertiesChanged"), (.noSeeked, "Seeked"): []
        case (.noSeekedAfterStop, "Seeked") where signal.arguments == [.int64(0)]: []
        case (.listNotTold, "TrackAdded"), (.listNotTold, "TrackRemoved"), (.listNotTold, "TrackListReplaced"): []
        case (.everyChangeTwice, "PropertiesChanged"): [changed(signal), changed(signal)]
        case (_, "PropertiesChanged"): [changed(signal)]
        default: [signal]
        }
    }

    private func changed(_ signal: BusSignal) -> BusSignal {
        var signal = signal
        var changed = signal.arguments[1].dictionary ?? [:]
        for (name, value) in changed { changed[name] = self.value(of: name, value) }
        if self == .abilitiesNotTold { changed = changed.filter { !$0.key.hasPrefix("Can") } }
        if self == .positionTold, signal.arguments[0] == .string(MPRISName.player) { changed["Position"] = .int64(1) }
        signal.arguments[1] = .dictionary(changed)
        if self == .tracksNotInvalidated { signal.arguments[2] = .strings([]) }
        return signal
    }

    // MARK: Requests

    /// The request that the player gets; `nil` when the request is dropped and the client gets a successful reply.
    func request(_ kind: BusRequest.Kind, current: String?) -> BusRequest.Kind? {
        switch (self, kind) {
        case (.staleSetPositionObeyed, .call(let interface, "SetPosition", let arguments)):
            .call(interface: interface, method: "SetPosition", [.path(current ?? "/")] + arguments.dropFirst())
        case (.seekAsSetPosition, .call(let interface, "Seek", let arguments)):
            .call(interface: interface, method: "SetPosition", [.path(current ?? "/")] + arguments)
        case (.seekPastEndIgnored, .call(_, "Seek", [.int64(3_600_000_000)])): nil
        case (.rateZeroTaken, .set(_, "Rate", .double(0))): nil
        case (.unknownLoopStatusTaken, .set(_, "LoopStatus", .string("Sometimes"))): nil
        case (.goToObeysUnknown, .call(let interface, "GoTo", [.path("/some/other")])):
            .call(interface: interface, method: "GoTo", [.path("/org/descant/Track/_e2_84_96_201")])
        case (.reversedIgnored, .call(let interface, "GetPlaylists", let arguments)):
            .call(interface: interface, method: "GetPlaylists", arguments.dropLast() + [.bool(false)])
        default: kind
        }
    }

    /// Whether commands are answered before they have taken effect.
    var answersEarly: Bool { self == .answersAtOnce }

    func introspection(_ xml: String) -> String {
        self == .missingMember
            ? xml.replacing("<method name='OpenUri'><arg direction='in' type='s' name='Uri'/></method>", with: "") : xml
    }
}
