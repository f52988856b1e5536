import DescantMixing
import Testing

@Suite("Gain envelope")
struct GainEnvelopeTests {
    @Test("A constant gain")
    func constant() {
        let line = GainEnvelope(gain: 0.7)
        #expect(line.gain(at: 0) == 0.7 && line.gain(at: 1_000_000) == 0.7)
        #expect(line.isConstant(from: 0))
        #expect(line.corners(from: 5) == [.init(frame: 5, gain: 0.7)])
    }

    @Test("A ramp is linear, and later corners are removed")
    func ramps() {
        var line = GainEnvelope(gain: 1)
        line.ramp(to: 0, from: 1_000, over: 480)
        #expect(line.gain(at: 999) == 1 && line.gain(at: 1_000) == 1 && line.gain(at: 1_240) == 0.5)
        #expect(line.gain(at: 1_480) == 0 && line.final == 0)
        line.ramp(to: 1, from: 1_240, over: 480)
        #expect(line.gain(at: 1_120) == 0.75 && line.gain(at: 1_240) == 0.5 && line.gain(at: 1_480) == 0.75)
        #expect(line.final == 1)
        #expect(!line.isConstant(from: 1_719) && line.isConstant(from: 1_720))
    }

    @Test("Removing passed corners does not change later gains")
    func forgets() {
        var line = GainEnvelope(gain: 1)
        for step in 0..<100 { line.ramp(to: Double(step % 3) / 2, from: Int64(step) * 300, over: 480) }
        let before = (25_000..<31_000).map { line.gain(at: $0) }
        let corners = line.points.count
        line.forget(before: 25_000)
        #expect(line.points.count < corners / 4)
        #expect((25_000..<31_000).map { line.gain(at: $0) } == before)
        line.forget(before: 1_000_000)
        #expect(line.points.count == 1 && line.gain(at: 0) == line.final)
    }

    @Test("The rest of an envelope begins with the reached gain")
    func corners() {
        var line = GainEnvelope(gain: 1)
        line.ramp(to: 0, from: 0, over: 100)
        #expect(line.corners(from: 50) == [.init(frame: 50, gain: 0.5), .init(frame: 100, gain: 0)])
    }
}
