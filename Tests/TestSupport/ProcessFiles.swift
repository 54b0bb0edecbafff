internal import Glibc

/// The text of a file of `/proc`, whose size is not known before it is read.
package func textOfProcessFile(_ path: String) throws -> String {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw Unexpected("\(path) cannot be read") }
  defer { close(descriptor) }
  var text: [UInt8] = []
  var page = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = read(descriptor, &page, page.count)
    guard count > 0 else { return String(decoding: text, as: UTF8.self) }
    text += page.prefix(count)
  }
}
