//! Counts messages by who, where and when, all of them or what a search finds.

use serde_json::{Value, json};

use crate::figures::size;
use crate::query::analytics::{Bounds, GroupBy, Grouped, Period, Span};
use crate::query::{Counted, Page, Tally, TallyBy};
use crate::text_safety::one_line;
use crate::tools::accounts::AccountScope;
use crate::tools::core::{ACCOUNT, CURSOR, limit, page, with_freshness, with_next};
use crate::tools::text::{fitting, shortened};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const QUERY: Argument = Argument::text("query", "Only what search_emails finds.").like("in:inbox from:ada");
const GROUP_BY: Argument = Argument::one_of(
    "group_by",
    &["sender", "domain", "list", "mailbox", "label", "account", "day", "month", "year", "weekday_hour"],
    "list: newsletters and mailing lists, with their bytes.",
)
.or_text("sender");
const PER: Argument = Argument::one_of("per", &["day", "month", "year"], "Split each group by time.");
const AFTER: Argument = Argument::text("after", "First day, month or year.").like("2024-01-31");
const BEFORE: Argument = Argument::text("before", "Before this one.").like("2025");
const LIMIT: Argument = limit(200);

/// The most characters of what a group is called: a name and an address.
const LONGEST_KEY: usize = 600;

pub(super) const EMAIL_STATS: Tool = Tool {
    name: "email_stats",
    title: "Email statistics",
    description: "Count emails by sender, domain, list, mailbox, label, account or time (UTC).",
    effect: Effect::Reads,
    arguments: &[QUERY, GROUP_BY, PER, AFTER, BEFORE, ACCOUNT, LIMIT, CURSOR],
    output,
    run,
};

fn output() -> Value {
    let text = json!({ "type": "string" });
    let group = json!({ "key": text, "period": text, "count": { "type": "integer" }, "bytes": { "type": "integer" } });
    super::object_schema(json!({
        "items": { "type": "array", "items": { "type": "object", "properties": group } },
        "total": { "type": "integer" }, "next_cursor": text,
    }))
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let scope = context.account_scope(arguments.text(&ACCOUNT))?;
    let page = page(arguments, arguments.count(&LIMIT))?;
    let (mut groups, more) = counted(context, arguments, &scope, page)?;
    for group in &mut groups {
        group.key = shortened(&one_line(&group.key), LONGEST_KEY);
    }
    // What does not fit is the next page's, so it is left out before they are put in order.
    let fit = fitting(groups.iter().map(|group| (line(group), json!(group)))).0.len();
    let more = more || fit < groups.len();
    groups.truncate(fit);
    let by_time = matches!(arguments.text(&GROUP_BY), Some("day" | "month" | "year"));
    // The first page has the newest; time runs forward on each.
    groups.sort_by(|a, b| {
        let time = a.period.cmp(&b.period);
        if by_time { time.then_with(|| a.key.cmp(&b.key)) } else { time }
    });
    let lines: Vec<_> = groups.iter().map(line).collect();
    let text = if lines.is_empty() { "No emails.".to_owned() } else { lines.join("\n") };
    let next = more.then(|| page.offset + groups.len());
    let reply = with_next(Reply::new(text, json!({ "items": groups })), next);
    Ok(with_freshness(reply, context, &scope.accounts))
}

fn line(group: &Counted) -> String {
    let period = group.period.as_ref().map(|period| format!("{period}  ")).unwrap_or_default();
    let bytes = group.bytes.map(|bytes| format!("  {}", size(bytes.unsigned_abs()))).unwrap_or_default();
    format!("{:>8}  {period}{}{bytes}", group.count, group.key)
}

/// The groups of a page, and whether there are more. What needs no search is read from the counts that are kept.
fn counted(
    context: &mut ToolContext,
    arguments: &Arguments,
    scope: &AccountScope,
    page: Page,
) -> Result<(Vec<Counted>, bool), ToolError> {
    let span = span(arguments)?;
    let by = arguments.text(&GROUP_BY).unwrap_or("sender");
    let kept: Option<GroupBy> = serde_json::from_value(json!(by)).ok();
    let per = arguments.text(&PER).map(period);
    if let (Some(by), None, None) = (kept, per, arguments.text(&QUERY)) {
        return kept_counts(context, &Grouped { by, mailbox: None, span, limit: 0 }, scope, page);
    }
    let by: TallyBy = serde_json::from_value(json!(by))
        .map_err(|_| ToolError::invalid("group_by", format!("`{by}` is not known")))?;
    let query = arguments.text(&QUERY).unwrap_or_default();
    let asked = Tally { query, account: scope.named.as_ref(), span, by, per };
    let groups = context.archive()?.tally(&asked)?;
    let more = groups.len() > page.offset + page.limit;
    Ok((groups.into_iter().skip(page.offset).take(page.limit).collect(), more))
}

/// The same from the counts that are kept; of parts of time the newest come first here.
fn kept_counts(
    context: &mut ToolContext,
    asked: &Grouped,
    scope: &AccountScope,
    page: Page,
) -> Result<(Vec<Counted>, bool), ToolError> {
    let wanted = page.offset + page.limit;
    let bounds = Bounds { account: scope.key(), max_limit: wanted + 1, raw: false };
    let mut groups =
        context.archive()?.db(bounds).grouped(&Grouped { limit: wanted + 1, ..asked.clone() })?;
    if matches!(asked.by, GroupBy::Day | GroupBy::Month | GroupBy::Year) {
        groups.reverse();
    }
    let more = groups.len() > wanted;
    let groups = groups.into_iter().skip(page.offset).take(page.limit);
    Ok((
        groups
            .map(|group| Counted { key: group.key, period: None, count: group.count, bytes: None })
            .collect(),
        more,
    ))
}

fn period(word: &str) -> Period {
    match word {
        "day" => Period::Daily,
        "year" => Period::Yearly,
        _ => Period::Monthly,
    }
}

/// As in a search: `after` includes its day, month or year, `before` excludes it.
fn span(arguments: &Arguments) -> Result<Span, ToolError> {
    let from = arguments.text(&AFTER).map(Span::of).transpose()?.map_or(i64::MIN, |span| span.from);
    let until = arguments.text(&BEFORE).map(Span::of).transpose()?.map_or(i64::MAX, |span| span.from - 1);
    Ok(Span { from, until })
}
