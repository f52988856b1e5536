import DescantCore
import DescantTesting
import Foundation
import Testing

/// The contract of engines finds each broken rule, and nothing in an engine that keeps them.
@Suite(.timeLimit(.minutes(5))) struct MediaEngineContractTests {
    private func contract(_ fault: ClockEngine.Fault?, limit: Double = 30) throws -> MediaEngineContract {
        func clock(_ name: String) throws -> MediaContent { .url(try #require(URL(string: name))) }
        // The content lasts longer than any delay of a check.
        return MediaEngineContract(
            content: try clock("clock:600"), short: try clock("clock:0.5"),
            refused: [.init(try clock("clock:never"), named: "clock:never")], limit: limit
        ) { ClockEngine(fault) }
    }

    @Test(arguments: MediaEngineContract.Rule.allCases)
    func anEngineThatKeepsTheRulesPasses(rule: MediaEngineContract.Rule) async throws {
        let findings = try await contract(nil).check(rule)
        #expect(findings == [], "\(findings)")
    }

    @Test(arguments: ClockEngine.Fault.allCases)
    func brokenRulesAreFound(fault: ClockEngine.Fault) async throws {
        let findings = try await contract(fault, limit: 1.5).check(fault.brokenRule)
        #expect(!findings.isEmpty, "\(fault)")
    }
}

/// An engine without sound that plays by the clock: `clock:2` lasts 2 s. It breaks one rule, or none.
actor ClockEngine: MediaEngine {
    enum Fault: CaseIterable, Sendable {
        case hasNoName, playsNothing, playsAtLoad, standsStill, goesOnInPause, ignoresSeeks, seeksForward, takesAnyRate
        case keepsOldContent, stopsInPlace, neverEnds, opensAnything, namesNothing, keepsPlaying, hangs, staysAlive

        var brokenRule: MediaEngineContract.Rule {
            switch self {
            case .hasNoName: .description
            case .playsNothing: .nothingLoaded
            case .playsAtLoad: .loading
            case .standsStill: .playing
            case .goesOnInPause: .pausing
            case .ignoresSeeks, .seeksForward: .seeking
            case .takesAnyRate: .rate
            case .stopsInPlace: .stopping
            case .neverEnds: .end
            case .opensAnything, .namesNothing: .refusals
            case .keepsPlaying: .replacing
            case .hangs, .keepsOldContent: .concurrency
            case .staysAlive: .release
            }
        }
    }

    nonisolated let identifier: String
    nonisolated let capabilities: EngineCapabilities = [.playsURLs, .seeks, .changesRate]
    nonisolated var stateUpdates: EventStream<EngineState> { states.stream(buffer: .bounded(64)) }

    private let fault: Fault?
    private nonisolated let states = EventHub<EngineState>(initial: .idle)
    private var length: Double?
    private var position = 0.0
    private var rate = 1.0
    private var began = ContinuousClock.now
    private var end: Task<Void, Never>?
    private var ownSelf: ClockEngine?

    init(_ fault: Fault?) {
        self.fault = fault
        identifier = fault == .hasNoName ? "" : "clock"
    }

    deinit { end?.cancel() }

    var engineState: EngineState { states.snapshot ?? .idle }
    var duration: TimeInterval? { length }
    var currentTime: TimeInterval {
        guard engineState == .playing, fault != .standsStill else { return position }
        return min(length ?? 0, position + rate * ((ContinuousClock.now - began) / .seconds(1)))
    }

    func loadContent(_ content: MediaContent) async throws {
        // Every load but the first, so that some load hangs in whatever order the calls come.
        if fault == .hangs, length != nil { try await Task.sleep(for: .seconds(100)) }
        let wasPlaying = engineState == .playing
        if fault == .keepsOldContent, wasPlaying { return }
        await stop()
        position = 0
        length = nil
        states.post(.loading)
        guard case .url(let url) = content, let seconds = Double(url.absoluteString.dropFirst(6)) ?? otherwise else {
            let error = CoreError.unsupported(fault == .namesNothing ? "no" : "\(content) is no clock")
            states.post(.failed(error))
            throw error
        }
        length = seconds
        states.post(.ready)
        if fault == .playsAtLoad || fault == .keepsPlaying && wasPlaying { try await play() }
    }

    private var otherwise: Double? { fault == .opensAnything ? 6 : nil }

    func play() async throws {
        if fault == .staysAlive { ownSelf = self }
        guard let length else {
            if fault == .playsNothing { return }
            throw CoreError.invalidState("nothing is loaded")
        }
        guard engineState != .playing else { return }
        if engineState == .finished { position = 0 }
        began = .now
        states.post(.playing)
        let left = max(0, length - position) / rate
        guard fault != .neverEnds else { return }
        end = Task { [weak self] in
            guard (try? await Task.sleep(for: .seconds(left))) != nil else { return }
            await self?.finish()
        }
    }

    private func finish() {
        position = length ?? 0
        states.post(.finished)
    }

    func pause() async {
        guard engineState == .playing else { return }
        end?.cancel()
        if fault != .goesOnInPause { position = currentTime }
        states.post(fault == .goesOnInPause ? .playing : .paused)
    }

    func stop() async {
        end?.cancel()
        if fault != .stopsInPlace { position = 0 } else { position = currentTime }
        if engineState != .idle { states.post(.idle) }
    }

    func seek(to target: MediaPosition) async throws {
        guard let length else { throw CoreError.invalidState("nothing is loaded") }
        let seconds: Double
        switch target {
        case .time(let time): seconds = time
        case .fraction(let share): seconds = share * length
        case .characterOffset: throw CoreError.unsupported("a clock has no characters")
        }
        guard !seconds.isNaN else { throw CoreError.invalidArgument("not a number") }
        guard fault != .ignoresSeeks else { return }
        if fault == .seeksForward, engineState == .playing, seconds < currentTime { return }
        position = min(max(0, seconds), length)
        guard engineState == .playing else { return }
        end?.cancel()
        states.post(.paused)
        try await play()
    }

    func setRate(_ rate: Double) async throws {
        guard (0.5...3).contains(rate) || fault == .takesAnyRate else { throw CoreError.invalidArgument("\(rate)") }
        self.rate = rate
    }
}
