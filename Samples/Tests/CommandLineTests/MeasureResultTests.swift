import Testing

@testable import descant_bench

/// When `make bench CHECK=1` fails.
@Suite struct MeasureResultTests {
    /// The result of rounds with a figure of Descant's and one of a peer.
    private func result(
        _ demand: Measure.Demand?, own: [Double], peer: [Double] = [], isLessBetter: Bool = true,
        knownMiss: Measure.KnownMiss? = nil
    ) -> MeasureResult {
        let names = [TableBench.ownName, "peer"]
        let measure = Measure(
            title: "a figure", unit: "ms", isLessBetter: isLessBetter,
            peers: names.map { name in .init(name: name) { 0 } }, demand: demand, knownMiss: knownMiss)
        let rounds = own.enumerated().map { index, figure in
            peer.isEmpty ? [names[0]: figure] : [names[0]: figure, names[1]: peer[index]]
        }
        return MeasureResult(measure, rounds: rounds, failures: [:])
    }

    @Test func aFigureMeetsItsLimit() {
        #expect(result(.limit(5), own: [4, 5, 9]).isMet == true)
        #expect(result(.limit(5), own: [4, 5.1, 9]).isMet == false)
        #expect(result(.limit(5), own: [5.1]).reason == nil)
    }

    @Test func ratiosArePairedByRound() throws {
        let slowing = result(.peer("peer"), own: [1, 2, 4], peer: [2, 2, 8])
        #expect(slowing.isMet == true)
        let row = try #require(slowing.rows.last)
        #expect(row.ratio == 0.5 && row.minimumRatio == 0.5 && row.maximumRatio == 1)
        #expect(result(.peer("peer"), own: [3], peer: [2]).isMet == false)
        #expect(result(.times(1.5, "peer"), own: [3], peer: [2]).isMet == true)
    }

    @Test func moreMayBeBetter() {
        #expect(result(.times(1.6, "peer"), own: [32], peer: [20], isLessBetter: false).isMet == true)
        #expect(result(.times(1.6, "peer"), own: [31], peer: [20], isLessBetter: false).isMet == false)
        #expect(result(.limit(5), own: [5], isLessBetter: false).isMet == true)
        #expect(result(.limit(5), own: [4.9], isLessBetter: false).isMet == false)
    }

    @Test func aKnownReasonHasALimit() {
        let miss = Measure.KnownMiss(limit: 1.8, reason: "bundles are loaded")
        #expect(result(.peer("peer"), own: [3.5], peer: [2], knownMiss: miss).reason == "bundles are loaded")
        #expect(result(.peer("peer"), own: [3.7], peer: [2], knownMiss: miss).reason == nil)
        #expect(result(.peer("peer"), own: [2], peer: [2], knownMiss: miss).reason == nil)
    }

    @Test func withoutAFigureADemandIsNotMet() {
        #expect(result(.peer("peer"), own: [1]).isMet == false)
        #expect(result(.limit(5), own: []).isMet == false)
        #expect(result(nil, own: [1]).isMet == nil)
    }

    @Test func aDemandThatIsMissedEndsWithAnError() async throws {
        let arguments = ["table", "--check", "--runs", "1", "--only", "plugins"]
        // Without installed bundles nothing can be measured.
        let result = try await Program.run("descant-bench", arguments, environment: ["DESCANT_PLUGIN_PATH": "/nowhere"])
        #expect(result.status == 1)
        #expect(result.errors.contains("slower than demanded: first decoder of a bundle"))
    }

    @Test func growthIsThatOfTheCostOfOne() {
        let all = GrowthBench.Curve(
            title: "", unit: "", command: "", figure: "", counts: [1, 10, 100, 1_000], isOfAll: true)
        #expect(all.growth([5, 20, 200, 2_000]) == 1)
        #expect(all.growth([5, 20, 200, 20_000]) == 10)
        let one = GrowthBench.Curve(title: "", unit: "", command: "", figure: "", counts: [1, 10, 100], isOfAll: false)
        #expect(one.growth([1, 1, 3]) == 3)
    }
}
