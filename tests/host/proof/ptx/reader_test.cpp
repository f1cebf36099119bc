#include <dma/proof/ptx/launch/entry_named.hpp>
#include <dma/proof/ptx/launch/launch_line.hpp>
#include <dma/proof/ptx/launch/shared_names.hpp>
#include <dma/proof/ptx/read/reader.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdint>
#include <random>
#include <string>

namespace ptx = dma::proof::ptx::detail;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string head = ".version 8.6\n.target sm_90a\n.address_size 64\n";

/// What a small kernel has: variables, parameters, blocks, vectors, predicates, calls and lines.
const std::string sample = head + R"(
.const .align 4 .b8 table[8] = {0, 0, 128, 63, 0, 0, 0, 64};
.global .align 8 .u64 places[2] = {generic(table), table+4};
.global .f32 factor = 0f3F800000;
.extern .shared .align 16 .b8 dynamic[];
.shared .align 8 .b8 outside[24];
.func (.param .b32 result) twice(.param .b32 value);
.func (.param .b32 result) twice(.param .b32 value) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [value];
  add.s32 %r2, %r1, %r1;
  st.param.b32 [result+0], %r2;
  ret;
}
.visible .entry kernel(
  .param .u64 .ptr .global .align 16 kernel_param_0,
  .param .align 64 .b8 kernel_param_1[128],
  .param .u32 kernel_param_2
)
.maxntid 128, 1, 1
.minnctapersm 2
{
  .reg .pred %p<4>;
  .reg .b32 %r<10>, %q1<4>, single;
  .reg .b64 %rd<8>;
  .local .align 8 .b8 depot[16];
  .loc 1 10 3
  ld.param.u64 %rd1, [kernel_param_0];
  mov.u32 %r1, %tid.x;
  setp.lt.and.u32 %p1|%p2, %r1, 5, !%p3;
  @!%p1 bra $done;
  .loc 2 7 1, function_name $L__info_string0, inlined_at 1 12 5
  ld.global.v4.b32 {%r2, %r3, _, %r5}, [ %rd1 + -16 ];
  .loc 3 4 1, function_name $L__info_string0+8, inlined_at 2 7 1
  shfl.sync.down.b32 %r6|%p2, %r2, 1, 0x1f, -1;
  {
    .reg .b32 %r1;
    .reg .pred p;
    again:
    mov.b32 %r1, %q13;
    mbarrier.try_wait.parity.shared::cta.b64 p, [outside], 0;
    @p bra again;
  }
  {
    .reg .b32 %r1;
    again:
    mov.b32 %r1, single;
    bra again;
  }
  { // call seq
    .param .b32 param0;
    st.param.b32 [param0+0], %r1;
    .param .b32 retval0;
    call.uni (retval0), twice, (param0);
    ld.param.b32 %r7, [retval0+0];
  }
$done:
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [dynamic], [kernel_param_1, {%r1, %r2}], [outside+8];
  ret;
}
.file 1 "/src/kernel.cu"
.file 2 "/src/inner.cuh"
.section .debug_str { $L__info_string0: .b8 65 .b8 0 }
)";

[[nodiscard]] std::string error_of(const std::string& text) {
  try {
    static_cast<void>(ptx::read(text));
  } catch (const ptx::SyntaxError& error) {
    return error.what();
  }
  return "";
}
[[nodiscard]] std::string error_in_launch(const std::string& arguments) {
  try {
    static_cast<void>(ptx::LaunchReader("k<<<1, 32>>>(" + arguments + ")").read());
  } catch (const ptx::SyntaxError& error) {
    return error.what();
  }
  return "";
}
[[nodiscard]] std::string error_in_body(const std::string& body) {
  return error_of(head + ".entry k() {\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n" + body + "\n}\n");
}
[[nodiscard]] const ptx::Function& kernel_of(const ptx::Module& module) {
  return module.functions[static_cast<std::size_t>(module.function_of.at("kernel"))];
}

}  // namespace

