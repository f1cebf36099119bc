// Products of 12 generated sparse matrices with a vector and with 8, 32 and 128 dense columns, beside cuSPARSE's, the
// fastest of its algorithms with its preprocessing before. Two copies of each matrix, together larger than the L2, take
// turns. Answers are compared with sums in double precision.

#include "../applications/sparse/ell_matrices.hpp"
#include "../applications/sparse/launch.cuh"
#include "../applications/sparse/matrices.hpp"
#include "../applications/sparse/multiply.hpp"
#include "../examples/gpu.hpp"
#include "measure.hpp"
#include "sweeps.hpp"

#include <algorithm>
#include <cstddef>
#include <future>
#include <initializer_list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>
#include <cusparse.h>

namespace bench {
namespace {

using sparse::Csr;

void check_sparse(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("bench: cuSPARSE: ") + cusparseGetErrorString(status));
  }
}

constexpr int nonzeros = 12 << 20;
constexpr int copies = 2;
constexpr int most_columns = 128;

/// All matrices, made at the same time by threads of their own when the first is asked for.
[[nodiscard]] const sparse::Matrix& host_matrix(const std::string& name) {
  static const std::map<std::string, std::shared_future<sparse::Matrix>> all = [] {
    std::map<std::string, std::shared_future<sparse::Matrix>> made;
    for (const char* const each : sparse::matrix_names) {
      made[each] = std::async(std::launch::async, [=] { return sparse::make_matrix(each, nonzeros); }).share();
    }
    return made;
  }();
  return all.at(name).get();
}

/// A matrix on the GPU: two copies with one plan.
struct Uploaded {
  explicit Uploaded(const sparse::Matrix& host) {
    const Csr csr{host.rows, host.cols, host.nonzeros(), host.offsets.data(), host.columns.data(), nullptr};
    const sparse::Plan plan = sparse::make_plan(csr);
    starts = gpu::Array<sparse::ChunkStart>(plan.starts);
    split = gpu::Array<sparse::SplitRow>(plan.split);
    heads = gpu::Array<float>(sparse::head_elements(plan, plan.split.empty() ? 1 : most_columns));
    for (int copy = 0; copy < copies; ++copy) {
      offsets[copy] = gpu::Array<int>(host.offsets);
      columns[copy] = gpu::Array<int>(host.columns);
      values[copy] = gpu::Array<float>(host.values);
      matrices[copy] = {
          {host.rows, host.cols, host.nonzeros(), offsets[copy].data(), columns[copy].data(), values[copy].data()},
          plan.lanes,
          plan.is_scattered,
          starts.data(),
          plan.chunks(),
          split.data(),
          static_cast<int>(plan.split.size()),
          heads.data()};
    }
  }

  gpu::Array<int> offsets[copies], columns[copies];
  gpu::Array<float> values[copies];
  gpu::Array<sparse::ChunkStart> starts;
  gpu::Array<sparse::SplitRow> split;
  gpu::Array<float> heads;
  sparse::PlannedMatrix matrices[copies];
};

/// The last one stays: its benchmarks follow one another.
[[nodiscard]] std::shared_ptr<const Uploaded> uploaded(const std::string& name) {
  static std::pair<std::string, std::shared_ptr<const Uploaded>> last;
  if (last.first != name) {
    last = {};
    last = {name, std::make_shared<const Uploaded>(host_matrix(name))};
  }
  return last.second;
}

/// Counts the elements of C = A B, `columns` a row, that are off by more than `tolerance` of the sum of the products'
/// magnitudes.
__global__ void count_wrong_products(Csr a, const float* b, const float* c, int columns, double tolerance,
                                     unsigned long long* wrong) {
  const long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long row = at / columns;
  const int col = static_cast<int>(at % columns);
  if (row >= a.rows) {
    return;
  }
  double sum = 0;
  double magnitudes = 0;
  for (int i = a.offsets[row]; i < a.offsets[row + 1]; ++i) {
    const double product = double{a.values[i]} * b[static_cast<long long>(a.columns[i]) * columns + col];
    sum += product;
    magnitudes += fabs(product);
  }
  if (!(fabs(c[at] - sum) <= tolerance * magnitudes)) {
    atomicAdd(wrong, 1ULL);
  }
}

constexpr double single_precision = 2e-5;
constexpr double of_tensor_cores = 2e-3;

