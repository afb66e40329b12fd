//! PowerPoint: what a person sees of the slides, in their order, and of the notes below them. Hidden slides and shapes,
//! shapes beside the slide or behind others, and letters too small or too pale to read are left out.

use crate::model::Reason;
use crate::parse::visible_text::Verdict;

use super::DocumentError;
use super::archive::Archive;
use super::package::{self, Relation, Theme};
use super::pptx_shapes::{GroundOf, Layer, Shape, Slide};
use super::sight::Area;
use super::text::Text;
use super::xml::{self, Listener, Tag};

/// Shapes of a slide that are compared with each other; past this all of it is in doubt.
const MOST_SHAPES: usize = 1_000;

/// Adds what can be seen of a presentation.
pub(super) fn read(bytes: &[u8], out: &mut Text) -> Result<(), DocumentError> {
    let mut archive = Archive::open(bytes)?;
    let main = package::main_part(&mut archive, "ppt/presentation.xml")?;
    let relations = package::relations(&mut archive, &main)?;
    let mut order = Order::default();
    if let Some(text) = archive.part_if_any(&main)? {
        xml::walk(&text, &mut order);
    }
    let theme = Theme::read(package::related(&mut archive, &relations, "theme")?.as_deref());
    let size = order.size.unwrap_or(Area::sized(0.0, 0.0, 9_144_000.0, 6_858_000.0));
    let slides = slides(&archive, &relations, &order);
    let mut notes = Vec::new();
    for name in &slides {
        if out.is_full() {
            break;
        }
        notes.extend(slide(&mut archive, name, (&theme, size), out)?);
    }
    for name in notes {
        let Some(text) = archive.part_if_any(&name)? else { continue };
        // A page of notes has its own size; what counts is that its letters can be read.
        let page = Area::sized(-1e9, -1e9, 2e9, 2e9);
        let mut slide = Slide::new(&theme, page, Layer::default());
        xml::walk(&text, &mut slide);
        tell(&slide, &page, out);
    }
    Ok(())
}

/// The slides that the presentation shows; all there are where it does not say.
fn slides(archive: &Archive<'_>, relations: &[Relation], order: &Order) -> Vec<String> {
    if order.slides.is_empty() && relations.is_empty() {
        return archive.names(|name| name.starts_with("ppt/slides/slide"));
    }
    let found = order.slides.iter().filter_map(|id| relations.iter().find(|relation| relation.id == *id));
    found.filter(|relation| relation.kind == "slide").map(|relation| relation.target.clone()).collect()
}

/// Adds one slide and returns the names of its notes.
fn slide(
    archive: &mut Archive<'_>,
    name: &str,
    (theme, size): (&Theme, Area),
    out: &mut Text,
) -> Result<Vec<String>, DocumentError> {
    let Some(text) = archive.part_if_any(name)? else { return Ok(Vec::new()) };
    let relations = package::relations(archive, name)?;
    let (below, theme) = layers(archive, &relations, (theme, size))?;
    let theme = theme.mapped(&text);
    let mut slide = Slide::new(&theme, size, below);
    xml::walk(&text, &mut slide);
    tell(&slide, &size, out);
    out.push("\n");
    if slide.is_hidden {
        return Ok(Vec::new());
    }
    Ok(relations.into_iter().filter(|relation| relation.kind == "notesSlide").map(|r| r.target).collect())
}

