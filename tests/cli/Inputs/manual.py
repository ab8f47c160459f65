"""usage: manual.py TOOLKIT: whether each program of bin/ has a manual page that has all options which its help has."""

import pathlib
import re
import subprocess
import sys

toolkit = pathlib.Path(sys.argv[1])
# What asks for help where it is not --help.
HELP = {"cu++filt": "-h"}


def help_of(*words: str) -> str:
    return subprocess.run([toolkit / "bin" / words[0], *words[1:], HELP.get(words[0], "--help")], check=True, capture_output=True, text=True).stdout


def options_of(text: str) -> set[str]:
    return set(re.findall(r"^ {0,2}(--?[a-zA-Z_][\w-]*)", text, re.MULTILINE))


for program in sorted(path.name for path in (toolkit / "bin").iterdir()):
    page = (toolkit / "share/man/man1" / f"{program}.1").read_text().replace("\\-", "-")
    assert page.count("\n.SH NAME\n") == 1, program
    wanted = options_of(help_of(program)) - {"--completion", "--manual", "--version"} if program == "heddle" else options_of(help_of(program))
    if program == "heddle":
        commands = re.findall(r"^  ([a-z]+) ", help_of(program), re.MULTILINE)
        for command in commands:
            text = help_of(program, command)
            wanted |= options_of(text)
            for inner in re.findall(r"^  ([a-z]+) ", text, re.MULTILINE) if "heddle ptx <command>" in text else []:
                wanted |= options_of(help_of(program, command, inner))
        assert len(commands) >= 3, commands
    missing = sorted(option for option in wanted if f"\\fB{option}\\fR" not in page and option not in ("--help", HELP.get(program)))
    print(f"{program}: {len(wanted)} options, not in its page: {' '.join(missing) or 'none'}")
