import Foundation
import Glibc
import Testing

@testable import MediaLibrary

/// How folders are walked through.
@Suite struct FolderWalkTests {
    /// A watch of the folder, which begins when the folder is told, misses nothing then: what came before is found.
    @Test func aFolderIsToldBeforeItIsRead() throws {
        let music = try MusicFolder()
        let root = music.url.path
        var walk = FolderWalk(extensions: ["wav"])
        var told: [String] = []
        walk.read(root) { path, _ in
            told.append(path)
            if path == root { #expect(throws: Never.self) { _ = try music.track("late/inner/1.wav") } }
            return true
        }
        #expect(told == [root, root + "/late", root + "/late/inner"])
        #expect(walk.files.map(\.path) == [root + "/late/inner/1.wav"])
    }

    /// The kernel has lost what was told of a folder.
    @Test(.timeLimit(.minutes(1))) func foldersThatCameWithoutAWordAreFollowedLater() async throws {
        let music = try MusicFolder()
        try music.track("a/1.wav")
        let watch = try FolderWatch([music.url.path], quiet: 0)
        try FileManager.default.removeItem(at: music.url)
        try music.track("a/1.wav")
        var overflow = inotify_event()
        (overflow.wd, overflow.mask) = (-1, UInt32(IN_Q_OVERFLOW))
        watch.note(overflow, "")
        #expect(watch.take().contains(.everything))
        try music.track("a/2.wav")
        while !watch.take().contains(.folder("\(music.url.path)/a")) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
