"""The user guide: its command reference names the options that the programs have, and its links lead somewhere."""

import re

from superstep_cli import REPOSITORY, CliTest, main

GUIDE = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md")), REPOSITORY / "examples/README.md",
         *sorted((REPOSITORY / "scripts").glob("*/README.md")), REPOSITORY / "tests/README.md"]
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def anchors(page):
    """What GitHub makes of a page's headings."""
    found = set()
    for heading in re.findall(r"^#+ (.*)", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


class Guide(CliTest):

    def test_command_reference(self):
        page = (REPOSITORY / "docs/commands.md").read_text(encoding="utf-8")
        introduction, *sections = re.split(r"^## ", page, flags=re.MULTILINE)
        self.assertEqual([section.split("\n", 1)[0] for section in sections],
                         ["pregel", "graphgen", "pstrain", "ringbench", "supervise"])
        for section in sections:
            program = section.split("\n", 1)[0]
            told = self.run_well(program, "--help").out
            there = {name for names in re.findall(r"^  (-\S+)", told, re.MULTILINE)
                     for name in names.split(",") if name.startswith("--")}
            cells = re.findall(r"^\| (`--.*?) \| ", section, re.MULTILINE)
            documented = {name for cell in cells for name in re.findall(r"`(--[\w-]+)", cell)}
            self.assertEqual(documented | {"--help", "--version"} & there, there, program)
            for common in {"--help", "--version"} & there:
                self.assertIn(f"`{common}`", introduction)

    def test_links(self):
        for page in GUIDE:
            text = FENCED.sub("", page.read_text(encoding="utf-8"))
            for link in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                self.assertTrue(target.exists(), f"{page}: {link}")
                if anchor:
                    self.assertIn(anchor, anchors(target), f"{page}: {link}")


if __name__ == "__main__":
    main()
