import TestSupport

extension PostgresDatabase {
  /// `--stream` of a query, which has printed the first state.
  func stream(as role: String = "postgres", _ query: String) async throws -> RunningProgram {
    let stream = try LiveQuery.start(["--stream", address(as: role), "-c", query])
    while try StreamRecord(try await stream.line()).operation != "\"end\"" {}
    return stream
  }
}

extension RunningProgram {
  /// The next line of `--stream` that is a change after the first state.
  func change() async throws -> StreamRecord {
    while true {
      let record = try StreamRecord(try await line())
      let isRow = ["\"+\"", "\"~\"", "\"-\""].contains(record.operation ?? "")
      if record["src"] != "\"open\"", isRow { return record }
    }
  }
}
