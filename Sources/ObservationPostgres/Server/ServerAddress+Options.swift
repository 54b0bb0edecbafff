internal import CPostgres
internal import Glibc

extension ServerAddress {
  /// The `options` that the user's text names, with others behind them: of two for the same setting the last one
  /// counts.
  func options(followedBy own: String) -> String { Self.joined(options, own) }

  /// The `options` that the user's text names; nil for none.
  var options: String? {
    // A text that can't be read is refused when it is connected with.
    guard let first = lq_pq_parseAddress(connectionString, nil) else { return nil }
    defer { lq_pq_freeSettings(first) }
    var setting = first
    while let keyword = setting.pointee.keyword {
      if strcmp(keyword, "options") == 0 { return setting.pointee.val.map { String(cString: $0) } }
      setting += 1
    }
    return nil
  }

  static func joined(_ given: String?, _ own: String) -> String {
    guard var options = given else { return own }
    // A backslash at the end would make the blank behind it a part of the word.
    let escapes = options.reversed().prefix { $0 == "\\" }.count
    if !escapes.isMultiple(of: 2) { options.removeLast() }
    return options + " " + own
  }
}
