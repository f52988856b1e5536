import Synchronization

@testable import DescantDesktop

/// Stands between a correct player and the bus and breaks a rule.
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
        case .call(MPRISName.player, _, _) where mutation.rendersEarly:
            answered.reply = { _ in }
            late.withLock { $0.append(answered) }
            return request.reply(.success([]))
        default: break
        }
        object.handle(answered)
        // What was answered before it was done is done once somebody has looked.
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
