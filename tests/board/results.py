"""What checks in a guest print about themselves, and what becomes of it."""
import re
from xml.sax.saxutils import quoteattr

RESULT = re.compile(r"(PASS|FAIL|SKIP) (\S+) ([0-9.]+) s ?(.*)")


def write_junit(path, suite, results, ended):
    """Results are (verdict, name, seconds, detail); a guest that did not come to its end is an error of its own."""
    cases = []
    for verdict, name, seconds, detail in results:
        inner = {"PASS": "", "FAIL": f"<failure message={quoteattr(detail)}/>",
                 "SKIP": f"<skipped message={quoteattr(detail)}/>"}[verdict]
        cases.append(f'<testcase classname="{suite}" name={quoteattr(name)} time="{seconds}">{inner}</testcase>')
    if not ended:
        cases.append(f'<testcase classname="{suite}" name="end">'
                     '<error message="the guest did not come to its end; see console.log"/></testcase>')
    path.write_text(f'<testsuite name="{suite}" tests="{len(cases)}">\n' + "\n".join(cases) + "\n</testsuite>\n")


def failed(results):
    return sum(verdict == "FAIL" for verdict, *_ in results)


def summary(results):
    count = {verdict: sum(r[0] == verdict for r in results) for verdict in ("PASS", "FAIL", "SKIP")}
    return f"{count['PASS']} passed, {count['FAIL']} failed, {count['SKIP']} skipped"
