//! What has happened in Gmail since a point, applied to what is here.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::gmail::{Event, History, LabelIds, LabelNames, What};
use crate::sync::SyncError;
use crate::sync::gmail::{GmailPass, MOST_CONFIRMED, renamed};

/// What is known before messages are looked at.
struct News {
    /// What happened to each message, in order.
    stories: BTreeMap<u64, Vec<What>>,
    /// Messages to look at in any case.
    touched: BTreeSet<u64>,
    names: LabelNames,
    /// Labels that were made, renamed or deleted.
    renamed: LabelIds,
    /// Of these, the ones that are gone.
    deleted: LabelIds,
}

/// What is to be done.
#[derive(Default)]
struct Work {
    new: Vec<u64>,
    gone: Vec<u64>,
}

impl GmailPass<'_> {
    /// Applies a history, and looks anew at the messages whose changes were told to Gmail.
    pub(super) fn follow(&mut self, history: History, touched: BTreeSet<u64>) -> Result<(), SyncError> {
        let account = self.account.key;
        let news = self.news(history.events, touched)?;
        let work = self.retell(&news)?;
        self.add(&work.new)?;
        let missing = self.reader.gmail_missing(account)?;
        self.fetch(&missing, &news.names)?;
        self.feed.flush_if_any()?;
        if !self.remove_deleted(work.gone)? {
            return self.look_anew();
        }
        let since = self.reader.gmail_history(account)?;
        if since == Some(history.newest) && news.renamed.is_empty() {
            return Ok(self.feed.flush_if_any()?);
        }
        self.settle(history.newest, &news.names)
    }

    /// Takes away what was deleted in Gmail, as far as Gmail bears it out; says whether its words add up.
    fn remove_deleted(&mut self, deleted: Vec<u64>) -> Result<bool, SyncError> {
        let count = deleted.len();
        if count > MOST_CONFIRMED {
            let known = self.reader.gmail_ids(self.account.key)?.len();
            let left = self.source.own_profile()?.messages_total;
            if left.is_some_and(|left| left <= (known - count.min(known)) as u64) {
                return self.remove(&deleted).map(|()| true);
            }
            let problem = "Gmail says that many messages were deleted, and that it has more than are left";
            self.report.lacks(format!("{problem}: nothing is taken as gone"));
            return Ok(false);
        }
        let gone = self.surely_gone(deleted)?;
        if gone.len() < count {
            let there = count - gone.len();
            self.report.lacks(format!("Gmail says that {there} messages were deleted, and has them"));
        }
        self.remove(&gone)?;
        Ok(true)
    }

    /// Has the next sync look at everything that Gmail has.
    fn look_anew(&mut self) -> Result<(), SyncError> {
        let account = self.account.key;
        self.feed.change(Box::new(move |tx| tx.set_history(account, None)))?;
        Ok(self.feed.flush()?)
    }

    /// The names of labels are asked for after the history, so that they are the newer ones.
    fn news(&mut self, events: Vec<Event>, mut touched: BTreeSet<u64>) -> Result<News, SyncError> {
        let account = self.account.key;
        let before = self.reader.gmail_labels(account)?;
        let names = self.source.labels()?;
        let renamed = renamed(&before, &names);
        for label in &renamed {
            touched.extend(self.reader.gmail_labelled(account, label)?);
        }
        let mut stories: BTreeMap<u64, Vec<What>> = touched.iter().map(|id| (*id, Vec::new())).collect();
        for Event { message, what } in events {
            stories.entry(message).or_default().push(what);
        }
        // A label that was not there the last time may have been left out then: who carries it is asked anew.
        for label in names.keys().filter(|id| !before.is_empty() && !before.contains_key(*id)) {
            for message in self.source.messages(Some(label))? {
                stories.entry(message).or_default().push(What::Labelled(vec![label.clone()]));
            }
        }
        let deleted = before.keys().filter(|id| !names.contains_key(*id)).cloned().collect();
        Ok(News { stories, touched, names, renamed, deleted })
    }

    /// Puts what is here where its labels say after all that happened to it; gives back what is new and what is gone.
    fn retell(&mut self, news: &News) -> Result<Work, SyncError> {
        let mut work = Work::default();
        for (id, story) in &news.stories {
            let is_gone = story.contains(&What::Deleted);
            match self.reader.gmail_row(self.account.key, *id)? {
                Some(_) if is_gone => work.gone.push(*id),
                None if is_gone || story.is_empty() => {}
                None => work.new.push(*id),
                Some(row) => {
                    let Some(message) = row.message else { continue };
                    let ids = &told(&row.labels, story) - &news.deleted;
                    if ids != row.labels || news.touched.contains(id) {
                        self.report.changed += u64::from(ids != row.labels);
                        let place = self.boxes.place(row.number, *id, ids, &news.names);
                        self.place(message, place)?;
                    }
                }
            }
        }
        Ok(work)
    }
}

/// The labels after a story.
fn told(before: &LabelIds, story: &[What]) -> LabelIds {
    let mut labels = before.clone();
    for what in story {
        match what {
            What::Labelled(ids) => labels.extend(ids.iter().cloned()),
            What::Unlabelled(ids) => labels.retain(|label| !ids.contains(label)),
            What::Added | What::Deleted => {}
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::told;
    use crate::source::gmail::{LabelIds, What};

    fn ids(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_last_word_about_a_label_counts_however_often_it_is_said() {
        let before: LabelIds = ids("INBOX UNREAD").into_iter().collect();
        let story = [
            What::Added,
            What::Unlabelled(ids("UNREAD")),
            What::Labelled(ids("Label_1 STARRED")),
            What::Unlabelled(ids("STARRED INBOX")),
            What::Labelled(ids("INBOX")),
        ];

        let once = told(&before, &story);
        let twice = told(&once, &story);

        assert_eq!(once, ids("INBOX Label_1").into_iter().collect());
        assert_eq!(once, twice);
    }
}
