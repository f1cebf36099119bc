#pragma once

#include "host/proof/fuzz/copy_fragments.hpp"
#include "host/proof/fuzz/exchange_fragments.hpp"

#include <array>
#include <cstddef>

namespace fuzz {

inline void Fragments::add() {
  constexpr std::array<Fragment, 16> all{&Fragments::exchange_in_warp,   &Fragments::exchange_in_cta,
                                         &Fragments::hand_over_named,    &Fragments::hand_over_by_phase,
                                         &Fragments::load_in_bulk,       &Fragments::store_in_bulk,
                                         &Fragments::copy_by_threads,    &Fragments::store_one_value,
                                         &Fragments::use_global,         &Fragments::reopen,
                                         &Fragments::run_ring,           &Fragments::run_named_ring,
                                         &Fragments::exchange_with_peer, &Fragments::signal_peer,
                                         &Fragments::send_to_peer,       &Fragments::do_anything};
  (this->*all[static_cast<std::size_t>(random_->below(static_cast<int>(all.size())))])();
}

}  // namespace fuzz
