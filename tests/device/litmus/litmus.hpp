#pragma once

#include <map>
#include <string>

/// Litmus tests on a GPU: many instances of one at a time, and how often each outcome was seen.
namespace gpu_litmus {

inline constexpr int most_roles = 4;
inline constexpr int most_locations = 3;

/// An access of a role; `kind` is 0 for none, 1 for a read, 2 for a write.
struct Access {
  int kind;
  int location;
  unsigned value;
};
/// What one thread of a shape does: an access, a fence where the form has one, and another access.
struct Role {
  Access accesses[2];
};

enum class Ordered { not_at_all, by_accesses, by_acq_rel, by_sc };
enum class Scope { cta, cluster, gpu };
enum class Where { between_ctas, in_a_cluster, in_a_cta };

struct Test {
  int roles;
  Role role[most_roles];
  Ordered ordered;
  Scope access;
  Scope fence;
  Where where;
};

/// An outcome: what each read saw, role by role, then the last value of each location; two bits each.
using Counts = std::map<unsigned, unsigned long long>;

/// @param launches  of some hundred thousand instances each
/// @param error     a text where a launch failed
Counts run(const Test& test, int launches, unsigned seed, std::string& error);

std::string missing_device();
std::string name_of_device();

}  // namespace gpu_litmus
