use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};

fn from_html(html: &str) -> String {
    super::from_html(html).map(|visible| visible.text).unwrap_or_else(|| REFUSED.to_owned())
}

fn from_plain(text: &str) -> String {
    super::from_plain(text).text
}

const REFUSED: &str = "(refused)";

#[test]
fn paragraphs_breaks_and_headings_stand_on_their_own_lines() {
    let html = "<h1>Minutes</h1><p>Dear  Ada,<br>see\n below.</p><p>Bob</p><div>one</div><div>two</div>";

    assert_eq!(from_html(html), "# Minutes\n\nDear Ada,\nsee below.\n\nBob\n\none\ntwo");
}

#[test]
fn lists_and_quotes_read_as_markdown() {
    let html = "<ul><li>milk<li>bread<ul><li>rye</ul></ul><blockquote><p>a<br>b</p><p>c</p>\
                <blockquote>d</blockquote></blockquote>e";

    assert_eq!(from_html(html), "- milk\n- bread\n  - rye\n\n> a\n> b\n>\n> c\n>\n> > d\n\ne");
}

#[test]
fn a_table_of_data_keeps_its_columns() {
    let html = "<table><tr><th>Item<th>Price<tr><td><p>Tea</p><td>2</tr><tr><td></td><td>3</td></tr></table>";

    assert_eq!(from_html(html), "Item | Price\nTea | 2\n | 3");
}

#[test]
fn a_table_that_only_places_things_leaves_no_marks() {
    let html = "<table role=presentation><tr><td>Hello</td><td>Ada</td></tr><tr><td>\
                <table><tr><td>inner</td></tr></table></td></tr></table>";

    assert_eq!(from_html(html), "Hello Ada\ninner");
}

#[test]
fn what_the_reader_cannot_see_is_left_out() {
    let html = "<html><head><title>t</title><style>s{}</style></head><body>seen<!-- c --><script>x</script>\
                <template>y</template><p hidden>z</p><div style='color:red; DISPLAY : none !important'>n</div>\
                <span style=visibility:hidden>v</span><noscript> shown</noscript></body></html>";

    assert_eq!(from_html(html), "seen shown");
}

/// Each was judged by Chromium's pixels as it is said here.
#[test]
fn what_stands_elsewhere_lies_over_anything_unless_nothing_of_it_is_seen() {
    let over = "<div style='position:absolute;background:#fff'>xx</div>";
    for (html, shown) in [
        (format!("<div>before</div>{over}<div>behind</div>"), "before"),
        (format!("<div>before</div>{}", over.replace("background", "top:0;background")), ""),
        (format!("<div>before</div>{}", over.replace("absolute", "fixed")), ""),
        ("<div>before</div><div style='position:absolute'></div>behind".to_owned(), "before\nbehind"),
        (
            "<div>before</div><div style='position:absolute;opacity:0'>x</div>behind".to_owned(),
            "before\nbehind",
        ),
        (
            "<div>before</div><div style='position:absolute;left:-9999px'>x</div>behind".to_owned(),
            "before\nbehind",
        ),
        (
            "<div>before</div><b style='position:absolute;width:1px;height:1px;overflow:hidden'>x</b>behind"
                .to_owned(),
            "before\nbehind",
        ),
        (
            "<div style='float:left'>before</div><div style='position:relative;background:#fff'>xx</div>"
                .to_owned(),
            "xx",
        ),
        ("<div>before</div><dialog open>asked</dialog><p>behind".to_owned(), "before"),
    ] {
        assert_eq!(from_html(&html), shown, "{html}");
    }
}

#[test]
fn text_is_read_where_light_and_dark_screens_both_show_it() {
    let page = |dark: &str| {
        format!(
            "<style>@media (prefers-color-scheme:dark){{{dark}}}</style><p>one<p class=c style='background:#fff'>two<p>three"
        )
    };

    assert_eq!(from_html(&page(".c{display:none}")), "one\n\nthree");
    assert_eq!(from_html(&page(".c{color:#fff}")), "one\n\nthree");
    assert_eq!(from_html(&page(".c{background:#000!important;color:#fff}")), "one\n\ntwo\n\nthree");
}

