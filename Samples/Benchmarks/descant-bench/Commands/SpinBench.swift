/// Keeps a processor busy for a while, for ``BusyBench``.
enum SpinBench {
    static func run(_ arguments: inout Arguments) throws {
        let end = BenchOutput.now + Int64(try arguments.number() * 1e9)
        while BenchOutput.now < end {}
    }
}
