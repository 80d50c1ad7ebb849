// Words in, words out.
#include "supervise/launch_command.hpp"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace {

using supervise::LaunchCommand;
using supervise::Words;

Words split(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string join(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

LaunchCommand parse(const std::string& line) {
  return supervise::parse_launch_command(split(line));
}

/// The line of the first restart on 3 ranks.
std::string restart(const std::string& line, int number = 1, bool resume = true) {
  return join(supervise::relaunch_words(parse(line), {.ranks = 3, .restart = number, .resume = resume}));
}

void expect_refusal(const std::string& line, const std::string& reason) {
  try {
    (void)parse(line);
    ADD_FAILURE() << line << ": not refused";
  } catch (const supervise::CommandError& error) {
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << line << ": " << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(LaunchCommand, NumberOfRanksInEverySpelling) {
  for (const std::string launcher : {"mpirun", "mpiexec", "/opt/mpi/bin/mpirun", "mpiexec.hydra", "prterun"})
    for (const std::string option : {"-n", "-np", "--np", "--n", "-c"}) {
      EXPECT_EQ(parse(launcher + " " + option + " 12 prog").ranks, 12);
      EXPECT_EQ(restart(launcher + " " + option + " 4 prog a"), launcher + " " + option + " 3 prog a --resume");
    }
  for (const std::string option : {"-n 4", "-n4", "--ntasks 4", "--ntasks=4"}) {
    EXPECT_EQ(parse("srun " + option + " prog").ranks, 4);
    std::string changed = option;
    changed.back() = '3';
    EXPECT_EQ(restart("srun " + option + " prog a"), "srun " + changed + " prog a --resume");
  }
}

TEST(LaunchCommand, OtherOptionsOfMpirunStay) {
  const std::string before =
      "mpirun --oversubscribe --bind-to none --mca btl tcp,self --host a,b -x PATH --map-by node";
  const std::string after = "--with-ft ulfm --timeout 60 -wdir /n -q";
  const LaunchCommand command = parse(before + " -n 4 " + after + " prog -n 7 --mca x y");
  EXPECT_EQ(command.words[command.program], "prog");
  EXPECT_EQ(command.ranks, 4);
  EXPECT_EQ(restart(before + " -n 4 " + after + " prog -n 7"), before + " -n 3 " + after + " prog -n 7 --resume");
}

TEST(LaunchCommand, OtherOptionsOfHydraStay) {
  const LaunchCommand command = parse("mpiexec -genv A 1 -f hosts -ppn 2 -print-all-exitcodes -n 4 prog x");
  EXPECT_EQ(command.words[command.program], "prog");
}

TEST(LaunchCommand, OtherOptionsOfSrunStay) {
  // -c is not the number of ranks there, and --overlap has no value.
  const LaunchCommand command =
      parse("srun -c 2 -N 2 --overlap --mpi=pmix --mpi pmix -l -K1 --kill-on-bad-exit -p long -n 4 prog x");
  EXPECT_EQ(command.words[command.program], "prog");
  EXPECT_EQ(command.ranks, 4);
}

TEST(LaunchCommand, WrappersMayComeFirst) {
  EXPECT_EQ(restart("timeout -k 5 60 mpirun -n 4 prog"), "timeout -k 5 60 mpirun -n 3 prog --resume");
  EXPECT_EQ(restart("env A=B MPI=/usr/bin/mpirun nice -n 5 srun -n4 prog"),
            "env A=B MPI=/usr/bin/mpirun nice -n 5 srun -n3 prog --resume");
}

TEST(LaunchCommand, ProgramMayHaveItsOwnWrapper) {
  EXPECT_EQ(restart("mpirun -n 4 setarch -R prog a"), "mpirun -n 3 setarch -R prog a --resume");
  EXPECT_EQ(restart("mpirun -n 4 -- prog a"), "mpirun -n 3 -- prog a --resume");
}

TEST(LaunchCommand, WhatIsNotUnderstoodIsRefused) {
  expect_refusal("./run.sh -n 4 prog", "no mpirun, mpiexec or srun");
  expect_refusal("env A=/bin/mpirun prog", "no mpirun, mpiexec or srun");
  expect_refusal("mpirun prog -n 4", "not told the number of ranks");
  expect_refusal("mpirun -n four prog", "'four' is not a number of ranks");
  expect_refusal("mpirun -n 0 prog", "'0' is not a number of ranks");
  expect_refusal("mpirun -n -3 prog", "'-3' is not a number of ranks");
  expect_refusal("srun --ntasks= prog", "'' is not a number of ranks");
  expect_refusal("mpirun -n 99999999999 prog", "is not a number of ranks");
  expect_refusal("mpirun -n", "needs a number");
  expect_refusal("mpirun -n 4", "no program");
  expect_refusal("mpirun -n 4 --bind-to none", "no program");
  expect_refusal("mpirun -n 4 -np 4 prog", "twice");
  expect_refusal("mpirun -n 2 a : -n 2 b", "several programs");
}

TEST(LaunchCommand, ResumeIsSaidOnce) {
  EXPECT_EQ(restart("mpirun -n 4 prog --resume --x 1"), "mpirun -n 3 prog --resume --x 1");
  EXPECT_EQ(restart("mpirun -n 4 prog --resume-later"), "mpirun -n 3 prog --resume-later --resume");
  EXPECT_EQ(restart("mpirun -n 4 prog --x 1", 1, false), "mpirun -n 3 prog --x 1");
}

TEST(LaunchCommand, FaultsAreNotRepeated) {
  const std::string line =
      "mpirun -n 4 prog --inject rank=1,superstep=2 a --inject=rank=2,where=recovery,superstep=1 --inject "
      "where=recovery --inject=rank=0,where=recovery2 b";
  EXPECT_EQ(restart(line, 1),
            "mpirun -n 3 prog a --inject=rank=2,where=recovery,superstep=1 --inject where=recovery b --resume");
  EXPECT_EQ(restart(line, 2), "mpirun -n 3 prog a b --resume");
  EXPECT_EQ(restart(line, 7), "mpirun -n 3 prog a b --resume");
  EXPECT_EQ(restart("mpirun -n 4 prog --inject"), "mpirun -n 3 prog --inject --resume"); // the program will complain
}

TEST(LaunchCommand, OptionsOfTheProgramAreFound) {
  const LaunchCommand command = parse("mpirun --x 1 -n 4 prog --checkpoint-dir=ck --name value");
  EXPECT_TRUE(program_has_option(command, "--checkpoint-dir"));
  EXPECT_TRUE(program_has_option(command, "--name"));
  EXPECT_FALSE(program_has_option(command, "--x"));
  EXPECT_FALSE(program_has_option(command, "--checkpoint"));
}

} // namespace
