#include "judge.hpp"

#include <dma/proof/find_superfluous.hpp>
#include <dma/proof/prove.hpp>
#include <dma/proof/ptx/superfluous/find_superfluous.hpp>
#include <dma/proof/ptx/superfluous/superfluous_report.hpp>
#include <dma/proof/ptx/superfluous/weaker_forms.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ptx_test;
using Catch::Matchers::ContainsSubstring;
using Need = ptx::SiteAnswer::Need;

namespace {

const std::string two_ctas = "k<<<2, 64>>>(x: s32[128] = iota, y: out s32[128])";
const std::string one_cta = "k<<<1, 64>>>(x: s32[64] = iota, y: out s32[64])";
const std::string bar = "bar.sync 0;\n";

ptx::Superfluous ask(const std::string& text, const std::vector<std::string>& launches, double seconds = 60) {
  const ptx::Module module = ptx::read(text);
  std::vector<ptx::Stream> streams;
  for (const std::string& launch : launches) {
    streams.push_back({launch, ptx::LaunchReader(launch).read()});
  }
  return ptx::SuperfluousFinder(module, "k.ptx", std::move(streams), {}, seconds).find();
}
ptx::Superfluous find_in_body(const std::string& body, const std::string& launch = two_ctas, double seconds = 60) {
  return ask(kernel(x_and_y, begin + body, shared), {launch}, seconds);
}
/// Of the sites with an opcode, in the order of the text.
std::vector<ptx::SiteAnswer> sites_of(const ptx::Superfluous& found, const std::string& opcode) {
  std::vector<ptx::SiteAnswer> sites;
  for (const ptx::SiteAnswer& site : found.sites) {
    if (site.site.opcode == opcode) {
      sites.push_back(site);
    }
  }
  std::sort(sites.begin(), sites.end(), [](const auto& left, const auto& right) {
    return left.site.statements[0].statement < right.site.statements[0].statement;
  });
  return sites;
}
ptx::SiteAnswer site_of(const ptx::Superfluous& found, const std::string& opcode) {
  const std::vector<ptx::SiteAnswer> sites = sites_of(found, opcode);
  REQUIRE(sites.size() == 1);
  return sites[0];
}
ptx::Statement statement(const std::string& opcode) {
  ptx::Statement statement;
  statement.opcode = opcode;
  return statement;
}

/// Each thread stores its number into its place of `tile`, and loads from that of another warp.
const std::string store = "st.shared.b32 [%r4], %r1;\n";
const std::string load = "xor.b32 %r11, %r6, 128;\n add.s32 %r11, %r11, %r7;\n ld.shared.b32 %r12, [%r11];\n";
const std::string out = "st.global.b32 [%rd4], %r12;\n";

}  // namespace

TEST_CASE("superfluous: outputs are compared where they are known, and it says where not") {
  const std::string fence = "fence.proxy.async.shared::cta;\n";
  const std::string sum = "addc.u32 %r13, %r1, %r1;\n setp.eq.u32 %p1, %r1, 5;\n";
  const ptx::Superfluous found =
      find_in_body(sum + "mov.u32 %r12, 7;\n" + fence + out + "@%p1 st.global.b32 [%rd4], %r13;\n");
  CHECK(site_of(found, "fence.proxy.async.shared::cta").need == Need::superfluous);
  const std::string& said = found.rests_on.at(1);
  CHECK_THAT(said, ContainsSubstring("where they are known: element 5 of y was not computed, by addc.u32 (k.ptx:"));
  CHECK_THAT(said, ContainsSubstring("8 of 512 bytes are not known"));
}

TEST_CASE("superfluous: a fence that orders nothing is named, a barrier that is needed is not") {
  const ptx::Superfluous found = find_in_body(store + "fence.proxy.async.shared::cta;\n" + bar + load + out);
  CHECK(found.no_claim.empty());
  const ptx::SiteAnswer fence = site_of(found, "fence.proxy.async.shared::cta");
  CHECK(fence.need == Need::superfluous);
  CHECK(fence.executions == 128);
  CHECK(fence.most_of_thread == 1);
  CHECK(fence.site.place.starts_with("k.ptx:"));
  const ptx::SiteAnswer barrier = site_of(found, "bar.sync");
  CHECK(barrier.need == Need::needed);
  CHECK(barrier.why == "race");
  // 12 of `begin`, 7 of the body and `ret`, of 128 threads.
  CHECK(found.instructions == 128 * 20);
  CHECK(found.judged == 3);
}

