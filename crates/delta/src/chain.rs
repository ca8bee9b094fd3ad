//! The chain of versions of one row or edge: takes its head, puts a version in front, unless somebody else
//! was first.
//!
//! Invariant: versions that write one column stand in their chain in the order of their commits.

use std::sync::atomic::{AtomicU32, Ordering};

use trimorph_mvcc::{AtomicStamp, Conflict, Needed, Stamp};

use crate::pages::{Body, Event, Page, Pages, Shape, Version, place};
use crate::writer::Writer;

/// Puts a version of `shape`, which nobody finds yet, in front of the chain at `head`.
///
/// **Errors**: the newest version of what it writes is somebody's who has not committed, or committed since
/// the writer began.
pub(crate) fn link(
    pages: &Pages,
    writer: &Writer<'_>,
    shape: &Shape,
    head: &AtomicU32,
    version: Version,
) -> Result<(), Conflict> {
    let mut there = head.load(Ordering::Acquire);
    loop {
        if there != 0 {
            ask(pages, writer, shape, there)?;
            pages.set_previous(version, there);
        }
        match head.compare_exchange(there, version, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return Ok(()),
            Err(faster) => there = faster,
        }
    }
}

/// Takes out of the chain at `head` what was undone, and what nobody needs: main has it, or it is later than
/// what is read. Gives what is taken out to `out`, and each version that stays to `stays`. Nobody writes to
/// the chain meanwhile; who reads it may still be at a version that is taken out, which goes on to where it
/// did.
pub(crate) fn clean(
    pages: &Pages,
    head: &AtomicU32,
    needed: &Needed,
    out: &mut dyn FnMut(&Page, &Body, usize),
    stays: &mut dyn FnMut(&Page),
) {
    let (mut last, mut has_gap) = (None, false);
    let (mut left, mut was_cut) = (Vec::new(), false);
    let mut at = head.load(Ordering::Acquire);
    let link = |last: Option<Version>, next: Version| match last {
        Some(last) => pages.set_previous(last, next),
        None => head.store(next, Ordering::Release),
    };
    while let Some((number, place)) = place(at) {
        let Some(page) = pages.page(number) else { break };
        let body = page.read();
        let stamp = body.stamps.get(place).map_or(Stamp::NEVER, AtomicStamp::load);
        let is_out = !needed.has(stamp);
        if is_out {
            out(&page, &body, place);
        }
        let previous = body.previous(place);
        // To link is to lock a page, maybe this one. Locked twice by one thread, it waits for who waits to
        // append to it, who waits for the first lock.
        drop(body);
        if is_out {
            pages.loosen(at);
            (has_gap, was_cut) = (true, true);
        } else {
            stays(&page);
            left.push(at);
            if has_gap {
                link(last, at);
                has_gap = false;
            }
            last = Some(at);
        }
        at = previous;
    }
    if has_gap {
        link(last, 0);
    }
    if was_cut {
        // None skips to what is out.
        pages.set_skips(left.into_iter().rev());
    }
}

