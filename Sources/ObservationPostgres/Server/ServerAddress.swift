/// A database argument that names a PostgreSQL server: a URI, or `host=… dbname=…` and the like.
///
/// libpq alone reads it: the password file, the service file, `sslmode`, several hosts are its matter.
package struct ServerAddress: Sendable, Equatable {
  /// As libpq takes it. It may contain a password: it is never shown or logged.
  let connectionString: String
  /// What is shown for it: the name of the database, with the host when that isn't this machine.
  package let name: String

  /// - Returns: nil for anything else: the name of a file. `./host=x` is a file's name.
  package init?(_ argument: String) {
    if let scheme = ["postgres://", "postgresql://"].first(where: argument.hasPrefix) {
      name = Self.name(ofURI: argument.dropFirst(scheme.count))
    } else if let first = Self.settings(argument).first, Self.keywords.contains(first.key) {
      name = Self.name(ofSettings: argument)
    } else {
      return nil
    }
    connectionString = argument
  }

  private static let keywords = ["host", "hostaddr", "dbname", "service", "user", "port"]

  private static func name(ofURI rest: Substring) -> String {
    // A password may contain a question mark.
    let head = rest.prefix { $0 != "/" }
    let start = head.lastIndex(of: "@").map(rest.index(after:)) ?? rest.startIndex
    let path = rest[start...].prefix { $0 != "?" }
    let host = path.prefix { $0 != "/" }
    let database = path.dropFirst(host.count + 1)
    // A slash that isn't written as %2F: what follows may be part of a password.
    if database.contains("@") { return "postgres" }
    return name(database, host: host)
  }

  private static func name(ofSettings text: String) -> String {
    let values = Dictionary(settings(text), uniquingKeysWith: { $1 })
    return name(values["dbname"] ?? values["service"] ?? "", host: values["host"] ?? "")
  }

  /// The settings of a connection string, `host = here dbname=shop`, without their quotes.
  private static func settings(_ text: String) -> [(key: String, value: Substring)] {
    var rest = text.drop { $0.isWhitespace }
    var settings: [(key: String, value: Substring)] = []
    while let equals = rest.firstIndex(of: "=") {
      let key = rest[..<equals].prefix { !$0.isWhitespace }
      guard rest[key.endIndex..<equals].allSatisfy(\.isWhitespace) else { break }
      rest = rest[equals...].dropFirst().drop { $0.isWhitespace }
      let value: Substring
      if rest.first == "'" {
        value = rest.dropFirst().prefix { $0 != "'" }
        rest = rest.dropFirst(value.count + 2)
      } else {
        value = rest.prefix { !$0.isWhitespace }
        rest = rest.dropFirst(value.count)
      }
      settings.append((String(key), value))
      rest = rest.drop { $0.isWhitespace }
    }
    return settings
  }

  private static func name(_ database: Substring, host: Substring) -> String {
    let isLocal = host.isEmpty || host.hasPrefix("/") || host.hasPrefix("localhost")
    let name = database.isEmpty ? "postgres" : String(database)
    return isLocal ? name : "\(name)@\(host)"
  }
}