TEST_CASE("superfluous: all that may go at once is asked at once, and what is executed most comes first") {
  const std::string fence = "fence.proxy.async.shared::cta;\n";
  const ptx::Superfluous found =
      find_in_body("setp.eq.u32 %p1, %r1, 0;\n" + store + "@%p1 " + fence + bar + load + fence + fence + out);
  const std::vector<ptx::SiteAnswer> fences = sites_of(found, "fence.proxy.async.shared::cta");
  REQUIRE(fences.size() == 3);
  CHECK(fences[0].executions == 2);
  CHECK(fences[1].executions == 128);
  CHECK((!fences[0].is_alone && !fences[1].is_alone && !fences[2].is_alone));
  // As it is, without each of four, and without all fences.
  CHECK(found.judged == 6);
  CHECK(found.sites.back().executions == 2);
}

TEST_CASE("superfluous: two barriers, each of which is enough, are not both left out") {
  const ptx::Superfluous found = find_in_body(store + bar + bar + load + out);
  const std::vector<ptx::SiteAnswer> barriers = sites_of(found, "bar.sync");
  REQUIRE(barriers.size() == 2);
  CHECK(barriers[0].need == Need::superfluous);
  CHECK(barriers[1].need == Need::superfluous);
  CHECK(!barriers[0].is_alone);
  CHECK(barriers[1].is_alone);
  std::ostringstream text;
  ptx::write_superfluous(text, found);
  CHECK_THAT(text.str(),
             ContainsSubstring("bar.sync, 128 of 2560 instructions, a thread 1 at most\n") &&
                 ContainsSubstring("; not together with those above\n") &&
                 ContainsSubstring("  rests on k<<<2, 64>>>(x: s32[128] = iota, y: out s32[128]) (12 runs)"));
}

TEST_CASE("superfluous: what a longer run of a loop needs is needed") {
  const std::string loop = "ld.param.u32 %r20, [n];\n mov.u32 %r21, 0;\n turn:\n " + store + bar + load + bar +
                           "add.s32 %r21, %r21, 1;\n setp.lt.s32 %p1, %r21, %r20;\n @%p1 bra turn;\n" + out;
  const std::string text = kernel(x_and_y + ", .param .u32 n", begin + loop, shared);
  const auto launch = [](int turns) {
    return "k<<<1, 64>>>(x: s32[64] = iota, y: out s32[64], " + std::to_string(turns) + ")";
  };
  const auto last = [](const ptx::Superfluous& found) { return sites_of(found, "bar.sync").at(1); };
  const ptx::Superfluous once = ask(text, {launch(1)});
  CHECK(last(once).need == Need::superfluous);
  CHECK_THAT(once.rests_on.at(1), ContainsSubstring("--also"));
  const ptx::Superfluous both = ask(text, {launch(1), launch(3)});
  CHECK(last(both).need == Need::needed);
  CHECK(last(both).executions == 64);
  CHECK(last(both).most_of_thread == 3);
  CHECK(both.rests_on.size() == 2);
}

TEST_CASE("superfluous: a wait that is left out is done at once") {
  const std::string open = "setp.ne.u32 %p1, %r1, 0;\n @!%p1 mbarrier.init.shared::cta.b64 [full], 64;\n" + bar;
  const std::string arrive = "mbarrier.arrive.shared::cta.b64 %rd9, [full];\n";
  const auto wait = [](const std::string& label) {
    return label + ":\n mbarrier.try_wait.parity.shared::cta.b64 %p2, [full], 0;\n @!%p2 bra " + label + ";\n";
  };
  const ptx::Superfluous found = find_in_body(open + store + arrive + wait("a") + load + wait("b") + out);
  const std::vector<ptx::SiteAnswer> waits = sites_of(found, "mbarrier.try_wait.parity.shared::cta.b64");
  REQUIRE(waits.size() == 2);
  CHECK(waits[0].need == Need::needed);
  CHECK(waits[1].need == Need::superfluous);
  CHECK(sites_of(found, "mbarrier.arrive.shared::cta.b64").empty());
}

TEST_CASE("superfluous: a wait that threads come to in some runs alone is needed") {
  const std::string init = "setp.ne.u32 %p1, %r1, 0;\n @!%p1 mbarrier.init.shared::cta.b64 [full], 32;\n" + bar +
                           "setp.gt.u32 %p2, %r1, 31;\n";
  const std::string writes = "@%p2 bra reads;\n" + store + "mbarrier.arrive.shared::cta.b64 _, [full];\n bra end;\n";
  const std::string asks = "reads:\n mbarrier.test_wait.parity.shared::cta.b64 %p3, [full], 0;\n @%p3 bra ready;\n";
  const std::string waits = "again:\n mbarrier.try_wait.parity.shared::cta.b64 %p4, [full], 0;\n @!%p4 bra again;\n";
  const ptx::Superfluous found = find_in_body(init + writes + asks + waits + "ready:\n" + load + out + "end:\n");
  CHECK(found.no_claim.empty());
  const ptx::SiteAnswer wait = site_of(found, "mbarrier.try_wait.parity.shared::cta.b64");
  CHECK(wait.executions == 0);  // of the run that is counted, where the other warp is first
  CHECK(wait.most_of_thread > 0);
  CHECK(wait.need == Need::needed);
}

