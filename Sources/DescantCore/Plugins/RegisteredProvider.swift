internal import Foundation
internal import Synchronization

/// One provision in a registry, from a bundle or from the host, with what is needed to make and rank it.
final class RegisteredProvider: Sendable {
    enum Origin: Sendable {
        case bundle(PluginBundle)
        case host(BuiltInProvider)
    }

    private enum Probe {
        case unknown
        case none
        case decoder(any DecoderProbe)
    }

    let provision: PluginProvision
    let origin: Origin
    private let probe = Mutex(Probe.unknown)

    init(_ provision: PluginProvision, origin: Origin) {
        self.provision = provision
        self.origin = origin
    }

    /// The bundle's identifier; `nil` for the host's own.
    var plugin: String? {
        switch origin {
        case .bundle(let bundle): bundle.manifest.id
        case .host: nil
        }
    }

    /// "flac of org.descant.flac".
    var name: String { plugin.map { "\(provision.identifier) of \($0)" } ?? "\(provision.identifier), built in" }

    /// The folder that a context names; the host's own have the folder of the core's library.
    var folder: URL {
        switch origin {
        case .bundle(let bundle): URL(fileURLWithPath: bundle.path, isDirectory: true)
        case .host: URL(fileURLWithPath: HostImage.path).deletingLastPathComponent()
        }
    }

    /// Scores a file by the decoder's own judgement where it has one, else by the manifest's score.
    ///
    /// - Parameters:
    ///   - input: What is known of the file.
    ///   - declared: The score by the manifest.
    ///   - make: Makes the decoder; used once.
    /// - Throws: Why the decoder cannot be made.
    func score(
        _ input: ProbeInput, declared: ProbeScore, make: () throws -> sending any DecoderPort
    ) throws -> ProbeScore {
        try probe.withLock { probe in
            if case .unknown = probe {
                let decoder = try make()
                if let judge = decoder as? any DecoderProbe { probe = .decoder(judge) } else { probe = .none }
            }
            if case .decoder(let judge) = probe { return judge.score(input) }
            return declared
        }
    }
}
