#pragma once

#include <dma/proof/ptx/decoder.hpp>
#include <dma/proof/ptx/values/halves.hpp>

namespace dma::inline v0_1::proof::ptx::detail {

/// Takes a part of a value: `mode` bits from bit `flags` on.
inline std::uint64_t extract_bits(const Instruction& instruction, const std::uint64_t* values) {
  return values[0] >> instruction.flags &
         (instruction.mode >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << instruction.mode) - 1);
}
/// Puts values of `mode` bits behind one another.
inline std::uint64_t pack_bits(const Instruction& instruction, const std::uint64_t* values) {
  std::uint64_t packed = 0;
  for (int i = 0; i < instruction.sources; ++i) {
    const std::uint64_t mask = instruction.mode >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << instruction.mode) - 1;
    packed |= (values[i] & mask) << (i * instruction.mode);
  }
  return packed;
}
/// The value itself.
inline std::uint64_t copy_bits(const Instruction&, const std::uint64_t* values) { return values[0]; }
/// The first or the second value, as the predicate says.
inline std::uint64_t select_bits(const Instruction&, const std::uint64_t* values) {
  return values[2] != 0 ? values[0] : values[1];
}
/// Operations on predicates.
inline std::uint64_t predicate_bits(const Instruction& instruction, const std::uint64_t* values) {
  const bool a = values[0] != 0;
  const bool b = values[1] != 0;
  return instruction.mode == 0 ? !a : instruction.mode == 1 ? a && b : instruction.mode == 2 ? a || b : a != b;
}
/// A generic address of one in the window `flags`, and back (`mode` 1).
inline std::uint64_t convert_address(const Instruction& instruction, const std::uint64_t* values) {
  const std::uint64_t window = static_cast<std::uint64_t>(instruction.flags) << 56;
  constexpr std::uint64_t offset = (std::uint64_t{1} << 56) - 1;
  if (window == shared_window) {
    return instruction.mode == 1 ? values[0] & 0xffffffffU : window | (values[0] & 0xffffffffU);
  }
  return window == 0 ? values[0] : window | (values[0] & offset);
}
/// Whether a generic address is in the window `flags`.
inline std::uint64_t is_in_window(const Instruction& instruction, const std::uint64_t* values) {
  return values[0] >> 56 == static_cast<std::uint64_t>(instruction.flags) ? 1 : 0;
}
/// The address in another CTA of the cluster of what is at one of shared memory.
inline std::uint64_t address_in_cta(const Instruction&, const std::uint64_t* values) {
  constexpr std::uint64_t ranks = std::uint64_t{0xff} << rank_shift;
  return (values[0] & ~ranks) | (values[1] << rank_shift & ranks);
}
/// The rank of the CTA that has an address of shared memory.
inline std::uint64_t cta_of_address(const Instruction&, const std::uint64_t* values) {
  return values[0] >> rank_shift & 0xffU;
}
/// Four bytes of eight, each chosen by four bits.
inline std::uint64_t permute_bytes(const Instruction&, const std::uint64_t* values) {
  const std::uint64_t bytes = (values[0] & 0xffffffffU) | values[1] << 32;
  std::uint64_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t choice = values[2] >> (4 * i) & 15U;
    std::uint64_t byte = bytes >> (8 * (choice & 7U)) & 255U;
    if ((choice & 8U) != 0) {
      byte = (byte & 128U) != 0 ? 255U : 0;
    }
    result |= byte << (8 * i);
  }
  return result;
}
/// A shift of two registers, to the left or (`mode` 1) to the right; `flags`: by the amount modulo 32.
inline std::uint64_t funnel_shift(const Instruction& instruction, const std::uint64_t* values) {
  const std::uint64_t both = (values[0] & 0xffffffffU) | values[1] << 32;
  const auto amount = static_cast<std::uint32_t>(values[2]);
  const std::uint32_t by = instruction.flags != 0 ? amount % 32 : amount > 32 ? 32 : amount;
  return (instruction.mode == 1 ? both >> by : both << by >> 32) & 0xffffffffU;
}
/// A mask of bits from one on.
inline std::uint64_t mask_bits(const Instruction& instruction, const std::uint64_t* values) {
  const auto first = static_cast<std::uint32_t>(values[0]);
  const auto count = static_cast<std::uint32_t>(values[1]);
  const std::uint32_t from = instruction.flags != 0 ? first % 32 : first;
  const std::uint32_t bits = instruction.flags != 0 ? count % 32 : count;
  const std::uint64_t ones = bits >= 32 ? 0xffffffffU : (std::uint64_t{1} << bits) - 1;
  return from >= 32 ? 0 : ones << from & 0xffffffffU;
}

