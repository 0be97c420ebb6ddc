import type {
  AdminExperiments,
  ExperimentRecord,
  MemberOfExperiment,
  StoredExperiment,
  WithheldBasket,
} from '../../ledger/experiments.js'
import { adminChanges, adminReads, findRow, join, type Sql, sql, storable } from '../connection/sql.js'

export function createAdminExperiments(database: Sql): AdminExperiments {
  return {
    async list(limit) {
      return await database.run<StoredExperiment>(
        join(
          [
            sql`select `,
            facts,
            sql` from experiment e order by lower(e.runs) desc nulls last, e.experiment_id limit ${limit}::integer`,
          ],
          '',
        ),
        adminReads,
      )
    },
    async find(experimentId) {
      if (storable(experimentId) === null) return null
      return await findRow<ExperimentRecord>(
        database,
        join([sql`select `, facts, sums, sql` from experiment e where e.experiment_id = ${experimentId}`], ''),
        adminReads,
      )
    },
    async findOfMember(memberId) {
      if (storable(memberId) === null) return []
      return await database.run<MemberOfExperiment>(
        sql`
          select m.experiment_id as "experimentId", e.name, m.arm_id as "armId", milliseconds(m.entered_at) as "enteredAt"
          from experiment_member m join experiment e on e.experiment_id = m.experiment_id
          where m.member_id = ${memberId} order by m.experiment_id`,
        adminReads,
      )
    },
    async leaseWithheld(max) {
      return await database.run<WithheldBasket>(
        sql`
          select w.calculation_id as "calculationId", w.experiment_id as "experimentId"
          from lease_withheld(${max}::integer) w`,
        adminChanges,
      )
    },
    async priceWithheld({ calculationId, experimentId }, amount) {
      await database.run(
        sql`select price_withheld(${calculationId}::uuid, ${experimentId}, ${amount}::bigint)`,
        adminChanges,
      )
    },
  }
}

const facts = sql`e.experiment_id as "experimentId", e.name, e.body, milliseconds(lower(e.runs)) as "beginsAt",
  milliseconds(upper(e.runs)) as "endsAt"`

const sums = sql`,
  (select count(*) from experiment_member m where m.experiment_id = e.experiment_id and m.left_out) as "leftOut",
  (select coalesce(json_agg(json_build_object(
    'armId', s.arm_id, 'currency', s.currency, 'day', s.day, 'figures', s.figures
  ) order by s.currency, s.day, s.arm_id), '[]') from (
    select t.arm_id, t.currency, t.day, json_object_agg(t.figure, t.amount::text) as figures
    from experiment_sum t where t.experiment_id = e.experiment_id group by t.arm_id, t.currency, t.day
  ) s) as sums,
  (select coalesce(json_agg(json_build_object('armId', w.arm_id, 'currency', w.currency, 'baskets', w.baskets)), '[]') from (
    select d.arm_id, d.currency, count(*) as baskets from experiment_withheld d
    where d.experiment_id = e.experiment_id group by d.arm_id, d.currency
  ) w) as waiting`
