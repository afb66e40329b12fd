"""HTML mails out of a grammar: declarations from the browser's own list of properties, with values it takes and some that
it does not, one to four of them, in attributes, sheets, on the element, around it or beside it; and scenes of several
things that hide together: boxes that cut off and what fills them, things that lie over others, items, added parts, lists of
selectors, layers, dark grounds.

A case is a list of small pieces (`Case`), so that it can be made smaller by leaving pieces out. `@WORD@` is the text that
is judged; the words around it are only there to take part in the layout.
"""

import dataclasses
import random
from dataclasses import dataclass, field

LENGTHS = ("0 0px 1px 2px 3px 5px 8px 12px 20px 40px 100px 300px 1000px 5000px -1px -5px -20px -100px -1000px -9999px 1em 2em 0.1em -1em "
           "10ch 1rem 3vw 50vw 100vw 20vh 100vh 1cm 10pt 0% 1% 10% 50% 100% 200% 1000% -50% -100% -1000% min(1px,100%) max(20px,2em) "
           "clamp(0px,1px,2px) 1lh 5q 1cqw").split() + ["calc(10px + 1em)", "calc(1px - 100%)"]
NUMBERS = "0 0.01 0.05 0.2 0.5 0.9 1 1.5 2 3 5 10 100 400 700 900 1000 -1 -5 -100".split()
TIMES = "0s 1s 10ms 100s -1s -100s 45deg 90deg 180deg 0.25turn 1fr 0fr".split()
COLORS = ("red black white #fff #fefefe #eee #777 #000 transparent currentcolor rgb(255,255,255) rgba(0,0,0,0) rgba(0,0,0,.05) hsl(0,0%,100%) "
          "hsl(0 0% 100%/1) canvas canvastext linktext graytext #ffffff00 #00000080 lab(100%_0_0) oklch(1_0_0) color(srgb_1_1_1) yellow navy "
          "color-mix(in_srgb,white,white) light-dark(white,black) rgb(from_white_r_g_b)").split()
COLORS = [color.replace("_", " ") for color in COLORS]
WORDS = """none auto normal inherit initial unset revert hidden visible collapse scroll clip block inline inline-block flex inline-flex grid
inline-grid table inline-table table-row table-cell table-column table-column-group table-row-group table-header-group table-footer-group
table-caption list-item contents flow-root run-in ruby ruby-text math static relative absolute fixed sticky left right top bottom center
both start end inline-start inline-end stretch baseline middle sub super text-top text-bottom space-between space-around space-evenly
flex-start flex-end row column row-reverse column-reverse wrap nowrap wrap-reverse dense min-content max-content fit-content
bold bolder lighter italic oblique small-caps all-small-caps uppercase lowercase capitalize full-width underline overline line-through
solid dotted dashed double groove ridge inset outset thin medium thick xx-small x-small small large x-large xx-large smaller larger
pre pre-wrap pre-line break-spaces break-all break-word keep-all anywhere loose strict manual ltr rtl embed isolate bidi-override
isolate-override plaintext horizontal-tb vertical-rl vertical-lr sideways-rl sideways-lr mixed upright sideways cover contain fill
scale-down repeat no-repeat repeat-x repeat-y round space local border-box padding-box content-box text fill-box stroke-box view-box
margin-box multiply screen overlay darken lighten color-dodge color-burn hard-light soft-light difference exclusion hue saturation color
luminosity plus-lighter plus-darker isolate alternate reverse forwards backwards infinite running paused ease linear ease-in step-start
step-end size inline-size layout style paint content strict smooth crisp-edges pixelated disc circle square decimal lower-roman inside
outside all alpha luminance match-source nonzero evenodd light dark only light-dark-x pointer default help text-x grab break-all avoid
always page avoid-page balance balance-all pretty stable ellipsis justify match-parent each-line hanging over under filled open dot
triangle sesame weight both-edges economy exact optimizeSpeed optimizeLegibility geometricPrecision antialiased subpixel-antialiased
read-only read-write read-write-plaintext-only horizontal vertical thumb button textfield menulist searchfield checkbox slide alternate-x
preserve-3d flat match-element root ancestor nearest block-start x y mandatory proximity sans-serif serif monospace Arial cursive fantasy
system-ui mk mk2 fadeaway fadein white-space collapse preserve preserve-breaks no-clip padding invert grayscale color-x markers
span-all most-height most-width flip-block flip-inline anchors-visible no-overflow self-start self-end last first unsafe safe -webkit-box
-webkit-inline-box -webkit-center -webkit-left -webkit-fill-available -webkit-isolate -webkit-text vertical-x to-zero to-lowest to-highest
allow-keywords numeric-only interpolate-size allow-discrete discrete border text-x cap alphabetic x-height trim-both trim-start trim-end
ic-height no-autospace auto-phrase recto verso fast slow no-limit jump after before spell-out digits literal-punctuation""".split()
FUNCTIONS = ["translate(0)", "translate(-9999px)", "translate(10px,5px)", "translateX(-100%)", "translateY(-500px)", "translate3d(0,0,0)", "scale(0)", "scale(0.01)",
             "scale(1)", "scale(0.5)", "scale(-1)", "scaleX(0)", "scaleY(2)", "rotate(0)", "rotate(90deg)", "rotate(5deg)", "rotateX(90deg)", "rotateY(180deg)",
             "rotate3d(1,1,0,90deg)", "skew(89.9deg)", "skewX(10deg)", "matrix(1,0,0,1,0,0)", "matrix(0,0,0,0,0,0)", "matrix3d(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1)",
             "perspective(1px)", "perspective(500px) translateZ(600px)", "perspective(100px) rotateX(45deg)", "translateZ(10px)",
             "blur(0)", "blur(1px)", "blur(20px)", "brightness(0)", "brightness(1)", "brightness(100)", "contrast(0)", "contrast(1)", "contrast(.05)",
             "grayscale(1)", "invert(1)", "invert(.5)", "opacity(0)", "opacity(1)", "opacity(.04)", "saturate(3)", "sepia(1)", "hue-rotate(90deg)",
             "drop-shadow(2px 2px 2px red)", "drop-shadow(0 0 0 white)", "invert(1) brightness(9)", "url(#f)",
             "inset(0)", "inset(50%)", "inset(0 100% 0 0)", "inset(2px)", "circle(0)", "circle(50%)", "circle(2000px)", "circle(10px at 500px 500px)", "ellipse(0 0)",
             "polygon(0 0,0 0,0 0)", "polygon(0 0,100% 0,100% 100%,0 100%)", "path('M0 0')", "path('M0 0H999V999H0z')", "rect(0 0 0 0)", "rect(0,0,0,0)",
             "rect(0px,500px,200px,0px)", "rect(auto,auto,auto,auto)", "rect(1px,1px,1px,1px)", "xywh(0 0 0 0)", "xywh(0 0 100% 100%)", "shape(from 0 0,line to 1px 1px)",
             "linear-gradient(red,blue)", "linear-gradient(#fff,#fff)", "linear-gradient(transparent,transparent)", "linear-gradient(#000,#000)",
             "radial-gradient(black,transparent)", "radial-gradient(circle,white,white)", "conic-gradient(red,blue)", "repeating-linear-gradient(#fff 0 2px,#000 2px 4px)",
             "url(https://example.org/x.png)", "url(data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==)",
             "url(data:,)", "image-set(linear-gradient(white,white) 1x)", "cross-fade(linear-gradient(white,white),linear-gradient(white,white))", "attr(title)",
             "attr(x px,1px)", "var(--a)", "var(--b,0)", "var(--none)", "env(x,0px)", "counter(c)", "'quoted'", "''", "'x'", "''", "\"@\" \"@\"", "symbols('*')",
             "cubic-bezier(0,0,1,1)", "steps(2,end)", "repeat(2,0)", "repeat(auto-fill,1px)", "minmax(0,0)", "minmax(0,1fr)", "fit-content(0)", "fit-content(100px)",
             "ray(45deg)", "sign(-1)", "anchor(top)", "anchor-size(width)", "element(#x)", "scroll()", "view()", "if(else: none)", "random(1px,2px)"]
