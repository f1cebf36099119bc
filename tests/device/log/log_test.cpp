#include "application_kernels.hpp"
#include "cluster_kernels.hpp"
#include "example_kernels.hpp"
#include "host.hpp"
#include "logged.hpp"
#include "right_kernels.hpp"
#include "tensor_kernels.hpp"

#include <catch2/catch_test_macros.hpp>

TEST_CASE("a GPU's threads do what the host has recorded: the examples", "[log]") {
  logged::compare<logged::Examples>(run_examples, 42);
}

TEST_CASE("a GPU's threads do what the host has recorded: applications", "[log]") {
  logged::compare<logged::Applications>(run_applications, 17);
}

TEST_CASE("a GPU's threads do what the host has recorded: tensor maps", "[log]") {
  logged::compare<logged::TensorKernels>(run_tensor_kernels, 6);
}

TEST_CASE("a GPU's threads do what the host has recorded: clusters", "[log]") {
  logged::compare<logged::Clusters>(run_clusters, 14);
}

TEST_CASE("a GPU's threads do what the host has recorded: unusual kernels", "[log]") {
  logged::compare<logged::RightKernels>(run_right_kernels, 40);
}
