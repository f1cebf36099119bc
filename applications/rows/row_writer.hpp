#pragma once

#include "plan.hpp"
#include "row_threads.hpp"

#include <dma/dma.hpp>

#include <cstring>

/// How a thread writes its elements of a row: the parameters of some of its vectors at a time are in registers, or of
/// all, from row to row. They stay as they are in memory until they are used: two bfloat16 take one register.
template <class T, class Operation, RowsPlan plan>
class RowWriter {
  using Threads = RowThreads<T, plan>;
  static constexpr int at_once = plan.at_once == 0 ? Threads::vectors : plan.at_once;
  static constexpr int groups = Threads::vectors / at_once;  ///< of vectors whose parameters are in registers
  static_assert(groups * at_once == Threads::vectors, "Rows: at_once divides the vectors of a thread");
  static constexpr int parameter_rows = Operation::parameter_rows == 0 ? 1 : Operation::parameter_rows;
  using Parameters = dma::Vector<T>[parameter_rows][at_once];

 public:
  /// @param part  first column of this CTA
  DMA_HOST_DEVICE RowWriter(const dma::Cta& cta, const Operation& operation, int part) {
    read_parameters<0>(cta, operation, part);
  }

  /// Where the parameters have several groups, reads each before the stores of the group before it.
  ///
  /// @param read  `read(vector, elements)` reads a vector of this thread
  template <class Read>
  DMA_HOST_DEVICE void write(const dma::Cta& cta, const Operation& operation, int part, T* y,
                             const typename Operation::Row& row, const Read& read) {
    if constexpr (Operation::writes_elements) {
      dma::unrolled<groups>([&](auto group) {
        Parameters now;
        memcpy(&now, &parameters_, sizeof now);
        if constexpr (groups > 1) {
          read_parameters<(group + 1) % groups>(cta, operation, part);
        }
        dma::unrolled<at_once>([&](auto k) {
          constexpr int vector = group * at_once + k;
          float elements[Threads::width];
          read(vector, elements);
          float of_vector[parameter_rows][Threads::width];
          for (int p = 0; p < Operation::parameter_rows; ++p) {
            floats_of(now[p][k], of_vector[p]);
          }
          float results[Threads::width];
          for (int e = 0; e < Threads::width; ++e) {
            float of_element[parameter_rows]{};
            for (int p = 0; p < Operation::parameter_rows; ++p) {
              of_element[p] = of_vector[p][e];
            }
            results[e] = Operation::value(elements[e], row, of_element);
          }
          Threads::write(cta, y, vector, results);
        });
      });
    }
  }

 private:
  /// Those of a group of this thread's vectors.
  template <int Group>
  DMA_HOST_DEVICE void read_parameters(const dma::Cta& cta, const Operation& operation, int part) {
    dma::unrolled<Operation::parameter_rows>([&](auto p) {
      dma::unrolled<at_once>([&](auto k) {
        parameters_[p][k] = Threads::vector_of(cta, operation.parameters(p) + part, Group * at_once + k);
      });
    });
  }

  Parameters parameters_;  ///< of the first group, before and after each row
};