/// Each was judged by Chromium's pixels as it is said here.
#[test]
fn what_cuts_off_at_a_height_may_cut_off_anything() {
    let boxed = |style: &str| format!("<div style='overflow:hidden;{style}'><b>short</b><p>word</p></div>");

    for style in ["", "width:300px", "max-width:600px;border-radius:8px"] {
        assert!(from_html(&boxed(style)).contains("word"), "{style}");
    }
    for style in ["height:60px", "max-height:60px", "width:60px", "white-space:nowrap", "display:flex"] {
        assert!(!from_html(&boxed(style)).contains("word"), "{style}");
    }
}

#[test]
fn the_shorter_of_a_hair_and_a_share_is_a_hair() {
    assert_eq!(from_html("<p style='margin-left:min(1px,100%)'>seen"), "seen");
    assert_eq!(from_html("<p style='margin-left:min(-9000px,100%)'>gone"), "");
    assert_eq!(from_html("<p style='color:yellow'>seen<p style='color:yellow;font-size:9px'>pale"), "seen");
}

#[test]
fn links_and_images_read_as_their_text() {
    let html =
        "<a href='https://example.org/x'>the report</a><a href='y'></a> <img src=z alt='a chart'><img src=w>";

    assert_eq!(from_html(html), "[the report](https://example.org/x)");
}

#[test]
fn preformatted_text_keeps_its_columns() {
    assert_eq!(from_html("<pre>a   b\n  c</pre>d  e"), "a   b\n  c\n\nd e");
}

#[test]
fn invisible_characters_are_dropped_and_joiners_inside_words_stay() {
    let html = "in&#x200b;vis&shy;ible&nbsp;&nbsp;x&zwnj; &zwnj;\u{feff}\u{34f} y <p>&zwnj;&nbsp;&zwnj;&nbsp;</p>نمی\u{200c}خواهم &amp; &lt;b&gt;";

    assert_eq!(from_html(html), "invis\u{ad}ible x y\n\nنمی\u{200c}خواهم & <b>");
}

#[test]
fn a_million_nested_tags_are_refused() {
    for tag in ["div", "b", "table", "blockquote", "ul", "span", "svg", "template", "font"] {
        let html = format!("before{}after", format!("<{tag}>").repeat(1_000_000));

        assert_eq!(from_html(&html), REFUSED, "{tag}");
    }
    assert_eq!(from_html(&format!("before{}after", "<p>".repeat(100_000))), "before\n\nafter");
}

#[test]
fn ten_megabytes_of_angle_brackets_are_cut_off() {
    assert!(from_html(&"<".repeat(10 << 20)).len() <= 2 << 20);
}

#[test]
fn depth_hidden_behind_comments_is_noticed() {
    let html = format!("<body>x{}", "<div><div></body><!-- -->".repeat(200_000));

    assert_eq!(from_html(&html), REFUSED);
}

#[test]
fn a_tag_of_a_million_attributes_ends_the_reading() {
    let attributes: String = (0..1_000_000).map(|n| format!("{n:x} ")).collect();
    let slashes: String = (0..1_000_000).map(|n| format!("{n:x}/")).collect();

    assert_eq!(from_html(&format!("x<a {attributes}>y")), REFUSED);
    assert_eq!(from_html(&format!("x<a {slashes}>y")), REFUSED);
}

#[test]
fn many_tags_of_many_attributes_are_read_in_bounded_time() {
    let attributes: String = (0..2000).map(|n| format!("{n:x} ")).collect();

    assert!(from_html(&format!("x{}", format!("<a {attributes}>").repeat(100))).starts_with('x'));
}

#[test]
fn formatting_reopened_in_every_paragraph_is_refused() {
    let html: String = (0..200_000).map(|n| format!("<p><font id={n}>x</p>")).collect();

    assert_eq!(from_html(&html), REFUSED);
}

