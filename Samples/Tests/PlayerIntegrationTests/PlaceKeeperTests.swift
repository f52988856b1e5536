import Dispatch
import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

/// What is kept of a book while it is read.
@Suite(.timeLimit(.minutes(1))) struct PlaceKeeperTests {
    private let shelf: Shelf
    private let book: Book
    private let positions: ReadingPositions

    init() throws {
        shelf = try Shelf()
        book = try shelf.load("One is short. Two is not longer. Three ends.").book
        positions = ReadingPositions(folder: shelf.folder.appendingPathComponent("places"))
    }

    private func makeKeeper(onFailure: @escaping @Sendable (String) -> Void) -> PlaceKeeper {
        let request = ReadRequest(book: book, source: nil, settings: .init(), output: .null)
        return PlaceKeeper(request, in: positions, onFailure: onFailure)
    }

    private var kept: ReadingPosition? { positions.position(of: book, source: nil).position }

    @Test func aMutedReaderIsKeptWithTheVolumeBefore() async {
        let keeper = makeKeeper { _ in }
        for volume in [0.4, 0] { keeper.note(volume: volume) }
        keeper.keep(0)
        await keeper.finish(limit: 60)
        #expect(kept?.volume == 0.4)
    }

    /// What hangs is the disk, which the report of a failure stands for.
    @Test func aWriteThatHangsDoesNotKeepTheReader() async throws {
        try shelf.put(Data(), as: "places")
        let disk = DispatchSemaphore(value: 0)
        defer { disk.signal() }
        let (failures, feed) = AsyncStream.makeStream(of: String.self)
        let keeper = makeKeeper {
            feed.yield($0)
            disk.wait()
        }
        keeper.keep(0)
        for await failure in failures {
            #expect(failure.contains("places"))
            break
        }
        for sentence in book.sentences { keeper.keep(sentence.lowerBound) }
        await keeper.finish(limit: 0.01)
        try FileManager.default.removeItem(at: positions.folder)
        disk.signal()
        await keeper.finish(limit: 60)
        #expect(kept?.offset == book.sentences[2].lowerBound)
    }
}
