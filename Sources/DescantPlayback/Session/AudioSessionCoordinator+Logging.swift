internal import DescantCore

/// The log of a session: every change with the state before and after.
extension AudioSessionCoordinator {
    func logActivation(_ member: Member, reason: String, attempt: String?, error: (any Error)?) {
        var fields: [LogField: LogValue] = [
            .engine: .open(member.name), .action: "activate", .reason: .open(reason),
            .result: error == nil ? "success" : "failure",
        ]
        if let attempt { fields[.attemptId] = .open(attempt) }
        if let error { fields.merge(LogRecord.fields(of: error)) { _, new in new } }
        // The caller decides whether to try again, so a failed attempt is only a warning.
        logChange("session.activate", level: error == nil ? .info : .warning, fields)
    }

    func logDeactivation(_ member: Member?, reason: String) {
        var fields: [LogField: LogValue] = [
            .action: "deactivate", .reason: .open(reason), .result: "success",
        ]
        if let member { fields[.engine] = .open(member.name) }
        logChange("session.deactivate", fields)
    }

    /// A client goes on with another engine.
    func logHandover(from previous: String, to member: Member, reason: String, attempt: String?) {
        var fields: [LogField: LogValue] = [
            .engine: .open(member.name), .action: "activate", .reason: .open(reason), "previous": .open(previous),
        ]
        if let attempt { fields[.attemptId] = .open(attempt) }
        logChange("session.handOver", fields)
    }

    func logIgnoredOptions(of member: Member, _ wanted: AudioSessionConfiguration) {
        log(
            "session.optionsIgnored", level: .warning,
            [
                .engine: .open(member.name), .action: "activate",
                "wantedCategory": .open(wanted.role.rawValue), "wantedOptions": .open(wanted.options.description),
            ])
    }

    /// Logs something that may have changed the state, and tells the state to programs.
    func logChange(_ name: String, level: LogLevel = .info, _ fields: [LogField: LogValue]) {
        let before = statusHub.snapshot?.state ?? .inactive
        tell()
        var all = fields
        all["stateBefore"] = .open(before.rawValue)
        all["stateAfter"] = .open(state.rawValue)
        log(name, level: level, all)
    }

    /// Logs something with everything that is known of the session.
    func log(_ name: String, level: LogLevel = .info, _ fields: [LogField: LogValue]) {
        logger.record(LogRecord(name, level: level, fields: sessionFields.merging(fields) { _, new in new }))
    }

    private var sessionFields: [LogField: LogValue] {
        var fields: [LogField: LogValue] = [
            .routeOutputs: .open(Self.names(desktop.situation.route.outputs)),
            .routeInputs: .open(Self.names(desktop.situation.route.inputs)),
            .isOtherAudioPlaying: .open("\(desktop.situation.isOtherAudioPlaying)"),
            .secondaryAudioShouldBeSilencedHint: .open("\(desktop.situation.secondaryAudioShouldBeSilencedHint)"),
        ]
        if let configuration = session.configuration {
            fields[.sessionCategory] = .open(configuration.role.rawValue)
            fields[.sessionMode] = .open(configuration.mode.rawValue)
            fields[.sessionOptions] = .open(configuration.options.description)
        }
        if !session.isEmpty { fields[.engine] = .open(session.names.joined(separator: ",")) }
        return fields
    }

    static func names(_ devices: [AudioDevice]) -> String { devices.map(\.identifier).joined(separator: ",") }
}

extension LogRecord {
    /// The fields that tell of an error.
    static func fields(of error: any Error) -> [LogField: LogValue] {
        guard let core = error as? CoreError else {
            return [.errorCode: .open("\(type(of: error))"), .errorMessage: .open("\(error)")]
        }
        return [.errorCode: .open(core.code), .errorMessage: .open(core.message)]
    }
}
