import DescantCore
@testable import DescantTagLib
import DescantTesting
import Foundation
import Glibc
import Synchronization
import Testing

/// A write that ends at any point leaves the old or the new file.
@Suite struct AtomicWriteTests {
    /// Returns `true` a number of times.
    private final class Countdown: Sendable {
        private let left: Mutex<Int>
        init(_ count: Int) { left = Mutex(count) }
        func mayContinue() -> Bool {
            left.withLock {
                $0 -= 1
                return $0 >= 0
            }
        }
    }

    @Test(arguments: ["v23.mp3", "tight.flac", "front.m4a", "big.ogg", "tagged.wav"])
    func interruptedWriteLeavesOldOrNewFile(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let old = try TaggedFiles.data(name)
        var tags = TagBundle(title: "Neu")
        tags.comment = String(repeating: "long ", count: 2_000)
        let reference = try TaggedFiles.copy(name, in: directory)
        try TagLibWriter().write(url: reference, tags: tags)
        let new = try Data(contentsOf: reference)
        #expect(old != new)
        // Small steps give more than two hundred points in each file.
        let step = max(1, new.count / 220)
        var (point, states) = (0, Set<Data>())
        while true {
            try old.write(to: reference)
            let countdown = Countdown(point)
            let writer = TagLibWriter(step: step) { countdown.mayContinue() }
            let isDone = (try? writer.write(url: reference, tags: tags)) != nil
            let now = try Data(contentsOf: reference)
            states.insert(now)
            #expect(now == old || now == new, "ended at point \(point)")
            if isDone { break }
            point += 1
        }
        #expect(point >= 200)
        #expect(states == [old, new])
    }

