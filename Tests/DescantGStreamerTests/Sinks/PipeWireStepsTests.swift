import Testing

@testable import DescantGStreamer

/// What is learnt of a device's steps, beside a device whose steps are known.
@Suite struct PipeWireStepsTests {
    /// A device that takes a block whenever the last one has been heard.
    private struct Device {
        var sampleRate = 48_000.0
        /// Seconds of a step.
        var step: Double
        var start = 100.0
        /// The frames that were taken before `start`.
        var before = 0.0

        func taken(at time: Double) -> Int64 {
            Int64(before + ((((time - start) / step).rounded(.down) + 1) * step * sampleRate).rounded(.down))
        }

        /// The frame that is heard, which is one step behind what was taken when a step ends.
        func heard(at time: Double) -> Double { before + (time - start - step) * sampleRate }
    }

    /// Answers every 5 ms while they are asked for, then every 1.5 s.
    private struct Conversation {
        var steps = PipeWireSteps(sampleRate: 48_000)
        var time = 100.0031
        /// How many answers came early.
        var questions = 0

        mutating func answer(_ device: Device, delayedBy delay: Double = 0) {
            if steps.isLearning { questions += 1 }
            time += steps.isLearning ? 0.005 : 1.5
            steps.add(taken: device.taken(at: time - delay), at: time)
        }

        /// The largest error of the heard frame in seconds, and the moments of a thousand in which frames count as not taken that were, or too
        /// many as taken.
        func compare(with device: Device) -> (lead: Double, early: Int, late: Int) {
            let answered = device.taken(at: time)
            var result = (lead: 0.0, early: 0, late: 0)
            for moment in 0..<1_000 {
                let age = Double(moment) * 0.0014
                let heard = Double(answered) + (age - device.step - steps.lead(held: device.step)) * device.sampleRate
                let error = (heard - device.heard(at: time + age)) / device.sampleRate
                if abs(error) > abs(result.lead) { result.lead = error }
                // As a change does, it counts a step that is about to begin.
                guard let taken = steps.taken(after: age + 0.003, held: device.step) else { continue }
                let real = Double(device.taken(at: time + age))
                // A device with another sample rate takes a frame more or less.
                if taken < real - 16 { result.early += 1 }
                // Those 3 ms, and 5 for an end of a step that no answer has told exactly.
                if taken > real + (device.step + 0.008) * device.sampleRate { result.late += 1 }
            }
            return result
        }
    }

    @Test(arguments: [128.0, 256, 512, 1024, 2048]) func stepsAreLearntWithinAFractionOfASecond(frames: Double) throws {
        let device = Device(step: frames / 48_000)
        var conversation = Conversation()
        while conversation.steps.isLearning { conversation.answer(device) }
        #expect(conversation.questions <= 32)
        let length = try #require(conversation.steps.length)
        #expect(length.truncatingRemainder(dividingBy: frames) == 0)
        for _ in 0..<40 {
            let comparison = conversation.compare(with: device)
            #expect(abs(comparison.lead) <= 0.004)
            #expect(comparison.early == 0)
            // Steps shorter than the answers' distance are seen as several.
            if length == frames { #expect(comparison.late == 0) }
            conversation.answer(device)
        }
        #expect(conversation.questions <= 32, "no more questions while the steps stay the same")
    }

    @Test func aMeanStepIsLearntOfADeviceWithAnotherSampleRate() {
        // 1,024 frames of 48 kHz are 940.8 of 44.1 kHz.
        let device = Device(sampleRate: 48_000, step: 940.8 / 48_000)
        var conversation = Conversation()
        for _ in 0..<60 { conversation.answer(device) }
        #expect(abs((conversation.steps.length ?? 0) - 940.8) < 0.4)
        #expect(conversation.compare(with: device).early == 0)
    }

    @Test func longerStepsAreNoticedAlthoughTheDeviceHoldsAsMuch() {
        var device = Device(step: 512 / 48_000)
        var conversation = Conversation()
        for _ in 0..<60 { conversation.answer(device) }
        device = Device(
            step: 2048 / 48_000, start: conversation.time, before: Double(device.taken(at: conversation.time)))
        for _ in 0..<60 { conversation.answer(device) }
        #expect(conversation.steps.length == 2048)
        let comparison = conversation.compare(with: device)
        #expect(comparison.early == 0 && abs(comparison.lead) <= 0.004)
    }

    @Test func anAnswerThatComesLateIsNotBelieved() {
        let device = Device(step: 1024 / 48_000)
        var conversation = Conversation()
        for number in 0..<20 { conversation.answer(device, delayedBy: number == 9 ? 0.03 : 0) }
        #expect(conversation.compare(with: device).early == 0)
    }

    @Test func aClockThatRunsFastIsFollowed() {
        let device = Device(step: 512 / 48_000 * 0.9999)
        var conversation = Conversation()
        for _ in 0..<200 { conversation.answer(device) }
        let comparison = conversation.compare(with: device)
        #expect(comparison.early == 0 && abs(comparison.lead) <= 0.004)
    }

    @Test func aDeviceThatDoesNotRunIsNotAskedWithoutEnd() {
        var conversation = Conversation()
        for _ in 0..<100 { conversation.steps.add(taken: 2048, at: conversation.time); conversation.time += 0.005 }
        #expect(!conversation.steps.isLearning)
        #expect(conversation.steps.length == nil)
        let device = Device(step: 512 / 48_000, start: conversation.time, before: 2048)
        for _ in 0..<60 { conversation.answer(device) }
        #expect(conversation.steps.length == 512)
        #expect(abs(conversation.compare(with: device).lead) <= 0.004)
    }
}
