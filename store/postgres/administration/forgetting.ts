import type { Administration, ProgrammeTexts } from '../../administration.js'
import { inspectTerms } from '../inspection/terms.js'
import { type Sql, sql } from '../sql.js'
import { changeTerms } from './terms.js'

type Forgetting = Pick<
  Administration,
  'forgetMember' | 'findErasure' | 'findTextsNaming' | 'replaceTexts' | 'finishErasure'
>

/** Members forgotten for good: identifiers go, sums stay. */
export function createForgetting(database: Sql): Forgetting {
  return {
    async forgetMember({ requestId, digest, call, actor }, memberId, venueLimits) {
      const [row] = await database.run<{ reply: Awaited<ReturnType<Forgetting['forgetMember']>> }>(
        sql`
          select order_forgetting(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${memberId},
            array(select json_array_elements_text(${JSON.stringify(venueLimits)}::text::json))
          ) as reply`,
        changeTerms,
      )
      return row!.reply
    },
    async findErasure(ageMs) {
      const [row] = await database.run<{ memberId: string }>(
        sql`
          select e.member_id as "memberId" from erasure e
          where e.asked_at <= statement_timestamp() - make_interval(secs => ${ageMs / 1_000}::float8)
          order by e.asked_at
          limit 1`,
        inspectTerms,
      )
      return row?.memberId ?? null
    },
    async findTextsNaming(version, memberId) {
      // Where a text holds escapes, only who reads it can tell.
      const [row] = await database.run<ProgrammeTexts>(
        sql`
          select v.document, v.benefits from programme_version v
          where v.version = ${version}::integer
            and (position(${memberId} in v.document) > 0 or position('\\' in v.document) > 0)`,
        inspectTerms,
      )
      return row ?? null
    },
    async replaceTexts(version, { document, benefits }) {
      await database.run(
        sql`
          update programme_version v set document = ${document}, benefits = ${benefits}
          where v.version = ${version}::integer`,
        changeTerms,
      )
    },
    async finishErasure(memberId, venueLimits) {
      await database.run(
        sql`
          select finish_erasure(
            ${memberId}, array(select json_array_elements_text(${JSON.stringify(venueLimits)}::text::json))
          )`,
        changeTerms,
      )
    },
  }
}
