//! Least and largest of texts. Most texts are no better than the best of their group, which their first bytes
//! say already.
//!
//! Hot loop: [`Column::add_texts`], the load of a text's first eight bytes and a comparison of words.

use trimorph_algebra::AggregateKind;
use trimorph_types::Value;
use trimorph_vector::Texts;

use super::rows::Rows;
use super::states::{Column, Ledger, take};
use crate::ExecError;
use crate::charge::vec_growth_bytes;
use trimorph_vector::order::first_bytes;

impl Column<'_> {
    /// Takes texts into least and largest.
    pub(super) fn add_texts(
        &mut self,
        rows: &Rows<'_, '_>,
        texts: &Texts<'_>,
        ledger: &mut Ledger<'_, '_>,
    ) -> Result<(), ExecError> {
        let turned = if self.kind == AggregateKind::Max { 0 } else { u64::MAX };
        let states = self.states.generalise(self.kind)?;
        let (words, general_bytes) = (&mut self.best_words, &mut self.general_bytes);
        let growth = vec_growth_bytes(words.len(), words.capacity(), states.len() - words.len(), 8);
        ledger.grow(
            words,
            growth,
            |words| words.capacity() * size_of::<u64>(),
            |words| {
                words.resize(states.len(), 0);
                Ok(())
            },
        )?;
        rows.each(|n, p, _| {
            let text = texts.get(p);
            let word = first_bytes(text) ^ turned;
            if word < words[n] || !states[n].wants_text(text) {
                return Ok(());
            }
            let before = states[n].heap_bytes();
            take(&mut states[n], &Value::from(text), 1, ledger)?;
            *general_bytes = (*general_bytes + states[n].heap_bytes()).saturating_sub(before);
            words[n] = word;
            Ok(())
        })
    }
}
