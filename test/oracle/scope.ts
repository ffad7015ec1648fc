import { runLength } from '../support/run-length.ts'

/**
 * What the walks walk. Each page is about three questions to the engine, each of which takes it
 * some 5 ms of a core however little it reads, so what is asked is chosen:
 *
 * - **Subjects**: the busiest two of each kind (addresses, tokens, transactions) and 100
 *   random ones, in the whole form 200, in the short one fewer (`run-length.ts`); the same before
 *   and after each reorganisation as long as they are there.
 * - **Lists**: before any reorganisation every list with every filter and order. After one the
 *   list without parameters, and of its variants a share by turns: over the reorganisations of a
 *   file each variant of each subject is walked at least once. Of the busiest all, always.
 * - **Whole**: each of these lists is walked to its end and is the expected one, item by item, in
 *   pages of 100; up to 50 items in one page, of 50, of 100 or of the default size. The lists
 *   without parameters of the busiest are walked to their end by 50 too.
 * - **Short**: each list without parameters, and one of its variants by chance where it is walked,
 *   is also walked by one of the sizes 1, 7, 50 and none that cut it, by turns over the checks of a
 *   file; the busiest by all of these sizes, and each variant of theirs by one. Four pages are
 *   enough, as they begin anywhere: at a place that a page of random size leads to, from a random
 *   page of the whole walk. Their items are those of the whole walk, field by field.
 * - **Null forms**: each cursor that a walk sends takes the next form. Before any reorganisation a
 *   page of each short walk is asked in all three.
 */
const others = runLength.walkSubjects

export const scope = { busiest: runLength.walkBusiest, others }

/** A subject takes some tens of requests, and the machine may be busy with other things. */
export const walksTimeoutMs = 120_000 + 2_000 * others

/** Of the choice of subjects, and of the demo chain; printed where something differs. */
export const seed = 20_261_120
