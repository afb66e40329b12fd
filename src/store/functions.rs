//! mailkeep's own SQL functions, which the public views use to unpack content on demand.

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::{Connection, Error};

use crate::model::{ContentHash, ItemState, ShortId};
use crate::store::{Codec, Envelope, Frame, StoreError, subjects};

const PURE: FunctionFlags = FunctionFlags::SQLITE_UTF8.union(FunctionFlags::SQLITE_DETERMINISTIC);

/// The function that prints short ids, and those that migrations use; they need no dictionary, so they are there before
/// the schema is.
pub(super) fn register_ids(connection: &Connection) -> Result<(), StoreError> {
    connection.create_scalar_function("mail_short_id", 1, PURE, |context| {
        let hash: [u8; 32] = context.get(0)?;
        Ok(ShortId::of(&ContentHash(hash)).to_string())
    })?;
    connection.create_scalar_function("mail_hash", 1, PURE, |context| {
        Ok(subjects::hash(&context.get::<String>(0)?))
    })?;
    connection.create_scalar_function("is_editable", 1, PURE, |context| {
        Ok(ItemState::parse(&context.get::<String>(0)?).is_some_and(ItemState::may_be_edited))
    })?;
    connection.create_aggregate_function("mail_pack_subjects", 2, PURE, PackSubjects)?;
    Ok(())
}

/// Packs rows and subjects into a block.
struct PackSubjects;

impl Aggregate<Vec<u8>, Vec<u8>> for PackSubjects {
    fn init(&self, _: &mut Context<'_>) -> Result<Vec<u8>, Error> {
        Ok(Vec::new())
    }

    fn step(&self, context: &mut Context<'_>, block: &mut Vec<u8>) -> Result<(), Error> {
        subjects::append(block, context.get(0)?, &context.get::<String>(1)?);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, block: Option<Vec<u8>>) -> Result<Vec<u8>, Error> {
        Ok(block.unwrap_or_default())
    }
}

/// The functions that unpack content: `mail_raw`, `mail_text`, `mail_envelope`.
pub(super) fn content_functions(connection: &Connection, codec: &Codec) -> Result<(), StoreError> {
    let unpack = codec.clone();
    connection.create_scalar_function("mail_raw", 4, PURE, move |context| {
        unpack.raw(&frame(context)?).map_err(user_error)
    })?;
    let unpack = codec.clone();
    connection.create_scalar_function("mail_text", 4, PURE, move |context| {
        unpack.text(&frame(context)?).map_err(user_error)
    })?;
    let unpack = codec.clone();
    connection.create_scalar_function("mail_envelope", 5, PURE, move |context| {
        let json = unpack.envelope(&frame(context)?).map_err(user_error)?;
        let envelope = Envelope::from_json(&json).map_err(user_error)?;
        Ok(envelope.field(&context.get::<String>(4)?))
    })?;
    Ok(())
}

fn frame(context: &Context<'_>) -> Result<Frame, Error> {
    Ok(Frame {
        dictionary: context.get(0)?,
        envelope_length: context.get(1)?,
        text_length: context.get(2)?,
        bytes: context.get(3)?,
    })
}

fn user_error(error: StoreError) -> Error {
    Error::UserFunctionError(Box::new(error))
}