#[test]
fn an_embedded_picture_of_megabytes_does_not_end_the_reading() {
    let html = format!(
        "before <img src=\"data:image/png;base64,{}\"> after",
        format!("/{}", "A".repeat(63)).repeat(20_000)
    );

    assert_eq!(from_html(&html), "before after");
}

#[test]
fn a_megabyte_of_words_or_styles_does_not_end_the_reading() {
    let words = "ten words of text without a single tag in it ".repeat(25_000);

    assert!(from_html(&format!("<p>{words}</p>last")).ends_with("last"));
    assert_eq!(from_html(&format!("<style>{words}</style>last")), "last");
    assert_eq!(from_html(&format!("<!-- {} -->last", &words[..100_000])), "last");
}

#[test]
fn unclosed_everything_is_still_read() {
    assert_eq!(from_html("a<table><tr><td>b<ul><li>c<b><i><a href='"), "a\nb\n- c");
    assert_eq!(from_html("a<!-- b"), "a");
    assert_eq!(from_html("</td></tr></p>x</blockquote></li></pre></ul>"), "x");
    assert_eq!(from_html(""), "");
}

#[test]
fn plain_text_gets_plain_line_ends() {
    assert_eq!(from_plain("a \t\r\nb\r\n\r\n"), "a\nb");
    assert_eq!(from_plain("old\rmac\u{0}\u{1b}[0m\u{85}\u{7f}\té"), "old\nmac[0m\té");
}

#[test]
fn long_runs_of_blank_lines_shrink_to_two() {
    assert_eq!(from_plain("a\n\n\nb\n\n \n\n\t\n\nc"), "a\n\n\nb\n\n\nc");
}

#[test]
fn plain_text_in_order_is_left_as_it_is() {
    let text = "Grüße aus Köln\n\n\tein Satz\n> Zitat";

    assert_eq!(from_plain(text), text);
}

/// Looks that a document takes; all of the budget when it is refused.
fn looks(html: &str) -> u64 {
    let tree = super::bounded_tree::parse(html).unwrap();
    let styler = super::Styler::new(&tree, html, super::Scheme::Light).unwrap();
    let before = styler.looks_left();
    let _ = super::render::render(&tree, &styler, &[]);
    before - styler.looks_left()
}

#[test]
fn the_work_grows_with_the_size_and_no_faster() {
    let elements = |n: usize, rules: &str| {
        format!("<style>{rules}</style>{}", "<p class=a><b class=b>x</b></p>".repeat(n))
    };
    let many_rules: String = (0..2000).map(|n| format!(".c{n} b{{color:red}}")).collect();
    for rules in [
        "p b{color:red}",
        "p ~ p b{color:red}",
        "b:nth-child(3){color:red}",
        "p:has(i){color:red}",
        &many_rules,
    ] {
        let (small, large) = (elements(1000, rules), elements(4000, rules));
        let per_byte =
            |html: &str| (looks(html) as f64 / html.len() as f64).min(4_000_000.0 / html.len() as f64 + 16.0);

        assert!(per_byte(&large) <= 16.0 + 4_000_000.0 / large.len() as f64, "{rules}");
        assert!(looks(&small) <= 4_000_000 + 16 * small.len() as u64, "{rules}");
    }
    assert!(looks(&elements(4000, &many_rules)) <= 5 * looks(&elements(1000, &many_rules)));
    assert!(looks(&elements(4000, ".a .b{color:red}")) <= 5 * looks(&elements(1000, ".a .b{color:red}")));
}

#[test]
fn ten_megabytes_of_styles_and_elements_are_read_or_refused_in_bounded_work() {
    let rules: String = (0..15_000).map(|n| format!(".a .b:not(.x{n}) ~ p{{color:red}}")).collect();
    let html = format!("<style>{rules}</style>{}", "<p class='a b'>x</p>".repeat(100_000));
    let sheet = format!("<style>{}</style>x", "a{b:c}".repeat(2_000_000));
    let inline = format!("<p style='{}'>x</p>", "color:red;".repeat(1_000_000));

    assert_eq!(from_html(&html), REFUSED);
    assert_eq!(from_html(&sheet), REFUSED);
    assert_eq!(from_html(&inline), "x");
}