/// Whether a version of `shape` may stand in front of a chain.
fn ask(pages: &Pages, writer: &Writer<'_>, shape: &Shape, head: Version) -> Result<(), Conflict> {
    // Columns of which no version that counts was met.
    let mut open: Vec<u32> = shape.columns.to_vec();
    let concerns = |page: &Page| {
        let is_same = shape.columns.iter().any(|column| page.place_of(*column).is_some());
        (is_same || shape.event == Event::Went).then_some(())
    };
    let met = pages.walk_where(head, concerns, |page, _, body, at| {
        let existence = page.shape.event != Event::Changed;
        let same = |column: &u32| page.place_of(*column).is_some();
        if !existence && shape.event != Event::Went && !open.iter().any(same) {
            return None;
        }
        let stamp = body.stamps.get(at)?;
        match writer.reading.may_replace(stamp) {
            Err(conflict) => return Some(Err(conflict)),
            Ok(false) => return None,
            Ok(true) => open.retain(|column| !same(column)),
        }
        // What is below was there when this was written, and did not stand in its way.
        let done = existence || (shape.event == Event::Changed && open.is_empty());
        done.then_some(Ok(()))
    });
    met.unwrap_or(Ok(()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use trimorph_mvcc::Timestamp;
    use trimorph_types::Value;
    use trimorph_vector::Vector;

    use super::*;
    use crate::pages::Author;

    /// All versions of the chain and the one that is appended meanwhile are in one page.
    #[test]
    fn cleaning_ends_while_somebody_waits_to_append() {
        let (done, is_done) = channel();
        std::thread::spawn(move || {
            let pages = Arc::new(Pages::default());
            let append = |pages: &Pages, stamp: Stamp| {
                let shape = Shape { event: Event::Changed, columns: [0].into() };
                let (author, value) = (Author { stamp, statement: 0 }, Vector::constant(&Value::Int(1), 1));
                pages.append(&shape, author, &[7], &[&value], &[0]).expect("room")[0].0
            };
            let stamps = [Stamp::from(Timestamp(4)), Stamp::NEVER, Stamp::from(Timestamp(5))];
            let [old, undone, new] = stamps.map(|stamp| append(&pages, stamp));
            pages.set_previous(new, undone);
            pages.set_previous(undone, old);
            let head = AtomicU32::new(new);
            let (begun, has_begun) = channel();
            let mut writers = Vec::new();
            let mut stays = |_: &Page| {
                let (pages, begun) = (Arc::clone(&pages), begun.clone());
                writers.push(std::thread::spawn(move || {
                    let _ = begun.send(());
                    append(&pages, Stamp::from(Timestamp(6)))
                }));
                let _ = has_begun.recv();
                // By then he waits for the page, if it is locked.
                std::thread::sleep(Duration::from_millis(20));
            };
            let needed = Needed::new(Timestamp(1), std::iter::empty());
            clean(&pages, &head, &needed, &mut |_, _, _| {}, &mut stays);
            let appended = writers.into_iter().filter_map(|writer| writer.join().ok()).count();
            let before = |version| pages.walk(version, |_: &Page, body: &Body, at| Some(body.previous(at)));
            let _ = done.send((appended, head.into_inner() == new, before(new) == Some(old), before(old)));
        });
        let ended = is_done.recv_timeout(Duration::from_secs(60));
        assert_eq!(ended, Ok((2, true, true, Some(0))), "they wait for each other");
    }

    /// A row that came with two columns, and got values of the first again and again, of the second once.
    #[test]
    fn who_asks_for_another_column_passes_over_a_run_of_changes() {
        let pages = Pages::default();
        let shape = |event, columns: &[u32]| Shape { event, columns: columns.into() };
        let append = |shape: &Shape, at: u64, previous: Version| {
            let (author, value) = (
                Author { stamp: Stamp::from(Timestamp(at)), statement: 0 },
                Vector::constant(&Value::Int(at as i64), 1),
            );
            let values = vec![&value; shape.columns.len()];
            let version = pages.append(shape, author, &[7], &values, &[0]).expect("room")[0].0;
            pages.set_previous(version, previous);
            version
        };
        let (came, first, second) =
            (shape(Event::Came, &[0, 1]), shape(Event::Changed, &[0]), shape(Event::Changed, &[1]));
        let run = |from: u64, previous| (from..from + 50).fold(previous, |last, at| append(&first, at, last));
        let base = append(&came, 1, 0);
        let other = append(&second, 60, run(2, base));
        let head = AtomicU32::new(run(61, other));
        let steps = |column| {
            let mut steps = Vec::new();
            let _: Option<()> = pages.walk_of(head.load(Ordering::Relaxed), column, |_, of, body, at| {
                let Some(Value::Int(at)) = of.map(|of| body.columns[of].value(at)) else { return Some(()) };
                steps.push(at);
                None
            });
            steps
        };
        assert_eq!(steps(1), [60, 1]);
        assert_eq!(steps(0).len(), 101);
        // Pages from the newest on: two, one, two and the first; not one for each version.
        let skipped = |from: Version| {
            let (mut at, mut count) = (from, 0);
            while at != 0 {
                (at, count) = (pages.skipped(at), count + 1);
            }
            count
        };
        assert_eq!(skipped(head.load(Ordering::Relaxed)), 4);

        // Some of either run go, and the one between them: no version that stays leads to what is out.
        let needed = Needed::new(Timestamp(80), [(Timestamp(0), Timestamp(20))].into_iter());
        let mut out = 0;
        clean(&pages, &head, &needed, &mut |_, _, _| out += 1, &mut |_| {});
        assert_eq!(out, 52);
        assert_eq!(steps(1), [1]);
        assert_eq!(steps(0), (1..=20).chain(81..=110).rev().collect::<Vec<_>>());
        assert_eq!(skipped(head.load(Ordering::Relaxed)), 2);
    }
}
