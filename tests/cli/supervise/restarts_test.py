"""When supervise starts a job again, how, and what it says of it."""

import re
import signal

from pretended_launcher import PROGRAM, SuperviseTest
from superstep_cli import main

OPEN_MPI_4 = ("-----\nmpirun noticed that process rank 2 with PID 0 on node n exited on signal 9 (Killed).\n-----\n")
OPEN_MPI_5 = ("-----\nprterun noticed that process rank 2 with PID 77 on node n exited on\nsignal 9 (Killed).\n-----\n")
SLURM = ("srun: error: n1: task 2: Killed\nsrun: launch/slurm: _step_signal: Terminating StepId=5.0\n"
         "srun: error: n1: tasks 0-1,3: Terminated\n")


class Restarts(SuperviseTest):

    def test_a_job_that_succeeds_is_left_alone(self):
        self.plan({"out": "result\n", "err": "half a line"})
        finished = self.supervise("mpirun", "-n", "4", *PROGRAM)
        self.assertEqual((finished.code, finished.out, finished.err), (0, "result\n", "half a line"))
        self.assertEqual(self.words(), ["-n 4 prog --checkpoint-dir ck"])

    def test_a_dead_rank_costs_one_rank(self):
        for banner in OPEN_MPI_4, OPEN_MPI_5:
            with self.subTest(banner):
                for path in self.work.glob("launch.*"):
                    path.unlink()
                self.plan({"err": banner, "code": 137}, {"out": "done\n"})
                finished = self.supervise("mpirun", "--bind-to", "none", "-n", "4", *PROGRAM)
                self.assertEqual((finished.code, finished.out), (0, "done\n"), str(finished))
                self.assertEqual(self.words(), ["--bind-to none -n 4 prog --checkpoint-dir ck",
                                                "--bind-to none -n 3 prog --checkpoint-dir ck --resume"])
                self.assertTrue(finished.err.startswith(banner), "what the job says is passed through unchanged")
                lines = self.ours(finished)
                self.assertRegex(lines[0], r"^rank 2 failed after \d+\.\d s: killed by signal 9 \(Killed\)$")
                self.assertEqual(lines[1:], ["restart 1 of 5 on 3 ranks in 0.01 s", "the job succeeded after 1 restart"])

    def test_under_slurm(self):
        self.plan({"err": SLURM, "code": 137}, {"err": "srun: error: n1: tasks 0-1: Killed\n", "code": 137}, {})
        finished = self.supervise("srun", "-N", "2", "--ntasks=4", "--mpi=pmix", *PROGRAM)
        self.assertEqual(finished.code, 0, str(finished))
        self.assertEqual([words.split()[2] for words in self.words()], ["--ntasks=4", "--ntasks=3", "--ntasks=1"])
        self.assertRegex(self.ours(finished)[0], "^rank 2 failed after .* s: Killed$")
        self.assertRegex(self.ours(finished)[2], "^ranks 0, 1 failed after .* s: Killed$")

    def test_our_own_words_tell_who_failed(self):
        self.plan({"err": "[rank 1] pregel: error: no space left\n", "code": 1},
                  {"err": "pregel: error: rank 2 on node n (process 77): silent for 5 s\n", "code": 1}, {})
        finished = self.supervise("mpiexec", "-np", "4", *PROGRAM)
        self.assertEqual(finished.code, 0, str(finished))
        self.assertRegex(self.ours(finished)[0], "^rank 1 failed after .* s: no space left$")
        self.assertRegex(self.ours(finished)[2], "^rank 2 failed after .* s: silent$")
        self.assertEqual([words.split()[1] for words in self.words()], ["4", "3", "2"])

    def test_nobody_says_who_failed(self):
        self.plan({"code": 3}, {"signal": signal.SIGSEGV}, {})
        finished = self.supervise("mpirun", "-n", "4", *PROGRAM)
        self.assertEqual(finished.code, 0, str(finished))
        self.assertRegex(self.ours(finished)[0], "^the job failed after .* s: exit code 3$")
        self.assertRegex(self.ours(finished)[2], r"^the job failed .* the launcher was killed by signal 11 \(Segmentation")
        self.assertEqual([words.split()[1] for words in self.words()], ["4", "3", "2"])

    def test_a_launcher_that_tolerates_deaths_proves_nothing(self):
        directory = self.work / "ck"
        self.plan({"code": 0}, {"touch": str(directory / "completed")})
        directory.mkdir()
        (directory / "completed").touch()  # an earlier job's
        finished = self.supervise("mpirun", "--with-ft", "ulfm", "-n", "4", "prog", f"--checkpoint-dir={directory}")
        self.assertEqual(finished.code, 0, str(finished))
        self.assertEqual(len(self.words()), 2)
        self.assertIn("all ranks died", self.ours(finished)[0])

    def test_the_limit(self):
        self.plan({"code": 3}, {"code": 3}, {"err": OPEN_MPI_4, "code": 137})
        finished = self.supervise("mpirun", "-n", "4", *PROGRAM, options=["--max-restarts", "2", "--delay", "0"])
        self.assertEqual(finished.code, 1, str(finished))
        self.assertRegex(self.ours(finished)[-1],
                         r"^gave up after 2 restarts; last failure: rank 2 failed after .* s: killed by signal 9 \(Killed\)$")
        self.assertEqual(len(self.launches()), 3)

    def test_five_restarts_by_default(self):
        self.plan(*[{"code": 3}] * 9)
        finished = self.supervise("mpirun", "-n", "4", *PROGRAM, options=["--delay", "0"])
        self.assertEqual((finished.code, len(self.launches())), (1, 6))

    def test_no_restart_at_all(self):
        self.plan({"code": 3})
        finished = self.supervise("mpirun", "-n", "4", *PROGRAM, options=["--max-restarts", "0"])
        self.assertEqual((finished.code, len(self.launches())), (1, 1))
        self.assertIn("gave up after 0 restarts", finished.err)

    def test_never_below_the_fewest_ranks(self):
        self.plan(*[{"code": 3}] * 6)
        self.supervise("mpirun", "-n", "4", *PROGRAM, options=["--min-ranks", "3", "--delay", "0"])
        self.assertEqual([words.split()[1] for words in self.words()], ["4", "3", "3", "3", "3", "3"])

    def test_one_rank_is_the_least(self):
        self.plan(*[{"code": 3}] * 6)
        self.supervise("mpirun", "-n", "2", *PROGRAM, options=["--delay", "0"])
        self.assertEqual([words.split()[1] for words in self.words()], ["2", "1", "1", "1", "1", "1"])

    def test_replace(self):
        self.plan({"err": OPEN_MPI_4, "code": 137}, {"code": 3}, {})
        finished = self.supervise("mpirun", "-n", "4", *PROGRAM, options=["--replace", "--delay", "0"])
        self.assertEqual((finished.code, [words.split()[1] for words in self.words()]), (0, ["4", "4", "4"]))

    def test_delays_double(self):
        self.plan(*[{"code": 3}] * 4)
        finished = self.supervise("mpirun", "-n", "4", *PROGRAM, options=["--max-restarts", "3", "--delay", "0.2"])
        self.assertEqual(re.findall(r"in (\S+) s$", finished.err, re.MULTILINE), ["0.2", "0.4", "0.8"])
        times = [launch["time"] for launch in self.launches()]
        for (before, after), delay in zip(zip(times, times[1:]), (0.2, 0.4, 0.8)):
            self.assertGreaterEqual(after - before, delay)

    def test_exit_codes_that_are_passed_on(self):
        for code, said in (2, "refused its input"), (75, "stopped on request"):
            with self.subTest(code):
                for path in self.work.glob("launch.*"):
                    path.unlink()
                self.plan({"code": code})
                finished = self.supervise("mpirun", "-n", "4", *PROGRAM)
                self.assertEqual((finished.code, len(self.launches())), (code, 1))
                self.assertIn(said, finished.err)

    def test_exit_codes_of_a_restart_too(self):
        self.plan({"code": 3}, {"code": 75})
        self.assertEqual(self.supervise("mpirun", "-n", "4", *PROGRAM).code, 75)

    def test_resume_is_not_said_twice(self):
        self.plan({"code": 3}, {})
        self.supervise("mpirun", "-n", "4", *PROGRAM, "--resume")
        self.assertEqual(self.words()[1], "-n 3 prog --checkpoint-dir ck --resume")

    def test_injected_faults_are_not_repeated(self):
        self.plan({"code": 3}, {"code": 3}, {})
        self.supervise("mpirun", "-n", "4", *PROGRAM, "--inject", "rank=1,superstep=2", "--inject",
                       "rank=2,where=recovery")
        self.assertEqual(self.words(), [
            "-n 4 prog --checkpoint-dir ck --inject rank=1,superstep=2 --inject rank=2,where=recovery",
            "-n 3 prog --checkpoint-dir ck --inject rank=2,where=recovery --resume",
            "-n 2 prog --checkpoint-dir ck --resume"])

    def test_from_scratch(self):
        self.plan({"code": 3}, {})
        finished = self.supervise("mpirun", "-n", "4", "prog", "x", options=["--from-scratch", "--delay", "0"])
        self.assertEqual((finished.code, self.words()), (0, ["-n 4 prog x", "-n 3 prog x"]))

    def test_wrappers(self):
        self.plan({"err": OPEN_MPI_4, "code": 137}, {})
        finished = self.supervise("timeout", "-k", "5", "60", "env", "A=B", "mpirun", "-n", "4", *PROGRAM)
        self.assertEqual(finished.code, 0, str(finished))
        self.assertEqual(self.words()[1], "-n 3 prog --checkpoint-dir ck --resume")

    def test_quiet(self):
        self.plan({"code": 3}, {"err": "words\n", "code": 3})
        finished = self.supervise("mpirun", "-n", "4", *PROGRAM,
                                  options=["--quiet", "--max-restarts", "1", "--delay", "0"])
        self.assertRegex(finished.err, r"^words\nsupervise: gave up after 1 restart; last failure: .*\n$")

    def test_output_passes_through_unchanged(self):
        text = "".join(f"line {i} \x1b[1m \t\r\n" for i in range(20000)) + "no end"
        self.plan({"out": text, "err": text, "echo_stdin": True})
        finished = self.supervise("mpirun", "-n", "4", *PROGRAM, text="typed\n")
        self.assertEqual(finished.out, (text + "typed\n").replace("\r\n", "\n"))
        self.assertEqual(finished.err, text.replace("\r\n", "\n"))


