internal import ArgumentParser
internal import Descant
internal import Foundation
internal import PlayerIntegration

/// The options that `play` and `render` share.
struct PlayingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Overlap of tracks: 0 for gapless joins, or 1 to 30.", valueName: "seconds"))
    var crossfade: Double?

    @Option(help: ArgumentHelp("The curve of crossfades. (default: equalPower)", valueName: "curve"))
    var curve: FadeCurve?

    @Flag(
        inversion: .prefixedNo, exclusivity: .chooseLast,
        help: "Join the tracks of an album gapless, whatever --crossfade says.")
    var gaplessAlbums: Bool?

    @Option(
        name: .customLong("repeat"), help: ArgumentHelp("What happens at the end. (default: off)", valueName: "mode"))
    var repeats: RepeatChoice?

    @Option(help: ArgumentHelp("How often it is repeated after the first time. (default: endless)", valueName: "n"))
    var repeatCount: Int?

    @Flag(inversion: .prefixedNo, exclusivity: .chooseLast, help: "Play in a random order.")
    var shuffle: Bool?

    @Option(
        help: ArgumentHelp("Shuffle in the same order for the same number, which implies --shuffle.", valueName: "seed")
    )
    var shuffleSeed: UInt64?

    @Option(help: ArgumentHelp("Master volume, 0 to 100. (default: 100)", valueName: "percent"))
    var volume: Int?

    @Option(
        name: .customLong("replaygain"),
        help: ArgumentHelp("Which loudness tags are used. (default: off)", valueName: "mode"))
    var replayGain: ReplayGainMode?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Gain on top of the loudness tags, -15 to 15. (default: 0)", valueName: "dB"))
    var preamp: Double?

    @Option(
        parsing: .singleValue, help: ArgumentHelp("A sound over the tracks; repeatable.", valueName: "file"),
        completion: .file())
    var overlay: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            """
            The overlay's volume, 0 to 1; the second one belongs to the second overlay, and so on. (default: 0.3; render: 1)
            """,
            valueName: "volume"))
    var overlayVolume: [Double] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "How often the overlay is played: a number, or \"infinite\". (default: infinite; render: 1)", valueName: "n"
        ))
    var overlayLoop: [LoopCount] = []

    @Option(
        parsing: .singleValue, help: ArgumentHelp("Silence between passes of the overlay.", valueName: "seconds"))
    var overlayDelay: [Double] = []

    @Option(
        name: .customLong("effect"), parsing: .singleValue,
        help: ArgumentHelp("A sound at a time of the output; repeatable.", valueName: "file@seconds"))
    var effects: [EffectTime] = []

    @Option(
        help: ArgumentHelp("Decibels by which tracks make way for overlays and effects, 0 to 60.", valueName: "dB"))
    var duck: Double?

    @Option(
        name: .customLong("eq"), parsing: .unconditional,
        help: ArgumentHelp(
            "The equaliser: \(EqualizerChoice.words.joined(separator: ", ")), or ten gains in decibels, -12 to 12, for 32 Hz to 16 kHz, joined by commas.",
            valueName: "preset or gains"))
    var equalizer: EqualizerChoice?

    @Option(
        name: .customLong("insert"), parsing: .singleValue,
        help: ArgumentHelp(
            "An effect of a plugin on the whole mix, such as reverb, or reverb:mix=0.4,size=0.9; repeatable.",
            valueName: "effect"))
    var inserts: [InsertChoice] = []

    @Option(help: ArgumentHelp("Speed, 0.5 to 3; the pitch is kept. (default: 1)", valueName: "rate"))
    var rate: Double?

    @Option(
        name: .customLong("command"), parsing: .singleValue,
        help: ArgumentHelp(
            "A command at a time of the output: \(TimelineCommand.syntax). Repeatable.", valueName: "seconds=command"),
        transform: TimelineStep.init(parsing:))
    var commands: [TimelineStep] = []

    func validate() throws {
        guard volume.map({ (0...100).contains($0) }) ?? true else { throw ValidationError("--volume: use 0 to 100") }
        guard crossfade.map({ $0 == 0 || (1...30).contains($0) }) ?? true else {
            throw ValidationError("--crossfade: use 0, or 1 to 30")
        }
        guard repeatCount.map({ $0 >= 0 }) ?? true else { throw ValidationError("--repeat-count: use 0 or more") }
        guard repeatCount == nil || repeats ?? .off != .off else {
            throw ValidationError("--repeat-count says how often; add --repeat track or --repeat playlist")
        }
        guard preamp.map({ (-15...15).contains($0) }) ?? true else { throw ValidationError("--preamp: use -15 to 15") }
        let settings = [
            "volume": overlayVolume.count, "loop": overlayLoop.count, "delay": overlayDelay.count,
        ]
        for (name, count) in settings.sorted(by: { $0.key < $1.key }) where count > overlay.count {
            throw ValidationError("--overlay-\(name) belongs to an overlay; add --overlay FILE for each")
        }
        guard overlayVolume.allSatisfy({ (0...1).contains($0) }) else {
            throw ValidationError("--overlay-volume: use 0 to 1")
        }
        guard overlayDelay.allSatisfy({ (0...600).contains($0) }) else {
            throw ValidationError("--overlay-delay: use 0 to 600 seconds")
        }
        guard duck.map({ (0...60).contains($0) }) ?? true else { throw ValidationError("--duck: use 0 to 60") }
        guard rate.map({ (0.5...3).contains($0) }) ?? true else { throw ValidationError("--rate: use 0.5 to 3") }
    }

    /// The first given option that needs the mixer or the playlist of the built-in player; an engine plays one content after the other.
    var beyondEngines: String? {
        let given: [(String, Bool)] = [
            ("crossfade", (crossfade ?? 0) > 0), ("curve", curve ?? .equalPower != .equalPower),
            ("preamp", (preamp ?? 0) != 0), ("gapless-albums", gaplessAlbums == true),
            ("repeat", repeats ?? .off != .off),
            ("shuffle", shuffle == true || shuffleSeed != nil), ("volume", (volume ?? 100) != 100),
            ("replaygain", replayGain ?? .off != .off),
            ("overlay", !overlay.isEmpty), ("effect", !effects.isEmpty), ("duck", duck != nil),
            ("eq", equalizer?.settings.isEnabled == true), ("insert", !inserts.isEmpty),
            ("rate", rate ?? 1 != 1), ("command", !commands.isEmpty),
        ]
        return given.first(where: \.1)?.0
    }

    /// The options as the players take them.
    ///
    /// - Parameters:
    ///   - crossfade: The overlap when none was given.
    ///   - overlay: The default settings of overlays.
    func options(crossfade standard: Double = 0, overlay: OverlayDefaults) -> PlayOptions {
        var configuration = PlayerConfiguration(
            crossfadeDuration: crossfade ?? standard, fadeCurve: curve ?? .equalPower,
            repeatMode: (repeats ?? .off).mode, repeatCount: repeatCount, volume: volume ?? 100)
        configuration.gaplessAlbums = gaplessAlbums ?? false
        var options = PlayOptions(configuration: configuration)
        options.shuffleSeed = shuffleSeed ?? (shuffle == true ? UInt64.random(in: .min ... .max) : nil)
        options.rate = rate ?? 1
        options.replayGain = ReplayGainSettings(mode: replayGain ?? .off, preamp: preamp ?? 0)
        if let equalizer { options.equalizer = equalizer.settings }
        options.overlays = overlays(overlay)
        options.ducking = duck.map { Ducking(amount: $0) }
        options.steps = commands + effects.map { TimelineStep(at: $0.at, .effect($0.url)) }
        return options
    }

    /// The effects on the mix, made by their plugins.
    func effects(from plugins: PluginRegistry) throws -> [EffectInsert] {
        try inserts.map { EffectInsert($0.name, try plugins.makeEffect($0.name), values: $0.values) }
    }

    /// The default settings of overlays.
    struct OverlayDefaults {
        let volume: Double
        let passes: Int?
        let fade: Double
    }

    private func overlays(_ defaults: OverlayDefaults) -> [OverlayRequest] {
        overlay.enumerated().map { number, file in
            let passes = overlayLoop.isEmpty ? defaults.passes : value(number, of: overlayLoop)?.passes
            return OverlayRequest(
                url: InputExpander.url(for: file), volume: value(number, of: overlayVolume) ?? defaults.volume,
                passes: passes, delay: value(number, of: overlayDelay) ?? 0, fade: defaults.fade)
        }
    }

    /// The value for an overlay; the last value is used for all further overlays.
    private func value<Value>(_ number: Int, of values: [Value]) -> Value? {
        values.indices.contains(number) ? values[number] : values.last
    }
}