#[test]
fn marks_never_outgrow_the_words() {
    for (html, words) in [
        ("<a href='https://example.org/a/long/path/that/goes/on/and/on'>x</a> ".repeat(2000), 4000),
        (format!("{}{}", "<blockquote>".repeat(8), "x<br>".repeat(2000)), 4000),
        (format!("<ol>{}</ol>", "<li>x".repeat(2000)), 4000),
        (format!("<table border=1><tr>{}</table>", "<td>x".repeat(2000)), 4000),
        ("<h6>x</h6>".repeat(2000), 6000),
    ] {
        assert!(
            from_html(&html).len() <= 3 * words + 1000,
            "{} for {words}: {}",
            from_html(&html).len(),
            &html[..60]
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_plain_text_is_tidied_once_and_for_all(text in any::<String>()) {
        let tidy = from_plain(&text);
        prop_assert!(tidy == from_plain(&tidy));
    }

    #[test]
    fn any_text_is_read_as_html(text in any::<String>()) {
        prop_assert!(from_html(&text).len() <= text.len() * 12);
    }

    #[test]
    fn any_soup_of_tags_is_read(soup in "(</?(p|b|a|table|tr|td|th|li|ul|pre|blockquote|svg|math|select|template|frameset|form|style|title|textarea|body|html)( hidden| style=\"display:none\"| border=1)?/?>|<!--|-->|&amp;|&#x0;|x|é| |\n|\"){0,60}") {
        prop_assert!(!from_html(&soup).contains(char::from(0)));
    }
}

/// Each was judged by Chromium's pixels as it is said here.
#[test]
fn what_draws_or_lies_over_its_neighbours_leaves_them_in_doubt() {
    for hidden in [
        // What a line draws goes up over the line above it, and takes no room.
        "<div>secret</div><span style='border:20px solid #fff'>xxxx xxxx xxxx</span>",
        // Nothing that ends in the middle of a gradient is seen on all of it.
        "<div style='color:#808080;background:linear-gradient(90deg,#000 -2000%,#fff 2100%)'>secret</div>",
        // What follows in the line goes along.
        "<p><span style='margin-right:-200px'>xxxx</span>secret</p>",
        "<p><b style='margin-left:-900px'></b>secret</p>",
        "<p><b style='margin-left:min(-900px,-50%)'></b>secret</p>",
        "<div style='display:flex'><div style='margin-left:-900px'>x</div><div>secret</div></div>",
        "<style>p::before{content:'';margin-left:-900px}</style><p>secret</p>",
        // Shadows reach as far as letters of the next line.
        "<div>secret</div><div style='box-shadow:0 -15px 0 5px #fff;position:relative'>xxxx</div>",
        "<div>secret</div><div style='box-shadow:0 -9px #fff,0 -18px #fff;position:relative'>xxxx</div>",
        "<div>secret</div><button style='outline:30px solid #fff'>xxxx</button>",
        // The same words in the colour of the paper, a little wider.
        "<div style='height:0'>secret</div><div style='color:#fff;-webkit-text-stroke:1px #fff'>secret</div>",
        // Columns of letters follow each other to the left.
        "<abbr style='writing-mode:vertical-rl;max-block-size:8px'><p>secret</p></abbr>",
        "<tt style='backdrop-filter:invert(1)'><table><tr><td>secret</table></tt>",
        // A line is as low as its letters say, and so is what is painted behind it.
        "<div style='background:#000;color:#fff'><span style='line-height:0'>secret</span></div>",
        // A word goes to the next line with the edges before it.
        "<div style='width:150px;overflow:hidden'><span><i style='padding-left:280px'></i>secret</span></div>",
        // Blanks may draw the words behind them anywhere.
        "<p style='word-spacing:-300px'>xxxx secret</p>",
        "<p style='word-spacing:-300px;white-space:pre'> secret</p>",
        "<p style='word-spacing:-300px'><img width=1 height=1> secret</p>",
        "<p style='word-spacing:2000px;white-space:nowrap'>x <b style='word-spacing:0'>secret</b></p>",
        "<p style='word-spacing:500px;direction:rtl;white-space:nowrap'><b>secret</b> x x x</p>",
        // What cuts a line off along its letters cuts off what stands elsewhere.
        "<span style='clip-path:content-box'>x<div>secret</div></span>",
        "<span style='clip-path:content-box'>x<b style='vertical-align:40px'>secret</b></span>",
        "<span style='-webkit-mask-box-image:linear-gradient(#fff,#fff)'><div style='height:0'>secret</div></span>",
        "<style>@layer a{b{clip-path:border-box}}</style><b><div>secret</div></b>",
        "<div style='clip-path:url(#f)'>secret</div><svg height=0><clipPath id=f></clipPath></svg>",
        "<div style='filter:brightness(0)'><p><span style='background:#fff'>secret</span></p></div>",
    ] {
        assert!(!from_html(hidden).contains("secret"), "{hidden}");
    }
    for shown in [
        "<div style='box-shadow:0 0 0 100px #fff'>seen</div>",
        "<p>seen</p><div style='box-shadow:0 25px 50px -12px rgba(0,0,0,.25)'>xxxx</div><p>seen</p>",
        "<button style='outline:20px solid #fff'>seen</button>",
        "<p><b style='margin-left:-8px'></b>seen</p>",
        "<div style='filter:brightness(0)'>seen</div>",
        "<p style='backdrop-filter:contrast(.5)'>seen</p>",
        "<p>xxxx <span style='clip-path:content-box'>seen</span></p>",
        "<div style='clip-path:url(#f)'>seen</div>",
    ] {
        assert!(from_html(shown).contains("seen"), "{shown}");
    }
}

/// Each was judged by Chromium's pixels as it is said here.
#[test]
fn a_box_in_a_painted_link_stands_on_its_ground_while_it_is_one_line() {
    let link = |inner: &str| format!("<a style='background:#06c;color:#fff;padding:9px'>{inner}</a>");
    let boxed =
        |inner: &str, style: &str| link(&format!("<b style='display:inline-block;{style}'>{inner}</b>"));
    for (html, shown) in [
        (boxed("Pay now", ""), true),
        (boxed("Pay now", "padding:9px"), true),
        (boxed("Pay now<br><br>x", ""), false),
        (boxed("Pay now<br><br>", ""), false),
        (boxed("<div>Pay now</div><div>x</div>", ""), false),
        (boxed("Pay now", "vertical-align:30px"), false),
        (boxed("<i style='font-size:60px'>Pay now</i>", ""), false),
        (boxed("Pay now", "overflow:hidden;padding-bottom:50px"), false),
        (format!("<div style='width:60px'>{}</div>", boxed("Pay now with all you have", "")), false),
        (
            link(
                "<i style='font-size:20px'><i style='font-size:25px'><i style='font-size:31px'>Pay now</i></i></i>",
            ),
            false,
        ),
    ] {
        assert_eq!(from_html(&html).contains("Pay now"), shown, "{html}");
    }
}

/// Forms that hide nothing, and the same beside something that makes them hide. Each was judged by Chromium's pixels.
#[test]
fn forms_that_cannot_hide_by_themselves_leave_text_readable() {
    for (style, shown) in [
        ("zoom:0", true),
        ("zoom:10", true),
        ("zoom:10;padding-left:300px", false),
        ("zoom:2 italic", true),
        ("transform:perspective(1px)", true),
        ("transform:perspective(1px) translateZ(2px)", false),
        ("opacity:.2", true),
        ("opacity:.2;color:#777", false),
        ("clip-path:content-box", true),
        ("clip-path:xywh(0 0 100% 100%)", true),
        ("clip-path:xywh(0 0 0 0)", false),
        ("clip-path:content-box;height:0", false),
        ("-webkit-mask-box-image:linear-gradient(#fff,#fff)", true),
        ("-webkit-mask-box-image:linear-gradient(#fff,#fff) 30 fill / 50px / 50px", false),
        ("-webkit-mask-box-image:linear-gradient(transparent,transparent)", false),
        ("background-color:color-mix(in srgb,white,white)", true),
        ("background-color:color-mix(in srgb,black 90%,white)", false),
        ("color:rgb(from white r g b)", false),
        ("color:light-dark(white,black)", false),
        ("background:light-dark(black,white)", false),
        ("width:min-content", true),
        ("width:min-content;overflow:hidden", false),
        ("width:anchor-size(width)", true),
        ("position:absolute;width:anchor-size(width)", false),
        ("width:0;overflow:hidden;width:anchor-size(width)", false),
        ("contain:inline-size", true),
        ("contain:size layout", true),
        ("contain:strict", false),
        ("border-shape:circle(0)", true),
        ("border-shape:circle(0);background:#000;color:#fff", false),
        ("list-style-image:linear-gradient(red,blue)", true),
        ("font-size-adjust:2", false),
        ("font-size-adjust:2;font-size:400px", false),
        ("font-size-adjust:2;font-size:80px;overflow:hidden", false),
        ("text-indent:hanging 50px", true),
        ("text-indent:-9999px hanging", false),
        ("text-shadow:-999px 0 black x-small", true),
        ("all:var(--none)", true),
        ("filter:contrast(.05)", true),
        ("filter:invert(1)", false),
        ("filter:translate(0)", true),
        ("offset:bottom", true),
        ("offset-path:circle(0);offset:bottom", false),
        ("border-spacing:300px", true),
        ("max-width:calc(1px - 100%)", true),
    ] {
        let html = format!("<!doctype html><div style='{style}'>seen</div>");
        assert_eq!(from_html(&html).contains("seen"), shown, "{html}");
    }
}

/// What holds no text of its own takes a line all the same, what is never shown lies over others once it is, and a value that
/// falls away takes no other side along.
#[test]
fn what_moves_or_covers_a_line_unnoticed_leaves_doubt() {
    for html in [
        "<div style='display:-webkit-box;-webkit-line-clamp:1;-webkit-box-orient:vertical;overflow:hidden'>\
         <textarea rows=4></textarea><div>unseen</div></div>",
        "<div style='display:-webkit-box;-webkit-line-clamp:1;-webkit-box-orient:vertical;overflow:hidden'>\
         <input><p>unseen</div>",
        "<body><style style='display:block;scale:1 9;-webkit-text-stroke:20px #fff'>\u{2588}\u{2588}</style><span>unseen</span>",
        "<ul><li style='text-indent:-50%'><button>unseen</button></ul>",
        "<div style='clip-path:polygon(0 0,100% 0,100% 100%,0 100%)'><ruby>x<rt>unseen</rt></ruby></div>",
        "<div style='height:20px;overflow:hidden'><sup><sup><sup><sup>x</sup></sup></sup></sup>unseen</div>",
        "<div style='margin-top:-9999px;margin-left:if(else: none)'>unseen</div>",
        "<div style='position:absolute;left:-9999px;top:unset'>unseen</div>",
        "<style>.c:before{content:'a\\a b\\a c';white-space:pre}</style><div class=c style='height:40px;overflow:hidden'>unseen</div>",
        "<div style='background:#000;height:20px'><i style='padding-left:280px'></i><div style='color:#fff'>unseen</div></div>",
        "<div style='width:200px;direction:rtl'>unseen<span style='letter-spacing:30px'>abcdefgh</span> </div>",
        "<body><title style='display:block;font:90px serif;margin-top:-90px;background:#fff'>x</title><span>unseen</span>",
    ] {
        assert!(!from_html(html).contains("unseen"), "{html}");
    }
}
