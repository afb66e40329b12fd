//! Text that leaves its place, and what lies over it or below it there. Each case was judged by Chromium's pixels.

fn is_read(html: &str) -> bool {
    super::from_html(html).is_some_and(|visible| visible.text.contains("word"))
}

#[test]
fn what_follows_lies_over_text_that_left_its_place_or_is_what_it_stands_on() {
    for html in [
        "<div style='height:0'>word</div><div style='background:#000;color:#fff'>and others</div>",
        "<div style='height:0'>word</div><b style='background:#000;color:#fff'>and others</b>",
        "<span style='float:left'>word</span><div style='background:#000;color:#fff'>and others</div>",
        "<table align=left><tr><td>word</table><p style='background:#000;color:#fff'>and others",
        "<span style='float:left;shape-outside:inset(50%)'>word</span><b style='background:#000;color:#fff'>and others</b>",
        "<span style='float:left;width:250px;white-space:nowrap'>Here are many words, one of them a word</span>\
         <span style='float:left;background:#000;color:#fff'>Here are many others</span>",
    ] {
        assert!(!is_read(html), "{html}");
    }
}

#[test]
fn what_is_painted_as_a_whole_lies_over_what_floats() {
    for style in [
        "filter:blur(0)",
        "transform:translate(0)",
        "will-change:opacity",
        "isolation:isolate",
        "mix-blend-mode:darken",
        "clip-path:inset(0)",
        "view-transition-name:a",
        "mask:linear-gradient(#000,#000)",
        "perspective:900px",
        "position:relative",
    ] {
        let html =
            format!("<span style='float:left'>word</span><div style='{style};background:#fff'>x</div>");
        assert!(!is_read(&html), "{html}");
    }
}

#[test]
fn what_floats_beside_others_is_read() {
    for html in [
        "<table align=left><tr><td>word</table><table align=right bgcolor=#000000><tr><td>x</table>",
        "<table align=left><tr><td>word</table><img align=left width=90 height=90 src=x.png>",
        "<span style='float:left'>word</span><table style='background:#000;color:#fff'><tr><td>x</table>",
        "<span style='float:left'>word</span><div style='background:#eee'>x</div>",
        "<table><tr><td><span style='float:left'>word</span></table><div style='background:#000;color:#fff'>x</div>",
        "<div style='height:900px'>word<table><tr><td bgcolor=#000000><font color=white>x</font></table></div>",
    ] {
        assert!(is_read(html), "{html}");
    }
}

#[test]
fn margins_draw_a_block_into_what_is_free_before_they_draw_it_over_text() {
    let over = "background:#000;color:#fff'>others</div>";
    for (before, is_free) in [
        ("<p>word</p><div style='margin-top:-15px;", true),
        ("<p>word</p><div style='margin-top:-30px;", false),
        ("<p style='margin:0'>word</p><div style='margin-top:-15px;", false),
        (
            "<p>word</p><div style='margin-top:-15px;padding-top:1px'></div><div style='margin-top:-15px;",
            false,
        ),
        ("<div>word</div><p style='float:left'></p><div style='margin-top:-15px;", false),
        ("<div>word</div><p style='position:absolute'></p><div style='margin-top:-15px;", false),
        (
            "<div>word</div><div style='height:0'><div style='padding:20px'></div></div><div style='margin-top:-15px;",
            false,
        ),
        ("<table><tr><td>word<td><p style='margin-top:40px'></table><div style='margin-top:-20px;", false),
    ] {
        let html = format!("<!doctype html>{before}{over}");
        assert_eq!(is_read(&html), is_free, "{html}");
    }
}

#[test]
fn long_marks_and_wide_lines_between_columns_leave_doubt() {
    for html in [
        "<span style='float:left;width:300px'>word</span><ul><li style='list-style-type:\"████████████████\"'>x</ul>",
        "<style>@counter-style x{system:cyclic;symbols:\"████████████████\"}</style>word<ul><li style='list-style:x'>x</ul>",
        "<div style='overflow:hidden;height:20px'><q style='quotes:\"Many words that take a line by themselves\" \"\"'>word</q></div>",
        "<div style='columns:3;column-rule:600px solid #000;width:300px'><p>a<p>b<p>word<p>c</div>",
        "<div style='display:flex;gap:5px;column-rule:500px solid #000'><b>x</b><b>word</b></div>",
        "<div style='columns:1'><div style='break-after:column'>x</div><div>word</div></div>",
    ] {
        assert!(!is_read(html), "{html}");
    }
}

#[test]
fn what_shrinks_or_hardly_moves_is_read_and_what_grows_or_is_turned_is_not() {
    for (style, shown) in [
        ("transform:translate(2px,1px)", true),
        ("transform:scale(.9)", true),
        ("transform:translate(40px)", false),
        ("scale:2", false),
        ("scale:-1", false),
        ("rotate:180deg", false),
        ("transform:translate(2px);overflow:hidden;height:1em", false),
    ] {
        let html = format!("<p>others</p><div style='{style}'>word</div>");
        assert_eq!(is_read(&html), shown, "{html}");
    }
}

#[test]
fn drawings_and_fields_are_read_in_their_plainest_form() {
    for (html, shown) in [
        ("<select><option>word</select>", false),
        ("<input value=word>", true),
        ("<input value=word size=3>", false),
        ("<input value=word type=hidden>", false),
        ("<input value=word type=password>", false),
        ("<input value=word style='width:1px'>", false),
        ("<style>input{color:#fff}</style><input value=word>", false),
        ("<div style='-webkit-text-fill-color:#fff'><input value=word></div>", false),
        ("<div style='display:none'><input value=word></div>", false),
        ("<div style='background:#fff;color:#fff'><input value=word></div>", true),
        ("<svg width=300 height=20><text y=15>word</text></svg>", true),
        ("<div style='fill:#fff'><svg width=300 height=20><text y=15>word</text></svg></div>", false),
        ("<div style='direction:rtl'><svg width=300 height=20><text y=15>word</text></svg></div>", false),
    ] {
        assert_eq!(is_read(html), shown, "{html}");
    }
}

