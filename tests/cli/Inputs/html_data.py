"""html_data.py PAGE: what the page of heddle profile --html holds."""

import json
import pathlib
import re
import sys

page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
data = json.JSONDecoder().raw_decode(page, page.index("const D=") + len("const D="))[0]
kernels = data["kernels"]
print(f"program ends with {data['program'].rsplit('/', 2)[-2][-1:]}/{data['program'].rsplit('/', 1)[-1]}, device {data['device']}")
print(f"{len(kernels)} kernels, {len(data['launches'])} launches, lines of {sum(bool(k['lines']) for k in kernels)}, "
      f"curves of {sum(bool(k['curves']) for k in kernels)}")
print("advice for " + ", ".join(sorted({one["kernel"] for one in data["advice"]})))
outside = re.findall(r"(?:src|href)=|@import|url\(", page)
print(f"scripts {page.count('</script>')}, links to elsewhere {len(outside)}")
