internal import Dispatch
internal import Foundation
internal import Synchronization

/// One provision in a registry, from a bundle or from the host, with what is needed to make and rank it.
final class RegisteredProvider: Sendable {
    /// Whether the decoder judges files itself.
    enum Judgement: Sendable {
        case unknown
        case none
        case decoder(Judge)
    }

    /// A decoder that judges files, asked about one at a time.
    final class Judge: Sendable {
        private let probe: Mutex<any DecoderProbe>

        init(_ probe: sending any DecoderProbe) { self.probe = Mutex(probe) }

        func score(_ input: ProbeInput) -> ProbeScore { probe.withLock { $0.score(input) } }
    }

    let provision: PluginProvision
    /// The bundle that provides it; `nil` for the host's own.
    let bundle: PluginBundle?
    /// Where the judging decoder is asked.
    let judging = DispatchQueue(label: "descant.plugin.score", qos: .userInitiated)
    private let known = Mutex(Judgement.unknown)

    init(_ provision: PluginProvision, bundle: PluginBundle? = nil) {
        self.provision = provision
        self.bundle = bundle
    }

    /// The bundle's identifier; `nil` for the host's own.
    var plugin: String? { bundle?.manifest.id }

    /// "flac of org.descant.flac".
    var name: String { plugin.map { "\(provision.identifier) of \($0)" } ?? "\(provision.identifier), built in" }

    /// The folder that a context names; the host's own have the folder of the core's library.
    var folder: URL {
        bundle.map { URL(fileURLWithPath: $0.path, isDirectory: true) }
            ?? URL(fileURLWithPath: HostImage.path).deletingLastPathComponent()
    }

    /// Whether its bundle was not found unusable.
    var isUsable: Bool { bundle?.failure == nil }

    /// Whether the decoder judges files itself.
    var judgement: Judgement { known.withLock { $0 } }

    /// Finds out whether a decoder judges files.
    ///
    /// - Parameter decoder: A new one, which is kept for judging.
    func learn(from decoder: sending any DecoderPort) -> Judgement {
        var found = Judgement.none
        if let probe = decoder as? any DecoderProbe {
            // Safe: the decoder was handed over, and nobody else keeps it.
            nonisolated(unsafe) let own = probe
            found = .decoder(Judge(own))
        }
        return known.withLock { known in
            if case .unknown = known { known = found }
            return known
        }
    }
}