/// `run(stream, copy)` multiplies that copy with the input; the product is the output.
template <class Run>
[[nodiscard]] Subject product(const std::shared_ptr<const Uploaded>& matrix, int columns, const Run& run,
                              double tolerance = single_precision) {
  const Csr a = matrix->matrices[0].csr;
  Subject subject;
  subject.bytes = 8.0 * a.nonzeros + 4.0 * a.rows + 4.0 * columns * (static_cast<double>(a.rows) + a.cols);
  subject.launches = columns == 1 ? 8 : copies;
  subject.launch = [run, matrix](cudaStream_t stream, int i) { run(stream, i % copies); };
  subject.wrong = [=](cudaStream_t stream) {
    const long long elements = static_cast<long long>(a.rows) * columns;
    poison(output(), elements, stream);
    run(stream, 1);
    const unsigned long long wrong = count_on_device(stream, [&](unsigned long long* count) {
      count_wrong_products<<<static_cast<unsigned>((elements + 255) / 256), 256, 0, stream>>>(
          a, input(), output(), columns, tolerance, count);
    });
    return wrong == 0 ? std::string() : std::to_string(wrong) + " elements are wrong";
  };
  return subject;
}

// --- cuSPARSE --------------------------------------------------------------------------------------------------------

[[nodiscard]] cusparseHandle_t cusparse() {
  static const cusparseHandle_t handle = [] {
    cusparseHandle_t made{};
    check_sparse(cusparseCreate(&made));
    return made;
  }();
  return handle;
}

constexpr float one = 1;
constexpr float zero = 0;
constexpr cusparseOperation_t as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

