import { AssignerProtocol, type GroupMember, type PartitionAssigner } from 'kafkajs'
import { z } from 'zod'

const { MemberAssignment, MemberMetadata } = AssignerProtocol

const claimForm = z.object({
  /** Offset at which this member continues to read. */
  offset: z.int().min(0),
  isReading: z.boolean(),
})
/** User data of a member when it joins the group. */
export type Claim = z.output<typeof claimForm>

const nothing: Claim = { offset: 0, isReading: false }
const version = 1

/**
 * Gives the one partition to the member that has read furthest, the present reader among equals:
 * one with an empty volume that comes late does not take the work from one that is up to date.
 */
export function furthestReader(topic: string, claim: () => Claim): PartitionAssigner {
  return () => ({
    name: 'foldscan-furthest-reader',
    version,
    protocol: ({ topics }) => ({
      name: 'foldscan-furthest-reader',
      metadata: MemberMetadata.encode({
        version,
        topics,
        userData: Buffer.from(JSON.stringify(claim())),
      }),
    }),
    assign: async ({ members }) =>
      furthestFirst(members)
        .slice(0, 1)
        .map(({ memberId }) => ({
          memberId,
          memberAssignment: MemberAssignment.encode({
            version,
            assignment: { [topic]: [0] },
            userData: Buffer.alloc(0),
          }),
        })),
  })
}

export function furthestFirst(members: readonly GroupMember[]): readonly GroupMember[] {
  const claims = new Map(members.map((member) => [member, claimOf(member)]))
  const of = (member: GroupMember) => claims.get(member) ?? nothing
  return [...members].sort(
    (one, other) =>
      of(other).offset - of(one).offset ||
      Number(of(other).isReading) - Number(of(one).isReading) ||
      (one.memberId < other.memberId ? -1 : 1),
  )
}

/** A member without readable user data comes last. */
function claimOf({ memberMetadata }: GroupMember): Claim {
  try {
    const { userData } = MemberMetadata.decode(memberMetadata) ?? {}
    return claimForm.parse(JSON.parse(String(userData)))
  } catch {
    return nothing
  }
}
