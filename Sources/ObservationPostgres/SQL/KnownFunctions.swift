internal import ObservationEngine

extension ServerStatement {
  /// Whether each function that it calls by name is one of PostgreSQL's that reads no relation.
  ///
  /// Others may read another relation each time: `query_to_xml` runs what a row says, `pg_table_size` opens what a
  /// row names. A name that isn't known here counts as one of them.
  ///
  /// - Complexity: O(length).
  var callsKnownFunctions: Bool {
    let tokens = SQLTokenizer.tokens(of: source, dialect: .postgres)
    return zip(tokens, tokens.dropFirst()).allSatisfy { name, next in
      guard next.isSymbol("("), name.kind == .word || name.kind == .quotedName else { return true }
      return Self.known.contains(name.text.asciiLowercased)
    }
  }

  private static let known = Set(
    [keywords, aggregates, functions].flatMap { $0.split(separator: " ").map(String.init) })

  /// Words that a parenthesis may follow, and types.
  private static let keywords = """
    all and any array as bit by case cast char character coalesce cube dec decimal distinct else except exists filter \
    float from group grouping having ilike in inner interval intersect interval join lateral left like limit \
    materialized not nullif numeric offset on or order over partition row rollup select sets similar some then time \
    timestamp timestamptz to union using values varbit varchar varying when where with within
    """

  private static let aggregates = """
    array_agg avg bit_and bit_or bool_and bool_or corr count covar_pop covar_samp cume_dist dense_rank every \
    first_value json_agg json_object_agg jsonb_agg jsonb_object_agg lag last_value lead max min mode nth_value ntile \
    percent_rank percentile_cont percentile_disc rank regr_avgx regr_avgy regr_count regr_intercept regr_r2 \
    regr_slope row_number stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance
    """

  private static let functions = """
    abs acos age array_append array_cat array_length array_lower array_ndims array_position array_positions \
    array_prepend array_remove array_replace array_to_string array_upper ascii asin atan atan2 bit_length btrim \
    cardinality cbrt ceil ceiling char_length character_length chr clock_timestamp concat concat_ws cos cot date \
    date_bin date_part date_trunc decode degrees div encode exp extract factorial floor format gcd gen_random_uuid \
    generate_series generate_subscripts greatest hashtext initcap isfinite json_array_elements \
    json_array_elements_text json_array_length json_build_array json_build_object json_each json_each_text \
    json_extract_path json_extract_path_text json_object_keys json_typeof jsonb_array_elements \
    jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text \
    jsonb_extract_path jsonb_extract_path_text jsonb_object_keys jsonb_pretty jsonb_set jsonb_typeof \
    justify_days justify_hours justify_interval lcm least left length ln localtime localtimestamp log log10 lower \
    lower_inc lpad ltrim make_date make_interval make_time make_timestamp make_timestamptz md5 mod now \
    octet_length overlay pi position power radians random regexp_count regexp_instr regexp_like regexp_match \
    regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr repeat replace reverse \
    right round row_to_json rpad rtrim sign sin split_part sqrt starts_with statement_timestamp string_to_array \
    string_to_table strpos substr substring tan to_char to_date to_hex to_json to_jsonb to_number to_timestamp \
    transaction_timestamp translate trim trunc unnest upper upper_inc width_bucket
    """
}
