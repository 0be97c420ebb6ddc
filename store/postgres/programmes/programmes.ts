import type {
  AdminProgrammes,
  BenefitChange,
  FaultyPublication,
  FilePublication,
  FixedFault,
  NewestProgramme,
  PosProgrammes,
  ProgrammeFacts,
  ProgrammeLookUps,
  ProgrammeTexts,
  PublicationReply,
  StoredProgramme,
} from '../../ledger/programmes.js'
import { change } from '../connection/changes.js'
import type { LedgerOptions } from '../connection/options.js'
import {
  adminChanges,
  adminReads,
  findRow,
  readRow,
  type Sql,
  type Statement,
  sql,
  storable,
} from '../connection/sql.js'
import { prepareProgramme, programmeArgs } from './prepare-programme.js'

export function createAdminProgrammes(database: Sql): AdminProgrammes {
  return {
    ...createProgrammeTexts(database),
    listBenefitChanges: (benefitId, limit) => listBenefitChanges(database, benefitId, limit),
    ...createProgrammeLookUps(database, adminReads.withinMs),
    async publish(command, programme, expectedVersion) {
      return await change<PublicationReply | FaultyPublication>(database, command, 'change_publication', [
        expectedVersion,
        programme.digest,
        ...programmeArgs(programme),
      ])
    },
    async findFaults({ currencies, limits, venues, experiments }) {
      const row = await readRow<{ faults: readonly FixedFault[] }>(
        database,
        sql`
          select publication_faults(
            ${currencies}::text::json, ${limits}::text::json, ${venues}::text::json, ${experiments}::text::json
          ) as faults`,
        adminReads,
      )
      return row.faults
    },
    findCardsOfOthers: ({ members }, areTaken) => readRow(database, cardsOfOthers(members, areTaken), adminReads),
    async rollBack(command, version, expectedVersion) {
      return await change<PublicationReply | FaultyPublication | { readonly kind: 'unknown_version' }>(
        database,
        command,
        'change_roll_back',
        [version, expectedVersion],
      )
    },
    async list({ after, limit }) {
      return await database.run<ProgrammeFacts>(
        sql`
          select v.version, milliseconds(v.published_at) as "publishedAt", v.published_by as "publishedBy",
            v.rolled_back_to as "rolledBackTo", octet_length(v.document) as "documentBytes", p.proposed_by as "proposedBy"
          from programme_version v
          left join programme_proposal p on p.version = v.version
          where v.version < ${after?.[0] ?? versionMax}::integer
          order by v.version desc
          limit ${limit}::integer`,
        adminReads,
      )
    },
    async find(version, withDocument) {
      const row = await findRow<ProgrammeFacts & { readonly document: string }>(
        database,
        sql`
          select v.version, milliseconds(v.published_at) as "publishedAt", v.published_by as "publishedBy",
            v.rolled_back_to as "rolledBackTo", octet_length(v.document) as "documentBytes",
            p.proposed_by as "proposedBy", case when ${withDocument}::boolean then v.document else '' end as document
          from programme_version v
          left join programme_proposal p on p.version = v.version
          where v.version = coalesce(${version}::integer, (select max(n.version) from programme_version n))`,
        adminReads,
      )
      if (row === null) return null
      const { document, ...facts } = row
      return { facts, document }
    },
  }
}

async function listBenefitChanges(
  database: Sql,
  benefitId: string | null,
  limit: number,
): Promise<readonly BenefitChange[]> {
  if (benefitId !== null && storable(benefitId) === null) return []
  type Row = Omit<BenefitChange, 'facts'> & ProgrammeFacts
  const rows = await database.run<Row>(benefitChanges(benefitId, limit), adminReads)
  return rows.map(({ benefitId: id, kind, ...facts }) => ({ benefitId: id, kind, facts }))
}