TEST_CASE("ptx: a module has its variables, parameters and functions") {
  const ptx::Module module = ptx::read(sample);
  CHECK(module.version == "8.6");
  CHECK(module.target == "sm_90a");
  CHECK(module.files.at(2) == "/src/inner.cuh");
  REQUIRE(module.functions.size() == 2);
  CHECK(module.functions[0].has_body);
  const ptx::Function& kernel = kernel_of(module);
  CHECK(kernel.is_entry);
  CHECK(kernel.most_threads == std::array{128, 1, 1});
  REQUIRE(kernel.parameters.size() == 3);
  CHECK(kernel.parameters[0].alignment == 8);
  CHECK(kernel.parameters[1].bytes == 128);
  CHECK(kernel.parameters[1].alignment == 64);
  const auto variable = [&](const char* name) -> const ptx::Variable& {
    return module.variables[static_cast<std::size_t>(module.variable_of.at(name))];
  };
  CHECK(variable("table").contents == std::vector<unsigned char>{0, 0, 128, 63, 0, 0, 0, 64});
  REQUIRE(variable("places").addresses.size() == 2);
  CHECK(variable("places").addresses[1].name == "table");
  CHECK(variable("places").addresses[1].added == 4);
  CHECK(variable("factor").contents == std::vector<unsigned char>{0, 0, 128, 63});
  CHECK(variable("dynamic").is_extern);
  CHECK(variable("outside").bytes == 24);
}

TEST_CASE("ptx: names of inner blocks are their own") {
  const ptx::Module module = ptx::read(sample);
  const ptx::Function& kernel = kernel_of(module);
  std::vector<const ptx::Statement*> moves;
  std::vector<int> targets;
  for (const ptx::Statement& statement : kernel.statements) {
    if (statement.opcode == "mov.b32") {
      moves.push_back(&statement);
    }
    if (statement.name() == "bra") {
      targets.push_back(statement.operands[0].index);
    }
  }
  REQUIRE(moves.size() == 2);
  CHECK(moves[0]->operands[0].index != moves[1]->operands[0].index);
  CHECK(kernel.statements[1].operands[0].index != moves[0]->operands[0].index);
  // %q1<4> has %q10 to %q13.
  CHECK(moves[0]->operands[1].kind == ptx::Operand::Kind::reg);
  REQUIRE(targets.size() == 3);
  CHECK(kernel.statements[static_cast<std::size_t>(targets[0])].name() == "cp");
  CHECK(&kernel.statements[static_cast<std::size_t>(targets[1])] == moves[0]);
  CHECK(&kernel.statements[static_cast<std::size_t>(targets[2])] == moves[1]);
}

TEST_CASE("ptx: operands are vectors, pairs, addresses and predicates") {
  const ptx::Module module = ptx::read(sample);
  const ptx::Function& kernel = kernel_of(module);
  const ptx::Statement& compare = kernel.statements[2];
  CHECK(compare.has("and"));
  CHECK(compare.has("lt"));
  CHECK_FALSE(compare.has("an"));
  CHECK(compare.operands[0].kind == ptx::Operand::Kind::pair);
  CHECK(compare.operands[3].is_negated);
  CHECK(kernel.statements[3].guard_is_negated);
  const ptx::Statement& load = kernel.statements[4];
  CHECK(load.has("v4"));
  REQUIRE(load.operands[0].parts.size() == 4);
  CHECK(load.operands[0].parts[2].kind == ptx::Operand::Kind::sink);
  CHECK(load.operands[1].parts[0].offset == -16);
  const ptx::Statement& box = kernel.statements[kernel.statements.size() - 2];
  CHECK(box.has("mbarrier::complete_tx::bytes"));
  CHECK(box.operands[1].parts.size() == 2);
}

