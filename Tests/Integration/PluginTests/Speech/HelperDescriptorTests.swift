import Descant
import DescantTesting
import Foundation
import Testing

/// The descriptors that the helper of espeak-ng inherits.
@Suite struct HelperDescriptorTests {
    @Test func helperInheritsNoDescriptors() async throws {
        let shelf = try BundleShelf()
        let helper = try SpeechBundle.copyEspeak(to: shelf)
        let folder = try TemporaryDirectory()
        let secret = try folder.write(Data("secret".utf8), to: "secret")
        // As a host's own code or a library in it opens them: without the flag that closes them in other programs.
        let inherited = (0..<20).map { _ in open(secret.path, O_RDONLY) }
        defer { for descriptor in inherited { close(descriptor) } }
        #expect(inherited.allSatisfy { $0 > 2 })

        let synthesizer = try shelf.registry().makeSpeechSynthesizer("espeak")
        _ = try await synthesizer.voices()
        let processes = Processes.running(helper)
        #expect(!processes.isEmpty)
        for process in processes {
            let files = try Processes.files(of: process)
            #expect(files.count == 3 && files[0]?.hasPrefix("socket:") == true, "\(files)")
            #expect(files[1] == "/dev/null" && files[2] == "/dev/null", "\(files)")
        }
        // And it speaks.
        #expect(try await Speech(synthesizer, SpeechRequest(text: "Apple, river.")).peak > 0.05)
        await synthesizer.shutdown()
    }
}