inline void Decoder::take_arithmetic_modifiers(Instruction& instruction) const {
  instruction.flushes = statement_->has("ftz");
  instruction.saturates = statement_->has("sat") || statement_->has("satfinite");
  const auto has = [&](const char* one, const char* integral) {
    return statement_->has(one) || statement_->has(integral);
  };
  instruction.rounding = has("rz", "rzi")   ? Rounding::zero
                         : has("rm", "rmi") ? Rounding::down
                         : has("rp", "rpi") ? Rounding::up
                                            : Rounding::nearest;
  instruction.mode = statement_->has("NaN") || statement_->has("shiftamt") ? 1 : 0;
}

/// Of addresses in a window, or in a CTA of the cluster.
inline void Decoder::take_address_function(Instruction& instruction) const {
  const std::string_view name = statement_->name();
  const auto has = [&](const char* word) { return statement_->has(word); };
  if (name == "mapa" || name == "getctarank") {
    instruction.compute = name == "mapa" ? &address_in_cta : &cta_of_address;
    return;
  }
  instruction.flags = has("shared") || has("shared::cta") || has("shared::cluster") ? 1
                      : has("local")                                                ? 2
                      : has("param") || has("param::entry")                         ? 3
                                                                                    : 0;
  instruction.mode = has("to") ? 1 : 0;
  instruction.compute = name == "cvta" ? &convert_address : &is_in_window;
}

/// Of two-byte floats.
inline void Decoder::take_half_function(Instruction& instruction, const Type& type) const {
  const bool is_bf16 = statement_->has("bf16") || statement_->has("bf16x2");
  if (!is_bf16 && !statement_->has("f16") && !statement_->has("f16x2")) {
    return;
  }
  instruction.flags = type.packed;
  instruction.mode = statement_->has("relu") ? 2 : instruction.mode;
  if (statement_->name() != "setp") {
    instruction.compute =
        is_bf16 ? Halves<__nv_bfloat16>::function(statement_->name()) : Halves<__half>::function(statement_->name());
  } else if (type.packed == 1) {
    instruction.compute = is_bf16 ? &Halves<__nv_bfloat16>::compare : &Halves<__half>::compare;
  }
}