#[test]
fn rules_and_references_that_no_browser_follows_do_nothing() {
    for (html, shown) in [
        ("<style>x|.c{display:none}</style><p class=c>word", true),
        (
            "<style>@namespace x url(http://www.w3.org/1999/xhtml);x|p.c{display:none}</style><p class=c>word",
            false,
        ),
        ("<style>@media (unknown){.c{display:none}}</style><p class=c>word", true),
        ("<style>@media (color){.c{display:none}}</style><p class=c>word", false),
        ("<style>@supports selector(:has(a)){.c{display:none}}</style><p class=c>word", false),
        ("<style>.c:read-only{display:none}</style><p class=c>word", false),
        ("<style>.c::first-line{font-size:0}</style><span class=c>word</span>", true),
        ("<style>.c::first-line{font-size:0}</style><p class=c>word", false),
        ("<div style='filter:url(#f)'>word</div>", true),
        ("<svg><filter id=f></filter></svg><div style='filter:url(#f)'>word</div>", false),
    ] {
        assert_eq!(is_read(html), shown, "{html}");
    }
}

#[test]
fn where_rules_may_act_text_is_read_that_can_be_read_in_every_case() {
    for (html, shown) in [
        ("<style>@media (hover:hover){.c{margin-left:40px}}</style><p class=c>word", true),
        ("<style>@media (hover:hover){.c{opacity:0}}</style><p class=c>word", false),
        ("<style>@media (hover:hover){.c{color:#fff}}</style><p class=c>word", false),
        ("<style>.c{color:#fff}@media (hover:hover){.c{color:#000}}</style><p class=c>word", false),
        (
            "<style>@media (hover:hover){.c{background:#000}@media (pointer:fine){.c{color:#fff}}}</style><p class=c>word",
            false,
        ),
        // What lies over it stands elsewhere.
        (
            "<style>@media (hover:hover){.c{margin-top:-60px;background:#fff}}</style><p>word</p><p class=c>x",
            false,
        ),
        (
            "<style>@media (hover:hover){.c{line-height:3}}</style><div style='height:20px;overflow:hidden'><p class=c>x</p>word</div>",
            false,
        ),
        // A selector may mean one of them and not the other.
        ("<style>p:state(x){margin-left:40px}</style><p>word<p>x", false),
        ("<style>b:state(x){margin-left:40px}</style><p><b>word</b>", true),
        (
            "<style>.d:state(x){table-layout:fixed}</style><div class=d><table style='width:9px;table-layout:inherit'><td style='overflow:hidden'>word</table></div>",
            false,
        ),
        ("<style>.c{@starting-style{display:none}}</style><p class=c>word", false),
        ("<style>@starting-style{.c{color:#fff}}</style><p class=c>word", true),
        (
            "<style>@starting-style{.c{color:#fff}}</style><p class=c style='transition:color 1s 9999s'>word",
            false,
        ),
        ("<style>p:nth-child(1 of .no){display:none}</style><p class=c>word", true),
        ("<style>p:nth-child(1 of .c){display:none}</style><p class=c>word", false),
    ] {
        assert_eq!(is_read(html), shown, "{html}");
    }
}

#[test]
fn what_is_taken_over_trimmed_turned_or_high_is_read_where_nothing_else_acts() {
    for (html, shown) in [
        ("<div><p style='all:inherit'>word", true),
        ("<div style='opacity:.9'><p style='all:inherit'>word", false),
        ("<p style='text-box:trim-both cap alphabetic'>word", true),
        ("<p style='text-box:trim-both ex alphabetic'>word", false),
        ("<p style='text-box:trim-both'><b style='display:inline-block'>word", false),
        ("<div style='writing-mode:vertical-rl'><p><b>word", true),
        ("<div style='writing-mode:vertical-rl;float:right'><p><b>word", false),
        ("<p style='line-height:900px'>word", true),
        ("<div style='height:20px'><p style='line-height:900px'>word", false),
    ] {
        assert_eq!(is_read(html), shown, "{html}");
    }
}

/// Forms that people found who looked for ways to hide a word from readers only, one in each line; Chromium's pixels show
/// nothing of it in any of them.
#[test]
fn nothing_is_read_of_forms_that_were_made_to_hide() {
    let page = |form: &str| match form.contains("<body") {
        true => form.to_owned(),
        false => format!(
            "<!doctype html><html><head></head><body><p>One line before it.</p>{form}<p>Another line behind it.</p></body></html>"
        ),
    };
    assert_none_is_read(include_str!("hostile_forms.txt").lines().map(page));
}

/// The same in whole pages, of which some are shown in quirks mode.
#[test]
fn nothing_is_read_of_pages_that_were_made_to_hide() {
    assert_none_is_read(include_str!("hostile_pages.txt").lines().map(str::to_owned));
}

fn assert_none_is_read(pages: impl Iterator<Item = String>) {
    let leaks: Vec<String> = pages
        .map(|page| page.replace("@WORD@", "zanthoquimber"))
        .filter(|page| super::from_html(page).is_some_and(|seen| seen.text.contains("zanthoquimber")))
        .collect();

    assert!(leaks.is_empty(), "{leaks:#?}");
}
