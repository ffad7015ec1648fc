/**
 * How many random subjects a check walks, beside the busiest. All of them take minutes on two
 * busy cores, so after each reorganisation a part stands for the whole; `WALK_SUBJECTS` overrides
 * both, to walk as many as one likes.
 */
const wished = process.env.WALK_SUBJECTS

export const subjectsAtFirst = wished === undefined ? 40 : Number(wished)
export const subjectsAfterwards = wished === undefined ? 8 : Number(wished)

/** A subject takes some hundreds of requests, and the machine may be busy with other things. */
export const walksTimeoutMs = 120_000 + 12_000 * Math.max(subjectsAtFirst, subjectsAfterwards)

/** Of the choice of subjects, and of the demo chain; printed where something differs. */
export const seed = 20_261_120
