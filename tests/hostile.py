"""Names of sets, views, files and samples that are code for some output."""

from html.parser import HTMLParser

NAMES = (
    "\\input{/etc/passwd}",
    "\\write18{touch x}",
    "\\end{tabular}\\end{table}",
    "}\\def\\x{",
    "$x_1^2$ 100% #1 & ~",
    "[1em]",
    "*",
    "a\\\\b",
    "^^5cinput{x}",
    "${HOME} $(id) `id`",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</script><!--",
    "&lt;b&gt; &amp;",
    "]]><svg onload=alert(1)>",
    "{{ 7*7 }} {% raw %}",
    "a|b `code` **bold** _x_",
    "[link](javascript:alert(1))",
    "![image](http://x.example/p.png)",
    "# heading",
    "\x1b[31mred\x1b]0;title\x07",
    "\x9b2J",
    "two\nlines\r\n| new | row |",
    "carriage\rreturn",
    "nul\0byte",
    "\u202egnp.exe",
    "bell\x07 back\x08 del\x7f",
    "=cmd|' /C calc'!A0",
    "+1+cmd()",
    "-2+3+cmd()",
    "@SUM(1)",
    "\t=1+1",
    "[red]:warning:[/red]",
)


class Elements(HTMLParser):
    """Tags with the names of their attributes, and texts, as a browser sees them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, sorted(key for key, _ in attrs)))

    def handle_data(self, data):
        self.texts.append(data)