TEST_CASE("ptx: a line has the chain of calls that were inlined") {
  const ptx::Module module = ptx::read(sample);
  const ptx::Function& kernel = kernel_of(module);
  const auto& shuffle = kernel.statements[5];
  REQUIRE(shuffle.name() == "shfl");
  std::vector<std::pair<int, int>> chain;
  for (int place = shuffle.place; place >= 0; place = module.places[static_cast<std::size_t>(place)].caller) {
    chain.emplace_back(module.places[static_cast<std::size_t>(place)].file,
                       module.places[static_cast<std::size_t>(place)].line);
  }
  CHECK(chain == std::vector<std::pair<int, int>>{{3, 4}, {2, 7}, {1, 12}});
}

TEST_CASE("ptx: what is no PTX is refused with line and column") {
  CHECK_THAT(error_of(""), ContainsSubstring("line 1, column 1: the text has no .version"));
  CHECK_THAT(error_of("hello"), ContainsSubstring("the directive 'hello' is not known"));
  CHECK_THAT(error_in_body("mov.u32 %r1, %r9;"), ContainsSubstring("line 7, column 14: '%r9' is not declared"));
  CHECK_THAT(error_in_body("bra nowhere;"), ContainsSubstring("'nowhere' is not declared"));
  CHECK_THAT(error_in_body("@%r1 ret;"), ContainsSubstring("'%r1' is no predicate"));
  CHECK_THAT(error_in_body("add.s32 %r1, %r2"), ContainsSubstring("',' is missing before '}'"));
  CHECK_THAT(error_in_body("again: again: ret;"), ContainsSubstring("the label 'again' is there twice"));
  CHECK_THAT(error_in_body("mov.b32 %r1, 0f3F80;"), ContainsSubstring("write 8 of them behind 0f"));
  CHECK_THAT(error_in_body("mov.b32 %r1, 12x;"), ContainsSubstring("'12x' is no number"));
  CHECK_THAT(error_in_body("{ ret;"), ContainsSubstring("has no end"));
  CHECK_THAT(error_of(head + "/* a comment"), ContainsSubstring("line 4, column 1: a comment has no end"));
  CHECK_THAT(error_of(head + ".global .b8 a[4000000000];"), ContainsSubstring("at most"));
  CHECK_THAT(error_of(head + ".global .b64 a[2000000000][2000000000];"), ContainsSubstring("too many bytes"));
  CHECK_THAT(error_of(head + ".global .b8 a[1] = {1, 2};"), ContainsSubstring("more values than bytes"));
  CHECK_THAT(error_in_body(".reg .b32 %x<1000000>; .reg .b32 %y<1000000>;"), ContainsSubstring("too many registers"));
  CHECK_THAT(error_in_body("mov.b32 %r1, {{{{{{{{{%r1}}}}}}}}};"), ContainsSubstring("nested too deep"));
}

TEST_CASE("ptx: words and variables that no compiler writes are refused with their place") {
  constexpr std::size_t most = 1 << 16;
  const std::string longest(most, 'a');
  CHECK(error_in_body(longest + ": bra " + longest + ";").empty());
  CHECK_THAT(error_in_body("  " + longest + "a:"),
             ContainsSubstring("line 7, column 3: 'aaaaaaaa") && ContainsSubstring("more than 65536 characters"));
  CHECK_THAT(error_in_body("add" + std::string(most, '.') + "x %r1, %r1;"),
             ContainsSubstring("line 7, column 1: 'add."));
  CHECK_THAT(error_of(head + ".file 1 \"" + longest + "\""), ContainsSubstring("line 4, column 9: '\"aaaa"));
  const std::string half = "[1073741824];\n";
  CHECK(error_of(head + ".global .b8 a" + half + ".global .b8 b" + half).empty());
  CHECK_THAT(error_of(head + ".global .b8 a" + half + ".global .b8 b" + half + ".const .b8 c;"),
             ContainsSubstring("line 6, column 12: the variables of the module have more than 2147483648 bytes"));
}