function benefitChanges(benefitId: string | null, limit: number): Statement {
  return sql`
    select c.benefit_id as "benefitId", v.version, milliseconds(v.published_at) as "publishedAt",
      v.published_by as "publishedBy", v.rolled_back_to as "rolledBackTo", octet_length(v.document) as "documentBytes",
      p.proposed_by as "proposedBy",
      case when c.digest is null then 'removed' when exists (
        select from benefit_change b
        where b.benefit_id = c.benefit_id and b.version = (
          select max(n.version) from benefit_change n where n.benefit_id = c.benefit_id and n.version < c.version
        ) and b.digest is not null
      ) then 'changed' else 'added' end as kind
    from benefit_change c
    join programme_version v on v.version = c.version
    left join programme_proposal p on p.version = v.version
    where c.benefit_id = ${benefitId} or (${benefitId}::text is null and not exists (
      select from benefit_change n where n.benefit_id = c.benefit_id and n.version > c.version
    ))
    order by c.benefit_id, c.version desc
    limit ${limit}::integer`
}

const versionMax = 2_147_483_647

function cardsOfOthers(members: string, areTaken: boolean): Statement {
  return sql`
    select count(*) as count, coalesce(json_agg(json_build_object(
        'place', n.place, 'item', n.item, 'loyaltyId', n.loyalty_id, 'memberId', n.member_id
      ) order by n.number) filter (where n.number <= 20), '[]') as cards
    from (
      select c.*, row_number() over (order by c.place, c.item) as number from cards_of_others(${members}::text::json) c
      where c.is_taken = ${areTaken}::boolean
    ) n`
}

function createProgrammeTexts(database: Sql): Pick<AdminProgrammes, 'findTextsNaming' | 'replaceTexts'> {
  return {
    async findTextsNaming(version, ids) {
      // In a text with escapes, only a parser finds the ids.
      const row = await findRow<ProgrammeTexts>(
        database,
        sql`
          select v.document, v.benefits from programme_version v
          where v.version = ${version}::integer
            and (position('\\' in v.document) > 0 or exists (
              select from json_array_elements_text(${JSON.stringify(ids)}::text::json) i (id)
              where strpos(v.document, i.id) > 0
            ))`,
        adminReads,
      )
      return row
    },
    async replaceTexts(version, { document, benefits }) {
      await database.run(
        sql`
          update programme_version v set document = ${document}, benefits = ${benefits}
          where v.version = ${version}::integer`,
        adminChanges,
      )
    },
  }
}

const publishMs = 30_000

type FileRow = Pick<FilePublication, 'version' | 'published' | 'publishedBy' | 'because'> & {
  readonly faults: readonly FixedFault[]
}

export function createPosProgrammes(database: Sql, { readMs }: Required<LedgerOptions>): PosProgrammes {
  return {
    ...createProgrammeLookUps(database, readMs),
    async publishFile(programme, onlyIfEmpty = false) {
      const { digest, venues, members, currencies, limits, experiments, digests } = prepareProgramme(programme)
      const { document, benefits } = programme.stored ?? programme
      const { faults, ...publication } = await readRow<FileRow>(
        database,
        sql`
          select f.version, f.published, f.because, f.published_by as "publishedBy", f.faults
          from publish_file(
            ${digest}, ${document}, ${benefits}, ${venues}::text::json, ${members}::text::json,
            ${currencies}::text::json, ${limits}::text::json, ${experiments}::text::json,
            ${digests}::text::json, ${onlyIfEmpty}::boolean
          ) f`,
        { effect: 'writes', withinMs: publishMs },
      )
      const { because } = publication
      return because === 'faulty' ? { ...publication, because, faults } : { ...publication, because }
    },
  }
}

function createProgrammeLookUps(database: Sql, withinMs: number): ProgrammeLookUps {
  return {
    newest: () =>
      findRow<NewestProgramme>(
        database,
        sql`
          select v.version, v.benefits, (select encode(k.inner_key || k.outer_key, 'hex') from forgetting_key k) as key
          from programme_version v order by v.version desc limit 1`,
        { effect: 'reads', withinMs },
      ),
    lookUp: (version) =>
      findRow<StoredProgramme>(
        database,
        sql`select v.version, v.benefits from programme_version v where v.version = ${version}::integer`,
        { effect: 'reads', withinMs },
      ),
  }
}
