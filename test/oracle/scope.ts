/**
 * How many random subjects a check walks, beside the busiest. All of them take minutes on two
 * busy cores, so after each reorganisation a part stands for the whole; `WALK_SUBJECTS` overrides
 * both, to walk as many as one likes.
 */
const wished = process.env.WALK_SUBJECTS

export const subjectsAtFirst = wished === undefined ? 60 : Number(wished)
export const subjectsAfterwards = wished === undefined ? 16 : Number(wished)

/** Milliseconds; a subject takes some tens of requests. */
export const walksTimeoutMs = 60_000 + 6_000 * Math.max(subjectsAtFirst, subjectsAfterwards)

/** Of the choice of subjects, and of the demo chain; printed where something differs. */
export const seed = 20_261_120