PAIRS = ["0 auto", "0 0", "10px 20px", "1px 1px 1px 1px", "-10px 0 0 0", "5px 10px 15px 20px", "0 0 0 1000px", "1px solid red", "500px solid white", "20px solid white",
         "2px dashed currentcolor", "solid", "0 none", "0 0 5px #000", "0 0 0 100px white", "inset 0 0 0 100px white", "0 0 0 1000px #fff inset", "2px 2px red", "-999px 0 black",
         "0 0 20px 20px white", "white none repeat", "red", "no-repeat white", "white url(x.png)", "center / cover no-repeat white", "text white", "linear-gradient(red,red) text",
         "linear-gradient(red,red) no-repeat 0 0/1px 1px white", "12px/1.5 Arial", "0/0 a", "italic bold 14px/20px serif", "1px Arial", "bold", "caption", "16px mk", "100% mk2",
         "1 1 0", "0 0 0", "1 0 auto", "0 1 0%", "none / none", "1fr / 1fr", "0 / 0", "auto / auto", "100px 100px", "0px 0px", "repeat(2,1fr)", "a b", "span 2", "1 / 3", "2 / span 3",
         "underline red", "underline wavy 500px white", "none solid", "disc inside", "none outside", "fadeaway 1s forwards", "fadeaway 1s", "fadein 1s both", "1s fadeaway infinite",
         "all 1s", "opacity 1s 5s", "hidden auto", "clip visible", "scroll hidden", "10px / 20px", "50%", "0 100%", "center", "left top", "right -500px top 0", "x mandatory",
         "3px white", "300px white", "2px black", "linear-gradient(#fff,#fff) 30 fill / 50px / 50px", "url(x) 30", "100px 200px 0 0", "size layout", "size paint", "strict", "content",
         "layout paint style", "light dark", "only dark", "none 0", "0.5 0.5", "1 0", "0 1", "2 2 2", "x 90deg", "1 1 0 90deg", "45deg", "10px 10px 10px", "-100% 0", "path('M0 0H999') 100%",
         "none 100% 0deg", "alternate 1s fadein", "hard-light", "manual", "both 5", "3 'x'", "2", "2 none", "no-limit", "auto 10px", "auto 100px auto 1px", "from-font", "jis78",
         "\"liga\" 0", "\"wght\" 1", "each-line 10px", "hanging 50px", "-9999px hanging", "1px 2px 3px 4px / 5px"]
POOL = list(dict.fromkeys(LENGTHS + NUMBERS + TIMES + COLORS + WORDS + FUNCTIONS + PAIRS))

