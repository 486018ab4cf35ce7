//! A page as a PNG file.

use super::page::{Color, Form, Ink, Mark, Page, Panel, Place};
use crate::{Error, Result};
use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use tiny_skia::{
    FillRule, LineCap, LineJoin, Mask, Paint, PathBuilder, Pixmap, PremultipliedColorU8, Rect, Stroke, StrokeDash,
    Transform,
};

/// So many pixels of the file for one of the page, along each side.
const ZOOM: f64 = 2.0;

/// The file. The same page makes the same bytes.
pub fn bytes(page: &Page) -> Result<Vec<u8>> {
    let side = |length: f64| (ZOOM * length).round() as u32;
    let mut pixels =
        Pixmap::new(side(page.size.0), side(page.size.1)).ok_or_else(|| Error::new("no picture has such a size"))?;
    pixels.fill(tiny_skia::Color::WHITE);
    let font = FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).map_err(Error::new)?;
    for panel in &page.panels {
        let mask = mask(panel, &pixels);
        panel.marks.iter().for_each(|mark| draw(&mut pixels, mask.as_ref(), &font, mark));
    }
    pixels.encode_png().map_err(Error::new)
}

/// The visible part of a panel.
fn mask(panel: &Panel, pixels: &Pixmap) -> Option<Mask> {
    let window = panel.window?;
    let [left, top, width, height] = [window.left, window.top, window.width, window.height].map(|x| x as f32);
    let mut mask = Mask::new(pixels.width(), pixels.height())?;
    let path = PathBuilder::from_rect(Rect::from_xywh(left, top, width, height)?);
    mask.fill_path(&path, FillRule::Winding, true, zoomed());
    Some(mask)
}

fn zoomed() -> Transform {
    Transform::from_scale(ZOOM as f32, ZOOM as f32)
}

fn draw(pixels: &mut Pixmap, mask: Option<&Mask>, font: &FontRef<'_>, Mark { form, ink, .. }: &Mark) {
    let path = match form {
        Form::Text(at, size, text) => return write(pixels, font, (*at, *size), text, ink),
        Form::Circle([x, y], radius) => PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32),
        Form::Path(places, closed) => {
            let mut path = PathBuilder::new();
            for (i, [x, y]) in places.iter().enumerate() {
                if i == 0 { path.move_to(*x as f32, *y as f32) } else { path.line_to(*x as f32, *y as f32) }
            }
            if *closed {
                path.close();
            }
            path.finish()
        }
    };
    let Some(path) = path else { return };
    if let Some((color, opacity)) = ink.fill {
        pixels.fill_path(&path, &paint(color, opacity), FillRule::Winding, zoomed(), mask);
    }
    if let Some((color, width)) = ink.line {
        let dash = if ink.dashed { StrokeDash::new(vec![5.0, 4.0], 0.0) } else { None };
        let (line_cap, line_join) = (LineCap::Butt, LineJoin::Round);
        let stroke = Stroke { width: width as f32, dash, line_cap, line_join, ..Stroke::default() };
        pixels.stroke_path(&path, &paint(color, 1.0), &stroke, zoomed(), mask);
    }
}

fn paint(Color(red, green, blue): Color, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (255.0 * opacity).round() as u8);
    paint.anti_alias = true;
    paint
}

/// Words, letter by letter. Windows do not clip them.
fn write(pixels: &mut Pixmap, font: &FontRef<'_>, (at, size): (Place, f64), text: &str, ink: &Ink) {
    let Some((color, _)) = ink.fill else { return };
    // a font's height is more than the em that sizes are given in
    let em = font.units_per_em().map_or(1.0, |em| font.height_unscaled() / em);
    let scaled = font.as_scaled(PxScale::from((ZOOM * size) as f32 * em));
    let (mut x, y) = ((ZOOM * at[0]) as f32, (ZOOM * at[1]) as f32);
    let mut last = None;
    for id in text.chars().map(|c| font.glyph_id(c)) {
        x += last.map_or(0.0, |last| scaled.kern(last, id));
        if let Some(outlined) = font.outline_glyph(id.with_scale_and_position(scaled.scale(), point(x, y))) {
            let corner = outlined.px_bounds().min;
            outlined.draw(|i, j, share| {
                blend(pixels, (corner.x as i64 + i64::from(i), corner.y as i64 + i64::from(j)), color, share);
            });
        }
        x += scaled.h_advance(id);
        last = Some(id);
    }
}

/// Covers a share of one pixel.
fn blend(pixels: &mut Pixmap, (x, y): (i64, i64), Color(red, green, blue): Color, share: f32) {
    let (width, height) = (i64::from(pixels.width()), i64::from(pixels.height()));
    if !(0..width).contains(&x) || !(0..height).contains(&y) {
        return;
    }
    let share = share.clamp(0.0, 1.0);
    let mixed = |new: u8, old: u8| (share * f32::from(new) + (1.0 - share) * f32::from(old)).round() as u8;
    // the page is opaque
    if let Some(pixel) = pixels.pixels_mut().get_mut((y * width + x) as usize)
        && let Some(new) = PremultipliedColorU8::from_rgba(
            mixed(red, pixel.red()),
            mixed(green, pixel.green()),
            mixed(blue, pixel.blue()),
            255,
        )
    {
        *pixel = new;
    }
}
