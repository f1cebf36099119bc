#pragma once

#include <dma/proof/record/program.hpp>
#include <dma/proof/record/recording.hpp>

#include <cstddef>
#include <functional>
#include <vector>

/// Edits of what a correct kernel did, thread by thread: faults in a protocol that no kernel can express.
namespace mutations {

using dma::proof::detail::Operation;
using dma::proof::detail::OperationKind;
using dma::proof::detail::Recording;

/// Whether an operation of a thread is meant.
using Select = std::function<bool(int thread, const Operation&)>;

[[nodiscard]] inline bool is_of_cta(const Operation& operation) {
  return operation.kind == OperationKind::sync && operation.barrier == 0;
}

/// The number of operations that were selected in any thread: of each thread, `skip` selected ones are passed over and
/// up to `most` after them are edited by `edit(list, place)`, which returns the place to go on at.
template <class Edit>
int edit_selected(Recording& recording, const Select& select, int skip, int most, const Edit& edit) {
  int edited = 0;
  for (std::size_t thread = 0; thread < recording.threads.size(); ++thread) {
    auto& list = recording.threads[thread];
    int seen = 0;
    int done = 0;
    for (std::size_t place = 0; place < list.size() && done < most;) {
      if (select(static_cast<int>(thread), list[place]) && seen++ >= skip) {
        place = edit(list, place);
        ++done;
        ++edited;
      } else {
        ++place;
      }
    }
  }
  return edited;
}

inline int drop(Recording& recording, const Select& select, int skip = 0, int most = 1) {
  return edit_selected(recording, select, skip, most, [](auto& list, std::size_t place) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
    return place;
  });
}
inline int repeat(Recording& recording, const Select& select, int skip = 0, int most = 1) {
  return edit_selected(recording, select, skip, most, [](auto& list, std::size_t place) {
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), Operation{list[place]});
    return place + 2;
  });
}
/// Moves an operation `steps` places on, or back where `steps` is below 0.
inline int move(Recording& recording, const Select& select, int steps, int skip = 0, int most = 1) {
  return edit_selected(recording, select, skip, most, [&](auto& list, std::size_t place) {
    const Operation operation = list[place];
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
    auto target = static_cast<std::ptrdiff_t>(place) + steps;
    target = target < 0 ? 0 : target;
    const auto end = static_cast<std::ptrdiff_t>(list.size());
    list.insert(list.begin() + (target > end ? end : target), operation);
    return place + 1 + static_cast<std::size_t>(steps > 0 ? steps : 0);
  });
}
inline int change(Recording& recording, const Select& select, const std::function<void(Operation&)>& how, int skip = 0,
                  int most = 1) {
  return edit_selected(recording, select, skip, most, [&](auto& list, std::size_t place) {
    how(list[place]);
    return place + 1;
  });
}

}  // namespace mutations