SUBSTITUTIONS = ("var(", "attr(", "env(", "if(", "random(")

# Two in five declarations are of these, since the others seldom hide.
ABLE = """display visibility opacity color background background-color background-image background-clip font font-size line-height height width max-height max-width
min-height min-width overflow overflow-x overflow-y position top left right bottom inset margin margin-top margin-left padding padding-left padding-top text-indent clip
clip-path mask mask-image filter transform translate scale rotate zoom z-index float letter-spacing word-spacing white-space text-overflow content content-visibility
animation animation-name transition mix-blend-mode -webkit-text-fill-color -webkit-text-stroke -webkit-text-security color-scheme contain columns column-width font-family
box-shadow outline outline-offset border border-width vertical-align direction writing-mode flex flex-basis grid-template-rows align-self -webkit-line-clamp text-shadow
perspective backface-visibility offset-path offset-distance font-size-adjust text-size-adjust object-fit table-layout border-image -webkit-mask-box-image all
backdrop-filter isolation order text-transform text-decoration unicode-bidi shape-outside text-combine-upright -webkit-box-reflect line-clamp block-size inline-size
max-block-size max-inline-size aspect-ratio contain-intrinsic-size overflow-clip-margin border-radius""".split()

BLOCKS = "div p h1 h2 h4 blockquote pre center section article address ul ol form fieldset dl main figure li-x details-open listing".split()
INLINES = "span b i u em strong font a small big sub sup code label q cite ins del mark abbr kbd bdo tt strike nobr button x-unknown".split()
RARE = ["<details>{}</details>", "<details><summary>{}</summary>x</details>", "<textarea rows=3 cols=60>{}</textarea>", "<select><option>{}</option></select>", "<svg width=500 height=60><text x=5 y=30>{}</text></svg>",
        "<svg width=300 height=50><foreignObject width=300 height=50><p>{}</p></foreignObject></svg>", "<math><mtext>{}</mtext></math>", "<math><mi>{}</mi></math>",
        "<ruby>x<rt>{}</rt></ruby>", "<ruby>x<rp>{}</rp></ruby>", "<object>{}</object>", "<video>{}</video>", "<noscript>{}</noscript>", "<template>{}</template>",
        "<dialog open>{}</dialog>", "<dialog>{}</dialog>", "<marquee>{}</marquee>", "<xmp>{}</xmp>", "<input value='{}' size=40>", "<fieldset><legend>{}</legend></fieldset>",
        "<table><caption>{}</caption><tr><td>x</table>", "<iframe srcdoc='{}'></iframe>", "<meter>{}</meter>", "<canvas>{}</canvas>", "<noframes>{}</noframes>", "<dl><dt>x<dd>{}</dl>",
        "<select size=3><optgroup label='{}'><option>x</optgroup></select>", "<map><area>{}</map>", "<title>{}</title>", "<button>{}</button>", "<audio>{}</audio>", "<p hidden>{}</p>",
        "<div popover>{}</div>", "<p inert>{}</p>", "<p hidden=until-found>{}</p>", "<slot>{}</slot>", "<frameset>{}</frameset>", "<progress>{}</progress>", "<hgroup>{}</hgroup>", "<output>{}</output>"]
ATTRIBUTES = [("width", "0 1 10 50% 100% 600".split()), ("height", "0 1 10 100% 400".split()), ("bgcolor", "white #000000 black ffffff #ffeeaa x".split()), ("align", "left right center justify".split()),
              ("color", "white #fff black #eeeeee fff red".split()), ("size", "1 2 3 -3 +4 0 7".split()), ("hidden", ["", "until-found"]), ("dir", "rtl ltr auto".split()), ("nowrap", [""]),
              ("valign", "top bottom middle".split()), ("style", ["", "x", "}", "color:"]), ("title", ["1px"]), ("face", ["Arial", "mk"]), ("border", ["0", "1", "100"]), ("cellpadding", ["0", "300"]),
              ("text", ["white", "black"]), ("link", ["white"]), ("class", ["x y"]), ("lang", ["en"]), ("popover", [""]), ("inert", [""]), ("noshade", [""]), ("hspace", ["5", "900"]), ("clear", ["all"]),
              ("background", ["x.png", "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="]), ("open", [""]), ("colspan", ["0", "2"]), ("rowspan", ["3"]), ("start", ["5"])]
SELECTORS = ["{}", "{}", "{}", "body {}", "{}:first-child", "{}:nth-child(2)", "{}:last-of-type", "p ~ {}", "p + {}", "body > {}", "{}:not(.no)", ":is({},.no)", ":where({})", "{}:has(*)",
             "html {}", "{}, :unknown-thing", "{}:hover", "{}::first-line", "{}::first-letter", "{}::before", "{}::after", "*", "[class*=' '] , {}", "{}:empty", "{}:not(:has(b))", "{}:lang(en)", "{}:dir(ltr)",
             "[class^=c]{}", "{}[class]", "{}[title='1px' i]", "{}:only-child", "{}:nth-last-child(2n+1)", "{}:is(:unknown,*)", "{} *", "* {}", "x|{}", "*|*{}", "{}:target", "{}:link", "{}::-webkit-x", "{}::selection",
             "{}:is(h1,div,p)", "{}:-webkit-any(div,p,span)", "{}:nth-child(1 of .no)", "{}:defined", "{}:read-only", "{}:enabled", ":root {}", "{}:open", "html body {}", "{}\\.x, {}"]