/// What a slide takes over from its layout, and that from its master, and the colours of both.
fn layers(
    archive: &mut Archive<'_>,
    relations: &[Relation],
    (theme, size): (&Theme, Area),
) -> Result<(Layer, Theme), DocumentError> {
    let Some(layout) = relations.iter().find(|relation| relation.kind == "slideLayout") else {
        return Ok((Layer::default(), theme.clone()));
    };
    let more = package::relations(archive, &layout.target)?;
    let master =
        more.iter().find(|relation| relation.kind == "slideMaster").map(|master| master.target.as_str());
    let mut theme = theme.clone();
    if let Some(master) = master {
        let of_master = package::relations(archive, master)?;
        let own = package::related(archive, &of_master, "theme")?;
        theme = own.map_or(theme, |own| Theme::read(Some(&own)));
    }
    let master = master.map(|master| archive.part_if_any(master)).transpose()?.flatten();
    let layout = archive.part_if_any(&layout.target)?;
    let mut below = Layer::default();
    for text in [master, layout].into_iter().flatten() {
        theme = theme.mapped(&text);
        let mut layer = Slide::new(&theme, size, below);
        xml::walk(&text, &mut layer);
        below = layer.into_layer();
    }
    Ok((below, theme))
}

/// Adds the shapes of a slide that can be seen.
fn tell(slide: &Slide<'_>, size: &Area, out: &mut Text) {
    for (index, shape) in slide.shapes.iter().enumerate() {
        let place = match () {
            () if slide.is_hidden => Verdict::Hidden(Reason::Display),
            () if slide.shapes.len() > MOST_SHAPES => Verdict::Doubtful("shapes"),
            () => place(shape, &slide.shapes[index + 1..], size),
        };
        let ground = slide.ground_of(index);
        let mut below = shape.area.map_or(0.0, |area| area.top);
        let mut beside = shape.area.map_or(0.0, |area| area.left);
        let is_above = below - shape.above_top() < size.top - 0.02 * (size.bottom - size.top);
        for run in &shape.runs {
            let mut letters = run.letters;
            below += shape.height_of(run);
            beside += shape.length_of(run);
            let is_below = below > size.bottom + 0.1 * (size.bottom - size.top);
            if is_below || beside > size.right || is_above && shape.above_top() > 0.0 {
                letters.doubt("overflow");
            }
            if shape.ground.is_none() && run.ground == GroundOf::Shape {
                letters.ground = ground;
            }
            let verdict = match (place, letters.verdict()) {
                (Verdict::Hidden(_), _) | (_, Verdict::Shown) => place,
                (_, own) => own,
            };
            out.put(&run.text, verdict);
            if run.ends_line {
                beside = shape.area.map_or(0.0, |area| area.left);
                out.push("\n");
            }
        }
    }
}

/// Whether a shape can be seen where it is.
fn place(shape: &Shape, above: &[Shape], size: &Area) -> Verdict {
    if shape.is_hidden {
        return Verdict::Hidden(Reason::Display);
    }
    let Some(area) = shape.area else { return Verdict::Doubtful("position") };
    let inside = area.share_in(size);
    let cover = above.iter().flat_map(Shape::covered);
    // Several may cover together what none covers alone.
    let (covered, most) = cover
        .map(|cover| area.share_in(&cover))
        .fold((0.0, 0.0), |(sum, most): (f32, f32), share| (sum + share, most.max(share)));
    match () {
        () if inside < 0.1 => Verdict::Hidden(Reason::OffScreen),
        () if most > 0.9 => Verdict::Hidden(Reason::Covered),
        () if inside < 0.6 => Verdict::Doubtful("position"),
        () if covered > 0.3 => Verdict::Doubtful("something over it"),
        () => Verdict::Shown,
    }
}

/// What the presentation says about its slides.
#[derive(Default)]
struct Order {
    slides: Vec<String>,
    size: Option<Area>,
}

impl Listener for Order {
    fn open(&mut self, tag: &Tag<'_>) {
        match tag.name().as_ref() {
            "sldId" => self.slides.extend(tag.qualified("r:id")),
            "sldSz" => {
                self.size = tag
                    .number("cx")
                    .zip(tag.number("cy"))
                    .map(|(width, height)| Area::sized(0.0, 0.0, width, height));
            }
            _ => {}
        }
    }

    fn close(&mut self, _name: &str) {}

    fn text(&mut self, _text: &str) {}
}
