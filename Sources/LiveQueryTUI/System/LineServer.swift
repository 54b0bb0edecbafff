import Glibc
import Synchronization

/// Sends lines to any number of local programs, over a socket in the file system.
///
///     let server = try LineServer(path: "/run/user/1000/app.sock") { … }
///     server.begin(client, with: state)       // when `onClient` has reported one
///     server.send(lines)                      // to all that have begun
///     server.stop()
///
/// ## Guarantees
/// - Only the owner of the process can connect: the file has mode 0600 before anyone can.
/// - A client receives whole lines, in order, from its beginning on.
/// - A client for which more than ``limit`` bytes wait is cut off: it receives the rest of its
///   line, a last line that says why, and the end. No other client and no caller waits for it.
/// - A socket file that a process left when it was killed is replaced; one that is in use is not.
///
/// All methods can be called from any thread and return without waiting.
final class LineServer: Sendable {
  /// How many bytes may wait for a client, in addition to its first ones.
  static let limit = 4 << 20
  /// How many clients there may be.
  static let maximumClients = 64

  private struct Client {
    /// What waits, the oldest first; shared between clients.
    var pieces: [[UInt8]] = []
    /// How many bytes of the first piece are sent.
    var sent = 0
    var waiting = 0
    /// How many of these belong to its first lines.
    var initial = 0
    var hasBegun = false
    /// Whether it is closed once everything is sent.
    var isLast = false
  }

  private struct State {
    var clients: [Int32: Client] = [:]
    var isStopped = false
  }

  private let path: String
  private let descriptor: Int32
  /// A pipe whose bytes wake the server's thread.
  private let wakes: (read: Int32, write: Int32)
  private let identity: (device: dev_t, inode: ino_t)
  private let onClient: @Sendable (Int32) -> Void
  private let state = Mutex(State())

  /// Listens at `path`.
  ///
  /// - Parameter onClient: Called on the server's own thread for each client, which begins with
  ///   ``begin(_:with:)``.
  /// - Throws: ``Failure`` when the path can't be used.
  init(path: String, onClient: @escaping @Sendable (Int32) -> Void) throws(Failure) {
    self.path = path
    self.onClient = onClient
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else {
      throw Failure(
        "--listen unix:\(path): a socket needs a path of 1 to \(capacity - 1) bytes",
        status: ExitStatus.usage)
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    func call<Output>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Output) -> Output {
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
    func make() -> Int32 {
      Self.unshared(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    }
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw Failure(
          "--listen unix:\(path): the file of this name isn't a socket; name another",
          status: ExitStatus.usage)
      }
      let probe = make()
      defer { close(probe) }
      let result = call { connect(probe, $0, $1) }
      guard result != 0, errno == ECONNREFUSED else {
        throw Failure(
          "--listen unix:\(path): another process listens there", status: ExitStatus.cannotOpen)
      }
      unlink(path)
    }
    let descriptor = make()
    self.descriptor = descriptor
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    wakes = (Self.unshared(ends[0]), Self.unshared(ends[1]))
    guard descriptor >= 0, wakes.read >= 0, call({ bind(descriptor, $0, $1) }) == 0 else {
      throw Failure("--listen unix:\(path)", errno: errno, status: ExitStatus.cannotOpen)
    }
    // A client can only connect once the socket listens.
    guard chmod(path, 0o600) == 0, listen(descriptor, 16) == 0, lstat(path, &status) == 0 else {
      let number = errno
      unlink(path)
      throw Failure("--listen unix:\(path)", errno: number, status: ExitStatus.cannotOpen)
    }
    identity = (status.st_dev, status.st_ino)
    DetachedThread.start { [self] in run() }
  }

  /// Whether a client is still there that hasn't begun.
  func awaitsBeginning(_ client: Int32) -> Bool {
    state.withLock { $0.clients[client]?.hasBegun == false }
  }

  /// Begins to send to a client, with these lines first.
  func begin(_ client: Int32, with lines: [UInt8]) {
    state.withLock { state in
      guard var known = state.clients[client], !known.hasBegun else { return }
      known.hasBegun = true
      known.initial = lines.count
      Self.add(lines, to: &known)
      state.clients[client] = known
    }
    signal()
  }

  /// Sends lines to all clients that have begun.
  func send(_ text: String) {
    guard !text.isEmpty else { return }
    let bytes = Array(text.utf8)
    state.withLock { state in
      for (descriptor, client) in state.clients where client.hasBegun && !client.isLast {
        var client = client
        if client.waiting + bytes.count > Self.limit + client.initial {
          Self.cut(&client, "it reads too slowly: more than \(Self.limit >> 20) MB were waiting")
        } else {
          Self.add(bytes, to: &client)
        }
        state.clients[descriptor] = client
      }
    }
    signal()
  }

  /// Ends all connections, and removes the socket file if it is still this one.
  func stop() {
    let isFirst = state.withLock { state in
      defer { state.isStopped = true }
      return !state.isStopped
    }
    guard isFirst else { return }
    var status = stat()
    if lstat(path, &status) == 0, status.st_dev == identity.device,
      status.st_ino == identity.inode
    {
      unlink(path)
    }
    signal()
  }