AROUND = ["{}", "{}", "{}", "{}", "{}", "@media screen{{{}}}", "@media print{{{}}}", "@media (max-width:600px){{{}}}", "@media (min-width:600px){{{}}}", "@media screen and (max-width:2000px){{{}}}",
          "@media not print{{{}}}", "@media (prefers-color-scheme:dark){{{}}}", "@media (width>=500px){{{}}}", "@media (500px<width<2000px){{{}}}", "@media only screen and (min-device-width:1px){{{}}}", "@media (unknown){{{}}}",
          "@media screen, print{{{}}}", "@media not all and (monochrome){{{}}}", "@media (hover:hover){{{}}}", "@supports (display:grid){{{}}}", "@supports not (display:grid){{{}}}", "@supports (x:y){{{}}}",
          "@supports selector(:has(a)){{{}}}", "@layer a{{{}}}", "@layer a,b;@layer b{{{}}}", "@container (min-width:1px){{{}}}", "@container x (width>0){{{}}}", "@scope (body){{{}}}", "@scope (body) to (.c1){{{}}}",
          "@starting-style{{{}}}", "@unknown{{{}}}", "@media (max-width:600px) or (min-width:1px){{{}}}", "<!--{}-->", "/*x*/{}", "@charset 'utf-8';{}", "@import url(x.css);{}", "}}{}", ";{}", "@namespace x url(y);{}",
          "@media yahoo{{{}}}", "@document url(){{{}}}", "@-moz-document url-prefix(){{{}}}", "@page{{{}}}", "@media (-webkit-min-device-pixel-ratio:0){{{}}}", "@media (min-resolution:2dppx){{{}}}"]
KEYFRAMES = "@keyframes fadeaway{to{opacity:0}}@keyframes fadein{from{opacity:0}to{opacity:1}}"
FONTS = "@font-face{font-family:mk;src:url(data:font/woff2;base64,AA)}@font-face{font-family:mk2;src:local(x),url(https://example.org/f.woff2)}"
BESIDE = ["<div style='{}'>xxx</div>", "<span style='{}'>xxx</span>", "<img width=300 height=40 style='{}'>", "<div style='background:#fff;width:600px;height:100px;{}'></div>",
          "<div style='position:absolute;background:#fff;{}'>xx</div>", "<p style='background:#fff;position:relative;{}'>xx yy</p>", "<table style='background:#fff;{}'><tr><td>xx</table>",
          "<span style='display:inline-block;background:#fff;width:600px;height:60px;{}'></span>", "<textarea style='{}'>x</textarea>", "<hr style='{}'>", "<fieldset style='background:#fff;{}'>x</fieldset>"]
# Scenes: what hides by several things together, which single declarations seldom hit.
CLIPS = ["height:20px;overflow:hidden", "height:40px;overflow:hidden", "max-height:30px;overflow:hidden", "width:300px;height:20px;overflow:hidden", "width:150px;overflow:hidden", "overflow:hidden",
         "width:60px;overflow:hidden", "max-width:200px;overflow:clip", "height:3em;overflow:auto", "width:50%;overflow:hidden", "height:50px;contain:paint", "height:40px;overflow-y:hidden", "width:100px;overflow-x:clip",
         "display:-webkit-box;-webkit-line-clamp:1;-webkit-box-orient:vertical;overflow:hidden", "display:inline-block;width:200px;height:20px;overflow:hidden", "float:left;height:20px;overflow:hidden",
         "height:100%;overflow:hidden", "width:300px;overflow:hidden;border-radius:20px", "line-height:60px;height:20px;overflow:hidden", "padding-top:30px;height:20px;overflow:hidden", "box-sizing:border-box;padding:15px;height:40px;overflow:hidden"]
FILLERS = ["<div style='height:60px'></div>", "<img width=300 height=100>", "<br>", "<br><br><br>", "<div>&nbsp;</div><div>&nbsp;</div>", "<span style='visibility:hidden'>filler filler filler filler filler</span>", "WWWW WWWW MMMM WWWW ",
           "some words that fill a line or two, ", "<p>&nbsp;</p>", "<hr>", "<div style='padding:20px'></div>", "<div style='margin-top:50px'></div>", "<div style='float:left;width:250px;height:50px'></div>", "<table height=80><tr><td></td></tr></table>",
           "<svg height=90></svg>", "<canvas height=60></canvas>", "<textarea rows=4></textarea>", "<h1>&nbsp;</h1>", "<div style='opacity:0'>gone<br>gone<br>gone</div>", "<b style='font-size:60px'>X</b>", "<i style='padding-left:280px'></i>",
           "<span style='display:inline-block;width:290px;height:10px'></span>", "<span style='zoom:4'>wide words</span> ", "<pre>\n\n\n</pre>", "<span style='word-spacing:90px'>a b c d</span> ", "<span style='letter-spacing:30px'>abcdefgh</span> ",
           "<div style='height:1px;margin-bottom:70px'></div>", "<ul><li>&nbsp;<li>&nbsp;</ul>", "<button style='height:70px'>x</button>", "<video height=70></video>", "<select size=6></select>", "<div style='aspect-ratio:4'></div>", "<fieldset></fieldset>",
           "<div style='columns:2'>x<br>y</div>", "<span style='vertical-align:60px'>x</span>", "<div style='position:absolute;height:99px'></div>", "<table cellpadding=30><tr><td>x</table>", "<sup><sup><sup><sup>x</sup></sup></sup></sup>"]
