//! Variables of a query, and what is known of each.

use std::sync::Arc;

use trimorph_types::LogicalType;

/// A variable of a query.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VarId(pub u32);

/// What is known of a variable.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// The user's name, or a made-up one in EXPLAIN's style (`_1`) for anonymous ones.
    pub name: Arc<str>,
    /// Its type, `Any` when not known before it is looked at.
    pub ty: LogicalType,
    /// Whether the user did not name it.
    pub anonymous: bool,
}

/// All variables of a query.
#[derive(Clone, Debug, Default)]
pub struct Vars(Vec<VarInfo>);

impl Vars {
    /// A new variable with a user's name.
    pub fn named(&mut self, name: impl Into<Arc<str>>, ty: LogicalType) -> VarId {
        self.push(VarInfo { name: name.into(), ty, anonymous: false })
    }

    /// A new variable that the user did not name.
    pub fn anonymous(&mut self, ty: LogicalType) -> VarId {
        let name = format!("_{}", self.0.len());
        self.push(VarInfo { name: name.into(), ty, anonymous: true })
    }

    fn push(&mut self, info: VarInfo) -> VarId {
        self.0.push(info);
        VarId(u32::try_from(self.0.len() - 1).unwrap_or(u32::MAX))
    }

    /// What is known of `var`.
    pub fn get(&self, var: VarId) -> &VarInfo {
        &self.0[var.0 as usize]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}
