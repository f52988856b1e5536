internal import NIOCore

/// Applies reply faults: delayed, repeated, fragmented and missing replies.
extension ServerCore {
    func apply(_ fault: ReplyFault.Action, to request: ReceivedCommand, from session: ClientConnection) {
        switch fault {
        case .close(let code): return session.close(code: code)
        case .result(let value): return deliver(.result(value), for: request, to: session)
        case .error(let error): return deliver(.failure(error), for: request, to: session)
        default: break
        }
        let payloads = payloads(of: reply(to: request, from: session), for: request)
        let isOpen = { [weak session] in session.map { self.sessions[$0.number] === $0 } ?? false }
        let send = { [weak session] in
            guard let session, isOpen() else { return }
            for payload in payloads { session.send(payload: payload) }
        }
        switch fault {
        case .delay(let duration):
            loop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) {
                send()
                self.flush()
            }
        case .hold:
            held.append((request.name, send))
            noteChange()
        case .duplicate(let times): for _ in 0..<times { send() }
        case .reverse(let count): gather(send, for: session.number, until: count)
        default: change(payloads, fault, session)
        }
    }

    /// The faults that change the content of the reply.
    private func change(_ payloads: [ByteBuffer], _ fault: ReplyFault.Action, _ session: ClientConnection) {
        var frames = ByteBuffer()
        switch fault {
        case .texts(let texts): for text in texts { FrameWriter.write(ByteBuffer(string: text), to: &frames) }
        case .binary(let bytes):
            FrameWriter.write(ByteBuffer(bytes: bytes), as: .binary, to: &frames)
            for payload in payloads { FrameWriter.write(payload, to: &frames) }
        case .events(let events):
            for event in events { FrameWriter.write(ByteBuffer(string: event.message.text), to: &frames) }
            for payload in payloads { FrameWriter.write(payload, to: &frames) }
        case .pad(let size): for payload in payloads { FrameWriter.write(Self.pad(payload, to: size), to: &frames) }
        case .fragment(let size):
            for payload in payloads { FrameWriter.write(payload, inFragmentsOf: size, to: &frames) }
        case .cut(let count):
            for payload in payloads { FrameWriter.write(payload, to: &frames) }
            return session.send(frames: frames, cutAfter: count)
        // Dropped replies are not sent; the other faults are handled elsewhere.
        default: return
        }
        session.send(frames: frames, messages: max(1, payloads.count))
    }

    /// Adds a member to an object, so that its text has at least a number of bytes.
    private static func pad(_ payload: ByteBuffer, to size: Int) -> ByteBuffer {
        guard payload.readableBytes < size else { return payload }
        var result = ByteBuffer()
        result.reserveCapacity(size + 64)
        result.writeStaticString("{\"padding\":\"")
        result.writeRepeatingByte(UInt8(ascii: "x"), count: size - payload.readableBytes)
        result.writeStaticString("\",")
        if let rest = payload.getSlice(at: payload.readerIndex + 1, length: payload.readableBytes - 1) {
            result.writeImmutableBuffer(rest)
        }
        return result
    }

    private func gather(_ send: @escaping () -> Void, for connection: Int, until count: Int) {
        gathered[connection, default: []].append(send)
        if gathered[connection]?.count ?? 0 >= count { return deliverGathered(connection) }
        guard gathered[connection]?.count == 1 else { return }
        loop.assumeIsolated().scheduleTask(in: .seconds(1)) {
            self.deliverGathered(connection)
            self.flush()
        }
    }

    private func deliverGathered(_ connection: Int) {
        for send in (gathered.removeValue(forKey: connection) ?? []).reversed() { send() }
    }

    /// Sends the held replies.
    func release(_ command: String?) {
        let due = held.filter { command == nil || $0.command == command }
        held.removeAll { command == nil || $0.command == command }
        for reply in due { reply.deliver() }
        flush()
    }
}
