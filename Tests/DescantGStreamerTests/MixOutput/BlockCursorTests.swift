import Testing

@testable import DescantGStreamer

@Suite struct BlockCursorTests {
    @Test func blocksFollowEachOther() {
        var cursor = BlockCursor(nextFrame: 100)
        let hasChanged = cursor.applyChange()
        #expect(!hasChanged)
        #expect(cursor.part(of: 50) == (50, 50))
        cursor.pass(50, written: 50)
        #expect(cursor.nextFrame == 150 && cursor.end == 150)
    }

    /// What was rendered behind the frame of a change is not written, and the new frames follow at that frame.
    @Test func framesBehindAChangeAreLeftOut() {
        var cursor = BlockCursor(nextFrame: 0)
        cursor.pass(100, written: 100)
        cursor.add(changeTo: 130, graphFrame: 200)
        #expect(cursor.end == 100)
        #expect(cursor.part(of: 300) == (100, 30))
        cursor.pass(100, written: 30)
        let hasChanged = cursor.applyChange()
        #expect(hasChanged)
        #expect(cursor.nextFrame == 130)
        #expect(cursor.part(of: 200) == (200, 200))
    }

    /// A change goes back to frames that are written already, and the next one acts at the same frame of the pipeline.
    @Test func lastOfTwoChangesAtAFrameCounts() {
        var cursor = BlockCursor(nextFrame: 0)
        cursor.pass(100, written: 100)
        cursor.add(changeTo: 60, graphFrame: 100)
        cursor.add(changeTo: 70, graphFrame: 100)
        #expect(cursor.end == 60)
        var hasChanged = cursor.applyChange()
        #expect(hasChanged)
        #expect(cursor.nextFrame == 70 && cursor.end == 70)
        hasChanged = cursor.applyChange()
        #expect(!hasChanged)
    }
}