TEST_CASE("ptx: each truncation of a text is read or refused") {
  for (std::size_t length = 0; length < sample.size(); ++length) {
    static_cast<void>(error_of(sample.substr(0, length)));
  }
  CHECK(error_of(sample).empty());
}

TEST_CASE("ptx: mutated texts are read or refused") {
  std::mt19937 random(1);
  const std::string pieces = "{}[]();,.%@!|:+-<>\"/*_0xf9 \n\\$";
  int refused = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::string text = sample;
    for (unsigned change = 0; change < 1 + trial % 4U; ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = pieces[random() % pieces.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 30);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 60));
          break;
        default:
          text[at] = static_cast<char>(random());
      }
    }
    const std::string error = error_of(text);
    refused += error.empty() ? 0 : 1;
    if (!error.empty()) {
      CHECK(error.starts_with("line "));
    }
  }
  CHECK(refused > 1000);
  CHECK(refused < 4000);
}

TEST_CASE("ptx: a launch that is written wrong is refused with what is right") {
  const std::string types =
      "write one of e4m3, e5m2, f16, bf16, tf32, f32 (float), f64, s8 to s64 (an int is s32), u8 to u64 and b8 to b64";
  for (const std::string name : {"float", "int", "i32", "f33", "pred", "e4m3x2"}) {
    CHECK(error_in_launch("x: " + name + "[500]") == "line 1, column 17: '" + name + "' is no type; " + types);
    CHECK_THAT(error_in_launch("x: out " + name + "[500]"), ContainsSubstring("'" + name + "' is no type; "));
    CHECK_THAT(error_in_launch("{" + name + " 1}"), ContainsSubstring("'" + name + "' is no type; "));
    CHECK_THAT(error_in_launch(name + "[500]"), ContainsSubstring("'" + name + "' is no type; "));
  }
  for (const std::string name : {"e4m3", "e5m2", "f16", "bf16", "tf32", "f32", "f64", "s8", "s16", "s32", "s64", "u8",
                                 "u16", "u32", "u64", "b8", "b16", "b32", "b64"}) {
    CHECK(error_in_launch("x: out " + name + "[500] = 3, {" + name + " 1, y}, " + name + "[7]").empty());
  }
  CHECK(error_in_launch("x: f32[500] = rand") ==
        "line 1, column 28: an array begins with no 'rand'; write zeros, random, iota, a number, {arrays} or "
        "\"file.npy\"");
  CHECK_THAT(error_in_launch("x f32[500]"), ContainsSubstring("':' is missing before 'f32'; write x: f32[1024]"));
  CHECK_THAT(error_in_launch("x out f32[500]"), ContainsSubstring("':' is missing before 'out'; write x: f32[1024]"));
  CHECK_THAT(error_in_launch("3, ,"),
             ContainsSubstring("an argument is missing before ','; write a number, {members}"));
  CHECK_THAT(error_in_launch("{1, s32 2}"), ContainsSubstring("no type before '1'; write it as in {s32 1, f32 2.0}"));
  CHECK_THAT(error_in_launch("99999999999999999999"),
             ContainsSubstring("'99999999999999999999' has more than 64 bits"));
  CHECK(error_in_launch("18446744073709551615, -9223372036854775808").empty());
  CHECK_THAT(error_in_launch("0x1.8p3"), ContainsSubstring("'0x1.8p3' is no number"));
}

