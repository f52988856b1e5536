internal import Dispatch
internal import Foundation
internal import Synchronization

/// A provision in a registry, from a bundle or from the host.
final class RegisteredProvider: Sendable {
    /// Whether a decoder scores files (``DecoderProbe``).
    enum Judgement: Sendable {
        case unknown
        case none
        case decoder(Judge)
    }

    /// A decoder that scores one file at a time.
    final class Judge: Sendable {
        private let probe: Mutex<any DecoderProbe>

        init(_ probe: sending any DecoderProbe) { self.probe = Mutex(probe) }

        func score(_ input: ProbeInput) -> ProbeScore { probe.withLock { $0.score(input) } }
    }

    let provision: PluginProvision
    /// The bundle that provides it; `nil` for the host's own.
    let bundle: PluginBundle?
    /// The processes that it runs in; `nil` for this one.
    let helpers: HelperPool?
    /// The queue that the scoring decoder runs on.
    let judging = DispatchQueue(label: "descant.plugin.score", qos: .userInitiated)
    private let known = Mutex(Judgement.unknown)

    init(_ provision: PluginProvision, bundle: PluginBundle? = nil, helpers: HelperPool? = nil) {
        self.provision = provision
        self.bundle = bundle
        self.helpers = helpers
    }

    /// The bundle's identifier; `nil` for the host's own.
    var plugin: String? { bundle?.manifest.id }

    /// "flac of org.descant.flac".
    var name: String { plugin.map { "\(provision.identifier) of \($0)" } ?? "\(provision.identifier), built in" }

    /// The bundle's folder; for the host's own, the folder of the core's library.
    var folder: URL {
        bundle.map { URL(fileURLWithPath: $0.path, isDirectory: true) }
            ?? URL(fileURLWithPath: HostImage.path).deletingLastPathComponent()
    }

    /// Whether its bundle was not found unusable.
    var isUsable: Bool { bundle?.failure == nil }

    /// Whether the decoder scores files.
    var judgement: Judgement { known.withLock { $0 } }

    /// Scores a file in a helper.
    ///
    /// - Returns: `nil` for a decoder that does not score, and outside of helpers.
    /// - Throws: ``CoreError/ioError(underlying:)`` when the helper crashed or took too long; ``PluginError`` for a bundle that cannot be
    ///   loaded.
    func scoreInHelper(_ input: ProbeInput) throws -> ProbeScore? {
        guard let helpers else { return nil }
        if case .none = judgement { return nil }
        let score = try helpers.score(input, decoder: provision.identifier)
        if score == nil { known.withLock { $0 = .none } }
        return score
    }

    /// Determines whether a decoder scores files.
    ///
    /// - Parameter decoder: A new one; it is kept for scoring.
    func learn(from decoder: sending any DecoderPort) -> Judgement {
        var found = Judgement.none
        if let probe = decoder as? any DecoderProbe {
            // Safe: the parameter is `sending`, so no other reference exists.
            nonisolated(unsafe) let own = probe
            found = .decoder(Judge(own))
        }
        return known.withLock { known in
            if case .unknown = known { known = found }
            return known
        }
    }
}