/// Whatever is in no row of the table is a value, or is not understood where it has no register to write.
inline void Decoder::decode_value() {
  const std::string_view name = statement_->name();
  const std::vector<Type> types = statement_->types();
  const Type type = types.empty() ? Type{Type::Kind::bits, 4} : types.back();
  if (statement_->operands.empty()) {
    out_.push_back(blank());
    return;
  }
  if (name == "mov") {
    return decode_move(type);
  }
  if (name == "setp") {
    return decode_comparison(type);
  }
  if (name == "cvt") {
    return decode_conversion();
  }
  Instruction instruction = blank();
  instruction.kind = Kind::value;
  instruction.bytes = type.bytes;
  take_arithmetic_modifiers(instruction);
  take_operands(instruction, name == "shl" || name == "shr" ? Type{Type::Kind::bits, 4} : type);
  if (instruction.result < 0 && instruction.results.empty() && statement_->operands[0].kind != Operand::Kind::sink) {
    instruction.kind = Kind::not_understood;
  }
  const bool is_integer =
      type.kind == Type::Kind::bits || type.kind == Type::Kind::unsigned_integer || type.is_signed();
  if (statement_->has("cc") || name == "addc" || name == "subc" || name == "madc") {
    instruction.compute = nullptr;
  } else if (type.kind == Type::Kind::predicate) {
    instruction.compute = &predicate_bits;
    instruction.mode = name == "not" ? 0 : name == "and" ? 1 : name == "or" ? 2 : 3;
  } else if (name == "selp") {
    instruction.compute = &select_bits;
  } else if (name == "cvta" || name == "isspacep" || name == "mapa" || name == "getctarank") {
    take_address_function(instruction);
  } else if (name == "createpolicy") {
    instruction.compute = [](const Instruction&, const std::uint64_t*) -> std::uint64_t { return 0; };  // Of caches.
  } else if (name == "prmt") {
    const auto words = statement_->words();
    instruction.compute = words.size() == 2 ? &permute_bytes : nullptr;
  } else if (name == "shf") {
    instruction.compute = &funnel_shift;
    instruction.mode = statement_->has("r") ? 1 : 0;
    instruction.flags = statement_->has("wrap") ? 1 : 0;
  } else if (name == "bmsk") {
    instruction.compute = &mask_bits;
    instruction.flags = statement_->has("wrap") ? 1 : 0;
  } else if (is_integer && types.size() == 1) {
    instruction.compute = integer_function(*statement_, type);
  } else if (type.kind == Type::Kind::other && types.size() == 1) {
    take_half_function(instruction, type);
  } else if (type.is_float() && types.size() == 1) {
    instruction.compute = type.bytes == 4 ? float_function<float>(name) : float_function<double>(name);
  }
  out_.push_back(std::move(instruction));
}

inline void Decoder::decode_move(const Type& type) {
  const Operand& to = statement_->operands[0];
  const Operand& from = statement_->operands.size() > 1 ? statement_->operands[1] : to;
  Instruction move = blank();
  move.kind = Kind::value;
  move.bytes = type.bytes;
  if (to.kind == Operand::Kind::list && from.kind != Operand::Kind::list) {
    const int bits = 8 * type.bytes / static_cast<int>(std::max<std::size_t>(to.parts.size(), 1));
    for (std::size_t i = 0; i < to.parts.size(); ++i) {
      Instruction part = move;
      take_results(part, to.parts[i]);
      part.source[0] = source_of(from, type);
      part.sources = 1;
      part.mode = bits;
      part.flags = static_cast<int>(i) * bits;
      part.compute = type.bytes > 8 ? nullptr : &extract_bits;
      out_.push_back(std::move(part));
    }
    return;
  }
  take_results(move, to);
  if (from.kind == Operand::Kind::list) {
    move.mode = 8 * type.bytes / static_cast<int>(std::max<std::size_t>(from.parts.size(), 1));
    // A register of 128 bits has the lower half alone (`ClusterRequests`), and no instruction takes the other one.
    move.compute = type.bytes > 8 ? &copy_bits : from.parts.size() > move.source.size() ? nullptr : &pack_bits;
    for (const Operand& part : from.parts) {
      if (move.sources < 4) {
        move.source[static_cast<std::size_t>(move.sources++)] = source_of(part, {Type::Kind::bits, move.mode / 8});
      }
    }
  } else {
    move.source[0] = source_of(from, type);
    move.sources = 1;
    move.compute = type.bytes > 8 || from.kind == Operand::Kind::function || from.kind == Operand::Kind::label
                       ? nullptr
                       : &copy_bits;
  }
  out_.push_back(std::move(move));
}

