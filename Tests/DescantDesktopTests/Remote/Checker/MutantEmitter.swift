@testable import DescantDesktop

/// Stands between a correct player and the bus and changes or loses signals.
struct MutantEmitter: BusEmitter {
    let emitter: any BusEmitter
    let mutation: MPRISMutation

    func post(_ work: @escaping @Sendable () -> Void) { emitter.post(work) }

    func post(after seconds: Double, _ work: @escaping @Sendable () -> Void) { emitter.post(after: seconds, work) }

    func emit(_ signal: BusSignal) { for signal in mutation.signals(for: signal) { emitter.emit(signal) } }
}