ALIGNMENTS = ["", "", "", "white-space:nowrap", "direction:rtl", "direction:rtl;white-space:nowrap", "text-align:right", "text-align:right;white-space:nowrap", "text-align:center", "align-content:end", "align-content:unsafe end", "align-content:center",
              "display:flex;flex-direction:column;justify-content:flex-end", "display:flex;justify-content:flex-end;white-space:nowrap", "display:flex;align-items:flex-end", "display:flex;flex-direction:column-reverse", "display:grid;align-content:end",
              "display:grid;justify-items:end;white-space:nowrap", "display:flex;flex-wrap:wrap-reverse", "text-transform:uppercase", "text-indent:200px", "writing-mode:vertical-rl", "columns:2", "word-spacing:40px", "zoom:2", "display:inline-flex",
              "display:flex;flex-flow:row-reverse", "text-indent:-50px", "font-size:30px", "line-height:3", "scroll-snap-type:y mandatory", "display:flow-root", "font-weight:bold;font-variant:small-caps", "unicode-bidi:bidi-override;direction:rtl"]
COVERERS = ["div", "span", "p", "b", "img", "svg", "canvas", "select", "video", "iframe", "object", "textarea", "button", "hr", "table", "meter", "progress", "fieldset", "math", "style", "title", "audio controls", "input", "details", "dialog open", "marquee",
            "ul", "label", "center", "embed", "noscript", "ruby", "template", "datalist", "x-y"]
MOVES = ["position:absolute;top:0;left:0", "position:absolute;top:40px;left:0", "position:fixed;inset:0", "position:relative;top:-40px", "margin-top:-40px", "margin-top:-40px;position:relative", "transform:translateY(-40px)", "translate:0 -40px", "float:left;margin-top:-30px",
         "display:inline-block;margin-left:-200px", "display:block;margin-top:-3em", "position:sticky;top:0", "margin:-45px 0 0 -10px", "position:absolute;inset:auto", "display:inline-block;text-indent:-130px", "letter-spacing:-12px", "line-height:0",
         "display:block;scale:1 9", "transform:scale(9)", "zoom:5;margin-top:-9px", "offset:path('M0 0') 0", "position:absolute;bottom:0", "margin-bottom:-30px", "position:relative;left:-150px;display:inline-block", "vertical-align:30px;line-height:0", "float:right", ""]
DRAWS = ["background:#fff", "background:white;width:900px;height:200px", "width:900px;height:200px;backdrop-filter:blur(20px)", "border:20px solid #fff;width:400px", "outline:20px solid #fff", "box-shadow:0 0 0 60px #fff", "color:#fff;font-size:40px", "background:linear-gradient(#fff,#fff);padding:40px",
         "filter:drop-shadow(0 -40px 0 #fff);font-size:30px", "color:#fff;text-shadow:0 -20px #fff,0 -25px #fff", "-webkit-text-stroke:20px #fff", "width:900px;height:200px;backdrop-filter:opacity(0)", "border-image:linear-gradient(#fff,#fff) 1 fill/1/50px;border:1px solid", "background:#fff;width:600px;height:60px;display:block",
         "text-decoration:underline 60px #fff;color:#fff", "height:200px;width:900px;background:#fffc", "-webkit-box-reflect:above -40px;background:#fff;padding:20px", "box-shadow:0 -30px 0 20px #fff", "background:#fff;font-size:50px"]
HOLDERS = ["display:flex", "display:grid", "display:inline-flex", "display:inline-grid", "display:flex;width:200px", "display:grid;grid-template-columns:1fr 1fr", "display:grid;grid-template-rows:0 1fr", "display:flex;flex-direction:column;height:30px", "display:-webkit-box", "display:flex;overflow:hidden;width:200px",
           "display:flex;gap:900px", "display:grid;grid-auto-rows:5px", "display:flex;flex-wrap:wrap", "display:table", "display:flex;justify-content:center;width:90px", "display:grid;place-items:end"]
ITEMS = ["grid-area:1/1", "flex:0 0 0", "flex:0 0 0;min-width:0", "flex:1", "width:0", "min-width:0;width:10px", "order:-1", "width:0;overflow:hidden", "transform:scale(0)", "margin-left:-200px", "align-self:end", "flex-shrink:0;width:900px", "max-width:5px", "height:0;overflow:hidden", "grid-column:1;grid-row:1",
         "display:contents", "position:relative", "opacity:.99", "z-index:-1", "white-space:nowrap", "scale:0", "flex-basis:0;overflow:clip", "grid-row:2/1", "margin:auto", ""]
PARTS = ["display:block;height:60px", "display:block;margin-top:60px", "float:left;width:100%;height:50px", "padding:30px", "display:inline-block;width:900px", "position:absolute;inset:0;background:#fff", "display:inline-block;text-indent:-130px;color:#fff;font-size:20px", "margin-left:-200px;background:#fff;padding:10px 100px",
         "font-size:80px", "line-height:90px", "border:30px solid #fff", "display:block;box-shadow:0 0 0 90px #fff", "white-space:pre", "display:table;clear:both", "vertical-align:50px", "background:#fff", "color:#fff", "letter-spacing:-14px;color:#fff", "transform:translate(-90px);display:block;background:#fff", "display:none"]
