//! Releases of an earlier schema are read: their fields have other names, and the same content.

use crate::common::{cloud, manifold};
use karcher::mechanism::{Components, PrivateFrechetMean, PrivateLocation, Request, Spread};
use karcher::privacy::Guarantee;
use karcher::release::PublishedRelease;
use karcher::{Ball, ReleaseContext};
use serde_json::Value;

/// The names that fields of schema 3 have in schema 2.
const NAMES: [(&str, &str); 7] = [
    ("quantity", "of"),
    ("draws", "times"),
    ("coverage", "holds"),
    ("fraction_outside", "share_outside"),
    ("consistent_with_uniform", "scattered"),
    ("explained_variance_ratio", "shares"),
    ("center_method", "center_by"),
];

/// The same release as schema 2 wrote it.
fn in_schema_2(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (new, old) in NAMES {
                if let Some(content) = fields.remove(new) {
                    fields.insert(old.to_owned(), content);
                }
            }
            if fields.contains_key("probability")
                && let Some(content) = fields.remove("center")
            {
                fields.insert("about".to_owned(), content);
            }
            fields.values_mut().for_each(in_schema_2);
        }
        Value::Array(items) => items.iter_mut().for_each(in_schema_2),
        Value::String(text) if text == "fraction-outside" => *text = "share-outside".to_owned(),
        _ => {}
    }
}

#[test]
fn releases_of_schema_2_are_read() {
    let m = manifold("sphere:2");
    let points = cloud(&m, 2_000, 0.2, 3);
    let ball = Ball::at_origin(&*m, 1.0).unwrap();
    let budget = Guarantee::gaussian(4.0).unwrap();
    let mean = PrivateFrechetMean::new(m.clone(), ball.clone()).unwrap();
    let mean = Request::new(mean, 2_000, budget)
        .spread(Some(Spread { clip: Some(2.0) }))
        .components(Some(Components { clip: Some(2.0) }));
    let located = Request::new(PrivateLocation::new(m.clone(), ball).unwrap(), 2_000, budget);
    let mut seen = String::new();
    for request in [mean, located] {
        let release = request.plan().unwrap().run(&points, &mut ReleaseContext::seeded(1)).unwrap();
        let mut json = serde_json::to_value(&release).unwrap();
        in_schema_2(&mut json);
        json["schema"] = 2.into();
        seen += &json.to_string();
        let read: PublishedRelease = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(read, PublishedRelease::from(release));
        json["schema"] = 4.into();
        let refused = serde_json::from_value::<PublishedRelease>(json).unwrap_err().to_string();
        assert!(refused.contains("this version reads schemas 2 and 3"), "{refused}");
    }
    for (_, old) in NAMES {
        assert!(seen.contains(&format!("\"{old}\"")), "{old} is not tried");
    }
}
