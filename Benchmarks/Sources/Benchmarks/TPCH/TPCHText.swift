/// The words of TPC-H's specification, from which names and comments are made (clauses 4.2.2.12, 4.2.3).
enum TPCHText {
  static let regions = ["AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"]
  /// Nations, and the region of each.
  static let nations: [(name: String, region: Int)] = [
    ("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0),
    ("FRANCE", 3), ("GERMANY", 3), ("INDIA", 2), ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4),
    ("JAPAN", 2), ("JORDAN", 4), ("KENYA", 0), ("MOROCCO", 0), ("MOZAMBIQUE", 0), ("PERU", 1),
    ("CHINA", 2), ("ROMANIA", 3), ("SAUDI ARABIA", 4), ("VIETNAM", 2), ("RUSSIA", 3),
    ("UNITED KINGDOM", 3), ("UNITED STATES", 1),
  ]
  static let segments = ["AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD"]
  static let priorities = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"]
  static let instructions = ["DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"]
  static let modes = ["REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"]
  static let types = [
    ["STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"],
    ["ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"],
    ["TIN", "NICKEL", "BRASS", "STEEL", "COPPER"],
  ]
  static let containers = [
    ["SM", "LG", "MED", "JUMBO", "WRAP"],
    ["CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM"],
  ]
  static let colors = words(
    """
    almond antique aquamarine azure beige bisque black blanched blue blush brown burlywood burnished chartreuse
    chiffon chocolate coral cornflower cornsilk cream cyan dark deep dim dodger drab firebrick floral forest frosted
    gainsboro ghost goldenrod green grey honeydew hot indian ivory khaki lace lavender lawn lemon light lime linen
    magenta maroon medium metallic midnight mint misty moccasin navajo navy olive orange orchid pale papaya peach
    peru pink plum powder puff purple red rose rosy royal saddle salmon sandy seashell sienna sky slate smoke snow
    spring steel tan thistle tomato turquoise violet wheat white yellow
    """)
  private static let comments = words(
    """
    foxes ideas theodolites pinto beans instructions dependencies excuses platelets asymptotes courts dolphins
    multipliers sauternes warthogs frets dinos attainments somas braids frays warhorses dugouts notornis epitaphs
    pearls tithes waters orbits gifts sheaves depths sentiments decoys realms pains grouches escapades packages
    requests accounts deposits sleep wake are cajole haggle nag use boost affix detect integrate maintain nod was
    lose sublate solve thrash promise engage hinder print doze run dazzle snooze furious sly careful blithe quick
    fluffy slow quiet ruthless thin close dogged daring brave stealthy permanent enticing idle busy regular final
    ironic even bold silent sometimes always never furiously slyly carefully blithely quickly fluffily slowly
    quietly about above according across after against along among around at before between into special pending
    express unusual
    """)

  private static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\n" }.map(String.init)
  }

  /// A comment of a length between the two.
  static func comment(_ length: ClosedRange<Int>, _ random: inout SplitMix) -> String {
    let wanted = Int.random(in: length, using: &random)
    var text = ""
    while text.utf8.count < wanted {
      if !text.isEmpty { text += " " }
      text += comments.randomElement(using: &random)!
    }
    return String(text.prefix(wanted))
  }

  /// One syllable of each list.
  static func compound(_ lists: [[String]], _ random: inout SplitMix) -> String {
    lists.map { $0.randomElement(using: &random)! }.joined(separator: " ")
  }

  /// Five colours, no two of them the same.
  static func partName(_ random: inout SplitMix) -> String {
    var chosen: [String] = []
    while chosen.count < 5 {
      let color = colors.randomElement(using: &random)!
      if !chosen.contains(color) { chosen.append(color) }
    }
    return chosen.joined(separator: " ")
  }

  static func phone(_ nation: Int, _ random: inout SplitMix) -> String {
    "\(nation + 10)-\(Int.random(in: 100...999, using: &random))-"
      + "\(Int.random(in: 100...999, using: &random))-\(Int.random(in: 1000...9999, using: &random))"
  }

  static func numbered(_ name: String, _ number: Int) -> String {
    let digits = String(number)
    return name + "#" + String(repeating: "0", count: max(0, 9 - digits.count)) + digits
  }
}

/// The same numbers from the same seed, on every machine.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