CONTENTS = ["''", "'x'", "'\\2588\\2588\\2588\\2588\\2588\\2588\\2588\\2588'", "'a\\a b\\a c'", "none", "attr(title)", "' '", "url(x.png)"]
LISTS = ["::checkmark", "::picker-icon", "::column", "::search-text", "::picker(select)", "::unknown", ":unknown", "[*|class]", "[|class]", "a|b", "::marker::before", "::before::marker", "::part(x)", "::slotted(p)", ":not(::before)", ":host(.x)", "::view-transition", ":is()", ":is(::x)", ":has(> b)", "::-webkit-y", "::-moz-x",
         "[class=5]", ".5x", "p >", "> p", "a:nth-child(2 of p)", ":state(x)", "::highlight(x)", "::cue", "!x", "p || q", "[title='x' s]", ":lang('de')", "& p", ":heading(1)", "::scroll-marker", "::details-content"]
HIDES = ["display:none", "visibility:hidden", "opacity:0", "color:#fff", "font-size:0", "display:none!important", "color:#fff!important"]
SHOWS = ["display:block", "visibility:visible", "opacity:1", "color:#000", "font-size:16px", "display:block!important", "color:#000!important", "display:revert-layer", "color:revert-layer", "display:revert-rule", "all:revert-layer", "background:#000"]
LAYERS = ["@layer a{{{}}}", "@layer a{{{}}}@layer b{{.q{{color:red}}}}", "@layer b,a;@layer a{{{}}}", "@scope (body){{{}}}", "@scope (div){{:scope{{display:none}}{}}}", "@media (prefers-color-scheme:dark){{{}}}", "@container (width>0){{{}}}", "@supports (display:grid){{{}}}", "@media print{{{}}}", "{}"]
GROUNDS = ["background:#000;color:#fff", "background:#111;color:#eee;width:150px", "background:navy;color:white;width:240px", "background:#000;color:#fff;height:20px", "background:#000;color:#fff;display:inline-block", "background:#000;color:#fff;display:table-cell", "background:#222;color:#fff;padding:9px;border-radius:9px",
           "background:#000;color:#fff;max-width:200px", "background:#000;color:#fff;float:left;width:100px", "background:#000;color:#fff;position:relative", "color:#fff;background:#000;line-height:0", "background:#000;color:#fff;height:0"]
LEAVES = ["white-space:nowrap", "text-indent:250px", "margin-left:400px", "position:relative;top:30px", "transform:translateX(300px)", "vertical-align:40px", "display:inline-block", "font-size:60px", "padding-left:500px", "float:right", "float:left", "margin-top:60px", "display:block", "box-shadow:inset 0 0 0 30px #fff", "mix-blend-mode:multiply;background:#fff;color:#000",
          "width:900px;text-align:right", "display:block;width:900px", "letter-spacing:20px", "line-height:0", "margin-left:-300px", "overflow-wrap:normal", "position:absolute", "display:table", "background:#fff;color:#fff;background-clip:text", "columns:3", "direction:rtl;white-space:nowrap", "box-shadow:inset 0 -40px #fff", "color:oklab(.95 0 0)", "color:AppWorkspace", ""]
LINED = ["height:20px;overflow:hidden", "max-height:22px;overflow:hidden", "height:1.3em;contain:paint", "height:30px;clip-path:inset(0)", "height:20px;background:#000;color:#fff", "height:24px;overflow-y:auto", "text-box-trim:trim-both", "text-box:trim-both cap alphabetic"]
HEIGHTS = ["", "", "line-height:60px", "line-height:3", "font-size:40px", "line-height:0", "font:50px/1 serif", "text-box-trim:trim-start"]
BOXES = ["display:inline-block", "display:inline-flex", "display:inline-grid", "display:inline-table", "display:-webkit-inline-box", "display:inline", "display:ruby", "float:left", "display:inline-block;vertical-align:middle", "display:inline-block;vertical-align:bottom",
         "display:inline-block;line-height:1", "display:inline-flex;line-height:1;font-size:16px", "display:inline-block;overflow:hidden", "display:inline-block;margin-bottom:40px", "display:inline-block;padding-top:15px", "writing-mode:vertical-lr"]
TALL = ["<b style='font-size:60px'>.</b>", "<i style='line-height:90px'>.</i>", "<i style='line-height:90px'></i>", "<u style='display:inline-block;height:60px'></u>", "<u style='display:inline-block;margin-top:60px'>x</u>", "<u style='display:inline-block;padding-top:60px'>x</u>", "<img height=60 width=1>",
        "<sub style='font-size:30px'>x</sub>", "<sup style='font-size:30px'>x</sup>", "<span style='font-size:60px'> </span>", "<input style='height:60px'>", "<textarea rows=4></textarea>", "<button style='padding-top:50px'>x</button>", "<u style='display:inline-block'>x<br>x<br>x</u>"]
WRAPPERS = ["plain", "plain", "plain", "base64", "quoted", "latin1", "utf16", "alternative", "related", "mixed", "nested", "metacharset"]


@dataclass
class Element:
    """An element around the word: its name, declarations in its attribute, and other attributes."""
    name: str
    inline: list = field(default_factory=list)
    attributes: list = field(default_factory=list)
    rules: list = field(default_factory=list)  # (around, selector, declarations)
    inner: list = field(default_factory=list)  # (before, markup) beside what it holds