/// A comparison by its name, and the one that holds where it does not.
struct ComparisonRow {
  std::string_view name;
  Comparison comparison;
  Comparison opposite;
};
/// All comparisons of `setp`.
inline constexpr std::array comparison_rows{
    ComparisonRow{"eq", Comparison::eq, Comparison::neu},   ComparisonRow{"ne", Comparison::ne, Comparison::equ},
    ComparisonRow{"lt", Comparison::lt, Comparison::geu},   ComparisonRow{"le", Comparison::le, Comparison::gtu},
    ComparisonRow{"gt", Comparison::gt, Comparison::leu},   ComparisonRow{"ge", Comparison::ge, Comparison::ltu},
    ComparisonRow{"lo", Comparison::lt, Comparison::ge},    ComparisonRow{"ls", Comparison::le, Comparison::gt},
    ComparisonRow{"hi", Comparison::gt, Comparison::le},    ComparisonRow{"hs", Comparison::ge, Comparison::lt},
    ComparisonRow{"equ", Comparison::equ, Comparison::ne},  ComparisonRow{"neu", Comparison::neu, Comparison::eq},
    ComparisonRow{"ltu", Comparison::ltu, Comparison::ge},  ComparisonRow{"leu", Comparison::leu, Comparison::gt},
    ComparisonRow{"gtu", Comparison::gtu, Comparison::le},  ComparisonRow{"geu", Comparison::geu, Comparison::lt},
    ComparisonRow{"num", Comparison::num, Comparison::nan}, ComparisonRow{"nan", Comparison::nan, Comparison::num},
};

/// The second predicate has the comparison that does not hold.
inline void Decoder::decode_comparison(const Type& type) {
  Instruction first = blank();
  first.kind = Kind::value;
  first.bytes = type.bytes;
  take_arithmetic_modifiers(first);
  take_operands(first, type);
  first.combination = statement_->has("and")   ? Combination::conjunction
                      : statement_->has("or")  ? Combination::disjunction
                      : statement_->has("xor") ? Combination::exclusive
                                               : Combination::none;
  first.compute = type.is_float() ? (type.bytes == 4 ? float_function<float>("setp") : float_function<double>("setp"))
                  : type.kind == Type::Kind::other ? nullptr
                                                   : integer_function(*statement_, type);
  if (type.kind == Type::Kind::other) {
    take_half_function(first, type);
  }
  Instruction second = first;
  bool is_known = false;
  for (const ComparisonRow& row : comparison_rows) {
    if (statement_->has(row.name)) {
      first.comparison = row.comparison;
      second.comparison = row.opposite;
      is_known = true;
    }
  }
  if (!is_known) {
    first.compute = second.compute = nullptr;
  }
  second.result = std::exchange(first.second_result, -1);
  second.second_result = -1;
  // The predicate that is combined may be a result.
  const bool reads_first = first.combination != Combination::none && first.source[2].kind == Source::Kind::reg &&
                           first.source[2].index == first.result;
  const bool has_second = second.result >= 0;
  if (has_second && reads_first) {
    out_.push_back(second);
  }
  out_.push_back(std::move(first));
  if (has_second && !reads_first) {
    out_.push_back(std::move(second));
  }
}

inline void Decoder::decode_conversion() {
  Instruction conversion = blank();
  conversion.kind = Kind::value;
  take_arithmetic_modifiers(conversion);
  std::vector<std::string_view> names;
  for (const std::string_view word : statement_->words()) {
    if (type_of(word).kind != Type::Kind::none) {
      names.push_back(word);
    }
  }
  const bool is_pair = !names.empty() && type_of(names[0]).packed == 2;
  take_operands(conversion, names.size() == 2 ? type_of(names[1]) : Type{Type::Kind::bits, 4});
  const auto has = [&](std::string_view word) { return statement_->has(word); };
  const bool is_integral = has("rni") || has("rzi") || has("rmi") || has("rpi");
  conversion.mode = is_integral ? 1 : has("relu") ? 2 : 0;
  if (names.size() == 2 && !has("pack") && !has("scaled") && !has("rs")) {
    conversion.to = format_of(names[0]);
    conversion.from = format_of(names[1]);
    conversion.bytes = type_of(names[0]).bytes;
    const bool is_of_both = is_pair && type_of(names[1]).packed == 2;
    const bool is_known = conversion.to != Format::none && conversion.from != Format::none &&
                          (is_of_both || type_of(names[1]).packed == 1) &&
                          conversion.sources == (is_pair && !is_of_both ? 2 : 1);
    conversion.compute = !is_known    ? nullptr
                         : is_of_both ? &Conversion::compute_both
                         : is_pair    ? &Conversion::compute_pair
                                      : &Conversion::compute;
  }
  out_.push_back(std::move(conversion));
}

}  // namespace dma::inline v0_1::proof::ptx::detail
