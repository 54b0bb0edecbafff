extension String {
  /// The part of a path after the last slash that has one after it: the name of the file.
  package var lastPathPart: String {
    String(split(separator: "/").last ?? Substring(self))
  }
}
