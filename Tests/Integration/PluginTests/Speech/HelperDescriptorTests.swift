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

/// What the helper of espeak-ng may do, asked for by its own messages: no host has to be trusted to check them.
@Suite struct HelperRightsTests {
    /// The last byte of the helper's message `E`, and the bytes of sound before it.
    private struct Answer: Equatable {
        var reason: UInt8
        var hasSound: Bool
    }

    @Test func voiceOutsideOfTheDataIsNotRead() async throws {
        let folder = try TemporaryDirectory()
        let foreign = try folder.write(Data("name foreign\nlanguage en\npitch 200 220\n".utf8), to: "foreign")
        let helper = try RawHelper()
        defer { helper.end() }
        #expect(try helper.speak("Apple, river.", voice: "en") == Answer(reason: 0, hasSound: true))
        let path = String(repeating: "../", count: 12) + foreign.path.dropFirst()
        #expect(try helper.speak("Apple, river.", voice: path) == Answer(reason: 2, hasSound: false))
        #expect(try helper.speak("Apfel, Fluss.", voice: "de") == Answer(reason: 0, hasSound: true))
    }

    @Test func helperHasGivenUpItsRights() throws {
        let helper = try RawHelper()
        defer { helper.end() }
        #expect(try helper.speak("Apple.", voice: "en").reason == 0)
        let status = try String(contentsOfFile: "/proc/\(helper.process)/status", encoding: .utf8)
        #expect(status.contains("NoNewPrivs:\t1\n") && status.contains("Seccomp:\t2\n"))
        let limits = try String(contentsOfFile: "/proc/\(helper.process)/limits", encoding: .utf8)
        #expect(limits.split(separator: "\n").contains { $0.wholeMatch(of: #/Max file size +0 +0 +bytes */#) != nil })
    }

    /// The helper of the installed bundle, at the other end of a socket.
    private final class RawHelper {
        private let program = Process()
        private let socket: FileHandle
        private let shelf: BundleShelf
        private var received = Data()

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            socket = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
            shelf = try BundleShelf()
            program.executableURL = try SpeechBundle.copyEspeak(to: shelf)
            program.standardInput = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
            program.standardOutput = FileHandle.nullDevice
            try program.run()
        }

        var process: pid_t { program.processIdentifier }

        func end() {
            kill(process, SIGKILL)
            program.waitUntilExit()
        }

        func speak(_ text: String, voice: String) throws -> Answer {
            var message: [UInt8] = [UInt8(ascii: "S"), 1, 0, 0, 0, 175, 0, 50, UInt8(voice.utf8.count)]
            message += Array(voice.utf8) + Array(text.utf8)
            let length = withUnsafeBytes(of: UInt32(message.count).littleEndian) { Array($0) }
            try socket.write(contentsOf: Data(length + message))
            var hasSound = false
            while true {
                let answer = try nextMessage()
                switch answer.first {
                case UInt8(ascii: "P"): hasSound = hasSound || answer.count > 5
                case UInt8(ascii: "E"): return Answer(reason: try #require(answer.last), hasSound: hasSound)
                default: break
                }
            }
        }

        private func nextMessage() throws -> [UInt8] {
            let head = try read(4)
            return try read(head.reversed().reduce(0) { $0 << 8 | Int($1) })
        }

        private func read(_ count: Int) throws -> [UInt8] {
            while received.count < count {
                // Blocks until the helper sends something, or ends.
                let part = socket.availableData
                try #require(!part.isEmpty, "the helper has ended")
                received.append(part)
            }
            defer { received = Data(received.dropFirst(count)) }
            return Array(received.prefix(count))
        }
    }
}
