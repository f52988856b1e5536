// Measures the client with a server in the same process: commands per second with 1, 16 and 256 in flight, events per second
// to 100 subscribers of which one does not read, and memory. Prints one line of JSON per figure. With CHECK in the environment,
// fewer than 20,000 commands per second with 256 in flight, an event that a reader misses, and memory that grows are failures.

import Foundation
import MusicAssistantKit
import MusicAssistantTestServer

func report(_ name: String, _ value: Double, _ unit: String) {
    print(#"{"figure":"\#(name)","value":\#(Int(value.rounded())),"unit":"\#(unit)"}"#)
}

let scenario = Scenario(replyFaults: [ReplyFault(.result(.null), on: "nothing")])
let server = try await MusicAssistantTestServer.start(scenario)
guard let url = URL(string: server.url) else { fatalError("the server gave no address") }
var configuration = ClientConfiguration(token: "test-token")
configuration.keepsMirrors = false
configuration.eventBuffer = 512
let client = MusicAssistantClient(url: url, configuration: configuration)
try await client.connect()
let bench = ClientBench(client: client, server: server)
let before = try ClientBench.residentMegabytes()
report("memory after connecting", before, "MB")

let demanded = 20_000.0
var missed: [String] = []
for inFlight in [1, 16, 256] {
    let limit = try BareClient(port: server.port, token: "test-token").commandsPerSecond(inFlight: inFlight, seconds: 3)
    let reached = try await bench.commandsPerSecond(inFlight: inFlight, seconds: 3)
    report("commands with \(inFlight) in flight", reached, "1/s")
    report("the same without a client, limit of the server", limit, "1/s")
    if inFlight == 256, reached < demanded {
        missed.append("fewer than \(Int(demanded)) commands a second with 256 in flight")
    }
}
report("memory after that", try ClientBench.residentMegabytes(), "MB")

let events = try await bench.events(20_000)
report("events read by 99 subscribers beside one that does not read", events.perSecond, "1/s")
report("events that those 99 missed", Double(events.missedByReaders), "")
report("events that the one missed of 20,000", Double(events.missedBySlowReader), "")
let after = try ClientBench.residentMegabytes()
report("memory after that", after, "MB")
// The newest 512 events of the reader that does not read are kept.
if after > before + 16 { missed.append("the memory grew from \(Int(before)) to \(Int(after)) MB") }
if events.missedByReaders > 0 { missed.append("\(events.missedByReaders) events were missed by the readers") }
await client.disconnect()
try await server.stop()

let isChecked = ProcessInfo.processInfo.environment["CHECK"].map { !$0.isEmpty && $0 != "0" } ?? false
for line in missed { print(line) }
exit(isChecked && !missed.isEmpty ? 1 : 0)
