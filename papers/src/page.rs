//! One page that shows everything: claims, verdicts, figures, numbers. It needs no other file.

use crate::Failure;
use crate::item::{Report, digits};
use std::fmt::Write;
use std::path::Path;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;\
    color:#222}table{border-collapse:collapse;margin:1rem 0;width:100%}\
    td,th{border:1px solid #ccc;padding:.35rem .6rem;text-align:left;vertical-align:top}th{background:#f3f3f3}\
    .reproduced{color:#00704f;font-weight:600}.corrected{color:#9a6200;font-weight:600}\
    .not{color:#b03a00;font-weight:600}figure{margin:1rem 0;overflow-x:auto}details{margin:1rem 0}\
    details div{overflow:auto;max-height:24rem;font-size:.8rem}.paper{color:#666}";

/// Writes `index.html` and `verdicts.md`.
pub fn write(folder: &Path, reports: &[Report], quick: bool) -> Result<(), Failure> {
    let save = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
    };
    save("index.html", html(reports, quick)?)?;
    save("verdicts.md", verdicts(reports))?;
    Ok(())
}

fn html(reports: &[Report], quick: bool) -> Result<String, Failure> {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>The papers, computed \
         again</title><style>{STYLE}</style></head>\n\
         <body><h1>The papers, computed again</h1>\n"
    );
    page += "<p>Figures and tables of five papers on differential privacy on Riemannian manifolds, computed by karcher \
             beside what the papers say. Seeds are fixed: these numbers protect nobody. Claims marked [Ours] are not \
             in the words of the texts at hand, which lack the main texts of Reimherr 2021 and Soto 2022. A claim that \
             does not hold is reported, with the reason. A setting that a paper states was not changed to make one \
             hold; one that it does not state may have been sought, and then the verdict says so and is not plainly \
             “reproduced”.</p>\n";
    if quick {
        page += "<p><strong>A quick run: fewer repetitions and sizes and shorter chains than in the papers. Verdicts, \
                 above all on chains, may differ from those of a full run.</strong></p>\n";
    }
    page += "<table><tr><th>item</th><th>claims</th><th>reproduced</th><th>with a correction</th><th>not \
             reproduced</th></tr>\n";
    for report in reports {
        let counts = ["reproduced", "corrected", "not"].map(|class| {
            report.outcome.claims.iter().filter(|claim| class_of(claim.verdict.words().0) == class).count()
        });
        let claims = match report.outcome.skipped {
            Some(_) => "skipped".to_owned(),
            None => report.outcome.claims.len().to_string(),
        };
        writeln!(
            page,
            "<tr><td><a href=\"#{0}\">{0}</a></td><td>{claims}</td><td>{1}</td><td>{2}</td><td>{3}</td></tr>",
            report.item.name, counts[0], counts[1], counts[2]
        )?;
    }
    page += "</table>\n";
    for report in reports {
        section(&mut page, report)?;
    }
    page += "</body></html>\n";
    Ok(page)
}

fn section(page: &mut String, report: &Report) -> Result<(), Failure> {
    let (item, outcome) = (report.item, &report.outcome);
    writeln!(
        page,
        "<section id=\"{}\"><h2>{}</h2><p class=\"paper\">{}</p>",
        item.name,
        escape(item.title),
        escape(item.paper)
    )?;
    if let Some(reason) = &outcome.skipped {
        writeln!(page, "<p class=\"not\">Skipped: {}</p></section>", escape(reason))?;
        return Ok(());
    }
    *page += "<table><tr><th>the paper</th><th>found</th><th>verdict</th></tr>\n";
    for claim in &outcome.claims {
        let (verdict, reason) = claim.verdict.words();
        let reason = if reason.is_empty() { String::new() } else { format!(": {}", escape(reason)) };
        let (class, says, found) = (class_of(verdict), escape(&claim.says), escape(&claim.found));
        writeln!(
            page,
            "<tr><td>{says}</td><td>{found}</td><td><span class=\"{class}\">{verdict}</span>{reason}</td></tr>"
        )?;
    }
    *page += "</table>\n";
    if let Some(figure) = &outcome.figure {
        writeln!(page, "<figure>{}</figure>", figure.to_svg()?)?;
    }
    if !outcome.notes.is_empty() {
        let notes: String = outcome.notes.iter().map(|note| format!("<li>{}</li>", escape(note))).collect();
        writeln!(page, "<ul>{notes}</ul>")?;
    }
    let (header, rows) = outcome.table.parts();
    let cells = |cells: &[String], tag: &str| -> String {
        cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect()
    };
    writeln!(
        page,
        "<details><summary>{} rows of numbers</summary><div><table><tr>{}</tr>",
        rows.len(),
        cells(header, "th")
    )?;
    for row in rows {
        let row: Vec<String> = row.iter().map(|cell| short(cell)).collect();
        writeln!(page, "<tr>{}</tr>", cells(&row, "td"))?;
    }
    *page += "</table></div></details></section>\n";
    Ok(())
}

/// A number of many digits rounded, as all of them are in the CSV.
fn short(cell: &str) -> String {
    match cell.parse::<f64>() {
        Ok(x) if cell.len() > 8 => digits(x),
        _ => cell.to_owned(),
    }
}

fn class_of(verdict: &str) -> &'static str {
    match verdict {
        "reproduced" => "reproduced",
        "not reproduced" => "not",
        _ => "corrected",
    }
}

/// The verdicts in Markdown, as they stand in `docs/evidence/verdicts.md`.
fn verdicts(reports: &[Report]) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let claims = || reports.iter().flat_map(|report| &report.outcome.claims);
    let count = |class: &str| claims().filter(|claim| class_of(claim.verdict.words().0) == class).count();
    let mut text = format!(
        "{} claims are reproduced, {} with a correction, {} are not.\n",
        count("reproduced"),
        count("corrected"),
        count("not")
    );
    for report in reports {
        let (item, outcome) = (report.item, &report.outcome);
        text += &format!("\n### {}: {}\n\n{}\n\n", item.name, item.title, item.paper);
        if let Some(reason) = &outcome.skipped {
            text += &format!("Skipped: {reason}\n");
            continue;
        }
        text += "| the paper | found | verdict |\n| --- | --- | --- |\n";
        for claim in &outcome.claims {
            let (verdict, reason) = claim.verdict.words();
            let reason = if reason.is_empty() { String::new() } else { format!(": {}", cell(reason)) };
            text += &format!("| {} | {} | **{verdict}**{reason} |\n", cell(&claim.says), cell(&claim.found));
        }
        if !outcome.notes.is_empty() {
            text += "\n";
        }
        for note in &outcome.notes {
            text += &format!("* {note}\n");
        }
    }
    text
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
