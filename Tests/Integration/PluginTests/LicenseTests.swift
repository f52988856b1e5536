import Descant
import DescantTesting
import Foundation
import Testing

/// A host that refuses bundles of certain licences, with the first-party bundles.
@Suite struct LicenseTests {
    private let shelf: BundleShelf

    init() throws { shelf = try BundleShelf() }

    private func registry(_ licenses: LicensePolicy) -> PluginRegistry {
        let registry = PluginRegistry(searchPath: [shelf.folder], licenses: licenses, logger: shelf.logger)
        registry.scan()
        return registry
    }

    @Test func hostWithoutGPLUsesFlite() async throws {
        let espeak = try SpeechBundle.copyEspeak(to: shelf)
        let source = try SpeechBundle("FliteSpeech").folder
        try FileManager.default.copyItem(
            at: source, to: shelf.folder.appendingPathComponent(source.lastPathComponent))

        let strict = registry(.withoutGPL)
        #expect(strict.available.map(\.manifest.id) == ["org.descant.flite"])
        #expect(strict.providers(of: .speech).map(\.provision.identifier) == ["flite"])
        let refused = try #require(strict.unavailable.first)
        #expect(refused.identifier == "org.descant.espeak" && refused.path == espeak.path)
        let words = ["EspeakSpeech.descantplugin", "Apache-2.0 AND GPL-3.0-or-later", "LicensePolicy", "forbidden"]
        for word in words { #expect("\(refused.error)".contains(word), "\(refused.error)") }
        #expect(shelf.logger.messages(.warning).contains { $0.contains("GPL-3.0-or-later") })
        // Requested by name, the error names the licence, and no code of the bundle was loaded or started.
        #expect(throws: refused.error) { _ = try strict.makeSpeechSynthesizer("espeak") }
        strict.verify()
        #expect(try !LoadedImages.contain(libraryOf: espeak))
        #expect(Processes.serving(espeak) == [])
        let speech = try await Speech(strict.makeSpeechSynthesizer("flite"), SpeechRequest(text: "Apple, river."))
        #expect(speech.peak > 0.05)

        // The same bundle in a host that accepts all licences.
        let synthesizer = try registry(.any).makeSpeechSynthesizer("espeak")
        #expect(try await Speech(synthesizer, SpeechRequest(text: "Apple, river.")).peak > 0.05)
        #expect(!Processes.serving(espeak).isEmpty)
        #expect(try !LoadedImages.contain(libraryOf: espeak))
        await synthesizer.shutdown()
    }

    /// The licence in manifest.json decides before the library is loaded; one that is not the library's is found when it is.
    @Test func licenceMismatchBetweenManifestAndLibraryIsRefused() throws {
        let bundle = try shelf.write(BuiltLibrary.fixture("FixtureGood"))
        try shelf.changeManifest(of: bundle) { $0.license = "GPL-2.0-only OR AGPL-3.0-only" }
        let strict = registry(.withoutGPL)
        #expect(strict.available.isEmpty)
        guard case .licenseRefused = strict.unavailable.first?.error else {
            Issue.record("\(strict.unavailable)")
            return
        }
        #expect(try !BundleShelf.ran(bundle))
        let lax = registry(.any)
        #expect(throws: PluginError.self) { _ = try lax.makeDecoder("fixture") }
        guard case .manifestMismatch(_, "license", _, _) = lax.unavailable.first?.error else {
            Issue.record("\(lax.unavailable)")
            return
        }
    }

    /// A refused bundle does not take the identity of one that can be used.
    @Test func refusedBundleDoesNotHideAnother() throws {
        let first = try shelf.write(BuiltLibrary.fixture("FixtureGood"), named: "A")
        let second = try shelf.write(BuiltLibrary.fixture("FixtureGood"), named: "B")
        try shelf.changeManifest(of: first) { $0.license = "GPL-3.0-only" }
        let strict = registry(LicensePolicy(permitted: ["Apache-2.0"]))
        #expect(strict.available.map(\.path) == [second.path])
        #expect(throws: Never.self) { _ = try strict.makeDecoder("fixture") }
    }
}