class Refusals(SuperviseTest):

    def expect(self, reason, *command, options=()):
        self.plan({})
        finished = self.supervise(*command, options=options)
        self.assertEqual((finished.code, finished.out), (2, ""), str(finished))
        self.assertRegex(finished.err, r"^supervise: error: [^\n]*\n$")
        self.assertIn(reason, finished.err)
        self.assertEqual(self.launches(), [])

    def test_commands(self):
        self.expect("no command")
        self.expect("no mpirun, mpiexec or srun", "./run.sh", "-n", "4", *PROGRAM)
        self.expect("not told the number of ranks", "mpirun", *PROGRAM, "-n", "4")
        self.expect("'x' is not a number of ranks", "mpirun", "-n", "x", *PROGRAM)
        self.expect("no program", "mpirun", "-n", "4")
        self.expect("several programs", "mpirun", "-n", "2", *PROGRAM, ":", "-n", "2", *PROGRAM)
        self.expect("cannot start /nowhere/mpirun: No such file", "/nowhere/mpirun", "-n", "4", *PROGRAM)

    def test_a_program_that_cannot_resume(self):
        self.expect("--checkpoint-dir", "mpirun", "-n", "4", "prog")
        self.expect("--checkpoint-dir", "mpirun", "--checkpoint-dir", "-n", "4", "prog")

    def test_options(self):
        command = ["mpirun", "-n", "4", *PROGRAM]
        self.expect("--frobnicate", *command, options=["--frobnicate"])
        self.expect("--min-ranks 5 is more than the 4 ranks", *command, options=["--min-ranks", "5"])
        for option, value in (("--max-restarts", "-1"), ("--max-restarts", "x"), ("--min-ranks", "0"), ("--delay", "-1"),
                              ("--delay", "soon"), ("--grace", "-1")):
            self.expect(option, *command, options=[option, value])

    def test_help(self):
        finished = self.supervise(options=["--help"])
        self.assertEqual((finished.code, finished.err), (0, ""))
        for word in "--max-restarts", "--min-ranks", "--replace", "--delay", "--quiet", "--from-scratch", "--inject":
            self.assertIn(word, finished.out)


if __name__ == "__main__":
    main()
