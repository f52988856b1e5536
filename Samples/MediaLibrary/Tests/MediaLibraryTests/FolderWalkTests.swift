import Foundation
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
}
