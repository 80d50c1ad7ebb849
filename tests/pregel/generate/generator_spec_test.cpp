// What a user may write after --generate, and what is refused with which words.
#include <string>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "pregel/io/generators.hpp"

namespace pregel {
namespace {

std::string refusal_of(const std::string& text) {
  try {
    (void)parse_generator(text);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(GeneratorSpec, kron_has_the_defaults_of_graph500) {
  const GeneratorSpec spec = parse_generator("kron:scale=20");
  EXPECT_EQ(spec.kind, GeneratorKind::kronecker);
  EXPECT_EQ(spec.vertices, 1U << 20);
  EXPECT_EQ(spec.edges, 16U << 20);
  EXPECT_EQ(spec.seed, 1U);
  EXPECT_EQ(spec.a, 0.57);
  EXPECT_EQ(spec.b, 0.19);
  EXPECT_EQ(spec.c, 0.19);
  EXPECT_EQ(spec.weights, WeightKind::none);
  EXPECT_FALSE(spec.directed);
  EXPECT_EQ(spec.text, "kron:scale=20");
  EXPECT_EQ(spec.default_self_loops(), SelfLoops::drop);
  EXPECT_EQ(spec.default_multi_edges(), MultiEdges::drop);
}

TEST(GeneratorSpec, every_family_counts_its_vertices_and_edges) {
  struct Case {
    const char* text;
    std::uint64_t vertices, edges;
  };
  for (const Case& c :
       {Case{"kron:scale=0,degree=3", 1, 3}, Case{"kron:scale=40,degree=2", 1ULL << 40, 1ULL << 41},
        Case{"er:vertices=100,edges=250", 100, 250}, Case{"er:n=100,degree=3", 100, 300}, Case{"er:n=0,edges=0", 0, 0},
        Case{"grid:rows=3,cols=5", 15, 22}, Case{"grid:rows=1,columns=1", 1, 0}, Case{"grid:rows=0,cols=7", 0, 0},
        Case{"chain:n=5", 5, 4}, Case{"chain:vertices=0", 0, 0}, Case{"star:n=9", 9, 8},
        Case{"tree:n=1e9", 1000000000, 999999999}, Case{"smallworld:n=10,k=4,p=0.5", 10, 20},
        Case{"smallworld:n=1,k=0", 1, 0}}) {
    const GeneratorSpec spec = parse_generator(c.text);
    EXPECT_EQ(spec.vertices, c.vertices) << c.text;
    EXPECT_EQ(spec.edges, c.edges) << c.text;
    EXPECT_FALSE(spec.directed) << c.text;
  }
}

TEST(GeneratorSpec, whole_numbers_may_have_an_exponent) {
  EXPECT_EQ(parse_generator("chain:n=1e6").vertices, 1000000U);
  EXPECT_EQ(parse_generator("chain:n=2.5e3").vertices, 2500U);
  EXPECT_EQ(parse_generator("chain:n=1E+2").vertices, 100U);
  EXPECT_EQ(parse_generator("chain:n=12.0").vertices, 12U);
  EXPECT_EQ(parse_generator("chain:n=1200e-2").vertices, 12U);
  EXPECT_EQ(parse_generator("chain:n=0e999").vertices, 0U);
  EXPECT_EQ(parse_generator("chain:n=18446744073709551615").vertices, ~0ULL);
  for (const char* bad : {"1.5", "1e-3", "-1", "+1", "1e", "e5", "", "1e6x", "0x10", " 1", "18446744073709551616",
                          "1e20", "1e999", "inf", "1.2.3", "1e99999999999999999999", "."})
    EXPECT_NE(refusal_of(std::string("chain:n=") + bad).find("n="), std::string::npos) << bad;
}

TEST(GeneratorSpec, clean_up_is_the_default_where_edges_are_drawn) {
  EXPECT_EQ(parse_generator("er:n=5,edges=5").default_self_loops(), SelfLoops::drop);
  EXPECT_EQ(parse_generator("er:n=5,edges=5").default_multi_edges(), MultiEdges::drop);
  EXPECT_EQ(parse_generator("smallworld:n=5,k=2").default_self_loops(), SelfLoops::keep);
  EXPECT_EQ(parse_generator("smallworld:n=5,k=2").default_multi_edges(), MultiEdges::drop);
  EXPECT_EQ(parse_generator("grid:rows=2,cols=2").default_multi_edges(), MultiEdges::keep);
}

TEST(GeneratorSpec, a_refusal_names_the_key_and_the_value) {
  struct Case {
    const char *text, *key_and_value, *reason;
  };
  for (const Case& c : {
           Case{"kron:scale=41", "scale=41", "at most 40"},
           Case{"kron:degree=16", "scale=", "needs"},
           Case{"kron:scale=40,degree=1e9", "degree=1000000000", "64 bits"},
           Case{"kron:scale=4,a=0.9,b=0.2", "a=0.9, b=0.2, c=0.19", "exceeds 1"},
           Case{"kron:scale=4,a=1.5", "a=1.5", "between 0 and 1"},
           Case{"kron:scale=4,b=-0.1", "b=-0.1", "between 0 and 1"},
           Case{"kron:scale=4,c=nan", "c=nan", "between 0 and 1"},
           Case{"kron:scale=4,c=x", "c=x", "not a number"},
           Case{"kron:scale=4,scale=5", "scale=5", "twice"},
           Case{"kron:scale=4,wheels=4", "wheels=4", "unknown key"},
           Case{"kron:scale=4,rows=4", "rows=4", "unknown key"},
           Case{"kron:scale=4,weights=complex", "weights=complex", "int or real"},
           Case{"kron:scale=4,seed=x", "seed=x", "whole number"},
           Case{"kron:scale", "'scale'", "key=value"},
           Case{"kron:=4", "'=4'", "key=value"},
           Case{"kron:scale=4,", "kron", "comma"},
           Case{"kron:scale=", "scale=", "missing"},
           Case{"er:n=10", "edges=", "needs"},
           Case{"er:n=10,edges=5,degree=2", "edges= or degree=", "not both"},
           Case{"er:n=10,vertices=10,edges=5", "n=10", "already"},
           Case{"er:n=0,edges=5", "edges=5", "without vertices"},
           Case{"er:n=1e10,degree=1e10", "degree=10000000000", "64 bits"},
           Case{"grid:rows=1e10,cols=1e10", "cols=10000000000", "64 bits"},
           Case{"grid:rows=1e19,cols=1", "rows=10000000000000000000", "64 bits"},
           Case{"grid:rows=3", "cols=", "needs"},
           Case{"smallworld:n=10,k=3", "k=3", "even"},
           Case{"smallworld:n=10,k=10", "k=10", "below n=10"},
           Case{"smallworld:n=0,k=0", "k=0", "below n=0"},
           Case{"smallworld:n=10,k=4,p=1.01", "p=1.01", "between 0 and 1"},
           Case{"smallworld:n=1e15,k=1e14", "k=100000000000000", "64 bits"},
           Case{"chain", "n=", "needs"},
           Case{"mesh:n=3", "'mesh'", "known: kron, er, grid, chain, star, tree, smallworld"},
           Case{"", "''", "unknown generator"},
       }) {
    const std::string message = refusal_of(c.text);
    EXPECT_NE(message.find(c.key_and_value), std::string::npos) << c.text << " -> " << message;
    EXPECT_NE(message.find(c.reason), std::string::npos) << c.text << " -> " << message;
    EXPECT_NE(message.find(std::string("generator '") + c.text), std::string::npos) << message;
  }
}

} // namespace
} // namespace pregel
