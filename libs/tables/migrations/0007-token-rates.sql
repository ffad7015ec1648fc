-- Endpoint 1 by rates: an internal id for each token, and the rates of the last hours.
ALTER TABLE token_state ADD COLUMN IF NOT EXISTS `ordinal` UInt64 CODEC(Delta(8), LZ4) AFTER `standard`;

CREATE TABLE token_rates (
  `slot` UInt8,
  `token` FixedString(20),
  `hour` UInt64 CODEC(Delta(8), LZ4),
  `rate` String,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`slot`, `token`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;
