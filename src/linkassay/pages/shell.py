"""What a server gives for its page: the frame, which holds no data, and the script and style that it names."""

from __future__ import annotations

from linkassay.pages import front_end


def server_shell() -> tuple[str, str, str]:
    """Page, script and style; the page names the other two as `/assets/script.js` and `/assets/style.css`."""
    page = front_end.page(
        "linkassay",
        style='<link rel="stylesheet" href="/assets/style.css">',
        script='<script src="/assets/script.js" defer></script>',
    )
    return page, front_end.vendored() + "\n" + front_end.script(), front_end.style()