    @Test func modeOwnerAndAttributesAreKept() throws {
        let directory = try TemporaryDirectory()
        let file = try TaggedFiles.copy("v24.mp3", in: directory)
        #expect(chmod(file.path, 0o640) == 0)
        // Only root may give files away.
        if geteuid() == 0 { #expect(chown(file.path, 12_345, 23_456) == 0) }
        let hasAttributes = try run("setfattr", ["-n", "user.rating", "-v", "5", file.path])
        var before = stat()
        #expect(stat(file.path, &before) == 0)
        try TagLibWriter().write(url: file, tags: TagBundle(title: "Neu"))
        var after = stat()
        #expect(stat(file.path, &after) == 0)
        #expect(after.st_mode == before.st_mode && after.st_uid == before.st_uid && after.st_gid == before.st_gid)
        #expect(after.st_ino != before.st_ino)
        if hasAttributes { #expect(try run("getfattr", ["-n", "user.rating", file.path])) }
    }

    /// The user of this test owns the new file, as only root can give it to another one.
    @Test(.enabled(if: geteuid() == 0, "only root can act as other users; the rule for modes is tested without them"))
    func fileOfAnotherOwnerOrGroupIsReplaced() throws {
        let directory = try TemporaryDirectory()
        // Files that are made in this folder get its group.
        #expect(chown(directory.url.path, 0, 44_444) == 0 && chmod(directory.url.path, 0o2777) == 0)
        let file = try TaggedFiles.copy("v24.mp3", in: directory)
        let (user, group) = (uid_t(22_222), gid_t(33_333))
        let files: [(owner: uid_t, group: gid_t, mode: mode_t, newGroup: gid_t, newMode: mode_t)] = [
            (11_111, group, 0o660, group, 0o660), (11_111, group, 0o2664, group, 0o664),
            (11_111, 44_444, 0o666, 44_444, 0o666), (user, group, 0o2640, group, 0o2640),
            (user, 55_555, 0o640, 44_444, 0o600), (user, 55_555, 0o664, 44_444, 0o644),
        ]
        for (number, old) in files.enumerated() {
            #expect(chown(file.path, old.owner, old.group) == 0 && chmod(file.path, old.mode) == 0)
            let title = "Title \(number)"
            try asUser(user, of: group) { try TagLibWriter().write(url: file, tags: TagBundle(title: title)) }
            var status = stat()
            #expect(stat(file.path, &status) == 0)
            #expect(status.st_uid == user && status.st_gid == old.newGroup, "\(old)")
            #expect(status.st_mode & 0o7777 == old.newMode, "\(old)")
            #expect(try TagLibReader().read(url: file).title == title)
        }
    }

    /// Runs a body on a thread that uses files as a user in one group, without the rights of root.
    private func asUser(_ user: uid_t, of group: gid_t, _ body: @escaping @Sendable () throws -> Void) throws {
        // Swift's module of the C library leaves these functions out. They change the rights of the calling thread only.
        typealias Function = @convention(c) (UInt32) -> Int32
        let (groupSetter, userSetter) = (dlsym(nil, "setfsgid"), dlsym(nil, "setfsuid"))
        let setGroup = unsafeBitCast(try #require(groupSetter), to: Function.self)
        let setUser = unsafeBitCast(try #require(userSetter), to: Function.self)
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            // The group first, as the user may not choose it.
            _ = setGroup(group)
            _ = setUser(user)
            outcome.withLock { $0 = Result { try body() } }
            isOver.signal()
        }
        isOver.wait()
        try outcome.withLock { $0 }?.get()
    }

    /// Another owner or group than before, and what it is allowed.
    @Test func modeGivesNobodyFurtherRights() {
        var old = stat()
        (old.st_uid, old.st_gid) = (1, 2)
        let modes: [(owner: uid_t, group: gid_t, old: mode_t, new: mode_t)] = [
            (1, 2, 0o6750, 0o6750), (3, 2, 0o6750, 0o750), (3, 2, 0o664, 0o664), (1, 4, 0o664, 0o644),
            (1, 4, 0o660, 0o600), (1, 4, 0o604, 0o600), (1, 4, 0o2755, 0o755), (3, 4, 0o6646, 0o644),
        ]
        for row in modes {
            var new = stat()
            (new.st_uid, new.st_gid, old.st_mode) = (row.owner, row.group, S_IFREG | row.old)
            #expect(FileReplacement.mode(of: old, in: new) == row.new, "\(row)")
        }
    }

    /// A new file gets the default access list of its folder. A file that replaces another one must not.
    @Test func accessListOfTheFolderIsNotGiven() throws {
        let directory = try TemporaryDirectory()
        let file = try TaggedFiles.copy("v24.mp3", in: directory)
        #expect(chmod(file.path, 0o640) == 0)
        func python(_ code: String) throws -> Bool {
            try run(
                "python3",
                ["-c", "import os, struct, sys\nfolder, file = sys.argv[1:]\n\(code)", directory.url.path, file.path])
        }
        // Read, write and execute for the user 12345.
        let entries = "(1, 7, -1), (2, 7, 12345), (4, 5, -1), (16, 7, -1), (32, 0, -1)"
        let list = "struct.pack('<I', 2) + b''.join(struct.pack('<HHi', *entry) for entry in [\(entries)])"
        let isSupported = try python("os.setxattr(folder, 'system.posix_acl_default', \(list))")
        try TagLibWriter().write(url: file, tags: TagBundle(title: "Neu"))
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o7777 == 0o640)
        #expect(try python("sys.exit('system.posix_acl_access' in os.listxattr(file))"))
        guard isSupported else { return }
        #expect(try python("os.setxattr(file, 'system.posix_acl_access', \(list))"))
        #expect(stat(file.path, &status) == 0)
        let mode = status.st_mode
        try TagLibWriter().write(url: file, tags: TagBundle(title: "Alt"))
        #expect(try python("sys.exit(os.getxattr(file, 'system.posix_acl_access') != \(list))"))
        #expect(stat(file.path, &status) == 0 && status.st_mode == mode)
    }

    @Test func changesAtTheSameTimeAreAllKept() throws {
        let directory = try TemporaryDirectory()
        for round in 0..<50 {
            let file = try TaggedFiles.copy("v24.mp3", in: directory)
            let changes = [TagBundle(title: "Title \(round)"), TagBundle(artist: "Artist \(round)")]
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                do {
                    try TagLibWriter().write(url: file, tags: changes[index])
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            let tags = try TagLibReader().read(url: file)
            #expect(
                failures.withLock { $0 } == [] && tags.title == changes[0].title && tags.artists == changes[1].artists)
            try FileManager.default.removeItem(at: file)
        }
    }

    @Test func fileThatStaysLockedIsNamed() throws {
        let directory = try TemporaryDirectory()
        let file = try TaggedFiles.copy("v24.mp3", in: directory)
        let before = try Data(contentsOf: file)
        let other = try FileHandle(forReadingFrom: file)
        try #require(flock(other.fileDescriptor, LOCK_EX) == 0)
        #expect {
            try TagLibWriter(step: 1 << 20, lockLimit: .zero) { true }.write(url: file, tags: TagBundle(title: "Neu"))
        } throws: { error in
            let text = "\(error)"
            return (error as? CoreError)?.code == "ioError" && text.contains(file.lastPathComponent)
                && text.contains("lock")
        }
        #expect(try Data(contentsOf: file) == before)
        try other.close()
        try TagLibWriter().write(url: file, tags: TagBundle(title: "Neu"))
        #expect(try TagLibReader().read(url: file).title == "Neu")
    }

    /// Returns whether a tool has succeeded.
    private func run(_ tool: String, _ arguments: [String]) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test func symbolicLinkIsKept() throws {
        let directory = try TemporaryDirectory()
        let file = try TaggedFiles.copy("v24.mp3", in: directory)
        let link = directory.file("link.mp3")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try TagLibWriter().write(url: link, tags: TagBundle(title: "Neu"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
        #expect(try TagLibReader().read(url: file).title == "Neu")
    }

    @Test func changesOfAnotherProgramAreKept() throws {
        let directory = try TemporaryDirectory()
        let file = try TaggedFiles.copy("v24.mp3", in: directory)
        let writer = TagLibWriter(step: 1 << 20) {
            // Another program appends a byte during the write.
            guard let handle = try? FileHandle(forWritingTo: file) else { return true }
            _ = try? handle.seekToEnd()
            try? handle.write(contentsOf: Data([0]))
            try? handle.close()
            return true
        }
        #expect { try writer.write(url: file, tags: TagBundle(title: "Neu")) } throws: { error in
            (error as? CoreError)?.code == "ioError" && "\(error)".contains("meanwhile")
        }
        #expect(try Data(contentsOf: file).starts(with: TaggedFiles.data("v24.mp3")))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["v24.mp3"])
    }
}
