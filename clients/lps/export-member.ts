import { createClient } from '@connectrpc/connect'
import type { Command } from 'commander'
import { MemberService } from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { type InternalOptions, onInternal, withInternal } from './internal.js'
import { exits, WrongUse } from './screen.js'

interface ExportOptions extends InternalOptions {
  readonly loyaltyId?: string
}

export function addExportMember(group: Command): void {
  const command = group
    .command('export [member-id]')
    .summary('all that is stored of a member, as one JSON document')
    .description(`Prints all that is stored of a member as one JSON document: ids, dates, accounts, movements, baskets, sales and changes. The API
reference describes its fields as MemberDocument. The audit records name who asked.

  lps member export m-anna > m-anna.json

Exit code 0: whole; 1: there is no such member, or the document broke off.`)
    .option('--loyalty-id <id>', 'the member that has this loyalty id, instead of its own id')
  withInternal(command).action(
    exits(async (memberId: string | undefined, { loyaltyId, ...place }: ExportOptions) => {
      if ((memberId === undefined) === (loyaltyId === undefined))
        throw new WrongUse('expected either a member id or --loyalty-id')
      const by =
        memberId === undefined
          ? { case: 'loyaltyId' as const, value: loyaltyId! }
          : { case: 'memberId' as const, value: memberId }
      return await onInternal(place, async (transport) => {
        const parts = createClient(MemberService, transport).exportMember({ member: { by } }, { timeoutMs: 0 })
        // JSON has no control characters; `print` would also change marks of texts.
        for await (const { json } of parts) await written(json)
        await written('\n')
        return 0
      })
    }),
  )
}

/** A slow reader of the output slows the export down. */
async function written(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}
