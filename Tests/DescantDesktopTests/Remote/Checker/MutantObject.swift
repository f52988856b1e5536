import Synchronization

@testable import DescantDesktop

/// Wraps a correct player and breaks one rule of its requests.
final class MutantObject: BusObject {
    private let object: MPRISObject
    private let mutation: MPRISMutation
    private let late = Mutex<[BusRequest]>([])

    init(_ object: MPRISObject, _ mutation: MPRISMutation) {
        self.object = object
        self.mutation = mutation
    }

    var introspection: String { mutation.introspection(object.introspection) }

    func handle(_ request: BusRequest) {
        let mutation = mutation
        let current = object.shown.track.map { MPRISPath.track($0.id) }
        guard let kind = mutation.request(request.kind, current: current) else { return request.reply(.success([])) }
        var answered = request
        answered.kind = kind
        switch kind {
        case .get(_, let name):
            answered.reply = {
                request.reply($0.map { $0.map { .variant(mutation.value(of: name, $0.content ?? $0)) } })
            }
        case .getAll:
            answered.reply = { request.reply($0.map { $0.map { Self.mutate($0, mutation) } }) }
        case .call(MPRISName.player, _, _) where mutation.answersEarly:
            answered.reply = { _ in }
            late.withLock { $0.append(answered) }
            return request.reply(.success([]))
        default: break
        }
        object.handle(answered)
        // Commands that were answered early are carried out with the next request.
        for command in late.withLock({ take(&$0) }) { object.handle(command) }
    }

    private func take(_ commands: inout [BusRequest]) -> [BusRequest] {
        defer { commands = [] }
        return commands
    }

    private static func mutate(_ value: BusValue, _ mutation: MPRISMutation) -> BusValue {
        var values = value.dictionary ?? [:]
        for (name, value) in values { values[name] = mutation.value(of: name, value) }
        return .dictionary(values)
    }
}

/// Wraps the connection of a correct player and changes or drops signals.
struct MutantEmitter: BusEmitter {
    let emitter: any BusEmitter
    let mutation: MPRISMutation

    func post(_ work: @escaping @Sendable () -> Void) { emitter.post(work) }

    func post(after seconds: Double, _ work: @escaping @Sendable () -> Void) { emitter.post(after: seconds, work) }

    func emit(_ signal: BusSignal) { for signal in mutation.signals(for: signal) { emitter.emit(signal) } }
}