  private func signal() {
    // A full pipe wakes it, too.
    var byte: UInt8 = 0
    _ = Glibc.write(wakes.write, &byte, 1)
  }

  /// A descriptor that no child inherits, and that nothing waits for.
  private static func unshared(_ descriptor: Int32) -> Int32 {
    guard descriptor >= 0 else { return descriptor }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    return descriptor
  }

  private static func add(_ bytes: [UInt8], to client: inout Client) {
    guard !bytes.isEmpty else { return }
    client.pieces.append(bytes)
    client.waiting += bytes.count
  }

  /// Leaves the rest of the line that is being sent, and says why nothing follows.
  private static func cut(_ client: inout Client, _ reason: String) {
    var rest: [UInt8] = []
    if client.sent > 0, let first = client.pieces.first {
      let isAtLine = first[client.sent - 1] == UInt8(ascii: "\n")
      if !isAtLine {
        let end = first[client.sent...].firstIndex(of: UInt8(ascii: "\n")) ?? first.count - 1
        rest = Array(first[client.sent...end])
      }
    }
    client.pieces = []
    (client.sent, client.waiting, client.isLast) = (0, 0, true)
    add(rest + Array("{\"op\":\"cut\",\"why\":\"\(reason)\"}\n".utf8), to: &client)
  }

  // MARK: - The server's thread

  private func run() {
    while true {
      let (polled, isStopped) = state.withLock { state in
        (
          state.clients.map { descriptor, client in
            let writes = client.waiting > 0 ? POLLOUT : 0
            return pollfd(fd: descriptor, events: Int16(writes | POLLIN), revents: 0)
          },
          state.isStopped
        )
      }
      if isStopped { break }
      var all =
        [
          pollfd(fd: wakes.read, events: Int16(POLLIN), revents: 0),
          pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ] + polled
      guard poll(&all, nfds_t(all.count), -1) >= 0 || errno == EINTR else { break }
      if all[0].revents != 0 {
        var bytes = [UInt8](repeating: 0, count: 256)
        _ = read(wakes.read, &bytes, bytes.count)
      }
      if all[1].revents != 0 { accept() }
      for entry in all.dropFirst(2) where entry.revents != 0 { serve(entry) }
    }
    let clients = state.withLock { state in
      defer { state.clients = [:] }
      return state.clients
    }
    for client in clients.keys {
      // What the socket takes immediately is still sent.
      flush(client, clients[client] ?? Client())
      close(client)
    }
    close(descriptor)
    // The pipe stays: a caller may signal at any time.
  }

  private func accept() {
    while case let client = Self.unshared(Glibc.accept(descriptor, nil, nil)), client >= 0 {
      let isAccepted = state.withLock { state in
        var new = Client()
        // One that was cut off and reads nothing keeps no other away.
        if state.clients.count >= Self.maximumClients,
          let idle = state.clients.first(where: \.value.isLast)?.key
        {
          state.clients[idle] = nil
          close(idle)
        }
        let hasRoom = state.clients.count < Self.maximumClients
        if !hasRoom {
          new.hasBegun = true
          Self.cut(&new, "there are \(Self.maximumClients) clients already")
        }
        state.clients[client] = new
        return hasRoom
      }
      if isAccepted { onClient(client) }
    }
  }

  private func serve(_ entry: pollfd) {
    let hasEnded = entry.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 || hasHungUp(entry)
    guard !hasEnded else { return drop(entry.fd) }
    guard entry.revents & Int16(POLLOUT) != 0 else { return }
    let isDone = state.withLock { state -> Bool in
      guard var client = state.clients[entry.fd] else { return false }
      let isAlive = Self.write(&client, to: entry.fd)
      state.clients[entry.fd] = client
      return !isAlive || (client.isLast && client.waiting == 0)
    }
    if isDone { drop(entry.fd) }
  }

  /// Whether a client has closed its end; what it sends is ignored.
  private func hasHungUp(_ entry: pollfd) -> Bool {
    guard entry.revents & Int16(POLLIN) != 0 else { return false }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(entry.fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
  }

  private func drop(_ client: Int32) {
    let isKnown = state.withLock { $0.clients.removeValue(forKey: client) != nil }
    if isKnown { close(client) }
  }

  private func flush(_ descriptor: Int32, _ client: Client) {
    var client = client
    _ = Self.write(&client, to: descriptor)
  }

  /// Sends what the socket takes.
  ///
  /// - Returns: Whether the client is still there.
  private static func write(_ client: inout Client, to descriptor: Int32) -> Bool {
    while let piece = client.pieces.first {
      let count = piece[client.sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      client.sent += count
      client.waiting -= count
      // Its first lines come before all others.
      client.initial = max(0, client.initial - count)
      guard client.sent == piece.count else { return true }
      client.pieces.removeFirst()
      client.sent = 0
    }
    return true
  }
}