@dataclass
class Case:
    doctype: str
    elements: list
    shell: str = "{}"
    beside: list = field(default_factory=list)  # (before, markup)
    sheet: str = ""
    wrapper: str = "plain"
    kind: str = "declared"

    def html(self):
        inner, rules = self.shell.format("@WORD@"), []
        for number, element in reversed(list(enumerate(self.elements))):
            inner = "".join(markup for is_before, markup in element.inner if is_before) + inner + "".join(markup for is_before, markup in element.inner if not is_before)
            inner = opened(element, number, inner)
            rules += [around.format(f"{selector.replace('{}', f'.c{number}')}{{{';'.join(block)}}}") for around, selector, block in element.rules]
        before = "".join(markup for is_before, markup in self.beside if is_before)
        after = "".join(markup for is_before, markup in self.beside if not is_before)
        css = self.sheet + "".join(rules)
        style = f"<style>{css}</style>" if css else ""
        return f"{self.doctype}<html><head>{style}</head><body><p>One line before it.</p>{before}{inner}{after}<p>Another line behind it.</p></body></html>"

    def smaller(self):
        """The case with one piece left out, in every way."""
        for n in range(len(self.elements)):
            if len(self.elements) > 1:
                yield dataclasses.replace(self, elements=self.elements[:n] + self.elements[n + 1 :])
            for smaller in smaller_element(self.elements[n]):
                yield dataclasses.replace(self, elements=[*self.elements[:n], smaller, *self.elements[n + 1 :]])
        for n in range(len(self.beside)):
            yield dataclasses.replace(self, beside=self.beside[:n] + self.beside[n + 1 :])
        if self.shell != "{}":
            yield dataclasses.replace(self, shell="{}")
        if self.sheet:
            yield dataclasses.replace(self, sheet="")
        if self.wrapper != "plain":
            yield dataclasses.replace(self, wrapper="plain")


def smaller_element(element):
    for name in ("inline", "attributes", "rules", "inner"):
        items = getattr(element, name)
        for n in range(len(items)):
            yield dataclasses.replace(element, **{name: items[:n] + items[n + 1 :]})
    for n, (around, selector, block) in enumerate(element.rules):
        options = [("{}", selector, block)] * (around != "{}") + [(around, "{}", block)] * (selector != "{}")
        options += [(around, selector, block[:m] + block[m + 1 :]) for m in range(len(block)) if len(block) > 1]
        for option in options:
            yield dataclasses.replace(element, rules=[*element.rules[:n], option, *element.rules[n + 1 :]])


def opened(element, number, inner):
    attributes = "".join(f' {name}="{value}"' for name, value in element.attributes)
    if element.rules:
        attributes += f' class="c{number}"'
    if element.inline:
        attributes += ' style="' + ";".join(element.inline).replace('"', "&quot;") + '"'
    if element.name == "td":
        return f"<table><tr><td>left</td><td{attributes}>{inner}</td></tr></table>"
    if element.name == "tr":
        return f"<table><tr{attributes}><td>left</td><td>{inner}</td></tr></table>"
    if element.name == "table":
        return f"<table{attributes}><tr><td>{inner}</td><td>right</td></tr></table>"
    if element.name == "li":
        return f"<ul><li>one</li><li{attributes}>{inner}</li></ul>"
    return f"<{element.name}{attributes}>{inner}</{element.name}>"


