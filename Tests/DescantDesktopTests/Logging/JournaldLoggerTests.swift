import DescantCore
import DescantTesting
import Foundation
import Glibc
import Testing

@testable import DescantDesktop

struct JournaldLoggerTests {
    @Test func eventsBecomeEntriesWithFields() throws {
        let journal = try JournalReader()
        let logger = JournaldLogger(identifier: "player", socketPath: journal.path)
        logger.record(
            LogRecord(
                "session.activate", level: .error,
                fields: [.routeOutputs: "hall", .isOtherAudioPlaying: "false", .errorMessage: .personal("/home/me/x")]))
        #expect(
            try journal.next() == [
                "MESSAGE":
                    "session.activate errorMessage=<private> isOtherAudioPlaying=false routeOutputs=hall",
                "PRIORITY": "3", "SYSLOG_IDENTIFIER": "player", "DESCANT_EVENT": "session.activate",
                "ROUTE_OUTPUTS": "hall", "IS_OTHER_AUDIO_PLAYING": "false", "ERROR_MESSAGE": "<private>",
            ])
        #expect(logger.dropped == 0)
    }

    @Test func personalValuesAreWrittenWhenAsked() throws {
        let journal = try JournalReader()
        let logger = JournaldLogger(identifier: "player", revealsPersonalValues: true, socketPath: journal.path)
        logger.record(LogRecord("speech.start", fields: ["text": .personal("Dear diary")]))
        #expect(try journal.next()["TEXT"] == "Dear diary")
    }

    @Test func multilineMessagesArriveComplete() throws {
        let journal = try JournalReader()
        JournaldLogger(identifier: "player", socketPath: journal.path).warn("one\ntwo = 2\n")
        let entry = try journal.next()
        #expect(entry["MESSAGE"] == "one\ntwo = 2\n")
        #expect(entry["PRIORITY"] == "4")
    }

    @Test func longMessagesAreTruncated() throws {
        let journal = try JournalReader()
        JournaldLogger(identifier: "player", socketPath: journal.path).info(String(repeating: "x", count: 1_000_000))
        let message = try #require(try journal.next()["MESSAGE"])
        #expect(message.utf8.count < 9_000 && message.hasSuffix("x …"))
    }

    @Test func truncationRemovesADividedCharacter() throws {
        let journal = try JournalReader()
        let logger = JournaldLogger(identifier: "player", socketPath: journal.path)
        for (start, character) in [("", "海"), ("x", "海"), ("", "ø"), ("x", "ø"), ("xx", "𝄞")] {
            logger.info(start + String(repeating: character, count: 10_000))
            let message = try #require(try journal.next()["MESSAGE"])
            #expect(message.hasPrefix(start + character) && message.hasSuffix(character + " …"))
            #expect(!message.contains("\u{FFFD}"))
        }
    }

    @Test(arguments: LogLevel.allCases) func theContractIsKept(minimum: LogLevel) throws {
        let journal = try JournalReader()
        let logger = JournaldLogger(identifier: "player", minimumLevel: minimum, socketPath: journal.path)
        #expect(try LoggerContract(logger, minimumLevel: minimum).findings { journal.take() } == [])
    }

    @Test func messagesBelowTheLevelAreNotEvaluated() throws {
        let journal = try JournalReader()
        let logger = JournaldLogger(identifier: "player", minimumLevel: .warning, socketPath: journal.path)
        func never() -> String {
            Issue.record("evaluated")
            return ""
        }
        logger.debug(never())
        logger.info(never())
        logger.record(LogRecord("engine.play", level: .info))
        logger.error("last")
        #expect(try journal.next()["MESSAGE"] == "last")
    }

    @Test func missingJournalIsIgnored() throws {
        let folder = try TemporaryDirectory()
        for path in [folder.url.appending(path: "none").path, "/" + String(repeating: "x", count: 300)] {
            let logger = JournaldLogger(identifier: "player", socketPath: path)
            logger.error("nobody hears")
            #expect(logger.dropped == 0)
        }
    }

    @Test func journalThatStartsLaterOrRestartsIsUsed() throws {
        let folder = try TemporaryDirectory()
        let path = folder.url.appending(path: "socket").path
        let logger = JournaldLogger(identifier: "player", socketPath: path)
        logger.info("before")
        for message in ["first", "second"] {
            let journal = try JournalReader(path: path)
            logger.info(message)
            #expect(try journal.next()["MESSAGE"] == message)
        }
    }

    @Test func fullJournalSocketDoesNotBlock() throws {
        let journal = try JournalReader()
        let logger = JournaldLogger(identifier: "player", socketPath: journal.path)
        // Without a reader the socket's queue fills.
        for _ in 0..<10_000 where logger.dropped == 0 { logger.info(String(repeating: "x", count: 4_000)) }
        #expect(logger.dropped > 0)
    }

    @Test(arguments: [
        ("routeOutputs", "ROUTE_OUTPUTS"), ("attemptId", "ATTEMPT_ID"), ("engine", "ENGINE"), ("a b", "A_B"),
        ("9lives", "FIELD_9LIVES"), ("_x", "FIELD__X"), ("é", "FIELD__"),
    ])
    func fieldNamesAreValidJournalNames(field: String, name: String) {
        #expect(JournalEntry.name(of: LogField(rawValue: field)) == name)
    }
}

/// Receives and parses the messages to the journal.
private final class JournalReader {
    let path: String
    private let descriptor: CInt
    private let folder: TemporaryDirectory?

    convenience init() throws {
        let folder = try TemporaryDirectory()
        try self.init(path: folder.url.appending(path: "socket").path, folder: folder)
    }

    init(path: String, folder: TemporaryDirectory? = nil) throws {
        self.path = path
        self.folder = folder
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Takes the entries that were received since the last call, as they came.
    func take() -> [String] {
        var entries: [String] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT)), count > 0 {
            entries.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
        return entries
    }

    /// The fields of the next entry, which must have been received.
    func next() throws -> [String: String] {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        try #require(count > 0)
        var rest = buffer[..<count]
        var fields: [String: String] = [:]
        while let end = rest.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == 0x0A }) {
            let name = String(decoding: rest[..<end], as: UTF8.self)
            let isCounted = rest[end] == 0x0A
            rest = rest[(end + 1)...]
            let length =
                isCounted
                ? rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
                : try #require(rest.firstIndex(of: 0x0A)) - rest.startIndex
            if isCounted { rest = rest.dropFirst(8) }
            fields[name] = String(decoding: rest.prefix(length), as: UTF8.self)
            rest = rest.dropFirst(length + 1)
        }
        return fields
    }
}
