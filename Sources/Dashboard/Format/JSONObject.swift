import ObservationEngine

/// A JSON object, written member by member.
///
///     var object = JSONObject()
///     object.add("panel", "fame")
///     object.add("title", panel.title)      // nothing for nil
///     object.text                           // {"panel":"fame"}
struct JSONObject {
  private var members = ""
  private let json: JSONText

  init(_ json: JSONText = JSONText()) { self.json = json }

  /// The object, on one line.
  var text: String { "{" + members + "}" }

  /// Adds a member whose value `write` appends.
  mutating func add(_ name: String, _ write: (inout String) -> Void) {
    if !members.isEmpty { members += "," }
    json.append(name, to: &members)
    members += ":"
    write(&members)
  }

  mutating func add(_ name: String, _ text: String?) {
    guard let text else { return }
    add(name) { [json] in json.append(text, to: &$0) }
  }

  mutating func add(_ name: String, _ number: (some BinaryInteger)?) {
    guard let number else { return }
    add(name) { $0 += String(number) }
  }

  mutating func add(_ name: String, _ flag: Bool) { add(name) { $0 += flag ? "true" : "false" } }

  /// Adds an array of strings.
  mutating func add(_ name: String, _ texts: [String]) { add(name, texts.map(Value.text)) }

  /// Adds an array of values.
  mutating func add(_ name: String, _ values: [Value]) {
    add(name) { [json] in json.append(values, to: &$0) }
  }

  /// Adds a row as an object; see ``JSONText/append(_:names:to:)``.
  mutating func add(_ name: String, _ row: [Value], names: [String]) {
    add(name) { [json] in json.append(row, names: names, to: &$0) }
  }

  /// Adds an object.
  mutating func add(_ name: String, _ object: JSONObject) { add(name) { $0 += object.text } }

  /// Adds an array of objects.
  mutating func add(_ name: String, _ objects: [JSONObject]) {
    add(name) { $0 += "[" + objects.map(\.text).joined(separator: ",") + "]" }
  }

  /// Adds a value that already is JSON.
  mutating func add(_ name: String, json text: String) { add(name) { $0 += text } }
}
