internal import DescantCore

struct LoopChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    func seam(_ collector: inout FindingCollector) async throws {
        for isClip in [true, false] {
            try await session.start(ramp(10_007), loop: LoopPlan(passes: 3), isClip: isClip)
            collector.expectEqual(
                try await session.renderToIdle(limit: 200_000), 30_021,
                "a loop of three passes has three times the clip's length")
        }
        let (samples, events) = try await session.complete()
        let runs = (0..<6).map { RampRun(.source(0), at: $0 * 10_007, length: 10_007) }
        collector.expectRuns(samples, runs, "a loop's seam has no wrong sample")
        let passes = events.compactMap { event -> String? in
            if case .loopPassEnded(_, let passes) = event.kind { "\(passes) at \(event.frame)" } else { nil }
        }
        collector.expectEqual(
            passes, (1...6).map { "\(($0 - 1) % 3 + 1) at \($0 * 10_007)" }, "passes are counted at their frames")
    }

    func delay(_ collector: inout FindingCollector) async throws {
        try await session.start(ramp(5_003), loop: LoopPlan(passes: 2, delay: 0.1), isClip: true)
        try await session.renderToIdle(limit: 200_000)
        let (samples, _) = try await session.complete()
        let pause = frames(0.1)
        collector.expectRuns(
            samples.slice(0..<2 * 5_003 + pause),
            [
                RampRun(.source(0), at: 0, length: 5_003), RampRun(.silence, at: 5_003, length: pause),
                RampRun(.source(0), at: 5_003 + pause, length: 5_003),
            ], "a loop's delay is silence of its exact length between two passes")
        collector.expectEqual(samples.frameCount, 2 * 5_003 + pause, "no delay follows the last pass")
    }

    func fades(_ collector: inout FindingCollector) async throws {
        let length = 9_601
        let (rise, fall) = (frames(0.04), frames(0.06))
        for everyPass in [true, false] {
            let plan = LoopPlan(passes: 3, fadeIn: 0.04, fadeOut: 0.06, curve: .sCurve, fadesEveryPass: everyPass)
            try await session.start(level(0.5, channel: 0, length), loop: plan, isClip: true)
            try await session.renderToIdle(limit: 200_000)
        }
        let (samples, _) = try await session.complete()
        let rendered = samples.channel(0)
        for pass in 0..<6 {
            let (first, last) = (pass < 3 || pass == 3, pass < 3 || pass == 5)
            collector.expectSamples(
                rendered, in: pass * length..<(pass + 1) * length, tolerance: 1e-4,
                "a loop's fades lie inside \(pass < 3 ? "every pass" : "the first and the last pass")"
            ) { frame in
                var gain = 0.5
                if first { gain *= FadeCurve.sCurve.gain(at: Double(frame) / Double(rise)) }
                let left = length - frame
                if last, left <= fall { gain *= FadeCurve.sCurve.gain(at: Double(left) / Double(fall)) }
                return gain
            }
        }
    }

    func changed(_ collector: inout FindingCollector) async throws {
        try await session.start(ramp(5_000), loop: LoopPlan(passes: nil), isClip: true)
        try await session.render(52_500)
        await engine.setLoop(LoopPlan(passes: 12), on: session.main)
        collector.expectEqual(
            try await session.renderToIdle(limit: 200_000), 7_500,
            "an endless loop that gets a number of passes counts those already played")
        _ = try await session.complete()
    }
}
