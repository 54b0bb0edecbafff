/// What happened to the file of a followed database, for a user who reads lines.
package enum FileNotice {
  package static let isGone = "the file is gone; waiting for it to come back"
  package static let isReplaced = "another file stands at the path; it was opened"
}
