internal import CSQLite

/// SQLite's context of a function. SQLite holds the only reference, from
/// `sqlite3_create_function_v2` until it calls the destructor. It calls the function only in
/// between, on the thread of the connection that prepared the statement. So the callbacks below may
/// use it without retaining it.
private final class InstalledFunction {
  let function: CustomFunction
  /// How the connection stores dates.
  private let dateFormat: DateFormat

  init(_ function: CustomFunction, _ dateFormat: DateFormat) {
    self.function = function
    self.dateFormat = dateFormat
  }

  static func of(_ context: OpaquePointer?) -> InstalledFunction {
    Unmanaged<InstalledFunction>.fromOpaque(sqlite3_user_data(context)!).takeUnretainedValue()
  }

  /// Sets the result of the call to what `body` returns or throws.
  func answer(_ context: OpaquePointer, _ body: () throws -> Value?) {
    do {
      try body()?.becomeResult(of: context, dateFormat: dateFormat)
    } catch let error as DatabaseError {
      sqlite3_result_error(context, error.message, -1)
      // After the message, because setting the message resets the code to SQLITE_ERROR.
      sqlite3_result_error_code(context, error.code.rawValue)
    } catch is CancellationError {
      sqlite3_result_error_code(context, SQLITE_INTERRUPT)
    } catch {
      sqlite3_result_error(context, "\(function.name)() failed: \(error)", -1)
    }
  }
}

private func values(
  _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) -> [Value] {
  (0..<Int(count)).map { arguments?[$0].map { Value($0) } ?? .null }
}

private func callScalar(
  _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  let installed = InstalledFunction.of(context)
  guard let context, case .scalar(let body) = installed.function.body else { return }
  installed.answer(context) { try body(values(count, arguments)) }
}

/// The group's object hangs on the memory that SQLite keeps for each group, zeroed at first. SQLite
/// calls `finish` for every group that was stepped, even when the statement failed or was reset, so
/// the reference is released there.
private func callStep(
  _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  let installed = InstalledFunction.of(context)
  guard let context, case .aggregate(let makeGroup) = installed.function.body else { return }
  let size = Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
  guard let memory = sqlite3_aggregate_context(context, size) else {
    return sqlite3_result_error_nomem(context)
  }
  let slot = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  let reference: Unmanaged<GroupBox>
  if let known = slot.pointee {
    reference = Unmanaged.fromOpaque(known)
  } else {
    reference = Unmanaged.passRetained(GroupBox(makeGroup()))
    slot.pointee = reference.toOpaque()
  }
  installed.answer(context) {
    try reference.takeUnretainedValue().group.step(values(count, arguments))
    return nil
  }
}

private func callFinish(_ context: OpaquePointer?) {
  let installed = InstalledFunction.of(context)
  guard let context, case .aggregate(let makeGroup) = installed.function.body else { return }
  // 0 requests no allocation: a group without rows has no memory.
  let slot = sqlite3_aggregate_context(context, 0)?
    .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  let box = slot?.pointee.map { Unmanaged<GroupBox>.fromOpaque($0).takeRetainedValue() }
  slot?.pointee = nil
  installed.answer(context) { try (box?.group ?? makeGroup()).result() }
}

/// `Unmanaged` needs a class, but a group is known by its protocol.
private final class GroupBox {
  let group: any AggregateGroup
  init(_ group: any AggregateGroup) { self.group = group }
}

extension Connection {
  /// Declares an SQL function on this connection.
  func install(_ function: CustomFunction) throws(DatabaseError) {
    let count = function.argumentCount ?? -1
    // SQLite reports a wrong count or name only as "bad parameters", so this checks them first.
    guard (-1...127).contains(count), function.argumentCount != -1,
      (1...255).contains(function.name.utf8.count)
    else {
      throw DatabaseError(
        code: .misuse,
        message: "the function '\(function.name)' needs a name of 1 to 255 bytes and 0 to 127 "
          + "arguments, or nil for any number")
    }
    var flags = SQLITE_UTF8
    if function.isDeterministic { flags |= SQLITE_DETERMINISTIC }
    switch function.schemaUse {
    case .never: flags |= SQLITE_DIRECTONLY
    case .whenTrusted: if !options.trustsSchema { flags |= SQLITE_DIRECTONLY }
    case .always: flags |= SQLITE_INNOCUOUS
    }
    let context = Unmanaged.passRetained(InstalledFunction(function, dateFormat)).toOpaque()
    let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void = {
      Unmanaged<InstalledFunction>.fromOpaque($0!).release()
    }
    let isScalar = if case .scalar = function.body { true } else { false }
    // SQLite calls the destructor even when this fails.
    let result = sqlite3_create_function_v2(
      handle, function.name, Int32(count), flags, context, isScalar ? callScalar : nil,
      isScalar ? nil : callStep, isScalar ? nil : callFinish, destroy)
    guard result == SQLITE_OK else { throw error(result, sql: nil) }
  }
}
