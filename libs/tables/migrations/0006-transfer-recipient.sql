-- The contract that the transaction calls: its own ABI names the method.
ALTER TABLE transfers_by_token ADD COLUMN IF NOT EXISTS `recipient` Nullable(FixedString(20)) AFTER `method`;
ALTER TABLE transfers_by_transaction ADD COLUMN IF NOT EXISTS `recipient` Nullable(FixedString(20)) AFTER `method`;
