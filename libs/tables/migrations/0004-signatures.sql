CREATE TABLE contract_abis (
  `address` FixedString(20),
  `selector` String CODEC(ZSTD(1)),
  `signature` String,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`address`, `selector`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE signatures (
  `selector` String CODEC(ZSTD(1)),
  `since` UInt64 CODEC(Delta(8), LZ4),
  `form` String,
  `signature` String,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`selector`, `since`, `form`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;