TEST_CASE("superfluous: what no thread executes, and what a launch cannot show, is said to be so") {
  const std::string never = "setp.eq.u32 %p1, %r3, 1;\n @!%p1 bra end;\n" + bar + "end:\n";
  CHECK(site_of(find_in_body(never + out + "mov.u32 %r12, 0;\n"), "bar.sync").need == Need::not_run);
  const std::string fence = "mov.u32 %r12, 0;\n fence.acq_rel.gpu;\n" + out;
  CHECK(site_of(find_in_body(fence, one_cta), "fence.acq_rel.gpu").need == Need::not_asked);
  CHECK(site_of(find_in_body(fence), "fence.acq_rel.gpu").need == Need::superfluous);
  const std::string wait = "mov.u32 %r12, 0;\n griddepcontrol.wait;\n" + out;
  CHECK(site_of(find_in_body(wait), "griddepcontrol.wait").need == Need::not_asked);
  CHECK(site_of(find_in_body(wait, "k<<<2, 64, programmatic>>>(x: s32[128] = iota, y: out s32[128])"),
                "griddepcontrol.wait")
            .need == Need::not_asked);
  const ptx::Superfluous behind = find_in_body(wait, two_ctas + "\nk<<<2, 64, programmatic>>>(x, y)");
  CHECK(site_of(behind, "griddepcontrol.wait").need == Need::needed);
  const ptx::SiteAnswer late = site_of(find_in_body(fence, two_ctas, -1), "fence.acq_rel.gpu");
  CHECK(late.need == Need::not_asked);
  CHECK(late.why == "the time was over");
}

TEST_CASE("superfluous: a flag between two CTAs needs its order, and no wider scope than that of the GPU") {
  // Thread 0 of CTA 0 writes y[1] and y[0]; that of CTA 1 waits for y[0] and writes y[2] from y[1].
  const auto body = [](const std::string& scope) {
    return R"(
      setp.ne.u32 %p1, %r1, 0;
      @%p1 bra end;
      mov.u32 %r20, 1;
      setp.ne.u32 %p2, %r2, 0;
      @%p2 bra read;
      st.global.u32 [%rd2+4], %r20;
      st.release.)" +
           scope + R"(.global.u32 [%rd2], %r20;
      bra end;
    read:
      ld.acquire.)" +
           scope + R"(.global.u32 %r21, [%rd2];
      setp.ne.u32 %p3, %r21, 1;
      @%p3 bra read;
      ld.global.u32 %r22, [%rd2+4];
      st.global.u32 [%rd2+8], %r22;
    end:
    )";
  };
  const ptx::Superfluous wide = find_in_body(body("sys"), "k<<<2, 32>>>(x: s32[64] = iota, y: out s32[64])");
  CHECK(wide.no_claim.empty());
  CHECK(site_of(wide, "st.release.sys.global.u32").form == "st.release.gpu.global.u32");
  CHECK(site_of(wide, "ld.acquire.sys.global.u32").form == "ld.acquire.gpu.global.u32");
  CHECK_THAT(wide.rests_on.back(), ContainsSubstring("no host"));
  const ptx::Superfluous exact = find_in_body(body("gpu"), "k<<<2, 32>>>(x: s32[64] = iota, y: out s32[64])");
  CHECK(site_of(exact, "st.release.gpu.global.u32").need == Need::needed);
  CHECK(site_of(exact, "ld.acquire.gpu.global.u32").need == Need::needed);
}

