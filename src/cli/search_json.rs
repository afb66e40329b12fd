//! The answer to a search as `--json` prints it. Fields that have nothing to say are left out.

use serde_json::{Map, Value, json};

use crate::query::{Results, Summary};

/// An answer, with the query as it was given.
pub(super) fn answer(query: &str, results: &Results) -> Value {
    let items: Vec<Value> = results.items.iter().map(item).collect();
    let mut answer = json!({
        "query": query, "mode": results.mode, "total": results.total, "took_ms": results.took_ms, "results": items,
    });
    let fields = answer.as_object_mut();
    let Some(fields) = fields else { return answer };
    put(fields, "indexed", json!(results.indexed), results.indexed.is_some());
    put(fields, "partial", json!(results.partial), results.partial > 0);
    put(fields, "words", json!(results.counts), !results.counts.is_empty());
    put(fields, "not_indexed", json!(results.not_indexed), results.not_indexed > 0);
    put(fields, "withheld", json!(results.withheld), results.withheld > 0);
    put(fields, "notes", json!(results.notes), !results.notes.is_empty());
    answer
}

fn item(item: &Summary) -> Value {
    let matched = &item.matched;
    let mut value = json!({
        "id": item.id, "message_id": item.message_id, "account": item.account, "mailbox": item.mailbox,
        "date": item.date, "from": item.from, "subject": item.subject, "snippet": item.snippet,
        "score": matched.score,
    });
    let Some(fields) = value.as_object_mut() else { return value };
    put(fields, "gone", json!(item.gone), item.gone.is_some());
    put(fields, "matched", json!(matched.by), !matched.by.is_empty());
    put(fields, "missing", json!(matched.missing), !matched.missing.is_empty());
    put(fields, "copies", json!(matched.copies), !matched.copies.is_empty());
    value
}

fn put(fields: &mut Map<String, Value>, name: &str, value: Value, is_said: bool) {
    if is_said {
        fields.insert(name.to_owned(), value);
    }
}