/// One copy's descriptions and the workspace of one algorithm, preprocessed.
class CusparseProduct {
 public:
  CusparseProduct(const Csr& a, cusparseSpMVAlg_t algorithm) : of_vectors_(algorithm) {
    describe(a);
    check_sparse(cusparseCreateDnVec(&x_, a.cols, const_cast<float*>(input()), CUDA_R_32F));
    check_sparse(cusparseCreateDnVec(&y_, a.rows, output(), CUDA_R_32F));
    std::size_t bytes = 0;
    check_sparse(cusparseSpMV_bufferSize(cusparse(), as_it_is, &one, a_, x_, &zero, y_, CUDA_R_32F, algorithm, &bytes));
    workspace_ = gpu::Array<char>(bytes + 16);
    check_sparse(cusparseSpMV_preprocess(cusparse(), as_it_is, &one, a_, x_, &zero, y_, CUDA_R_32F, algorithm,
                                         workspace_.data()));
  }
  CusparseProduct(const Csr& a, cusparseSpMMAlg_t algorithm, int columns) : of_panels_(algorithm) {
    describe(a);
    describe_panels(a, columns);
  }
  /// A matrix of one block in each row of blocks, whose values are those of its rows.
  CusparseProduct(const Csr& a, int edge, const int* block_columns, int columns)
      : of_panels_(CUSPARSE_SPMM_BLOCKED_ELL_ALG1) {
    check_sparse(cusparseSetStream(cusparse(), nullptr));
    check_sparse(cusparseCreateBlockedEll(&a_, a.rows, a.cols, edge, edge, const_cast<int*>(block_columns),
                                          const_cast<float*>(a.values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                          CUDA_R_32F));
    describe_panels(a, columns);
  }
  CusparseProduct(const CusparseProduct&) = delete;
  CusparseProduct& operator=(const CusparseProduct&) = delete;
  ~CusparseProduct() {
    cusparseDestroySpMat(a_);
    cusparseDestroyDnVec(x_);
    cusparseDestroyDnVec(y_);
    cusparseDestroyDnMat(b_);
    cusparseDestroyDnMat(c_);
  }

  void run(cudaStream_t stream) const {
    check_sparse(cusparseSetStream(cusparse(), stream));
    if (x_ != nullptr) {
      check_sparse(
          cusparseSpMV(cusparse(), as_it_is, &one, a_, x_, &zero, y_, CUDA_R_32F, of_vectors_, workspace_.data()));
    } else {
      check_sparse(cusparseSpMM(cusparse(), as_it_is, as_it_is, &one, a_, b_, &zero, c_, CUDA_R_32F, of_panels_,
                                workspace_.data()));
    }
  }

 private:
  void describe_panels(const Csr& a, int columns) {
    check_sparse(cusparseCreateDnMat(&b_, a.cols, columns, columns, const_cast<float*>(input()), CUDA_R_32F,
                                     CUSPARSE_ORDER_ROW));
    check_sparse(cusparseCreateDnMat(&c_, a.rows, columns, columns, output(), CUDA_R_32F, CUSPARSE_ORDER_ROW));
    std::size_t bytes = 0;
    check_sparse(cusparseSpMM_bufferSize(cusparse(), as_it_is, as_it_is, &one, a_, b_, &zero, c_, CUDA_R_32F,
                                         of_panels_, &bytes));
    workspace_ = gpu::Array<char>(bytes + 16);
    check_sparse(cusparseSpMM_preprocess(cusparse(), as_it_is, as_it_is, &one, a_, b_, &zero, c_, CUDA_R_32F,
                                         of_panels_, workspace_.data()));
  }
  void describe(const Csr& a) {
    check_sparse(cusparseSetStream(cusparse(), nullptr));  // that of the benchmark before is destroyed
    check_sparse(cusparseCreateCsr(&a_, a.rows, a.cols, a.nonzeros, const_cast<int*>(a.offsets),
                                   const_cast<int*>(a.columns), const_cast<float*>(a.values), CUSPARSE_INDEX_32I,
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  }

  cusparseSpMVAlg_t of_vectors_ = CUSPARSE_SPMV_CSR_ALG1;
  cusparseSpMMAlg_t of_panels_ = CUSPARSE_SPMM_CSR_ALG1;
  cusparseSpMatDescr_t a_{};
  cusparseDnVecDescr_t x_{};
  cusparseDnVecDescr_t y_{};
  cusparseDnMatDescr_t b_{};
  cusparseDnMatDescr_t c_{};
  gpu::Array<char> workspace_;
};

/// `make(a)` describes the product of one copy.
template <class Make>
[[nodiscard]] Subject cusparse_subject(const std::shared_ptr<const Uploaded>& matrix, int columns,
                                       const std::string& label, const Make& make) {
  std::shared_ptr<const CusparseProduct> products[copies];
  for (int copy = 0; copy < copies; ++copy) {
    products[copy] = make(matrix->matrices[copy].csr);
  }
  const std::shared_ptr<const CusparseProduct> first = products[0];
  const std::shared_ptr<const CusparseProduct> second = products[1];
  Subject subject =
      product(matrix, columns, [=](cudaStream_t stream, int copy) { (copy == 0 ? first : second)->run(stream); });
  subject.label = label;
  return subject;
}

// --- sweeps ----------------------------------------------------------------------------------------------------------

[[nodiscard]] sparse::Vectors vectors() { return {1, input(), 0, output()}; }
[[nodiscard]] sparse::Panels panels(int columns) { return {1, input(), columns, 0, output(), columns}; }

void add_spmv(const std::string& name) {
  const std::string prefix = "sparse/op:spmv/matrix:" + name + "/by:";
  add(prefix + "dma", [=] {
    const auto matrix = uploaded(name);
    return product(matrix, 1, [=](cudaStream_t stream, int copy) {
      sparse::multiply(sparse::GpuLauncher(stream), matrix->matrices[copy], vectors());
    });
  });
  add(prefix + "streamed", [=] {
    using Kernel = sparse::StreamedChoice;
    const auto matrix = uploaded(name);
    return product(matrix, 1, [=](cudaStream_t stream, int copy) {
      sparse::multiply_chunks<Kernel>(sparse::GpuLauncher(stream), matrix->matrices[copy], vectors());
    });
  });
  add(prefix + "cusparse", [=] {
    const auto matrix = uploaded(name);
    std::vector<Subject> subjects;
    for (const auto& [algorithm, label] :
         {std::pair{CUSPARSE_SPMV_CSR_ALG1, "CSR_ALG1"}, {CUSPARSE_SPMV_CSR_ALG2, "CSR_ALG2"}}) {
      subjects.push_back(cusparse_subject(matrix, 1, label, [algorithm = algorithm](const Csr& a) {
        return std::make_shared<const CusparseProduct>(a, algorithm);
      }));
    }
    return fastest_of(std::move(subjects));
  });
}

/// A matrix in ELLPACK form on the GPU, with the same two copies.
struct UploadedEll {
  explicit UploadedEll(const std::string& name) : csr(uploaded(name)) {
    const sparse::EllMatrix host = sparse::ell_of(host_matrix(name));
    for (int copy = 0; copy < copies; ++copy) {
      columns[copy] = gpu::Array<int>(host.columns);
      values[copy] = gpu::Array<float>(host.values);
      matrices[copy] = {host.rows, host.width, host.pitch, columns[copy].data(), values[copy].data()};
    }
  }

  std::shared_ptr<const Uploaded> csr;
  gpu::Array<int> columns[copies];
  gpu::Array<float> values[copies];
  sparse::Ell matrices[copies];
};

/// `multiply(stream, a)` multiplies the matrix in ELLPACK form with the input.
template <class Multiply>
void add_ell(const std::string& benchmark, const std::string& name, int columns, const Multiply& multiply) {
  add(benchmark, [=] {
    const auto matrix = std::make_shared<const UploadedEll>(name);
    return product(matrix->csr, columns,
                   [=](cudaStream_t stream, int copy) { multiply(stream, matrix->matrices[copy]); });
  });
}

/// For a matrix of nearly equal rows.
void add_ell_spmv(const std::string& name) {
  const std::string prefix = "sparse/op:spmv/matrix:" + name + "/by:";
  add_ell(prefix + "ell", name, 1,
          [](auto stream, const auto& a) { sparse::multiply(sparse::GpuLauncher(stream), a, vectors()); });
  add_ell(prefix + "ell_streamed", name, 1,
          [](auto stream, const auto& a) { sparse::multiply_streamed(sparse::GpuLauncher(stream), a, vectors()); });
}
/// The same in Blocked-ELLPACK form, for a matrix of one dense block in each row of blocks; and cuSPARSE's, which uses
/// tensor cores and their precision.
void add_blocked_ell(const std::string& name, int columns) {
  constexpr int edge = sparse::blocked_edge;
  const std::string prefix = "sparse/op:spmm/cols:" + std::to_string(columns) + "/matrix:" + name + "/by:";
  add(prefix + "blocked_ell", [=] {
    const auto matrix = uploaded(name);
    const sparse::BlockedEllMatrix host = sparse::blocked_ell_of(host_matrix(name), edge);
    const auto block_columns = std::make_shared<const gpu::Array<int>>(host.columns);
    std::vector<std::shared_ptr<const gpu::Array<float>>> values;
    for (int copy = 0; copy < copies; ++copy) {
      values.push_back(std::make_shared<const gpu::Array<float>>(host.values));
    }
    return product(matrix, columns, [=, rows = host.rows, width = host.width](cudaStream_t stream, int copy) {
      const sparse::BlockedEll<edge> a{rows, width, block_columns->data(),
                                       values[static_cast<std::size_t>(copy)]->data()};
      sparse::multiply(sparse::GpuLauncher(stream), a, panels(columns), columns);
    });
  });
  add(prefix + "cusparse_tensor_cores", [=] {
    const auto matrix = uploaded(name);
    const sparse::BlockedEllMatrix host = sparse::blocked_ell_of(host_matrix(name), edge);
    const auto block_columns = std::make_shared<const gpu::Array<int>>(host.columns);
    std::vector<std::shared_ptr<const CusparseProduct>> products;
    for (const sparse::PlannedMatrix& a : matrix->matrices) {
      products.push_back(std::make_shared<const CusparseProduct>(a.csr, edge, block_columns->data(), columns));
    }
    return product(
        matrix, columns,
        [=](cudaStream_t stream, int copy) {
          static_cast<void>(block_columns);  // kept
          products[static_cast<std::size_t>(copy)]->run(stream);
        },
        of_tensor_cores);
  });
}
void add_ell_spmm(const std::string& name, int columns) {
  add_ell(
      "sparse/op:spmm/cols:" + std::to_string(columns) + "/matrix:" + name + "/by:ell", name, columns,
      [=](auto stream, const auto& a) { sparse::multiply(sparse::GpuLauncher(stream), a, panels(columns), columns); });
}

void add_spmm(const std::string& name, int columns) {
  const std::string prefix = "sparse/op:spmm/cols:" + std::to_string(columns) + "/matrix:" + name + "/by:";
  add(prefix + "dma", [=] {
    const auto matrix = uploaded(name);
    return product(matrix, columns, [=](cudaStream_t stream, int copy) {
      sparse::multiply(sparse::GpuLauncher(stream), matrix->matrices[copy], panels(columns), columns);
    });
  });
  add(prefix + "cusparse", [=] {
    const auto matrix = uploaded(name);
    std::vector<Subject> subjects;
    for (const auto& [algorithm, label] : {std::pair{CUSPARSE_SPMM_CSR_ALG1, "CSR_ALG1"},
                                           {CUSPARSE_SPMM_CSR_ALG2, "CSR_ALG2"},
                                           {CUSPARSE_SPMM_CSR_ALG3, "CSR_ALG3"}}) {
      subjects.push_back(cusparse_subject(matrix, columns, label, [=, algorithm = algorithm](const Csr& a) {
        return std::make_shared<const CusparseProduct>(a, algorithm, columns);
      }));
    }
    return fastest_of(std::move(subjects));
  });
}

}  // namespace

void add_sparse() {
  const auto is_one_of = [](const std::string& name, std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const char* const name : sparse::matrix_names) {
    add_spmv(name);
    if (is_one_of(name, {"stencil_7", "hpcg_27", "banded_41"})) {
      add_ell_spmv(name);
    }
    for (const int columns : {32, 8, 128}) {
      if (columns != 32 && !is_one_of(name, {"hpcg_27", "rmat"})) {
        continue;
      }
      add_spmm(name, columns);
      if (is_one_of(name, {"stencil_7", "hpcg_27", "banded_41", "uniform_32", "blocks_8", "blocks_64"})) {
        add_ell_spmm(name, columns);
      }
      if (is_one_of(name, {"blocks_64"})) {
        add_blocked_ell(name, columns);
      }
    }
  }
}

}  // namespace bench