TEST_CASE("superfluous: an arrival at a cluster's barrier and the wait behind it are one") {
  const std::string meet = "barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;\n";
  const std::string peer =
      "mov.u32 %r20, %cluster_ctarank;\n xor.b32 %r21, %r20, 1;\n mapa.shared::cluster.u32 %r22, %r4, %r21;\n";
  const std::string body = store + meet + peer + "ld.shared::cluster.b32 %r12, [%r22];\n" + meet + meet + out;
  const ptx::Superfluous found = find_in_body(body, "k<<<2, 64, cluster 2>>>(x: s32[128] = iota, y: out s32[128])");
  const std::vector<ptx::SiteAnswer> barriers = sites_of(found, "barrier.cluster.arrive.aligned");
  REQUIRE(barriers.size() == 3);
  CHECK(barriers[0].need == Need::needed);
  CHECK(barriers[0].executions == 256);
  CHECK(barriers[1].need == Need::superfluous);
  CHECK(barriers[2].need == Need::superfluous);
  CHECK(barriers[1].is_alone != barriers[2].is_alone);
  // Each warp has an arrival and a wait of its own: both arrivals come first in the code.
  const std::string apart = R"(
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra A;
    barrier.cluster.arrive.aligned;
    bra B;
  A:
    barrier.cluster.arrive.aligned;
  B:
    @%p1 bra C;
    barrier.cluster.wait.aligned;
    bra D;
  C:
    barrier.cluster.wait.aligned;
  D:
    mov.u32 %r12, 0;
  )" + out;
  const std::vector<ptx::SiteAnswer> arrivals =
      sites_of(find_in_body(apart, "k<<<2, 64, cluster 2>>>(x: s32[128] = iota, y: out s32[128])"),
               "barrier.cluster.arrive.aligned");
  REQUIRE(arrivals.size() == 2);
  for (const ptx::SiteAnswer& arrival : arrivals) {
    CHECK(arrival.need == Need::not_asked);
    CHECK(arrival.why == "arrivals and waits do not alternate in the code");
  }
}

TEST_CASE("superfluous: nothing is said of launches that are not proved as they are") {
  CHECK_THAT(find_in_body(store + load + out).no_claim, ContainsSubstring("not proved"));
  const std::string open = "setp.ne.u32 %p1, %r1, 0;\n @!%p1 mbarrier.init.shared::cta.b64 [full], 1;\n";
  const std::string copy = R"(
    @%p1 bra wait;
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [full], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd3], 256, [full];
  wait:
    mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [full], 0;
    @!%p2 bra wait;
  )";
  CHECK_THAT(find_in_body(open + bar + copy).no_claim, ContainsSubstring("breaks a rule"));
  const ptx::Superfluous fenced = find_in_body(open + "@!%p1 fence.mbarrier_init.release.cluster;\n" + bar + copy);
  CHECK(site_of(fenced, "fence.mbarrier_init.release.cluster").why == "rule: missing proxy fence");
  const std::string relaxed =
      "barrier.cluster.arrive.relaxed.aligned;\n barrier.cluster.wait.aligned;\n mov.u32 %r12, 0;\n";
  CHECK_THAT(find_in_body(relaxed + out).no_claim, ContainsSubstring("leaves open"));
}

TEST_CASE("superfluous: a fence of mbarrier.init behind stores does not stand for a proxy fence") {
  const auto body = [](const std::string& between) {
    return "setp.ne.u32 %p1, %r1, 0;\n" + store + "fence.proxy.async.shared::cta;\n" + between + bar + R"(
      @%p1 bra end;
      cp.async.bulk.global.shared::cta.bulk_group [%rd4], [tile], 256;
      cp.async.bulk.commit_group;
      cp.async.bulk.wait_group 0;
    end:
    )";
  };
  const ptx::Superfluous without = find_in_body(body(""));
  CHECK(site_of(without, "fence.proxy.async.shared::cta").need == Need::needed);
  CHECK(site_of(without, "cp.async.bulk.wait_group").form == "cp.async.bulk.wait_group.read");
  const ptx::Superfluous with = find_in_body(body("fence.mbarrier_init.release.cluster;\n"));
  CHECK(site_of(with, "fence.proxy.async.shared::cta").need == Need::needed);
}

