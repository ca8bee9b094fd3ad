//! Line numbers of rows in, a first number and a count out, while they are consecutive.

use trimorph_store::bulk::Lines;

/// Line numbers that are mostly consecutive.
#[derive(Default)]
pub(crate) struct LineList {
    first: u64,
    count: u64,
    each: Option<Vec<u64>>,
}

impl LineList {
    #[inline]
    pub(crate) fn push(&mut self, line: u64) {
        if self.count == 0 {
            self.first = line;
        } else if let Some(each) = &mut self.each {
            each.push(line);
        } else if line != self.first + self.count {
            let mut each: Vec<u64> = (self.first..self.first + self.count).collect();
            each.push(line);
            self.each = Some(each);
        }
        self.count += 1;
    }

    /// Takes `count` lines from `first` on.
    pub(crate) fn push_run(&mut self, first: u64, count: u64) {
        if self.each.is_none() && (self.count == 0 || first == self.first + self.count) {
            self.first = if self.count == 0 { first } else { self.first };
            self.count += count;
        } else {
            (first..first + count).for_each(|line| self.push(line));
        }
    }

    pub(crate) fn finish(self) -> Lines {
        self.each.map_or(Lines::From(self.first), Lines::Each)
    }
}
