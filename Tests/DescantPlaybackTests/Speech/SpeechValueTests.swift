import DescantCore
import Testing

@testable import DescantPlayback

/// The values that a speech engine consists of, without an engine.
@Suite struct SpeechValueTests {
    @Test func reportedFractionDoesNotDecreaseWhileTheEstimateGrows() {
        var position = SpeechPosition()
        let durations = [
            position.duration(at: 5, total: 10), position.duration(at: 6, total: 20),
            position.duration(at: 15, total: 20),
        ]
        #expect(durations == [10, 12, 20])
    }

    @Test func jumpSetsTheFraction() {
        var position = SpeechPosition()
        position.jump(to: .start(of: 3), seconds: 8, total: 10)
        let later = position.duration(at: 8, total: 40)
        #expect(later == 10)
        position.moveToStart()
        let begun = position.duration(at: 0, total: 40)
        #expect(begun == 40)
        #expect(position.anchor == 0)
    }

    @Test func pauseIsReportedInPlaceOfItsWord() {
        var position = SpeechPosition()
        position.hear(4..<7)
        #expect(position.heardOffset == 4)
        position.hearPause(before: 9)
        #expect(position.word == nil)
        #expect(position.heardOffset == 9)
        position.forgetWord()
        #expect(position.heardOffset == nil)
    }

    @Test func newJumpCancelsThePreparedOne() async {
        var jumps = SpeechJumps()
        let task = Task<Void, any Error> { try await Task.sleep(for: .seconds(60)) }
        jumps.began(task)
        let number = jumps.number
        #expect(jumps.isBeginning)
        jumps.next()
        #expect(!jumps.isBeginning)
        #expect(jumps.number == number + 1)
        #expect(task.isCancelled)
    }
}