class Grammar:
    """Makes cases; `values` are the values that the browser takes, by property."""

    def __init__(self, values, seed, scenes=0.4):
        self.values, self.random, self.scenes = values, random.Random(seed), scenes
        self.names = sorted(name for name, taken in values.items() if taken)
        self.able = [name for name in ABLE if name in values]

    def case(self):
        """A case of single declarations, or a scene in so many of them."""
        if self.random.random() >= self.scenes:
            return self.declared()
        pick = self.random
        scene = pick.choice((self.clipped, self.clipped, self.clipped, self.covered, self.covered, self.items, self.items, self.parts, self.listed, self.layered, self.grounds, self.grounds, self.lined))
        case = Case(pick.choice(("", "<!doctype html>", "<!doctype html>")), [], kind="scene")
        scene(case)
        if pick.random() < 0.15:
            self.place(pick.choice(case.elements))
        return case

    def some(self, *choices):
        """Declarations out of lists, one of each."""
        return [declaration for choice in choices for declaration in self.random.choice(choice).split(";") if declaration]

    def clipped(self, case):
        pick = self.random
        case.elements = [Element("div", self.some(CLIPS, ALIGNMENTS))]
        if pick.random() < 0.5:
            case.elements.append(Element(pick.choice(("b", "span", "div", "p")), self.some(ALIGNMENTS)))
        for _ in range(pick.choice((0, 1, 1, 1, 2))):
            pick.choice(case.elements).inner.append((pick.random() < 0.7, pick.choice(FILLERS)))
        if pick.random() < 0.2:
            case.elements.insert(0, Element("div", self.some(("padding-right:900px", "margin-right:900px", "width:50px", "columns:3", "display:flex", "display:inline-block;width:1%", "height:10px", "max-width:9%", "zoom:3", "font-size:60px", "line-height:5"))))

    def covered(self, case):
        pick = self.random
        case.elements = [Element(pick.choice(("div", "span", "p", "td")))]
        name, text = pick.choice(COVERERS), pick.choice(("", "x", "████████████", "&nbsp;", "some words"))
        style = ";".join(self.some(MOVES, DRAWS)).replace("'", "&quot;")
        case.beside = [(pick.random() < 0.2, f"<{name} style='{style}'>{text}</{name.split()[0]}>")]

    def items(self, case):
        pick = self.random
        case.elements = [Element("div", self.some(HOLDERS)), Element(pick.choice(("div", "span")), self.some(ITEMS))]
        if pick.random() < 0.3:
            case.elements.insert(1, Element("div", ["display:contents"]))
        style = ";".join(self.some(ITEMS, DRAWS))
        case.elements[0].inner.append((pick.random() < 0.2, f"<div style='{style}'>{pick.choice(('', 'cover', 'Good day to all of you, my friends'))}</div>"))

    def parts(self, case):
        pick = self.random
        case.elements = [Element(pick.choice(("div", "span", "p")), self.some(CLIPS) if pick.random() < 0.4 else [])]
        case.elements[0].rules = [("{}", "{}" + pick.choice(("::before", "::after", ":before")), [f"content:{pick.choice(CONTENTS)}", *self.some(PARTS, PARTS if pick.random() < 0.3 else ("",))])]

    def listed(self, case):
        pick = self.random
        selectors = ["{}", pick.choice(LISTS)]
        pick.shuffle(selectors)
        case.elements = [Element(pick.choice(("div", "span", "p")), rules=[("{}", ",".join(selectors), self.some(HIDES))])]

    def layered(self, case):
        pick = self.random
        rules = [(pick.choice(LAYERS), "{}", self.some(HIDES)), (pick.choice(LAYERS + ["{}"] * 9), "{}", self.some(SHOWS))]
        pick.shuffle(rules)
        case.elements = [Element("div"), Element(pick.choice(("div", "span", "p")), self.some(SHOWS) if pick.random() < 0.3 else [], rules=rules)]

    def grounds(self, case):
        pick = self.random
        case.elements = [Element(pick.choice(("div", "div", "span", "td")), self.some(GROUNDS)), Element(pick.choice(("div", "span", "b")), self.some(LEAVES, LEAVES if pick.random() < 0.3 else ("",)))]
        for _ in range(pick.choice((0, 0, 1, 1, 2))):
            pick.choice(case.elements).inner.append((pick.random() < 0.8, pick.choice(FILLERS)))

    def lined(self, case):
        pick = self.random
        case.elements = [Element("div", self.some(LINED, HEIGHTS)), Element("span", self.some(BOXES))]
        if pick.random() < 0.2:
            case.elements.insert(1, Element("span", self.some(HEIGHTS)))
        for _ in range(pick.choice((0, 1, 1, 2))):
            pick.choice(case.elements[:2]).inner.append((pick.random() < 0.4, pick.choice(TALL)))

    def declared(self):
        pick = self.random
        elements = [self.element() for _ in range(pick.choice((1, 1, 1, 2, 2, 3)))]
        for _ in range(pick.choice((1, 1, 1, 2, 2, 3, 4))):
            self.place(pick.choice(elements))
        case = Case(pick.choice(("", "<!doctype html>")), elements, wrapper=pick.choice(WRAPPERS))
        if pick.random() < 0.04:
            case.shell = pick.choice(RARE)
        if pick.random() < 0.08:
            pick.choice(elements).attributes.append(self.attribute())
        if pick.random() < 0.08:
            case.beside.append((pick.random() < 0.3, self.neighbour()))
        text = case.html()
        case.sheet = (KEYFRAMES if "fade" in text else "") + (FONTS if "mk" in text else "") + (":root{--a:white;--b:0}" if "var(" in text else "")
        return case

    def element(self):
        pick = self.random
        name = pick.choice((pick.choice(BLOCKS), "div", "div", pick.choice(INLINES), "span", "p", pick.choice(("td", "tr", "table", "li"))))
        attributes = [("open", "")] if name == "details-open" else []
        attributes += [("href", "https://example.org/")] if name == "a" else []
        return Element(name.removesuffix("-open").removesuffix("-x"), attributes=attributes)

    def place(self, element):
        pick = self.random
        if pick.random() < 0.65:
            return element.inline.append(self.declaration())
        if element.rules and pick.random() < 0.4:
            return element.rules[0][2].append(self.declaration())
        element.rules.append((pick.choice(AROUND) if pick.random() < 0.5 else "{}", pick.choice(SELECTORS) if pick.random() < 0.5 else "{}", [self.declaration()]))

    def declaration(self):
        pick = self.random
        name = pick.choice(self.able if pick.random() < 0.4 else self.names)
        value = pick.choice(self.values[name]) if pick.random() < 0.93 else pick.choice(POOL)
        # Every property takes these, so that they would crowd out the others.
        while value.startswith(SUBSTITUTIONS) and pick.random() < 0.8:
            value = pick.choice(self.values[name])
        if pick.random() < 0.02:
            value += " " + pick.choice(POOL)
        name = name.upper() if pick.random() < 0.02 else name
        return f"{name}:{value}" + ("!important" if pick.random() < 0.04 else "")

    def attribute(self):
        name, values = self.random.choice(ATTRIBUTES)
        return name, self.random.choice(values)

    def neighbour(self):
        pick = self.random
        declarations = ";".join(self.declaration() for _ in range(pick.choice((1, 1, 2, 3))))
        return pick.choice(BESIDE).format(declarations.replace("'", '"').replace("{", "").replace("}", ""))
