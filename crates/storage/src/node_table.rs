//! A node table: the columns of the nodes of one label set, and the index of its key.

use trimorph_vfs::{CodecError, Decoder, Image, Region};

use crate::column::Column;
use crate::database::TableError;
use crate::key_index::KeyIndex;

/// The file kind of node tables.
pub(crate) const NODE_TABLE_KIND: u32 = 1;

/// A node table.
#[derive(Clone, Debug)]
pub struct NodeTable {
    /// Rows.
    pub rows: u64,
    /// Columns, as the catalog lists them.
    pub columns: Vec<Column>,
    /// Index of the key property, if it has one.
    pub key_index: Option<KeyIndex>,
    pub(crate) image: Image,
}

impl NodeTable {
    /// Opens an image written by a bulk load.
    pub(crate) fn open(region: Region) -> Result<Self, TableError> {
        let image = Image::open(region, NODE_TABLE_KIND)?;
        let (rows, columns, key_index) = Self::read(&image)?;
        Ok(Self { rows, columns, key_index, image })
    }

    fn read(image: &Image) -> Result<(u64, Vec<Column>, Option<KeyIndex>), CodecError> {
        let metadata = image.metadata().to_vec();
        let mut meta = Decoder::new(&metadata);
        let rows = meta.u64()?;
        let column_count = meta.count(meta.remaining())?;
        let columns =
            (0..column_count).map(|_| Column::read(image, &mut meta, rows)).collect::<Result<Vec<_>, _>>()?;
        let key_index = match meta.u8()? {
            0 => None,
            _ => Some(KeyIndex::read(image, &mut meta, rows)?),
        };
        Ok((rows, columns, key_index))
    }
}
