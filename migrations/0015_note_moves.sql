-- Notes of the vault: when the person moved the one of an item to where approved ones lie, and what it said then.
ALTER TABLE proposals ADD COLUMN moved_revision INTEGER;
ALTER TABLE proposals ADD COLUMN moved_epoch INTEGER;