TEST_CASE("superfluous: weaker orders and narrower scopes, the weakest first") {
  using Forms = std::vector<std::string>;
  const auto orders = [](const std::string& opcode) { return ptx::weaker_orders(statement(opcode)); };
  CHECK(orders("membar.gl") == Forms{"fence.acq_rel.gpu"});
  CHECK(orders("membar.cta") == Forms{"fence.acq_rel.cta"});
  CHECK(orders("fence.sc.sys") == Forms{"fence.acq_rel.sys"});
  CHECK(orders("fence.acq_rel.gpu").empty());
  CHECK(orders("ld.acquire.gpu.u32") == Forms{"ld.relaxed.gpu.u32"});
  CHECK(orders("atom.acq_rel.gpu.global.add.u32") ==
        Forms{"atom.relaxed.gpu.global.add.u32", "atom.acquire.gpu.global.add.u32", "atom.release.gpu.global.add.u32"});
  CHECK(orders("cp.async.bulk.wait_group") == Forms{"cp.async.bulk.wait_group.read"});
  CHECK(orders("cp.async.bulk.wait_group.read").empty());
  CHECK(orders("mbarrier.arrive.release.cta.shared::cta.b64").empty());
  CHECK(orders("mbarrier.arrive.release.cluster.shared::cluster.b64") ==
        Forms{"mbarrier.arrive.relaxed.cluster.shared::cluster.b64"});
  CHECK(orders("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64") ==
        Forms{"mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64"});
  const auto scopes = [](const std::string& opcode, bool has_clusters = false) {
    return ptx::narrower_scopes(statement(opcode), has_clusters);
  };
  CHECK(scopes("membar.sys") == Forms{"membar.cta", "membar.gl"});
  CHECK(scopes("membar.sys", true) == Forms{"membar.cta", "membar.gl"});
  CHECK(scopes("fence.acq_rel.sys") == Forms{"fence.acq_rel.cta", "fence.acq_rel.gpu"});
  CHECK(scopes("fence.acq_rel.sys", true) == Forms{"fence.acq_rel.cta", "fence.acq_rel.cluster", "fence.acq_rel.gpu"});
  CHECK(scopes("st.relaxed.gpu.global.u32") == Forms{"st.relaxed.cta.global.u32"});
  CHECK(scopes("fence.proxy.async.shared::cta").empty());
  CHECK(scopes("fence.mbarrier_init.release.cluster", true).empty());
  CHECK(scopes("fence.release.sync_restrict::shared::cta.cluster", true).empty());
  CHECK(scopes("barrier.cluster.arrive.release.aligned", true).empty());
  CHECK(scopes("mbarrier.arrive.release.cluster.shared::cluster.b64", true) ==
        Forms{"mbarrier.arrive.release.cta.shared::cluster.b64"});
}

namespace {

using dma::proof::PtxKernel;

/// Each CTA mirrors its part of x in shared memory, as often as it is told.
PtxKernel mirror_in_a_loop() {
  return {kernel(x_and_y + ", .param .s32 trips", begin + R"(
    ld.param.s32 %r20, [trips];
    mov.u32 %r21, 0;
    sub.s32 %r11, 63, %r1;
    shl.b32 %r11, %r11, 2;
    add.s32 %r11, %r7, %r11;
  NEXT:
    setp.ge.s32 %p1, %r21, %r20;
    @%p1 bra DONE;
    ld.global.b32 %r10, [%rd3];
    st.shared.b32 [%r4], %r10;
    bar.sync 0;
    ld.shared.b32 %r12, [%r11];
    st.global.b32 [%rd4], %r12;
    bar.sync 1;
    add.s32 %r21, %r21, 1;
    bra NEXT;
  DONE:
  )",
                 shared),
          "k",
          {.block = {64, 1, 1}}};
}
/// What `for_all_trips` asks of it.
struct OneSlot {
  static constexpr int stages = 1;
};

}  // namespace

TEST_CASE("A kernel of C++ has superfluous synchronization, or needs it with more trips", "[superfluous]") {
  std::vector<int> x(64, 1);
  std::vector<int> y(64);
  const PtxKernel mirrors = mirror_in_a_loop();
  const auto prove = [&](const PtxKernel& changed, int trips) {
    return dma::proof::prove({.inputs = {dma::proof::input(x)}, .outputs = {dma::proof::output(y)}}, changed, {1, 1, 1},
                             x.data(), y.data(), trips);
  };
  const auto of_one =
      dma::proof::find_superfluous(mirrors, [&](const PtxKernel& changed) { return prove(changed, 1); });
  CHECK(of_one.no_claim.empty());
  REQUIRE(of_one.lines.size() == 1);
  CHECK_THAT(of_one.lines[0], ContainsSubstring("bar.sync"));
  CHECK_THAT(of_one.text, ContainsSubstring(": 64 of ") && ContainsSubstring("needed: ") &&
                              ContainsSubstring("rests on the function that judges"));

  const auto of_all = dma::proof::find_superfluous(mirrors, [&](const PtxKernel& changed) {
    return dma::proof::for_all_trips<OneSlot>([&](int trips) { return prove(changed, trips); });
  });
  CHECK(of_all.no_claim.empty());
  CHECK(of_all.lines.empty());

  const auto of_none =
      dma::proof::find_superfluous(mirrors, [&](const PtxKernel& changed) { return prove(changed, 0); });
  CHECK_THAT(of_none.no_claim, ContainsSubstring("it is not proved as it is"));
  CHECK(of_none.lines.empty());
}
