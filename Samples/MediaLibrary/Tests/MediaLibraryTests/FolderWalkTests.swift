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

    @Test func namesOfAFolderCanBeLimited() throws {
        let music = try MusicFolder()
        let (none, _) = FolderWalk.names(in: music.url.path, limit: 1)
        #expect(none.isEmpty)
        for name in ["a", ".b", "c"] { try music.track("\(name)/1.wav") }
        #expect(FolderWalk.names(in: music.url.path).0.sorted() == ["a", "c"])
        let (first, failure) = FolderWalk.names(in: music.url.path, limit: 1)
        #expect(first.count == 1 && failure == nil)
        #expect(FolderWalk.names(in: music.elsewhere.path, limit: 1).failure == "No such file or directory")
    }

    @Test func placesWithinOthersAreLeftOut() {
        func outermost(_ paths: [String]) -> [String] {
            MediaLibrary.outermost(paths.map { ScannedPlace(path: $0, folder: 1, folderPath: "/") }).map(\.path)
        }
        func isOutermost(_ path: String, among paths: [String]) -> Bool {
            !paths.contains { $0 != path && MediaLibrary.lies(path, within: $0) }
        }
        // Every choice of these; names are compared byte by byte.
        let names = [
            "/", "/a", "/a/b/c", "/a/b", "/ab", "/a b/c", "/b/a", "/caf\u{e9}", "/caf\u{65}\u{301}/x", "/caf\u{e9}/y",
        ]
        for choice in 0..<(1 << names.count) {
            let paths = names.enumerated().filter { choice & (1 << $0.offset) != 0 }.map(\.element)
            #expect(outermost(paths + paths) == paths.filter { isOutermost($0, among: paths) }, "\(paths)")
        }
        // What a copied archive changes.
        let many = (0..<20_000).map { _ in
            "/" + (0..<Int.random(in: 3...6)).map { _ in "\(Int.random(in: 0..<30))" }.joined(separator: "/")
        }
        let found = outermost(many)
        #expect(Set(found).count == found.count)
        for path in many.shuffled().prefix(50) {
            #expect(found.contains(path) == isOutermost(path, among: many), "\(path)")
        }
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
