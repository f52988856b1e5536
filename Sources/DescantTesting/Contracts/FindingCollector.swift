internal import DescantCore

/// Collects the findings of checks.
struct FindingCollector {
    private(set) var findings: [ContractFinding] = []

    /// Records a finding unless a condition holds.
    mutating func expect(_ condition: Bool, _ rule: String, seen: @autoclosure () -> String) {
        if !condition { findings.append(ContractFinding(rule: rule, seen: seen())) }
    }

    /// Records that a suite needs a file to check with.
    mutating func needsFixture(_ hasFixture: Bool) {
        if !hasFixture { findings.append(.noFixture) }
    }

    /// Records a finding unless two values are equal.
    mutating func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, _ rule: String) {
        expect(value == expected, rule, seen: "\(value) instead of \(expected)")
    }

    /// Records a finding unless an operation throws an error of one of the given kinds.
    ///
    /// - Parameters:
    ///   - codes: Values of `CoreError.code`.
    ///   - rule: What must hold.
    ///   - operation: What must throw.
    mutating func expectError<Result>(_ codes: Set<String>, _ rule: String, _ operation: () throws -> Result) {
        do {
            let result = try operation()
            findings.append(ContractFinding(rule: rule, seen: "no error but \(result)"))
        } catch {
            judge(error, codes, rule)
        }
    }

    /// As ``expectError(_:_:_:)``, for an operation that suspends.
    mutating func expectError<Result>(
        _ codes: Set<String>, _ rule: String, isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Result
    ) async {
        do {
            let result = try await operation()
            findings.append(ContractFinding(rule: rule, seen: "no error but \(result)"))
        } catch {
            judge(error, codes, rule)
        }
    }

    private mutating func judge(_ error: any Error, _ codes: Set<String>, _ rule: String) {
        guard let error = error as? CoreError else {
            findings.append(ContractFinding(rule: rule, seen: "an error that is not a CoreError: \(error)"))
            return
        }
        expect(codes.contains(error.code), rule, seen: "\(error.code): \(error.message)")
    }
}