TEST_CASE("ptx: a launch names an entry as the source has it, a template with its arguments") {
  const std::string of_floats = "_ZN3lib5scaleIfLi4EEEvPT_";
  const std::string of_unsigned = "_ZN3lib5scaleIjLi8EEEvPT_";
  const std::string of_mode = "_ZN3lib5modedIL4Mode1ELb1EEEvPi";
  const std::string hidden = "_ZN40_GLOBAL__N__59e086ba_8_names_cu_47f229186hiddenEPi";
  std::string text = head;
  const std::string of_body = "_ZN3dma4v0_16detail15run_kernel_bodyIN3app6SmoothIfLi2EEEJPKfPfiEEEvT_DpT0_";
  const std::string of_body_with_maps =
      "_ZN3dma4v0_16detail24run_kernel_body_in_placeI4GemmJPKfEEEvT_N3dma4v0_16detail"
      "15KernelArgumentsIJDpT0_EEE";
  for (const std::string& name : {of_floats, of_unsigned, of_mode, hidden, of_body, of_body_with_maps}) {
    text += ".entry " + name + "() {\nret;\n}\n";
  }
  const ptx::Module module = ptx::read(text);
  const auto entry_of = [&](const std::string& name) {
    return ptx::entry_named(module, ptx::LaunchReader(name + "<<<1, 32>>>()").read().at(0).entry);
  };
  CHECK(entry_of("scale<float, 4>") == of_floats);
  CHECK(entry_of("lib::scale<float,4>") == of_floats);
  CHECK(entry_of("scale<unsigned int, 8>") == of_unsigned);
  CHECK(entry_of("moded") == of_mode);
  CHECK(entry_of("lib::moded<(Mode)1, true>") == of_mode);
  CHECK(entry_of("hidden") == hidden);
  CHECK(entry_of(of_unsigned) == of_unsigned);
  CHECK(entry_of("Smooth") == of_body);
  CHECK(entry_of("app::Smooth<float, 2>") == of_body);
  CHECK(entry_of("run_kernel_body<app::Smooth<float, 2>, float const*, float*, int>") == of_body);
  CHECK(entry_of("Gemm") == of_body_with_maps);
  CHECK_THROWS_WITH(entry_of("mooth"), ContainsSubstring("app::Smooth<float,2>, Gemm"));
  CHECK_THROWS_WITH(entry_of("scale"), ContainsSubstring("several entries are named scale; name one of the module: "));
  CHECK_THROWS_WITH(entry_of("cale<float, 4>"), ContainsSubstring("no entry is named cale<float, 4>; name one"));
  CHECK_THROWS_WITH(entry_of("scale<float, 4"), ContainsSubstring("'>' is missing before the end of the text"));
  CHECK_THROWS_WITH(entry_of("lib:scale"), ContainsSubstring("':' is missing before 'scale'"));
}

TEST_CASE("ptx: a state space that is misspelt is none") {
  const auto with = [](const std::string& statement) {
    return head + ".visible .entry k() {\n .reg .b64 %rd<9>;\n  " + statement + ";\n ret;\n}\n";
  };
  CHECK_THROWS_WITH(ptx::read(with("ld.params.u64 %rd1, [%rd2]")),
                    ContainsSubstring("line 6, column 6: '.params' is no word of ld"));
  CHECK_THROWS_WITH(ptx::read(with("st.weak.globl.u64 [%rd2], %rd1")), ContainsSubstring("column 11: '.globl'"));
  for (const char* const right : {"ld.global.nc.L1::no_allocate.L2::256B.v2.u64 {%rd1, %rd3}, [%rd2]",
                                  "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%rd1], %rd2, [%rd3]",
                                  "ld.relaxed.gpu.global.b64 %rd1, [%rd2]", "st.volatile.u64 [%rd1], %rd2"}) {
    CHECK_NOTHROW(ptx::read(with(right)));
  }
}

TEST_CASE("ptx: names that a compiler wrote are read without its library") {
  CHECK(ptx::scoped_name("_ZN7cutlass13device_kernelINS_4gemmEEEvT_") == "cutlass::device_kernel");
  CHECK(ptx::scoped_name("_Z7reversePKfPfi") == "reverse");
  CHECK(ptx::scoped_name("_ZZ7reversePKfPfiE4tile") == "tile");
  CHECK(ptx::scoped_name("_ZZN2M413matmulKernel4ILi128EEEviE5empty_0") == "empty");
  CHECK(ptx::scoped_name("_Z99short") == "_Z99short");
}
