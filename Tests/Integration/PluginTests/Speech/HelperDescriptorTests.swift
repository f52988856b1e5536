import Descant
import DescantTesting
import Foundation
import Testing

/// What the helpers of EspeakSpeech inherit, and what they may do.
@Suite(.timeLimit(.minutes(5))) struct HelperDescriptorTests {
    @Test func helperInheritsNoDescriptors() async throws {
        let helper = try HelperShelf()
        let folder = try TemporaryDirectory()
        let secret = try folder.write(Data("secret".utf8), to: "secret")
        // As a host's own code or a library in it opens them: without the flag that closes them in other programs.
        let inherited = (0..<20).map { _ in open(secret.path, O_RDONLY) }
        defer { for descriptor in inherited { close(descriptor) } }
        #expect(inherited.allSatisfy { $0 > 2 })

        let synthesizer = try helper.registry().makeSpeechSynthesizer("espeak")
        #expect(try await Speech(synthesizer, SpeechRequest(text: "Apple, river.")).peak > 0.05)
        try await helper.waitForHelpers()
        for process in helper.helpers {
            var (files, others) = try self.files(of: process)
            // The helper that has served nobody may still read its bundle and libraries.
            while !others.isEmpty, !Task.isCancelled {
                await Task.yield()
                (files, others) = try self.files(of: process)
            }
            #expect(others == [], "\(files)")
            #expect(files.values.count { $0.hasPrefix("socket:") } == 2, "\(files)")
        }
        await synthesizer.shutdown()
    }

    /// The open files of a helper, and those that are not what every helper has.
    private func files(of process: pid_t) throws -> (all: [Int: String], others: [String]) {
        let files = try Processes.files(of: process)
        let others = files.values.filter { file in
            !["/dev/null", "socket:", "anon_inode:", "/memfd:descant"].contains { file.hasPrefix($0) }
        }
        return (files, others)
    }

    @Test func helperHasGivenUpItsRights() async throws {
        let helper = try HelperShelf()
        let synthesizer = try helper.registry().makeSpeechSynthesizer("espeak")
        _ = try await synthesizer.voices()
        #expect(!helper.helpers.isEmpty)
        for process in helper.helpers {
            let status = try Processes.text("status", of: process)
            #expect(status.contains("NoNewPrivs:\t1\n") && status.contains("Seccomp:\t2\n"))
            let limits = try Processes.text("limits", of: process).split(separator: "\n")
            #expect(limits.contains { $0.wholeMatch(of: #/Max file size +0 +0 +bytes */#) != nil })
        }
        await synthesizer.shutdown()
    }
}
